#define _GNU_SOURCE
#include "models.h"

static char s[40], t[12];

static int a_char(void)
{
	int c = byte("abc\0"[below(4)]);
	return below(4) ? c : c - 256;
}

static void one(void)
{
	text(s, sizeof s, below(3) ? "aaab" : "abcABC");
}

#define TEST_CHAR(name)                                                                                                \
	static void test_##name(void)                                                                                  \
	{                                                                                                              \
		one();                                                                                                 \
		int c = a_char();                                                                                      \
		COMPARE(void *, name, s, c);                                                                           \
	}

TEST_CHAR(strchr)
TEST_CHAR(strrchr)
TEST_CHAR(strchrnul)
TEST_CHAR(index)
TEST_CHAR(rindex)

#define TEST_MEMORY(name)                                                                                              \
	static void test_##name(void)                                                                                  \
	{                                                                                                              \
		one();                                                                                                 \
		int c = a_char();                                                                                      \
		size_t n = number(sizeof s - 1);                                                                       \
		COMPARE(void *, name, s, c, n);                                                                        \
	}

TEST_MEMORY(memchr)
TEST_MEMORY(memrchr)

// More bytes than there are, when the one that is looked for is among them.
static void test_memchr_more(void)
{
	one();
	s[sizeof s - 1] = (char)byte('z');
	COMPARE(void *, memchr, s, 'z', SIZE_MAX);
}

static void test_rawmemchr(void)
{
	one();
	int c = byte('a');
	s[sizeof s - 1] = (char)byte('a');
	COMPARE(void *, rawmemchr, s, c);
}

static void test_strlen(void)
{
	one();
	COMPARE(size_t, strlen, s);
}

static void test_strnlen(void)
{
	one();
	size_t n = number(50);
	COMPARE(size_t, strnlen, s, n);
}

#define TEST_STRINGS(name, type, alphabet, n)                                                                          \
	static void test_##name(void)                                                                                  \
	{                                                                                                              \
		one();                                                                                                 \
		text(t, n, alphabet);                                                                                  \
		COMPARE(type, name, s, t);                                                                             \
	}

TEST_STRINGS(strstr, char *, "aab", 6)
TEST_STRINGS(strcasestr, char *, "aAb", 6)
TEST_STRINGS(strspn, size_t, "abcABd", 6)
TEST_STRINGS(strcspn, size_t, "bcdB", 3)
TEST_STRINGS(strpbrk, char *, "bcdB", 3)

static void test_memmem(void)
{
	one();
	text(t, sizeof t, "aab");
	size_t n = below(sizeof s), m = below(5);
	COMPARE(void *, memmem, s, n, t, m);
}

// What is done with results.
static void test_use(void)
{
	one();
	char *p = strchr(s, 'b');
	size_t offset = p ? (size_t)(p - s) : 99, n = strlen(s), expected = REAL(strlen)(s);
	char *q = REAL(strchr)(s, 'b'), c = p ? *p : '-', d = q ? *q : '-';
	size_t place = q ? (size_t)(q - s) : 99;
	SAME(&place, &offset, sizeof offset);
	SAME(&d, &c, 1);
	SAME(&expected, &n, sizeof n);
	if (n)
		s[n - 1] = 'e';
	if (p)
		p[0] = 'f', p[1] = 0;
	volatile size_t left = strlen(s);
	if (p && left != (size_t)(p - s) + 1)
		differs("length", call_number);
}

// A chain that is cut, and text that is too long for one.
static void test_long(void)
{
	static char x[9000];
	if (call_number >= 10)
		return;
	for (size_t i = 0; i < sizeof x; i++)
		x[i] = (char)pool['a'];
	x[below(sizeof x)] = (char)pool['b'];
	x[below(2) ? below(sizeof x) : below(3000)] = (char)pool['c'];
	x[sizeof x - 1] = 0;
	COMPARE(char *, strchr, x, 'c');
	COMPARE(char *, strrchr, x, 'c');
	COMPARE(char *, strstr, x, "ca");
	COMPARE(void *, memchr, x, 'b', sizeof x);
	COMPARE(size_t, strlen, x);
	COMPARE(size_t, strcspn, x, "bc");
}

int main(int argc, char **argv)
{
	start(argc, argv);
	TEST(strchr);
	TEST(strrchr);
	TEST(strchrnul);
	TEST(index);
	TEST(rindex);
	TEST(memchr);
	TEST(memchr_more);
	TEST(memrchr);
	TEST(rawmemchr);
	TEST(strlen);
	TEST(strnlen);
	TEST(strstr);
	TEST(strcasestr);
	TEST(memmem);
	TEST(strspn);
	TEST(strcspn);
	TEST(strpbrk);
	TEST(use);
	TEST(long);
	return report();
}
