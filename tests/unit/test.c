#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "config.h"

enum { PAGE = 4096, SECONDS = 120, CHILD_FAILED = 99 };

struct block {
	struct block *next;
	_Alignas(16) char data[];
};

static struct {
	const char *module, *test;
	char folder[PATH_MAX];
	bool failed, child;
	jmp_buf end;
	struct block *blocks;
	uint64_t random;
	uint8_t *guarded;
	size_t guarded_size;
} state;

// Read by LeakSanitizer. Z3 loses what a tactic holds when a limit ends it, although its context is released.
const char *__lsan_default_suppressions(void);
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void)
{
	return "leak:libz3.so\n";
}

// One line, whatever the text holds.
static void say_failed(const char *file, int line, const char *format, va_list ap)
{
	const char *slash = strrchr(file, '/');
	char text[4096];
	vsnprintf(text, sizeof text, format, ap);
	printf("FAIL %s: %s: %s:%d: ", state.module, state.test, slash ? slash + 1 : file, line);
	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		if (*p < ' ')
			printf("\\x%02x", *p);
		else
			putchar(*p);
	printf("\n");
	fflush(stdout);
}

_Noreturn static void end_test(void)
{
	state.failed = true;
	if (state.child)
		_exit(CHILD_FAILED);
	longjmp(state.end, 1);
}

_Noreturn void test_fail(const char *file, int line, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	say_failed(file, line, format, ap);
	va_end(ap);
	end_test();
}

void test_check_int(const char *file, int line, const char *what, long long expected, long long actual)
{
	if (expected != actual)
		test_fail(file, line, "%s is %lld, not %lld", what, actual, expected);
}

void test_check_str(const char *file, int line, const char *what, const char *expected, const char *actual)
{
	if (expected == actual || (expected && actual && strcmp(expected, actual) == 0))
		return;
	test_fail(file, line, "%s is '%s', not '%s'", what, actual ? actual : "NULL", expected ? expected : "NULL");
}

#define NEED(condition) ((condition) ? (void)0 : test_fail(__FILE__, __LINE__, "%s: %s", #condition, strerror(errno)))

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *where)
{
	return type == FTW_DP ? rmdir(path) : unlink(path);
}

static int open_up(const char *path, const struct stat *st, int type, struct FTW *where)
{
	if (type == FTW_D || type == FTW_DNR)
		chmod(path, 0700);
	return 0;
}

static void remove_folder(const char *path)
{
	nftw(path, open_up, 16, FTW_PHYS); // a test may have closed a folder to itself
	nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void make_folder(void)
{
	const char *where = getenv("TMPDIR");
	snprintf(state.folder, sizeof state.folder, "%s/veer-unit-XXXXXX", where && *where ? where : "/tmp");
	if (!mkdtemp(state.folder) || chmod(state.folder, 0777) < 0) {
		perror(state.folder);
		exit(1);
	}
}

static void free_blocks(void)
{
	while (state.blocks) {
		struct block *next = state.blocks->next;
		free(state.blocks);
		state.blocks = next;
	}
	if (state.guarded)
		munmap(state.guarded, state.guarded_size + PAGE);
	state.guarded = NULL;
}

static int open_descriptors(void)
{
	int n = 0;
	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void run_one(const struct test *test)
{
	long before = mem_live();
	int descriptors = open_descriptors();
	state.test = test->name;
	state.failed = false;
	state.random = 0x5eed;
	make_folder();
	if (setjmp(state.end) == 0) {
		test->run();
		if (mem_live() != before)
			test_fail(__FILE__, __LINE__, "%ld blocks are still allocated", mem_live() - before);
		if (open_descriptors() != descriptors)
			test_fail(__FILE__, __LINE__, "%d descriptors are still open",
			          open_descriptors() - descriptors);
		printf("ok %s: %s\n", state.module, state.test);
	}
	remove_folder(state.folder);
	free_blocks();
}

static void too_long(int signal)
{
	char text[256];
	int n = snprintf(text, sizeof text, "FAIL %s: %s: took too long\n", state.module, state.test);
	ssize_t ignored = write(1, text, (size_t)n);
	(void)ignored;
	_exit(state.child ? CHILD_FAILED : 1);
}

int test_main(const char *module, const struct test *tests, size_t n)
{
	bool failed = false;
	setvbuf(stdout, NULL, _IOLBF, 0);
	state.module = module;
	signal(SIGALRM, too_long);
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	umask(022);
	for (size_t i = 0; i < n; i++) {
		alarm(SECONDS);
		run_one(&tests[i]);
		failed |= state.failed;
	}
	fflush(stdout);
	if (failed)
		_exit(1); // what a failed test did not give back is no news
	return 0;
}

void *test_alloc(size_t size)
{
	struct block *block = malloc(sizeof *block + size + 1);
	NEED(block);
	block->next = state.blocks;
	state.blocks = block;
	block->data[size] = 0;
	return block->data;
}

char *test_printf(const char *format, ...)
{
	va_list ap, again;
	va_start(ap, format);
	va_copy(again, ap);
	size_t n = (size_t)vsnprintf(NULL, 0, format, ap);
	char *text = test_alloc(n);
	vsnprintf(text, n + 1, format, again);
	va_end(again);
	va_end(ap);
	return text;
}

const char *test_folder(void)
{
	return state.folder;
}

char *test_path(const char *name)
{
	return test_printf("%s/%s", state.folder, name);
}

struct bytes test_bytes(const void *data, size_t size)
{
	struct bytes copy = {test_alloc(size), size};
	if (size)
		memcpy(copy.data, data, size);
	return copy;
}

struct bytes test_read(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	NEED(fd >= 0 && fstat(fd, &st) == 0);
	struct bytes content = {test_alloc((size_t)st.st_size), (size_t)st.st_size};
	NEED(read(fd, content.data, content.size) == (ssize_t)content.size);
	close(fd);
	return content;
}

void test_write(const char *path, const void *data, size_t size)
{
	unlink(path); // some file systems write at once what replaces the content of a file: slow
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	NEED(fd >= 0);
	for (size_t at = 0; at < size;) {
		ssize_t n = write(fd, (const char *)data + at, size - at);
		NEED(n > 0);
		at += (size_t)n;
	}
	NEED(close(fd) == 0);
}

void test_write_text(const char *path, const char *text)
{
	test_write(path, text, strlen(text));
}

bool test_same(struct bytes a, struct bytes b)
{
	return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

uint8_t *test_guarded(const void *data, size_t size)
{
	size_t room = (size + PAGE - 1) / PAGE * PAGE;
	if (!state.guarded || state.guarded_size < room) {
		if (state.guarded)
			munmap(state.guarded, state.guarded_size + PAGE);
		state.guarded_size = room;
		state.guarded = mmap(NULL, room + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		NEED(state.guarded != MAP_FAILED && mprotect(state.guarded + room, PAGE, PROT_NONE) == 0);
	}
	uint8_t *copy = state.guarded + state.guarded_size - size;
	if (size)
		memcpy(copy, data, size);
	return copy;
}

uint64_t test_random(void) // splitmix64
{
	uint64_t z = state.random += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

uint64_t test_below(uint64_t n)
{
	return test_random() % n;
}

// GCC and clang tell by different names.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

unsigned test_times(unsigned times)
{
#ifdef __SANITIZE_ADDRESS__
	return (times + 3) / 4;
#else
	return times;
#endif
}

void test_mutate(uint8_t *data, size_t from, size_t to)
{
	static const uint8_t extreme[] = {0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff};
	for (uint64_t n = 1 + test_below(4); n; n--) {
		size_t at = from + test_below(to - from), width = (size_t)1 << test_below(4);
		switch (test_below(4)) {
		case 0: data[at] ^= (uint8_t)(1 << test_below(8)); break;
		case 1: data[at] = (uint8_t)test_random(); break;
		case 2: data[at] = extreme[test_below(sizeof extreme)]; break;
		default:
			for (uint8_t value = extreme[test_below(sizeof extreme)]; width && at < to; width--)
				data[at++] = value;
		}
	}
}

int test_run(const char *const argv[], struct bytes *output)
{
	int pipes[2], status;
	NEED(pipe2(pipes, O_CLOEXEC) == 0);
	fflush(stdout);
	pid_t pid = fork();
	NEED(pid >= 0);
	if (pid == 0) {
		dup2(pipes[1], 1);
		dup2(pipes[1], 2);
		execvp(argv[0], (char *const *)argv);
		_exit(127);
	}
	close(pipes[1]);
	size_t cap = 1 << 16, n = 0;
	char *text = malloc(cap);
	for (ssize_t got; (got = read(pipes[0], text + n, cap - n)) > 0;)
		if ((n += (size_t)got) == cap)
			text = realloc(text, cap *= 2);
	close(pipes[0]);
	if (output)
		*output = test_bytes(text, n);
	free(text);
	NEED(waitpid(pid, &status, 0) == pid);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

pid_t test_start(int (*function)(void *opaque), void *opaque)
{
	fflush(stdout);
	pid_t pid = fork();
	NEED(pid >= 0);
	if (pid == 0) {
		state.child = true;
		alarm(SECONDS / 4);
		int result = function(opaque);
		fflush(stdout);
		_exit(result);
	}
	return pid;
}

void test_check_child(int status, int exit_status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_FAILED)
		end_test(); // it has said why
	if (!WIFEXITED(status) || WEXITSTATUS(status) != exit_status)
		test_fail(__FILE__, __LINE__, "a child process ended with status 0x%x, not %d", status, exit_status);
}

void test_child(int (*function)(void *opaque), void *opaque, int exit_status)
{
	int status;
	pid_t pid = test_start(function, opaque);
	NEED(waitpid(pid, &status, 0) == pid);
	test_check_child(status, exit_status);
}

void test_drop_root(void)
{
	enum { NOBODY = 65534 };
	if (geteuid() == 0)
		NEED(setgid(NOBODY) == 0 && setuid(NOBODY) == 0);
}

char *test_compile(const char *name, const char *source, const char *option)
{
	char *in = test_path(name), *out = test_printf("%s.o", in);
	test_write_text(in, source);
	struct bytes said;
	const char *argv[] = {CONFIG_CLANG, "-c", in, "-o", out, option, NULL};
	if (test_run(argv, &said) != 0)
		test_fail(__FILE__, __LINE__, "%s does not compile: %s", name, (char *)said.data);
	return out;
}
