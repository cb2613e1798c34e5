#define _GNU_SOURCE
#include "models.h"

char *__xpg_basename(char *path);
char *dirname(char *path);

static char from[40], real[120], mine[120]; // what is written to: by the real function, by the model

static void fill(void)
{
	text(from, sizeof from, below(2) ? "ab" : "");
	bytes(real, sizeof real, "xyz");
	text(real, sizeof from, "xyz");
	memcpy(mine, real, sizeof mine);
}

#include "written.h"

#define TEST_TWO(name)                                                                                                 \
	static void test_##name(void)                                                                                  \
	{                                                                                                              \
		fill();                                                                                                \
		char *expected = REAL(name)(real, from);                                                               \
		PLACES(expected, name(mine, from));                                                                    \
	}

TEST_TWO(strcpy)
TEST_TWO(stpcpy)
TEST_TWO(strcat)

#define TEST_THREE(name)                                                                                               \
	static void test_##name(void)                                                                                  \
	{                                                                                                              \
		fill();                                                                                                \
		size_t n = number(60);                                                                                 \
		char *expected = REAL(name)(real, from, n);                                                            \
		PLACES(expected, name(mine, from, n));                                                                 \
	}

TEST_THREE(strncpy)
TEST_THREE(stpncpy)
TEST_THREE(strncat)

char *__strcpy_chk(char *, const char *, size_t);
char *__stpcpy_chk(char *, const char *, size_t);
char *__strcat_chk(char *, const char *, size_t);
char *__strncpy_chk(char *, const char *, size_t, size_t);
char *__stpncpy_chk(char *, const char *, size_t, size_t);
char *__strncat_chk(char *, const char *, size_t, size_t);

// The last argument is how much room there is.
#define CHECKED(name, ...)                                                                                             \
	do {                                                                                                           \
		fill();                                                                                                \
		char *expected_ = REAL(name)(real, __VA_ARGS__);                                                       \
		PLACES(expected_, name(mine, __VA_ARGS__));                                                            \
	} while (0)

static void test_checked(void)
{
	size_t n = number(60);
	CHECKED(__strcpy_chk, from, 120);
	CHECKED(__stpcpy_chk, from, 120);
	CHECKED(__strcat_chk, from, 120);
	CHECKED(__strncpy_chk, from, n, 120);
	CHECKED(__stpncpy_chk, from, n, 120);
	CHECKED(__strncat_chk, from, n, 120);
}

size_t strlcpy(char *, const char *, size_t) __attribute__((weak));
size_t strlcat(char *, const char *, size_t) __attribute__((weak));

// Not in every libc: compared with what they are said to do.
static size_t own_strlcpy(char *to, const char *s, size_t size)
{
	size_t n = LIBC(strlen)(s);
	if (size) {
		size_t part = n < size ? n : size - 1;
		LIBC(memcpy)(to, s, part);
		LIBC(memset)(to + part, 0, 1);
	}
	return n;
}

static size_t own_strlcat(char *to, const char *s, size_t size)
{
	size_t had = LIBC(strnlen)(to, size);
	return had + own_strlcpy(to + had, s, size - had);
}

static void test_strlcpy(void)
{
	fill();
	size_t size = number(60), expected = (REAL(strlcpy) ?: own_strlcpy)(real, from, size),
	       got = strlcpy(mine, from, size);
	SAME(&expected, &got, sizeof got);
	same();
}

static void test_strlcat(void)
{
	fill();
	size_t size = number(80), expected = (REAL(strlcat) ?: own_strlcat)(real, from, size),
	       got = strlcat(mine, from, size);
	SAME(&expected, &got, sizeof got);
	same();
}

static void read_through(char *p)
{
	for (; *p; p++) {
		volatile char c = *p;
		(void)c;
	}
}

static void test_strdup(void)
{
	fill();
	char *expected = REAL(strdup)(from), *got = strdup(from);
	SAME(expected, got, LIBC(strlen)(from) + 1);
	read_through(got);
	free(expected);
	free(got);
}

static void test_strndup(void)
{
	fill();
	size_t n = number(60);
	char *expected = REAL(strndup)(from, n), *got = strndup(from, n);
	SAME(expected, got, LIBC(strlen)(expected) + 1);
	read_through(got);
	free(expected);
	free(got);
}

static void test_strxfrm(void)
{
	fill();
	size_t n = number(60), expected = REAL(strxfrm)(real, from, n), got = strxfrm(mine, from, n);
	SAME(&expected, &got, sizeof got);
	same();
}

// --- parts ---------------------------------------------------------------------------------------

static void line(const char *alphabet)
{
	bytes(real, sizeof real, "xyz");
	text(real, 50, alphabet);
	memcpy(mine, real, sizeof mine);
}

static void test_strtok(void)
{
	line("ab, ,");
	text(from, 4, ", ;");
	char *x = real, *y = mine;
	for (int i = 0; i < 60 && (x || y); i++) {
		x = REAL(strtok)(i ? NULL : x, from);
		y = strtok(i ? NULL : y, from);
		PLACES(x, y);
	}
}

static void test_strtok_r(void)
{
	line("ab, ,");
	text(from, 4, ", ;");
	char *x = real, *y = mine, *p = NULL, *q = NULL;
	for (int i = 0; i < 60 && (x || y); i++) {
		x = REAL(strtok_r)(i ? NULL : x, from, &p);
		y = strtok_r(i ? NULL : y, from, &q);
		PLACES(x, y);
		long a = offset(p, real), b = offset(q, mine);
		SAME(&a, &b, sizeof b);
	}
}

static void test_strsep(void)
{
	line("ab, ,");
	text(from, 4, ", ;");
	char *x = real, *y = mine;
	while (x || y) {
		char *a = REAL(strsep)(&x, from), *b = strsep(&y, from);
		PLACES(a, b);
		long p = offset(x, real), q = offset(y, mine);
		SAME(&p, &q, sizeof q);
	}
}

static void path(void)
{
	line(below(2) ? "aa/" : "a//");
	if (below(3) == 0)
		real[below(5)] = mine[0] = 0;
	memcpy(mine, real, sizeof mine);
}

static void test_basename(void)
{
	path();
	char *expected = REAL(basename)(real), *got = basename(mine);
	PLACES(expected, got);
}

// "." is libc's own.
#define IN(p, start) ((p) >= (start) && (p) < (start) + sizeof(start) ? (p) - (start) : (long)(p))

static void test_xpg_basename(void)
{
	path();
	char *expected = REAL(__xpg_basename)(real), *got = __xpg_basename(mine);
	long x = IN(expected, real), y = IN(got, mine);
	SAME(&x, &y, sizeof y);
	same();
}

static void test_dirname(void)
{
	path();
	char *expected = REAL(dirname)(real), *got = dirname(mine);
	long x = IN(expected, real), y = IN(got, mine);
	SAME(&x, &y, sizeof y);
	same();
}

int main(int argc, char **argv)
{
	start(argc, argv);
	TEST(strcpy);
	TEST(stpcpy);
	TEST(strncpy);
	TEST(stpncpy);
	TEST(strcat);
	TEST(strncat);
	TEST(checked);
	TEST(strlcpy);
	TEST(strlcat);
	TEST(strdup);
	TEST(strndup);
	TEST(strxfrm);
	TEST(strtok);
	TEST(strtok_r);
	TEST(strsep);
	TEST(basename);
	TEST(xpg_basename);
	TEST(dirname);
	return report();
}
