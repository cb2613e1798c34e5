#include "base/map.h"

#include "base/random.h"
#include "test.h"

struct number {
	uint64_t key;
	uint32_t count;
};
MAP(numbers, struct number);
MAP_FUNCTIONS(numbers, struct numbers, uint64_t, .key, .count, map_hash_number, map_same_number)

struct name {
	char *text;
	int value;
};
MAP(names, struct name);
MAP_FUNCTIONS(names, struct names, char *, .text, .text, map_hash_text, map_same_text)

struct blob {
	struct hash digest;
	bool used;
};
MAP(blobs, struct blob);
MAP_FUNCTIONS(blobs, struct blobs, struct hash, .digest, .used, map_hash_digest, map_same_digest)

static void an_empty_one(void)
{
	struct numbers m = {0};
	size_t at = 0;
	CHECK(!numbers_get(&m, 0) && !numbers_get(&m, 5));
	CHECK(!numbers_next(&m, &at));
	numbers_release(&m);
}

// Against a table that has a place for every key.
static void counts_like_an_array(void)
{
	enum { KEYS = 3000, STEPS = 40000 };
	uint32_t *expected = test_alloc(KEYS * sizeof *expected);
	memset(expected, 0, KEYS * sizeof *expected);
	struct numbers m = {0};
	size_t different = 0;
	for (int i = 0; i < STEPS; i++) {
		uint64_t k = test_below(KEYS),
			 key = k % 3 ? k : k << 40; // 0 is a key, too; and some have low bits alike
		struct number *x = numbers_put(&m, key);
		CHECK(x->key == key && x->count == expected[k]);
		different += !expected[k];
		x->count = ++expected[k];
		CHECK(m.n == different && 4 * m.n <= 3 * m.cap);
	}
	for (uint64_t k = 0; k < KEYS; k++) {
		const struct number *x = numbers_get(&m, k % 3 ? k : k << 40);
		CHECK(expected[k] ? x && x->count == expected[k] : !x);
	}
	size_t at = 0, seen = 0, sum = 0;
	for (const struct number *x; (x = numbers_next(&m, &at)); seen++)
		sum += x->count;
	CHECK(seen == different && sum == STEPS);
	numbers_release(&m);
	CHECK(!m.slots && !m.n && !m.cap);
}

static void texts_are_compared(void)
{
	struct names m = {0};
	for (int i = 0; i < 500; i++) {
		struct name *x = names_put(&m, test_printf("name %d", i)); // the test owns the text
		x->value = i;
	}
	CHECK_INT(500, m.n);
	for (int i = 0; i < 500; i++)
		CHECK_INT(i, names_get(&m, test_printf("name %d", i))->value);
	CHECK(!names_get(&m, "name 500") && !names_get(&m, ""));
	names_release(&m);
}

static void halves_of_a_digest_count(void)
{
	struct blobs m = {0};
	blobs_put(&m, (struct hash){1, 1})->used = true;
	CHECK(blobs_get(&m, (struct hash){1, 1}));
	CHECK(!blobs_get(&m, (struct hash){1, 2}) && !blobs_get(&m, (struct hash){2, 1}));
	blobs_put(&m, (struct hash){1, 2})->used = true; // the same place in the table
	CHECK(blobs_get(&m, (struct hash){1, 1}) != blobs_get(&m, (struct hash){1, 2}));
	blobs_release(&m);
}

// Neighbours, multiples of a page, and pointers do not all want the same slots.
static void hashes_spread(void)
{
	enum { KEYS = 4096, SLOTS = 8192 };
	for (unsigned shift = 0; shift <= 48; shift += 4) {
		uint8_t *taken = test_alloc(SLOTS);
		memset(taken, 0, SLOTS);
		unsigned different = 0;
		for (uint64_t i = 0; i < KEYS; i++) {
			uint64_t at = map_hash_number(i << shift) & (SLOTS - 1);
			different += !taken[at];
			taken[at] = 1;
		}
		CHECK_THAT(different > KEYS / 4, "shift %u: %u", shift, different);
	}
}

// The published numbers of splitmix64 for the seed 1234567.
static void random_numbers(void)
{
	uint64_t state = 1234567;
	CHECK(random_next(&state) == UINT64_C(6457827717110365317));
	CHECK(random_next(&state) == UINT64_C(3203168211198807973));
	CHECK(random_next(&state) == UINT64_C(9817491932198370423));
}

static const struct test tests[] = {
	TEST(an_empty_one),  TEST(counts_like_an_array), TEST(texts_are_compared), TEST(halves_of_a_digest_count),
	TEST(hashes_spread), TEST(random_numbers),
};
TEST_MAIN("map")
