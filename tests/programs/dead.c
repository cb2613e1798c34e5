// Bugs whose result nobody uses: an optimiser that runs before they are checked removes them. Each case goes well for
// "abc" and a small number, and fails for a longer text or a larger number:
//
//   dead CASE TEXT NUMBER
//
// CASE(name, kind, statements): kind is what `clang -O0 -fsanitize=address` calls it (which drops `pure` and
// `constant`, since their attributes permit it). In the statements `text` and `number` are the arguments; four bytes
// are always too few for the failing ones.
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
	long first, second;
};
struct bits {
	unsigned low : 3, middle : 20, high : 9;
};
static int table[4];
static char words[4];

__attribute__((pure, noinline)) static int peek(const char *p, int i)
{
	return p[i];
}

__attribute__((const, noinline)) static int look_up(int i)
{
	int *p = table;
	return p[i];
}

static inline int sum(const int *p, int n)
{
	int all = 0;
	for (int i = 0; i < n; i++)
		all += p[i];
	return all;
}

// As many bytes as the text has, without its end.
static char *unterminated(const char *text)
{
	size_t n = strlen(text);
	char *p = malloc(n + (n < 4));
	memcpy(p, text, n + (n < 4));
	return p;
}

struct dead {
	const char *name, *kind;
	void (*run)(const char *, int);
};

// Each in a line of its own: findings in one line are one.
#define CASE(name, kind, ...)                                                                                          \
	static void case_##name(const char *text, int number)                                                          \
	{                                                                                                              \
		(void)text;                                                                                            \
		(void)number;                                                                                          \
		__VA_ARGS__                                                                                            \
	}                                                                                                              \
	__attribute__((section("dead"), used)) static const struct dead dead_##name = {#name, kind, case_##name};
// clang-format off
CASE(strcpy, "heap-buffer-overflow", char *p = malloc(4); strcpy(p, text); free(p);)
CASE(strcat, "heap-buffer-overflow", char *p = calloc(4, 1); strcat(p, text); free(p);)
CASE(strncpy, "heap-buffer-overflow", char *p = malloc(4); strncpy(p, text, (size_t)number); free(p);)
CASE(sprintf, "heap-buffer-overflow", char *p = malloc(4); sprintf(p, "%s", text); free(p);)
CASE(snprintf, "heap-buffer-overflow", char *p = malloc(4); snprintf(p, (size_t)number, "%s", text); free(p);)
CASE(memcpy_heap, "heap-buffer-overflow", char *p = malloc(4); memcpy(p, text, strlen(text) + 1); free(p);)
CASE(memmove_heap, "heap-buffer-overflow", char *p = malloc(4); memmove(p, text, strlen(text) + 1); free(p);)
CASE(memset_heap, "heap-buffer-overflow", char *p = malloc(4); memset(p, 0, (size_t)number); free(p);)
CASE(memcpy_local, "stack-buffer-overflow", char b[4]; memcpy(b, text, strlen(text) + 1);)
CASE(memset_local, "stack-buffer-overflow", char b[4]; memset(b, 0, (size_t)number);)
CASE(strlen, "heap-buffer-overflow", char *p = unterminated(text); size_t n = strlen(p); (void)n; free(p);)
CASE(strcmp, "heap-buffer-overflow", char *p = unterminated(text); int r = strcmp(p, text); (void)r; free(p);)
CASE(memcmp, "heap-buffer-overflow", char *p = calloc(1, 4); char *q = calloc(1, 16);
     int r = memcmp(p, q, (size_t)number); (void)r; free(p); free(q);)
CASE(memchr, "heap-buffer-overflow", char *p = calloc(1, 4); void *r = memchr(p, 1, (size_t)number); (void)r;
     free(p);)
CASE(strchr, "heap-buffer-overflow", char *p = unterminated(text); char *r = strchr(p, '!'); (void)r;
     free(p);)
CASE(strdup, "heap-buffer-overflow", char *p = unterminated(text); char *q = strdup(p); (void)q; free(p);)
CASE(load_heap, "heap-buffer-overflow", char *p = calloc(1, 4); int x = p[number]; (void)x; free(p);)
CASE(load_statement, "heap-buffer-overflow", char *p = calloc(1, 4); p[number]; free(p);)
CASE(load_compared, "heap-buffer-overflow", char *p = calloc(1, 4); if (p[number] > 'a') {} free(p);)
CASE(load_computed, "heap-buffer-overflow", char *p = calloc(1, 4); int x = 3 * p[number] + 1; (void)x;
     free(p);)
CASE(store_heap, "heap-buffer-overflow", char *p = malloc(4); p[number] = 1; free(p);)
CASE(store_calloc, "heap-buffer-overflow", int *p = calloc(4, sizeof *p); p[number] = 1; free(p);)
CASE(store_realloc, "heap-buffer-overflow", char *p = malloc(16); p = realloc(p, 4); p[number] = 1; free(p);)
CASE(store_loop, "heap-buffer-overflow", char *p = malloc(4); for (int i = 0; i <= number; i++) p[i] = 0;
     free(p);)
CASE(store_local, "stack-buffer-overflow", char b[4]; char *p = b; p[number] = 1;)
CASE(load_local, "stack-buffer-overflow", char b[4] = {0}; char *p = b; int x = p[number]; (void)x;)
CASE(load_global, "global-buffer-overflow", int *p = table; int x = p[number]; (void)x;)
CASE(store_global, "global-buffer-overflow", char *p = words; p[number] = 1;)
CASE(store_alloca, "dynamic-stack-buffer-overflow", char *p = alloca((size_t)(number & 1) + 4);
     p[number] = 1;)
CASE(store_vla, "dynamic-stack-buffer-overflow", char b[strlen(text) < 4 ? 4 : 5]; char *p = b;
     p[number] = 1;)
CASE(copy_struct, "heap-buffer-overflow", long *q = calloc(4, sizeof *q);
     struct pair v = *(struct pair *)(q + number); (void)v; free(q);)
CASE(store_bits, "heap-buffer-overflow", struct bits *p = calloc(4, sizeof *p); p[number].middle = 5;
     free(p);)
CASE(pure, "heap-buffer-overflow", char *p = calloc(1, 4); peek(p, number); free(p);)
CASE(constant, "global-buffer-overflow", look_up(number);)
CASE(loop_of_loads, "heap-buffer-overflow", int *p = calloc(4, sizeof *p); sum(p, number); free(p);)
CASE(after_free, "heap-use-after-free", char *p = calloc(1, 4); if (number > 4) free(p); int x = p[0];
     (void)x; if (number <= 4) free(p);)
CASE(set_after_free, "heap-use-after-free", char *p = malloc(4); if (number > 4) free(p); memset(p, 0, 4);
     if (number <= 4) free(p);)
CASE(after_scope, "stack-use-after-scope", int *p = table; if (number > 4) { int inner[2] = {number}; p = inner; }
     int x = *p; (void)x;)
CASE(double_free, "attempting double-free", char *p = malloc(4); if (number > 4) free(p); free(p);)
CASE(bad_free, "attempting free on address", char *p = malloc(16); free(number > 4 ? p + 8 : p);)
CASE(null_load, "SEGV", int *p = number > 4 ? NULL : table; int x = *p; (void)x;)
CASE(wild_load, "SEGV", int *p = number > 4 ? (int *)8 : table; int x = *p; (void)x;)
CASE(division, "FPE", int x = 100 / (9 - number); (void)x;)
CASE(remainder, "FPE", unsigned x = 100u % (unsigned)(9 - number); (void)x;)
CASE(wide_division, "FPE", __int128 x = ((__int128)number << 40) / (9 - number); (void)x;)
CASE(narrow_division, "FPE", _BitInt(24) x = (_BitInt(24))100 / (_BitInt(24))(9 - number); (void)x;)
CASE(one_by, "FPE", __int128 x = (__int128)1 / (9 - number); (void)x;)
// clang-format on

int main(int argc, char **argv)
{
	extern const struct dead __start_dead[], __stop_dead[];
	for (const struct dead *d = __start_dead; d < __stop_dead; d++) {
		if (argc == 1)
			printf("%s %s\n", d->name, d->kind);
		else if (argc == 4 && strcmp(argv[1], d->name) == 0)
			d->run(argv[2], atoi(argv[3]));
	}
	return 0;
}
