// Filters of a recorded program: code for the kernel that tells which system calls its tracer looks at.
#include <assert.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>

#include "run/record_parts.h"

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

struct code {
	struct sock_filter *v;
	size_t n;
};

static void add(struct code *c, uint16_t op, uint32_t k, uint8_t yes, uint8_t no)
{
	assert(c->n < FILTER_MAX);
	c->v[c->n++] = (struct sock_filter){op, yes, no, k};
}

static void load(struct code *c, size_t offset)
{
	add(c, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void skip_unless(struct code *c, uint32_t value, uint8_t n)
{
	add(c, BPF_JMP | BPF_JEQ | BPF_K, value, 0, n);
}

static void stop(struct code *c)
{
	add(c, BPF_RET | BPF_K, SECCOMP_RET_TRACE, 0, 0);
}

static void let(struct code *c)
{
	add(c, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
}

static void load_argument(struct code *c, int index)
{
	load(c, offsetof(struct seccomp_data, args) + 8 * (size_t)index); // its low half: descriptors and flags are int
}

// Programs for other processors' conventions cannot be built by veer-cc.
static void begin(struct code *c)
{
	load(c, offsetof(struct seccomp_data, arch));
	add(c, BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
	let(c);
	load(c, offsetof(struct seccomp_data, nr));
}

static void stop_at(struct code *c, long number)
{
	skip_unless(c, (uint32_t)number, 1);
	stop(c);
}

// Stops when the argument is a descriptor of the set.
static void stop_at_descriptors(struct code *c, long number, int argument, uint64_t set)
{
	size_t n = (size_t)__builtin_popcountll(set);
	if (!n)
		return;
	skip_unless(c, (uint32_t)number, (uint8_t)(2 * n + 2)); // 130 at most
	load_argument(c, argument);
	for (uint32_t fd = 0; fd < 64; fd++)
		if (set >> fd & 1)
			stop_at(c, (long)fd);
	load(c, offsetof(struct seccomp_data, nr)); // it may be in another set, too
}

// fstat() of libc is newfstatat with an empty path.
static void stop_at_stat(struct code *c)
{
	skip_unless(c, SYS_newfstatat, 4);
	load_argument(c, 3);
	skip_unless(c, AT_EMPTY_PATH, 1);
	let(c);
	stop(c);
}

static void add_paths(struct code *c)
{
	stop_at_stat(c);
#define NAMES(call, folder, path, flags, how) stop_at(c, SYS_##call);
#define TAKES(call, descriptor, how)
#define GIVES(call, descriptor, how)
#define OTHER(call) stop_at(c, SYS_##call);
#include "run/record_calls.def"
#undef NAMES
#undef TAKES
#undef GIVES
#undef OTHER
}

static void add_takes(struct code *c, uint64_t takes)
{
#define NAMES(call, folder, path, flags, how)
#define TAKES(call, descriptor, how) stop_at_descriptors(c, SYS_##call, descriptor, takes);
#define GIVES(call, descriptor, how)
#define OTHER(call)
#include "run/record_calls.def"
#undef NAMES
#undef TAKES
#undef GIVES
#undef OTHER
}

static void add_gives(struct code *c)
{
	enum { OUTPUT_AND_ERRORS = 1 << 1 | 1 << 2 };
#define NAMES(call, folder, path, flags, how)
#define TAKES(call, descriptor, how)
#define GIVES(call, descriptor, how) stop_at_descriptors(c, SYS_##call, descriptor, OUTPUT_AND_ERRORS);
#define OTHER(call)
#include "run/record_calls.def"
#undef NAMES
#undef TAKES
#undef GIVES
#undef OTHER
}

size_t filter_make(struct sock_filter code[FILTER_MAX], bool paths, bool outputs, uint64_t takes)
{
	struct code c = {code, 0};
	begin(&c);
	if (outputs)
		add_gives(&c);
	if (takes)
		add_takes(&c, takes);
	if (paths)
		add_paths(&c);
	let(&c);
	return c.n;
}

size_t filter_base(struct sock_filter code[FILTER_MAX])
{
	struct code c = {code, 0};
	begin(&c);
	stop_at(&c, SYS_execve);
	stop_at(&c, SYS_execveat);
	stop_at(&c, SYS_ptrace);
	let(&c);
	return c.n;
}
