#include "explore/sample.h"

#include "base/mem.h"
#include "test.h"

static struct err err;

// All subsets of k of the n tests; the first m find it.
static double by_counting(unsigned n, unsigned m, unsigned k)
{
	unsigned all = 0, hits = 0;
	for (uint32_t set = 0; set < 1u << n; set++) {
		if ((unsigned)__builtin_popcount(set) != k)
			continue;
		all++;
		hits += (set & ((1u << m) - 1)) != 0;
	}
	return (double)hits / all;
}

static bool near(double a, double b)
{
	return a - b < 1e-12 && b - a < 1e-12;
}

static void probabilities(void)
{
	for (unsigned n = 1; n <= 11; n++)
		for (unsigned m = 0; m <= n; m++)
			for (unsigned k = 0; k <= n; k++)
				CHECK_THAT(near(by_counting(n, m, k), sample_probability(n, m, k)), "n %u m %u k %u", n,
				           m, k);
}

// "to find the bug with at least 90% probability, it is enough to run only 7 (when m=30%), 20 (when m=10%), and 32
// tests (when m=6%)", of 100.
static void the_papers(void)
{
	static const struct {
		size_t m, k;
	} cases[] = {{30, 7}, {10, 20}, {6, 32}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		CHECK(sample_probability(100, cases[i].m, cases[i].k) >= 0.9);
		CHECK(sample_probability(100, cases[i].m, cases[i].k - 1) < 0.9);
	}
}

static void large(void)
{
	CHECK(near(1e-6, sample_probability(1000000, 1, 1)));
	CHECK(near(0.5, sample_probability(1000000, 1, 500000)));
	CHECK(near(0.5, sample_probability(1000000, 500000, 1)));
	CHECK(near(1, sample_probability(1000000, 500000, 500000)));
	CHECK(near(1, sample_probability(1000000, 2, 999999)));
	double last = 0; // more tests never find less
	for (size_t k = 0; k <= 5000; k++) {
		double p = sample_probability(5000, 7, k);
		CHECK(p >= last && p <= 1);
		last = p;
	}
	CHECK(last == 1);
}

static void sizes(void)
{
	static const struct {
		const char *text;
		size_t n, k;
	} cases[] = {
		{"5", 100, 5},     {"5", 3, 3},
		{"10%", 100, 10},  {"7%", 100, 7},
		{"10%", 5, 1},     {"100%", 17, 17},
		{"0.1%", 100, 1},  {"12.5%", 8, 1},
		{"12.6%", 8, 2},   {"33%", 3, 1},
		{"0.5%", 1000, 5}, {"5", 0, 0},
		{"5%", 0, 0},      {"18446744073709551615", 3, 3},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sample s;
		CHECK_INT(0, sample_parse(&s, cases[i].text, &err));
		CHECK_THAT(sample_size(&s, cases[i].n) == cases[i].k, "%s of %zu are %zu", cases[i].text, cases[i].n,
		           sample_size(&s, cases[i].n));
	}
}

static void nonsense(void)
{
	static const char *const cases[] = {
		"",    "0",    "-1",  "+1", "x",   "5x",  "0%",  "101%", "-5%", "%",      "1e1%",
		"nan", "nan%", "5 %", " 5", "5%%", "1.5", "0x5", "0x5%", "inf", "1.2.3%", "99999999999999999999999"};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sample s;
		CHECK_THAT(sample_parse(&s, cases[i], &err) < 0, "'%s'", cases[i]);
		CHECK(strstr(err.text, "--sample wants"));
	}
}

static struct suite make(size_t n)
{
	struct suite s = {0};
	for (size_t i = 0; i < n; i++) {
		const struct suite_test t = {.snapshot = (int64_t)i + 1, .name = 1000 + i};
		suite_add(&s, &t);
	}
	return s;
}

static size_t chosen(const struct suite *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++)
		n += !s->v[i].why;
	return n;
}

static void choosing(void)
{
	const struct sample five = {.number = 5};
	struct suite a = make(40), b = make(40), c = make(40);
	size_t of;
	a.v[7].why = mem_strdup("its program is gone");
	b.v[7].why = mem_strdup("its program is gone");
	CHECK_INT(5, sample_suite(&five, &a, 1, "not chosen", &of));
	CHECK_INT(39, of);
	CHECK_INT(5, chosen(&a));
	CHECK_STR("its program is gone", a.v[7].why);
	sample_suite(&five, &b, 1, "not chosen", &of);
	sample_suite(&five, &c, 2, "not chosen", &of);
	bool same = true, other = false;
	for (size_t i = 0; i < 40; i++) {
		same &= !a.v[i].why == !b.v[i].why;
		other |= !a.v[i].why != !c.v[i].why;
	}
	CHECK(same && other);
	suite_release(&a);
	suite_release(&b);
	suite_release(&c);
}

// One more test changes the choice by one at most.
static void steady(void)
{
	const struct sample five = {.number = 5};
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct suite a = make(30), b = make(31);
		size_t of, gone = 0;
		sample_suite(&five, &a, seed, "not chosen", &of);
		sample_suite(&five, &b, seed, "not chosen", &of);
		for (size_t i = 0; i < 30; i++)
			gone += !a.v[i].why && b.v[i].why;
		CHECK(gone <= 1);
		suite_release(&a);
		suite_release(&b);
	}
}

// Over many seeds, each test is chosen as often as any other, and so is each pair.
static void even(void)
{
	enum { N = 10, K = 3, ROUNDS = 20000 };
	const struct sample three = {.number = K};
	unsigned one[N] = {0}, pair[N][N] = {{0}};
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		struct suite s = make(N);
		size_t of;
		sample_suite(&three, &s, seed, "not chosen", &of);
		for (size_t i = 0; i < N; i++)
			for (size_t k = 0; k <= i && !s.v[i].why; k++) {
				one[i] += k == i;
				pair[i][k] += k < i && !s.v[k].why;
			}
		suite_release(&s);
	}
	for (size_t i = 0; i < N; i++) {
		CHECK_THAT(one[i] > 5700 && one[i] < 6300, "%u", one[i]); // 6000, 65 is its deviation
		for (size_t k = 0; k < i; k++)
			CHECK_THAT(pair[i][k] > 1150 && pair[i][k] < 1520, "%u", pair[i][k]); // 1333, 35
	}
}

static void everything(void)
{
	const struct sample all = {.share = 100};
	struct suite s = make(9), none = {0};
	size_t of;
	CHECK_INT(9, sample_suite(&all, &s, 0, "not chosen", &of));
	CHECK_INT(9, chosen(&s));
	CHECK_INT(0, sample_suite(&all, &none, 0, "not chosen", &of));
	suite_release(&s);
}

static const struct test tests[] = {
	TEST(probabilities), TEST(the_papers), TEST(large), TEST(sizes),      TEST(nonsense),
	TEST(choosing),      TEST(steady),     TEST(even),  TEST(everything),
};
TEST_MAIN("sample")
