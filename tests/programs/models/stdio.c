// Streams. Standard input is a file, and symbolic: every call opens it twice, for the real
// functions and for the models, with a buffer of some size, at some place, sometimes with
// bytes pushed back.
#define _GNU_SOURCE
#include "models.h"

#include <fcntl.h>
#include <locale.h>
#include <unistd.h>
#include <wchar.h>

static FILE *real, *model;
static char real_buffer[512], model_buffer[512];
static long size;

static int real_fd, model_fd;

static FILE *open_one(int fd, const char *mode, char *buffer, int kind, size_t n)
{
	FILE *f = fdopen(dup(fd), mode);
	if (kind < 4)
		setvbuf(f, buffer, kind == 0 ? _IONBF : _IOFBF, n);
	return f;
}

static void push_back(void)
{
	for (unsigned n = below(4); n; n--) {
		unsigned char c = byte((unsigned char)below(256));
		int a = REAL(ungetc)(c, real), b = ungetc(c, model);
		SAME(&a, &b, sizeof a);
	}
}

static void open_wide(void)
{
	long at = below(4) ? below((unsigned)size) : size - below(20);
	real = fdopen(dup(real_fd), "r");
	model = fdopen(dup(model_fd), "r");
	REAL(fseek)(real, at, SEEK_SET);
	fseek(model, at, SEEK_SET);
}

static void open_both(void)
{
	int kind = (int)below(5);
	size_t n = 1 + below(below(2) ? 300 : 20);
	const char *mode = below(8) ? "r" : "r+";
	long at = below(4) ? below((unsigned)size) : below(2) ? size - below(20) : below(20);
	real = open_one(real_fd, mode, real_buffer, kind, n);
	model = open_one(model_fd, mode, model_buffer, kind, n);
	REAL(fseek)(real, at, SEEK_SET);
	fseek(model, at, SEEK_SET);
	for (unsigned k = below(3); k; k--) {
		REAL(getc)(real);
		getc(model);
	}
	if (below(3) == 0)
		push_back();
}

// Where they are, and what comes next, must be the same.
static void close_both(void)
{
	long a = REAL(ftell)(real), b = ftell(model);
	SAME(&a, &b, sizeof a);
	int end = !!REAL(feof)(real), model_end = !!feof(model), bad = REAL(ferror)(real), model_bad = ferror(model);
	SAME(&end, &model_end, sizeof end);
	SAME(&bad, &model_bad, sizeof bad);
	int c = REAL(getc)(real), d = getc(model);
	SAME(&c, &d, sizeof c);
	REAL(fclose)(real);
	fclose(model);
}

#define TEST_BYTES(name)                                                                                               \
	static void test_##name(void)                                                                                  \
	{                                                                                                              \
		open_both();                                                                                           \
		for (unsigned n = below(30); n; n--)                                                                   \
			BOTH(int, name, (real), (model));                                                              \
		close_both();                                                                                          \
	}

TEST_BYTES(fgetc)
TEST_BYTES(getc)
TEST_BYTES(fgetc_unlocked)
TEST_BYTES(getc_unlocked)

extern int __uflow(FILE *), __underflow(FILE *);

static void test_uflow(void)
{
	open_both();
	for (unsigned n = below(30); n; n--) {
		if (below(3) == 0)
			BOTH(int, __underflow, (real), (model));
		else
			BOTH(int, __uflow, (real), (model));
	}
	close_both();
}

static void test_ungetc(void)
{
	open_both();
	for (unsigned n = below(20); n; n--) {
		int c = below(10) ? below(256) : EOF;
		if (below(3)) { // what was read, or nearly
			int a = REAL(getc)(real), b = getc(model);
			SAME(&a, &b, sizeof a);
			if (below(3))
				BOTH(int, ungetc, (a, real), (b, model));
			else
				BOTH(int, ungetc, (a ^ 1, real), (b ^ 1, model));
		} else {
			BOTH(int, ungetc, (c, real), (c, model));
		}
		if (below(3))
			BOTH(int, getc, (real), (model));
	}
	close_both();
}

#define TEST_BLOCKS(name)                                                                                              \
	static void test_##name(void)                                                                                  \
	{                                                                                                              \
		char a[700], b[700];                                                                                   \
		open_both();                                                                                           \
		for (unsigned k = 1 + below(3); k; k--) {                                                              \
			bytes(a, sizeof a, "x");                                                                       \
			memcpy(b, a, sizeof a);                                                                        \
			size_t each = below(3) ? 1 : below(8), n = below(below(3) ? 40 : 100);                         \
			BOTH(size_t, name, (a, each, n, real), (b, each, n, model));                                   \
			SAME(a, b, sizeof a);                                                                          \
		}                                                                                                      \
		close_both();                                                                                          \
	}

size_t __fread_chk(void *, size_t, size_t, size_t, FILE *);
static size_t fread_chk(void *to, size_t each, size_t n, FILE *f) // with room enough
{
	return f == real ? REAL(__fread_chk)(to, 700, each, n, f) : __fread_chk(to, 700, each, n, f);
}
// In what follows, REAL of a function that is defined here is that function itself.
#undef REAL
#define REAL(name) ((__typeof__(&name))own_or_real((void *)(name), #name))
static void *own_or_real(void *f, const char *name)
{
	void *r = real_function(name);
	return r ? r : f;
}

TEST_BLOCKS(fread_chk)
TEST_BLOCKS(fread)
TEST_BLOCKS(fread_unlocked)

#define TEST_TEXT(name)                                                                                                \
	static void test_##name(void)                                                                                  \
	{                                                                                                              \
		char a[300], b[300];                                                                                   \
		open_both();                                                                                           \
		for (unsigned k = 1 + below(4); k; k--) {                                                              \
			bytes(a, sizeof a, "x");                                                                       \
			memcpy(b, a, sizeof a);                                                                        \
			int n = below(8) ? 2 + (int)below(298) : (int)below(4) - 1;                                    \
			errno = 0;                                                                                     \
			bool x = REAL(name)(a, n, real) == a;                                                          \
			bool y = name(b, n, model) == b;                                                               \
			SAME(&x, &y, sizeof x);                                                                        \
			SAME(a, b, sizeof a);                                                                          \
		}                                                                                                      \
		close_both();                                                                                          \
	}

char *__fgets_chk(char *, size_t, int, FILE *);
static char *fgets_chk(char *to, int n, FILE *f)
{
	n = n < 1 ? 1 : n;
	return f == real ? REAL(__fgets_chk)(to, 300, n, f) : __fgets_chk(to, 300, n, f);
}

TEST_TEXT(fgets_chk)
TEST_TEXT(fgets)
TEST_TEXT(fgets_unlocked)

extern char *gets(char *);

// Standard input itself, for the one after the other.
static void test_gets(void)
{
	char a[8000], b[8000];
	long at = below(4) ? below((unsigned)size) : size - below(20);
	memset(a, 1, sizeof a);
	memset(b, 1, sizeof b);
	REAL(fseek)(stdin, at, SEEK_SET);
	bool x = REAL(gets)(a) == a, y;
	long from = REAL(ftell)(stdin);
	fseek(stdin, at, SEEK_SET);
	y = gets(b) == b;
	long to = ftell(stdin);
	SAME(&x, &y, sizeof x);
	SAME(&from, &to, sizeof to);
	SAME(a, b, sizeof a);
}

static void test_getchar(void)
{
	long at = below(4) ? below((unsigned)size) : size - below(20);
	unsigned n = below(30);
	int c[30];
	REAL(fseek)(stdin, at, SEEK_SET);
	for (unsigned i = 0; i < n; i++)
		c[i] = i % 2 ? REAL(getchar)() : REAL(getchar_unlocked)();
	fseek(stdin, at, SEEK_SET);
	for (unsigned i = 0; i < n; i++) {
		int d = i % 2 ? getchar() : getchar_unlocked();
		SAME(&c[i], &d, sizeof d);
	}
}

static void compare_line(int delimiter)
{
	size_t n = below(3) ? 0 : 1 + below(30), m = n;
	char *a = n ? malloc(n) : NULL, *b = m ? malloc(m) : NULL;
	if (n) {
		bytes(a, n, "x");
		memcpy(b, a, n);
	}
	for (unsigned k = 1 + below(4); k; k--) {
		ssize_t x, y;
		if (delimiter == '\n' && below(2)) {
			x = REAL(getline)(&a, &n, real);
			y = getline(&b, &m, model);
		} else {
			x = REAL(getdelim)(&a, &n, delimiter, real);
			y = getdelim(&b, &m, delimiter, model);
		}
		SAME(&x, &y, sizeof x);
		SAME(&n, &m, sizeof n);
		if (x >= 0)
			SAME(a, b, (size_t)x + 1);
	}
	free(a);
	free(b);
}

static void test_getline(void)
{
	open_both();
	compare_line('\n');
	close_both();
}

static void test_getdelim(void)
{
	open_both();
	compare_line("\n a;"[below(5)]);
	close_both();
}

// All in a row, with seeks between.
static void test_fseek(void)
{
	open_both();
	for (unsigned n = below(12); n; n--) {
		static const int ways[] = {SEEK_SET, SEEK_CUR, SEEK_END, 7};
		int whence = ways[below(10) ? below(3) : 3];
		long offset = (long)below(60) - 30 + (whence == SEEK_SET ? below((unsigned)size) : 0);
		switch (below(6)) {
		case 0: BOTH(int, fseek, (real, offset, whence), (model, offset, whence)); break;
		case 1: BOTH(int, fseeko, (real, offset, whence), (model, offset, whence)); break;
		case 2: REAL(rewind)(real), rewind(model); break;
		case 3: REAL(clearerr)(real), clearerr(model); break;
		default: break;
		}
		if (below(3) == 0)
			push_back();
		BOTH(long, ftell, (real), (model));
		BOTH(off_t, ftello, (real), (model));
		for (unsigned k = below(8); k; k--)
			BOTH(int, getc, (real), (model));
	}
	close_both();
}

static void test_fsetpos(void)
{
	fpos_t a, b;
	memset(&a, 0, sizeof a);
	memset(&b, 0, sizeof b);
	open_both();
	BOTH(int, fgetpos, (real, &a), (model, &b));
	SAME(&a, &b, sizeof a);
	for (unsigned k = below(30); k; k--)
		BOTH(int, getc, (real), (model));
	BOTH(int, fsetpos, (real, &a), (model, &b));
	BOTH(int, getc, (real), (model));
	close_both();
}

static void test_feof(void)
{
	open_both();
	for (unsigned n = below(25); n; n--) {
		int a, b;
		if (below(2)) {
			a = REAL(getc)(real), b = getc(model);
			SAME(&a, &b, sizeof a);
		}
		a = REAL(feof)(real) != 0, b = feof(model) != 0;
		SAME(&a, &b, sizeof a);
	}
	close_both();
}

static void test_fgetwc(void)
{
	open_wide();
	for (unsigned n = below(20); n; n--)
		BOTH(wint_t, fgetwc, (real), (model));
	long a = REAL(ftell)(real), b = ftell(model);
	SAME(&a, &b, sizeof a);
	fclose(real);
	fclose(model);
}

static void test_fgetws(void)
{
	wchar_t a[60], b[60];
	bytes(a, sizeof a, "x");
	memcpy(b, a, sizeof a);
	open_wide();
	int n = (int)below(60);
	errno = 0;
	bool x = REAL(fgetws)(a, n, real) == a;
	int error = errno;
	errno = 0;
	bool y = fgetws(b, n, model) == b;
	int model_error = errno;
	SAME(&x, &y, sizeof x);
	SAME(&error, &model_error, sizeof error);
	if (x)
		SAME(a, b, sizeof a);
	fclose(real);
	fclose(model);
}

// What is pushed back comes again; it is made concrete.
static void test_ungetwc(void)
{
	open_wide();
	for (unsigned n = below(12); n; n--) {
		wint_t a = REAL(fgetwc)(real), b = fgetwc(model);
		SAME(&a, &b, sizeof a);
		if (below(2) == 0)
			continue;
		wint_t c = below(3) ? a : below(8) ? L'q' : WEOF, d = c == a ? b : c;
		BOTH(wint_t, ungetwc, (c, real), (d, model));
		BOTH(wint_t, fgetwc, (real), (model));
	}
	fclose(real);
	fclose(model);
}

// Standard input itself is a stream of bytes in the other tests; here it is one of wide ones.
static void test_getwchar(void)
{
	long at = below(4) ? below((unsigned)size) : size - below(20);
	unsigned n = below(20);
	wint_t c[20];
	REAL(fseek)(stdin, at, SEEK_SET);
	for (unsigned i = 0; i < n; i++)
		c[i] = i % 2 ? REAL(getwchar)() : REAL(getwchar_unlocked)();
	fseek(stdin, at, SEEK_SET);
	for (unsigned i = 0; i < n; i++) {
		wint_t d = i % 2 ? getwchar() : getwchar_unlocked();
		SAME(&c[i], &d, sizeof d);
	}
}

int main(int argc, char **argv)
{
	start(argc, argv);
	size = lseek(0, 0, SEEK_END);
	veer_make_concrete(&size, sizeof size);
	real_fd = open("/proc/self/fd/0", O_RDWR);
	model_fd = open("/proc/self/fd/0", O_RDWR);
	TEST(fgetc);
	TEST(getc);
	TEST(fgetc_unlocked);
	TEST(getc_unlocked);
	TEST(uflow);
	TEST(ungetc);
	TEST(fread);
	TEST(fread_chk);
	TEST(fgets_chk);
	TEST(fread_unlocked);
	TEST(fgets);
	TEST(fgets_unlocked);
	TEST(gets);
	TEST(getchar);
	TEST(getline);
	TEST(getdelim);
	TEST(fseek);
	TEST(fsetpos);
	TEST(feof);
	setlocale(LC_ALL, seed % 2 ? "C.UTF-8" : "C");
	TEST(fgetwc);
	TEST(fgetws);
	TEST(ungetwc);
	stdin = fdopen(dup(0), "r");
	TEST(getwchar);
	return report();
}
