// Filters of a recorded program: code for the kernel that tells which system calls its tracer looks at.
#include <assert.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "record/record_internal.h"

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

// Where a system call leads that is looked at. The kernel compiles a filter each time it is installed, which takes
// longer than all that it does later: one comparison each, few ends.
enum tail { TAIL_STOP, TAIL_DESCRIPTOR, TAIL_STAT, TAILS };

struct chain {
	uint32_t numbers[FILTER_MAX];
	enum tail tails[FILTER_MAX];
	size_t n;
};

static void add(struct chain *c, long number, enum tail tail)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->numbers[i] == (uint32_t)number)
			return;
	assert(c->n < FILTER_MAX);
	c->numbers[c->n] = (uint32_t)number;
	c->tails[c->n++] = tail;
}

// The calls on descriptors are but a few kinds: which of those that move bytes from one to another are meant is left to
// the tracer.
static void add_moving(struct chain *c, long number, enum take_how how)
{
	add(c, number, how == TAKE_UNSEEN ? TAIL_STOP : TAIL_DESCRIPTOR);
}

static void add_calls(struct chain *c, bool paths, bool descriptors)
{
	if (paths)
		add(c, SYS_newfstatat, TAIL_STAT);
#define NAMES(call, folder, path, flags, how)                                                                          \
	if (paths)                                                                                                     \
		add(c, SYS_##call, TAIL_STOP);
#define TAKES(call, descriptor, how)                                                                                   \
	if (descriptors)                                                                                               \
		add_moving(c, SYS_##call, how);
#define GIVES(call, descriptor, how) TAKES(call, descriptor, how)
#define OTHER(call) NAMES(call, , , , )
#include "record/record_calls.def"
#undef NAMES
#undef TAKES
#undef GIVES
#undef OTHER
}

#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offset))
#define LOAD_ARGUMENT(i) LOAD(offsetof(struct seccomp_data, args) + 8 * (i)) // low half: descriptors and flags are int
#define EQUAL(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (yes), (no))
#define LET BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define STOP BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE)

static size_t put(struct sock_filter *code, size_t n, struct sock_filter x)
{
	assert(n < FILTER_MAX);
	code[n] = x;
	return n + 1;
}

// Layout: head, a comparison for each call, let; stop; descriptors; stat.
static size_t make(struct sock_filter code[FILTER_MAX], const struct chain *c, uint64_t descriptors)
{
	size_t n = 0, at[TAILS], first;
	n = put(code, n, (struct sock_filter)LOAD(offsetof(struct seccomp_data, arch)));
	n = put(code, n, (struct sock_filter)EQUAL(AUDIT_ARCH_X86_64, 1, 0)); // nothing else is built by veer-cc
	n = put(code, n, (struct sock_filter)LET);
	n = put(code, n, (struct sock_filter)LOAD(offsetof(struct seccomp_data, nr)));
	first = n;
	n += c->n;
	n = put(code, n, (struct sock_filter)LET);
	at[TAIL_STOP] = n;
	n = put(code, n, (struct sock_filter)STOP);
	at[TAIL_DESCRIPTOR] = n;
	n = put(code, n, (struct sock_filter)LOAD_ARGUMENT(0));
	for (uint32_t fd = 0; fd < 64; fd++)
		if (descriptors >> fd & 1) {
			n = put(code, n, (struct sock_filter)EQUAL(fd, 0, 1));
			n = put(code, n, (struct sock_filter)STOP);
		}
	n = put(code, n, (struct sock_filter)LET);
	// fstat() of libc is newfstatat with an empty path: not worth a stop.
	at[TAIL_STAT] = n;
	n = put(code, n, (struct sock_filter)LOAD_ARGUMENT(3));
	n = put(code, n, (struct sock_filter)EQUAL(AT_EMPTY_PATH, 0, 1));
	n = put(code, n, (struct sock_filter)LET);
	n = put(code, n, (struct sock_filter)STOP);
	for (size_t i = 0; i < c->n; i++) {
		size_t jump = at[c->tails[i]] - (first + i + 1);
		assert(jump <= UINT8_MAX);
		code[first + i] = (struct sock_filter)EQUAL(c->numbers[i], (uint8_t)jump, 0);
	}
	return n;
}

size_t filter_make(struct sock_filter code[FILTER_MAX], bool paths, uint64_t descriptors)
{
	struct chain c = {.n = 0};
	add_calls(&c, paths, descriptors != 0);
	return make(code, &c, descriptors);
}

size_t filter_base(struct sock_filter code[FILTER_MAX])
{
	struct chain c = {.n = 0};
	add(&c, SYS_execve, TAIL_STOP);
	add(&c, SYS_execveat, TAIL_STOP);
	add(&c, SYS_ptrace, TAIL_STOP);
	return make(code, &c, 0);
}
