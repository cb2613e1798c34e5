// The system calls that no run may make: those that reach what the namespaces do not cover, and much of the kernel
// that programs under test do not need. Only numbers and plain arguments can be looked at here, so what takes its
// flags by a pointer is refused as a whole.
#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/sandbox_internal.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

// Numbers that not all systems' headers have. What is newer than this list is refused as not there: it might do what
// one in the list does.
enum { QUOTACTL_FD = 443, SECRET_MEMORY = 447, CHANGE_MODE_2 = 452, SET_OWN_LABEL = 460, FIRST_UNKNOWN = 463 };

#define NAMESPACES                                                                                                     \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

static const uint16_t refused[] = {
	// the view of the file system, and ways around it
	SYS_chroot,
	SYS_mount,
	SYS_umount2,
	SYS_pivot_root,
	SYS_setns,
	SYS_unshare,
	SYS_open_tree,
	SYS_move_mount,
	SYS_fsopen,
	SYS_fsconfig,
	SYS_fsmount,
	SYS_fspick,
	SYS_mount_setattr,
	SYS_name_to_handle_at,
	SYS_open_by_handle_at,
	SYS_fanotify_init,
	SYS_fanotify_mark,
	SYS_quotactl,
	QUOTACTL_FD,
	SYS_swapon,
	SYS_swapoff,
	// the machine
	SYS_reboot,
	SYS_kexec_load,
	SYS_kexec_file_load,
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_settimeofday,
	SYS_clock_settime,
	SYS_clock_adjtime,
	SYS_adjtimex,
	SYS_sethostname,
	SYS_setdomainname,
	SYS_acct,
	SYS_syslog,
	SYS_iopl,
	SYS_ioperm,
	SYS_vhangup,
	// other processes
	SYS_ptrace,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_kcmp,
	SYS_pidfd_getfd,
	SYS_process_madvise,
	SYS_migrate_pages,
	SYS_move_pages,
	// parts of the kernel with a history
	SYS_bpf,
	SYS_perf_event_open,
	SYS_userfaultfd,
	SYS_io_uring_setup,
	SYS_io_uring_enter,
	SYS_io_uring_register,
	SYS_keyctl,
	SYS_add_key,
	SYS_request_key,
	SYS_lookup_dcookie,
	SYS_modify_ldt,
	SYS_nfsservctl,
	SYS_uselib,
	SET_OWN_LABEL,
	// what would be left for the next run, or is counted by no limit
	SYS_shmget,
	SYS_semget,
	SYS_msgget,
	SYS_mq_open,
	SYS_mq_unlink,
	SYS_mq_timedsend, // a queue outside may be a file somewhere
	SYS_mq_timedreceive,
	SYS_memfd_create,
	SECRET_MEMORY,
};

// Where there are no namespaces: what Landlock does not look at.
static const uint16_t refused_too[] = {
	SYS_chmod,        SYS_fchmod,       SYS_fchmodat, CHANGE_MODE_2,  SYS_chown,     SYS_fchown,
	SYS_lchown,       SYS_fchownat,     SYS_setxattr, SYS_lsetxattr,  SYS_fsetxattr, SYS_removexattr,
	SYS_lremovexattr, SYS_fremovexattr, SYS_utime,    SYS_utimes,     SYS_futimesat, SYS_utimensat,
	SYS_socket,       SYS_shmat,        SYS_shmctl,   SYS_semctl,     SYS_msgctl,    SYS_semop,
	SYS_semtimedop,   SYS_msgsnd,       SYS_msgrcv,   SYS_ioprio_set, SYS_flock,
};

// Those whose first argument names a process; 0 is the caller.
static const uint16_t only_self[] = {
	SYS_prlimit64, SYS_sched_setaffinity, SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr,
};

struct code {
	struct sock_filter at[512];
	size_t n;
};

static void add(struct code *c, uint16_t what, uint32_t k, uint8_t yes, uint8_t no)
{
	if (c->n < COUNT(c->at))
		c->at[c->n] = (struct sock_filter){what, yes, no, k};
	c->n++;
}

static void load(struct code *c, size_t offset)
{
	add(c, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

static void answer(struct code *c, int error)
{
	add(c, BPF_RET | BPF_K, error ? SECCOMP_RET_ERRNO | (uint32_t)error : SECCOMP_RET_ALLOW, 0, 0);
}

// error 0: allows it
static void refuse(struct code *c, uint32_t number, int error)
{
	add(c, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
	answer(c, error);
}

static void refuse_all(struct code *c, const uint16_t *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++)
		refuse(c, numbers[i], EPERM);
}

#define ARGUMENT(i) (offsetof(struct seccomp_data, args) + 8 * (i))

// clone() without new namespaces; clone3() has its flags in memory, and libc falls back on clone().
static void refuse_namespaces(struct code *c)
{
	refuse(c, SYS_clone3, ENOSYS);
	add(c, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
	load(c, ARGUMENT(0));
	add(c, BPF_JMP | BPF_JSET | BPF_K, NAMESPACES, 0, 1);
	answer(c, EPERM);
	answer(c, 0);
}

// The network namespace has nothing in it, but local sockets that have a path reach servers outside all the same, and
// virtual machines' sockets know no namespaces.
static void refuse_sockets(struct code *c)
{
	add(c, BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 6);
	load(c, ARGUMENT(0));
	add(c, BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 3, 0);
	add(c, BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 2, 0);
	add(c, BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 1, 0);
	answer(c, EACCES);
	answer(c, 0);
}

// A datagram socket of a pair can send to any path; the others are connected for good, and take no address.
static void refuse_datagrams(struct code *c)
{
	enum { TYPE = 0xf };
	add(c, BPF_JMP | BPF_JEQ | BPF_K, SYS_socketpair, 0, 6);
	load(c, ARGUMENT(1));
	add(c, BPF_ALU | BPF_AND | BPF_K, TYPE, 0, 0);
	add(c, BPF_JMP | BPF_JEQ | BPF_K, SOCK_STREAM, 2, 0);
	add(c, BPF_JMP | BPF_JEQ | BPF_K, SOCK_SEQPACKET, 1, 0);
	answer(c, EACCES);
	answer(c, 0);
}

// Whoever opens a file that has a lease has to wait for who has that.
static void refuse_leases(struct code *c)
{
	add(c, BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 4);
	load(c, ARGUMENT(1));
	add(c, BPF_JMP | BPF_JEQ | BPF_K, F_SETLEASE, 0, 1);
	answer(c, EPERM);
	answer(c, 0);
}

// What a socket holds is memory of the kernel, which nobody counts: it stays as large as it is. The kernel, too, agrees
// to more than it gives.
static void keep_buffers(struct code *c)
{
	add(c, BPF_JMP | BPF_JEQ | BPF_K, SYS_setsockopt, 0, 7);
	load(c, ARGUMENT(1));
	add(c, BPF_JMP | BPF_JEQ | BPF_K, SOL_SOCKET, 0, 4);
	load(c, ARGUMENT(2));
	add(c, BPF_JMP | BPF_JEQ | BPF_K, SO_SNDBUF, 1, 0);
	add(c, BPF_JMP | BPF_JEQ | BPF_K, SO_RCVBUF, 0, 1);
	add(c, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 0, 0, 0);
	answer(c, 0);
}

// A file that can only be read can be made immutable, encrypted or of another version all the same, by its owner. So
// what is known to be harmless is left: asking for these flags, and terminals but for what types on them.
static void refuse_controls(struct code *c)
{
	enum { TERMINAL = 'T' << 8 };
	add(c, BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 8);
	load(c, ARGUMENT(1));
	add(c, BPF_JMP | BPF_JEQ | BPF_K, FS_IOC_GETFLAGS, 5, 0);
	add(c, BPF_JMP | BPF_JEQ | BPF_K, TIOCSTI, 3, 0);
	add(c, BPF_JMP | BPF_JEQ | BPF_K, TIOCLINUX, 2, 0);
	add(c, BPF_ALU | BPF_AND | BPF_K, ~(uint32_t)0xff, 0, 0);
	add(c, BPF_JMP | BPF_JEQ | BPF_K, TERMINAL, 1, 0);
	answer(c, ENOTTY);
	answer(c, 0);
}

// setpriority() of the caller itself.
static void refuse_priorities(struct code *c)
{
	add(c, BPF_JMP | BPF_JEQ | BPF_K, SYS_setpriority, 0, 6);
	load(c, ARGUMENT(0));
	add(c, BPF_JMP | BPF_JEQ | BPF_K, PRIO_PROCESS, 0, 2);
	load(c, ARGUMENT(1));
	add(c, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
	answer(c, EPERM);
	answer(c, 0);
}

static void refuse_others(struct code *c, uint32_t number)
{
	add(c, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4);
	load(c, ARGUMENT(0));
	add(c, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
	answer(c, EPERM);
	answer(c, 0);
}

// What only reads a file is opened by somebody who looks at the file (sandbox_opener.c). O_PATH and O_DIRECTORY do not
// read what Landlock cannot tell apart, and neither does what writes: Landlock confines that. With neither of both
// (3) a device is asked all the same. openat2() has its flags in memory.
static void hand_over_opens(struct code *c)
{
	refuse(c, SYS_openat2, ENOSYS);
	add(c, BPF_JMP | BPF_JEQ | BPF_K, SYS_open, 0, 2);
	load(c, ARGUMENT(1));
	add(c, BPF_JMP | BPF_JA, 2, 0, 0);
	add(c, BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 8);
	load(c, ARGUMENT(2));
	add(c, BPF_JMP | BPF_JSET | BPF_K, O_PATH | O_DIRECTORY, 5, 0);
	add(c, BPF_ALU | BPF_AND | BPF_K, O_ACCMODE, 0, 0);
	add(c, BPF_JMP | BPF_JEQ | BPF_K, O_RDONLY, 2, 0);
	add(c, BPF_JMP | BPF_JEQ | BPF_K, O_ACCMODE, 0, 2);
	answer(c, EACCES);
	add(c, BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF, 0, 0);
	answer(c, 0);
}

static struct code *start(void)
{
	static struct code c; // not on the stack of a forked child; a process has one thread here
	c.n = 0;
	load(&c, offsetof(struct seccomp_data, arch));
	add(&c, BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
	answer(&c, ENOSYS);
	load(&c, offsetof(struct seccomp_data, nr));
	add(&c, BPF_JMP | BPF_JGE | BPF_K, FIRST_UNKNOWN, 0, 1); // and the numbers of x32
	answer(&c, ENOSYS);
	return &c;
}

static int install(struct code *c, unsigned flags)
{
	if (c->n > COUNT(c->at)) {
		errno = E2BIG;
		return -1;
	}
	struct sock_fprog program = {(unsigned short)c->n, c->at};
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
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
	struct code *c = start();
	for (size_t i = 0; i < COUNT(reading); i++)
		refuse(c, reading[i], 0);
	add(c, BPF_JMP | BPF_JEQ | BPF_K, SYS_open, 0, 2);
	load(c, ARGUMENT(1));
	add(c, BPF_JMP | BPF_JA, 2, 0, 0);
	add(c, BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3);
	load(c, ARGUMENT(2));
	add(c, BPF_JMP | BPF_JSET | BPF_K, O_ACCMODE | O_CREAT | O_TRUNC, 1, 0);
	answer(c, 0);
	answer(c, EPERM);
	return install(c, 0);
}

int filter_install(int *ret_listener)
{
	const bool landlock = ret_listener;
	struct code *c = start();
	refuse_all(c, refused, COUNT(refused));
	if (landlock)
		refuse_all(c, refused_too, COUNT(refused_too));
	refuse_namespaces(c);
	refuse_datagrams(c);
	refuse_leases(c);
	keep_buffers(c);
	if (landlock) {
		hand_over_opens(c);
		refuse_controls(c);
		refuse_priorities(c);
		for (size_t i = 0; i < COUNT(only_self); i++)
			refuse_others(c, only_self[i]);
	} else {
		refuse_others(c, SYS_prlimit64); // the server's: runs to come would have them
		refuse_sockets(c);
	}
	answer(c, 0);
	if (!landlock)
		return install(c, 0);
	*ret_listener = install(c, SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);
	return *ret_listener < 0 ? -1 : 0;
}
