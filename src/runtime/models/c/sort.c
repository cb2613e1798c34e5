// Sorting and searching with the program's own comparison function, which is instrumented:
// what it finds is a branch of the path here. Comparisons come in the order of glibc's
// merge sort, which the program can see.
#include <search.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/models/c/number.h"

typedef int (*compare)(const void *, const void *);
typedef int (*compare_with)(const void *, const void *, void *);

// --- when no element has labels of its own, libc sorts ------------------------------------

struct order {
	compare_with compare;
	void *argument;
};

// The elements may point to what has labels. Sorting asks for "greater" only; quicksort,
// for arrays that take a quarter of the memory, for "less" as well.
static int branch_greater(const void *a, const void *b, void *order)
{
	const struct order *o = order;
	if (o->compare(a, b, o->argument) > 0)
		return 1;
	return -1;
}

static int branch_both(const void *a, const void *b, void *order)
{
	const struct order *o = order;
	int r = o->compare(a, b, o->argument);
	if (r > 0)
		return 1;
	if (r < 0)
		return -1;
	return 0;
}

// --- merge sort ------------------------------------------------------------------------------

struct merge {
	struct order order;
	size_t size;   // of what is moved
	bool indirect; // pointers to the elements are
	char *spare;
};

static bool is_greater(const struct merge *m, const char *a, const char *b)
{
	const void *x = a, *y = b;
	if (m->indirect) {
		x = *(void *const *)a;
		y = *(void *const *)b;
	}
	return m->order.compare(x, y, m->order.argument) > 0;
}

static void merge_sort(const struct merge *m, char *base, size_t n)
{
	if (n <= 1)
		return;
	size_t left = n / 2, right = n - left;
	char *a = base, *b = base + left * m->size, *to = m->spare;
	merge_sort(m, a, left);
	merge_sort(m, b, right);
	while (left && right) {
		char **from = &b;
		if (is_greater(m, a, b)) {
			right--;
		} else {
			from = &a;
			left--;
		}
		__builtin_memcpy(to, *from, m->size);
		*from += m->size;
		to += m->size;
	}
	if (left)
		__builtin_memcpy(to, a, left * m->size);
	__builtin_memcpy(base, m->spare, (n - right) * m->size);
}

// Elements of more than 32 bytes stay where they are until it is known where they belong.
static void sort_pointers(struct merge *m, char *base, size_t n, size_t size)
{
	char **sorted = (char **)m->spare + n, *copy = (char *)(sorted + n);
	for (size_t i = 0; i < n; i++)
		sorted[i] = base + i * size;
	m->size = sizeof(char *);
	m->indirect = true;
	merge_sort(m, (char *)sorted, n);
	for (size_t i = 0; i < n; i++)
		__builtin_memcpy(copy + i * size, sorted[i], size);
	__builtin_memcpy(base, copy, n * size);
}

enum { ON_STACK = 1024, INDIRECT = 32 };

// libc sorts what takes more than a quarter of the memory in place.
static bool is_huge(size_t bytes)
{
	long pages = sysconf(_SC_PHYS_PAGES);
	return pages != -1 && bytes / (size_t)sysconf(_SC_PAGESIZE) > (size_t)pages / 4;
}

static void sort_in_place(void *base, size_t n, size_t size, struct order *order)
{
	for (size_t i = 0; i < n * size; i++)
		model_concretise(((unsigned char *)base)[i]);
	veer_make_concrete(base, n * size);
	qsort_r(base, n, size, branch_both, order);
}

static void sort(void *base, size_t n, size_t size, compare_with compare, void *argument)
{
	struct order order = {compare, argument};
	char stack[ON_STACK], *block = NULL;
	veer_model_check_room(base, n * size);
	n = model_concretise(n);
	size = model_concretise(size);
	size_t libc_room = size > INDIRECT ? 2 * n * sizeof(char *) + size : n * size;
	size_t room = size > INDIRECT ? 2 * n * sizeof(char *) + n * size : n * size;
	if (libc_room >= ON_STACK && is_huge(libc_room))
		return sort_in_place(base, n, size, &order);
	if (!veer_is_symbolic(base, n * size))
		return qsort_r(base, n, size, branch_greater, &order);
	if (room > ON_STACK && !(block = malloc(room)))
		return sort_in_place(base, n, size, &order);
	struct merge m = {order, size, false, block ? block : stack};
	if (size > INDIRECT)
		sort_pointers(&m, base, n, size);
	else
		merge_sort(&m, base, n);
	free(block);
}

MODEL(void, qsort, void *base, size_t n, size_t size, compare compare)
{
	sort(base, n, size, (compare_with)(void (*)(void))compare, NULL);
}

MODEL(void, qsort_r, void *base, size_t n, size_t size, compare_with compare, void *argument)
{
	sort(base, n, size, compare, argument);
}

// --- searching in an array ----------------------------------------------------------------------

MODEL(void *, bsearch, const void *key, const void *base, size_t n, size_t size, compare compare)
{
	veer_model_check_room(base, n * size);
	size_t low = 0, high = model_concretise(n);
	size = model_concretise(size);
	while (low < high) {
		size_t middle = (low + high) / 2;
		const char *at = (const char *)base + middle * size;
		int r = compare(key, at);
		if (r < 0)
			high = middle;
		else if (r > 0)
			low = middle + 1;
		else
			return (void *)at;
	}
	return NULL;
}

MODEL(void *, lfind, const void *key, const void *base, size_t *n, size_t size, compare compare)
{
	veer_model_check_room(base, *n * size);
	size_t count = model_concretise(*n);
	const char *at = base;
	size = model_concretise(size);
	for (size_t i = 0; i < count; i++, at += size)
		if (compare(key, at) == 0)
			return (void *)at;
	return NULL;
}

MODEL(void *, lsearch, const void *key, void *base, size_t *n, size_t size, compare compare)
{
	void *found = veer_model_lfind(key, base, n, size, compare);
	if (found)
		return found;
	veer_model_check_room(base, *n * size + size);
	size = model_concretise(size);
	char *end = (char *)base + model_concretise(*n) * size;
	__builtin_memcpy(end, key, size);
	++*n;
	return end;
}

// --- search trees ---------------------------------------------------------------------------------

static __thread compare of_tree __attribute__((tls_model("initial-exec")));

// libc's tree holds pointers; only what the comparison finds is of interest. A comparison
// function may use a tree itself.
static int branch_in_tree(const void *a, const void *b)
{
	compare outer = of_tree;
	int r = of_tree(a, b);
	of_tree = outer;
	if (r > 0)
		return 1;
	if (r < 0)
		return -1;
	return 0;
}

MODEL(void *, tsearch, const void *key, void **root, compare compare)
{
	of_tree = compare;
	return tsearch(key, root, branch_in_tree);
}

MODEL(void *, tfind, const void *key, void *const *root, compare compare)
{
	of_tree = compare;
	return tfind(key, root, branch_in_tree);
}

MODEL(void *, tdelete, const void *restrict key, void **restrict root, compare compare)
{
	of_tree = compare;
	return tdelete(key, root, branch_in_tree);
}
