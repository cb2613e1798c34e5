#define _GNU_SOURCE
#include "models.h"

#include <limits.h>
#include <stdarg.h>

static char format[128], strings[4][16];
static long numbers[4];
static double doubles[2];
static double some_doubles[60];
static int counted[4];

// Numbers with labels: small ones, large ones, the limits, of either sign. Always the same
// ones, so that there are not too many expressions.
static long some_numbers[100];

static void make_numbers(void)
{
	static const long special[] = {0,       1,        9,        10,       99,  100, INT_MAX,
	                               INT_MIN, LONG_MAX, LONG_MIN, UINT_MAX, 255, 256, -1};
	for (unsigned k = 0; k < 100; k++) {
		long n = k < 14 ? special[k] : (long)number(UINT64_MAX);
		for (unsigned i = 0; i < 8; i++)
			((unsigned char *)&some_numbers[k])[i] = byte((unsigned char)(n >> 8 * i));
		if (k >= 70)
			some_numbers[k] = -some_numbers[k];
	}
}

static long a_number(void)
{
	return some_numbers[below(below(2) ? 14 : 100)];
}

// Of every size, with few digits and with many; what is not finite; between two roundings.
static void make_doubles(void)
{
	static const double special[] = {0.0,    -0.0,      1.0,           0.5,      1.5,    2.5,   0.1,
	                                 1e-5,   9.9999995, 999999.5,      1e15,     1e22,   1e300, 5e-324,
	                                 1e-310, 0.0001,    0.00099999995, 123456.5, -1e100, 100,   -7.25};
	for (unsigned k = 0; k < 60; k++) {
		union {
			double d;
			unsigned char bytes[8];
		} x = {.d = k < sizeof special / sizeof *special ? special[k] : (double)some_numbers[k] / 4096};
		if (k == 58 || k == 59)
			x.d = k == 58 ? __builtin_inf() : __builtin_nan("");
		for (unsigned i = 0; k > 40 && k < 58 && i < 8; i++)
			x.bytes[i] = (unsigned char)below(256);
		for (unsigned i = 0; i < 8; i++)
			((unsigned char *)&some_doubles[k])[i] = byte(x.bytes[i]);
	}
}

static char *put(char *p, const char *from, unsigned one_in)
{
	if (below(one_in) == 0)
		*p++ = from[below((unsigned)strlen(from))];
	return p;
}

// A directive and its argument; *n counts those that are not floats, *d those.
static char *a_directive(char *p, unsigned *n, unsigned *d)
{
	static const char *const lengths[] = {"", "", "", "l", "ll", "h", "hh", "z", "j", "t"};
	*p++ = '%';
	for (unsigned flags = below(3); flags; flags--)
		p = put(p, "-+ #0", 2);
	if (below(8) == 0 && *n < 3) {
		*p++ = '*';
		numbers[(*n)++] = (long)(int)below(24) - 12;
	} else if (below(3) == 0) {
		p += sprintf(p, "%u", 1 + below(24));
	}
	if (below(4) == 0)
		p += below(5) ? sprintf(p, ".%u", below(14)) : sprintf(p, ".");
	switch (below(9)) {
	case 0:
		*p++ = 'c';
		numbers[(*n)++] = byte((unsigned char)('a' + below(20)));
		break;
	case 1:
	case 2:
		text(strings[*n], sizeof *strings, "abc");
		numbers[*n] = below(12) ? (long)strings[*n] : 0;
		++*n;
		*p++ = 's';
		break;
	case 3:
		if (*d == 2) {
			*p++ = '%';
			break;
		}
		doubles[(*d)++] = below(4) ? some_doubles[below(60)] : (double)a_number() / 7;
		*p++ = "fegEGFfeggaA"[below(12)];
		break;
	case 4:
		if (below(3)) {
			*p++ = 'p';
			numbers[(*n)++] = below(4) ? a_number() : 0;
		} else {
			*p++ = 'n';
			numbers[*n] = (long)&counted[*n];
			++*n;
		}
		break;
	default:
		p += sprintf(p, "%s", lengths[below(sizeof lengths / sizeof *lengths)]);
		*p++ = "diuxXo"[below(6)];
		numbers[(*n)++] = a_number();
	}
	return p;
}

static void a_format(void)
{
	char *p = format;
	unsigned n = 0, d = 0;
	for (unsigned i = below(4) + 1; i && n < 4; i--) {
		for (unsigned k = below(3); k; k--)
			*p++ = "ab/ "[below(4)];
		p = a_directive(p, &n, &d);
	}
	if (below(2))
		*p++ = '.';
	*p = 0;
	for (unsigned i = 0; below(30) == 0 && format[i]; i++)
		format[i] = (char)byte((unsigned char)format[i]);
	memset(counted, 0, sizeof counted);
}

enum { ROOM = 400 };
static char expected[ROOM], got[ROOM];

static void old_labels(void)
{
	bytes(counted, sizeof counted, "");
	bytes(got, ROOM, "Z");
	if (veer_is_symbolic && veer_is_symbolic(got, ROOM))
		labelled -= 2; // those that SAME will count
}

// Integers and floats come from different registers, so the order between them is free.
#define ARGS format, numbers[0], numbers[1], numbers[2], numbers[3], doubles[0], doubles[1]

#define START                                                                                                          \
	int real_counted[4];                                                                                           \
	a_format();                                                                                                    \
	memset(expected, 'Z', ROOM);                                                                                   \
	memset(got, 'Z', ROOM);                                                                                        \
	if (below(4) == 0) /* labels that must go */                                                                   \
	old_labels()

// `real` and `model` are calls.
#define CALLS(real, model)                                                                                             \
	errno = 0;                                                                                                     \
	int r = real;                                                                                                  \
	int error = errno;                                                                                             \
	memcpy(real_counted, counted, sizeof counted);                                                                 \
	errno = 0;                                                                                                     \
	int g = model;                                                                                                 \
	int got_error = errno;                                                                                         \
	SAME(&r, &g, sizeof r);                                                                                        \
	SAME(&error, &got_error, sizeof error);                                                                        \
	SAME(real_counted, counted, sizeof counted)

static void test_snprintf(void)
{
	START;
	size_t n = below(3) ? ROOM : below(30);
	CALLS(REAL(snprintf)(expected, n, ARGS), snprintf(got, n, ARGS));
	SAME(expected, got, ROOM);
}

static void test_sprintf(void)
{
	START;
	CALLS(REAL(sprintf)(expected, ARGS), sprintf(got, ARGS));
	SAME(expected, got, ROOM);
}

static void test_asprintf(void)
{
	char *a = NULL, *b = NULL;
	START;
	bytes(&b, sizeof b, "");
	CALLS(REAL(asprintf)(&a, ARGS), asprintf(&b, ARGS));
	SAME(a, b, (size_t)r + 1);
	free(a);
	free(b);
}

// The program's own function with a list.
#define OWN(name, type, call)                                                                                          \
	static int own_##name(bool real, type, size_t n, const char *f, ...)                                           \
	{                                                                                                              \
		va_list list;                                                                                          \
		va_start(list, f);                                                                                     \
		__typeof__(&name) function = real ? REAL(name) : name;                                                 \
		int r = function call;                                                                                 \
		va_end(list);                                                                                          \
		return r;                                                                                              \
	}

OWN(vsnprintf, char *to, (to, n, f, list))
OWN(vsprintf, char *to, (to, f, list))
OWN(vasprintf, char **to, (to, f, list))

static void test_vsnprintf(void)
{
	START;
	size_t n = below(3) ? ROOM : below(30);
	CALLS(own_vsnprintf(true, expected, n, ARGS), own_vsnprintf(false, got, n, ARGS));
	SAME(expected, got, ROOM);
}

static void test_vsprintf(void)
{
	START;
	CALLS(own_vsprintf(true, expected, 0, ARGS), own_vsprintf(false, got, 0, ARGS));
	SAME(expected, got, ROOM);
}

static void test_vasprintf(void)
{
	char *a = NULL, *b = NULL;
	START;
	CALLS(own_vasprintf(true, &a, 0, ARGS), own_vasprintf(false, &b, 0, ARGS));
	SAME(a, b, (size_t)r + 1);
	free(a);
	free(b);
}

int __snprintf_chk(char *to, size_t n, int flag, size_t size, const char *format, ...);
int __sprintf_chk(char *to, int flag, size_t size, const char *format, ...);

static void test___snprintf_chk(void)
{
	START;
	size_t n = below(3) ? ROOM : below(30);
	CALLS(REAL(__snprintf_chk)(expected, n, 0, ROOM, ARGS), __snprintf_chk(got, n, 0, ROOM, ARGS));
	SAME(expected, got, ROOM);
}

static void test___sprintf_chk(void)
{
	START;
	CALLS(REAL(__sprintf_chk)(expected, 0, ROOM, ARGS), __sprintf_chk(got, 0, ROOM, ARGS));
	SAME(expected, got, ROOM);
}

int __vsnprintf_chk(char *, size_t, int, size_t, const char *, va_list);
int __vsprintf_chk(char *, int, size_t, const char *, va_list);
int __asprintf_chk(char **, int, const char *, ...);
int __vasprintf_chk(char **, int, const char *, va_list);

// way: 0 vsnprintf, 1 vsprintf, 2 vasprintf
static int list_chk(bool real, int way, char *to, size_t n, const char *f, ...)
{
	va_list list;
	char *made = NULL;
	int r;
	va_start(list, f);
	if (way == 0)
		r = real ? REAL(__vsnprintf_chk)(to, n, 0, ROOM, f, list) : __vsnprintf_chk(to, n, 0, ROOM, f, list);
	else if (way == 1)
		r = real ? REAL(__vsprintf_chk)(to, 0, ROOM, f, list) : __vsprintf_chk(to, 0, ROOM, f, list);
	else
		r = real ? REAL(__vasprintf_chk)(&made, 0, f, list) : __vasprintf_chk(&made, 0, f, list);
	va_end(list);
	if (made)
		memcpy(to, made, strlen(made) + 1);
	free(made);
	return r;
}

static void compare_list_chk(int way)
{
	START;
	size_t n = below(3) ? ROOM : below(30);
	CALLS(list_chk(true, way, expected, n, ARGS), list_chk(false, way, got, n, ARGS));
	SAME(expected, got, ROOM);
}

static void test_list_chk(void)
{
	for (int way = 0; way < 3; way++)
		compare_list_chk(way);
}

static void test___asprintf_chk(void)
{
	START;
	char *a = NULL, *b = NULL;
	CALLS(REAL(__asprintf_chk)(&a, 0, ARGS), __asprintf_chk(&b, 0, ARGS));
	SAME(a, b, strlen(a) + 1);
	free(a);
	free(b);
}

// Arguments in another order, wide ones, and those that only libc knows.
static void test_positions(void)
{
	static const char *const formats[] = {"%2$s-%1$ld.%3$*4$ld", "%1$ld %1$lx %2$.3s|%3$-5ld|", "%3$ld%2$s"};
	START;
	text(strings[1], sizeof *strings, "xyz");
	numbers[0] = a_number();
	numbers[1] = (long)strings[1];
	numbers[2] = a_number();
	numbers[3] = below(12);
	const char *f = formats[below(3)];
	memcpy(format, f, strlen(f) + 1);
	CALLS(REAL(snprintf)(expected, ROOM, ARGS), snprintf(got, ROOM, ARGS));
	SAME(expected, got, ROOM);
}

static void test_long_double(void)
{
	static const char *const formats[] = {"%*.3Lf %s %m %d", "%*Lf %s%d",     "%*Lg %s%d",
	                                      "%*.0Le %s%d",     "%-*.17Lg|%s%d", "%0*.2LE %s%d"};
	START;
	const char *f = formats[below(sizeof formats / sizeof *formats)];
	long double x = (long double)a_number() / 3;
	for (unsigned n = below(400); n && below(2); n--)
		x *= 1e12L;
	int w = (int)below(20);
	text(strings[0], sizeof *strings, "xyz");
	CALLS(REAL(snprintf)(expected, ROOM, f, w, x, strings[0], w), snprintf(got, ROOM, f, w, x, strings[0], w));
	SAME(expected, got, ROOM);
}

// What it writes is also what it reads.
static void test_overlap(void)
{
	START;
	text(expected, 16, "abc");
	memcpy(got, expected, 16);
	numbers[0] = a_number();
	CALLS(REAL(sprintf)(expected, "%s,%ld", expected, numbers[0]), sprintf(got, "%s,%ld", got, numbers[0]));
	SAME(expected, got, ROOM);
}

// libc 2.36 takes no notice of a size of 1.
#define TEST_STRFROM(name, type)                                                                                       \
	static void test_##name(void)                                                                                  \
	{                                                                                                              \
		static const char *const formats[] = {"%f", "%.3e", "%g", "%a", "%.0F"};                               \
		START;                                                                                                 \
		type x = (type)a_number() / 3;                                                                         \
		const char *f = formats[below(5)];                                                                     \
		size_t n = below(3) ? ROOM : below(30) + 2;                                                            \
		CALLS(REAL(name)(expected, n, f, x), name(got, n, f, x));                                              \
		SAME(expected, got, ROOM);                                                                             \
	}

TEST_STRFROM(strfromd, double)
TEST_STRFROM(strfromf, float)
TEST_STRFROM(strfroml, long double)

int main(int argc, char **argv)
{
	start(argc, argv);
	make_numbers();
	make_doubles();
	TEST(snprintf);
	TEST(sprintf);
	TEST(asprintf);
	TEST(vsnprintf);
	TEST(vsprintf);
	TEST(vasprintf);
	TEST(__snprintf_chk);
	TEST(__sprintf_chk);
	TEST(__asprintf_chk);
	TEST(list_chk);
	TEST(positions);
	TEST(long_double);
	TEST(overlap);
	TEST_CONCRETE(strfromd);
	TEST_CONCRETE(strfromf);
	TEST_CONCRETE(strfroml);
	return report();
}
