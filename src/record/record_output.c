// Output that is read when it has been written.
//
// A stop at each write costs twenty times the write, and standard error has no buffer: programs write there byte by
// byte. What goes to a file that was made for this one program need not be seen: it stands there afterwards. How it
// lies between what goes to the other stream shows in how long the file is at each write that is seen.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/record_internal.h"

static pid_t parent_of(pid_t pid)
{
	char path[64], text[512];
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	const char *name_end = strrchr(text, ')'); // pid (name) state parent
	int parent;
	return name_end && sscanf(name_end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

// Whether the process that started this one has the file open, too: then it is for all that it starts.
static bool is_shared(pid_t pid, const struct stat *st)
{
	char path[64];
	struct stat other;
	pid_t parent = parent_of(pid);
	snprintf(path, sizeof path, "/proc/%d/fd", (int)parent);
	DIR *d = parent ? opendir(path) : NULL;
	bool shared = !d;
	for (struct dirent *x = d ? readdir(d) : NULL; x && !shared; x = readdir(d))
		shared = x->d_name[0] != '.' && streams_stat(parent, atoi(x->d_name), &other) &&
		         other.st_ino == st->st_ino && other.st_dev == st->st_dev;
	if (d)
		closedir(d);
	return shared;
}

// It was made for this program: nobody else writes there, now or later.
static bool is_own(pid_t pid, int fd, const struct stat *st)
{
	int64_t position;
	long flags;
	return S_ISREG(st->st_mode) && st->st_size == 0 && streams_fdinfo(pid, fd, &position, &flags) &&
	       position == 0 && !is_shared(pid, st);
}

// The stream that is read afterwards: 1, 2, or 0, none. Standard error rather than output.
static int choose(pid_t pid, struct stat *ret)
{
	struct stat error;
	bool there = streams_stat(pid, 2, &error), silent = !there || streams_kind(&error) != STREAM_ORDINARY;
	if (there && is_own(pid, 2, &error)) {
		*ret = error;
		return 2;
	}
	return silent && streams_stat(pid, 1, ret) && is_own(pid, 1, ret) ? 1 : 0;
}

uint64_t output_to_watch(pid_t pid)
{
	struct stat late, st;
	int chosen = choose(pid, &late);
	uint64_t watch = 0;
	for (int fd = 1; fd <= 2; fd++) {
		bool there = streams_stat(pid, fd, &st);
		bool same = there && chosen && st.st_ino == late.st_ino && st.st_dev == late.st_dev;
		if (there && !same && streams_kind(&st) == STREAM_ORDINARY)
			watch |= UINT64_C(1) << fd;
	}
	return watch;
}

void output_begin(struct execution *e, pid_t pid)
{
	char proc[64];
	struct stat st;
	int chosen = choose(pid, &st);
	if (!chosen)
		return;
	snprintf(proc, sizeof proc, "/proc/%d/fd/%d", (int)pid, chosen);
	int fd = open(proc, O_RDONLY | O_CLOEXEC | O_NOATIME);
	if (fd < 0)
		fd = open(proc, O_RDONLY | O_CLOEXEC);
	e->behind = (struct late){.descriptor = fd, .device = st.st_dev, .inode = st.st_ino, .open = true};
	if (fd < 0)
		e->snapshot.output_known = false;
}

bool output_is_late(const struct execution *e, const struct stat *st)
{
	return e->behind.open && e->behind.inode == st->st_ino && e->behind.device == st->st_dev;
}

void output_catch_up(struct execution *e)
{
	struct late *b = &e->behind;
	struct stat st;
	if (!b->open || b->descriptor < 0)
		return;
	if (fstat(b->descriptor, &st) < 0 || st.st_size < b->read) {
		e->snapshot.output_known = false; // cut off: who knows what was written
		return;
	}
	size_t n = (size_t)(st.st_size - b->read);
	if (n && streams_count_output(e, n)) {
		buf_reserve(&e->output, n);
		ssize_t got = pread(b->descriptor, e->output.data + e->output.len, n, b->read);
		e->output.len += got > 0 ? (size_t)got : 0;
		e->snapshot.output_known = got == (ssize_t)n;
	}
	b->read = st.st_size;
}

void output_end(struct execution *e)
{
	output_catch_up(e);
	output_drop(e);
}

void output_drop(struct execution *e)
{
	if (e->behind.open && e->behind.descriptor >= 0)
		close(e->behind.descriptor);
	e->behind = (struct late){0};
}
