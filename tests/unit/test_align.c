// Alignment of sequences, beside what trying all common subsequences finds.
#include "findings/align.h"

#include <string.h>

#include "base/random.h"
#include "test.h"

enum { LONGEST = 9 };

struct pair {
	const char *a, *b;
	uint64_t asked;
};

static unsigned same(void *opaque, uint32_t i, uint32_t k)
{
	struct pair *p = opaque;
	p->asked++;
	return p->a[i] == p->b[k];
}

// 3 where letters are the same, 2 where only their case differs.
static unsigned alike(void *opaque, uint32_t i, uint32_t k)
{
	const struct pair *p = opaque;
	return p->a[i] == p->b[k] ? 3 : (p->a[i] ^ p->b[k]) == 32 ? 2 : 0;
}

static bool is_subsequence(const char *of, const char *chosen, unsigned n)
{
	unsigned at = 0;
	for (; *of && at < n; of++)
		at += *of == chosen[at];
	return at == n;
}

static unsigned longest(const char *a, const char *b)
{
	unsigned n = (unsigned)strlen(a), most = 0;
	for (unsigned set = 0; set < 1u << n; set++) {
		char chosen[LONGEST];
		unsigned len = 0;
		for (unsigned i = 0; i < n; i++)
			if (set >> i & 1)
				chosen[len++] = a[i];
		if (len > most && is_subsequence(b, chosen, len))
			most = len;
	}
	return most;
}

// How many elements are aligned; checks that they are in order and go together.
static unsigned count(const char *a, const char *b, align_score score, const uint32_t *ret)
{
	struct pair p = {a, b, 0};
	unsigned n = 0;
	int64_t last = -1;
	for (uint32_t i = 0; i < strlen(a); i++) {
		if (ret[i] == ALIGN_NONE)
			continue;
		CHECK(ret[i] < strlen(b));
		CHECK((int64_t)ret[i] > last);
		CHECK(score(&p, i, ret[i]));
		last = ret[i];
		n++;
	}
	return n;
}

static void as_long_as_the_longest(void)
{
	uint64_t random = 7;
	for (int round = 0; round < 3000; round++) {
		char a[LONGEST + 1] = {0}, b[LONGEST + 1] = {0};
		uint32_t ret[LONGEST];
		unsigned letters = 1 + random_next(&random) % 4;
		for (uint64_t i = random_next(&random) % (LONGEST + 1); i-- > 0;)
			a[i] = (char)('a' + random_next(&random) % letters);
		for (uint64_t i = random_next(&random) % (LONGEST + 1); i-- > 0;)
			b[i] = (char)('a' + random_next(&random) % letters);
		struct pair p = {a, b, 0};
		align((uint32_t)strlen(a), (uint32_t)strlen(b), same, &p, ret);
		CHECK_INT(count(a, b, same, ret), longest(a, b));
	}
}

static void the_best_score(void)
{
	struct pair p = {"xAy", "axay", 0};
	uint32_t ret[3];
	align(3, 4, alike, &p, ret);
	CHECK_INT(ret[0], 1);
	CHECK_INT(ret[1], 2);
	CHECK_INT(ret[2], 3);
	p = (struct pair){"a", "Aa", 0}; // the better one of two
	align(1, 2, alike, &p, ret);
	CHECK_INT(ret[0], 1);
	align(0, 2, alike, &p, ret);
}

// Sequences that are too long cost no more than their length.
static void long_sequences_cost_their_length(void)
{
	enum { N = 3000 };
	static char a[N + 1], b[N + 1];
	static uint32_t ret[N];
	memset(a, 'a', N);
	memset(b, 'a', N);
	b[17] = 'b';
	struct pair p = {a, b, 0};
	align(N, N, same, &p, ret);
	CHECK_INT(ret[16], 16);
	CHECK(ret[17] == ALIGN_NONE);
	CHECK_INT(p.asked, N);
}

static const struct test tests[] = {
	TEST(as_long_as_the_longest),
	TEST(the_best_score),
	TEST(long_sequences_cost_their_length),
};
TEST_MAIN("align")
