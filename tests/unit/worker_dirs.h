// Sandboxes of tests: a tree of files, a worker in each kind of sandbox, runs inside of it. Each program that includes
// it has its own. What a run does to files it does to files in a folder made for the test, and only after it has seen
// that it is inside.
#ifndef VEER_TESTS_UNIT_WORKER_DIRS_H
#define VEER_TESTS_UNIT_WORKER_DIRS_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "sandbox/sandbox.h"
#include "test.h"

enum { SOMEBODY = 12345 }; // not "nobody", which is what the kernel calls those that a user namespace does not have

struct setting {
	enum sandbox_mode mode;
	struct sandbox s;
	char *worker_dir, *cwd, *mark; // mark: a file that exists outside only
	int up[2], down[2];            // pipes of a run that lives on
};

static struct setting *here; // inside a child: where it is

static void make_tree(struct setting *t)
{
	t->worker_dir = test_path("box");
	t->cwd = test_path("cwd");
	CHECK(mkdir(t->worker_dir, 0777) == 0 && mkdir(t->cwd, 0777) == 0);
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
	if (chdir(t->s.cwd) < 0)
		_exit(98);
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

static inline void check_run(struct setting *t, int (*function)(struct setting *))
{
	CHECK_INT(0, run(t, function));
}

static inline void reset(struct setting *t)
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
	pid_t pid = sandbox_fork(&t->s, mode, limits, t->worker_dir, t->cwd, &err);
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

static inline int see_tree(struct setting *t)
{
	check_tree(".");
	return 0;
}

#endif
