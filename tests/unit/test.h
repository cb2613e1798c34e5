// A tiny harness. A module's tests are functions in a table; each prints
// `ok MODULE: NAME` or `FAIL MODULE: NAME: file:line: condition`. A failing
// CHECK ends its test, not the program. After every test mem_live() and the
// number of open descriptors must be where they were before.
//
// The helpers here do not use the code under test, and what they allocate is
// given back when the test ends, also when a CHECK ended it.
#ifndef VEER_TESTS_UNIT_TEST_H
#define VEER_TESTS_UNIT_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

struct test {
	const char *name;
	void (*run)(void);
};

#define TEST(function) {#function, function}
#define COUNT(a) (sizeof(a) / sizeof *(a))

// Runs all tests; returns the exit status of the program.
int test_main(const char *module, const struct test *tests, size_t n);
#define TEST_MAIN(module)                                                                                              \
	int main(void)                                                                                                 \
	{                                                                                                              \
		return test_main(module, tests, COUNT(tests));                                                         \
	}

#define CHECK(condition) ((condition) ? (void)0 : test_fail(__FILE__, __LINE__, "%s", #condition))
#define CHECK_INT(expected, actual)                                                                                    \
	test_check_int(__FILE__, __LINE__, #actual, (long long)(expected), (long long)(actual))
#define CHECK_STR(expected, actual) test_check_str(__FILE__, __LINE__, #actual, expected, actual)
// For text that says what was tried: CHECK_THAT(a == b, "with %d", i)
#define CHECK_THAT(condition, format, ...)                                                                             \
	((condition) ? (void)0 : test_fail(__FILE__, __LINE__, "%s, " format, #condition, __VA_ARGS__))

_Noreturn void test_fail(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
void test_check_int(const char *file, int line, const char *what, long long expected, long long actual);
void test_check_str(const char *file, int line, const char *what, const char *expected, const char *actual);

// A path in the folder that belongs to this test and is removed after it.
char *test_path(const char *name);
const char *test_folder(void);

// Memory that lives until the end of the test.
void *test_alloc(size_t size);
char *test_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct bytes {
	uint8_t *data; // a NUL stands behind the last byte
	size_t size;
};

struct bytes test_bytes(const void *data, size_t size); // a copy
struct bytes test_read(const char *path);
void test_write(const char *path, const void *data, size_t size); // a new file, also when there was one
void test_write_text(const char *path, const char *text);
bool test_same(struct bytes a, struct bytes b);

// A copy of the bytes whose last one is followed by memory that cannot be
// read. There is one at a time: the next call takes its place.
uint8_t *test_guarded(const void *data, size_t size);

// The same numbers in every run of a test.
uint64_t test_random(void);
uint64_t test_below(uint64_t n);
// How often something random is tried: `times`, or, in a build with sanitizers, a fourth of that. They look for wrong
// accesses, which do not depend on the numbers as much as results do, and what is tried takes several times as long.
unsigned test_times(unsigned times);
// Changes some bytes between `from` and `to`: bits, extreme values, whole words.
void test_mutate(uint8_t *data, size_t from, size_t to);

// Runs a program; returns its exit status (128 + signal). Its output and its
// messages go to *output when that is not NULL, else nowhere.
int test_run(const char *const argv[], struct bytes *output);

// Runs a function in a child process, where CHECK works too; fails this test
// when it failed there. `exit_status` is what it is to return.
void test_child(int (*function)(void *opaque), void *opaque, int exit_status);

// The same in two steps, for what has to happen meanwhile.
pid_t test_start(int (*function)(void *opaque), void *opaque);
void test_check_child(int wait_status, int exit_status);

// In a child process: gives up the rights of root, for which no permission counts.
void test_drop_root(void);

// Compiles C source (or assembler, by the name's suffix) in the test's folder
// with the compiler veer uses; returns the path of the object.
char *test_compile(const char *name, const char *source, const char *option);

#endif
