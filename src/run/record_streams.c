// Standard input, output and errors of a recorded program, and other descriptors that it was given.
//
// Standard input from a file is copied from where it stands, by a descriptor of our own: nobody's position moves. From
// a pipe, a socket or a terminal what the program's reads return is taken from its memory, so nothing is read ahead.
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/mem.h"
#include "run/record_parts.h"

static bool stat_descriptor(pid_t pid, int fd, struct stat *ret)
{
	char proc[64];
	snprintf(proc, sizeof proc, "/proc/%d/fd/%d", (int)pid, fd);
	return stat(proc, ret) == 0;
}

// Position and flags of a descriptor.
static bool read_fdinfo(pid_t pid, int fd, int64_t *ret_position, long *ret_flags)
{
	char path[64], text[256];
	snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", (int)pid, fd);
	int in = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = in < 0 ? -1 : read(in, text, sizeof text - 1);
	if (in >= 0)
		close(in);
	if (n <= 0)
		return false;
	text[n] = 0;
	const char *position = strstr(text, "pos:"), *flags = strstr(text, "flags:");
	if (!position || !flags)
		return false;
	*ret_position = strtoll(position + 4, NULL, 10);
	*ret_flags = strtol(flags + 6, NULL, 8);
	return true;
}

static enum scene_stream kind_of(const struct stat *st)
{
	if (S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3))
		return STREAM_NULL;
	return S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 7) ? STREAM_FULL : STREAM_ORDINARY;
}

// --- standard input ---------------------------------------------------------------------------

static void take_file(struct execution *e, pid_t pid)
{
	char proc[64];
	snprintf(proc, sizeof proc, "/proc/%d/fd/0", (int)pid);
	int fd = open(proc, O_RDONLY | O_CLOEXEC | O_NOATIME);
	if (fd < 0)
		fd = open(proc, O_RDONLY | O_CLOEXEC);
	e->taken = true;
	e->late = false;
	if (fd < 0)
		return execution_cannot(e, "its standard input cannot be read by veer");
	ssize_t n;
	do {
		buf_reserve(&e->typed, 1 << 16);
		n = pread(fd, e->typed.data + e->typed.len, 1 << 16, e->position + (off_t)e->typed.len);
		e->typed.len += n > 0 ? (size_t)n : 0;
	} while (n > 0 && e->typed.len <= CONTENT_MAX);
	close(fd);
	if (e->typed.len > CONTENT_MAX) {
		buf_clear(&e->typed);
		execution_cannot(e, "it reads more than %d MB from standard input", CONTENT_MAX >> 20);
	}
}

static void begin_input(struct execution *e, pid_t pid, const struct stat *st)
{
	long flags;
	if (!S_ISREG(st->st_mode) || !read_fdinfo(pid, 0, &e->position, &flags))
		return;
	if (st->st_size - e->position > EAGER_MAX)
		e->late = true;
	else
		take_file(e, pid);
}

void streams_begin(struct recorder *r, struct execution *e, pid_t pid)
{
	for (int fd = 0; fd < 3; fd++) {
		struct stat st;
		if (!stat_descriptor(pid, fd, &st)) {
			e->scene.streams[fd] = STREAM_CLOSED;
			continue;
		}
		e->scene.streams[fd] = kind_of(&st);
		e->streams[fd] = (struct stream){st.st_dev, st.st_ino, true};
		if (fd == 0)
			begin_input(e, pid, &st);
	}
	e->scene.output_known = true;
}

uint64_t streams_to_watch(pid_t pid)
{
	enum { MOST = 16 };
	char path[64];
	uint64_t set = 0;
	struct stat st;
	int64_t position;
	long flags;
	snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
	DIR *d = opendir(path);
	for (struct dirent *x = d ? readdir(d) : NULL; x; x = readdir(d)) {
		int fd = atoi(x->d_name);
		if (x->d_name[0] == '.' || fd == 1 || fd == 2 || fd >= 64 || __builtin_popcountll(set) >= MOST)
			continue;
		bool small = fd == 0 && stat_descriptor(pid, 0, &st) && S_ISREG(st.st_mode) && st.st_size <= EAGER_MAX;
		if (!small && read_fdinfo(pid, fd, &position, &flags) && !(flags & O_CLOEXEC))
			set |= UINT64_C(1) << fd;
	}
	if (d)
		closedir(d);
	return set;
}

// --- bytes in the program's memory ------------------------------------------------------------

static void add_memory(pid_t pid, uint64_t address, uint64_t size, size_t limit, struct buf *out)
{
	if (out->len + size > limit)
		size = limit - out->len;
	buf_reserve(out, size);
	if (size && tracee_read(pid, address, out->data + out->len, size))
		out->len += size;
}

static void add_vector(pid_t pid, uint64_t vector, uint64_t n, uint64_t size, size_t limit, struct buf *out)
{
	for (uint64_t i = 0; i < n && i < IOV_MAX && size; i++) {
		struct iovec v;
		if (!tracee_read(pid, vector + i * sizeof v, &v, sizeof v))
			return;
		uint64_t part = v.iov_len < size ? v.iov_len : size;
		add_memory(pid, (uint64_t)v.iov_base, part, limit, out);
		size -= part;
	}
}

static uint64_t vector_size(pid_t pid, uint64_t vector, uint64_t n)
{
	uint64_t size = 0;
	for (uint64_t i = 0; i < n && i < IOV_MAX; i++) {
		struct iovec v;
		if (tracee_read(pid, vector + i * sizeof v, &v, sizeof v))
			size += v.iov_len;
	}
	return size;
}

// How many bytes the call is about; those of a message are in a vector.
static uint64_t size_of(pid_t pid, const struct syscall_state *s, enum take_how how)
{
	struct msghdr m;
	switch (how) {
	case TAKE_BUFFER: return tracee_arg(s, 2);
	case TAKE_VECTOR: return vector_size(pid, tracee_arg(s, 1), tracee_arg(s, 2));
	case TAKE_MESSAGE:
		return tracee_read(pid, tracee_arg(s, 1), &m, sizeof m)
		               ? vector_size(pid, (uint64_t)m.msg_iov, m.msg_iovlen)
		               : 0;
	default: return 0;
	}
}

static void add_bytes(pid_t pid, const struct syscall_state *s, enum take_how how, uint64_t size, size_t limit,
                      struct buf *out)
{
	struct msghdr m;
	if (how == TAKE_BUFFER)
		add_memory(pid, tracee_arg(s, 1), size, limit, out);
	else if (how == TAKE_VECTOR)
		add_vector(pid, tracee_arg(s, 1), tracee_arg(s, 2), size, limit, out);
	else if (how == TAKE_MESSAGE && tracee_read(pid, tracee_arg(s, 1), &m, sizeof m))
		add_vector(pid, (uint64_t)m.msg_iov, m.msg_iovlen, size, limit, out);
}

// --- calls ------------------------------------------------------------------------------------

struct moving {
	long number;
	int descriptor;
	enum take_how how;
};

static const struct moving takes[] = {
#define NAMES(call, folder, path, flags, how)
#define TAKES(call, descriptor, how) {SYS_##call, descriptor, how},
#define GIVES(call, descriptor, how)
#define OTHER(call)
#include "run/record_calls.def"
#undef TAKES
#undef GIVES
};

static const struct moving gives[] = {
#define TAKES(call, descriptor, how)
#define GIVES(call, descriptor, how) {SYS_##call, descriptor, how},
#include "run/record_calls.def"
#undef NAMES
#undef TAKES
#undef GIVES
#undef OTHER
};

static const struct moving *find(const struct moving *v, size_t n, long number)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].number == number)
			return &v[i];
	return NULL;
}

static bool is_copy(const struct syscall_state *s)
{
	if (tracee_number(s) != SYS_fcntl)
		return true;
	int command = (int)tracee_arg(s, 1);
	return command == F_DUPFD || command == F_DUPFD_CLOEXEC;
}

static bool is_stream(const struct execution *e, int fd, const struct stat *st)
{
	const struct stream *x = &e->streams[fd];
	return x->open && x->device == st->st_dev && x->inode == st->st_ino;
}

// Something is taken from standard input, or it gets a second descriptor. True: wait for what it was.
static bool take(struct execution *e, pid_t pid, const struct syscall_state *s, enum take_how how,
                 const struct stat *st)
{
	if (e->late)
		take_file(e, pid);
	if (e->taken || e->scene.streams[0] == STREAM_NULL || !is_stream(e, 0, st))
		return false;
	if (how == TAKE_UNSEEN)
		execution_cannot(e, "it moves standard input on without reading it");
	else if (how == TAKE_COPY && is_copy(s))
		execution_cannot(e, "it copies the descriptor of standard input");
	return how != TAKE_UNSEEN && how != TAKE_COPY;
}

static void give(struct execution *e, pid_t pid, const struct syscall_state *s, int fd, enum take_how how)
{
	if (how == TAKE_UNSEEN || (how == TAKE_COPY && is_copy(s)))
		e->scene.output_known = false;
	if (how == TAKE_UNSEEN || how == TAKE_COPY || e->scene.streams[fd] != STREAM_ORDINARY)
		return;
	uint64_t size = size_of(pid, s, how);
	e->scene.output_size += size;
	if (e->output.len + size > OUTPUT_MAX)
		e->scene.output_known = false;
	if (e->scene.output_known)
		add_bytes(pid, s, how, size, OUTPUT_MAX, &e->output);
	else
		buf_release(&e->output);
}

static bool take_call(struct process *p, pid_t pid, const struct syscall_state *s, const struct moving *m)
{
	int fd = (int)tracee_arg(s, m->descriptor);
	struct stat st;
	bool wait = false;
	if (fd < 0 || fd >= 64 || !(p->takes >> fd & 1) || !stat_descriptor(pid, fd, &st))
		return false;
	EACH_EXECUTION(e, p)
	{
		if (fd == 0)
			wait |= take(e, pid, s, m->how, &st);
	}
	return wait;
}

static void give_call(struct process *p, pid_t pid, const struct syscall_state *s, const struct moving *m)
{
	int fd = (int)tracee_arg(s, m->descriptor);
	struct stat st;
	if ((fd != 1 && fd != 2) || !stat_descriptor(pid, fd, &st))
		return;
	EACH_EXECUTION(e, p)
	{
		if (is_stream(e, fd, &st))
			give(e, pid, s, fd, m->how);
	}
}

bool streams_call(struct recorder *r, struct process *p, pid_t pid, const struct syscall_state *s)
{
	const struct moving *in = find(takes, sizeof takes / sizeof *takes, tracee_number(s)),
			    *out = find(gives, sizeof gives / sizeof *gives, tracee_number(s));
	if (out && p->outputs)
		give_call(p, pid, s, out);
	return in && p->takes && take_call(p, pid, s, in);
}

void streams_return(struct recorder *r, struct process *p, pid_t pid, const struct syscall_state *s)
{
	long n = tracee_result(s);
	const struct moving *m = find(takes, sizeof takes / sizeof *takes, tracee_number(&p->before));
	struct stat st;
	if (n <= 0 || !m || !stat_descriptor(pid, 0, &st))
		return;
	EACH_EXECUTION(e, p)
	{
		if (e->taken || !is_stream(e, 0, &st))
			continue;
		if (e->typed.len + (size_t)n > CONTENT_MAX)
			execution_cannot(e, "it reads more than %d MB from standard input", CONTENT_MAX >> 20);
		else
			add_bytes(pid, &p->before, m->how, (uint64_t)n, CONTENT_MAX, &e->typed);
	}
}
