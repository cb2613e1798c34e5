#include <ctype.h>

#include "base/hash.h"
#include "test.h"

static void known_values(void)
{
	char hex[HASH_HEX];
	hash_hex(hash_bytes("", 0), hex);
	CHECK_STR("99aa06d3014798d86001c324468d497f", hex); // published for XXH3, 128 bits, seed 0
	hash_hex(hash_bytes(NULL, 0), hex);
	CHECK_STR("99aa06d3014798d86001c324468d497f", hex);
	hash_hex((struct hash){.low = 0xab, .high = 0x1}, hex);
	CHECK_STR("000000000000000100000000000000ab", hex);
}

static void every_bit_and_the_length_count(void)
{
	uint8_t data[64] = {0};
	struct hash all = hash_bytes(data, sizeof data);
	for (size_t bit = 0; bit < 8 * sizeof data; bit++) {
		data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		struct hash other = hash_bytes(data, sizeof data);
		CHECK_THAT(other.low != all.low && other.high != all.high, "bit %zu", bit);
		data[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	struct hash seen[sizeof data];
	for (size_t n = 0; n < sizeof data; n++) {
		seen[n] = hash_bytes(data, n);
		for (size_t i = 0; i < n; i++)
			CHECK(seen[i].low != seen[n].low);
	}
}

static void depends_on_the_bytes_only(void)
{
	uint8_t bytes[200];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)test_random();
	for (size_t n = 0; n <= sizeof bytes; n++) { // at another address, and not a byte behind the end
		struct hash a = hash_bytes(bytes, n), b = hash_bytes(test_guarded(bytes, n), n);
		CHECK(a.low == b.low && a.high == b.high);
	}
}

static const struct test tests[] = {
	TEST(known_values),
	TEST(every_bit_and_the_length_count),
	TEST(depends_on_the_bytes_only),
};
TEST_MAIN("hash")
