// Where a run was when a signal ended it, for runs that are to tell (LAUNCH_WHERE): the address, and the calls that led
// there, as AddressSanitizer writes them. Nothing is printed, and the run ends by the same signal.
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/serve/serve.h"
#include "runtime/trace/rt.h"

enum { FRAMES = 64, WORDS = 256, FRAME_MAX = 1 << 20 };

static char reports[PATH_MAX] RT_LARGE; // "": there is nowhere to write to
static char other_stack[1 << 15] RT_LARGE;

int __sigaction(int number, const struct sigaction *action, struct sigaction *old); // glibc's own

struct frame {
	const struct frame *parent;
	uint64_t back;
};

// Runs cannot write to RUN itself; to what its link leads to they can.
void rt_where_prepare(const char *run)
{
	char link[PATH_MAX];
	if ((size_t)snprintf(link, sizeof link, "%s/reports", run) >= sizeof link)
		return;
	ssize_t n = readlink(link, reports, sizeof reports - 1);
	reports[n > 0 ? n : 0] = 0;
}

int rt_report_open(const char *file)
{
	char path[PATH_MAX];
	size_t n = strlen(reports), size = strlen(file) + 1;
	if (!n || n + 1 + size > sizeof path)
		return -1;
	memcpy(path, reports, n);
	path[n] = '/';
	memcpy(path + n + 1, file, size);
	return (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

// An address that is nowhere, as after a call of a null pointer, is left out.
static void write_frame(int fd, unsigned *number, uint64_t address)
{
	char line[PATH_MAX + 64];
	const char *name;
	uint64_t base;
	if (!rt_stack_module(address, &name, &base))
		return;
	if (!*name)
		name = (const char *)getauxval(AT_EXECFN);
	int n = snprintf(line, sizeof line, "    #%u 0x%llx (%s+0x%llx)\n", *number, (unsigned long long)address, name,
	                 (unsigned long long)(address - base));
	if (n > 0 && (size_t)n < sizeof line && syscall(SYS_write, fd, line, n) == n)
		++*number;
}

// Code of the program or of a library of its own, as far as the name tells.
static bool is_program(uint64_t address)
{
	const char *name;
	uint64_t base;
	return rt_stack_module(address, &name, &base) && !rt_is_own_code(address) && !strstr(name, "/libc.so") &&
	       !strstr(name, "/ld-linux") && !strstr(name, "/libm.so");
}

// libc keeps no frame pointers: what called it is the first such address on the stack.
static uint64_t find_caller(const uint64_t *stack)
{
	for (unsigned i = 0; i < WORDS; i++)
		if (is_program(stack[i]))
			return stack[i];
	return 0;
}

static void write_frames(int fd, const greg_t *registers)
{
	uint64_t pc = (uint64_t)registers[REG_RIP], caller;
	unsigned n = 0;
	write_frame(fd, &n, pc);
	if (!is_program(pc) && !rt_is_own_code(pc) && (caller = find_caller((const uint64_t *)registers[REG_RSP])))
		write_frame(fd, &n, caller - 1);
	// In libc the register may have anything.
	const struct frame *f = (const struct frame *)registers[REG_RBP];
	uint64_t from = (uint64_t)registers[REG_RSP];
	for (unsigned i = 0;
	     i < FRAMES && (uint64_t)f >= from && (uint64_t)f - from < FRAME_MAX && (uint64_t)f % 8 == 0; i++) {
		write_frame(fd, &n, f->back - 1);
		from = (uint64_t)f + sizeof *f;
		f = f->parent;
	}
}

static void set_all(const struct sigaction *action)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		__sigaction(faults[i], action, NULL);
}

// What fails in here ends the run as the signal would have.
static void on_fault(int number, siginfo_t *info, void *context)
{
	(void)info;
	set_all(&(struct sigaction){.sa_handler = SIG_DFL});
	int fd = rt_report_open(LAUNCH_WHERE_FILE);
	if (fd >= 0)
		write_frames(fd, ((const ucontext_t *)context)->uc_mcontext.gregs);
	syscall(SYS_tgkill, getpid(), gettid(), number);
}

void rt_where_start(void)
{
	const stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
	const struct sigaction own = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	if (!reports[0])
		return;
	sigaltstack(&stack, NULL);
	set_all(&own);
}
