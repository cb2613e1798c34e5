#include "record/tracee.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef __x86_64__
#error "record/tracee.c knows the system call convention of x86-64 only"
#endif

int tracee_get(pid_t pid, struct syscall_state *ret)
{
	return ptrace(PTRACE_GETREGS, pid, 0, &ret->regs) < 0 ? -1 : 0;
}

int tracee_set(pid_t pid, const struct syscall_state *state)
{
	return ptrace(PTRACE_SETREGS, pid, 0, &state->regs) < 0 ? -1 : 0;
}

long tracee_number(const struct syscall_state *s)
{
	return (long)s->regs.orig_rax;
}

uint64_t tracee_arg(const struct syscall_state *s, int index)
{
	const struct user_regs_struct *r = &s->regs;
	const unsigned long long args[] = {r->rdi, r->rsi, r->rdx, r->r10, r->r8, r->r9};
	return args[index];
}

void tracee_set_number(struct syscall_state *s, long number)
{
	s->regs.orig_rax = (unsigned long long)number;
}

void tracee_set_arg(struct syscall_state *s, int index, uint64_t value)
{
	struct user_regs_struct *r = &s->regs;
	unsigned long long *const args[] = {&r->rdi, &r->rsi, &r->rdx, &r->r10, &r->r8, &r->r9};
	*args[index] = value;
}

bool tracee_is_entry(pid_t pid)
{
	struct __ptrace_syscall_info info;
	return ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) > 0 && info.op == PTRACE_SYSCALL_INFO_ENTRY;
}

long tracee_result(const struct syscall_state *s)
{
	return (long)s->regs.rax;
}

uint64_t tracee_instruction(const struct syscall_state *s)
{
	return s->regs.rip;
}

void tracee_restore_args(struct syscall_state *now, const struct syscall_state *before)
{
	for (int i = 0; i < 6; i++)
		tracee_set_arg(now, i, tracee_arg(before, i));
}

void tracee_restart(struct syscall_state *now, const struct syscall_state *before)
{
	enum { SYSCALL_INSTRUCTION = 2 };
	*now = *before;
	now->regs.rip -= SYSCALL_INSTRUCTION;
	now->regs.rax = before->regs.orig_rax;
}

bool tracee_read(pid_t pid, uint64_t address, void *out, size_t size)
{
	struct iovec here = {out, size}, there = {(void *)address, size};
	return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

bool tracee_write(pid_t pid, uint64_t address, const void *data, size_t size)
{
	struct iovec here = {(void *)data, size}, there = {(void *)address, size};
	if (process_vm_writev(pid, &here, 1, &there, 1, 0) == (ssize_t)size)
		return true;
	// Below what the stack has grown to: a read through /proc makes it grow. Not a
	// write: that would change read-only pages, too.
	char path[32], byte;
	snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bool grown = pread(fd, &byte, 1, (off_t)address) == 1;
	close(fd);
	return grown && process_vm_writev(pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

ssize_t tracee_string(pid_t pid, uint64_t address, char *out, size_t size)
{
	enum { PAGE = 4096 };
	size_t n = 0;
	while (n < size) { // a page at a time: the next one may not be mapped
		size_t chunk = PAGE - (address + n) % PAGE;
		if (chunk > size - n)
			chunk = size - n;
		if (!tracee_read(pid, address + n, out + n, chunk))
			return -1;
		char *end = memchr(out + n, 0, chunk);
		if (end)
			return end - out;
		n += chunk;
	}
	return -1;
}

void tracee_path(pid_t pid, int folder, const char *path, char *out, size_t size)
{
	static const char self[] = "/proc/self/", thread[] = "/proc/thread-self/";
	if (strncmp(path, self, sizeof self - 1) == 0) // the other process's self, not ours
		snprintf(out, size, "/proc/%d/%s", (int)pid, path + sizeof self - 1);
	else if (strncmp(path, thread, sizeof thread - 1) == 0)
		snprintf(out, size, "/proc/%d/%s", (int)pid, path + sizeof thread - 1);
	else if (path[0] == '/')
		snprintf(out, size, "/proc/%d/root%s", (int)pid, path);
	else if (folder == AT_FDCWD)
		snprintf(out, size, "/proc/%d/cwd/%s", (int)pid, path);
	else if (path[0])
		snprintf(out, size, "/proc/%d/fd/%d/%s", (int)pid, folder, path);
	else
		snprintf(out, size, "/proc/%d/fd/%d", (int)pid, folder);
}

uint64_t tracee_scratch(const struct syscall_state *s, size_t size)
{
	enum { RED_ZONE = 256 }; // the ABI lets a leaf function use 128 bytes below the stack pointer
	return (s->regs.rsp - RED_ZONE - size) & ~(uint64_t)15;
}

#define ARG_LOW(i) (offsetof(struct seccomp_data, args) + 8 * (i))
#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (offset))
#define EQUAL(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (yes), (no))

int tracee_install(const struct sock_fprog *program)
{
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, program) == 0)
		return 0;
	// Without CAP_SYS_ADMIN the kernel wants the promise that setuid programs get no new rights.
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, program) == 0 ? 0 : -1;
}

int tracee_install_filter(void)
{
	// The dynamic loader opens libraries with exactly these flags.
	enum { LIBRARY_OPEN = O_RDONLY | O_CLOEXEC };
	struct sock_filter code[] = {
		/*  0 */ LOAD(offsetof(struct seccomp_data, arch)),
		/*  1 */ EQUAL(AUDIT_ARCH_X86_64, 0, 12),
		/*  2 */ LOAD(offsetof(struct seccomp_data, nr)),
		/*  3 */ EQUAL(SYS_execve, 11, 0),
		/*  4 */ EQUAL(SYS_execveat, 10, 0),
		/*  5 */ EQUAL(SYS_readlink, 9, 0),
		/*  6 */ EQUAL(SYS_readlinkat, 8, 0),
		/*  7 */ EQUAL(SYS_ptrace, 7, 0),
		/*  8 */ EQUAL(SYS_openat, 3, 0),
		/*  9 */ EQUAL(SYS_open, 0, 4),
		/* 10 */ LOAD(ARG_LOW(1)),
		/* 11 */ EQUAL(LIBRARY_OPEN, 3, 2),
		/* 12 */ LOAD(ARG_LOW(2)),
		/* 13 */ EQUAL(LIBRARY_OPEN, 1, 0),
		/* 14 */ BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		/* 15 */ BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
	};
	struct sock_fprog program = {sizeof code / sizeof *code, code};
	return tracee_install(&program);
}
