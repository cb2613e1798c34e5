// Input that a program gets from outside: arguments, environment, files and streams.
// Which of them are symbolic stands in RUN/sym, as after --sym.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime/trace/calls.h"
#include "runtime/trace/rt.h"

enum { CONTENT_MAX = 1 << 20 }; // what is behind is concrete
enum { SOURCES = 1024 };

static struct {
	bool argv, sock, files;
	bool in;           // standard input
	struct stat input; // what that was at the start
	char list[1 << 16];
	struct timespec since; // files that are younger are the program's own
} wanted;

static struct rt_source sources[SOURCES]; // what is no input is kept, too: content == RT_NO_INPUT
static unsigned n_sources;
label rt_argc;

// --- what is wanted -----------------------------------------------------------------------

void rt_sources_set(const char *list)
{
	clock_gettime(CLOCK_REALTIME_COARSE, &wanted.since);
	fstat(0, &wanted.input);
	snprintf(wanted.list, sizeof wanted.list, "%s", list);
	char *rest = wanted.list;
	for (char *word; (word = strsep(&rest, ",\n"));) {
		wanted.argv |= strcmp(word, "argv") == 0;
		wanted.in |= strcmp(word, "stdin") == 0;
		wanted.sock |= strcmp(word, "sock") == 0;
		wanted.files |= strcmp(word, "files") == 0;
	}
	memcpy(wanted.list, list, strnlen(list, sizeof wanted.list - 1)); // for those with a name
	for (char *p = wanted.list; *p; p++)
		if (*p == ',' || *p == '\n')
			*p = 0;
}

// Is "PREFIX:NAME" in the list?
static bool is_named(const char *prefix, const char *name)
{
	size_t n = strlen(prefix);
	const char *end = wanted.list + sizeof wanted.list;
	for (const char *p = wanted.list; p < end && *p; p += strlen(p) + 1)
		if (strncmp(p, prefix, n) == 0 && p[n] == ':' && strcmp(p + n + 1, name) == 0)
			return true;
	return false;
}

// --- arguments and environment ----------------------------------------------------------------

static void make_string(const char *name, char *string)
{
	size_t size = strlen(string) + 1;
	uint32_t input = size <= CONTENT_MAX ? rt_input(INPUT_STRING, name, string, size, 0) : RT_NO_INPUT;
	if (input != RT_NO_INPUT)
		rt_input_memory(input, string, size);
}

void rt_sources_start(int argc, char **argv, char **env)
{
	char name[256];
	if (!rt_on)
		return;
	if (wanted.argv && argc > 0) {
		uint32_t number = (uint32_t)argc, input = rt_input(INPUT_COUNT, "argc", &number, 4, 0);
		if (input != RT_NO_INPUT)
			rt_argc = rt_input_number(input, number);
		if (rt_argc)
			rt_argc = rt_resize(rt_argc, 32);
	}
	for (int i = 1; wanted.argv && i < argc; i++) {
		snprintf(name, sizeof name, "argv[%d]", i);
		make_string(name, argv[i]);
	}
	for (char **e = env; e && *e; e++) {
		size_t n = strcspn(*e, "=");
		if (n >= sizeof name || !(*e)[n])
			continue;
		memcpy(name, *e, n);
		name[n] = 0;
		if (is_named("env", name))
			make_string(name, *e + n + 1);
	}
}

// --- files and streams ----------------------------------------------------------------------------

static bool is_younger(const struct stat *st)
{
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

static bool is_standard_input(const struct stat *st)
{
	return wanted.in && st->st_ino == wanted.input.st_ino && st->st_dev == wanted.input.st_dev;
}

static bool is_wanted(int fd, const struct stat *st, const char *path)
{
	if (is_standard_input(st))
		return true;
	if (S_ISSOCK(st->st_mode))
		return wanted.sock;
	if (!S_ISREG(st->st_mode) || (fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY)
		return false;
	return is_named("file", path) ||
	       (wanted.files && !is_younger(st) && strncmp(path, "/proc/", 6) != 0 && strncmp(path, "/usr/", 5) != 0);
}

// The content as it is now. Later reads that find something else get no labels.
static void take_content(struct rt_source *s, int fd, const struct stat *st, const char *name)
{
	char label_name[PATH_MAX + 16];
	size_t size = st->st_size < CONTENT_MAX ? (size_t)st->st_size : CONTENT_MAX;
	char *data = rt_map(size ? size : 1);
	size_t got = 0;
	for (ssize_t n; data && s->seekable && got < size; got += (size_t)n)
		if ((n = pread(fd, data + got, size - got, (off_t)got)) <= 0)
			break;
	if (!data || got < size)
		return;
	s->content = rt_input(INPUT_CONTENT, name, data, got, s->seekable ? 0 : CONTENT_MAX);
	if (s->content == RT_NO_INPUT)
		return;
	s->data = (const uint8_t *)rt_trace + rt_trace->text_at + 8 * (uint64_t)rt_trace->input[s->content].data;
	s->size = got;
	if (s->seekable) {
		uint32_t length = (uint32_t)st->st_size;
		snprintf(label_name, sizeof label_name, "length(%s)", name);
		s->length = rt_input(INPUT_LENGTH, label_name, &length, 4, 0);
	}
}

static struct rt_source *add_source(int fd, const struct stat *st)
{
	char path[PATH_MAX];
	struct rt_source *s = &sources[n_sources++];
	*s = (struct rt_source){
		.device = st->st_dev, .inode = st->st_ino, .content = RT_NO_INPUT, .length = RT_NO_INPUT};
	name_of(fd, path, sizeof path);
	if (!is_wanted(fd, st, path))
		return s;
	s->seekable = S_ISREG(st->st_mode);
	const char *name = path;
	if (is_standard_input(st))
		name = "stdin";
	else if (S_ISSOCK(st->st_mode))
		name = "socket";
	struct stat seen = s->seekable ? *st : (struct stat){0};
	take_content(s, fd, &seen, name);
	return s;
}

struct rt_source *rt_source_of(int fd)
{
	struct stat st;
	struct rt_source *s = NULL;
	if (!rt_on || !wanted.list[0])
		return NULL;
	int saved = errno;
	if (fstat(fd, &st) == 0) {
		for (unsigned i = 0; i < n_sources && !s; i++)
			if (sources[i].inode == st.st_ino && sources[i].device == st.st_dev)
				s = &sources[i];
		if (!s && n_sources < SOURCES)
			s = add_source(fd, &st);
	}
	errno = saved;
	return s && s->content != RT_NO_INPUT && rt_on ? s : NULL;
}

label rt_source_byte(struct rt_source *s, uint64_t offset, uint8_t value)
{
	if (offset >= CONTENT_MAX || value != (offset < s->size ? s->data[offset] : 0))
		return 0;
	return rt_input_byte(s->content, (uint32_t)offset, value);
}

label rt_source_length(struct rt_source *s)
{
	if (s->length == RT_NO_INPUT)
		return 0;
	uint32_t value;
	memcpy(&value, (char *)rt_trace + rt_trace->text_at + 8 * (uint64_t)rt_trace->input[s->length].data, 4);
	return rt_input_number(s->length, value);
}

// A stream: what comes is appended. Its length is known when it ends.
static void extend(struct rt_source *s, const void *data, uint64_t n)
{
	if (s->position != s->size || s->size + n > CONTENT_MAX)
		return;
	rt_input_append(s->content, data, n);
	s->size += n;
}

void rt_source_read(struct rt_source *s, uint64_t offset, void *to, uint64_t n)
{
	if (!s->seekable) {
		extend(s, to, n);
		s->position += n;
	}
	for (uint64_t i = 0; i < n; i++)
		rt_store((uint64_t)to + i, 1, rt_source_byte(s, offset + i, ((uint8_t *)to)[i]));
}

static label less_or_equal(label a, label b)
{
	return a && b ? rt_binary(OP_ULE, 64, a, b) : 0;
}

// offset <= length && length - offset >= wanted ? wanted : offset <= length ? length - offset : 0
label rt_source_count(struct rt_source *s, uint64_t offset, uint64_t n_wanted, uint64_t got)
{
	if (!s->seekable && got == 0 && s->length == RT_NO_INPUT && s->position == s->size) {
		uint32_t length = (uint32_t)s->size; // this is its end
		char name[PATH_MAX];
		const char *own = (char *)rt_trace + rt_trace->text_at + 8 * (uint64_t)rt_trace->input[s->content].name;
		snprintf(name, sizeof name, "length(%s)", own);
		s->length = rt_input(INPUT_LENGTH, name, &length, 4, 0);
	}
	label length = rt_source_length(s);
	if (!length || n_wanted == 0)
		return 0;
	label from = rt_constant(64, offset), all = rt_constant(64, n_wanted), none = rt_constant(64, 0);
	label end = rt_constant(64, offset + n_wanted);
	label left = from ? rt_binary(OP_SUB, 64, length, from) : 0;
	label starts = less_or_equal(from, length), whole = less_or_equal(end, length);
	if (!left || !starts || !whole || !all || !none)
		return 0;
	label rest = offset ? rt_node(OP_ITE, 64, starts, left, none) : left;
	label l = rest ? rt_node(OP_ITE, 64, whole, all, rest) : 0;
	// What the file has now may be something else.
	uint32_t now;
	memcpy(&now, (char *)rt_trace + rt_trace->text_at + 8 * (uint64_t)rt_trace->input[s->length].data, 4);
	uint64_t expected = offset >= now ? 0 : now - offset < n_wanted ? now - offset : n_wanted;
	return expected == got ? l : 0;
}
