// One function per kind of C that labels must pass through. Each takes symbolic
// input and must end in at least one branch on it; `tests/e2e/trace.sh` counts
// them, with every node checked against the real value.
#include <complex.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "veer.h"

static int hits;
// A branch on symbolic data: `name` is found in the path by its line.
#define BRANCH(condition)                                                                                              \
	do {                                                                                                           \
		if (condition)                                                                                         \
			hits++;                                                                                        \
	} while (0)

static int32_t a = 7, b = -3;
static uint64_t wide = 0x123456789abcdef0;
static unsigned char bytes[16] = "symbolic bytes!";
static float f = 2.5f;
static double d = -0.75;
static long double ld = 3.25L;

__attribute__((noinline)) static void integers(void)
{
	BRANCH(a + b == 4);
	BRANCH((int8_t)a * (int8_t)b < 0);
	BRANCH((uint16_t)(a - b) > 9);
	BRANCH((wide >> (a & 63)) % 10 == 3);
	BRANCH((int64_t)wide / (b - 1) < 0);
	BRANCH((a ^ b) & ~(a | 1));
	BRANCH((unsigned)a << 3 >= (unsigned)b);
	BRANCH(a > b ? b > -9 : a < 9);
	BRANCH((_Bool)a);
	BRANCH(!(a == 7 && b == -3));
}

__attribute__((noinline)) static void wide_integers(void)
{
	unsigned __int128 x = (unsigned __int128)wide * wide + (unsigned)a;
	BRANCH(x >> 100 > 3);
	BRANCH((__int128)x / 1000 > b);
	BRANCH((uint64_t)(x >> 64) != 0);
	_BitInt(37) odd = (_BitInt(37))wide;
	BRANCH(odd > 5);
}

__attribute__((noinline)) static void floats(void)
{
	BRANCH(f * 2 > 4);
	BRANCH(d / 3 + 1 < 1);
	BRANCH(ld - 3 == 0.25L);
	BRANCH((int)d == 0);
	BRANCH((double)a > d);
	BRANCH((float)d != f);
	BRANCH(-d >= 0.5);
	BRANCH(!(f <= d));
	BRANCH(__builtin_fabs(d) < 1);
	BRANCH(__builtin_isnan(d));
	BRANCH((unsigned long)ld == 3);
	// Undefined, but what the processor does must be followed.
	double huge = d * 1e30, odd = huge * 0.0 / (d + 0.75);
	BRANCH((int)huge < 0);
	BRANCH((short)huge == 0);
	BRANCH((unsigned char)(huge / 1e27) == 1);
	BRANCH((unsigned)huge == 0);
	BRANCH((unsigned long)-huge > 1);
	BRANCH((long)(ld * 1e30L) < 0);
	BRANCH((short)(ld * 1e9L) < 0);
	BRANCH((int)odd < 0);
}

__attribute__((noinline)) static void builtins(void)
{
	unsigned u = (unsigned)a, v = (unsigned)b;
	unsigned long w = (unsigned long)wide;
	BRANCH(__builtin_bswap16((unsigned short)u) == 0x700);
	BRANCH(__builtin_bswap32(u) == 0x7000000);
	BRANCH(__builtin_bswap64(w) > 5);
	BRANCH(__builtin_bitreverse8((unsigned char)u) == 0xe0);
	BRANCH(__builtin_bitreverse32(v) & 1);
	BRANCH(__builtin_rotateleft32(u, v) == 0xe0000000);
	BRANCH(__builtin_rotateright64(w, u) != w);
	BRANCH(__builtin_elementwise_add_sat(u, v) == ~0u);
	BRANCH(__builtin_elementwise_sub_sat(u, v) == 0);
	BRANCH(__builtin_elementwise_add_sat(a + 0x7ffffff8, a) == 0x7fffffff);
	BRANCH(__builtin_elementwise_sub_sat(b - 0x7ffffff8, a) == -0x7fffffff - 1);
	BRANCH(__builtin_elementwise_sub_sat((signed char)a, (signed char)b) == 10);
	BRANCH(abs(b) == 3);
	BRANCH(labs((long)a) == 7);
	BRANCH(__builtin_islessgreater(d, (double)f));
	BRANCH(!__builtin_islessgreater(d, (double)ld));
	BRANCH(__builtin_elementwise_min(a, b) == b);
	BRANCH(__builtin_elementwise_max(u, v) == v);
}

struct small {
	int x;
	short y;
	char z;
};
struct large {
	int v[12];
};
union both {
	float as_float;
	uint32_t as_int;
};
struct bits {
	unsigned lo : 5;
	signed mid : 7;
	unsigned hi : 20;
};

__attribute__((noinline)) static struct small make_small(int x, struct small s)
{
	s.x += x;
	s.y = (short)x;
	return s;
}
__attribute__((noinline)) static struct large make_large(struct large l, int x)
{
	l.v[3] += x;
	l.v[11] = x;
	return l;
}
__attribute__((noinline)) static double complex twist(double complex z)
{
	return z * 2.0;
}

__attribute__((noinline)) static void structures(void)
{
	struct small s = make_small(a, (struct small){b, 2, 3});
	BRANCH(s.x == 4);
	BRANCH(s.y == 7);
	struct large l = {{0}};
	l.v[3] = a;
	struct large m = make_large(l, b);
	BRANCH(m.v[3] == 4);
	BRANCH(m.v[11] < 0);
	union both u = {.as_float = f};
	BRANCH(u.as_int >> 30 == 1);
	struct bits bf = {(unsigned)a, b, (unsigned)wide};
	BRANCH(bf.lo == 7);
	BRANCH(bf.mid < 0);
	BRANCH(bf.hi != 0);
	BRANCH(creal(twist(d + 1.0 * I)) < 0);
	struct small copy;
	memcpy(&copy, &s, sizeof copy);
	BRANCH(copy.x + copy.y > 10);
}

__attribute__((noinline)) static long sum(int n, ...)
{
	va_list ap, again;
	long total = 0;
	va_start(ap, n);
	va_copy(again, ap);
	for (int i = 0; i < n; i++)
		total += va_arg(ap, int);
	total += (long)va_arg(ap, double);
	total += va_arg(ap, struct large).v[3];
	total += (long)va_arg(ap, long double);
	va_end(ap);
	total += va_arg(again, int);
	va_end(again);
	return total;
}

__attribute__((noinline)) static void variadic(void)
{
	struct large l = {{0}};
	l.v[3] = a;
	BRANCH(sum(9, a, 1, 2, 3, 4, 5, b, 7, 8, d, l, ld) == 44);
	BRANCH(sum(1, b, 2.0, l, 1.0L) == 4);
}

__attribute__((noinline)) static void memory(void)
{
	unsigned char copy[16];
	memcpy(copy, bytes, 16);
	memmove(copy + 1, copy, 8);
	BRANCH(copy[3] == 'm');
	uint32_t word;
	memcpy(&word, copy + 5, 4);
	BRANCH(word % 3 == 1);
	uint16_t half[2];
	memcpy(half, &word, 4);
	BRANCH(half[1] > half[0]);
	memset(copy, bytes[0], 4);
	BRANCH(copy[2] == 's');
	int vla[(bytes[1] & 7) + 4];
	vla[2] = a;
	BRANCH(vla[2] == 7);
	static const short table[8] = {1, 2, 4, 8, 16, 32, 64, 128};
	BRANCH(table[bytes[2] & 7] > 9);
	int local[4] = {a, b, 3, 4};
	BRANCH(local[bytes[3] & 3] > 2);
	local[bytes[4] & 3] = 9;
	BRANCH(local[0] + local[1] > 0);
}

static _Atomic int shared;

__attribute__((noinline)) static void atomics(void)
{
	atomic_store(&shared, a);
	atomic_fetch_add(&shared, b);
	BRANCH(atomic_load(&shared) == 4);
	BRANCH(atomic_fetch_xor(&shared, 1) == 4);
	int expected = 5;
	BRANCH(atomic_compare_exchange_strong(&shared, &expected, b));
	BRANCH(atomic_exchange(&shared, 0) < 0);
}

typedef int int4 __attribute__((vector_size(16)));

__attribute__((noinline)) static void vectors(void)
{
	int4 x = {a, b, 1, 2}, y = {1, 1, 1, 1};
	int4 z = x + y;
	BRANCH(z[0] == 8);
	BRANCH(z[1] == -2);
}

static int twice(int x)
{
	return 2 * x;
}
static int thrice(int x)
{
	return 3 * x;
}
static int compare(const void *x, const void *y)
{
	BRANCH(*(const int *)x > 5);
	return *(const int *)x - *(const int *)y;
}

__attribute__((noinline)) static void calls(void)
{
	int (*volatile f1)(int) = a > 0 ? twice : thrice;
	BRANCH(f1(a) == 14);
	int (*choose[2])(int) = {twice, thrice};
	BRANCH(choose[bytes[0] & 1](b) < 0);
	// libc calls back: the labels that bsearch was passed are not for the comparison.
	const int list[4] = {-40, -3, 7, 12};
	hits += bsearch(&a, list, (size_t)(a - 3), sizeof *list, compare) != NULL;
}

__attribute__((noinline)) static int overflow(void)
{
	int r;
	BRANCH(__builtin_add_overflow(a, 0x7ffffffe, &r));
	BRANCH(r < 0);
	BRANCH(__builtin_mul_overflow((unsigned)a, 3u, (unsigned *)&r));
	BRANCH(__builtin_sub_overflow(b, INT32_MAX, &r));
	BRANCH(__builtin_popcount((unsigned)a) == 3);
	BRANCH(__builtin_clz((unsigned)a) == 29);
	BRANCH(__builtin_ctzll(wide) == 4);
	return r;
}

__attribute__((noinline)) static void jumps(void)
{
	static jmp_buf env;
	volatile int tries = 0;
	if (setjmp(env) == 0) {
		tries++;
		BRANCH(a == 7);
		longjmp(env, 1);
	}
	BRANCH(b + tries == -2);
	static void *const targets[] = {&&first, &&second};
	goto *targets[(a >> 1) & 1];
first:
	hits += 100;
second:
	switch (b) {
	case -3: hits++; break;
	case 4: hits += 2; break;
	case 1 << 20: hits += 3; break;
	default: hits += 4;
	}
	switch (bytes[5]) {
	case 'x': hits += 5; break;
	default: hits++;
	}
}

__attribute__((noinline)) static void assembler(void)
{
	int out = 0;
	__asm__("leal 1(%1), %0" : "=r"(out) : "r"(a)); // the label ends here, and that is told
	hits += out == 8;
}

int main(void)
{
	if (veer_make_symbolic) {
		veer_make_symbolic(&a, sizeof a, "a");
		veer_make_symbolic(&b, sizeof b, "b");
		veer_make_symbolic(&wide, sizeof wide, "wide");
		veer_make_symbolic(bytes, sizeof bytes, "bytes");
		veer_make_symbolic(&f, sizeof f, "f");
		veer_make_symbolic(&d, sizeof d, "d");
		veer_make_symbolic(&ld, 10, "ld");
	}
	integers();
	wide_integers();
	floats();
	builtins();
	structures();
	variadic();
	memory();
	atomics();
	vectors();
	calls();
	overflow();
	jumps();
	assembler();
	printf("%d hits\n", hits);
	return 0;
}
