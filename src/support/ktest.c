// KTEST_FILE, as KLEE's library for replaying has it: natively, what a program makes symbolic comes from the objects of
// that .ktest file, in their order. An object that is not the one the program asks for ends the program, unless
// KLEE_RUN_TEST_ERRORS_NON_FATAL is set.
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/support.h"

static struct {
	unsigned char *data;
	size_t size, at; // at: where the next object begins
	uint32_t left;   // how many there are from there on
	bool opened;
} test;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

INSIDE static void complain(const char *name, const char *what)
{
	fprintf(stderr, "error: KTEST_FILE %s: %s%s%s\n", getenv("KTEST_FILE"), what, name ? ": " : "",
	        name ? name : "");
	if (!getenv("KLEE_RUN_TEST_ERRORS_NON_FATAL"))
		exit(1);
}

// A number, highest byte first; UINT32_MAX when the file ends before.
INSIDE static uint32_t take_number(void)
{
	const unsigned char *p = test.data + test.at;
	if (test.size - test.at < 4) {
		test.at = test.size;
		return UINT32_MAX;
	}
	test.at += 4;
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

// That many bytes; NULL when the file ends before.
INSIDE static const unsigned char *take_bytes(uint32_t n)
{
	const unsigned char *p = test.data + test.at;
	if (test.size - test.at < n)
		return NULL;
	test.at += n;
	return p;
}

INSIDE static bool read_file(const char *path)
{
	FILE *in = fopen(path, "rbe");
	size_t room = 0, n = 1;
	for (; in && n && test.size < (size_t)1 << 30; test.size += n) {
		if (test.size == room) {
			unsigned char *more = realloc(test.data, room = room ? 2 * room : 4096);
			if (!more)
				break;
			test.data = more;
		}
		n = fread(test.data + test.size, 1, room - test.size, in);
	}
	if (in)
		fclose(in);
	return in && !n;
}

// Up to the first object. What KLEE was called with is of no interest.
INSIDE static bool read_head(void)
{
	const unsigned char *magic = take_bytes(5);
	if (!magic || memcmp(magic, "KTEST", 5) != 0 || take_number() != 3)
		return false;
	uint32_t arguments = take_number();
	for (uint32_t i = 0; i < arguments; i++)
		if (!take_bytes(take_number()))
			return false;
	if (!take_bytes(8))
		return false;
	test.left = take_number();
	return test.left != UINT32_MAX;
}

// KLEE says x for every object that is called x; veer, in its exports, too, but for those that really are x_1.
INSIDE static bool is_called(const unsigned char *name, uint32_t size, const char *wanted)
{
	return strlen(wanted) == size && memcmp(name, wanted, size) == 0;
}

// The next object goes to `data`; false when there is none.
INSIDE static bool take_object(void *data, size_t size, const char *wanted)
{
	for (; test.left; test.left--) {
		uint32_t name_size = take_number();
		const unsigned char *name = take_bytes(name_size);
		uint32_t has = name ? take_number() : 0;
		const unsigned char *bytes = name ? take_bytes(has) : NULL;
		if (!bytes) {
			test.left = 0;
			complain(NULL, "the file is damaged");
			return false;
		}
		if (is_called(name, name_size, "model_version") && (!wanted || strcmp(wanted, "model_version") != 0))
			continue; // of KLEE's model of POSIX
		test.left--;
		if (wanted && !is_called(name, name_size, wanted))
			complain(wanted, "the next object is another one than the program asks for");
		if (wanted && has != size)
			complain(wanted, "the object has another size");
		memcpy(data, bytes, has < size ? has : size);
		if (has < size) // a number is the same with more bytes
			memset((char *)data + has, !wanted && has && bytes[has - 1] & 0x80 ? 0xff : 0, size - has);
		return true;
	}
	return false;
}

SUPPORT void veer_support_take(void *data, size_t size, const char *name)
{
	const char *path = getenv("KTEST_FILE");
	if (!path || !*path || !size)
		return;
	pthread_mutex_lock(&lock);
	if (!test.opened) {
		test.opened = true;
		if (!read_file(path) || !read_head()) {
			test.left = 0;
			complain(NULL, "this is no .ktest file of version 3 that can be read");
		}
	}
	if (!take_object(data, size, name)) {
		complain(name, "there are no more objects");
		memset(data, 0, size);
	}
	pthread_mutex_unlock(&lock);
}
