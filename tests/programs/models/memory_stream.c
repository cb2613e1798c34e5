// Streams over memory. What is read has the labels of the memory, what is written brings them.
#define _GNU_SOURCE
#include "models.h"

#include <stdarg.h>
#include <wchar.h>

enum { SIZE = 60 };
static char real_memory[SIZE + 8], model_memory[SIZE + 8];
static FILE *real, *model;

static void a_text_in_memory(void)
{
	bytes(real_memory, sizeof real_memory, "abc 12\n");
	memcpy(model_memory, real_memory, sizeof real_memory);
}

static void open_both(const char *mode)
{
	size_t n = 1 + below(SIZE - 1), m = n;
	for (int i = 0; i < 8; i++) // sometimes the size has a label
		if (below(2))
			((unsigned char *)&m)[i] = byte(((unsigned char *)&n)[i]);
	a_text_in_memory();
	real = REAL(fmemopen)(real_memory, n, mode);
	model = fmemopen(model_memory, m, mode);
}

static void close_both(void)
{
	long a = REAL(ftell)(real), b = ftell(model);
	SAME(&a, &b, sizeof a);
	int end = !!REAL(feof)(real), model_end = !!feof(model);
	SAME(&end, &model_end, sizeof end);
	a = REAL(fclose)(real), b = fclose(model);
	SAME(&a, &b, sizeof a);
	SAME(real_memory, model_memory, sizeof real_memory);
}

static void read_something(void)
{
	char a[40], b[40], *x = NULL, *y = NULL;
	size_t n = below(40), m = 0, k = 0;
	bytes(a, sizeof a, "z");
	memcpy(b, a, sizeof a);
	switch (below(8)) {
	case 0: BOTH(int, getc, (real), (model)); break;
	case 1: BOTH(int, fgetc_unlocked, (real), (model)); break;
	case 2: BOTH(size_t, fread, (a, 1, n, real), (b, 1, n, model)); break;
	case 3: {
		bool r = REAL(fgets)(a, (int)n, real), s = fgets(b, (int)n, model);
		SAME(&r, &s, sizeof r);
		break;
	}
	case 4: {
		ssize_t r = REAL(getline)(&x, &m, real), s = getline(&y, &k, model);
		SAME(&r, &s, sizeof r);
		if (r >= 0)
			SAME(x, y, (size_t)r + 1);
		break;
	}
	case 5: BOTH(int, ungetc, ('q', real), ('q', model)); break;
	case 6: BOTH(int, fseek, (real, (long)n - 5, SEEK_SET), (model, (long)n - 5, SEEK_SET)); break;
	default: BOTH(long, ftell, (real), (model));
	}
	SAME(a, b, sizeof a);
	free(x);
	free(y);
}

static void test_reading(void)
{
	open_both("r");
	for (unsigned n = below(8); n; n--)
		read_something();
	close_both();
}

int __isoc99_fscanf(FILE *, const char *, ...);

static void test_fscanf(void)
{
	char a[SIZE + 1] = "", b[SIZE + 1] = "";
	int x = 0, y = 0;
	open_both("r");
	int r = REAL(__isoc99_fscanf)(real, "%60s %d", a, &x), s = fscanf(model, "%60s %d", b, &y);
	SAME(&r, &s, sizeof r);
	SAME(a, b, strlen(a) + 1);
	SAME(&x, &y, sizeof x);
	close_both();
}

int __fprintf_chk(FILE *, int, const char *, ...);

int __vfprintf_chk(FILE *, int, const char *, va_list);

static int list_printf(bool real, bool checked, FILE *f, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	int r = checked ? (real ? REAL(__vfprintf_chk) : __vfprintf_chk)(f, 1, format, list)
	                : (real ? REAL(vfprintf) : vfprintf)(f, format, list);
	va_end(list);
	return r;
}

static void write_a_list(bool checked, const char *some, int number)
{
	BOTH_CALLS(int, list_printf(true, checked, real, "%s|%o", some, number),
	           list_printf(false, checked, model, "%s|%o", some, number));
}

static void write_something(void)
{
	char some[20];
	size_t n = text(some, sizeof some, "abc");
	long where = (long)below(10);
	int c = (int)byte((unsigned char)below(256)), number = (int)byte((unsigned char)below(256));
	switch (below(14)) {
	case 0: BOTH(int, fputc, (c, real), (c, model)); break;
	case 1: BOTH(int, putc, (c, real), (c, model)); break;
	case 2: BOTH(size_t, fwrite, (some, 1, n, real), (some, 1, n, model)); break;
	case 3: BOTH(int, fputs, (some, real), (some, model)); break;
	case 4: BOTH(int, fprintf, (real, "%d,%s;", number, some), (model, "%d,%s;", number, some)); break;
	case 5: BOTH(int, __fprintf_chk, (real, 1, "%x", number), (model, 1, "%x", number)); break;
	case 6: BOTH(int, fseek, (real, where, SEEK_SET), (model, where, SEEK_SET)); break;
	case 7: BOTH(int, putc_unlocked, (c, real), (c, model)); break;
	case 8: BOTH(int, fputc_unlocked, (c, real), (c, model)); break;
	case 9: BOTH(int, fputs_unlocked, (some, real), (some, model)); break;
	case 10: write_a_list(true, some, number); break;
	case 12: write_a_list(false, some, number); break;
	case 11: BOTH(int, fflush_unlocked, (real), (model)); break;
	default: BOTH(int, fflush, (real), (model));
	}
}

static void test_writing(void)
{
	static const char *const modes[] = {"w", "w+", "a", "r+"};
	open_both(modes[below(4)]);
	for (unsigned n = below(5); n; n--)
		write_something();
	close_both();
}

static void test_open_memstream(void)
{
	char *a = NULL, *b = NULL;
	size_t n = 0, m = number(100); // the label goes
	real = REAL(open_memstream)(&a, &n);
	model = open_memstream(&b, &m);
	for (unsigned k = below(below(10) ? 8 : 300); k; k--)
		write_something();
	if (below(2)) {
		BOTH(int, fflush, (real), (model));
		SAME(&n, &m, sizeof n);
		SAME(a, b, n + 1);
	}
	for (unsigned k = below(5); k; k--)
		write_something();
	REAL(fclose)(real);
	fclose(model);
	SAME(&n, &m, sizeof n);
	SAME(a, b, n + 1);
	free(a);
	free(b);
}

int main(int argc, char **argv)
{
	start(argc, argv);
	TEST(reading);
	TEST(fscanf);
	TEST_CONCRETE(writing);
	TEST(open_memstream);
	return report();
}
