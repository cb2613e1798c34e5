// Reads a file, or standard input, in one of many ways, and says what it found: what it says
// must be reachable from the conditions of any run. usage: reader WAY FILE (- is standard input)
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <wchar.h>

static char text[64];
static const char *path;

static int open_input(void)
{
	return strcmp(path, "-") == 0 ? 0 : open(path, O_RDONLY);
}

static FILE *stream(void)
{
	FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
	if (!f)
		exit(2);
	return f;
}

static long by_read(void)
{
	return read(open_input(), text, sizeof text);
}

static long by_pieces(void) // until there is no more
{
	int fd = open_input();
	long n = 0;
	for (ssize_t r; (r = read(fd, text + n, sizeof text - (size_t)n)) > 0;)
		n += r;
	return n;
}

static long by_pread(void)
{
	return pread(open_input(), text, sizeof text, 0);
}

static long by_readv(void)
{
	struct iovec v[] = {{text, 3}, {text + 3, sizeof text - 3}};
	return readv(open_input(), v, 2);
}

static long by_preadv(void)
{
	struct iovec v[] = {{text, 3}, {text + 3, sizeof text - 3}};
	return preadv(open_input(), v, 2, 0);
}

static long by_mmap(void)
{
	struct stat st;
	int fd = open_input();
	fstat(fd, &st);
	char *p = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p != MAP_FAILED)
		memcpy(text, p, 5);
	return st.st_size;
}

static long by_stat(void)
{
	struct stat st;
	stat(path, &st);
	long n = read(open_input(), text, st.st_size);
	return n;
}

static long by_statx(void)
{
	struct statx x;
	statx(AT_FDCWD, path, 0, STATX_SIZE, &x);
	return read(open_input(), text, x.stx_size);
}

static long by_lseek(void)
{
	int fd = open_input();
	long n = lseek(fd, 0, SEEK_END);
	lseek(fd, 0, SEEK_SET);
	read(fd, text, n);
	return n;
}

static long by_fread(void)
{
	return (long)fread(text, 1, sizeof text, stream());
}

static long by_items(void) // of five bytes
{
	size_t n = fread(text, 5, 4, stream());
	return n == 0 ? 0 : n == 1 ? 5 : 10;
}

static long by_fseek(void)
{
	FILE *f = stream();
	fseek(f, 0, SEEK_END);
	long n = ftell(f);
	rewind(f);
	fread(text, 1, n, f);
	return n;
}

static long by_getc(void)
{
	FILE *f = stream();
	long n = 0;
	for (int c; n < 60 && (c = getc(f)) != EOF;)
		text[n++] = (char)c;
	return n;
}

static long by_getc_unlocked(void)
{
	FILE *f = stream();
	long n = 0;
	for (int c; n < 60 && (c = getc_unlocked(f)) != EOF;)
		text[n++] = (char)c;
	return n;
}

extern int __uflow(FILE *);

static long by_macro(void) // what getc_unlocked was in older headers
{
	FILE *f = stream();
	long n = 0;
	for (int c; n < 60; text[n++] = (char)c) {
		c = f->_IO_read_ptr >= f->_IO_read_end ? __uflow(f) : *(unsigned char *)f->_IO_read_ptr++;
		if (c == EOF)
			break;
	}
	return n;
}

static long by_peek(void) // into the buffer, as gnulib's freadptr and freadseek do
{
	FILE *f = stream();
	long n = 0;
	for (int c; n < 60 && (c = getc(f)) != EOF;) {
		text[n++] = (char)c;
		long ahead = f->_IO_read_end - f->_IO_read_ptr;
		if (ahead > 60 - n)
			ahead = 60 - n;
		memcpy(text + n, f->_IO_read_ptr, (size_t)ahead);
		f->_IO_read_ptr += ahead;
		n += ahead;
	}
	return n;
}

static long by_feof(void)
{
	FILE *f = stream();
	long n = 0;
	while (n < 60 && !feof(f)) {
		int c = getc(f);
		text[n++] = (char)c;
	}
	return n - 1;
}

static long by_ungetc(void)
{
	FILE *f = stream();
	long n = 0;
	for (int c; n < 60 && (c = getc(f)) != EOF; text[n++] = (char)c) {
		ungetc(c, f);
		c = getc(f);
		ungetc(c ^ 1, f);
		c = getc(f) ^ 1;
	}
	return n;
}

static long by_fgets(void)
{
	long n = sizeof text;
	memset(text, 1, sizeof text);
	if (!fgets(text, sizeof text, stream()))
		return 0;
	while (text[--n]) // there may be others before the terminator
		;
	return n;
}

static long by_getline(void)
{
	char *line = NULL;
	size_t size = 0;
	long n = getline(&line, &size, stream());
	if (n <= 0)
		return 0;
	memcpy(text, line, n < 60 ? n : 60);
	free(line);
	return n;
}

static long by_getdelim(void)
{
	char *line = NULL;
	size_t size = 0;
	long n = getdelim(&line, &size, ';', stream());
	if (n > 0)
		memcpy(text, line, n < 60 ? n : 60);
	free(line);
	return n < 0 ? 0 : n;
}

static long by_getwc(void)
{
	FILE *f = stream();
	long n = 0;
	for (wint_t c; n < 60 && (c = getwc(f)) != WEOF;)
		text[n++] = (char)c;
	return n;
}

static long by_recv(void) // another process sends the file
{
	int ends[2];
	socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	if (fork() == 0) {
		char buffer[64];
		ssize_t n = read(open_input(), buffer, sizeof buffer);
		send(ends[1], buffer, n > 0 ? (size_t)n : 0, 0);
		_exit(0);
	}
	close(ends[1]);
	long n = 0;
	for (ssize_t r; (r = recv(ends[0], text + n, sizeof text - (size_t)n, 0)) > 0;)
		n += r;
	return n;
}

static const struct {
	const char *name;
	long (*read)(void);
} ways[] = {
	{"read", by_read},       {"pieces", by_pieces},     {"pread", by_pread},
	{"readv", by_readv},     {"preadv", by_preadv},     {"mmap", by_mmap},
	{"stat", by_stat},       {"statx", by_statx},       {"lseek", by_lseek},
	{"fread", by_fread},     {"items", by_items},       {"fseek", by_fseek},
	{"getc", by_getc},       {"feof", by_feof},         {"getc_unlocked", by_getc_unlocked},
	{"macro", by_macro},     {"ungetc", by_ungetc},     {"fgets", by_fgets},
	{"getline", by_getline}, {"getdelim", by_getdelim}, {"getwc", by_getwc},
	{"recv", by_recv},       {"peek", by_peek},
};

int main(int argc, char **argv)
{
	long n = -1;
	path = argc > 2 ? argv[2] : "-";
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		if (argc > 1 && strcmp(argv[1], ways[i].name) == 0)
			n = ways[i].read();
	if (n < 0)
		return 2;
	if (n == 0)
		puts("found nothing");
	else if (n > 5)
		puts("found more");
	else if (n == 5 && memcmp(text, "magic", 5) == 0)
		puts("found magic");
	else
		puts("found other");
	return 0;
}
