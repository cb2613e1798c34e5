#define _GNU_SOURCE
#include "models.h"

#include <malloc.h>
#include <stdarg.h>

static char format[128], input[160];
static _Alignas(16) char expected[4][64], got[4][64];

static char *put(char *p, const char *s)
{
	for (; *s; s++)
		*p++ = (char)byte((unsigned char)*s);
	*p = 0;
	return p;
}

static const char *pick(const char *const *from, unsigned n)
{
	return from[below(n)];
}
#define PICK(...) pick((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

// A directive, and text that it may read.
static void a_directive(char **f, char **p)
{
	char *t = *f;
	*t++ = '%';
	if (below(8) == 0)
		*t++ = '*';
	if (below(4) == 0)
		t += sprintf(t, "%u", below(8));
	switch (below(10)) {
	case 0:
		*t++ = 'c';
		*p = put(*p, PICK("a", "ab", "", " ", "abc"));
		break;
	case 1:
	case 2:
		*t++ = 's';
		*p = put(*p, PICK("word", "", " word", "a b", "12", "x\n"));
		break;
	case 3:
		t += sprintf(t, "%s",
		             PICK("[abc]", "[^,]", "[a-z0-9]", "[]x]", "[^]x]", "[-a]", "[z-a]", "[a-]", "[%d]"));
		*p = put(*p, PICK("abc", "]x]", "a-b", "0z9", "-a,", ",", "", "%d"));
		break;
	case 4:
	case 5:
		t += sprintf(t, "%s%c", PICK("", "l", "L"), "fegaEG"[below(6)]);
		*p = put(*p,
		         PICK("1.5", "-3", "+.25e1", "1e", "1e+", "0x1.8p1", "0x", "inf", "-infinity", "nan", "nan(1)",
		              "infx", "na", "nan(", ".", "-", "1.2.3", "12e5", "0", "00.5", "0x.8", "1e5x", "infinit"));
		break;
	case 6:
		if (below(2)) {
			t += sprintf(t, "%s", PICK("n", "hn", "ln", "hhn"));
		} else {
			*t++ = 'p';
			*p = put(*p, PICK("0x12ab", "(nil)", "(NIL)", "(nix", "ff", "-0x1", "("));
		}
		break;
	default:
		t += sprintf(t, "%s%c", PICK("", "", "l", "ll", "h", "hh", "j", "z", "t", "L", "q"),
		             "diuxXo"[below(6)]);
		*p = put(*p, PICK("12", "-7", "+0", "0x1F", "0x", "0xg", "077", "08", "99999999999999999999", "-", "+",
		                  "x", "2147483648", " 5", "\t\n6", "", "-9223372036854775809", "0b11", "fF"));
	}
	*f = t;
}

static void a_format(void)
{
	char *f = format, *p = input;
	*p = 0;
	for (unsigned i = below(4) + 1; i; i--) {
		if (below(3) == 0) {
			const char *literal = PICK(" ", ",", " ,", "ab", "%%", "\n", ": ", "\t ", " %%");
			f += sprintf(f, "%s", literal);
			p = put(p, below(6) ? literal[0] == '%' ? "%" : literal : below(2) ? "  " : "");
		} else if (below(3)) {
			*f++ = ' ';
			p = put(p, " ");
		}
		a_directive(&f, &p);
	}
	if (below(4) == 0)
		*f++ = " ,x"[below(3)];
	*f = 0;
	for (unsigned i = 0; below(40) == 0 && format[i]; i++)
		format[i] = (char)byte((unsigned char)format[i]);
	if (below(8) == 0)
		input[below((unsigned)strlen(input) + 1)] = (char)byte(0);
	if (below(10) == 0) // nothing of it is symbolic
		veer_make_concrete ? veer_make_concrete(input, sizeof input) : (void)0;
	memset(expected, 'Z', sizeof expected);
	memset(got, 'Z', sizeof got);
	if (below(4) == 0) { // labels that must go
		bytes(got, sizeof got, "Z");
		labelled--;
	}
}

#define CALLS(real, model)                                                                                             \
	errno = 0;                                                                                                     \
	int r = real;                                                                                                  \
	int error = errno;                                                                                             \
	errno = 0;                                                                                                     \
	int g = model;                                                                                                 \
	int got_error = errno;                                                                                         \
	SAME(&r, &g, sizeof r);                                                                                        \
	SAME(&error, &got_error, sizeof error);                                                                        \
	SAME(expected, got, sizeof got)

#define INTO(a) format, a[0], a[1], a[2], a[3]

int __isoc99_sscanf(const char *s, const char *f, ...);
int __isoc99_fscanf(FILE *s, const char *f, ...);

static void test_sscanf(void)
{
	a_format();
	CALLS(REAL(__isoc99_sscanf)(input, INTO(expected)), sscanf(input, INTO(got)));
}

int old_sscanf(const char *s, const char *f, ...) __asm__("sscanf");

static void test_old_sscanf(void)
{
	a_format();
	CALLS(((__typeof__(&old_sscanf))dlsym(RTLD_DEFAULT, "sscanf"))(input, INTO(expected)),
	      old_sscanf(input, INTO(got)));
}

static int own(bool real, const char *s, const char *f, ...)
{
	va_list list;
	va_start(list, f);
	int r = real ? ((__typeof__(&vsscanf))dlsym(RTLD_DEFAULT, "__isoc99_vsscanf"))(s, f, list)
	             : vsscanf(s, f, list);
	va_end(list);
	return r;
}

static void test_vsscanf(void)
{
	a_format();
	CALLS(own(true, input, INTO(expected)), own(false, input, INTO(got)));
}

// Memory that is allocated. Sets of a failed directive are taken back.
static void test_allocated(void)
{
	a_format();
	char *a[3] = {0}, *b[3] = {0};
	const char *f = PICK("%ms%m[abc]%mc", "%m[a-z] %d %ms", "%2mc%3ms %ms", "%ms,%*s%ms", "%ms %n%5mc");
	text(input, sizeof input, "abcabcabcab  ,");
	if (below(3) == 0)
		text(input, 6, "abc ,");
	bytes(b, sizeof b, "");
	memcpy(b, a, sizeof b);
	int x[3] = {0}, y[3] = {0};
	bool second = strstr(f, "%d") || strstr(f, "%n");
	CALLS(REAL(__isoc99_sscanf)(input, f, &a[0], second ? (void *)&x[1] : &a[1], &a[2]),
	      sscanf(input, f, &b[0], second ? (void *)&y[1] : &b[1], &b[2]));
	SAME(x, y, sizeof x);
	for (int i = 0; i < 3; i++) {
		bool null = !a[i], got_null = !b[i];
		SAME(&null, &got_null, 1);
		if (!a[i] || !b[i])
			continue;
		size_t n = malloc_usable_size(a[i]), m = malloc_usable_size(b[i]);
		SAME(&n, &m, sizeof n);
		bool is_text = !strstr(f, "mc") || (i == 0 && !strstr(f, "2mc")) || (i == 1 && strstr(f, "2mc"));
		SAME(a[i], b[i], is_text ? strlen(a[i]) + 1 : 1);
		free(a[i]);
		free(b[i]);
	}
}

// Directives that only libc knows: the text is concrete, and old labels go.
static void test_foreign(void)
{
	a_format();
	const char *f = PICK("%2$d %1$s", "%d %ls", "%'d %5lc", "%Id %S %n", "%3$3d%1$n%2$x", "%l[0-9]%s");
	memcpy(format, f, strlen(f) + 1);
	char *p = put(input, PICK("12", "345", "x", ""));
	p = put(p, PICK(" ", "", "  "));
	put(p, PICK("abcdefg", "77", ""));
	CALLS(REAL(__isoc99_sscanf)(input, INTO(expected)), sscanf(input, INTO(got)));
}

// A stream that is no input: results have no labels, and old ones go.
static void test_fscanf(void)
{
	a_format();
	FILE *s = fmemopen(input, strlen(input) + 1, "r");
	FILE *t = fmemopen(input, strlen(input) + 1, "r");
	CALLS(REAL(__isoc99_fscanf)(s, INTO(expected)), fscanf(t, INTO(got)));
	long at = ftell(s), got_at = ftell(t);
	SAME(&at, &got_at, sizeof at);
	fclose(s);
	fclose(t);
}

int main(int argc, char **argv)
{
	start(argc, argv);
	TEST(sscanf);
	TEST(old_sscanf);
	TEST(vsscanf);
	TEST(allocated);
	TEST_CONCRETE(foreign);
	TEST_CONCRETE(fscanf);
	return report();
}
