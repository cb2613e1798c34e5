#define _GNU_SOURCE
#include <strings.h>
#include <unistd.h>

#include "models.h"

static char from[64], real[64], mine[64]; // what is written to: by the real function, by the model

static void fill(void)
{
	bytes(from, sizeof from, below(2) ? "ab" : "");
	bytes(real, sizeof real, "xyz");
	memcpy(mine, real, sizeof mine);
}

#include "written.h"

#define CALL(name) ((__typeof__(&name))volatile_pointer((void *)name))

static void *volatile_pointer(void *p)
{
	void *volatile x = p;
	return x;
}

#define TEST_COPY(name)                                                                                                \
	static void test_##name(void)                                                                                  \
	{                                                                                                              \
		fill();                                                                                                \
		size_t n = number(40), at = below(20);                                                                 \
		void *expected = REAL(name)(real + at, from + below(1), n);                                            \
		PLACES(expected, CALL(name)(mine + at, from, n));                                                      \
	}

TEST_COPY(memcpy)
TEST_COPY(memmove)
TEST_COPY(mempcpy)

void *__memcpy_chk(void *, const void *, size_t, size_t);
void *__memmove_chk(void *, const void *, size_t, size_t);
void *__mempcpy_chk(void *, const void *, size_t, size_t);
void *__memset_chk(void *, int, size_t, size_t);
void __explicit_bzero_chk(void *, size_t, size_t);

#define TEST_COPY_CHECKED(name)                                                                                        \
	static void test_##name(void)                                                                                  \
	{                                                                                                              \
		fill();                                                                                                \
		size_t n = number(40);                                                                                 \
		void *expected = REAL(__##name##_chk)(real, from, n, sizeof real);                                     \
		PLACES(expected, __##name##_chk(mine, from, n, sizeof mine));                                          \
	}

#define test_memcpy test_memcpy_chk
#define test_memmove test_memmove_chk
#define test_mempcpy test_mempcpy_chk
TEST_COPY_CHECKED(memcpy)
TEST_COPY_CHECKED(memmove)
TEST_COPY_CHECKED(mempcpy)
#undef test_memcpy
#undef test_memmove
#undef test_mempcpy

static void test_overlap(void)
{
	fill();
	size_t n = number(40), to = below(20), at = below(20);
	void *expected = REAL(memmove)(real + to, real + at, n);
	PLACES(expected, CALL(memmove)(mine + to, mine + at, n));
}

static void test_bcopy(void)
{
	fill();
	size_t n = number(40), at = below(20);
	REAL(bcopy)(from, real + at, n);
	CALL(bcopy)(from, mine + at, n);
	same();
}

static void test_memccpy(void)
{
	fill();
	size_t n = number(50);
	int c = byte("abc"[below(3)]) - 256 * below(2);
	void *expected = REAL(memccpy)(real, from, c, n);
	PLACES(expected, memccpy(mine, from, c, n));
}

static void test_swab(void)
{
	fill();
	ssize_t n = (ssize_t)number(40) - (below(5) ? 0 : 20);
	if (below(4)) {
		REAL(swab)(from, real, n);
		swab(from, mine, n);
	} else {
		REAL(swab)(real, real, n);
		swab(mine, mine, n);
	}
	same();
}

static void test_memset(void)
{
	fill();
	size_t n = number(40), at = below(20);
	int c = below(3) ? byte((unsigned char)below(256)) : (int)number(UINT32_MAX);
	void *expected = REAL(memset)(real + at, c, n);
	PLACES(expected, CALL(memset)(mine + at, c, n));
	expected = REAL(__memset_chk)(real, c, n, sizeof real);
	PLACES(expected, __memset_chk(mine, c, n, sizeof mine));
}

static void test_bzero(void)
{
	fill();
	size_t n = number(40), at = below(20);
	REAL(bzero)(real + at, n);
	CALL(bzero)(mine + at, n);
	same();
}

static void test_explicit_bzero(void)
{
	fill();
	size_t n = number(40), at = below(20);
	REAL(explicit_bzero)(real + at, n);
	explicit_bzero(mine + at, n);
	same();
	REAL(__explicit_bzero_chk)(real, n, sizeof real);
	__explicit_bzero_chk(mine, n, sizeof mine);
	same();
}

int main(int argc, char **argv)
{
	start(argc, argv);
	TEST(memcpy);
	TEST(memmove);
	TEST(mempcpy);
	TEST(memcpy_chk);
	TEST(memmove_chk);
	TEST(mempcpy_chk);
	TEST(overlap);
	TEST(bcopy);
	TEST(memccpy);
	TEST(swab);
	TEST(memset);
	TEST(bzero);
	TEST(explicit_bzero);
	return report();
}
