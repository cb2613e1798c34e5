// As much of the C library as small programs need, over semihosting.
#include <ctype.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "board.h"

// --- memory and text ----------------------------------------------------------------------------

void *memcpy(void *to, const void *from, size_t n)
{
	char *t = to;
	const char *f = from;
	for (; n >= 4 && ((uintptr_t)t | (uintptr_t)f) % 4 == 0; n -= 4, t += 4, f += 4)
		*(uint32_t *)(void *)t = *(const uint32_t *)(const void *)f;
	while (n--)
		*t++ = *f++;
	return to;
}

void *memmove(void *to, const void *from, size_t n)
{
	char *t = to;
	const char *f = from;
	if (t <= f)
		return memcpy(to, from, n);
	while (n--)
		t[n] = f[n];
	return to;
}

void *memset(void *to, int c, size_t n)
{
	char *t = to;
	const uint32_t word = (unsigned char)c * 0x01010101u;
	for (; n >= 16 && (uintptr_t)t % 4 == 0; n -= 16, t += 16) {
		uint32_t *w = (uint32_t *)(void *)t;
		w[0] = w[1] = w[2] = w[3] = word;
	}
	while (n--)
		*t++ = (char)c;
	return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
	for (const unsigned char *x = a, *y = b; n--; x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}

size_t strlen(const char *s)
{
	size_t n = 0;
	while (s[n])
		n++;
	return n;
}

int strcmp(const char *a, const char *b)
{
	for (; *a && *a == *b; a++)
		b++;
	return (unsigned char)*a - (unsigned char)*b;
}

int strncmp(const char *a, const char *b, size_t n)
{
	for (; n && *a && *a == *b; a++, n--)
		b++;
	return n ? (unsigned char)*a - (unsigned char)*b : 0;
}

char *strcpy(char *to, const char *from)
{
	return memcpy(to, from, strlen(from) + 1);
}

char *strchr(const char *s, int c)
{
	for (; *s != (char)c; s++)
		if (!*s)
			return NULL;
	return (char *)s;
}

size_t strcspn(const char *s, const char *any)
{
	size_t n = 0;
	while (s[n] && !strchr(any, s[n]))
		n++;
	return n;
}

size_t strspn(const char *s, const char *any)
{
	size_t n = 0;
	while (s[n] && strchr(any, s[n]))
		n++;
	return n;
}

char *strtok(char *s, const char *between)
{
	static char *next;
	if (!s)
		s = next;
	s += strspn(s, between);
	if (!*s)
		return next = s, NULL;
	next = s + strcspn(s, between);
	if (*next)
		*next++ = 0;
	return s;
}

int isdigit(int c)
{
	return c >= '0' && c <= '9';
}
int isupper(int c)
{
	return c >= 'A' && c <= 'Z';
}
int islower(int c)
{
	return c >= 'a' && c <= 'z';
}
int isalpha(int c)
{
	return isupper(c) || islower(c);
}
int isalnum(int c)
{
	return isalpha(c) || isdigit(c);
}
int isspace(int c)
{
	return c == ' ' || (c >= 9 && c <= 13);
}
int isxdigit(int c)
{
	return isdigit(c) || (tolower(c) >= 'a' && tolower(c) <= 'f');
}
int isprint(int c)
{
	return c >= 32 && c < 127;
}
int ispunct(int c)
{
	return isprint(c) && c != ' ' && !isalnum(c);
}
int toupper(int c)
{
	return islower(c) ? c - 32 : c;
}
int tolower(int c)
{
	return isupper(c) ? c + 32 : c;
}

unsigned long strtoul(const char *s, char **end, int base)
{
	unsigned long v = 0;
	while (isspace(*s))
		s++;
	int minus = *s == '-', digits = 0;
	s += *s == '-' || *s == '+';
	if ((base == 0 || base == 16) && s[0] == '0' && tolower(s[1]) == 'x')
		s += 2, base = 16;
	if (base == 0)
		base = *s == '0' ? 8 : 10;
	for (;; s++, digits++) {
		int d = isdigit(*s) ? *s - '0' : isalpha(*s) ? tolower(*s) - 'a' + 10 : 99;
		if (d >= base)
			break;
		v = v * (unsigned long)base + (unsigned long)d;
	}
	if (end)
		*end = (char *)s;
	(void)digits;
	return minus ? -v : v;
}

long strtol(const char *s, char **end, int base)
{
	return (long)strtoul(s, end, base);
}

int atoi(const char *s)
{
	return (int)strtol(s, NULL, 10);
}

void *bsearch(const void *key, const void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	const char *low = base;
	while (n) {
		const char *mid = low + n / 2 * size;
		int c = compare(key, mid);
		if (c == 0)
			return (void *)mid;
		if (c > 0) {
			low = mid + size;
			n--;
		}
		n /= 2;
	}
	return NULL;
}

// --- files --------------------------------------------------------------------------------------

struct board_file {
	long handle;
	int end, at, n;
	char data[128];
};

static struct board_file in = {1, 0, 0, 0, {0}}, out, errors, more[2];
FILE *stdin = &in, *stdout = &out, *stderr = &errors;

static long open_file(const char *path, long mode)
{
	long block[3] = {(long)path, mode, (long)strlen(path)};
	return board_call(1, block);
}

static void write_out(FILE *f)
{
	if (!f->handle)
		f->handle = open_file(":tt", f == stdout ? 4 : 8);
	long block[3] = {f->handle, (long)f->data, f->n};
	if (f->n)
		board_call(5, block);
	f->n = 0;
}

void board_flush(void)
{
	write_out(stdout);
	write_out(stderr);
}

static int fill(FILE *f)
{
	if (f == stdin && f->handle == 1)
		f->handle = open_file(":tt", 0);
	long block[3] = {f->handle, (long)f->data, sizeof f->data};
	long left = board_call(6, block);
	f->at = 0;
	f->n = (int)(sizeof f->data) - (int)left;
	f->end = f->n <= 0;
	return !f->end;
}

int getc(FILE *f)
{
	if (f->at >= f->n && (f->end || !fill(f)))
		return EOF;
	return (unsigned char)f->data[f->at++];
}

int fgetc(FILE *f)
{
	return getc(f);
}
int getchar(void)
{
	return getc(stdin);
}

char *fgets(char *s, int n, FILE *f)
{
	int i = 0, c = 0;
	while (i < n - 1 && c != '\n' && (c = getc(f)) != EOF)
		s[i++] = (char)c;
	s[i] = 0;
	return i ? s : NULL;
}

size_t fread(void *to, size_t size, size_t n, FILE *f)
{
	char *t = to;
	size_t all = size * n, i = 0;
	for (int c; i < all && (c = getc(f)) != EOF;)
		t[i++] = (char)c;
	return size ? i / size : 0;
}

FILE *fopen(const char *path, const char *mode)
{
	for (int i = 0; i < 2; i++) {
		long handle = more[i].handle ? 0 : open_file(path, 0);
		if (handle > 0) {
			more[i] = (struct board_file){.handle = handle};
			return &more[i];
		}
	}
	(void)mode;
	return NULL;
}

int fclose(FILE *f)
{
	long block[1] = {f->handle};
	board_call(2, block);
	f->handle = 0;
	return 0;
}

int fputc(int c, FILE *f)
{
	if (f->n == (int)sizeof f->data)
		write_out(f);
	f->data[f->n++] = (char)c;
	return c;
}

int putc(int c, FILE *f)
{
	return fputc(c, f);
}
int putchar(int c)
{
	return fputc(c, stdout);
}

int fputs(const char *s, FILE *f)
{
	while (*s)
		fputc(*s++, f);
	return 0;
}

int puts(const char *s)
{
	fputs(s, stdout);
	fputc('\n', stdout);
	return 0;
}

// --- printf and sscanf --------------------------------------------------------------------------

struct target {
	FILE *file;
	char *to;
	size_t room, n;
};

static void put(struct target *t, char c)
{
	if (t->file)
		fputc(c, t->file);
	else if (t->n + 1 < t->room)
		t->to[t->n] = c;
	t->n++;
}

static void put_padded(struct target *t, const char *s, int n, int width, int left, char pad)
{
	if (pad == '0' && *s == '-' && n)
		put(t, *s++), n--, width--;
	for (int i = n; i < width && !left; i++)
		put(t, pad);
	for (int i = 0; i < n; i++)
		put(t, s[i]);
	for (int i = n; i < width && left; i++)
		put(t, ' ');
}

static void put_number(struct target *t, unsigned long v, int minus, unsigned base, int width, int left, char pad)
{
	char text[16];
	int n = sizeof text;
	do
		text[--n] = "0123456789abcdef"[v % base];
	while ((v /= base) != 0);
	if (minus)
		text[--n] = '-';
	put_padded(t, text + n, (int)sizeof text - n, width, left, pad);
}

static void format(struct target *t, const char *f, va_list a)
{
	for (; *f; f++) {
		if (*f != '%') {
			put(t, *f);
			continue;
		}
		int left = 0, width = 0, precision = -1;
		char pad = ' ';
		for (f++; *f == '-' || *f == '0'; f++)
			*f == '-' ? (left = 1) : (pad = '0');
		if (*f == '*')
			width = va_arg(a, int), f++;
		for (; isdigit(*f); f++)
			width = width * 10 + *f - '0';
		if (*f == '.') {
			precision = 0;
			if (*++f == '*')
				precision = va_arg(a, int), f++;
			for (; isdigit(*f); f++)
				precision = precision * 10 + *f - '0';
		}
		while (*f == 'l' || *f == 'z' || *f == 'h')
			f++;
		if (*f == 'd' || *f == 'i') {
			long v = va_arg(a, long);
			put_number(t, v < 0 ? -(unsigned long)v : (unsigned long)v, v < 0, 10, width, left, pad);
		} else if (*f == 'u' || *f == 'x') {
			put_number(t, va_arg(a, unsigned long), 0, *f == 'x' ? 16 : 10, width, left, pad);
		} else if (*f == 'c') {
			char c = (char)va_arg(a, int);
			put_padded(t, &c, 1, width, left, ' ');
		} else if (*f == 's') {
			const char *s = va_arg(a, const char *);
			int n = 0;
			while ((precision < 0 || n < precision) && s[n])
				n++;
			put_padded(t, s, n, width, left, ' ');
		} else {
			put(t, *f);
		}
	}
}

int vsnprintf(char *to, size_t room, const char *f, va_list a)
{
	struct target t = {NULL, to, room, 0};
	format(&t, f, a);
	if (room)
		to[t.n < room ? t.n : room - 1] = 0;
	return (int)t.n;
}

int snprintf(char *to, size_t room, const char *f, ...)
{
	va_list a;
	va_start(a, f);
	int n = vsnprintf(to, room, f, a);
	va_end(a);
	return n;
}

int fprintf(FILE *file, const char *f, ...)
{
	struct target t = {file, NULL, 0, 0};
	va_list a;
	va_start(a, f);
	format(&t, f, a);
	va_end(a);
	return (int)t.n;
}

int printf(const char *f, ...)
{
	struct target t = {stdout, NULL, 0, 0};
	va_list a;
	va_start(a, f);
	format(&t, f, a);
	va_end(a);
	return (int)t.n;
}

int sscanf(const char *text, const char *f, ...)
{
	va_list a;
	const char *at = text;
	int n = 0;
	va_start(a, f);
	for (; *f; f++) {
		if (isspace(*f)) {
			while (isspace(*at))
				at++;
			continue;
		}
		if (*f != '%') {
			if (*at++ != *f)
				break;
			continue;
		}
		int width = 0;
		for (f++; isdigit(*f); f++)
			width = width * 10 + *f - '0';
		while (*f == 'l')
			f++;
		if (*f == 'n') {
			*va_arg(a, int *) = (int)(at - text);
			continue;
		}
		while (isspace(*at))
			at++;
		if (!*at)
			break;
		if (*f == 's') {
			char *to = va_arg(a, char *);
			for (int i = 0; *at && !isspace(*at) && (!width || i < width); i++)
				*to++ = *at++;
			*to = 0;
		} else {
			char *end;
			unsigned long v = strtoul(at, &end, 10);
			if (end == at)
				break;
			at = end;
			*va_arg(a, unsigned long *) = v;
		}
		n++;
	}
	va_end(a);
	return n;
}
