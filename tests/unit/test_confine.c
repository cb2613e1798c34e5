// What tools may do that build variants, and what recorded link lines may tell them. All that is tried is tried on
// canaries in the test's folder, by a child that is confined.
#include "base/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/mem.h"
#include "test.h"
#include "variants/build_internal.h"

static bool can_write(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	bool yes = fd >= 0 && write(fd, "x", 1) == 1;
	if (fd >= 0)
		close(fd);
	return yes;
}

// Ways to what a path does not lead to: listeners, flags of files that can only be read, other processes, the machine.
// Calls have arguments with which they do nothing: what is looked at is who refuses.
static int attack_others(int fd)
{
	struct sched_param none = {0};
	struct rlimit few = {64, 64};
	int pair[2], flags = 0;
	static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_RAW, SOCK_SEQPACKET};
	for (size_t i = 0; i < COUNT(types); i++)
		if (socketpair(AF_UNIX, types[i], 0, pair) == 0)
			return 20;
	if (ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 && ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0)
		return 21;
	if (ioctl(fd, FS_IOC_SETVERSION, &flags) == 0 || ioctl(fd, FS_IOC_SETVERSION, NULL) == 0 || errno != ENOTTY)
		return 22;
	pid_t parent = getppid();
	if (setpriority(PRIO_PROCESS, (id_t)parent, 1) == 0 || sched_setscheduler(parent, SCHED_IDLE, &none) == 0 ||
	    prlimit(parent, RLIMIT_NOFILE, &few, NULL) == 0 || syscall(SYS_ioprio_set, 1, parent, 3 << 13) == 0)
		return 23;
	if (prlimit(0, RLIMIT_NOFILE, NULL, &few) < 0)
		return 24; // its own it may see
	if ((syscall(SYS_shmget, 0, -1ul, 01600) >= 0 || errno != EPERM) ||
	    (syscall(SYS_msgget, 0, 0) >= 0 || errno != EPERM) || (syscall(SYS_mq_unlink, NULL) == 0 || errno != EPERM))
		return 25;
	if ((syscall(SYS_sethostname, NULL, -1) == 0 || errno != EPERM) ||
	    (syscall(SYS_chroot, NULL) == 0 || errno != EPERM) ||
	    (syscall(SYS_reboot, 0, 0, 0, NULL) == 0 || errno != EPERM) ||
	    (syscall(SYS_fsopen, NULL, 0) >= 0 || errno != EPERM))
		return 26;
	if ((syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0) >= 0 || errno != EPERM) ||
	    (syscall(600, 0) >= 0 || errno != ENOSYS))
		return 27;
	if (prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN, 0, 0, 0) > 0 && geteuid() == 0)
		return 28;
	return 0;
}

// In the child. Returns the number of what should not have been, 0: all is as it should.
static int attack(const char *inside, const char *canary, char *const program[])
{
	char own[300], moved[300];
	snprintf(own, sizeof own, "%s/own", inside);
	snprintf(moved, sizeof moved, "%s/sub/own", inside);
	if (!can_write(own) || !can_write("/dev/null"))
		return 1;
	if (mkdir("made", 0700) == 0 || can_write(canary) || can_write("new"))
		return 2;
	if (rename(canary, "elsewhere") == 0 || unlink(canary) == 0 || symlink("x", "link") == 0 ||
	    link(canary, moved) == 0)
		return 3;
	if (socket(AF_INET, SOCK_STREAM, 0) >= 0 || socket(AF_UNIX, SOCK_DGRAM, 0) >= 0)
		return 4;
	int fd = open(canary, O_RDONLY);
	if (fd < 0)
		return 5; // what it reads it may read
	fchmod(fd, 0777);
	chmod(canary, 0777);
	if (chown(canary, 0, 0) == 0 || fsetxattr(fd, "user.x", "y", 1, 0) == 0 || futimens(fd, NULL) == 0)
		return 6;
	if (rename(own, moved) < 0)
		return 7;
	int what = attack_others(fd);
	if (what)
		return what;
	if (execv(program[0], program) < 0 && errno != EACCES)
		return 8;
	char *const good[] = {"/bin/true", NULL};
	execv(good[0], good);
	return 9;
}

static void confined(void)
{
	struct stat before, after;
	int status;
	if (!confine_works()) {
		printf("skip confine: no Landlock\n");
		return;
	}
	const char *inside = test_path("inside"), *canary = test_path("canary");
	char *const program[] = {test_path("program"), NULL};
	test_write_text(canary, "canary");
	test_write_text(program[0], "#!/bin/sh\necho executed >&2; exit 99\n");
	CHECK(mkdir(inside, 0700) == 0 && mkdir(test_path("inside/sub"), 0700) == 0 && chmod(program[0], 0755) == 0);
	CHECK(stat(canary, &before) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		const struct confine how = {.writes = {inside}};
		if (chdir(test_folder()) < 0 || confine_self(&how) < 0)
			_exit(100);
		_exit(attack(inside, canary, program));
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_INT(0, status);
	CHECK_STR("canary", (char *)test_read(canary).data);
	CHECK(stat(canary, &after) == 0 && after.st_mode == before.st_mode);
	CHECK(after.st_mtim.tv_nsec == before.st_mtim.tv_nsec && after.st_ctim.tv_nsec == before.st_ctim.tv_nsec);
	CHECK(access(test_path("inside/sub/own"), F_OK) == 0);
}

static void system_files(void)
{
	test_write_text(test_path("ld"), "");
	CHECK(confine_is_system("/bin/sh") && !confine_is_system("/no/such") && !confine_is_system(test_path("ld")));
	CHECK(symlink("/bin/sh", test_path("sh")) == 0 && confine_is_system(test_path("sh")));
	CHECK(!confine_is_system("/usr/../tmp"));
}

// The folder of a tool, and of what it starts; of a compiler with a folder of its own that folder.
static void homes(void)
{
	char *home = confine_home("sh -c whatever");
	CHECK(home && confine_is_system(home));
	mem_free(home);
	CHECK(mkdir(test_path("llvm"), 0700) == 0 && mkdir(test_path("llvm/bin"), 0700) == 0);
	test_write_text(test_path("llvm/bin/clang"), "");
	CHECK(!confine_home(test_path("llvm/bin/clang"))); // cannot be executed
	CHECK(chmod(test_path("llvm/bin/clang"), 0755) == 0);
	home = confine_home(test_path("llvm/bin/clang"));
	CHECK_STR(test_path("llvm"), home);
	mem_free(home);
	test_write_text(test_path("tool"), "");
	CHECK(chmod(test_path("tool"), 0755) == 0);
	home = confine_home(test_path("tool"));
	CHECK_STR(test_folder(), home);
	mem_free(home);
	CHECK(!confine_home("no-such-tool-anywhere"));
}

// --- link lines -------------------------------------------------------------------------------------

static bool refused(const char *first, const char *second)
{
	struct linkline line = {.cwd = (char *)test_folder()};
	struct err err = {0};
	linkline_add(&line, LINK_TEXT, "-O2", "");
	linkline_add(&line, LINK_TEXT, first, "");
	if (second)
		linkline_add(&line, LINK_TEXT, second, "");
	linkline_add(&line, LINK_UNITS, "", "");
	int r = build_link_check(&line, "prog", &err);
	line.cwd = NULL;
	linkline_release(&line);
	CHECK(r == 0 || (strstr(err.text, "the recorded link line of prog has ") && !strchr(err.text, '\n')));
	return r < 0;
}

static void link_lines(void)
{
	static const char *const bad[][2] = {
		{"@file", NULL},
		{"-fplugin=/p.so", NULL},
		{"-fpass-plugin=/p.so", NULL},
		{"-Xclang", "-load"},
		{"-Xarch_host", "-fplugin=x"},
		{"-Wl,-plugin,/p.so", NULL},
		{"-Wl,-z,now,--plugin=/p.so", NULL},
		{"-Wl,@file", NULL},
		{"-Xlinker", "@file"},
		{"-Xlinker", "--load-pass-plugin=x"},
		{"-mllvm", "-load=/p.so"},
		{"-specs=/s", NULL},
		{"--config", "/c"},
		{"--config=/c", NULL},
		{"--driver-mode=cl", NULL},
		{"-Wl,-mllvm,-load=/p.so", NULL},
	};
	static const char *const good[][2] = {
		{"-lm", NULL},
		{"-fuse-ld=lld", NULL},
		{"-Wl,-z,relro,--as-needed", NULL},
		{"-B/usr/bin", NULL},
		{"-Xlinker", "--gc-sections"},
		{"-pthread", NULL},
		{"-static-libgcc", NULL},
		{"-Wl,-soname,libx.so.1", NULL},
		{"-mllvm", "-inline-threshold=3"},
		{"-B/no/such", NULL},
	};
	for (size_t i = 0; i < COUNT(bad); i++)
		CHECK_THAT(refused(bad[i][0], bad[i][1]), "%s", bad[i][0]);
	for (size_t i = 0; i < COUNT(good); i++)
		CHECK_THAT(!refused(good[i][0], good[i][1]), "%s", good[i][0]);
}

// Folders for compilers to look into: with start files, as C libraries have them, and with programs.
static void folders(void)
{
	CHECK(mkdir(test_path("csu"), 0700) == 0 && mkdir(test_path("bin"), 0700) == 0);
	test_write_text(test_path("csu/crt1.o"), "");
	test_write_text(test_path("csu/ld.so"), "");
	CHECK(chmod(test_path("csu/ld.so"), 0755) == 0);
	CHECK(!refused("-Bcsu", NULL) && !refused("-B", "csu/") &&
	      !refused(test_printf("-B%s", test_path("csu")), NULL));
	test_write_text(test_path("bin/my-ld.lld"), "");
	CHECK(!refused("-Bbin", NULL)); // nothing that could be executed
	CHECK(chmod(test_path("bin/my-ld.lld"), 0755) == 0);
	CHECK(refused("-Bbin", NULL) && refused("-B", "bin") && refused("--prefix=bin/my-", NULL) &&
	      refused("-B.", NULL));
	CHECK(refused(test_printf("-fuse-ld=%s", test_path("bin/my-ld.lld")), NULL));
	CHECK(refused(test_printf("--ld-path=%s", test_path("bin/my-ld.lld")), NULL));
	CHECK(!refused("--ld-path=/usr/bin/ld", NULL) && !refused("-fuse-ld=/usr/bin/ld", NULL));
}

static const struct test tests[] = {TEST(confined), TEST(system_files), TEST(homes), TEST(link_lines), TEST(folders)};
TEST_MAIN("confine")
