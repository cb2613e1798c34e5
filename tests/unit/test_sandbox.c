// What runs can do inside the sandbox, and that nothing of it is seen outside or by the next run. What a run does to
// files it does to files in a folder made for the test, and only after it has seen that it is inside.
#include "run/sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "test.h"

enum { SOMEBODY = 12345 }; // not "nobody", which is what the kernel calls those that a user namespace does not have

struct setting {
	enum sandbox_mode mode;
	struct sandbox s;
	char *box, *cwd, *mark; // mark: a file that exists outside only
};

static struct setting *here; // inside a child: where it is

// --- harness --------------------------------------------------------------------------------

static void make_tree(struct setting *t)
{
	t->box = test_path("box");
	t->cwd = test_path("cwd");
	CHECK(mkdir(t->box, 0777) == 0 && mkdir(t->cwd, 0777) == 0);
	CHECK(mkdir(test_path("cwd/sub"), 0755) == 0);
	test_write_text(test_path("cwd/one"), "one");
	test_write_text(test_path("cwd/two"), "two");
	test_write_text(test_path("cwd/sub/three"), "three");
	CHECK(chmod(test_path("cwd/two"), 0640) == 0 && symlink("one", test_path("cwd/link")) == 0);
}

static void check_text(const char *path, const char *text)
{
	CHECK_STR(text, (char *)test_read(path).data);
}

// The canaries, as they were.
static void check_tree(const char *cwd)
{
	struct stat st;
	check_text(test_printf("%s/one", cwd), "one");
	check_text(test_printf("%s/two", cwd), "two");
	check_text(test_printf("%s/sub/three", cwd), "three");
	CHECK(stat(test_printf("%s/two", cwd), &st) == 0);
	CHECK_INT(0640, st.st_mode & 07777);
	CHECK(lstat(test_printf("%s/link", cwd), &st) == 0 && S_ISLNK(st.st_mode));
	int n = 0;
	DIR *dir = opendir(cwd);
	while (dir && readdir(dir))
		n++;
	closedir(dir);
	CHECK_INT(6, n);
}

// As the child of a fork server does.
static void go_in(const struct setting *t)
{
	if (t->s.root && (chroot(t->s.root) < 0))
		_exit(99);
	if (chdir(t->s.cwd) < 0)
		_exit(98);
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2];
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_LOWER, CAP_SYS_CHROOT, 0, 0);
	if (syscall(SYS_capget, &head, data) < 0)
		_exit(97);
	data[0].effective &= ~(1u << CAP_SYS_CHROOT);
	data[0].permitted &= ~(1u << CAP_SYS_CHROOT);
	data[0].inheritable &= ~(1u << CAP_SYS_CHROOT);
	if (syscall(SYS_capset, &head, data) < 0)
		_exit(96);
}

// Whether this process is inside: a run that is not must do nothing. A file is made, which must not be seen outside
// (its folder there is held by a descriptor that was opened before).
static int outside = -1;

static bool is_inside(const struct setting *t)
{
	if (t->mode == SANDBOX_NAMESPACES) {
		int fd = open("inside", O_CREAT | O_EXCL | O_WRONLY, 0600);
		bool made = fd >= 0, seen = faccessat(outside, "inside", F_OK, 0) == 0;
		if (made)
			close(fd);
		if (made)
			unlink("inside");
		return made && !seen;
	}
	// Outside of the copy, where anybody could write, it cannot.
	char *path = test_printf("%s/inside", t->cwd);
	return open(path, O_CREAT | O_WRONLY, 0600) < 0 && errno == EACCES;
}

// Starts a run: confined, in the view. Returns its process id.
static pid_t start(struct setting *t, int (*run)(struct setting *))
{
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid)
		return pid;
	if (sandbox_confine(&t->s) < 0)
		_exit(95);
	go_in(t);
	if (!is_inside(t))
		_exit(94);
	_exit(run(t));
}

static int run(struct setting *t, int (*function)(struct setting *))
{
	int status;
	pid_t pid = start(t, function);
	CHECK(waitpid(pid, &status, 0) == pid);
	return status;
}

static void check_run(struct setting *t, int (*function)(struct setting *))
{
	CHECK_INT(0, run(t, function));
}

static void reset(struct setting *t)
{
	struct err err;
	CHECK_THAT(sandbox_reset(&t->s, &err) == 0, "%s", err.text);
}

static pid_t enter_with(struct setting *t, enum sandbox_mode mode, const struct sandbox_limits *limits,
                        void (*scenario)(struct setting *))
{
	struct err err = {0};
	t->mode = mode;
	make_tree(t);
	outside = open(t->cwd, O_PATH | O_DIRECTORY);
	long live = mem_live();
	pid_t pid = sandbox_fork(&t->s, mode, limits, t->box, t->cwd, &err);
	CHECK_THAT(pid >= 0, "%s", err.text);
	if (pid == 0) {
		here = t;
		alarm(60);
		scenario(t);
		sandbox_leave(&t->s);
		CHECK_INT(live, mem_live());
		_exit(0);
	}
	CHECK_INT(live, mem_live());
	return pid;
}

struct scenario {
	enum sandbox_mode mode;
	const struct sandbox_limits *limits;
	void (*function)(struct setting *);
	bool as_user;
};

static int play(void *opaque)
{
	const struct scenario *c = opaque;
	struct setting t = {0};
	int status;
	if (c->as_user)
		CHECK(setgid(SOMEBODY) == 0 && setuid(SOMEBODY) == 0);
	prctl(PR_SET_DUMPABLE, 1); // as a process is that was not root before
	pid_t pid = enter_with(&t, c->mode, c->limits, c->function);
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_INT(0, status);
	close(outside);
	check_tree(t.cwd);
	return 0;
}

static bool works(enum sandbox_mode mode)
{
	struct buf why = {0};
	bool yes = sandbox_works(mode, &why);
	if (!yes)
		printf("skip sandbox %s: %s\n", sandbox_names[mode], why.data);
	buf_release(&why);
	return yes;
}

// A scenario in every mode, for root (when we are) and for another user.
static void everywhere(void (*function)(struct setting *), const struct sandbox_limits *limits)
{
	static const enum sandbox_mode modes[] = {SANDBOX_NAMESPACES, SANDBOX_LANDLOCK};
	const char *folder = test_folder();
	CHECK(chmod(folder, 0777) == 0);
	for (size_t i = 0; i < COUNT(modes); i++) {
		if (!works(modes[i]))
			continue;
		for (int as_user = 0; as_user <= (geteuid() == 0); as_user++) {
			struct scenario c = {modes[i], limits, function, as_user};
			test_child(play, &c, 0);
			const char *argv[] = {
				"/bin/sh", "-c",   "chmod -R u+rwx \"$1\"/* ; rm -rf \"$1\"/box \"$1\"/cwd",
				"sh",      folder, NULL};
			CHECK_INT(0, test_run(argv, NULL));
		}
	}
}

// --- files ----------------------------------------------------------------------------------

static int change_files(struct setting *t)
{
	int fd = open("one", O_WRONLY | O_TRUNC);
	if (fd < 0 || write(fd, "changed", 7) != 7 || unlink("sub/three") < 0 || rmdir("sub") < 0)
		return 1;
	close(fd);
	if (rename("two", "three") < 0 || unlink("link") < 0 || symlink("nowhere", "link") < 0)
		return 2;
	if (mkdir("new", 0700) < 0 || mkdir("new/deep", 0) < 0)
		return 3;
	if (t->mode == SANDBOX_NAMESPACES && (chmod("three", 0777) < 0 || chmod(".", 0700) < 0))
		return 4;
	return 0;
}

static int see_tree(struct setting *t)
{
	check_tree(".");
	return 0;
}

static int see_change(struct setting *t)
{
	check_text("one", "changed");
	return access("two", F_OK) == 0 || access("sub", F_OK) == 0 || access("new/deep", F_OK) < 0;
}

static void files(struct setting *t)
{
	check_run(t, see_tree);
	for (unsigned i = 0; i < test_times(80); i++) { // so that what was replaced is unmounted, twice
		check_run(t, change_files);
		check_run(t, see_change); // until the reset
		reset(t);
		check_run(t, see_tree);
		reset(t);
	}
}

static void test_files(void)
{
	everywhere(files, NULL);
}

static int swap_equal(struct setting *t)
{
	return rename("one", "x") < 0 || rename("two", "one") < 0 || rename("x", "two") < 0;
}

static int see_equal(struct setting *t)
{
	check_text("one", "one");
	check_text("two", "two");
	return 0;
}

static void equals(struct setting *t)
{
	check_run(t, swap_equal);
	reset(t);
	check_run(t, see_equal);
}

static void test_equal_files(void) // of the same size and time: only their places tell them apart
{
	everywhere(equals, NULL);
}

// --- every kind of change --------------------------------------------------------------------

static int write_to(const char *path, int flags)
{
	int fd = open(path, O_WRONLY | flags, 0600);
	int r = fd < 0 || write(fd, "changed", 7) != 7;
	close(fd);
	return r;
}

static int make_file(struct setting *t)
{
	return write_to("new", O_CREAT | O_EXCL);
}

static int make_below(struct setting *t)
{
	return write_to("sub/new", O_CREAT | O_EXCL) || mkdir("sub/folder", 0700) < 0 ||
	       write_to("sub/folder/new", O_CREAT);
}

static int make_nodes(struct setting *t)
{
	return symlink("/", "root") < 0 || mkfifo("fifo", 0600) < 0 || link("new", "other") == 0;
}

static int make_many(struct setting *t)
{
	int r = 0;
	for (int i = 0; i < 100; i++)
		r |= write_to(test_printf("sub/%d", i), O_CREAT);
	return r;
}

static int overwrite(struct setting *t)
{
	return write_to("one", O_TRUNC) || write_to("sub/three", O_APPEND);
}

static int write_mapped(struct setting *t) // read first: the write itself is not noticed then
{
	int fd = open("sub/three", O_RDWR);
	char *p = mmap(NULL, 4, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED || ((volatile char *)p)[0] != 't')
		return 1;
	p[0] = 'x';
	return 0;
}

static int delete(struct setting *t)
{
	return unlink("two") < 0 || unlink("sub/three") < 0;
}

static int replace(struct setting *t)
{
	return write_to("new", O_CREAT) || rename("new", "one") < 0 || rename("two", "sub/three") < 0;
}

static int make_again(struct setting *t)
{
	return unlink("sub/three") < 0 || rmdir("sub") < 0 || mkdir("sub", 0755) < 0 || write_to("sub/three", O_CREAT);
}

static int link_file(struct setting *t)
{
	return link("one", "linked") < 0 || write_to("linked", 0);
}

static int change_attributes(struct setting *t)
{
	setxattr(".", "user.veer", "x", 1, 0); // not everywhere
	setxattr("sub", "user.veer", "x", 1, 0);
	utimensat(AT_FDCWD, "sub", (struct timespec[2]){{1, 0}, {1, 0}}, 0);
	return t->mode == SANDBOX_NAMESPACES && chmod("sub", 0711) < 0;
}

// Files that are open nowhere but on their way through sockets that only they themselves hold.
static int leave_on_the_way(struct setting *t)
{
	int pair[2];
	char byte = 0, control[CMSG_SPACE(4 * sizeof(int))] = {0};
	int fds[4] = {open("one", O_RDWR), open("sub/on-the-way", O_RDWR | O_CREAT, 0600)};
	if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) < 0 || fds[0] < 0 || fds[1] < 0)
		return 1;
	fds[2] = pair[0];
	fds[3] = pair[1];
	struct iovec io = {&byte, 1};
	struct msghdr m = {.msg_iov = &io, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof fds);
	memcpy(CMSG_DATA(c), fds, sizeof fds);
	return sendmsg(pair[0], &m, 0) != 1 || write(fds[0], "changed", 7) != 7;
}

static char *snapshot; // shared with runs

static void describe(const char *folder, struct buf *out)
{
	struct dirent **entries;
	int n = scandir(folder, &entries, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		struct stat st;
		char *path = test_printf("%s/%s", folder, entries[i]->d_name), names[64] = "";
		if (strcmp(entries[i]->d_name, "..") == 0 || lstat(path, &st) < 0)
			continue;
		buf_printf(out, "%s %o %u", path, st.st_mode, st.st_uid);
		if (strcmp(path, "./.") != 0) // where is_inside() has made something
			buf_printf(out, " %lld.%09ld", (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
		if (S_ISREG(st.st_mode))
			buf_printf(out, " %u %s", (unsigned)st.st_nlink, (char *)test_read(path).data);
		if (!S_ISLNK(st.st_mode) && listxattr(path, names, sizeof names) > 0)
			buf_printf(out, " %s", names);
		buf_addch(out, '\n');
		if (S_ISDIR(st.st_mode) && strcmp(entries[i]->d_name, ".") != 0)
			describe(path, out);
	}
}

static int take_snapshot(struct setting *t)
{
	struct buf text = {0};
	describe(".", &text);
	strcpy(snapshot, text.data);
	return text.len < 100;
}

static int see_snapshot(struct setting *t)
{
	struct buf text = {0};
	describe(".", &text);
	CHECK_STR(snapshot, text.data);
	return 0;
}

static void changes(struct setting *t)
{
	static int (*const kinds[])(struct setting *) = {
		make_file, make_below, make_nodes, make_many, overwrite,         write_mapped,
		delete,    replace,    make_again, link_file, change_attributes, leave_on_the_way};
	enum { PAGE = 1 << 16 };
	snapshot = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(snapshot != MAP_FAILED);
	check_run(t, take_snapshot);
	unsigned seed = 1;
	for (unsigned i = 0; i < test_times(120); i++) { // each after each other, about once
		seed = seed * 1103515245 + 12345;
		check_run(t, kinds[(seed >> 16) % COUNT(kinds)]);
		reset(t);
		check_run(t, see_snapshot);
	}
	munmap(snapshot, PAGE);
}

static void test_changes(void)
{
	everywhere(changes, NULL);
}

static int change_permission(struct setting *t)
{
	return chmod("one", 0600) < 0 || chmod(".", 0711) < 0;
}

static int see_permission(struct setting *t)
{
	struct stat st;
	return stat("one", &st) < 0 || (st.st_mode & 07777) == 0600 || stat(".", &st) < 0 ||
	       (st.st_mode & 07777) == 0711;
}

static void permissions(struct setting *t)
{
	CHECK_INT(t->mode == SANDBOX_LANDLOCK ? 1 << 8 : 0, run(t, change_permission));
	reset(t);
	check_run(t, see_permission);
}

static void test_permissions(void)
{
	everywhere(permissions, NULL);
}

static int nest(struct setting *t)
{
	for (int i = 0; i < 1100; i++) // more than a process may have descriptors
		if (mkdir("d", 0755) < 0 || chdir("d") < 0)
			return i < 100;
	return 0;
}

static void nested(struct setting *t)
{
	check_run(t, nest);
	reset(t);
	check_run(t, see_tree);
}

static void test_nested_folders(void)
{
	everywhere(nested, NULL);
}

static int write_elsewhere(struct setting *t) // /tmp and /dev/shm belong to a run, too
{
	const char *const paths[] = {"/tmp/veer-test-sandbox", "/dev/shm/veer-test-sandbox"};
	for (size_t i = 0; i < COUNT(paths); i++) {
		int fd = open(paths[i], O_CREAT | O_EXCL | O_WRONLY, 0600);
		if ((fd < 0) != (t->mode == SANDBOX_LANDLOCK))
			return 1;
	}
	return 0;
}

static void elsewhere(struct setting *t)
{
	check_run(t, write_elsewhere);
	CHECK(access("/tmp/veer-test-sandbox", F_OK) < 0);
	CHECK(access("/dev/shm/veer-test-sandbox", F_OK) < 0);
	reset(t);
	check_run(t, write_elsewhere);
}

static void test_elsewhere(void)
{
	everywhere(elsewhere, NULL);
}

static int fill_disk(struct setting *t)
{
	static char block[1 << 20];
	signal(SIGXFSZ, SIG_IGN);
	for (int i = 0; i < 64; i++) {
		char name[32];
		snprintf(name, sizeof name, "fill%d", i);
		int fd = open(name, O_CREAT | O_WRONLY, 0600);
		for (int k = 0; k < 2; k++) // more than one file may have
			if (fd < 0 || write(fd, block, sizeof block) < 0) {
				if (fd < 0 || k == 0)
					return errno == ENOSPC ? 0 : 1;
			}
		close(fd);
	}
	return 2;
}

static void disk(struct setting *t)
{
	// Landlock has no limit on all files together.
	CHECK_INT(t->mode == SANDBOX_LANDLOCK ? 2 << 8 : 0, run(t, fill_disk));
	reset(t);
	check_run(t, see_tree);
}

static void test_disk(void)
{
	everywhere(disk, &(struct sandbox_limits){.disk = 8 << 20});
}

static int flood(struct setting *t)
{
	static char block[1 << 16];
	int fd = open("output", O_CREAT | O_WRONLY, 0600);
	for (int i = 0; i < 1000; i++)
		if (write(fd, block, sizeof block) <= 0)
			return 1;
	return 0;
}

static void output(struct setting *t)
{
	int status = run(t, flood);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
	reset(t);
	check_run(t, see_tree);
}

static void test_output(void)
{
	everywhere(output, NULL);
}

static int keep_in_open(struct setting *t)
{
	int fd = open(test_printf("%s/kept", t->s.open), O_CREAT | O_WRONLY, 0600);
	return fd < 0 || write(fd, "kept", 4) != 4 ||
	       access(test_printf("%s/secret", t->s.box), F_OK) == (t->s.root ? 0 : -1);
}

static void shared(struct setting *t)
{
	test_write_text(test_printf("%s/secret", t->s.box), "of the worker");
	check_run(t, keep_in_open);
	reset(t);
	check_text(test_printf("%s/kept", t->s.open), "kept");
}

static void test_open_folder(void)
{
	everywhere(shared, NULL);
}

// --- put ------------------------------------------------------------------------------------

static int see_put(struct setting *t)
{
	check_text("in/put/file", "given");
	check_text("one", "other");
	return 0;
}

static int leave_links(struct setting *t)
{
	return symlink(t->cwd, "away") < 0 || symlink("../../../../../../../../etc", "up") < 0 || unlink("one") < 0 ||
	       symlink(test_printf("%s/two", t->cwd), "one") < 0 || mkfifo("pipe", 0600) < 0;
}

static void put_ok(struct setting *t, const char *path, const char *text)
{
	struct err err = {0};
	CHECK_THAT(sandbox_put(&t->s, path, text, strlen(text), &err) == 0, "%s", err.text);
}

static void put(struct setting *t)
{
	struct err err;
	for (int i = 0; i < 2; i++) {
		put_ok(t, "in/put/file", "given");
		put_ok(t, test_printf("%s/one", t->cwd), "other");
		check_run(t, see_put);
		reset(t);
		check_run(t, see_tree); // what was put is gone as well
	}
	check_run(t, leave_links); // and no reset
	static const char *const paths[] = {"away/one", "one", "up/put"};
	for (size_t i = 0; i < COUNT(paths); i++) // whether or not there is something where the link leads to, inside
		sandbox_put(&t->s, paths[i], "x", 1, &err);
	CHECK(access("/etc/put", F_OK) < 0);
	CHECK(sandbox_put(&t->s, "pipe", "z", 1, &err) < 0);
	reset(t);
	check_run(t, see_tree);
}

static void test_put(void)
{
	everywhere(put, NULL);
}

static void paths(struct setting *t)
{
	char *in = sandbox_path(&t->s, test_printf("%s/one", t->cwd)), *out = sandbox_path(&t->s, "/somewhere/else");
	CHECK(test_read(t->s.root ? test_printf("%s%s", t->s.root, in) : in).size == 3);
	put_ok(t, "/somewhere/else", "found");
	if (!t->s.root)
		check_text(out, "found");
	mem_free(in);
	mem_free(out);
}

static void test_paths(void)
{
	if (works(SANDBOX_LANDLOCK)) {
		struct scenario c = {SANDBOX_LANDLOCK, NULL, paths, false};
		test_child(play, &c, 0);
	}
}

// --- processes ------------------------------------------------------------------------------

static int leave_processes(struct setting *t)
{
	for (int i = 0; i < 5; i++)
		if (fork() == 0) {
			setsid();
			signal(SIGTERM, SIG_IGN);
			prctl(PR_SET_CHILD_SUBREAPER, i & 1);
			if (fork() == 0)
				setsid();
			alarm(20);
			_exit(pause());
		}
	return 0;
}

static int children(void)
{
	int n = 0;
	while (waitpid(-1, NULL, WNOHANG) >= 0 && n < 1)
		n++;
	return n;
}

static void leftovers(struct setting *t)
{
	for (int i = 0; i < 3; i++) {
		check_run(t, leave_processes);
		reset(t);
		CHECK_INT(0, children());
	}
}

static void test_leftovers(void)
{
	everywhere(leftovers, NULL);
}

static void keeping(struct setting *t)
{
	pid_t server = fork();
	CHECK(server >= 0);
	if (server == 0)
		for (;;)
			pause();
	t->s.keep[t->s.n_keep++] = server;
	check_run(t, leave_processes);
	reset(t);
	CHECK(kill(server, 0) == 0 && waitpid(server, NULL, WNOHANG) == 0);
	char *stat = (char *)test_read(test_printf("/proc/%d/stat", (int)server)).data;
	CHECK(!strstr(stat, ") T ")); // it is not left stopped
	t->s.n_keep = 0;
	reset(t);
	CHECK(kill(server, 0) < 0 && errno == ESRCH);
}

static void test_keep(void)
{
	everywhere(keeping, NULL);
}

enum { BOMB = 2000 }; // whatever the limit does, no more than these

static int bomb(struct setting *t)
{
	int *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (time_t end = time(NULL) + 3; time(NULL) < end;)
		if (__atomic_add_fetch(count, 1, __ATOMIC_RELAXED) < BOMB)
			fork();
	alarm(5); // each for itself: it is not inherited
	return pause();
}

static void bombs(struct setting *t)
{
	pid_t pid = start(t, bomb);
	(void)pid;
	nanosleep(&(struct timespec){0, 100000000}, NULL);
	reset(t);
	CHECK_INT(0, children());
}

static void test_fork_bomb(void)
{
	everywhere(bombs, NULL);
}

static int count_forks(struct setting *t)
{
	int n = 0;
	while (n < BOMB) {
		pid_t pid = fork();
		if (pid < 0)
			break;
		if (pid == 0) {
			alarm(20); // should nobody kill it
			_exit(pause());
		}
		n++;
	}
	return n > 200 ? 1 : 0;
}

static void limited(struct setting *t)
{
	// Root has no such limit in Landlock mode; sandbox_memory() tells then.
	bool free = t->mode == SANDBOX_LANDLOCK && geteuid() == 0;
	CHECK_INT(free ? 1 << 8 : 0, run(t, count_forks));
	CHECK(!free || sandbox_memory(&t->s) > t->s.limits.memory);
	reset(t);
}

static void test_process_limit(void)
{
	everywhere(limited, NULL);
}

static int kill_others(struct setting *t)
{
	pid_t parent = getppid();
	kill(parent, SIGKILL);
	kill(parent, SIGSTOP);
	if (t->mode == SANDBOX_NAMESPACES) { // there are none outside to be seen from here
		kill(1, SIGKILL);
		kill(-1, SIGKILL);
	}
	return ptrace(PTRACE_ATTACH, parent, 0, 0) == 0;
}

static void killers(struct setting *t)
{
	check_run(t, kill_others);
	reset(t);
	check_run(t, see_tree);
}

static void test_killing(void)
{
	everywhere(killers, NULL);
}

static int take_memory(struct setting *t)
{
	enum { SIZE = 96 << 20 };
	char *own = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *shared = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memset(own, 1, SIZE);
	memset(shared, 1, SIZE);
	return pause();
}

static void memory(struct setting *t)
{
	CHECK_INT(0, sandbox_memory(&t->s));
	start(t, take_memory);
	uint64_t bytes = 0;
	for (int i = 0; i < 500 && bytes < (t->s.root ? 180u : 90u) << 20; i++) {
		nanosleep(&(struct timespec){0, 10000000}, NULL);
		bytes = sandbox_memory(&t->s);
	}
	CHECK(bytes >= (t->s.root ? 180u : 90u) << 20 && bytes < 300 << 20);
	reset(t);
	CHECK_INT(0, sandbox_memory(&t->s));
}

static void test_memory(void)
{
	everywhere(memory, NULL);
}

static int die_soon(void *opaque)
{
	const struct scenario *c = opaque;
	struct setting t = {0};
	int alive[2];
	CHECK(pipe(alive) == 0);
	pid_t pid = fork(); // stands for the coordinator
	if (pid == 0) {
		close(alive[0]);
		enter_with(&t, c->mode, NULL, c->function);
		nanosleep(&(struct timespec){0, 100000000}, NULL);
		_exit(0);
	}
	close(alive[1]);
	CHECK(waitpid(pid, NULL, 0) == pid);
	char byte;
	alarm(10);
	CHECK(read(alive[0], &byte, 1) == 0); // nobody has it open any more
	return 0;
}

static void stay(struct setting *t)
{
	for (;;)
		pause();
}

static void test_parents_death(void)
{
	static const enum sandbox_mode modes[] = {SANDBOX_NAMESPACES, SANDBOX_LANDLOCK};
	for (size_t i = 0; i < COUNT(modes); i++)
		if (works(modes[i])) {
			struct scenario c = {modes[i], NULL, stay, false};
			test_child(die_soon, &c, 0);
			const char *argv[] = {"/bin/rm", "-rf", test_path("box"), test_path("cwd"), NULL};
			CHECK_INT(0, test_run(argv, NULL));
		}
}

// --- ways out -------------------------------------------------------------------------------

static int refused(long result)
{
	return result >= 0 ? 1 : errno != EPERM && errno != EACCES && errno != ENOSYS && errno != EROFS;
}

static int escape(struct setting *t)
{
	int up = open("/", O_RDONLY | O_DIRECTORY);
	if (refused(mount("none", ".", "tmpfs", 0, NULL)) || refused(umount2("/tmp", MNT_DETACH)))
		return 1;
	if (refused(chroot("sub")) || refused(unshare(CLONE_NEWUSER)) || refused(unshare(CLONE_NEWNS)))
		return 2;
	if (refused(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0)) || refused(syscall(SYS_clone3, NULL, 0)))
		return 3;
	if (refused(syscall(SYS_bpf, 0, NULL, 0)) || refused(syscall(SYS_keyctl, 0, 0)) ||
	    refused(syscall(SYS_perf_event_open, NULL, 0, 0, 0, 0)) || refused(syscall(SYS_io_uring_setup, 1, NULL)))
		return 4;
	if (t->s.root && (fchdir(up) < 0 || chdir("../../../..") < 0 || access(t->s.root, F_OK) == 0))
		return 5;
	close(up);
	return 0;
}

static int look_into_worker(struct setting *t)
{
	static const char *const names[] = {"fd/0", "root", "cwd", "exe"};
	pid_t parent = getppid();
	char target[256];
	for (size_t i = 0; i < COUNT(names); i++)
		if (readlink(test_printf("/proc/%d/%s", (int)parent, names[i]), target, sizeof target) >= 0)
			return 1;
	return open(test_printf("/proc/%d/mem", (int)parent), O_RDWR) >= 0;
}

static int use_sockets(struct setting *t)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	snprintf(address.sun_path, sizeof address.sun_path, "sock");
	int pair[2], local = socket(AF_UNIX, SOCK_STREAM, 0);
	if (local >= 0 || errno == 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0)
		return 1;
	int internet = socket(AF_INET, SOCK_STREAM, 0);
	return t->mode == SANDBOX_LANDLOCK && internet >= 0;
}

static int change_system(struct setting *t)
{
	static const char *const paths[] = {"/proc/self/oom_score_adj", "/proc/sys/kernel/core_pattern"};
	for (size_t i = 0; i < COUNT(paths); i++)
		if (open(paths[i], O_WRONLY) >= 0)
			return 1;
	int null = open("/dev/null", O_WRONLY);
	return null < 0 || write(null, "x", 1) != 1;
}

static int gain(struct setting *t) // root's privileges do not come back by executing something
{
	execl("/bin/sh", "sh", "-c", "! grep -qi '^CapEff:.*[0-9a-f]*[4-7c-f]....$' /proc/self/status", NULL);
	return 9;
}

static void ways_out(struct setting *t)
{
	check_run(t, escape);
	check_run(t, look_into_worker);
	check_run(t, use_sockets);
	check_run(t, change_system);
	if (t->s.root)
		check_run(t, gain);
	reset(t);
	check_run(t, see_tree);
}

static void test_ways_out(void)
{
	everywhere(ways_out, NULL);
}

// --- the rest -------------------------------------------------------------------------------

static void test_too_large(void)
{
	struct setting t = {0};
	struct err err;
	if (!works(SANDBOX_LANDLOCK))
		return;
	make_tree(&t);
	struct sandbox_limits limits = {.disk = 8};
	CHECK(sandbox_fork(&t.s, SANDBOX_LANDLOCK, &limits, t.box, t.cwd, &err) < 0);
	CHECK(strstr(err.text, "too large") && !strchr(err.text, '\n'));
}

static void test_bad_box(void)
{
	struct setting t = {0};
	struct err err;
	make_tree(&t);
	if (works(SANDBOX_NAMESPACES)) {
		CHECK(sandbox_fork(&t.s, SANDBOX_NAMESPACES, NULL, test_path("missing"), t.cwd, &err) < 0);
		CHECK(strstr(err.text, "missing") && !strchr(err.text, '\n'));
	}
}

static const struct test tests[] = {
	TEST(test_files),          TEST(test_equal_files),   TEST(test_changes),       TEST(test_permissions),
	TEST(test_nested_folders), TEST(test_elsewhere),     TEST(test_disk),          TEST(test_output),
	TEST(test_open_folder),    TEST(test_put),           TEST(test_paths),         TEST(test_leftovers),
	TEST(test_keep),           TEST(test_fork_bomb),     TEST(test_process_limit), TEST(test_killing),
	TEST(test_memory),         TEST(test_parents_death), TEST(test_ways_out),      TEST(test_too_large),
	TEST(test_bad_box),
};

TEST_MAIN("sandbox")
