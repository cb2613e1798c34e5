// What runs can do to files inside the sandbox, and that nothing of it is seen outside or by the next run.
#include "sandbox/sandbox.h"

#include <dirent.h>
#include <linux/capability.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

#include "base/mem.h"
#include "worker_dirs.h"

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
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) < 0 || fds[0] < 0 || fds[1] < 0)
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

static int fill_open(struct setting *t)
{
	static char block[1 << 19];
	for (int i = 0; i < 64; i++) {
		int fd = open(test_printf("%s/fill%d", t->s.open, i), O_CREAT | O_WRONLY, 0600);
		if (fd < 0 || write(fd, block, sizeof block) != sizeof block)
			return errno == ENOSPC && i <= 4 ? 0 : 1;
		close(fd);
	}
	return 2;
}

static void disk_of_open(struct setting *t)
{
	struct err err;
	CHECK_INT(t->mode == SANDBOX_LANDLOCK ? 2 << 8 : 0, run(t, fill_open));
	CHECK(sandbox_empty_open(&t->s, "reports", &err) == 0);
	CHECK(access(test_printf("%s/fill0", t->s.open), F_OK) < 0);
}

static void test_disk_of_open(void) // a quarter of all
{
	everywhere(disk_of_open, &(struct sandbox_limits){.disk = 8 << 20});
}

static int swap_reports(struct setting *t)
{
	const char *reports = test_printf("%s/reports", t->s.open);
	return rmdir(reports) < 0 || symlink(t->s.worker_dir, reports) < 0 ||
	       symlink(t->s.worker_dir, test_printf("%s/other", t->s.open)) < 0;
}

static void links_in_open(struct setting *t)
{
	struct err err;
	struct stat st;
	const char *secret = test_printf("%s/secret", t->s.worker_dir), *reports = test_printf("%s/reports", t->s.open);
	test_write_text(secret, "of the worker");
	CHECK(sandbox_empty_open(&t->s, "reports", &err) == 0);
	CHECK(chmod(reports, 0777) == 0);
	check_run(t, swap_reports);
	CHECK(sandbox_empty_open(&t->s, "reports", &err) == 0);
	CHECK(lstat(reports, &st) == 0 && S_ISDIR(st.st_mode));
	CHECK(lstat(test_printf("%s/other", t->s.open), &st) < 0);
	check_text(secret, "of the worker");
	CHECK(unlink(secret) == 0);
}

static void test_links_in_open(void)
{
	everywhere(links_in_open, NULL);
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
	       access(test_printf("%s/secret", t->s.worker_dir), F_OK) == (t->s.root ? 0 : -1);
}

static void shared(struct setting *t)
{
	test_write_text(test_printf("%s/secret", t->s.worker_dir), "of the worker");
	check_run(t, keep_in_open);
	reset(t);
	check_text(test_printf("%s/kept", t->s.open), "kept");
}

static void test_open_folder(void)
{
	everywhere(shared, NULL);
}

// --- hidden ---------------------------------------------------------------------------------

static bool can_read(const char *path)
{
	char byte;
	int fd = open(path, O_RDONLY);
	bool read_it = fd >= 0 && read(fd, &byte, 1) == 1;
	if (fd >= 0)
		close(fd);
	return read_it;
}

static int look_for_secrets(struct setting *t)
{
	static const char *const secret[] = {"home/.ssh/key", "home/.netrc", "home/.config/gh/hosts", "private/file"};
	static const char *const plain[] = {"home/plain", "home/.config/other", "cwd/one"};
	for (size_t i = 0; i < COUNT(secret); i++)
		if (can_read(test_path(secret[i])))
			return 1 + (int)i;
	for (size_t i = 0; i < COUNT(plain); i++)
		if (!can_read(test_path(plain[i])))
			return 11 + (int)i;
	return getenv("TEST_API_TOKEN") ? 21 : !getenv("TEST_OTHER") ? 22 : 0;
}

static void secrets(struct setting *t)
{
	check_run(t, look_for_secrets);
	check_run(t, change_files);
	reset(t);
	check_run(t, look_for_secrets);
}

static void test_hidden(void)
{
	static const char *const folders[] = {"home", "home/.ssh", "home/.config", "home/.config/gh", "private"};
	static const char *const files[] = {"home/.ssh/key",      "home/.netrc", "home/.config/gh/hosts",
	                                    "home/.config/other", "home/plain",  "private/file"};
	for (size_t i = 0; i < COUNT(folders); i++)
		CHECK(mkdir(test_path(folders[i]), 0755) == 0);
	for (size_t i = 0; i < COUNT(files); i++)
		test_write_text(test_path(files[i]), "secret");
	setenv("HOME", test_path("home"), 1);
	setenv("VEER_HIDE", test_path("private"), 1);
	setenv("TEST_API_TOKEN", "x", 1);
	setenv("TEST_OTHER", "x", 1);
	everywhere(secrets, NULL);
	unsetenv("VEER_HIDE");
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
// --- opening --------------------------------------------------------------------------------

static bool opens(const char *path, int flags, int error)
{
	errno = 0;
	int fd = open(path, flags, 0666);
	int why = errno;
	if (fd >= 0)
		close(fd);
	return error ? fd < 0 && why == error : fd >= 0;
}

static int open_by_all_names(struct setting *t)
{
	char text[64] = "", long_name[400];
	int folder = open(".", O_RDONLY | O_DIRECTORY);
	memset(long_name, 'x', sizeof long_name);
	long_name[sizeof long_name - 1] = 0;
	if (symlink("loop", "loop") < 0 || symlink("../one", "sub/up") < 0 || symlink("sub/up", "twice") < 0 ||
	    symlink("sub/", "folder") < 0 || symlink("nothing", "dangling") < 0)
		return 1;
	if (!opens("one", O_RDONLY, 0) || !opens("twice", O_RDONLY, 0) || !opens("folder/../one", O_RDONLY, 0) ||
	    !opens("sub/../sub//./three", O_RDONLY, 0) || !opens("/", O_RDONLY, 0) || !opens("sub/", O_RDONLY, 0))
		return 2;
	if (!opens("loop", O_RDONLY, ELOOP) || !opens("twice", O_RDONLY | O_NOFOLLOW, ELOOP) ||
	    !opens("one/", O_RDONLY, ENOTDIR) || !opens("one/x", O_RDONLY, ENOTDIR) ||
	    !opens("dangling", O_RDONLY, ENOENT) || !opens("", O_RDONLY, ENOENT) ||
	    !opens(long_name, O_RDONLY, ENAMETOOLONG) || !opens((char *)8, O_RDONLY, EFAULT))
		return 3;
	int at = openat(folder, "one", O_RDONLY | O_CLOEXEC), bad = openat(folder + 100, "one", O_RDONLY);
	if (at < 0 || fcntl(at, F_GETFD) != FD_CLOEXEC || bad >= 0 || errno != EBADF)
		return 4;
	int plain = openat(folder, "folder/three", O_RDONLY);
	if (plain < 0 || fcntl(plain, F_GETFD) != 0 || read(plain, text, sizeof text) != 5)
		return 5;
	return 0;
}

static int open_own_process(struct setting *t)
{
	char text[64] = "", path[64];
	int fd = open("/proc/self/stat", O_RDONLY), ends[2];
	if (fd < 0 || read(fd, text, sizeof text - 1) <= 0 || atoi(text) != getpid())
		return 1;
	if (!opens("/proc/thread-self/status", O_RDONLY, 0) || !opens("/proc/self/maps", O_RDONLY, 0) ||
	    !opens("/proc/mounts", O_RDONLY, 0) || !opens("/proc/self/cwd/one", O_RDONLY, 0) ||
	    !opens("/proc/meminfo", O_RDONLY, 0) || !opens("/proc/self/fd/999", O_RDONLY, ENOENT))
		return 2;
	if (pipe(ends) < 0 || write(ends[1], "in a pipe", 9) != 9)
		return 3;
	snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof text) != 9)
		return 4;
	return !opens("/dev/null", O_RDONLY, 0) || !opens("/dev/zero", O_RDONLY, 0) ||
	       !opens("/dev/urandom", O_RDONLY, 0);
}

static int make_while_reading(struct setting *t)
{
	struct stat st;
	umask(027);
	if (!opens("made", O_RDONLY | O_CREAT, 0) || stat("made", &st) < 0 || (st.st_mode & 0777) != 0640)
		return 1;
	if (!opens("made", O_RDONLY | O_CREAT, 0) || !opens("made", O_RDONLY | O_CREAT | O_EXCL, EEXIST))
		return 2;
	return !opens("one", O_RDONLY | O_TRUNC, 0) || stat("one", &st) < 0 || st.st_size != 0;
}

// Both ends wait for the other.
static int talk_through_fifos(struct setting *t)
{
	char text[8] = "";
	if (mkfifo("there", 0600) < 0 || mkfifo("back", 0600) < 0)
		return 1;
	pid_t pid = fork();
	int in, out;
	if (pid == 0) {
		in = open("there", O_RDONLY);
		out = open("back", O_WRONLY);
		_exit(in < 0 || out < 0 || read(in, text, sizeof text) != 4 || write(out, "pong", 4) != 4);
	}
	out = open("there", O_WRONLY);
	in = open("back", O_RDONLY);
	if (in < 0 || out < 0 || write(out, "ping", 4) != 4 || read(in, text, sizeof text) != 4)
		return 2;
	int status;
	return waitpid(pid, &status, 0) != pid || status != 0 || !opens("there", O_RDONLY | O_NONBLOCK, 0);
}

// More than can be waited for at a time, if they were not ended with those that wait.
static int wait_for_nobody(struct setting *t)
{
	enum { CHILDREN = 10 };
	if (mkfifo("nobody", 0600) < 0)
		return 1;
	for (int i = 0; i < CHILDREN; i++)
		if (fork() == 0)
			_exit(open("nobody", O_RDONLY) < 0);
	usleep(20000);
	return 0;
}

static void opening(struct setting *t)
{
	static int (*const all[])(struct setting *) = {open_by_all_names, open_own_process, make_while_reading,
	                                               wait_for_nobody,   wait_for_nobody,  wait_for_nobody,
	                                               talk_through_fifos};
	for (size_t i = 0; i < COUNT(all); i++) {
		check_run(t, all[i]);
		reset(t);
	}
	check_run(t, see_tree);
}

static void test_opening(void)
{
	everywhere(opening, NULL);
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
	CHECK(sandbox_fork(&t.s, SANDBOX_LANDLOCK, &limits, t.worker_dir, t.cwd, &err) < 0);
	CHECK(strstr(err.text, "too large") && !strchr(err.text, '\n'));
}

static void test_bad_worker_dir(void)
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
	TEST(test_files),       TEST(test_hidden),         TEST(test_equal_files),
	TEST(test_changes),     TEST(test_permissions),    TEST(test_nested_folders),
	TEST(test_elsewhere),   TEST(test_disk),           TEST(test_output),
	TEST(test_open_folder), TEST(test_disk_of_open),   TEST(test_links_in_open),
	TEST(test_put),         TEST(test_paths),          TEST(test_opening),
	TEST(test_too_large),   TEST(test_bad_worker_dir),
};

TEST_MAIN("sandbox")
