// Objects whose size is input, and accesses at offsets that are not. `sizes FORM FILE` reads a file of a size, a
// count and data; each FORM fits the file that its test gives it and overflows with another one. The line of the
// overflow is marked with the name of the form and the kinds it may have; /* fits NAME */ marks forms that are right.
#define _GNU_SOURCE
#include <alloca.h>
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

static unsigned char h[256]; // the file
static size_t length;
static FILE *file;
static volatile int sink; // keeps what is read

static unsigned u16(const unsigned char *p)
{
	return p[0] | (unsigned)p[1] << 8;
}

// --- heap, accesses of the program's own -----------------------------------------------------------

static void loop(void)
{
	unsigned char *b = malloc(h[0] * 2u + 8);
	for (int i = 0; i < h[1] + h[2]; i++)
		b[i] = 0; /* bug loop: heap-buffer-overflow */
	sink = b[0];
	free(b);
}

static void constant(void)
{
	int *b = malloc(h[0] * sizeof *b);
	b[5] = 1; /* bug constant: heap-buffer-overflow */
	sink = b[5];
	free(b);
}

static void reads(void)
{
	unsigned char *b = calloc(h[0], 1);
	sink = b[12]; /* bug reads: heap-buffer-overflow */
	free(b);
}

struct record {
	uint32_t n, kind;
	unsigned char data[];
};

static void flexible(void)
{
	struct record *r = malloc(sizeof *r + h[0]);
	r->n = h[0];
	r->kind = h[1];
	for (unsigned i = 0; i < h[1]; i++)
		r->data[i] = h[2 + i]; /* bug flexible: heap-buffer-overflow */
	sink = r->data[0];
	free(r);
}

static void header(void)
{
	struct record *r = malloc(h[0]);
	r->kind = 2; /* bug header: heap-buffer-overflow */
	sink = (int)r->kind;
	free(r);
}

static void product(void)
{
	unsigned w = h[0], d = h[1], bytes = h[2];
	unsigned char *image = malloc((size_t)w * d * bytes);
	for (unsigned y = 0; y < d; y++)
		for (unsigned x = 0; x < w; x++)
			memcpy(image + (y * w + x) * bytes, "rgba", 4); /* bug product: heap-buffer-overflow */
	sink = image[0];
	free(image);
}

static void factors(void)
{
	uint32_t *t = calloc(h[0], h[1]);
	for (unsigned i = 0; i < h[2]; i++)
		t[i] = i; /* bug factors: heap-buffer-overflow */
	sink = (int)t[0];
	free(t);
}

static void narrow(void)
{
	uint8_t size = (uint8_t)(h[0] + h[1]);
	char *b = malloc(size);
	for (int i = 0; i < 20; i++)
		b[i] = 'x'; /* bug narrow: heap-buffer-overflow */
	sink = b[1];
	free(b);
}

static void rounded(void)
{
	size_t size = (u16(h) + 7u) & ~7u;
	char *b = malloc(size);
	b[33] = 1; /* bug rounded: heap-buffer-overflow */
	sink = b[33];
	free(b);
}

static void grows(void)
{
	uint8_t room = h[0];
	char *b = malloc(room);
	if (h[1] > room) {
		room = (uint8_t)(2 * room);
		b = realloc(b, room + 1u);
	}
	for (int i = 0; i < h[1]; i++)
		b[i] = 'x'; /* bug grows: heap-buffer-overflow */
	sink = b[0];
	free(b);
}

static void again(void)
{
	char *b = malloc(64);
	memset(b, 0, 64);
	b = realloc(b, h[0]);
	b[40] = 1; /* bug again: heap-buffer-overflow */
	sink = b[40];
	free(b);
}

static void array_again(void)
{
	long *b = reallocarray(NULL, h[0], sizeof *b);
	b[6] = 1; /* bug array_again: heap-buffer-overflow */
	sink = (int)b[6];
	free(b);
}

static void aligned(void)
{
	char *b = NULL;
	if (posix_memalign((void **)&b, 64, h[0]))
		return;
	b[10] = 1; /* bug aligned: heap-buffer-overflow */
	sink = b[10];
	free(b);
}

static __attribute__((noinline)) void put(char *at, int c)
{
	*at = (char)c; /* bug callee: heap-buffer-overflow */
}

static void callee(void)
{
	char *b = malloc(h[0]);
	for (int i = 0; i < 9; i++)
		put(b + i, i);
	sink = b[8];
	free(b);
}

static void walk(void)
{
	char *b = malloc(h[0]), *p = b;
	p += 6;
	*p++ = 'a'; /* bug walk: heap-buffer-overflow */
	sink = *b;
	free(b);
}

static void many(void) // the loop's bound is no input
{
	char *b = malloc(u16(h) + 1u);
	for (int i = 0; i < 4096; i++)
		b[i] = 1; /* bug many: heap-buffer-overflow */
	sink = b[9];
	free(b);
}

struct pair {
	long double a; // has no label
	int b;
};

static void structures(void)
{
	struct pair one = {1, 2}, *p = malloc(h[0] * sizeof *p);
	p[2] = one; /* bug structures: heap-buffer-overflow */
	sink = p[2].b;
	free(p);
}

static void wide(void)
{
	long double *p = malloc(h[0] * sizeof *p);
	p[2] = 1; /* bug wide: heap-buffer-overflow */
	sink = p[2] != 0;
	free(p);
}

// --- stack -----------------------------------------------------------------------------------------

static void vla(void)
{
	int n = h[0] + 1, t[n], *p = t;
	for (int i = 0; i < h[1]; i++)
		*p++ = i; /* bug vla: dynamic-stack-buffer-overflow */
	sink = t[0];
}

static void on_stack(void)
{
	char *b = alloca(h[0] + 1u);
	b[9] = 1; /* bug on_stack: dynamic-stack-buffer-overflow stack-buffer-overflow */
	sink = b[9];
}

// --- sizes that libc is given, or makes ----------------------------------------------------------------

static void sets(void)
{
	char *b = malloc(h[0]);
	memset(b, 0, 16); /* bug sets: heap-buffer-overflow */
	sink = b[0];
	free(b);
}

static void sets_more(void)
{
	int *b = malloc(h[0] + 16u);
	memset(b, 0, h[1] * sizeof *b); /* bug sets_more: heap-buffer-overflow */
	sink = b[0];
	free(b);
}

static void copies(void)
{
	char *b = malloc(h[0]);
	memcpy(b, h, h[1]); /* bug copies: heap-buffer-overflow */
	sink = b[0];
	free(b);
}

static void copies_from(void)
{
	char *b = calloc(1, h[0]), to[32];
	memmove(to, b, sizeof to); /* bug copies_from: heap-buffer-overflow */
	sink = to[1];
	free(b);
}

static void input(void)
{
	char *b = malloc(h[0]);
	rewind(file);
	sink = (int)fread(b, 1, 12, file); /* bug input: heap-buffer-overflow */
	free(b);
}

static void input_more(void)
{
	char b[32];
	rewind(file);
	sink = (int)fread(b, 2, h[0], file); /* bug input_more: stack-buffer-overflow */
}

static void input_items(void)
{
	char *b = malloc(24);
	rewind(file);
	sink = (int)fread(b, h[0], 1, file); /* bug input_items: heap-buffer-overflow */
	free(b);
}

static void scans(void)
{
	char *b = malloc(h[0]);
	fseek(file, 1, SEEK_SET);
	sink = fscanf(file, "%20s", b); /* bug scans: heap-buffer-overflow */
	free(b);
}

static void input_fd(void)
{
	char *b = malloc(h[0]);
	sink = (int)pread(fileno(file), b, 12, 0); /* bug input_fd: heap-buffer-overflow */
	free(b);
}

static void line(void)
{
	char *b = malloc(h[0]);
	fseek(file, 1, SEEK_SET);
	if (fgets(b, 16, file)) /* bug line: heap-buffer-overflow */
		sink = b[0];
	free(b);
}

static void line_again(void)
{
	char *b = malloc(h[0]);
	fseek(file, 1, SEEK_SET);
	if (fgets(b, h[1], file)) /* bug line_again: heap-buffer-overflow */
		sink = b[0];
	free(b);
}

// --- written as a whole: whatever the size is, the call goes well ----------------------------------

static void cleared(void)
{
	char *b = malloc(h[0]);
	memset(b, 0, h[0]);
	b[12] = 1; /* bug cleared: heap-buffer-overflow */
	sink = b[12];
	free(b);
}

static void cleared_items(void)
{
	int *b = malloc(h[0] * sizeof *b);
	bzero(b, h[0] * sizeof *b);
	b[5] = 1; /* bug cleared_items: heap-buffer-overflow */
	sink = b[5];
	free(b);
}

static void cloned(void)
{
	char *b = malloc(h[0]);
	memcpy(b, h, h[0]);
	sink = b[12]; /* bug cloned: heap-buffer-overflow */
	free(b);
}

static void cloned_by_pointer(void)
{
	void *(*volatile copy)(void *, const void *, size_t) = memmove;
	char *b = malloc(h[0]);
	copy(b, h, h[0]);
	sink = b[12]; /* bug cloned_by_pointer: heap-buffer-overflow */
	free(b);
}

static void on_stack_as_well(void)
{
	char *b = strdupa((char *)h);
	b[5] = 'x'; /* bug on_stack_as_well: dynamic-stack-buffer-overflow */
	sink = b[5];
}

// --- parts of texts without an end -----------------------------------------------------------------

static char *four(void)
{
	return memset(malloc(4), 'a', 4);
}

static void part_length(void)
{
	sink = (int)strnlen(four(), h[0]); /* bug part_length: heap-buffer-overflow */
}

static void part_duplicate(void)
{
	char *b = four();
	sink = *strndup(b, h[0]); /* bug part_duplicate: heap-buffer-overflow */
}

static void part_source(void)
{
	char to[300];
	strncpy(to, four(), h[0]); /* bug part_source: heap-buffer-overflow */
	sink = to[0];
}

static void part_appended(void)
{
	char *b = calloc(1, 4);
	strncat(b, "a text of some length", h[0]); /* bug part_appended: heap-buffer-overflow */
	sink = b[0];
	free(b);
}

static void prints(void)
{
	char *b = malloc(h[0]);
	sink = snprintf(b, 64, "%s", "a text of some length"); /* bug prints: heap-buffer-overflow */
	free(b);
}

static void prints_more(void)
{
	char *b = malloc(16);
	sink = snprintf(b, h[0], "%s", "a text of some length"); /* bug prints_more: heap-buffer-overflow */
	free(b);
}

static void prints_all(void)
{
	char *b = malloc(h[0]);
	sink = sprintf(b, "%d items", 1000); /* bug prints_all: heap-buffer-overflow */
	free(b);
}

static void string(void)
{
	char *b = malloc(h[0]);
	strcpy(b, "eleven char"); /* bug string: heap-buffer-overflow */
	sink = b[0];
	free(b);
}

static void part(void)
{
	char *b = malloc(h[0]);
	strncpy(b, (char *)h, 9); /* bug part: heap-buffer-overflow */
	sink = b[0];
	free(b);
}

static void other(void) // as large as one string, filled with another
{
	const char *first = (char *)h, *second = first + strlen(first) + 1;
	char *b = malloc(strlen(first) + 1);
	strcpy(b, second); /* bug other: heap-buffer-overflow */
	sink = b[0];
	free(b);
}

static void duplicate(void)
{
	char *b = strdup((char *)h);
	sink = b[3]; /* bug duplicate: heap-buffer-overflow */
	free(b);
}

static void duplicate_part(void)
{
	char *b = strndup((char *)h, 20);
	b[6] = 'x'; /* bug duplicate_part: heap-buffer-overflow */
	sink = b[1];
	free(b);
}

static void formatted(void)
{
	char *b = NULL;
	if (asprintf(&b, "%s", (char *)h) < 0)
		return;
	sink = b[7]; /* bug formatted: heap-buffer-overflow */
	free(b);
}

static void cleared_table(void)
{
	unsigned rows = h[0] + 1u, columns = h[1] + 1u;
	int table[rows][columns];
	memset(table, 0, sizeof table);
	int *cells = &table[0][0];
	cells[12] = 7; /* bug cleared_table: dynamic-stack-buffer-overflow */
	sink = cells[12];
}

static void formatted_part(void)
{
	char *b = NULL;
	if (asprintf(&b, "%.*s", h[0], "0123456789abcdefghij") < 0)
		return;
	b[6] = 1; /* bug formatted_part: heap-buffer-overflow */
	sink = b[6];
	free(b);
}

static void formatted_parts(void)
{
	char b[16];
	sprintf(b, "<%.*s>", h[0], "0123456789abcdefghij"); /* bug formatted_parts: stack-buffer-overflow */
	sink = b[0];
}

static void formatted_width(void)
{
	char b[16];
	sprintf(b, "%*d", h[0], h[1]); /* bug formatted_width: stack-buffer-overflow */
	sink = b[0];
}

static void formatted_digits(void)
{
	char b[16];
	sprintf(b, "<%.*d>", h[0], h[1]); /* bug formatted_digits: stack-buffer-overflow */
	sink = b[0];
}

static int by_value(const void *a, const void *b)
{
	return *(const unsigned char *)a - *(const unsigned char *)b; /* bug sorts: heap-buffer-overflow */
}

static int by_value_too(const void *a, const void *b)
{
	return *(const unsigned char *)a - *(const unsigned char *)b; /* bug sorts_more: stack-buffer-overflow */
}

static void sorts(void)
{
	unsigned char *b = calloc(h[0], 1);
	qsort(b, 10, 1, by_value);
	sink = b[0];
	free(b);
}

static void sorts_more(void)
{
	unsigned char b[16] = {0};
	qsort(b, h[0], 1, by_value_too);
	sink = b[0];
}

static void compares(void)
{
	char *b = calloc(h[0], 1);
	sink = memcmp(b, "\0\0\0\0\0\0\0\0\0\0\0x", 12); /* bug compares: heap-buffer-overflow */
	free(b);
}

static void finds(void)
{
	char *b = calloc(h[0], 1);
	sink = memchr(b, 'x', 14) != NULL; /* bug finds: heap-buffer-overflow */
	free(b);
}

static void writes(void)
{
	char *b = calloc(h[0], 1);
	sink = (int)fwrite(b, 1, 14, stderr); /* bug writes: heap-buffer-overflow */
	free(b);
}

// --- texts in what became smaller ------------------------------------------------------------------

static char *shrunk(void)
{
	return realloc(strcpy(malloc(64), "a text of some length"), h[0]);
}

static void shrunk_length(void)
{
	sink = (int)strlen(shrunk()); /* bug shrunk_length: heap-buffer-overflow */
}

static void shrunk_printed(void)
{
	char b[64];
	sink = sprintf(b, "%s!", shrunk()); /* bug shrunk_printed: heap-buffer-overflow */
}

static void shrunk_put(void)
{
	sink = puts(shrunk()); /* bug shrunk_put: heap-buffer-overflow */
}

static void shrunk_compared(void)
{
	sink = strcmp(shrunk(), "a text of more length"); /* bug shrunk_compared: heap-buffer-overflow */
}

static void shrunk_searched(void)
{
	sink = strchr(shrunk(), 'l') != NULL; /* bug shrunk_searched: heap-buffer-overflow */
}

static void shrunk_last(void)
{
	sink = strrchr(shrunk(), 'x') != NULL; /* bug shrunk_last: heap-buffer-overflow */
}

static void shrunk_part(void)
{
	sink = strstr(shrunk(), "some") != NULL; /* bug shrunk_part: heap-buffer-overflow */
}

static void shrunk_set(void)
{
	sink = (int)strcspn(shrunk(), "g"); /* bug shrunk_set: heap-buffer-overflow */
}

// --- what the system writes ------------------------------------------------------------------------

static void folder(void)
{
	char *b = malloc(h[0]);
	sink = getcwd(b, 4096) != NULL; /* bug folder: heap-buffer-overflow */
	free(b);
}

static void address(void)
{
	char *b = malloc(h[0]);
	sink = inet_ntop(AF_INET, "\177\0\0\1", b, 64) != NULL; /* bug address: heap-buffer-overflow */
	free(b);
}

// --- right -------------------------------------------------------------------------------------------

static void bounded(void) /* fits bounded */
{
	unsigned char *b = malloc(h[0] + 1u);
	for (int i = 0; i < h[1] && i <= h[0]; i++)
		b[i] = 0;
	sink = b[0];
	free(b);
}

static void counted(void) /* fits counted */
{
	size_t n = u16(h);
	if (n < 20 || n > 1000)
		return;
	char *b = malloc(n);
	memset(b, 0, n);
	b[19] = 1;
	b[n - 1] = 1;
	sink = b[19];
	free(b);
}

static void copied(void) /* fits copied */
{
	size_t n = strlen((char *)h);
	char *b = malloc(n + 1);
	for (size_t i = 0; i <= n; i++)
		b[i] = (char)h[i];
	int sum = 0;
	for (const char *p = b; *p; p++)
		sum += *p;
	sink = sum;
	free(b);
}

static void reused(void) /* fits reused */
{
	char *b = malloc(h[0]);
	free(b);
	b = malloc(64); // may be where the other was
	b[63] = 1;
	sink = b[63];
	free(b);
}

static __attribute__((noinline)) void vla_before(int n)
{
	volatile char t[n];
	t[0] = 1;
	sink = t[0];
}

static __attribute__((noinline)) void fixed_after(char *p)
{
	for (int i = 0; i < 512; i++)
		p[i] = 1;
	sink = p[0];
}

static void gone(void) /* fits gone */
{
	char large[512];
	vla_before(h[0] + 1);
	fixed_after(large);
	sink = large[2];
}

static const struct form {
	const char *name;
	void (*run)(void);
} forms[] = {
	{"loop", loop},
	{"constant", constant},
	{"reads", reads},
	{"flexible", flexible},
	{"header", header},
	{"product", product},
	{"factors", factors},
	{"narrow", narrow},
	{"rounded", rounded},
	{"grows", grows},
	{"again", again},
	{"array_again", array_again},
	{"aligned", aligned},
	{"callee", callee},
	{"walk", walk},
	{"many", many},
	{"structures", structures},
	{"wide", wide},
	{"vla", vla},
	{"on_stack", on_stack},
	{"sets", sets},
	{"sets_more", sets_more},
	{"copies", copies},
	{"copies_from", copies_from},
	{"input", input},
	{"input_more", input_more},
	{"input_items", input_items},
	{"scans", scans},
	{"input_fd", input_fd},
	{"line", line},
	{"prints", prints},
	{"prints_more", prints_more},
	{"prints_all", prints_all},
	{"string", string},
	{"part", part},
	{"other", other},
	{"duplicate", duplicate},
	{"duplicate_part", duplicate_part},
	{"formatted", formatted},
	{"cleared_table", cleared_table},
	{"formatted_part", formatted_part},
	{"formatted_parts", formatted_parts},
	{"formatted_width", formatted_width},
	{"formatted_digits", formatted_digits},
	{"line_again", line_again},
	{"cleared", cleared},
	{"cleared_items", cleared_items},
	{"cloned", cloned},
	{"cloned_by_pointer", cloned_by_pointer},
	{"on_stack_as_well", on_stack_as_well},
	{"part_length", part_length},
	{"part_duplicate", part_duplicate},
	{"part_source", part_source},
	{"part_appended", part_appended},
	{"sorts", sorts},
	{"sorts_more", sorts_more},
	{"compares", compares},
	{"finds", finds},
	{"writes", writes},
	{"shrunk_length", shrunk_length},
	{"shrunk_printed", shrunk_printed},
	{"shrunk_put", shrunk_put},
	{"shrunk_compared", shrunk_compared},
	{"shrunk_searched", shrunk_searched},
	{"shrunk_last", shrunk_last},
	{"shrunk_part", shrunk_part},
	{"shrunk_set", shrunk_set},
	{"folder", folder},
	{"address", address},
	{"bounded", bounded},
	{"counted", counted},
	{"copied", copied},
	{"reused", reused},
	{"gone", gone},
};

int main(int argc, char **argv)
{
	if (argc != 3 || !(file = fopen(argv[2], "rb")))
		return 2;
	length = fread(h, 1, sizeof h - 1, file);
	if (length < 8)
		return 2;
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (strcmp(argv[1], forms[i].name) == 0)
			forms[i].run();
	return 0;
}
