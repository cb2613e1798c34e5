// Attacks on the walls themselves: mounts, roots, namespaces, and system calls that the filter might not know. Calls
// have arguments with which they do nothing, or only in here: what is looked at is who refuses.
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hostile.h"

// Whether the filter let a call go on to where its arguments are looked at.
static bool reached(long result)
{
	return result >= 0 || (errno != EPERM && errno != ENOSYS && errno != EACCES);
}

ATTACK(escape_mount)
{
	const char *folder = in(at, "folder");
	through(reached(mount("hostile", folder, "tmpfs", 0, "size=1m")), "mount of a tmpfs");
	through(reached(mount(".", folder, NULL, MS_BIND, NULL)), "bind mount");
	through(reached(mount(NULL, "/", NULL, MS_REMOUNT, NULL)), "remount");
	through(reached(mount("overlay", folder, "overlay", 0, "lowerdir=/,upperdir=.,workdir=sub")), "overlay");
	through(reached(umount2(folder, MNT_DETACH)), "umount");
}

ATTACK(escape_new_mount)
{
	(void)at;
	through(reached(syscall(SYS_open_tree, AT_FDCWD, "/", 1)), "open_tree");
	through(reached(syscall(SYS_fsopen, "tmpfs", 0)), "fsopen");
	through(reached(syscall(SYS_move_mount, -1, "", -1, "", 0)), "move_mount");
	through(reached(syscall(SYS_fsmount, -1, 0, 0)), "fsmount");
	through(reached(syscall(SYS_fspick, AT_FDCWD, "/", 0)), "fspick");
	through(reached(syscall(SYS_mount_setattr, -1, "", 0, NULL, 0)), "mount_setattr");
	through(reached(syscall(467, AT_FDCWD, "/", 1, NULL, 0)), "open_tree_attr");
}

ATTACK(escape_namespaces)
{
	(void)at;
	static const int flags[] = {CLONE_NEWNS,  CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET,
	                            CLONE_NEWIPC, CLONE_NEWUTS,  CLONE_NEWCGROUP, 0x80};
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		through(unshare(flags[i]) == 0, "unshare");
		if (flags[i] == 0x80) // of clone, that is another flag
			continue;
		pid_t pid = (pid_t)syscall(SYS_clone, flags[i] | SIGCHLD, NULL, NULL, NULL, NULL);
		if (pid == 0)
			_exit(0);
		through(pid > 0, "clone with a namespace");
		struct {
			uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
		} how = {.flags = (uint64_t)flags[i], .exit_signal = SIGCHLD};
		pid = (pid_t)syscall(SYS_clone3, &how, sizeof how);
		if (pid == 0)
			_exit(0);
		through(pid > 0, "clone3 with a namespace");
	}
	while (wait(NULL) > 0)
		;
}

ATTACK(escape_enter)
{
	(void)at;
	static const char *const kinds[] = {"mnt", "user", "pid", "net", "ipc"};
	pid_t pids[] = {1, getppid()};
	for (int p = 0; p < 2; p++)
		for (int i = 0; i < 5; i++) {
			char path[64];
			snprintf(path, sizeof path, "/proc/%d/ns/%s", (int)pids[p], kinds[i]);
			int fd = open(path, O_RDONLY);
			through(fd >= 0 && setns(fd, 0) == 0, path);
			close(fd);
		}
}

// Out of a root by a second one, below a folder that is kept open.
ATTACK(escape_chroot)
{
	int fd = open(".", O_RDONLY | O_DIRECTORY);
	if (chroot("sub") == 0) {
		through(true, "chroot");
		(void)!fchdir(fd);
		for (int i = 0; i < 60; i++)
			(void)!chdir("..");
		(void)!chroot(".");
		scrawl_on(in(at, "file"));
	}
	through(reached(syscall(SYS_pivot_root, ".", ".")), "pivot_root");
	close(fd);
}

// A folder that is moved while it is stood in.
ATTACK(escape_moved)
{
	(void)!mkdir("a", 0700);
	(void)!mkdir("a/b", 0700);
	(void)!mkdir("a/b/c", 0700);
	if (chdir("a/b/c") < 0)
		return;
	(void)!rename("../../b", "../../../sub/b");
	char path[4096] = "";
	for (int i = 0; i < 60; i++)
		strcat(path, "../");
	strcat(path, at + 1);
	strcat(path, "/file");
	scrawl_on(path);
}

ATTACK(escape_clock)
{
	(void)at;
	struct timeval now;
	struct timespec time;
	struct timex none = {0};
	syscall(SYS_gettimeofday, &now, NULL);
	syscall(SYS_clock_gettime, CLOCK_REALTIME, &time);
	through(syscall(SYS_settimeofday, NULL, NULL) == 0, "settimeofday");
	time.tv_nsec = -1; // refused by who looks at it
	through(reached(syscall(SYS_clock_settime, CLOCK_REALTIME, &time)), "clock_settime");
	none.modes = 0x8000; // likewise
	none.tick = -1;
	none.modes |= ADJ_TICK;
	through(reached(syscall(SYS_adjtimex, &none)), "adjtimex");
	through(reached(syscall(SYS_clock_adjtime, CLOCK_REALTIME, &none)), "clock_adjtime");
}

ATTACK(escape_machine)
{
	(void)at;
	through(reached(syscall(SYS_sethostname, NULL, -1)), "sethostname");
	through(reached(syscall(SYS_setdomainname, NULL, -1)), "setdomainname");
	through(reached(syscall(SYS_reboot, 0, 0, 0, NULL)), "reboot"); // with no magic number it does nothing
	through(reached(syscall(SYS_init_module, NULL, 0, NULL)), "init_module");
	through(reached(syscall(SYS_finit_module, -1, NULL, 0)), "finit_module");
	through(reached(syscall(SYS_delete_module, NULL, 0)), "delete_module");
	through(reached(syscall(SYS_kexec_load, 0, -1, NULL, -1)), "kexec_load");
	through(reached(syscall(SYS_swapon, NULL, 0)), "swapon");
	through(reached(syscall(SYS_acct, (void *)-1)), "acct");
	through(reached(syscall(SYS_syslog, 10, NULL, 0)), "syslog");
	through(reached(syscall(SYS_iopl, 7)), "iopl");
	through(reached(syscall(SYS_quotactl, 0, NULL, 0, NULL)), "quotactl");
}

ATTACK(escape_kernel)
{
	(void)at;
	char zeros[128] = {0};
	through(reached(syscall(SYS_bpf, 0, zeros, sizeof zeros)), "bpf");
	through(reached(syscall(SYS_perf_event_open, zeros, 0, -1, -1, 0)), "perf_event_open");
	through(reached(syscall(SYS_userfaultfd, 1)), "userfaultfd");
	through(reached(syscall(SYS_io_uring_setup, 1, zeros)), "io_uring_setup");
	through(reached(syscall(SYS_io_uring_enter, -1, 0, 0, 0, NULL)), "io_uring_enter");
	through(reached(syscall(SYS_io_uring_register, -1, 0, NULL, 0)), "io_uring_register");
	through(reached(syscall(SYS_fanotify_init, 0, 0)), "fanotify_init");
	through(reached(syscall(SYS_modify_ldt, 0, zeros, 0)), "modify_ldt");
	through(reached(syscall(SYS_lookup_dcookie, 0, NULL, 0)), "lookup_dcookie");
	through(reached(syscall(SYS_process_madvise, -1, NULL, 0, 0, 0)), "process_madvise");
	through(reached(syscall(SYS_move_pages, -1, 0, NULL, NULL, NULL, 0)), "move_pages");
}

// Another filter on top does not make the first one weaker.
ATTACK(escape_filter)
{
	(void)at;
	struct {
		unsigned short n;
		struct {
			unsigned short code;
			unsigned char yes, no;
			unsigned k;
		} *code;
	} program = {1, &(__typeof__(*program.code)){6, 0, 0, SECCOMP_RET_ALLOW}};
	prctl(PR_SET_SECCOMP, 2, &program);
	syscall(SYS_seccomp, 1, 0, &program);
	long listener = syscall(SYS_seccomp, 1, 8, &program); // SECCOMP_FILTER_FLAG_NEW_LISTENER
	(void)listener;
	through(unshare(0) == 0, "a filter that allows everything");
}

#if defined __x86_64__
// The table of 32-bit calls: number 21 is mount, 61 chroot, 310 unshare.
static long call_32(long number, long first)
{
	long result;
	__asm__ volatile("int $0x80"
	                 : "=a"(result)
	                 : "a"(number), "b"(first), "c"(0), "d"(0), "S"(0), "D"(0)
	                 : "memory", "r8", "r9", "r10", "r11");
	return result;
}
#endif

ATTACK(escape_32_bits)
{
	(void)at;
	through(call_32(20, 0) > 0, "getpid by int 0x80");
	through(call_32(310, 0) == 0, "unshare by int 0x80");
	through(call_32(122, 0) != -ENOSYS, "uname by int 0x80");
}

ATTACK(escape_x32)
{
	(void)at;
	through(syscall(0x40000000 + SYS_getpid) > 0, "getpid of x32");
	through(syscall(0x40000000 + SYS_unshare, 0) == 0, "unshare of x32");
	through(syscall(0x40000000 + 520, NULL, NULL, NULL) < 0 && errno != ENOSYS, "execve of x32");
}

// Numbers beyond the filter's list, and with bits that the kernel does not look at.
ATTACK(escape_numbers)
{
	(void)at;
	for (long number = 463; number < 600; number++) {
		errno = 0;
		char what[32];
		snprintf(what, sizeof what, "system call %ld", number);
		through(syscall(number, -1, -1, -1, -1, -1, -1) >= 0 || errno != ENOSYS, what);
	}
	through(syscall((1l << 32) + SYS_unshare, 0) == 0, "unshare with high bits");
	through(syscall(-1L) >= 0 || errno != ENOSYS, "system call -1");
	pid_t pid = (pid_t)syscall(SYS_clone, (1l << 32) | CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL);
	if (pid == 0)
		_exit(0);
	through(pid > 0, "clone with high bits");
}

// Relatives of what the filter refuses, and calls that hardly anybody makes.
ATTACK(escape_unusual)
{
	enum { QUOTACTL_FD = 443, LSM_SET = 460 };
	int fd = open(at, O_RDONLY | O_DIRECTORY);
	through(reached(syscall(QUOTACTL_FD, fd, 0x80000100, 0, NULL)), "quotactl_fd");
	close(fd);
	through(reached(syscall(LSM_SET, 100, NULL, 0, 0)), "lsm_set_self_attr");
	through(syscall(SYS_uselib, in(at, "exec")) == 0, "uselib");
	through(reached(syscall(SYS_vhangup)), "vhangup");
	through(reached(syscall(SYS_mbind, NULL, -1ul, 0, NULL, 0, 1 << 2)) && errno == EPERM, "mbind of all");
	through(prctl(PR_SET_MM, 1, 0, 0, 0) == 0, "prctl(PR_SET_MM)");
	through(syscall(SYS_mq_notify, -1, NULL) == 0, "mq_notify");
}

// What the user can read and nobody's tests need.
ATTACK(secrets_files)
{
	(void)at;
	static const char *const paths[] = {".ssh/id_test", ".gnupg/secret", ".aws/credentials", ".netrc",
	                                    ".config/gh/hosts.yml"};
	const char *home = getenv("HOME");
	for (size_t i = 0; home && i < sizeof paths / sizeof *paths; i++) {
		char text[64] = "";
		int fd = open(in(home, paths[i]), O_RDONLY);
		if (fd >= 0 && read(fd, text, sizeof text - 1) > 0)
			through(strstr(text, "hostile-secret") != NULL, paths[i]);
		close(fd);
	}
}

static void look_for_secret(int fd, const char *what)
{
	char text[64] = "";
	if (fd >= 0 && read(fd, text, sizeof text - 1) > 0)
		through(strstr(text, "hostile-secret") != NULL, what);
	if (fd >= 0)
		close(fd);
}

// By ways around their names.
ATTACK(secrets_ways)
{
	(void)at;
	const char *home = getenv("HOME"), *secret = in(home ? home : "/", ".ssh/id_test");
	char name[64], path[4096];
	int fd = open(secret, O_PATH), folder = open(in(home ? home : "/", ".ssh"), O_RDONLY | O_DIRECTORY);
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	look_for_secret(open(name, O_RDONLY), "by a descriptor");
	look_for_secret(openat(folder, "id_test", O_RDONLY), "below its folder");
	if (fchdir(folder) == 0) {
		look_for_secret(open("id_test", O_RDONLY), "in its folder");
		look_for_secret(open("../.ssh//./id_test", O_RDWR), "to write, too");
		(void)!chdir(home);
		look_for_secret(open("work/../.ssh/id_test", O_RDONLY | O_CREAT, 0600), "to make it");
	}
	snprintf(path, sizeof path, "/proc/self/root%s", secret);
	look_for_secret(open(path, O_RDONLY), "by the root of a process");
	snprintf(path, sizeof path, "/proc/%d/root%s", (int)getppid(), secret);
	look_for_secret(open(path, O_RDONLY), "by the root of another process");
	snprintf(path, sizeof path, "/proc/%d/environ", (int)getppid());
	look_for_secret(open(path, O_RDONLY), path);
	if (link(secret, "linked") == 0 || symlink(secret, "linked") == 0)
		look_for_secret(open("linked", O_RDONLY), "by a link");
	if (rename(in(home, ".ssh"), in(home, "moved")) == 0)
		look_for_secret(open(in(home, "moved/id_test"), O_RDONLY), "in a folder that was moved");
	close(fd);
	close(folder);
}

ATTACK(secrets_variables)
{
	(void)at;
	static const char *const names[] = {"GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "NPM_TOKEN"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = getenv(names[i]);
		through(value && strstr(value, "hostile-secret"), names[i]);
	}
	FILE *f = fopen("/proc/self/environ", "re");
	static char text[1 << 17];
	size_t n = f ? fread(text, 1, sizeof text, f) : 0;
	through(n && memmem(text, n, "hostile-secret", 14), "/proc/self/environ");
	if (f)
		fclose(f);
}
