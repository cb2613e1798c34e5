// A target for libFuzzer: the reader of KTEST_FILE that is linked into programs. Built and run by bench/interop/fuzz.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/ktest.c" // whole: what it has read is forgotten between inputs

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static int file;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	static char path[64];
	(void)argc;
	(void)argv;
	file = memfd_create("ktest", 0);
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	setenv("KTEST_FILE", path, 1);
	setenv("KLEE_RUN_TEST_ERRORS_NON_FATAL", "1", 1);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char x[4], y[1];
	if (!size || ftruncate(file, 0) < 0 || pwrite(file, data + 1, size - 1, 0) < 0)
		return 0;
	free(test.data);
	memset(&test, 0, sizeof test);
	for (int i = 0; i < 3; i++) {
		veer_support_take(x, sizeof x, "x");
		veer_support_take(y, sizeof y, NULL);
	}
	return 0;
}
