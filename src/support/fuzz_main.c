// main() for a fuzz target of libFuzzer, which has none: runs the target once on each file
// that is named, or on standard input. Options of libFuzzer are ignored.
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <veer.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv) __attribute__((weak));

static void fail(const char *name)
{
	fprintf(stderr, "cannot read %s: %s\n", name, strerror(errno));
	exit(1);
}

static uint8_t *read_all(int fd, const char *name, size_t *ret_size)
{
	size_t size = 0, room = 4096;
	uint8_t *data = malloc(room);
	for (;;) {
		if (!data)
			fail(name);
		ssize_t n = read(fd, data + size, room - size);
		if (n == 0)
			break;
		if (n < 0 && errno != EINTR)
			fail(name);
		size += n > 0 ? (size_t)n : 0;
		if (size == room)
			data = realloc(data, room *= 2);
	}
	*ret_size = size;
	return data;
}

// The target gets a block of exactly the input's size: what reads behind it is found.
static void run_on(int fd, const char *name)
{
	size_t size;
	uint8_t *content = read_all(fd, name, &size), *data = malloc(size);
	if (size && !data)
		fail(name);
	if (size)
		memcpy(data, content, size);
	free(content);
	// What is symbolic already, because standard input or the file is, can grow.
	if (veer_make_symbolic && !(veer_is_symbolic && veer_is_symbolic(data, size)))
		veer_make_symbolic(data, size, "input");
	LLVMFuzzerTestOneInput(data, size);
	if (veer_make_concrete)
		veer_make_concrete(data, size);
	free(data);
}

// In this section: its lines are none of the program's (support.h).
__attribute__((section(".text.veer_support"))) int main(int argc, char **argv)
{
	int files = 0;
	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	for (int i = 1; i < argc; i++) {
		if (argv[i][0] == '-')
			continue;
		int fd = open(argv[i], O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			fail(argv[i]);
		run_on(fd, argv[i]);
		close(fd);
		files++;
	}
	if (!files)
		run_on(0, "standard input");
	return 0;
}
