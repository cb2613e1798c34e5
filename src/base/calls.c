// What filters of system calls are built of, and what every filter of veer's refuses.
//
// Only numbers and plain arguments can be looked at here, so what takes its flags by a pointer is refused as a whole.
#include "base/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

// Numbers that not all systems' headers have. What is newer than this list is refused as not there: it might do what
// one in the list does.
enum { QUOTACTL_FD = 443, SECRET_MEMORY = 447, SET_OWN_LABEL = 460, FIRST_UNKNOWN = 463 };

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

// What Landlock does not look at.
static const uint16_t unseen[] = {
	SYS_chmod,        SYS_fchmod,       SYS_fchmodat, CALLS_FCHMODAT2, SYS_chown,     SYS_fchown,
	SYS_lchown,       SYS_fchownat,     SYS_setxattr, SYS_lsetxattr,   SYS_fsetxattr, SYS_removexattr,
	SYS_lremovexattr, SYS_fremovexattr, SYS_utime,    SYS_utimes,      SYS_futimesat, SYS_utimensat,
	SYS_socket,       SYS_shmat,        SYS_shmctl,   SYS_semctl,      SYS_msgctl,    SYS_semop,
	SYS_semtimedop,   SYS_msgsnd,       SYS_msgrcv,   SYS_ioprio_set,  SYS_flock,
};

// Those whose first argument names a process; 0 is the caller.
static const uint16_t only_self[] = {
	SYS_prlimit64, SYS_sched_setaffinity, SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr,
};

// --- building -------------------------------------------------------------------------------

struct calls *calls_start(void)
{
	static struct calls c; // not on the stack of a forked child; a process has one thread here
	c.n = 0;
	calls_load(&c, offsetof(struct seccomp_data, arch));
	calls_add(&c, BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
	calls_answer(&c, ENOSYS);
	calls_load(&c, offsetof(struct seccomp_data, nr));
	calls_add(&c, BPF_JMP | BPF_JGE | BPF_K, FIRST_UNKNOWN, 0, 1); // and the numbers of x32
	calls_answer(&c, ENOSYS);
	return &c;
}

void calls_add(struct calls *c, uint16_t what, uint32_t k, uint8_t yes, uint8_t no)
{
	if (c->n < COUNT(c->at))
		c->at[c->n] = (struct sock_filter){what, yes, no, k};
	c->n++;
}

void calls_load(struct calls *c, size_t offset)
{
	calls_add(c, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0);
}

void calls_answer(struct calls *c, int error)
{
	calls_add(c, BPF_RET | BPF_K, error ? SECCOMP_RET_ERRNO | (uint32_t)error : SECCOMP_RET_ALLOW, 0, 0);
}

void calls_refuse(struct calls *c, uint32_t number, int error)
{
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
	calls_answer(c, error);
}

void calls_allow(struct calls *c, uint32_t number)
{
	calls_refuse(c, number, 0);
}

void calls_ignore(struct calls *c, uint32_t number)
{
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1);
	calls_add(c, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 0, 0, 0);
}

int calls_install(struct calls *c, unsigned flags)
{
	if (c->n > COUNT(c->at)) {
		errno = E2BIG;
		return -1;
	}
	struct sock_fprog program = {(unsigned short)c->n, c->at};
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

// --- what is refused ------------------------------------------------------------------------

static void refuse_all(struct calls *c, const uint16_t *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++)
		calls_refuse(c, numbers[i], EPERM);
}

// clone() without new namespaces; clone3() has its flags in memory, and libc falls back on clone().
static void refuse_namespaces(struct calls *c)
{
	calls_refuse(c, SYS_clone3, ENOSYS);
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4);
	calls_load(c, CALLS_ARGUMENT(0));
	calls_add(c, BPF_JMP | BPF_JSET | BPF_K, NAMESPACES, 0, 1);
	calls_answer(c, EPERM);
	calls_answer(c, 0);
}

// Whoever opens a file that has a lease has to wait for who has that.
static void refuse_leases(struct calls *c)
{
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 4);
	calls_load(c, CALLS_ARGUMENT(1));
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, F_SETLEASE, 0, 1);
	calls_answer(c, EPERM);
	calls_answer(c, 0);
}

// A file that can only be read can be made immutable, encrypted or of another version all the same, by its owner. So
// what is known to be harmless is left: asking for these flags, and terminals but for what types on them.
static void refuse_controls(struct calls *c)
{
	enum { TERMINAL = 'T' << 8 };
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 8);
	calls_load(c, CALLS_ARGUMENT(1));
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, FS_IOC_GETFLAGS, 5, 0);
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, TIOCSTI, 3, 0);
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, TIOCLINUX, 2, 0);
	calls_add(c, BPF_ALU | BPF_AND | BPF_K, ~(uint32_t)0xff, 0, 0);
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, TERMINAL, 1, 0);
	calls_answer(c, ENOTTY);
	calls_answer(c, 0);
}

// setpriority() of the caller itself is left.
static void refuse_priorities(struct calls *c)
{
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, SYS_setpriority, 0, 6);
	calls_load(c, CALLS_ARGUMENT(0));
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, PRIO_PROCESS, 0, 2);
	calls_load(c, CALLS_ARGUMENT(1));
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
	calls_answer(c, EPERM);
	calls_answer(c, 0);
}

void calls_refuse_others(struct calls *c, uint32_t number)
{
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4);
	calls_load(c, CALLS_ARGUMENT(0));
	calls_add(c, BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
	calls_answer(c, EPERM);
	calls_answer(c, 0);
}

void calls_refuse_machine(struct calls *c)
{
	refuse_all(c, refused, COUNT(refused));
	refuse_namespaces(c);
	refuse_leases(c);
}

void calls_refuse_unseen(struct calls *c)
{
	refuse_all(c, unseen, COUNT(unseen));
	refuse_controls(c);
	refuse_priorities(c);
	for (size_t i = 0; i < COUNT(only_self); i++)
		calls_refuse_others(c, only_self[i]);
}
