// Filters of system calls (seccomp), for processes that run or read what others made: src/sandbox/sandbox_filter.c has
// that of explored programs, confine.c that of tools. The first instruction that answers decides.
#ifndef VEER_BASE_CALLS_H
#define VEER_BASE_CALLS_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>

enum { CALLS_FCHMODAT2 = 452 }; // which not all systems' headers have

struct calls {
	struct sock_filter at[512];
	size_t n;
};

// A filter that refuses other processors' calls and those that are newer than veer; the number of the call is loaded.
// There is one at a time.
struct calls *calls_start(void);
void calls_add(struct calls *c, uint16_t what, uint32_t k, uint8_t yes, uint8_t no);
void calls_load(struct calls *c, size_t offset);    // in struct seccomp_data; what comes next expects the number again
void calls_answer(struct calls *c, int error);      // 0: allows the call
int calls_install(struct calls *c, unsigned flags); // what seccomp() returns

#define CALLS_ARGUMENT(i) (offsetof(struct seccomp_data, args) + 8 * (i))

void calls_refuse(struct calls *c, uint32_t number, int error);
void calls_refuse_others(struct calls *c, uint32_t number); // unless the first argument is 0: the caller itself
void calls_allow(struct calls *c, uint32_t number);
void calls_ignore(struct calls *c, uint32_t number); // does nothing, with success

// What reaches the machine, other processes or much of the kernel, or is left behind: mounts, namespaces, ptrace,
// IPC...
void calls_refuse_machine(struct calls *c);
// What reaches files and processes past Landlock: permissions, owners, times, attributes, controls, sockets,
// priorities.
void calls_refuse_unseen(struct calls *c);

#endif
