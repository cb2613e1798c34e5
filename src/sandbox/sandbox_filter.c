// The system calls that no run may make: those that reach what the namespaces do not cover, and much of the kernel
// that programs under test do not need (base/calls.c), and those that would be bounded by nothing.
#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/calls.h"
#include "sandbox/sandbox_internal.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

// The network namespace has nothing in it, but local sockets that have a path reach servers outside all the same, and
// virtual machines' sockets know no namespaces.
static void refuse_sockets(struct calls *c)
{
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 6);
	calls_load(c, CALLS_ARGUMENT(0));
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 3, 0);
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 2, 0);
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 1, 0);
	calls_answer(c, EACCES);
	calls_answer(c, 0);
}

// A datagram socket of a pair can send to any path; the others are connected for good, and take no address. Pairs of
// other families are those of no namespace, or of the machine's where there are none.
static void refuse_datagrams(struct calls *c)
{
	enum { TYPE = 0xf };
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, SYS_socketpair, 0, 8);
	calls_load(c, CALLS_ARGUMENT(0));
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 0, 4);
	calls_load(c, CALLS_ARGUMENT(1));
	calls_add(c, BPF_ALU | BPF_AND | BPF_K, TYPE, 0, 0);
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, SOCK_STREAM, 2, 0);
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, SOCK_SEQPACKET, 1, 0);
	calls_answer(c, EACCES);
	calls_answer(c, 0);
}

// What a socket holds is memory of the kernel, which nobody counts: it stays as large as it is. The kernel, too, agrees
// to more than it gives.
static void keep_buffers(struct calls *c)
{
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, SYS_setsockopt, 0, 7);
	calls_load(c, CALLS_ARGUMENT(1));
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, SOL_SOCKET, 0, 4);
	calls_load(c, CALLS_ARGUMENT(2));
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, SO_SNDBUF, 1, 0);
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, SO_RCVBUF, 0, 1);
	calls_add(c, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 0, 0, 0);
	calls_answer(c, 0);
}

// What only reads a file is opened by somebody who looks at the file (sandbox_opener.c). O_PATH and O_DIRECTORY do not
// read what Landlock cannot tell apart, and neither does what writes: Landlock confines that. With neither of both
// (3) a device is asked all the same. openat2() has its flags in memory.
static void hand_over_opens(struct calls *c)
{
	calls_refuse(c, SYS_openat2, ENOSYS);
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, SYS_open, 0, 2);
	calls_load(c, CALLS_ARGUMENT(1));
	calls_add(c, BPF_JMP | BPF_JA, 2, 0, 0);
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 8);
	calls_load(c, CALLS_ARGUMENT(2));
	calls_add(c, BPF_JMP | BPF_JSET | BPF_K, O_PATH | O_DIRECTORY, 5, 0);
	calls_add(c, BPF_ALU | BPF_AND | BPF_K, O_ACCMODE, 0, 0);
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, O_RDONLY, 2, 0);
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, O_ACCMODE, 0, 2);
	calls_answer(c, EACCES);
	calls_add(c, BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF, 0, 0);
	calls_answer(c, 0);
}

// All that the dynamic loader calls when it only lists what a program needs.
static const uint16_t reading[] = {
	SYS_read,
	SYS_pread64,
	SYS_write,
	SYS_writev,
	SYS_close,
	SYS_fstat,
	SYS_stat,
	SYS_lstat,
	SYS_newfstatat,
	SYS_statx,
	SYS_lseek,
	SYS_access,
	SYS_faccessat,
	SYS_faccessat2,
	SYS_readlink,
	SYS_readlinkat,
	SYS_mmap,
	SYS_mprotect,
	SYS_munmap,
	SYS_brk,
	SYS_arch_prctl,
	SYS_set_tid_address,
	SYS_set_robust_list,
	SYS_rseq,
	SYS_getrandom,
	SYS_futex,
	SYS_getcwd,
	SYS_execve,
	SYS_exit,
	SYS_exit_group,
	SYS_uname,
	SYS_madvise,
	SYS_rt_sigreturn,
};

int filter_install_reader(void)
{
	struct calls *c = calls_start();
	for (size_t i = 0; i < COUNT(reading); i++)
		calls_refuse(c, reading[i], 0);
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, SYS_open, 0, 2);
	calls_load(c, CALLS_ARGUMENT(1));
	calls_add(c, BPF_JMP | BPF_JA, 2, 0, 0);
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3);
	calls_load(c, CALLS_ARGUMENT(2));
	calls_add(c, BPF_JMP | BPF_JSET | BPF_K, O_ACCMODE | O_CREAT | O_TRUNC, 1, 0);
	calls_answer(c, 0);
	calls_answer(c, EPERM);
	return calls_install(c, 0);
}

int filter_install(int *ret_listener)
{
	const bool landlock = ret_listener;
	struct calls *c = calls_start();
	calls_refuse_machine(c);
	refuse_datagrams(c);
	keep_buffers(c);
	if (landlock) {
		calls_refuse_unseen(c);
		hand_over_opens(c);
	} else {
		calls_refuse_others(c, SYS_prlimit64); // the server's: runs to come would have them
		refuse_sockets(c);
	}
	calls_answer(c, 0);
	if (!landlock)
		return calls_install(c, 0);
	*ret_listener = calls_install(c, SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);
	return *ret_listener < 0 ? -1 : 0;
}
