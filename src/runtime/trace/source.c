// Input that a program gets from outside: arguments, environment, files and streams.
// Which of them are symbolic stands in RUN/sym, as after --sym.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/serve/serve.h"
#include "runtime/trace/calls.h"
#include "runtime/trace/rt.h"

enum { CONTENT_MAX = 1 << 20, SOCKET_MAX = 1 << 16 }; // what is behind is concrete
enum { SOURCES = 1024, NAMED = 64 };

static struct {
	bool argv, sock, files;
	bool in;               // standard input
	bool by_name;          // some files
	struct stat input;     // what that was at the start
	struct timespec since; // files that are younger are the program's own
	unsigned n_named;
} wanted;
static char list[1 << 16] RT_LARGE;       // words one after the other, the last one empty
static struct stat named[NAMED] RT_LARGE; // files of the list, as they were at the start

// What is no input is kept, too: content == RT_NO_INPUT. Most programs have few.
enum { FEW = 4 };
static struct rt_source few[FEW], more[SOURCES - FEW] RT_LARGE;
static unsigned n_sources;

// Other inodes of a source. An overlay copies a file when it is opened for writing: the same file is another one then.
static struct {
	dev_t device;
	ino_t inode;
	struct rt_source *source;
} others[SOURCES] RT_LARGE;
static unsigned n_others;
static bool any; // something is wanted
bool rt_sources_read;
label rt_argc;

// --- what is wanted -----------------------------------------------------------------------

void rt_sources_prepare(const char *text)
{
	any = true;
	snprintf(list, sizeof list - 1, "%s", text);
	char *rest = list;
	for (char *word; (word = strsep(&rest, ",\n"));) {
		wanted.argv |= strcmp(word, "argv") == 0;
		wanted.in |= strcmp(word, "stdin") == 0;
		wanted.sock |= strcmp(word, "sock") == 0;
		wanted.files |= strcmp(word, "files") == 0;
		wanted.by_name |= strncmp(word, "file:", 5) == 0;
	}
	rt_variables_prepare(text);
	rt_sources_read = wanted.in || wanted.sock || wanted.files || wanted.by_name;
}

void rt_sources_set(void)
{
	wanted.since = launch_since;
	if (wanted.since.tv_sec && wanted.since.tv_nsec-- == 0) {
		wanted.since.tv_sec--;
		wanted.since.tv_nsec = 999999999;
	}
	if (!wanted.since.tv_sec) // the clock of files, whatever the program sees
		syscall(SYS_clock_gettime, CLOCK_REALTIME_COARSE, &wanted.since);
	fstat(0, &wanted.input);
	for (const char *p = list; wanted.by_name && *p; p += strlen(p) + 1)
		if (strncmp(p, "file:", 5) == 0 && wanted.n_named < NAMED && stat(p + 5, &named[wanted.n_named]) == 0)
			wanted.n_named++;
}

// Is "PREFIX:NAME" in the list?
static bool is_named(const char *prefix, const char *name)
{
	size_t n = strlen(prefix);
	for (const char *p = list; *p; p += strlen(p) + 1)
		if (strncmp(p, prefix, n) == 0 && p[n] == ':' && strcmp(p + n + 1, name) == 0)
			return true;
	return false;
}

// --- arguments and environment ----------------------------------------------------------------

// The bytes of this input that are symbolic; false: none.
static bool find_window(struct input_source source, uint64_t length, uint64_t *ret_from, uint64_t *ret_to)
{
	launch_window(source, length, ret_from, ret_to);
	bool any = *ret_from < *ret_to;
	if (any && (*ret_from || *ret_to != LAUNCH_OPEN))
		rt_trace->flags |= TRACE_WINDOWED;
	return any;
}

void rt_input_string(enum input_kind kind, uint32_t ordinal, const char *name, char *string)
{
	const struct input_source source = input_source(kind, INPUT_BYTES, ordinal, name);
	size_t size = strlen(string) + 1;
	uint64_t from, to;
	if (!find_window(source, size, &from, &to))
		return;
	uint32_t input = size <= CONTENT_MAX ? rt_input(source, string, size, 0) : RT_NO_INPUT;
	for (uint64_t i = from; input != RT_NO_INPUT && i < size && i < to; i++)
		rt_store((uint64_t)string + i, 1, rt_input_byte(input, (uint32_t)i, (uint8_t)string[i]));
}

void rt_sources_start(int argc, char **argv, char **env)
{
	if (!rt_on || !any || launch_concrete)
		return;
	if (wanted.argv && argc > 0) {
		uint32_t number = (uint32_t)argc, input;
		input = rt_input(input_source(INPUT_ARGUMENT, INPUT_COUNT, 0, ""), &number, 4, 0);
		if (input != RT_NO_INPUT)
			rt_argc = rt_input_number(input, number);
		if (rt_argc)
			rt_argc = rt_resize(rt_argc, 32);
	}
	for (int i = 1; wanted.argv && i < argc; i++)
		rt_input_string(INPUT_ARGUMENT, (uint32_t)i, "", argv[i]);
	rt_variables_start(env);
}

// --- files and streams ----------------------------------------------------------------------------

// The table of sources is used by one thread at a time. Returns false in a signal handler
// that came while this very thread was in there.
static int lock;
static __thread bool inside __attribute__((tls_model("initial-exec")));

static bool enter(void)
{
	if (inside)
		return false;
	inside = true;
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
	return true;
}

static void leave(void)
{
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
	inside = false;
}

// The clock of files may be ahead of the one that is read here: for files that are named,
// what counts is whether they changed.
static bool is_younger(const struct stat *st)
{
	for (unsigned i = 0; i < wanted.n_named; i++) {
		const struct stat *was = &named[i];
		if (was->st_ino == st->st_ino && was->st_dev == st->st_dev)
			return was->st_ctim.tv_sec != st->st_ctim.tv_sec || was->st_ctim.tv_nsec != st->st_ctim.tv_nsec;
	}
	return st->st_ctim.tv_sec != wanted.since.tv_sec ? st->st_ctim.tv_sec > wanted.since.tv_sec
	                                                 : st->st_ctim.tv_nsec > wanted.since.tv_nsec;
}

// Its path, as it was opened but for links; for what has none, a description.
static void name_of(int fd, char *ret, size_t size)
{
	char link[64];
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, ret, size - 1);
	ret[n > 0 ? n : 0] = 0;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

static bool is_standard_input(const struct stat *st)
{
	return wanted.in && is_same_file(st, &wanted.input);
}

// What the program has written itself is no input, whatever its name. `old`: its content was there before the run,
// whatever its time says.
static bool is_wanted(const struct stat *st, const char *path, bool old)
{
	if (S_ISSOCK(st->st_mode))
		return wanted.sock;
	if (!S_ISREG(st->st_mode) || (!old && is_younger(st)))
		return false;
	return is_named("file", path) ||
	       (wanted.files && strncmp(path, "/proc/", 6) != 0 && strncmp(path, "/usr/", 5) != 0);
}

// Is there room for that much in the trace? More would end the recording.
static bool fits(uint64_t size)
{
	return rt_trace->text + size + rt_trace->input_bytes < rt_trace->text_max / 2 &&
	       rt_trace->inputs < TRACE_INPUTS - 2;
}

static void make_length(struct rt_source *s, uint64_t length)
{
	const struct trace_input *of = &rt_trace->input[s->content];
	const char *name = of->name ? (char *)rt_trace + rt_trace->text_at + 8 * (uint64_t)of->name : "";
	s->now = length < UINT32_MAX ? (uint32_t)length : UINT32_MAX;
	if (length >= UINT32_MAX / 2 || s->to != LAUNCH_OPEN)
		return;
	s->length = rt_input(input_source(of->type.kind, INPUT_LENGTH, of->ordinal, name), &s->now, 4, 0);
}

// The content as it is now. Later reads that find something else get no labels.
static void take_content(struct rt_source *s, int fd, uint64_t length, enum input_kind kind, const char *name)
{
	const struct input_source source = input_source(kind, INPUT_BYTES, 0, name);
	char short_one[512]; // mostly
	if (!find_window(source, length, &s->from, &s->to)) {
		rt_input(input_source(kind, INPUT_CONCRETE, 0, name), "", 0, 0);
		return;
	}
	size_t size = length < s->limit ? (size_t)length : s->limit, got = 0;
	char *data = size <= sizeof short_one ? short_one : rt_map(size);
	for (ssize_t n; data && got < size; got += (size_t)n)
		if ((n = pread(fd, data + got, size - got, (off_t)got)) <= 0)
			break;
	if (data && got == size && fits(s->limit))
		s->content = rt_input(source, data, got, s->seekable ? 0 : s->limit);
	if (data && data != short_one)
		rt_unmap(data, size);
	if (s->content == RT_NO_INPUT)
		return;
	s->data = (const uint8_t *)rt_trace + rt_trace->text_at + 8 * (uint64_t)rt_trace->input[s->content].data;
	s->size = got;
	if (s->seekable)
		make_length(s, length);
}

static struct rt_source *source_at(unsigned i)
{
	return i < FEW ? &few[i] : &more[i - FEW];
}

static struct rt_source *find_source(const struct stat *st)
{
	for (unsigned i = 0; i < n_sources; i++)
		if (source_at(i)->inode == st->st_ino && source_at(i)->device == st->st_dev)
			return source_at(i);
	for (unsigned i = 0; i < n_others; i++)
		if (others[i].inode == st->st_ino && others[i].device == st->st_dev)
			return others[i].source;
	return NULL;
}

// A function of its own, for its large frame: every page of the stack that a run uses costs it something.
static __attribute__((noinline)) void take_by_name(struct rt_source *s, int fd, const struct stat *st, bool old)
{
	char path[PATH_MAX];
	name_of(fd, path, sizeof path);
	if (!is_wanted(st, path, old))
		return;
	s->seekable = S_ISREG(st->st_mode);
	if (S_ISSOCK(st->st_mode))
		take_content(s, fd, 0, INPUT_SOCKET, "");
	else
		take_content(s, fd, s->seekable ? (uint64_t)st->st_size : 0, INPUT_FILE, path);
}

static struct rt_source *add_source(int fd, const struct stat *st, bool old)
{
	if (n_sources == SOURCES)
		return NULL;
	struct rt_source *s = source_at(n_sources++);
	*s = (struct rt_source){.device = st->st_dev,
	                        .inode = st->st_ino,
	                        .content = RT_NO_INPUT,
	                        .length = RT_NO_INPUT,
	                        .limit = S_ISSOCK(st->st_mode) ? SOCKET_MAX : CONTENT_MAX};
	if (is_standard_input(st)) {
		s->seekable = S_ISREG(st->st_mode);
		take_content(s, fd, s->seekable ? (uint64_t)st->st_size : 0, INPUT_STDIN, "");
	} else if (wanted.sock || wanted.files || wanted.by_name) {
		take_by_name(s, fd, st, old);
	}
	return s;
}

void rt_source_add(int fd, uint32_t content, uint64_t size)
{
	struct stat st;
	if (n_sources == SOURCES || fstat(fd, &st) < 0)
		return;
	struct rt_source *s = source_at(n_sources++);
	*s = (struct rt_source){.device = st.st_dev,
	                        .inode = st.st_ino,
	                        .content = content,
	                        .length = RT_NO_INPUT,
	                        .seekable = true,
	                        .limit = CONTENT_MAX,
	                        .to = LAUNCH_OPEN,
	                        .size = size};
	s->data = (const uint8_t *)rt_trace + rt_trace->text_at + 8 * (uint64_t)rt_trace->input[content].data;
	make_length(s, size);
	rt_sources_read = true;
}

static struct rt_source *usable(struct rt_source *s)
{
	return s && s->content != RT_NO_INPUT && rt_on ? s : NULL;
}

struct rt_source *rt_source_of(int fd)
{
	struct stat st;
	struct rt_source *s = NULL;
	int saved = errno;
	if (!rt_on || !rt_sources_read || !enter())
		return NULL;
	if (fstat(fd, &st) == 0) {
		s = find_source(&st);
		if (!s && (fcntl(fd, F_GETFL) & O_ACCMODE) != O_WRONLY)
			s = add_source(fd, &st, false);
	}
	leave();
	errno = saved;
	return usable(s);
}

// A descriptor of the file that the program has; -1 when it has none. Closing one of our
// own would release its locks.
static int has_open(const struct stat *st)
{
	struct stat other;
	for (int fd = 0; fd < 1024; fd++)
		if (fstat(fd, &other) == 0 && is_same_file(st, &other) && (fcntl(fd, F_GETFL) & O_ACCMODE) != O_WRONLY)
			return fd;
	return -1;
}

// A file of the list, by its name.
static struct rt_source *add_named(const struct stat *st)
{
	struct stat other;
	for (const char *p = list; *p; p += strlen(p) + 1) {
		if (strncmp(p, "file:", 5) != 0 || stat(p + 5, &other) < 0 || !is_same_file(st, &other))
			continue;
		int has = has_open(st), fd = has >= 0 ? has : open(p + 5, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		struct rt_source *s = fd >= 0 ? add_source(fd, st, false) : NULL;
		if (has < 0 && fd >= 0)
			close(fd);
		return s;
	}
	return NULL;
}

bool rt_source_opening(int folder, const char *path, int flags, struct stat *ret)
{
	int saved = errno;
	bool changes = (flags & O_ACCMODE) == O_WRONLY || (flags & O_ACCMODE) == O_RDWR;
	if (!rt_on || !(wanted.files || wanted.by_name) || !path || !changes || (flags & (O_TRUNC | O_PATH)) ||
	    !enter())
		return false;
	bool old = fstatat(folder, path, ret, flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0) == 0 &&
	           S_ISREG(ret->st_mode) && (find_source(ret) || !is_younger(ret));
	leave();
	errno = saved;
	return old;
}

// A descriptor to read what another one is open for writing only; -1: it cannot be read.
static int open_to_read(int fd)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

static void add_other(struct rt_source *s, const struct stat *st)
{
	if (find_source(st) || n_others == SOURCES)
		return;
	others[n_others].device = st->st_dev;
	others[n_others].inode = st->st_ino;
	others[n_others++].source = s;
}

void rt_source_opened(int fd, const struct stat *was)
{
	struct stat st;
	int saved = errno;
	if (fd < 0 || !rt_on || !enter())
		return;
	struct rt_source *s = find_source(was);
	if (fstat(fd, &st) == 0 && !find_source(&st)) {
		bool write_only = (fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY;
		int in = s || !write_only ? fd : open_to_read(fd);
		if (!s && in >= 0)
			s = add_source(in, &st, true);
		if (in >= 0 && in != fd)
			close(in);
		if (s)
			add_other(s, s->inode == st.st_ino && s->device == st.st_dev ? was : &st);
	}
	leave();
	errno = saved;
}

struct rt_source *rt_source_with(const struct stat *st)
{
	int saved = errno;
	if (!rt_on || !rt_sources_read || !S_ISREG(st->st_mode) || !enter())
		return NULL;
	struct rt_source *s = find_source(st);
	if (!s)
		s = add_named(st);
	leave();
	errno = saved;
	return usable(s);
}

label rt_source_byte(struct rt_source *s, uint64_t offset, uint8_t value)
{
	if (offset >= s->size || offset < s->from || offset >= s->to || value != s->data[offset])
		return 0;
	return rt_input_byte(s->content, (uint32_t)offset, value);
}

label rt_source_behind(struct rt_source *s, uint64_t offset)
{
	bool open = s->to == LAUNCH_OPEN && offset >= s->size && offset < s->limit;
	return open ? rt_input_byte(s->content, (uint32_t)offset, 0) : 0;
}

label rt_source_length(struct rt_source *s)
{
	if (!s->length_label && s->length != RT_NO_INPUT)
		s->length_label = rt_input_number(s->length, s->now);
	return rt_on ? s->length_label : 0;
}

void rt_source_arrived(struct rt_source *s, uint64_t offset, const void *data, uint64_t n)
{
	if (s->seekable || s->length != RT_NO_INPUT || offset > s->size || n <= s->size - offset)
		return;
	uint64_t known = s->size - offset, more = n - known < s->limit - s->size ? n - known : s->limit - s->size;
	rt_input_append(s->content, (const char *)data + known, more);
	s->size += more;
}

void rt_source_ended(struct rt_source *s)
{
	if (s->seekable || s->length != RT_NO_INPUT || s->position != s->size || !enter())
		return;
	make_length(s, s->size);
	leave();
}

void rt_source_label(struct rt_source *s, uint64_t offset, void *to, uint64_t n)
{
	uint64_t first = s->from > offset ? s->from - offset : 0, last = s->to > offset ? s->to - offset : 0;
	first = first < n ? first : n;
	last = last > n ? n : last > first ? last : first;
	if (first)
		rt_clear((uint64_t)to, first);
	for (uint64_t i = first; i < last; i++)
		rt_store((uint64_t)to + i, 1, rt_source_byte(s, offset + i, ((uint8_t *)to)[i]));
	if (last < n)
		rt_clear((uint64_t)to + last, n - last);
}
