#define _GNU_SOURCE
#include "models.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdarg.h>
#include <unistd.h>

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

static bool lines; // what is read is the file, with more than there is room for

// A directive, and text that it may read.
static void a_directive(char **f, char **p)
{
	char *t = *f;
	*t++ = '%';
	if (below(8) == 0)
		*t++ = '*';
	if (lines)
		t += sprintf(t, "%u", 1 + below(40));
	else if (below(4) == 0)
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

// --- all functions ------------------------------------------------------------------------------------

// Under the names that the linker sees: headers make __isoc99_scanf of scanf.
int old_scanf(const char *f, ...) __asm__("scanf");
int old_fscanf(FILE *s, const char *f, ...) __asm__("fscanf");
int old_sscanf(const char *s, const char *f, ...) __asm__("sscanf");
int old_vscanf(const char *f, va_list list) __asm__("vscanf");
int old_vfscanf(FILE *s, const char *f, va_list list) __asm__("vfscanf");
int old_vsscanf(const char *s, const char *f, va_list list) __asm__("vsscanf");
int __isoc99_scanf(const char *f, ...);
int __isoc99_fscanf(FILE *s, const char *f, ...);
int __isoc99_vscanf(const char *f, va_list list);
int __isoc99_vfscanf(FILE *s, const char *f, va_list list);
int __isoc99_vsscanf(const char *s, const char *f, va_list list);
int __isoc23_scanf(const char *f, ...) __attribute__((weak));
int __isoc23_fscanf(FILE *s, const char *f, ...) __attribute__((weak));
int __isoc23_sscanf(const char *s, const char *f, ...) __attribute__((weak));
int __isoc23_vscanf(const char *f, va_list list) __attribute__((weak));
int __isoc23_vfscanf(FILE *s, const char *f, va_list list) __attribute__((weak));
int __isoc23_vsscanf(const char *s, const char *f, va_list list) __attribute__((weak));

// What one call reads from: a string, a stream, or standard input.
struct source {
	const char *text;
	FILE *file;
	bool real;
};

// libc's function of this name; that of C99 where libc does not have the one of C23.
static void *in_libc(const char *name)
{
	char other[32];
	void *f = real_function(name);
	if (!f) {
		snprintf(other, sizeof other, "__isoc99_%s", name + strlen("__isoc23_"));
		f = dlsym(RTLD_DEFAULT, other);
	}
	return f;
}

#define WHICH(function, name) (from->real ? (__typeof__(&function))in_libc(name) : function)

// The three functions with a list.
#define LISTS(standard, prefix, name)                                                                                  \
	static int standard##_list(const struct source *from, const char *f, ...)                                      \
	{                                                                                                              \
		va_list list;                                                                                          \
		va_start(list, f);                                                                                     \
		int r = from->text   ? WHICH(prefix##vsscanf, name "vsscanf")(from->text, f, list)                     \
		        : from->file ? WHICH(prefix##vfscanf, name "vfscanf")(from->file, f, list)                     \
		                     : WHICH(prefix##vscanf, name "vscanf")(f, list);                                  \
		va_end(list);                                                                                          \
		return r;                                                                                              \
	}

// With a list or without.
#define STANDARD(standard, prefix, name)                                                                               \
	LISTS(standard, prefix, name)                                                                                  \
	static int standard(const struct source *from, bool list, void *to)                                            \
	{                                                                                                              \
		char(*a)[64] = to;                                                                                     \
		if (list)                                                                                              \
			return standard##_list(from, INTO(a));                                                         \
		if (from->text)                                                                                        \
			return WHICH(prefix##sscanf, name "sscanf")(from->text, INTO(a));                              \
		if (from->file)                                                                                        \
			return WHICH(prefix##fscanf, name "fscanf")(from->file, INTO(a));                              \
		return WHICH(prefix##scanf, name "scanf")(INTO(a));                                                    \
	}

STANDARD(old, old_, "")
STANDARD(c99, __isoc99_, "__isoc99_")
STANDARD(c23, __isoc23_, "__isoc23_")

// C23 reads 0b11 as a number. A libc without these functions cannot say how, so there is no
// such text then.
static void no_binary_numbers(char *s, size_t n)
{
	if (dlsym(RTLD_DEFAULT, "__isoc23_sscanf"))
		return;
	for (size_t i = 1; i < n; i++)
		if (s[i - 1] == '0' && (s[i] == 'b' || s[i] == 'B'))
			s[i] = (char)byte('y');
}

typedef int scanner(const struct source *, bool, void *);

static void from_text(scanner *scan, bool list)
{
	lines = false;
	a_format();
	if (scan == c23)
		no_binary_numbers(input, sizeof input);
	CALLS(scan(&(struct source){.text = input, .real = true}, list, expected),
	      scan(&(struct source){.text = input}, list, got));
}

// Two streams of the same: memory with text that may fit, or some place of the file that
// standard input is, which is symbolic.
static FILE *real_file, *model_file;
static long size;

static void open_both(void)
{
	if (!lines) {
		size_t n = strlen(input) + (below(2) || !input[0]);
		real_file = REAL(fmemopen)(input, n, "r");
		model_file = fmemopen(input, n, "r");
		return;
	}
	long at = below(8) ? below((unsigned)size) : size - below(12);
	real_file = fdopen(open("/proc/self/fd/0", O_RDONLY), "r");
	model_file = fdopen(open("/proc/self/fd/0", O_RDONLY), "r");
	REAL(fseek)(real_file, at, SEEK_SET);
	fseek(model_file, at, SEEK_SET);
}

// Where they are, and what comes next, must be the same.
static void close_both(void)
{
	long at = REAL(ftell)(real_file), got_at = ftell(model_file);
	SAME(&at, &got_at, sizeof at);
	int end = !!REAL(feof)(real_file), got_end = !!feof(model_file);
	SAME(&end, &got_end, sizeof end);
	int c = REAL(getc)(real_file), got_c = getc(model_file);
	SAME(&c, &got_c, sizeof c);
	REAL(fclose)(real_file);
	fclose(model_file);
}

static void from_stream(scanner *scan, bool list)
{
	lines = below(3) == 0;
	a_format();
	if (scan == c23)
		no_binary_numbers(input, sizeof input);
	open_both();
	CALLS(scan(&(struct source){.file = real_file, .real = true}, list, expected),
	      scan(&(struct source){.file = model_file}, list, got));
	close_both();
}

static int from_stdin(scanner *scan, bool real, bool list)
{
	FILE *saved = stdin;
	stdin = real ? real_file : model_file;
	int r = scan(&(struct source){.real = real}, list, real ? expected : got);
	stdin = saved;
	return r;
}

static void from_standard_input(scanner *scan, bool list)
{
	lines = below(3) == 0;
	a_format();
	if (scan == c23)
		no_binary_numbers(input, sizeof input);
	open_both();
	CALLS(from_stdin(scan, true, list), from_stdin(scan, false, list));
	close_both();
}

#define TEST_STANDARD(standard)                                                                                        \
	static void test_##standard##_text(void)                                                                       \
	{                                                                                                              \
		from_text(standard, false);                                                                            \
		from_text(standard, true);                                                                             \
	}                                                                                                              \
	static void test_##standard##_stream(void)                                                                     \
	{                                                                                                              \
		from_stream(standard, false);                                                                          \
		from_stream(standard, true);                                                                           \
	}                                                                                                              \
	static void test_##standard##_stdin(void)                                                                      \
	{                                                                                                              \
		from_standard_input(standard, false);                                                                  \
		from_standard_input(standard, true);                                                                   \
	}

TEST_STANDARD(old)
TEST_STANDARD(c99)
TEST_STANDARD(c23)

int main(int argc, char **argv)
{
	start(argc, argv);
	size = lseek(0, 0, SEEK_END);
	if (veer_make_concrete)
		veer_make_concrete(&size, sizeof size);
	TEST(old_text);
	TEST(old_stream);
	TEST(old_stdin);
	TEST(c99_text);
	TEST(c99_stream);
	TEST(c99_stdin);
	TEST(c23_text);
	TEST(c23_stream);
	TEST(c23_stdin);
	lines = false;
	TEST(allocated);
	TEST_CONCRETE(foreign);
	return report();
}
