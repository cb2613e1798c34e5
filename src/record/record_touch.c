// Which files a system call has to do with, and how they are before it happens.
//
// A path is walked as the kernel does, one name at a time, links included: each folder and link on the way is part of
// the snapshot. What is there at the first touch counts; what the execution has made itself was not there.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "object/elf.h"
#include "record/record_internal.h"

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

struct touch {
	struct recorder *recorder;
	const struct process *process;
	enum touch_how how;
	bool follow;
	bool opens;
	bool content; // wanted
};

// --- folders of the system --------------------------------------------------------------------

static bool is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);
	return strncmp(path, folder, n) == 0 && (path[n] == '/' || !path[n]);
}

// What does not change while a suite runs, and is there when it is run again.
static bool is_system(const struct recorder *r, const char *path)
{
	static const char *const folders[] = {
		"/usr", "/lib",  "/lib32", "/lib64", "/libx32", "/bin", "/sbin",    "/etc",
		"/opt", "/boot", "/nix",   "/proc",  "/sys",    "/dev", "/var/lib", "/var/cache",
	};
	if (is_below(path, "/dev/shm") || (r->suite[1] && is_below(path, r->suite)))
		return false;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (is_below(path, folders[i]))
			return !is_below(r->suite, path); // on the way to the suite's own folder
	return false;
}

// --- one file ---------------------------------------------------------------------------------

static enum snapshot_kind kind_of(const struct stat *st)
{
	switch (st->st_mode & S_IFMT) {
	case S_IFREG: return SNAPSHOT_FILE;
	case S_IFDIR: return SNAPSHOT_FOLDER;
	case S_IFLNK: return SNAPSHOT_LINK;
	case S_IFIFO: return SNAPSHOT_PIPE;
	default: return SNAPSHOT_KINDS; // a socket or device
	}
}

static bool is_program(const char *path, const struct stat *st)
{
	char head[64]; // an ELF header
	if (!S_ISREG(st->st_mode) || !(st->st_mode & 0111) || st->st_size <= PROGRAM_MAX)
		return false;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOATIME);
	if (fd < 0)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is = fd >= 0 && read(fd, head, sizeof head) == sizeof head && elf_is(head, sizeof head);
	if (fd >= 0)
		close(fd);
	return is;
}

static void keep_content(struct touch *t, struct execution *e, struct snapshot_entry *x, const struct stat *st)
{
	struct err err;
	if (st->st_size > CONTENT_MAX) {
		execution_cannot(e, "it reads files of more than %d MB", CONTENT_MAX >> 20);
		return;
	}
	int r = contents_keep(&t->recorder->contents, x->path, st, &x->content, &x->size, &err);
	x->known = r == 0;
	e->lost |= r == -2;
}

// Another name of the file was noted before: what is known of one is known of both.
static void share_content(struct execution *e, struct snapshot_entry *x)
{
	for (size_t i = 0; x->text && x->known && i < e->snapshot.n; i++) {
		struct snapshot_entry *first = &e->snapshot.v[i];
		if (strcmp(first->path, x->text) != 0 || first->known)
			continue;
		first->known = true;
		first->content = x->content;
		first->size = x->size;
	}
}

static bool is_same_file(const struct known_path *p, const struct stat *st)
{
	return p->inode == st->st_ino && p->device == st->st_dev && p->size == st->st_size &&
	       clock_same(p->changed, st->st_mtim);
}

// The path by which this file was noted first, of a file with more than one name; NULL: it was not.
static const char *other_name(const struct execution *e, const struct stat *st)
{
	if (!S_ISREG(st->st_mode) || st->st_nlink < 2)
		return NULL;
	for (size_t i = 0; i < e->paths.cap; i++) {
		const struct known_path *p = &e->paths.slots[i];
		if (p->path && p->kind == PATH_ENTRY && is_same_file(p, st) &&
		    e->snapshot.v[p->index].kind == SNAPSHOT_FILE && !e->snapshot.v[p->index].text)
			return p->path;
	}
	return NULL;
}

// A file that was known by its name only is read now. If it has changed since, it is too late.
static void know_more(struct touch *t, struct execution *e, struct known_path *p, const struct stat *st)
{
	struct snapshot_entry *x = p->kind == PATH_ENTRY ? &e->snapshot.v[p->index] : NULL;
	if (!x || x->kind != SNAPSHOT_FILE || x->known || !t->content || !st || !is_same_file(p, st))
		return;
	keep_content(t, e, x, st);
	share_content(e, x);
}

static struct known_path *folder_of(const struct execution *e, const char *path)
{
	char folder[PATH_MAX];
	const char *slash = strrchr(path, '/');
	snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
	return known_paths_find(&e->paths, folder);
}

static bool is_made_by_itself(const struct execution *e, const char *path)
{
	const struct known_path *p = folder_of(e, path);
	return p && (p->kind == PATH_OWN || (p->kind == PATH_ENTRY && e->snapshot.v[p->index].kind == SNAPSHOT_ABSENT));
}

static void fill_entry(struct snapshot_entry *x, const struct stat *st, const char *text)
{
	x->mode = st->st_mode & 07777;
	x->seconds = st->st_mtim.tv_sec;
	x->nanoseconds = (uint32_t)st->st_mtim.tv_nsec;
	x->size = (uint64_t)st->st_size;
	if (x->kind == SNAPSHOT_LINK)
		x->text = mem_strdup(text);
}

static void add_path(struct touch *t, struct execution *e, const char *path, const struct stat *st, const char *text)
{
	bool own = is_made_by_itself(e, path);
	enum snapshot_kind kind = st ? kind_of(st) : SNAPSHOT_ABSENT;
	bool left = !own && (kind == SNAPSHOT_KINDS || (kind == SNAPSHOT_FILE && !t->content && is_program(path, st)));
	const char *first = own || left || !st ? NULL : other_name(e, st);
	struct known_path *p = known_paths_add(&e->paths, path, own ? PATH_OWN : left ? PATH_LEFT : PATH_ENTRY);
	if (left && folder_of(e, path))
		folder_of(e, path)->partial = true;
	if (own || left)
		return;
	p->index = (uint32_t)e->snapshot.n;
	struct snapshot_entry *x = snapshot_add(&e->snapshot, kind, path);
	if (!st)
		return;
	fill_entry(x, st, text);
	if (first)
		x->text = mem_strdup(first);
	p->device = st->st_dev;
	p->inode = st->st_ino;
	p->size = st->st_size;
	p->changed = st->st_mtim;
	if (kind == SNAPSHOT_FILE && t->content)
		keep_content(t, e, x, st);
	share_content(e, x);
}

// st NULL: nothing is there.
static void note(struct touch *t, const char *path, const struct stat *st, const char *text)
{
	EACH_EXECUTION(e, t->process)
	{
		if (e->snapshot.n >= ENTRIES_MAX)
			execution_cannot(e, "it has to do with more than %d files", ENTRIES_MAX);
		if (e->snapshot.why) // nobody will ask
			continue;
		struct known_path *p = known_paths_find(&e->paths, path);
		if (p && p->kind == PATH_LEFT && t->content && st && S_ISREG(st->st_mode) &&
		    e->snapshot.n < ENTRIES_MAX) {
			// A program that is read after all.
			p->kind = PATH_ENTRY;
			p->index = (uint32_t)e->snapshot.n;
			struct snapshot_entry *x = snapshot_add(&e->snapshot, SNAPSHOT_FILE, path);
			fill_entry(x, st, NULL);
			keep_content(t, e, x, st);
		} else if (p) {
			know_more(t, e, p, st);
		} else {
			add_path(t, e, path, st, text);
		}
	}
}

// --- all that is in a folder ------------------------------------------------------------------

static void note_at(struct touch *t, const char *path, const struct stat *st)
{
	char text[PATH_MAX];
	ssize_t n = S_ISLNK(st->st_mode) ? readlink(path, text, sizeof text - 1) : 0;
	if (n < 0)
		return;
	text[n] = 0;
	note(t, path, st, text);
}

// Without a trace of it, where that is allowed.
static DIR *open_folder(const char *path)
{
	enum { FLAGS = O_RDONLY | O_DIRECTORY | O_CLOEXEC };
	int fd = open(path, FLAGS | O_NOATIME);
	if (fd < 0)
		fd = open(path, FLAGS);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	if (!d && fd >= 0)
		close(fd);
	return d;
}

static void note_all(struct touch *t, const char *folder, unsigned *budget, bool deep)
{
	DIR *d = open_folder(folder);
	for (struct dirent *x = d ? readdir(d) : NULL; x && *budget; x = readdir(d)) {
		char path[PATH_MAX];
		struct stat st;
		if (strcmp(x->d_name, ".") == 0 || strcmp(x->d_name, "..") == 0 ||
		    snprintf(path, sizeof path, "%s/%s", folder[1] ? folder : "", x->d_name) >= (int)sizeof path ||
		    lstat(path, &st) < 0)
			continue;
		--*budget;
		note_at(t, path, &st);
		if (deep && S_ISDIR(st.st_mode))
			note_all(t, path, budget, true);
	}
	if (d)
		closedir(d);
}

static void note_folder(struct touch *t, const char *path, bool deep)
{
	unsigned budget = LISTED_MAX;
	note_all(t, path, &budget, deep);
	if (!budget)
		EACH_EXECUTION(e, t->process)
	execution_cannot(e, "it reads a folder with more than %d entries", LISTED_MAX);
}

// --- walking ----------------------------------------------------------------------------------

struct walk {
	char now[PATH_MAX];      // resolved so far; "" is the root
	char rest[2 * PATH_MAX]; // still to go
	unsigned links;
};

static void note_device(const struct touch *t, const struct stat *st, const char *path)
{
	// Memory's devices: null, zero, full, random, urandom; and the terminal.
	bool harmless = S_ISCHR(st->st_mode) && (major(st->st_rdev) == 1 || st->st_rdev == makedev(5, 0));
	if (harmless && (minor(st->st_rdev) != 1 && minor(st->st_rdev) != 2))
		return;
	if (t->opens)
		EACH_EXECUTION(e, t->process)
	execution_cannot(e, "it opens %s, a %s", path, S_ISSOCK(st->st_mode) ? "socket" : "device");
}

// The last name, or one that leads nowhere.
static void arrive(struct touch *t, const char *path, const struct stat *st)
{
	if (t->how == TOUCH_EXECUTE && is_program(path, st))
		t->content = false;
	if (S_ISBLK(st->st_mode) || S_ISCHR(st->st_mode))
		note_device(t, st, path);
	note(t, path, st, NULL);
	if (S_ISFIFO(st->st_mode) && t->opens)
		EACH_EXECUTION(e, t->process)
	execution_cannot(e, "it opens a named pipe");
	if (S_ISDIR(st->st_mode) && t->how == TOUCH_MOVE)
		note_folder(t, path, true);
}

// Puts where a link leads before what is still to go. False: too long, or too many links.
static bool follow_link(struct walk *w, const char *text)
{
	enum { LINKS_MAX = 40 };
	char rest[sizeof w->rest];
	int n = snprintf(rest, sizeof rest, "%s/%s", text, w->rest);
	if (n >= (int)sizeof rest || ++w->links > LINKS_MAX)
		return false;
	memcpy(w->rest, rest, (size_t)n + 1);
	if (text[0] == '/')
		w->now[0] = 0;
	else
		*strrchr(w->now, '/') = 0;
	return true;
}

// Takes the next name off the rest and puts it behind what is resolved; ".." takes one away. False: there is none
// left, or no room.
static bool next_name(struct walk *w)
{
	for (;;) {
		size_t skip = strspn(w->rest, "/"), n = strcspn(w->rest + skip, "/"), used = strlen(w->now);
		const char *name = w->rest + skip;
		if (!n)
			return false;
		bool here = n == 1 && name[0] == '.', up = n == 2 && name[0] == '.' && name[1] == '.';
		if (up && used)
			*strrchr(w->now, '/') = 0;
		if (!here && !up) {
			if (used + n + 2 > sizeof w->now)
				return false;
			w->now[used] = '/';
			memcpy(w->now + used + 1, name, n);
			w->now[used + 1 + n] = 0;
		}
		memmove(w->rest, name + n, strlen(name + n) + 1);
		if (!here && !up)
			return true;
	}
}

// What a library of the system asks the environment for, the program asks for.
static void note_library(const struct touch *t, const char *path)
{
	const char *extension = strstr(path_basename(path), ".so");
	if (!t->content || !extension || (extension[3] && extension[3] != '.') ||
	    strcmp(path_basename(path), "ld.so.cache") == 0)
		return;
	EACH_EXECUTION(e, t->process)
	strv_push_once(&e->libraries, path);
}

static void walk(struct touch *t, const char *absolute)
{
	struct walk w = {0};
	char text[PATH_MAX];
	struct stat st;
	if (snprintf(w.rest, sizeof w.rest, "%s", absolute) >= (int)sizeof w.rest)
		return;
	while (next_name(&w)) {
		bool last = !w.rest[strspn(w.rest, "/")], slash = w.rest[0];
		if (is_system(t->recorder, w.now)) {
			note_library(t, absolute);
			// All but devices, which may be none of those that every run has.
			if (is_below(w.now, "/dev") && last && lstat(w.now, &st) == 0 &&
			    (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode) || S_ISSOCK(st.st_mode)))
				note_device(t, &st, w.now);
			if (!is_below(w.now, "/dev") || last)
				return;
			continue;
		}
		if (lstat(w.now, &st) < 0) {
			if (errno == ENOENT)
				note(t, w.now, NULL, NULL);
			return;
		}
		if (S_ISLNK(st.st_mode)) {
			ssize_t n = readlink(w.now, text, sizeof text - 1);
			if (n <= 0)
				return;
			text[n] = 0;
			note(t, w.now, &st, text);
			if ((last && !t->follow && !slash) || !follow_link(&w, text))
				return;
		} else if (S_ISDIR(st.st_mode) && !last) {
			note(t, w.now, &st, NULL);
		} else {
			return arrive(t, w.now, &st);
		}
	}
	if (!w.now[0] && lstat("/", &st) == 0) // that of the view is another folder
		note(t, "/", &st, NULL);
}

// --- from system calls ------------------------------------------------------------------------

// /dev/stdin, /dev/fd/N, /proc/self/fd/N: the descriptor. -1: no such name.
static int descriptor_of(const char *path)
{
	static const struct {
		const char *name;
		int descriptor;
	} streams[] = {{"/dev/stdin", 0}, {"/dev/stdout", 1}, {"/dev/stderr", 2}};
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"};
	for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
		if (strcmp(path, streams[i].name) == 0)
			return streams[i].descriptor;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		size_t n = strlen(folders[i]);
		char *end;
		if (strncmp(path, folders[i], n) != 0 || path[n] < '0' || path[n] > '9')
			continue;
		long fd = strtol(path + n, &end, 10);
		return *end || fd > INT_MAX ? -1 : (int)fd;
	}
	return -1;
}

// A descriptor that is opened by name: its own files are known. True: it is a stream, which has another one then.
static bool touch_descriptor(struct touch *t, pid_t pid, int descriptor)
{
	char proc[64];
	struct stat st;
	snprintf(proc, sizeof proc, "/proc/%d/fd/%d", (int)pid, descriptor);
	if (!t->opens || stat(proc, &st) < 0)
		return false;
	if (descriptor > 2)
		EACH_EXECUTION(e, t->process)
	if (streams_is_given(e, descriptor, &st))
		execution_cannot(e, "it opens a descriptor that it was given");
	return descriptor <= 2;
}

bool touch_path(struct recorder *r, const struct process *p, pid_t pid, int folder, const char *path, bool follow,
                enum touch_how how)
{
	bool content = how == TOUCH_READ || how == TOUCH_CHANGE || how == TOUCH_MOVE || how == TOUCH_LINKED ||
	               how == TOUCH_EXECUTE;
	struct touch t = {r, p, how, follow, how == TOUCH_OPEN || how == TOUCH_READ, content};
	char proc[64], absolute[2 * PATH_MAX];
	if (!path[0])
		return false;
	if (path[0] == '/') {
		int descriptor = descriptor_of(path);
		if (descriptor >= 0)
			return touch_descriptor(&t, pid, descriptor);
		walk(&t, path);
		return false;
	}
	if (folder == AT_FDCWD)
		snprintf(proc, sizeof proc, "/proc/%d/cwd", (int)pid);
	else
		snprintf(proc, sizeof proc, "/proc/%d/fd/%d", (int)pid, folder);
	ssize_t n = readlink(proc, absolute, PATH_MAX - 1);
	if (n <= 0 || absolute[0] != '/')
		return false;
	absolute[n] = '/';
	snprintf(absolute + n + 1, sizeof absolute - (size_t)n - 1, "%s", path);
	walk(&t, absolute);
	return false;
}

static bool is_listed(const struct process *p, const char *folder)
{
	EACH_EXECUTION(e, p)
	{
		const struct known_path *x = known_paths_find(&e->paths, folder);
		if (!x || (x->kind == PATH_ENTRY && !x->listed))
			return false;
	}
	return true;
}

void touch_folder(struct recorder *r, const struct process *p, pid_t pid, int descriptor)
{
	char proc[64], path[PATH_MAX];
	struct touch t = {.recorder = r, .process = p};
	struct stat st;
	snprintf(proc, sizeof proc, "/proc/%d/fd/%d", (int)pid, descriptor);
	ssize_t n = readlink(proc, path, sizeof path - 1);
	if (n <= 0)
		return;
	path[n] = 0;
	if (path[0] != '/' || is_system(r, path) || lstat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return;
	if (!is_listed(p, path))
		note_folder(&t, path, false);
	EACH_EXECUTION(e, p)
	{
		struct known_path *x = known_paths_find(&e->paths, path);
		if (x && !x->listed && x->kind == PATH_ENTRY && e->snapshot.v[x->index].kind == SNAPSHOT_FOLDER)
			e->snapshot.v[x->index].known = !x->partial; // what is left stays
		if (x)
			x->listed = true;
	}
}

static bool touch_open(struct recorder *r, const struct process *p, pid_t pid, int folder, const char *path,
                       uint64_t flags)
{
	bool follow = !(flags & O_NOFOLLOW) && (flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL);
	// What is cut off or only named need not be kept.
	return touch_path(r, p, pid, folder, path, follow,
	                  flags & O_PATH    ? TOUCH_FOLLOW
	                  : flags & O_TRUNC ? TOUCH_OPEN
	                                    : TOUCH_READ);
}

static uint64_t flags_of(pid_t pid, const struct syscall_state *s, int index)
{
	uint64_t flags = index < 0 ? 0 : tracee_arg(s, index), how;
	if (tracee_number(s) == SYS_openat2)
		flags = tracee_read(pid, flags, &how, sizeof how) ? how : 0;
	return flags;
}

struct named {
	long number;
	int folder, path, flags;
	enum touch_how how;
};

static const struct named calls[] = {
#define NAMES(call, folder, path, flags, how) {SYS_##call, folder, path, flags, how},
#define TAKES(call, descriptor, how)
#define GIVES(call, descriptor, how)
#define OTHER(call)
#include "record/record_calls.def"
#undef NAMES
#undef TAKES
#undef GIVES
#undef OTHER
};

static bool touch_named(struct recorder *r, const struct process *p, pid_t pid, const struct syscall_state *s,
                        const struct named *c)
{
	char path[PATH_MAX];
	if (tracee_string(pid, tracee_arg(s, c->path), path, sizeof path) < 0)
		return false; // the kernel will refuse it as well
	int folder = c->folder < 0 ? AT_FDCWD : (int)tracee_arg(s, c->folder);
	uint64_t flags = flags_of(pid, s, c->flags);
	switch (c->how) {
	case TOUCH_OPEN: return touch_open(r, p, pid, folder, path, flags);
	case TOUCH_AT: touch_path(r, p, pid, folder, path, !(flags & AT_SYMLINK_NOFOLLOW), TOUCH_FOLLOW); break;
	case TOUCH_LINKED: touch_path(r, p, pid, folder, path, flags & AT_SYMLINK_FOLLOW, TOUCH_LINKED); break;
	case TOUCH_LINK: touch_path(r, p, pid, folder, path, false, TOUCH_LINK); break;
	case TOUCH_MOVE: touch_path(r, p, pid, folder, path, false, TOUCH_MOVE); break;
	default: touch_path(r, p, pid, folder, path, true, c->how); break;
	}
	return false;
}

bool touch_call(struct recorder *r, const struct process *p, pid_t pid, const struct syscall_state *s, bool *ret_stream)
{
	long number = tracee_number(s);
	bool named = false;
	*ret_stream = false;
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (calls[i].number == number) {
			*ret_stream |= touch_named(r, p, pid, s, &calls[i]);
			named = true;
		}
	return named;
}
