// Attacks on files outside of the working folder. In a view they may succeed, and the canaries stay as they are.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

#include "hostile.h"

#define OPEN_2 437

// What a call says here is of no interest: the warden looks.
#define DO(call) ((void)!(call))

ATTACK(files_write)
{
	static const int flags[] = {
		O_WRONLY,           O_RDWR,           O_WRONLY | O_TRUNC, O_WRONLY | O_APPEND, O_RDWR | O_DIRECT,
		O_WRONLY | O_CREAT, O_WRONLY | O_SYNC};
	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
		int fd = open(in(at, "file"), flags[i] | O_CLOEXEC, 0600);
		scrawl(fd);
		DO(pwrite(fd, "harm", 4, 2));
		close(fd);
	}
	struct {
		uint64_t flags, mode, resolve;
	} how = {.flags = O_WRONLY | O_TRUNC};
	int fd = (int)syscall(OPEN_2, AT_FDCWD, in(at, "file"), &how, sizeof how);
	scrawl(fd);
	close(fd);
	close(creat(in(at, "file"), 0600));
	scrawl_on(in(at, "secret"));
}

ATTACK(files_truncate)
{
	DO(truncate(in(at, "file"), 1));
	int fd = open(in(at, "file"), O_RDONLY);
	DO(ftruncate(fd, 1));
	DO(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4));
	close(fd);
	fd = open(in(at, "file"), O_RDWR);
	DO(fallocate(fd, 0, 0, 8192));
	DO(fallocate(fd, FALLOC_FL_ZERO_RANGE, 0, 4));
	close(fd);
}

ATTACK(files_unlink)
{
	static const char *const leaves[] = {"file", "hard", "link", "exec", "secret", "folder/inner", "null", "fifo"};
	for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++)
		DO(unlink(in(at, leaves[i])));
	DO(rmdir(in(at, "folder")));
	DO(unlinkat(AT_FDCWD, in(at, "folder"), AT_REMOVEDIR));
	DO(remove(at));
}

ATTACK(files_rename)
{
	int fd = open("own", O_CREAT | O_WRONLY, 0600);
	scrawl(fd);
	close(fd);
	DO(rename("own", in(at, "file")));
	DO(rename(in(at, "exec"), in(at, "file")));
	DO(rename(in(at, "secret"), "stolen"));
	DO(rename(in(at, "folder"), in(at, "moved")));
	DO(rename(at, "away"));
	DO(syscall(SYS_renameat2, AT_FDCWD, in(at, "hard"), AT_FDCWD, in(at, "new"), RENAME_NOREPLACE));
	DO(syscall(SYS_renameat2, AT_FDCWD, in(at, "hard"), AT_FDCWD, in(at, "white"), RENAME_WHITEOUT));
}

ATTACK(files_exchange)
{
	DO(mkdir("own", 0700));
	DO(syscall(SYS_renameat2, AT_FDCWD, in(at, "file"), AT_FDCWD, in(at, "exec"), RENAME_EXCHANGE));
	DO(syscall(SYS_renameat2, AT_FDCWD, in(at, "file"), AT_FDCWD, in(at, "folder"), RENAME_EXCHANGE));
	DO(syscall(SYS_renameat2, AT_FDCWD, "own", AT_FDCWD, in(at, "folder"), RENAME_EXCHANGE));
	DO(syscall(SYS_renameat2, AT_FDCWD, "mine", AT_FDCWD, in(at, "secret"), RENAME_EXCHANGE));
}

// A second name of the canary, in a folder that can be written to.
ATTACK(files_link)
{
	DO(link(in(at, "file"), "hard"));
	scrawl_on("hard");
	int fd = open(in(at, "secret"), O_RDONLY);
	char name[64];
	DO(linkat(fd, "", AT_FDCWD, "hard2", AT_EMPTY_PATH));
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	DO(linkat(AT_FDCWD, name, AT_FDCWD, "hard3", AT_SYMLINK_FOLLOW));
	scrawl_on("hard2");
	scrawl_on("hard3");
	DO(link(in(at, "file"), in(at, "third")));
	DO(linkat(AT_FDCWD, in(at, "fifo"), AT_FDCWD, "pipe", 0));
	scrawl_on("pipe");
	close(fd);
}

// By the other name of a file that has two.
ATTACK(files_hard)
{
	scrawl_on(in(at, "hard"));
	DO(chmod(in(at, "hard"), 0777));
	DO(unlink(in(at, "hard")));
}

ATTACK(files_symlink)
{
	DO(symlink(in(at, "file"), "to-file"));
	DO(symlink(at, "to-folder"));
	DO(symlink("/", "sub/to-root"));
	scrawl_on("to-file");
	scrawl_on("to-folder/secret");
	DO(chmod("to-file", 0777));
	DO(truncate("to-folder/file", 0));
	close(open("to-folder/made", O_CREAT | O_WRONLY, 0600));
	DO(symlink("/etc", in(at, "planted")));
	char path[4096];
	snprintf(path, sizeof path, "sub/to-root%s/file", at);
	scrawl_on(path);
}

ATTACK(files_chmod)
{
	DO(chmod(in(at, "file"), 0777));
	DO(chmod(at, 0777));
	int fd = open(in(at, "file"), O_RDONLY);
	DO(fchmod(fd, 04777));
	DO(fchmodat(AT_FDCWD, in(at, "exec"), 0, 0));
	DO(syscall(452, AT_FDCWD, in(at, "exec"), 0777, AT_SYMLINK_NOFOLLOW)); // fchmodat2
	DO(syscall(452, fd, "", 0777, AT_EMPTY_PATH));
	close(fd);
}

ATTACK(files_chown)
{
	int fd = open(in(at, "file"), O_RDONLY);
	uid_t others[] = {0, 65534, getuid()};
	for (int i = 0; i < 3; i++) {
		DO(chown(in(at, "exec"), others[i], others[i]));
		DO(lchown(in(at, "link"), others[i], others[i]));
		DO(fchown(fd, others[i], others[i]));
		DO(fchownat(fd, "", others[i], others[i], AT_EMPTY_PATH));
	}
	close(fd);
}

ATTACK(files_times)
{
	struct timespec t[2] = {{1, 1}, {1, 1}};
	struct timeval v[2] = {{1, 1}, {1, 1}};
	struct utimbuf u = {1, 1};
	int fd = open(in(at, "file"), O_RDONLY);
	DO(utimensat(AT_FDCWD, in(at, "file"), t, 0));
	DO(utimensat(AT_FDCWD, in(at, "link"), NULL, AT_SYMLINK_NOFOLLOW));
	DO(futimens(fd, NULL));
	DO(futimens(fd, t));
	DO(utimes(in(at, "exec"), v));
	DO(utime(in(at, "secret"), &u));
	DO(utime(at, NULL));
	DO(futimesat(AT_FDCWD, in(at, "folder"), v));
	close(fd);
}

ATTACK(files_attributes)
{
	static const char *const sets[] = {"user.veer",           "user.new",
	                                   "security.capability", "trusted.overlay.opaque",
	                                   "trusted.new",         "system.posix_acl_access"};
	int fd = open(in(at, "file"), O_RDONLY);
	for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
		DO(setxattr(in(at, "file"), sets[i], "y", 1, 0));
		DO(fsetxattr(fd, sets[i], "y", 1, 0));
		DO(lsetxattr(in(at, "folder"), sets[i], "y", 1, 0));
		DO(removexattr(in(at, "file"), sets[i]));
		DO(fremovexattr(fd, sets[i]));
	}
	struct {
		uint64_t value;
		uint32_t size, flags;
	} how = {(uint64_t)(uintptr_t)"y", 1, 0};
	DO(syscall(463, AT_FDCWD, in(at, "file"), 0, "user.veer", &how, sizeof how)); // setxattrat
	DO(syscall(466, AT_FDCWD, in(at, "file"), 0, "user.veer"));                   // removexattrat
	close(fd);
}

// Flags of the file system, which need no more than a descriptor to read by.
ATTACK(files_flags)
{
	static const char *const leaves[] = {"file", "folder", "exec", "secret"};
	for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
		int fd = open(in(at, leaves[i]), O_RDONLY), flags = 0;
		if (ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0) {
			flags |= FS_NODUMP_FL | FS_NOATIME_FL;
			DO(ioctl(fd, FS_IOC_SETFLAGS, &flags));
			flags |= FS_IMMUTABLE_FL | FS_APPEND_FL;
			DO(ioctl(fd, FS_IOC_SETFLAGS, &flags));
		}
		struct fsxattr x = {0};
		if (ioctl(fd, FS_IOC_FSGETXATTR, &x) == 0) {
			x.fsx_projid = 77;
			x.fsx_xflags |= FS_XFLAG_NODUMP;
			DO(ioctl(fd, FS_IOC_FSSETXATTR, &x));
		}
		close(fd);
	}
}

ATTACK(files_version)
{
	int fd = open(in(at, "file"), O_RDONLY), version = 77;
	DO(ioctl(fd, FS_IOC_SETVERSION, &version));
	DO(ioctl(fd, FS_IOC32_SETVERSION, &version));
	close(fd);
}

ATTACK(files_mmap)
{
	int fd = open(in(at, "file"), O_RDWR);
	char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p != MAP_FAILED) {
		memcpy(p, "harm", 4);
		msync(p, 4096, MS_SYNC);
	}
	close(fd);
	fd = open(in(at, "secret"), O_RDONLY);
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	if (p != MAP_FAILED && mprotect(p, 4096, PROT_READ | PROT_WRITE) == 0)
		memcpy(p, "harm", 4);
	if (p != MAP_FAILED) {
		// The kernel writes for us.
		int self = open("/proc/self/mem", O_RDWR);
		DO(pwrite(self, "harm", 4, (off_t)(uintptr_t)p));
		close(self);
		DO(madvise(p, 4096, MADV_REMOVE));
	}
	close(fd);
}

ATTACK(files_handle)
{
	union {
		struct file_handle handle;
		char room[sizeof(struct file_handle) + 128];
	} h = {.handle.handle_bytes = 128};
	int id, where = open(at, O_RDONLY | O_DIRECTORY);
	int named = name_to_handle_at(AT_FDCWD, in(at, "file"), &h.handle, &id, 0);
	through(named == 0, "name_to_handle_at");
	int fd = open_by_handle_at(where, &h.handle, O_RDWR);
	through(fd >= 0 || errno != EPERM, "open_by_handle_at");
	scrawl(fd);
	close(where);
}

// What was opened to be read, once more.
ATTACK(files_reopen)
{
	static const int flags[] = {O_RDONLY, O_PATH};
	for (int i = 0; i < 2; i++) {
		char name[64];
		int fd = open(in(at, "file"), flags[i]);
		snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
		scrawl_on(name);
		DO(truncate(name, 0));
		DO(chmod(name, 0777));
		snprintf(name, sizeof name, "/proc/thread-self/fd/%d", fd);
		scrawl_on(name);
		snprintf(name, sizeof name, "/dev/fd/%d", fd);
		scrawl_on(name);
		close(fd);
	}
}

// Up from folders that are kept open, further than there is.
ATTACK(files_dots)
{
	char path[4096] = "";
	int fd = open("sub", O_RDONLY | O_DIRECTORY);
	DO(mkdir("elsewhere", 0700));
	DO(rename("sub", "elsewhere/sub"));
	for (int i = 0; i < 60; i++)
		strcat(path, "../");
	strcat(path, at + 1);
	strcat(path, "/file");
	int file = openat(fd, path, O_WRONLY | O_TRUNC);
	scrawl(file);
	close(file);
	if (fchdir(fd) == 0) {
		for (int i = 0; i < 60; i++)
			DO(chdir(".."));
		scrawl_on(at + 1);
		file = open(in(at + 1, "file"), O_WRONLY);
		scrawl(file);
		close(file);
	}
	close(fd);
}

ATTACK(files_tmpfile)
{
	int fd = open(at, O_TMPFILE | O_RDWR, 0600);
	char name[64];
	scrawl(fd);
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	DO(linkat(AT_FDCWD, name, AT_FDCWD, in(at, "made"), AT_SYMLINK_FOLLOW));
	DO(linkat(fd, "", AT_FDCWD, in(at, "made2"), AT_EMPTY_PATH));
	close(fd);
	fd = open(".", O_TMPFILE | O_RDWR, 0600);
	scrawl(fd);
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	DO(linkat(AT_FDCWD, name, AT_FDCWD, in(at, "made3"), AT_SYMLINK_FOLLOW));
	close(fd);
}

ATTACK(files_copy)
{
	int from = open("mine", O_RDONLY), to = open(in(at, "file"), O_WRONLY), pipes[2];
	DO(copy_file_range(from, NULL, to, NULL, 5, 0));
	DO(sendfile(to, from, &(off_t){0}, 5));
	DO(ioctl(to, FICLONE, from));
	if (pipe(pipes) == 0) {
		struct iovec v = {"harm", 4};
		DO(vmsplice(pipes[1], &v, 1, 0));
		DO(splice(pipes[0], NULL, to, NULL, 4, 0));
		close(pipes[0]);
		close(pipes[1]);
	}
	// Pages of a file that was only read, through a pipe.
	int file = open(in(at, "secret"), O_RDONLY);
	if (pipe(pipes) == 0) {
		DO(splice(file, &(off_t){0}, pipes[1], NULL, 1, 0));
		DO(write(pipes[1], "harm", 4));
	}
	close(file);
	close(from);
	close(to);
}

ATTACK(files_make)
{
	static const char *const nowhere[] = {"/veer-hostile", "/etc/veer-hostile", "/tmp/veer-hostile",
	                                      "/var/tmp/veer-hostile"};
	for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++) {
		close(open(nowhere[i], O_CREAT | O_WRONLY, 0600));
		DO(mkdir(nowhere[i], 0700));
	}
	close(open(in(at, "new"), O_CREAT | O_WRONLY, 0600));
	DO(mkdir(in(at, "folder/new"), 0700));
	DO(mkfifo(in(at, "new-fifo"), 0600));
	DO(mknod(in(at, "new-null"), S_IFCHR | 0666, 0x103));
}

// The program, its variant, and what lies beside it.
ATTACK(files_program)
{
	(void)at;
	char path[4096] = "";
	signal(SIGXFSZ, SIG_IGN); // it is larger than a run may write
	DO(readlink("/proc/self/exe", path, sizeof path - 1));
	scrawl_on("/proc/self/exe");
	int fd = open("/proc/self/exe", O_RDONLY);
	DO(fchmod(fd, 0));
	close(fd);
	char *slash = strrchr(path, '/');
	if (slash)
		*slash = 0;
	close(open(in(path, "planted"), O_CREAT | O_WRONLY, 0600));
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[4096];
	while (maps && fgets(line, sizeof line, maps)) {
		char *name = strchr(line, '/');
		if (!name || strncmp(name, "/usr", 4) == 0 || strncmp(name, "/lib", 4) == 0)
			continue;
		name[strcspn(name, "\n")] = 0;
		scrawl_on(name);
		DO(unlink(name));
	}
	if (maps)
		fclose(maps);
}

// veer's own folders: where the campaign and the cache are.
ATTACK(files_campaign)
{
	(void)at;
	static const char *const variables[] = {"HOSTILE_OUT", "VEER_CACHE_DIR"};
	static const char *const leaves[] = {"veer.db", "veer.db-wal", "lock", "results.json", "CACHEDIR.TAG"};
	for (int i = 0; i < 2; i++) {
		const char *folder = getenv(variables[i]);
		if (!folder)
			continue;
		for (size_t k = 0; k < sizeof leaves / sizeof *leaves; k++) {
			scrawl_on(in(folder, leaves[k]));
			DO(truncate(in(folder, leaves[k]), 0));
			DO(unlink(in(folder, leaves[k])));
		}
		DO(rename(folder, "taken"));
		close(open(in(folder, "planted"), O_CREAT | O_WRONLY, 0600));
	}
}

// Settings of the kernel. They are only opened.
ATTACK(files_settings)
{
	(void)at;
	static const char *const paths[] = {"/proc/sys/kernel/hostname",   "/proc/sys/kernel/core_pattern",
	                                    "/proc/sys/vm/drop_caches",    "/proc/sysrq-trigger",
	                                    "/sys/kernel/uevent_helper",   "/sys/power/state",
	                                    "/sys/fs/cgroup/cgroup.procs", "/proc/self/timerslack_ns"};
	for (size_t i = 0; i + 1 < sizeof paths / sizeof *paths; i++) {
		int fd = open(paths[i], O_WRONLY | O_CLOEXEC);
		through(fd >= 0, paths[i]);
		close(fd);
	}
}

// What lies beside the working folder, where Landlock has runs work in a copy: the other copy.
ATTACK(files_box)
{
	(void)at;
	char path[4096];
	if (!getcwd(path, sizeof path - 16) || namespaces())
		return;
	*strrchr(path, '/') = 0;
	DIR *dir = opendir(path);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		if (e->d_name[0] == '.' || strcmp(e->d_name, "cwd") == 0 || strcmp(e->d_name, "open") == 0)
			continue;
		char beside[8192];
		snprintf(beside, sizeof beside, "%s/%s", path, e->d_name);
		int fd = open(in(beside, "planted"), O_CREAT | O_WRONLY, 0600);
		through(fd >= 0, beside);
		close(fd);
		through(scrawl_on(in(beside, "mine")), beside);
	}
	if (dir)
		closedir(dir);
}

// In the working folder everything may be done, and nothing of it is seen by the next run.
ATTACK(files_own)
{
	(void)at;
	DO(unlink("mine"));
	DO(mkdir("mine", 0));
	DO(mkdir("sub/a", 0));
	DO(symlink("/etc", "sub/b"));
	close(open("sub/a\n\x1b[31m", O_CREAT | O_WRONLY, 0));
	close(open("left", O_CREAT | O_WRONLY, 0));
	DO(mkfifo("fifo", 0));
	DO(chmod("sub", 0));
	DO(rename("sub", "mine/sub"));
	DO(chmod(".", 0));
}

// What overlays note about files, in attributes of theirs: where the content is, and what is not there.
ATTACK(files_redirect)
{
	static const char *const kinds[] = {"redirect", "opaque", "metacopy", "origin", "whiteout", "upper"};
	char secret[4096];
	snprintf(secret, sizeof secret, "%s", in(at, "secret"));
	const char *const paths[] = {"mine", "sub", at, in(at, "file"), in(at, "folder")};
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
			char user[64], trusted[64];
			snprintf(user, sizeof user, "user.overlay.%s", kinds[k]);
			snprintf(trusted, sizeof trusted, "trusted.overlay.%s", kinds[k]);
			const char *value = k == 0 ? secret : "y";
			DO(setxattr(paths[i], user, value, strlen(value), 0));
			DO(setxattr(paths[i], trusted, value, strlen(value), 0));
		}
	DO(mknod("sub/white", S_IFCHR, 0)); // a whiteout
	DO(mknod(in(at, "white"), S_IFCHR, 0));
}

// The folder in which the next run starts is another one, or none.
ATTACK(files_start)
{
	char start[4096], away[5000];
	if (!getcwd(start, sizeof start))
		return;
	snprintf(away, sizeof away, "%s.away", start);
	DO(unlink("mine"));
	DO(rmdir("sub"));
	DO(rename(start, away));
	DO(symlink(at, start));
	DO(rmdir(start));
	DO(mkdir(start, 0));
	DO(chmod(start, 0));
	DO(chmod(".", 0));
}

// Where veer puts what runs read.
ATTACK(files_input)
{
	static const char *const leaves[] = {"veer-input", "files", "input", "reports"};
	const char *const folders[] = {"/dev/shm", open_folder()};
	for (int i = 0; i < 2; i++)
		for (size_t k = 0; k < sizeof leaves / sizeof *leaves; k++) {
			if (!folders[i][0])
				continue;
			DO(unlink(in(folders[i], leaves[k])));
			DO(rename(in(folders[i], leaves[k]), "taken"));
			DO(symlink(k % 2 ? in(at, "folder") : in(at, "file"), in(folders[i], leaves[k])));
		}
}

// Another /proc than the one that veer knows: of the processes outside, and with links that lead where its reader is.
ATTACK(files_proc)
{
	static const char *const leaves[] = {"environ", "mem", "maps", "auxv", "io", "fd/0", "root/etc/passwd", "exe"};
	pid_t pids[] = {1, getppid(), 0};
	char path[4096], own[64], byte;
	through(namespaces() && access(in(at, "../proc/1/status"), F_OK) == 0, "saw processes outside");
	for (int i = 0; i < 3; i++)
		for (size_t k = 0; k < sizeof leaves / sizeof *leaves; k++) {
			if (pids[i])
				snprintf(path, sizeof path, "%s/%d/%s", in(at, "../proc"), (int)pids[i], leaves[k]);
			else
				snprintf(path, sizeof path, "%s/self/%s", in(at, "../proc"), leaves[k]);
			int fd = open(path, O_RDONLY | O_NONBLOCK);
			bool got = fd >= 0 && (read(fd, &byte, 1) == 1 || k == 1);
			through(got && pids[i], path);
			snprintf(own, sizeof own, "%d", (int)getpid());
			if (got && !pids[i] && k != 6 && k != 7) { // its own, or somebody's
				char link[64] = "";
				DO(readlink(in(at, "../proc/self"), link, sizeof link - 1));
				through(strcmp(link, own) != 0 || !namespaces(), path);
			}
			if (fd >= 0)
				close(fd);
		}
}

// A queue of messages outside, by the path of a file system that shows it.
ATTACK(files_queue)
{
	char data[8192];
	unsigned priority;
	struct timespec now = {0};
	int fd = open(in(at, "../queue/canary"), O_RDONLY | O_NONBLOCK);
	through(fd >= 0 && syscall(SYS_mq_timedreceive, fd, data, sizeof data, &priority, &now) >= 0,
	        "took a message from a queue");
	close(fd);
	fd = open(in(at, "../queue/canary"), O_WRONLY | O_NONBLOCK);
	through(fd >= 0 && syscall(SYS_mq_timedsend, fd, "harm", 4, 0, &now) == 0, "sent a message to a queue");
	close(fd);
	DO(unlink(in(at, "../queue/canary")));
}

// FIFOs, sockets and links in the place of what the next run starts with: who restores it opens none of them.
ATTACK(files_replaced)
{
	(void)!unlink("mine");
	(void)!mkfifo("mine", 0666);
	(void)!rename("sub", "gone");
	(void)!symlink(in(at, "folder"), "sub");
	(void)!mkfifo("gone/fifo", 0);
	(void)!chmod("gone", 0);
	(void)!chmod(".", 0);
}

// What an overlay keeps its own accounts in.
ATTACK(files_overlay)
{
	static const char *const names[] = {"user.overlay.opaque",     "user.overlay.redirect", "user.overlay.metacopy",
	                                    "user.overlay.whiteout",   "user.overlay.upper",    "user.overlay.origin",
	                                    "trusted.overlay.redirect"};
	const char *const paths[] = {"sub", "mine", "."};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		for (size_t k = 0; k < 3; k++) {
			setxattr(paths[k], names[i], "y", 1, 0);
			setxattr(paths[k], names[i], at, strlen(at), 0);
		}
	(void)!mknod("sub/mine", S_IFCHR, 0);
	(void)!rename("sub", "other");
	(void)!mkdir("sub", 0700);
	(void)!setxattr("sub", "user.overlay.redirect", in(at, "folder"), strlen(at) + 7, 0);
	scrawl_on("sub/inner");
}
