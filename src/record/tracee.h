// Reading and changing a stopped process: registers of a system call, strings
// and memory. The only place that knows the processor (x86-64).
#ifndef VEER_RECORD_TRACEE_H
#define VEER_RECORD_TRACEE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

struct sock_fprog;

struct syscall_state {
	struct user_regs_struct regs;
};

int tracee_get(pid_t pid, struct syscall_state *ret); // 0, or -1 when the process is gone
int tracee_set(pid_t pid, const struct syscall_state *state);

long tracee_number(const struct syscall_state *s);
uint64_t tracee_arg(const struct syscall_state *s, int index);
void tracee_set_number(struct syscall_state *s, long number);
void tracee_set_arg(struct syscall_state *s, int index, uint64_t value);
bool tracee_is_entry(pid_t pid); // of a process that stopped at a system call: it has not happened yet
long tracee_result(const struct syscall_state *s);
uint64_t tracee_instruction(const struct syscall_state *s); // the address behind the system call

// Puts the arguments of `before` back into `now`, whose result stays.
void tracee_restore_args(struct syscall_state *now, const struct syscall_state *before);

// Makes the system call of `before` run again from its start.
void tracee_restart(struct syscall_state *now, const struct syscall_state *before);

// Reads a string of at most size - 1 bytes. Returns its length, or -1.
ssize_t tracee_string(pid_t pid, uint64_t address, char *out, size_t size);
bool tracee_read(pid_t pid, uint64_t address, void *out, size_t size);
bool tracee_write(pid_t pid, uint64_t address, const void *data, size_t size);

// An address below the stack, out of the program's use, with room for `size` bytes.
// It may lie below what the stack has grown to so far; tracee_write makes it grow.
uint64_t tracee_scratch(const struct syscall_state *s, size_t size);

// The path as this process can open it: through the other one's root, current folder, or
// open folder (AT_FDCWD: the current one).
void tracee_path(pid_t pid, int folder, const char *path, char *out, size_t size);

// Installs a filter in this process; with the promise of no new privileges if there is need. -1
// with errno set on failure.
int tracee_install(const struct sock_fprog *program);

// Installs in this process the filter that makes its tracer stop at the system
// calls veer looks at, and nowhere else. Returns -1 with errno set on failure.
int tracee_install_filter(void);

#endif
