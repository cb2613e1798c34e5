// Signal handlers come between any two instructions, also between a call and the
// labels that are passed with it. A handler of the program runs between saving and
// restoring them; it is put in its place when the program sets it.
#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "runtime/serve/serve.h"
#include "runtime/trace/calls.h"
#include "runtime/trace/rt.h"

#define API __attribute__((visibility("default")))

typedef void (*handler)(int);
typedef void (*handler_with_info)(int, siginfo_t *, void *);

int __sigaction(int number, const struct sigaction *action, struct sigaction *old); // glibc's own

static handler handlers[NSIG] RT_LARGE; // the program's; also those that take more arguments

struct saved {
	struct rt_passing passing;
	struct rt_frame *frames;
};

// What is behind `variadic` is only there when it is set.
static void copy_passing(struct rt_passing *to, const struct rt_passing *from)
{
	memcpy(to, from, from->variadic ? sizeof *to : offsetof(struct rt_passing, area));
}

static void save(struct saved *s)
{
	copy_passing(&s->passing, &__veer_passing);
	s->frames = __veer_frames;
	__veer_passing.target = __veer_passing.source = __veer_passing.variadic = NULL;
}

static void restore(const struct saved *s)
{
	copy_passing(&__veer_passing, &s->passing);
	__veer_frames = s->frames;
}

static void on_signal(int number)
{
	struct saved s;
	save(&s);
	handlers[number](number);
	restore(&s);
}

static void on_signal_with_info(int number, siginfo_t *info, void *context)
{
	struct saved s;
	save(&s);
	((handler_with_info)(void (*)(void))handlers[number])(number, info, context);
	restore(&s);
}

static bool is_ours(handler h)
{
	return h == on_signal || h == (handler)(void (*)(void))on_signal_with_info;
}

static bool is_function(handler h)
{
	return h != SIG_DFL && h != SIG_IGN && h != SIG_ERR;
}

API int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
	if (!rt_trace || number <= 0 || number >= NSIG)
		return __sigaction(number, action, old);
	handler had = handlers[number];
	struct sigaction changed;
	if (action && is_function(action->sa_handler)) {
		changed = *action;
		handlers[number] = action->sa_handler;
		if (action->sa_flags & SA_SIGINFO)
			changed.sa_sigaction = on_signal_with_info;
		else
			changed.sa_handler = on_signal;
		action = &changed;
	}
	// Who touches a made-up object first faults.
	int r = number == SIGSEGV && launch_fragment() ? 0 : __sigaction(number, action, old);
	if (r < 0)
		handlers[number] = had;
	else if (old && is_ours(old->sa_handler))
		old->sa_handler = had;
	return r;
}

API handler signal(int number, handler h)
{
	static handler (*real)(int, handler);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "signal");
	if (!rt_trace || number <= 0 || number >= NSIG)
		return real(number, h);
	handler had = handlers[number];
	if (is_function(h))
		handlers[number] = h;
	handler old = number == SIGSEGV && launch_fragment() ? had : real(number, is_function(h) ? on_signal : h);
	if (old == SIG_ERR)
		handlers[number] = had;
	return is_ours(old) ? had : old;
}
