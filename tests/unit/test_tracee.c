#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/tracee.h"
#include "test.h"

enum { PAGE = 4096 };

// Three pages, of which the last cannot be read; a child has them at the same address.
static char *pages(void)
{
	char *p = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(p != MAP_FAILED && munmap(p + 2 * PAGE, PAGE) == 0);
	return p;
}

static int stop_traced(void *opaque)
{
	CHECK(ptrace(PTRACE_TRACEME, 0, 0, 0) == 0);
	if (opaque)
		strcpy(opaque, "the child's own");
	raise(SIGSTOP);
	return 0;
}

static pid_t start_stopped(int (*function)(void *), void *opaque)
{
	int status;
	pid_t pid = test_start(function, opaque);
	CHECK(waitpid(pid, &status, 0) == pid);
	if (!WIFSTOPPED(status))
		test_check_child(status, 0);
	CHECK(WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP);
	return pid;
}

static void let_end(pid_t pid)
{
	int status;
	CHECK(ptrace(PTRACE_CONT, pid, 0, 0) == 0);
	CHECK(waitpid(pid, &status, 0) == pid);
	test_check_child(status, 0);
}

static uint64_t at(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static void strings(void)
{
	char *p = pages(), out[3 * PAGE];
	memset(p, 'x', 2 * PAGE);
	strcpy(p + 100, "this one is only here");
	strcpy(p + PAGE - 4, "over the edge");
	strcpy(p + 2 * PAGE - 8, "the end"); // its NUL is the last byte there is
	pid_t pid = start_stopped(stop_traced, p + 100);
	CHECK_INT(15, tracee_string(pid, at(p + 100), out, sizeof out));
	CHECK_STR("the child's own", out);
	CHECK_INT(13, tracee_string(pid, at(p + PAGE - 4), out, sizeof out));
	CHECK_STR("over the edge", out);
	CHECK_INT(7, tracee_string(pid, at(p + 2 * PAGE - 8), out, sizeof out)); // does not touch the next page
	CHECK_STR("the end", out);
	CHECK_INT(0, tracee_string(pid, at(p + 2 * PAGE - 1), out, sizeof out));
	CHECK_STR("", out);
	CHECK_INT(2 * PAGE - 8 - (PAGE + 10) + 7, tracee_string(pid, at(p + PAGE + 10), out, sizeof out));
	let_end(pid);
	munmap(p, 2 * PAGE);
}

static void strings_that_cannot_be_read(void)
{
	char *p = pages(), out[3 * PAGE];
	memset(p, 'x', 2 * PAGE);
	pid_t pid = start_stopped(stop_traced, NULL);
	CHECK_INT(-1, tracee_string(pid, at(p), out, sizeof out)); // runs into the missing page
	CHECK_INT(-1, tracee_string(pid, at(p + 2 * PAGE - 1), out, sizeof out));
	CHECK_INT(-1, tracee_string(pid, at(p + 2 * PAGE), out, sizeof out));
	CHECK_INT(-1, tracee_string(pid, 0, out, sizeof out));
	CHECK_INT(-1, tracee_string(pid, 8, out, sizeof out));
	CHECK_INT(-1, tracee_string(pid, UINT64_MAX, out, sizeof out));
	CHECK_INT(-1, tracee_string(pid, UINT64_MAX - 5000, out, sizeof out));
	CHECK_INT(-1, tracee_string(pid, (uint64_t)1 << 63, out, sizeof out));
	let_end(pid);
	CHECK_INT(-1, tracee_string(pid, at(p), out, sizeof out)); // it is gone
	munmap(p, 2 * PAGE);
}

static void strings_and_the_room_for_them(void)
{
	char *p = pages(), out[64];
	strcpy(p + PAGE - 3, "eleven char");
	pid_t pid = start_stopped(stop_traced, NULL);
	for (size_t size = 2; size < 20; size++) {
		memset(out, '#', sizeof out);
		ssize_t n = tracee_string(pid, at(p + PAGE - 3), out, size);
		if (size <= 11)
			CHECK_INT(-1, n);
		if (size > 12)
			CHECK(n == 11 && strcmp(out, "eleven char") == 0);
		CHECK(out[size] == '#'); // not a byte more
	}
	let_end(pid);
	munmap(p, 2 * PAGE);
}

// "at most size - 1 bytes": those, too.
static void strings_that_just_fit(void)
{
	char *p = pages(), out[64];
	strcpy(p + PAGE - 3, "eleven char");
	pid_t pid = start_stopped(stop_traced, NULL);
	ssize_t eleven = tracee_string(pid, at(p + PAGE - 3), out, 12), none = tracee_string(pid, at(p), out, 1);
	let_end(pid);
	munmap(p, 2 * PAGE);
	CHECK_INT(11, eleven);
	CHECK_INT(0, none);
}

static void memory(void)
{
	char *p = pages(), out[32] = "";
	CHECK(mprotect(p, PAGE, PROT_READ) == 0); // the second page can be written
	pid_t pid = start_stopped(stop_traced, NULL);
	CHECK(tracee_write(pid, at(p + PAGE + 7), "written", 8));
	CHECK(tracee_read(pid, at(p + PAGE + 7), out, 8));
	CHECK_STR("written", out);
	CHECK(p[PAGE + 7] == 0); // in the child, not here
	CHECK(tracee_read(pid, at(p + PAGE - 4), out, 16));
	CHECK(!tracee_read(pid, at(p + 2 * PAGE - 4), out, 8)); // half of it is not there
	CHECK(!tracee_write(pid, at(p + 2 * PAGE - 4), "12345678", 8));
	CHECK(!tracee_write(pid, at(p + 2 * PAGE), "1", 1));
	CHECK(!tracee_write(pid, at(p), "1", 1));
	CHECK(!tracee_read(pid, 0, out, 1));
	CHECK(tracee_write(pid, at(p + 2 * PAGE - 8), "12345678", 8));
	let_end(pid);
	munmap(p, 2 * PAGE);
}

static void registers(void)
{
	struct syscall_state s, t;
	memset(&s, 0, sizeof s);
	for (int i = 0; i < 6; i++)
		tracee_set_arg(&s, i, 0xf000000000000000 + (uint64_t)i);
	for (int i = 0; i < 6; i++)
		CHECK(tracee_arg(&s, i) == 0xf000000000000000 + (uint64_t)i);
	CHECK(s.regs.rdi == tracee_arg(&s, 0) && s.regs.rsi == tracee_arg(&s, 1) && s.regs.rdx == tracee_arg(&s, 2));
	CHECK(s.regs.r10 == tracee_arg(&s, 3) && s.regs.r8 == tracee_arg(&s, 4) && s.regs.r9 == tracee_arg(&s, 5));
	CHECK(s.regs.rax == 0 && s.regs.rsp == 0 && s.regs.rcx == 0); // nothing else
	s.regs.orig_rax = SYS_execve;
	s.regs.rax = (unsigned long long)-ENOSYS;
	s.regs.rip = 0x1002;
	CHECK_INT(SYS_execve, tracee_number(&s));
	CHECK_INT(-ENOSYS, tracee_result(&s));
	CHECK_INT(0x1002, tracee_instruction(&s));
	memset(&t, 0x77, sizeof t);
	t.regs.rax = 5;
	tracee_restore_args(&t, &s);
	for (int i = 0; i < 6; i++)
		CHECK(tracee_arg(&t, i) == tracee_arg(&s, i));
	CHECK(tracee_result(&t) == 5 && tracee_instruction(&t) == 0x7777777777777777);
	tracee_restart(&t, &s);
	CHECK(t.regs.rax == SYS_execve && t.regs.rip == 0x1000 && t.regs.rdi == s.regs.rdi);
}

static void scratch(void)
{
	for (int i = 0; i < 10000; i++) {
		struct syscall_state s = {.regs = {.rsp = (0x7f0000000000 + test_below(1 << 30))}};
		size_t size = test_below(i % 2 ? 100 : 100000);
		uint64_t address = tracee_scratch(&s, size);
		CHECK_INT(0, address % 16);
		CHECK(address + size <= s.regs.rsp - 128); // the red zone belongs to the program
		CHECK(address + size + 1024 > s.regs.rsp); // and it is not far away
	}
}

// The stack has grown to just here, as in a deep recursion.
__attribute__((noinline)) static int stop_deep(void *opaque)
{
	CHECK(ptrace(PTRACE_TRACEME, 0, 0, 0) == 0);
	pid_t self = getpid();
	volatile char *stack = __builtin_alloca(1 << 20);
	for (size_t i = 1 << 20; i > 0; i -= PAGE / 2)
		stack[i - 1] = 1;
	stack[0] = 1;
	long result; // not through libc, whose functions would need more of the stack
	__asm__ volatile("syscall"
	                 : "=a"(result)
	                 : "0"((long)SYS_kill), "D"((long)self), "S"((long)SIGSTOP)
	                 : "rcx", "r11", "memory");
	return stack[0] - 1 + (int)result;
}

static void scratch_below_a_deep_stack(void)
{
	static char path[PATH_MAX], back[PATH_MAX]; // a page and more away: the stack does not reach there yet
	memset(path, 'p', sizeof path - 1);
	pid_t pid = start_stopped(stop_deep, NULL);
	struct syscall_state s;
	CHECK_INT(0, tracee_get(pid, &s));
	uint64_t address = tracee_scratch(&s, sizeof path);
	bool written = tracee_write(pid, address, path, sizeof path);
	bool same = tracee_read(pid, address, back, sizeof back) && memcmp(path, back, sizeof back) == 0;
	let_end(pid); // and nothing the program uses was overwritten
	CHECK(written && same);
}

// A system call as it is, and what is in rdi after it.
static long call_readlink(const char *path, char *out, size_t size, uint64_t *ret_rdi)
{
	long result;
	register uint64_t rdi __asm__("rdi") = at(path);
	__asm__ volatile("syscall"
	                 : "=a"(result), "+r"(rdi)
	                 : "0"((long)SYS_readlink), "S"(out), "d"(size)
	                 : "rcx", "r11", "memory");
	*ret_rdi = rdi;
	return result;
}

static const char *own_link, *other_link; // set before the child starts

static int read_links(void *opaque)
{
	if (opaque)
		test_drop_root();
	CHECK(ptrace(PTRACE_TRACEME, 0, 0, 0) == 0);
	raise(SIGSTOP);
	CHECK_INT(0, tracee_install_filter());
	char target[64] = "";
	uint64_t rdi;
	long n = call_readlink(own_link, target, sizeof target - 1, &rdi);
	CHECK_INT(5, n);
	CHECK_STR("other", target); // as the tracer wanted
	CHECK(rdi == at(own_link)); // and the register is as it was
	memset(target, 0, sizeof target);
	n = call_readlink(own_link, target, sizeof target - 1, &rdi);
	CHECK_STR("mine", target);
	CHECK_INT(4, n);
	return 0;
}

// Runs on until the next stop; returns what waitpid says about it, above the signal.
static int next_event(pid_t pid, int request)
{
	int status;
	CHECK(ptrace(request, pid, 0, 0) == 0);
	CHECK(waitpid(pid, &status, 0) == pid);
	if (!WIFSTOPPED(status)) {
		test_check_child(status, 0);
		return -1;
	}
	return status >> 8;
}

enum { AT_FILTER = SIGTRAP | PTRACE_EVENT_SECCOMP << 8, AT_SYSCALL = SIGTRAP | 0x80 };

static void make_links(void)
{
	own_link = test_path("own");
	other_link = test_path("to");
	CHECK(symlink("mine", own_link) == 0 && symlink("other", other_link) == 0);
}

static pid_t start_filtered(int (*function)(void *), void *opaque)
{
	pid_t pid = start_stopped(function, opaque);
	CHECK(ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESECCOMP | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL) ==
	      0);
	return pid;
}

static void another_path_and_back(void)
{
	make_links();
	pid_t pid = start_filtered(read_links, NULL);
	struct syscall_state before, now;
	char path[PATH_MAX];
	CHECK_INT(AT_FILTER, next_event(pid, PTRACE_CONT));
	CHECK_INT(0, tracee_get(pid, &before));
	CHECK_INT(SYS_readlink, tracee_number(&before));
	CHECK(tracee_string(pid, tracee_arg(&before, 0), path, sizeof path) > 0);
	CHECK_STR(own_link, path);
	now = before;
	uint64_t address = tracee_scratch(&now, strlen(other_link) + 1);
	CHECK(tracee_write(pid, address, other_link, strlen(other_link) + 1));
	tracee_set_arg(&now, 0, address);
	CHECK_INT(0, tracee_set(pid, &now));
	CHECK_INT(AT_SYSCALL, next_event(pid, PTRACE_SYSCALL)); // its end
	CHECK_INT(0, tracee_get(pid, &now));
	CHECK_INT(5, tracee_result(&now));
	tracee_restore_args(&now, &before);
	CHECK_INT(0, tracee_set(pid, &now));
	CHECK_INT(AT_FILTER, next_event(pid, PTRACE_CONT));
	let_end(pid);
	CHECK_INT(-1, tracee_get(pid, &now));
	CHECK_INT(-1, tracee_set(pid, &now));
}

static void restart_after_a_failure(void)
{
	make_links();
	pid_t pid = start_filtered(read_links, NULL);
	struct syscall_state before, now;
	CHECK_INT(AT_FILTER, next_event(pid, PTRACE_CONT));
	CHECK_INT(0, tracee_get(pid, &before));
	now = before;
	tracee_set_arg(&now, 0, 8); // no path at all
	CHECK_INT(0, tracee_set(pid, &now));
	CHECK_INT(AT_SYSCALL, next_event(pid, PTRACE_SYSCALL));
	CHECK_INT(0, tracee_get(pid, &now));
	CHECK_INT(-EFAULT, tracee_result(&now));
	tracee_restart(&now, &before);
	CHECK_INT(0, tracee_set(pid, &now));
	CHECK_INT(AT_FILTER, next_event(pid, PTRACE_CONT)); // from its start, with the arguments it had
	CHECK_INT(0, tracee_get(pid, &now));
	CHECK_INT(SYS_readlink, tracee_number(&now));
	for (int i = 0; i < 3; i++)
		CHECK(tracee_arg(&now, i) == tracee_arg(&before, i));
	CHECK(tracee_instruction(&now) == tracee_instruction(&before));
	before = now;
	tracee_set_arg(&now, 0, tracee_scratch(&now, PATH_MAX));
	CHECK(tracee_write(pid, tracee_arg(&now, 0), other_link, strlen(other_link) + 1));
	CHECK_INT(0, tracee_set(pid, &now));
	CHECK_INT(AT_SYSCALL, next_event(pid, PTRACE_SYSCALL));
	CHECK_INT(0, tracee_get(pid, &now));
	tracee_restore_args(&now, &before);
	CHECK_INT(0, tracee_set(pid, &now));
	CHECK_INT(AT_FILTER, next_event(pid, PTRACE_CONT));
	let_end(pid);
}

// The system calls the tracer is to see, among others that it is not.
static int call_many(void *opaque)
{
	char out[8];
	if (opaque)
		test_drop_root();
	CHECK(ptrace(PTRACE_TRACEME, 0, 0, 0) == 0);
	raise(SIGSTOP);
	CHECK_INT(0, tracee_install_filter());
	syscall(SYS_getpid);
	syscall(SYS_openat, AT_FDCWD, "/missing", O_RDONLY);
	syscall(SYS_openat, AT_FDCWD, "/missing", O_RDONLY | O_CLOEXEC);
	syscall(SYS_openat, AT_FDCWD, "/missing", O_RDWR | O_CLOEXEC);
	syscall(SYS_openat, AT_FDCWD, "/missing", O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	syscall(SYS_open, "/missing", O_RDONLY);
	syscall(SYS_open, "/missing", O_RDONLY | O_CLOEXEC);
	syscall(SYS_write, -1, "", O_CLOEXEC);
	syscall(SYS_readlink, "/missing", out, sizeof out);
	syscall(SYS_readlinkat, AT_FDCWD, "/missing", out, sizeof out);
	syscall(SYS_stat, "/missing", NULL);
	char *none[] = {NULL};
	syscall(SYS_execve, "/missing", none, none);
	syscall(SYS_execveat, AT_FDCWD, "/missing", none, none, 0);
	return 0;
}

static void check_filter(void *drop_root)
{
	static const long expected[] = {SYS_openat, SYS_open, SYS_readlink, SYS_readlinkat, SYS_execve, SYS_execveat};
	pid_t pid = start_filtered(call_many, drop_root);
	for (size_t i = 0; i < COUNT(expected); i++) {
		struct syscall_state s;
		CHECK_INT(AT_FILTER, next_event(pid, PTRACE_CONT));
		CHECK_INT(0, tracee_get(pid, &s));
		CHECK_INT(expected[i], tracee_number(&s));
		char path[16];
		bool has_folder =
			expected[i] == SYS_openat || expected[i] == SYS_readlinkat || expected[i] == SYS_execveat;
		CHECK_INT(8, tracee_string(pid, tracee_arg(&s, has_folder), path, sizeof path));
		CHECK_STR("/missing", path);
	}
	CHECK_INT(-1, next_event(pid, PTRACE_CONT));
}

static void filter(void)
{
	check_filter(NULL);
}

static void filter_for_an_ordinary_user(void)
{
	check_filter("drop");
}

static const struct test tests[] = {
	TEST(strings),
	TEST(strings_that_cannot_be_read),
	TEST(strings_and_the_room_for_them),
	TEST(strings_that_just_fit),
	TEST(memory),
	TEST(registers),
	TEST(scratch),
	TEST(scratch_below_a_deep_stack),
	TEST(another_path_and_back),
	TEST(restart_after_a_failure),
	TEST(filter),
	TEST(filter_for_an_ordinary_user),
};
TEST_MAIN("tracee")
