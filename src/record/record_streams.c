// Standard input, output and errors of a recorded program, and other descriptors that it was given.
//
// Standard input from a file is copied from where it stands, by a descriptor of our own: nobody's position moves. From
// a pipe, a socket or a terminal what the program's reads return is taken from its memory, so nothing is read ahead.
#include <dirent.h>
#include <errno.h>
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
#include "record/record_internal.h"

bool streams_stat(pid_t pid, int fd, struct stat *ret)
{
	char proc[64];
	snprintf(proc, sizeof proc, "/proc/%d/fd/%d", (int)pid, fd);
	return stat(proc, ret) == 0;
}

// Position and flags of a descriptor.
bool streams_fdinfo(pid_t pid, int fd, int64_t *ret_position, long *ret_flags)
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

enum snapshot_stream streams_kind(const struct stat *st)
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
	if (!S_ISREG(st->st_mode) || !streams_fdinfo(pid, 0, &e->position, &flags))
		return;
	if (st->st_size - e->position > EAGER_MAX)
		e->late = true;
	else
		take_file(e, pid);
}

enum { WATCHED = 64 }; // descriptors from there on are not

// A small file on standard input is copied at the start; nobody has to look when it is read.
static bool is_copied(pid_t pid)
{
	struct stat st;
	return streams_stat(pid, 0, &st) && S_ISREG(st.st_mode) && st.st_size <= EAGER_MAX;
}

uint64_t streams_to_watch(pid_t pid)
{
	char path[64];
	int64_t position;
	long flags;
	uint64_t given = 0, input = is_copied(pid) ? 0 : 1, output = output_to_watch(pid);
	snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
	DIR *d = opendir(path);
	for (struct dirent *x = d ? readdir(d) : NULL; x; x = readdir(d)) {
		int fd = atoi(x->d_name);
		if (fd > 2 && fd < WATCHED && __builtin_popcountll(given) < GIVEN_MAX &&
		    streams_fdinfo(pid, fd, &position, &flags) && !(flags & O_CLOEXEC))
			given |= UINT64_C(1) << fd;
	}
	if (d)
		closedir(d);
	return given | input | output;
}

void streams_executed(struct process *p, pid_t pid)
{
	struct stat st;
	for (int fd = 0; fd < WATCHED; fd++)
		if (p->copies >> fd & 1 && !streams_stat(pid, fd, &st))
			p->copies &= ~(UINT64_C(1) << fd);
}

static void begin_given(struct execution *e, pid_t pid)
{
	uint64_t watch = streams_to_watch(pid);
	struct stat st;
	for (int fd = 3; fd < WATCHED; fd++)
		if (watch >> fd & 1 && streams_stat(pid, fd, &st))
			e->given[e->n_given++] = (struct given){fd, st.st_dev, st.st_ino};
}

void streams_begin(struct recorder *r, struct execution *e, pid_t pid)
{
	for (int fd = 0; fd < 3; fd++) {
		struct stat st;
		if (!streams_stat(pid, fd, &st)) {
			e->snapshot.streams[fd] = STREAM_CLOSED;
			continue;
		}
		e->snapshot.streams[fd] = streams_kind(&st);
		e->streams[fd] = (struct stream){st.st_dev, st.st_ino, true};
		if (fd == 0)
			begin_input(e, pid, &st);
		if (fd == 0 && S_ISREG(st.st_mode)) {
			e->snapshot.input_seconds = st.st_mtim.tv_sec;
			e->snapshot.input_nanoseconds = (uint32_t)st.st_mtim.tv_nsec;
		}
		e->snapshot.pipe |= fd == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
	}
	e->snapshot.output_known = true;
	output_begin(e, pid);
	begin_given(e, pid);
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
#include "record/record_calls.def"
#undef TAKES
#undef GIVES
};

static const struct moving gives[] = {
#define TAKES(call, descriptor, how)
#define GIVES(call, descriptor, how) {SYS_##call, descriptor, how},
#include "record/record_calls.def"
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

static bool is_stream(const struct execution *e, int stream, const struct stat *st)
{
	const struct stream *x = &e->streams[stream];
	return x->open && x->device == st->st_dev && x->inode == st->st_ino;
}

// Which of the two the descriptor leads to; 0: neither.
static int output_of(const struct execution *e, int fd, const struct stat *st)
{
	int first = fd == 2 ? 2 : 1;
	return is_stream(e, first, st) ? first : is_stream(e, 3 - first, st) ? 3 - first : 0;
}

bool streams_is_given(const struct execution *e, int fd, const struct stat *st)
{
	for (size_t i = 0; i < e->n_given; i++)
		if (e->given[i].descriptor == fd && e->given[i].device == st->st_dev && e->given[i].inode == st->st_ino)
			return true;
	return false;
}

// Something is taken from standard input. True: wait for what it was.
static bool take(struct execution *e, pid_t pid, enum take_how how)
{
	if (e->late)
		take_file(e, pid);
	if (e->taken || e->snapshot.streams[0] == STREAM_NULL)
		return false;
	if (how == TAKE_UNSEEN)
		execution_cannot(e, "it moves standard input on without reading it");
	return how != TAKE_UNSEEN;
}

static bool take_call(struct process *p, pid_t pid, const struct moving *m, int fd, const struct stat *st)
{
	bool wait = false;
	EACH_EXECUTION(e, p)
	{
		if (is_stream(e, 0, st))
			wait |= take(e, pid, m->how);
		else if (streams_is_given(e, fd, st))
			execution_cannot(e, "it reads from a descriptor that it was given");
	}
	return wait;
}

bool streams_count_output(struct execution *e, uint64_t size)
{
	e->snapshot.output_size += size;
	if (size > OUTPUT_MAX || e->output.len + size > OUTPUT_MAX)
		e->snapshot.output_known = false;
	if (!e->snapshot.output_known)
		buf_release(&e->output);
	return e->snapshot.output_known;
}

static void give(struct execution *e, pid_t pid, const struct syscall_state *s, enum take_how how)
{
	uint64_t size = size_of(pid, s, how);
	output_catch_up(e);
	if (streams_count_output(e, size))
		add_bytes(pid, s, how, size, OUTPUT_MAX, &e->output);
}

// True: whether somebody reads it is seen when the call returns.
static bool give_call(struct process *p, pid_t pid, const struct syscall_state *s, const struct moving *m, int fd,
                      const struct stat *st)
{
	bool wait = false;
	EACH_EXECUTION(e, p)
	{
		int stream = output_of(e, fd, st);
		if (stream && e->snapshot.streams[stream] == STREAM_ORDINARY && !output_is_late(e, st))
			give(e, pid, s, m->how);
		wait |= stream && e->deaf && (S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode));
	}
	return wait;
}

// A pipe between processes of one execution is its own affair.
void streams_closed(struct process *p, pid_t pid)
{
	struct stat st;
	for (int fd = 1; fd <= 2; fd++) {
		if (!streams_stat(pid, fd, &st))
			continue;
		EACH_EXECUTION(e, p)
		{
			if (output_of(e, fd, &st))
				execution_cannot(e, WHY_CLOSED);
		}
	}
}

// --- bytes that the kernel moves from one descriptor to another ---------------------------------

// The descriptor they come from, and the argument that has their position, or points to NULL.
static void source_of(const struct syscall_state *s, int *ret_fd, uint64_t *ret_position)
{
	bool sends = tracee_number(s) == SYS_sendfile;
	*ret_fd = (int)tracee_arg(s, sends ? 1 : 0);
	*ret_position = tracee_number(s) == SYS_tee ? 0 : tracee_arg(s, sends ? 2 : 1);
}

static void begin_move(struct process *p, pid_t pid, const struct syscall_state *s)
{
	int fd;
	uint64_t at;
	long flags;
	source_of(s, &fd, &at);
	if (at ? !tracee_read(pid, at, &p->moved_from, sizeof p->moved_from)
	       : !streams_fdinfo(pid, fd, &p->moved_from, &flags))
		p->moved_from = -1;
}

// False: they came from no file.
static bool read_moved(const struct process *p, pid_t pid, uint64_t size, struct buf *out)
{
	char proc[64];
	int fd;
	uint64_t at;
	struct stat st;
	source_of(&p->before, &fd, &at);
	snprintf(proc, sizeof proc, "/proc/%d/fd/%d", (int)pid, fd);
	if (p->moved_from < 0 || stat(proc, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	int in = open(proc, O_RDONLY | O_CLOEXEC);
	if (in < 0)
		return false;
	buf_reserve(out, size);
	ssize_t n = pread(in, out->data + out->len, size, p->moved_from);
	close(in);
	out->len += n > 0 ? (size_t)n : 0;
	return n == (ssize_t)size;
}

static void end_move(struct process *p, pid_t pid, uint64_t size)
{
	struct stat st;
	const struct moving *m = find(gives, sizeof gives / sizeof *gives, tracee_number(&p->before));
	int fd = (int)tracee_arg(&p->before, m->descriptor);
	if (!streams_stat(pid, fd, &st))
		return;
	EACH_EXECUTION(e, p)
	{
		int stream = output_of(e, fd, &st);
		if (!stream || e->snapshot.streams[stream] != STREAM_ORDINARY || output_is_late(e, &st))
			continue;
		output_catch_up(e);
		if (streams_count_output(e, size) && !read_moved(p, pid, size, &e->output))
			e->snapshot.output_known = false;
	}
}

// --- all together -------------------------------------------------------------------------------

// The descriptor is a stream's, and there will be another one for it.
static bool is_stream_copied(const struct process *p, const struct syscall_state *s, int fd, const struct stat *st)
{
	EACH_EXECUTION(e, p)
	{
		if (is_copy(s) && ((is_stream(e, 0, st) && !e->taken) || output_of(e, fd, st)))
			return true;
	}
	return false;
}

// The descriptor that the call is about, if it is one to look at. With `copies`: one of those, otherwise one of the
// filter's.
static const struct moving *find_watched(const struct moving *v, size_t n, const struct syscall_state *s,
                                         const struct process *p, bool copies, int *ret_fd)
{
	uint64_t number = 0;
	const struct moving *m = find(v, n, tracee_number(s));
	if (m)
		number = (uint32_t)tracee_arg(s, m->descriptor);
	if (!m || number >= WATCHED || !((copies ? p->copies & ~p->watched : p->watched) >> number & 1))
		return NULL;
	*ret_fd = (int)number;
	return m;
}

enum awaiting streams_call(struct recorder *r, struct process *p, pid_t pid, const struct syscall_state *s, bool copies)
{
	enum awaiting what = AWAIT_NOTHING;
	struct stat st;
	int fd;
	const struct moving *m = find_watched(gives, sizeof gives / sizeof *gives, s, p, copies, &fd);
	if (m && streams_stat(pid, fd, &st)) {
		if (m->how == TAKE_COPY)
			what = is_stream_copied(p, s, fd, &st) ? AWAIT_COPY : AWAIT_NOTHING;
		else if (m->how == TAKE_UNSEEN)
			what = AWAIT_MOVED;
		else if (give_call(p, pid, s, m, fd, &st))
			what = AWAIT_GIVEN;
	}
	m = find_watched(takes, sizeof takes / sizeof *takes, s, p, copies, &fd);
	if (m && streams_stat(pid, fd, &st)) {
		if (m->how == TAKE_COPY && is_stream_copied(p, s, fd, &st))
			what = AWAIT_COPY;
		else if (m->how != TAKE_COPY && take_call(p, pid, m, fd, &st))
			what = AWAIT_TYPED;
	}
	if (what == AWAIT_MOVED)
		begin_move(p, pid, s);
	if (copies && tracee_number(s) == SYS_close && tracee_arg(s, 0) < WATCHED)
		p->copies &= ~(UINT64_C(1) << tracee_arg(s, 0));
	return what;
}

// A stream has another descriptor now.
static void add_copy(struct process *p, long fd)
{
	if (fd >= 0 && fd < WATCHED) {
		p->copies |= UINT64_C(1) << fd;
		return;
	}
	EACH_EXECUTION(e, p)
	{
		if (fd >= WATCHED)
			execution_cannot(e, "it copies the descriptors of its streams to large numbers");
	}
}

void streams_return(struct recorder *r, struct process *p, pid_t pid, const struct syscall_state *s)
{
	long n = tracee_result(s);
	const struct moving *m = find(takes, sizeof takes / sizeof *takes, tracee_number(&p->before));
	struct stat st;
	if (p->awaiting == AWAIT_COPY)
		return add_copy(p, n);
	if (p->awaiting == AWAIT_GIVEN)
		return n == -EPIPE ? streams_closed(p, pid) : (void)0;
	if (p->awaiting == AWAIT_MOVED && n > 0)
		return end_move(p, pid, (uint64_t)n);
	if (n <= 0 || !m || !streams_stat(pid, (int)tracee_arg(&p->before, m->descriptor), &st))
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
