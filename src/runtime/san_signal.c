// Signals in runs that the oracle looks at (findings/oracle.h). AddressSanitizer reports every fatal signal; here those
// are sorted out that somebody sent, which a correct program may do: only what the kernel raises for a fault goes on
// to the sanitizer, and SIGABRT when abort() raised it. A program that sets handlers of its own takes the place of
// these.
//
// SIGXCPU says that a run is to tell where it is: oracle.c sets the limit when a run seems to hang.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#include "runtime/san_run.h"

extern void __sanitizer_set_report_path(const char *path) __attribute__((weak));
extern void __sanitizer_print_stack_trace(void) __attribute__((weak));
_Unwind_Reason_Code _Unwind_Backtrace(_Unwind_Trace_Fn, void *) __attribute__((weak));
_Unwind_Ptr _Unwind_GetIP(struct _Unwind_Context *) __attribute__((weak));

enum { SAMPLES = 3, FRAMES_MAX = 64 };

static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
static struct sigaction sanitizers[NSIG]; // what AddressSanitizer installed
static pid_t server;

enum abort_reason { ABORT_NO, ABORT_CALLED, ABORT_ASSERTION };

struct walk {
	enum abort_reason reason;
	int frames;
};

// Functions of libc between the program and the signal.
static _Unwind_Reason_Code look_at_frame(struct _Unwind_Context *context, void *opaque)
{
	struct walk *w = opaque;
	Dl_info info;
	uintptr_t address = (uintptr_t)_Unwind_GetIP(context) - 1;
	if (++w->frames > FRAMES_MAX)
		return _URC_END_OF_STACK;
	if (!dladdr((void *)address, &info) || !info.dli_sname)
		return _URC_NO_REASON;
	if (strcmp(info.dli_sname, "abort") == 0)
		w->reason = ABORT_CALLED;
	else if (w->reason && strncmp(info.dli_sname, "__assert", 8) == 0)
		w->reason = ABORT_ASSERTION;
	return _URC_NO_REASON;
}

static enum abort_reason why_abort(void)
{
	struct walk w = {0};
	if (_Unwind_Backtrace && _Unwind_GetIP)
		_Unwind_Backtrace(look_at_frame, &w);
	return w.reason;
}

// As if there were no handler.
static void end_by(int number)
{
	struct sigaction plain = {.sa_handler = SIG_DFL};
	sigset_t one;
	sigaction(number, &plain, NULL);
	sigemptyset(&one);
	sigaddset(&one, number);
	raise(number);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
}

static void tell_assertion(void)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/assertion", san_reports);
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd >= 0)
		close(fd);
}

static void on_fault(int number, siginfo_t *info, void *context)
{
	bool sent = info->si_code <= 0;
	if (number == SIGABRT) {
		enum abort_reason reason = why_abort();
		sent = reason == ABORT_NO;
		if (reason == ABORT_ASSERTION)
			tell_assertion();
	}
	if (sent || !sanitizers[number].sa_sigaction)
		end_by(number);
	else
		sanitizers[number].sa_sigaction(number, info, context);
}

static void on_time(int number, siginfo_t *info, void *context)
{
	static int samples;
	char path[PATH_MAX];
	int saved = errno;
	(void)number, (void)context;
	if (info->si_code <= 0) {
		end_by(SIGXCPU);
	} else if (getpid() != server && __sanitizer_print_stack_trace) {
		snprintf(path, sizeof path, "%s/sample", san_reports);
		if (samples == 0)
			__sanitizer_set_report_path(path); // it adds the process id
		__sanitizer_print_stack_trace();
		if (++samples == SAMPLES)
			_exit(0);
	}
	errno = saved;
}

void san_take_signals(void)
{
	struct sigaction own = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
	server = getpid();
	own.sa_sigaction = on_fault;
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		if (sigaction(faults[i], &own, &sanitizers[faults[i]]) == 0 &&
		    (sanitizers[faults[i]].sa_handler == SIG_IGN || sanitizers[faults[i]].sa_handler == SIG_DFL))
			sanitizers[faults[i]].sa_sigaction = NULL;
	own.sa_sigaction = on_time;
	sigaction(SIGXCPU, &own, NULL);
}
