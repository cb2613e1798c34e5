#define _GNU_SOURCE
#include "models.h"

#include <search.h>

// Comparisons are recorded: they must come in the same order, with the same arguments.
static struct {
	unsigned long n;
	uint64_t hash;
	const char *base;
} seen;

static void note(const void *a, const void *b)
{
	uint64_t x = (uint64_t)((const char *)a - seen.base), y = (uint64_t)((const char *)b - seen.base);
	seen.n++;
	seen.hash = (seen.hash * 31 + x) * 31 + y;
}

// By the first byte only, so there are equal elements.
static int by_byte(const void *a, const void *b)
{
	note(a, b);
	return *(const unsigned char *)a - *(const unsigned char *)b;
}

static int by_byte_with(const void *a, const void *b, void *factor)
{
	return *(int *)factor * by_byte(a, b);
}

static int by_pointed(const void *a, const void *b)
{
	note(a, b);
	return **(unsigned char *const *)a - **(unsigned char *const *)b;
}

#define SORTED(expected, got, size, call_real, call_model)                                                             \
	do {                                                                                                           \
		__typeof__(seen) real_seen;                                                                            \
		seen = (__typeof__(seen)){.base = (char *)(expected)};                                                 \
		call_real;                                                                                             \
		real_seen = seen;                                                                                      \
		seen = (__typeof__(seen)){.base = (char *)(got)};                                                      \
		call_model;                                                                                            \
		SAME(expected, got, size);                                                                             \
		SAME(&real_seen.n, &seen.n, sizeof seen.n);                                                            \
		SAME(&real_seen.hash, &seen.hash, sizeof seen.hash);                                                   \
	} while (0)

// Elements of every size on either side of the limits.
static size_t an_element(void)
{
	static const unsigned char sizes[] = {1, 2, 3, 4, 8, 12, 16, 24, 31, 32, 33, 40, 48, 100};
	return sizes[below(sizeof sizes)];
}

static unsigned char elements[2][1200] __attribute__((aligned(16)));

static size_t some_elements(size_t size)
{
	size_t n = below(3) ? below(8)
	                    : below((unsigned)(sizeof elements[0] / size < 12 ? sizeof elements[0] / size : 12));
	bytes(elements[0], n * size, below(2) ? "abc" : "");
	memcpy(elements[1], elements[0], n * size);
	if (veer_make_concrete) // libc's moves leave labels where they were
		veer_make_concrete(elements[0], sizeof elements[0]);
	return n;
}

static void test_qsort(void)
{
	size_t size = an_element(), n = some_elements(size);
	SORTED(elements[0], elements[1], n * size, REAL(qsort)(elements[0], n, size, by_byte),
	       qsort(elements[1], n, size, by_byte));
}

static void test_qsort_r(void)
{
	size_t size = an_element(), n = some_elements(size);
	int factor = below(2) ? 1 : -1;
	SORTED(elements[0], elements[1], n * size, REAL(qsort_r)(elements[0], n, size, by_byte_with, &factor),
	       qsort_r(elements[1], n, size, by_byte_with, &factor));
}

// The array has no labels, what it points to has.
static void test_qsort_pointers(void)
{
	unsigned char *a[12], *b[12];
	size_t n = below(12);
	bytes(elements[0], n, "abcd");
	for (size_t i = 0; i < n; i++)
		a[i] = b[i] = &elements[0][i];
	SORTED(a, b, n * sizeof *a, REAL(qsort)(a, n, sizeof *a, by_pointed), qsort(b, n, sizeof *b, by_pointed));
	labelled += veer_is_symbolic && n && veer_is_symbolic(elements[0], n);
}

static int plain_order(const void *a, const void *b)
{
	return *(const unsigned char *)a - *(const unsigned char *)b;
}

static void test_bsearch(void)
{
	size_t size = an_element(), n = some_elements(size);
	unsigned char key = byte((unsigned char)"abcx"[below(4)]);
	REAL(qsort)(elements[0], n, size, plain_order);
	seen.base = (char *)elements[0];
	COMPARE(void *, bsearch, &key, elements[0], n, size, by_byte);
	labelled += veer_is_symbolic && veer_is_symbolic(&key, 1);
}

static void test_lfind(void)
{
	size_t size = an_element(), n = some_elements(size);
	unsigned char key = byte((unsigned char)"abcx"[below(4)]);
	COMPARE(void *, lfind, &key, elements[1], &n, size, plain_order);
	labelled += veer_is_symbolic && veer_is_symbolic(elements[1], n * size);
}

static void test_lsearch(void)
{
	size_t size = 1 + below(8), n = some_elements(size), m = n;
	unsigned char key[8];
	bytes(key, sizeof key, "abcx");
	seen.base = (char *)elements[0];
	void *expected = REAL(lsearch)(key, elements[0], &n, size, plain_order);
	void *got = lsearch(key, elements[1], &m, size, plain_order);
	ptrdiff_t x = (unsigned char *)expected - elements[0], y = (unsigned char *)got - elements[1];
	SAME(&x, &y, sizeof x);
	SAME(&n, &m, sizeof n);
	SAME(elements[0], elements[1], n * size);
}

// Nodes of a tree begin with a pointer to the element.
static void same_nodes(void *const *expected, void *const *got)
{
	void *none = NULL;
	SAME(expected ? *expected : &none, got ? *got : &none, 1);
	bool a = expected, b = got;
	SAME(&a, &b, 1);
}

static void test_tree(void)
{
	void *real = NULL, *tree = NULL;
	unsigned char key = byte((unsigned char)"abcdx"[below(5)]);
	size_t n = 1 + below(8);
	bytes(elements[0], n, "abcdef");
	for (size_t i = 0; i < n; i++)
		same_nodes(REAL(tsearch)(&elements[0][i], &real, plain_order),
		           tsearch(&elements[0][i], &tree, plain_order));
	same_nodes(REAL(tfind)(&key, &real, plain_order), tfind(&key, &tree, plain_order));
	bool a = REAL(tdelete)(&key, &real, plain_order), b = tdelete(&key, &tree, plain_order);
	SAME(&a, &b, 1);
	for (size_t i = 0; i < n; i++) {
		same_nodes(REAL(tfind)(&elements[0][i], &real, plain_order),
		           tfind(&elements[0][i], &tree, plain_order));
		REAL(tdelete)(&elements[0][i], &real, plain_order);
		tdelete(&elements[0][i], &tree, plain_order);
	}
}

int main(int argc, char **argv)
{
	start(argc, argv);
	TEST(qsort);
	TEST(qsort_r);
	TEST(qsort_pointers);
	TEST(bsearch);
	TEST(lfind);
	TEST(lsearch);
	TEST(tree);
	return report();
}
