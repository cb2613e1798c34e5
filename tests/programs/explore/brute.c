// Counts the paths of a program of this folder by running it on every input of its domain. It is no part of veer and
// knows nothing of it: clang tells the edges that a run takes, runs with the same edges have the same path.
//
//   flags='-O0 -fsanitize-coverage=edge,trace-pc,no-prune -Dmain=program -Dread=brute_read -Dgetchar=brute_getchar'
//   clang $flags -Dputs=brute_puts -c PROGRAM.c
//   clang PROGRAM.o brute.c -o brute && ./brute objects|stdin|arg SIZE [BYTES]
//
// objects: klee_make_symbolic; stdin: read(), up to SIZE bytes of it; arg: one argument of up to SIZE bytes, or none.
// BYTES: those that inputs are made of, with \NNN in octal, where the program treats all others as one of them.
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

int program(int argc, char **argv);

static struct {
	char bytes[16];
	size_t size, taken; // taken: by the program
} input;
static uint64_t path;
static jmp_buf end;

void __sanitizer_cov_trace_pc(void)
{
	path = (path ^ (uint64_t)(uintptr_t)__builtin_return_address(0)) * 0x9e3779b97f4a7c15u;
	path ^= path >> 29;
}

static size_t take(void *to, size_t size)
{
	if (size > input.size - input.taken)
		size = input.size - input.taken;
	memcpy(to, input.bytes + input.taken, size);
	input.taken += size;
	return size;
}

void klee_make_symbolic(void *to, size_t size, const char *name)
{
	(void)name;
	take(to, size);
}

void klee_assume(uintptr_t holds)
{
	if (!holds)
		longjmp(end, 2);
}

ssize_t brute_read(int fd, void *to, size_t size)
{
	(void)fd;
	return (ssize_t)take(to, size);
}

int brute_getchar(void)
{
	unsigned char c;
	return take(&c, 1) ? c : -1;
}

int brute_puts(const char *text)
{
	return text[0];
}

void __assert_fail(const char *text, const char *file, unsigned line, const char *function)
{
	(void)text, (void)file, (void)line, (void)function;
	longjmp(end, 1);
}

// --- paths ----------------------------------------------------------------------------------------

enum { SLOTS = 1 << 16 };
static uint64_t paths[SLOTS];
static unsigned n_paths;

static void add_path(void)
{
	size_t at = path % SLOTS;
	while (paths[at] && paths[at] != path)
		at = (at + 1) % SLOTS;
	if (paths[at])
		return;
	paths[at] = path;
	if (++n_paths == SLOTS / 2) {
		fputs("too many paths\n", stderr);
		exit(1);
	}
}

static void run(int argc)
{
	char *argv[] = {"program", input.bytes, NULL};
	argv[argc] = NULL;
	input.bytes[input.size] = 0;
	input.taken = 0;
	path = 1;
	int ended = setjmp(end);
	if (ended == 0)
		program(argc, argv);
	if (ended != 2)
		add_path();
}

// --- the domain -----------------------------------------------------------------------------------

static void run_all(size_t size, const char *alphabet, size_t n, int argc)
{
	size_t digits[sizeof input.bytes] = {0};
	input.size = size;
	memset(input.bytes, alphabet[0], size);
	for (;;) {
		run(argc);
		size_t i = 0;
		while (i < size && ++digits[i] == n) {
			digits[i] = 0;
			input.bytes[i++] = alphabet[0];
		}
		if (i == size)
			return;
		input.bytes[i] = alphabet[digits[i]];
	}
}

static size_t read_alphabet(const char *text, char *ret)
{
	size_t n = 0;
	while (*text && n < 256) {
		char *after;
		ret[n++] = *text == '\\' ? (char)strtoul(text + 1, &after, 8) : *text;
		text = *text == '\\' ? after : text + 1;
	}
	return n;
}

int main(int argc, char **argv)
{
	char alphabet[256];
	size_t n = 0, size = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	if (argc < 3 || size >= sizeof input.bytes)
		return 1;
	int is_arg = strcmp(argv[1], "arg") == 0, fixed = strcmp(argv[1], "objects") == 0;
	if (argc > 3)
		n = read_alphabet(argv[3], alphabet);
	else
		for (int c = is_arg; c < 256; c++)
			alphabet[n++] = (char)c;
	if (is_arg)
		run_all(0, alphabet, n, 1);
	for (size_t i = fixed ? size : 0; i <= size; i++)
		run_all(i, alphabet, n, is_arg ? 2 : 1);
	printf("%u\n", n_paths);
	return 0;
}
