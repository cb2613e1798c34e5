// A run takes over what it is given (abi/launch.h): streams, working folder, arguments, environment.
//
// The mapping is private: strings stay where they are, and a program that writes to them has its own copy.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "abi/fragment.h"
#include "abi/pipe.h"
#include "abi/server.h"
#include "runtime/serve/serve.h"

static struct launch *launch;
static size_t launch_size;
int launch_argc;
struct timespec launch_since;
bool launch_where, launch_floats, launch_left, launch_other, launch_concrete, launch_labels;
char **launch_argv;
const char *launch_set = "";

void launch_find(const char *run)
{
	launch = serve_map(run, LAUNCH_FILE, sizeof *launch + 1, false, &launch_size);
}

bool launch_is_there(void)
{
	return launch;
}

// The number of a descriptor that was handed down (abi/server.h); -1 when that is another path.
static int handed_down(const char *path)
{
	static const char start[] = SERVER_DESCRIPTOR;
	return strncmp(path, start, sizeof start - 1) == 0 ? atoi(path + sizeof start - 1) : -1;
}

// Makes `path` the descriptors from `first` to `last`.
static int open_as(const char *path, int flags, int first, int last)
{
	int fd = handed_down(path);
	if (fd < 0)
		fd = open(path, flags | O_NOCTTY);
	if (fd < 0)
		return errno;
	for (int i = first; i <= last; i++)
		if (fd != i && dup2(fd, i) < 0)
			return errno;
	if (fd < first || fd > last)
		close(fd);
	return 0;
}

static int take_stream(const char *path, int flags, int first, int last)
{
	if (strcmp(path, LAUNCH_CLOSED) != 0)
		return path[0] ? open_as(path, flags, first, last) : 0;
	for (int i = first; i <= last; i++)
		close(i);
	return 0;
}

static int take_streams(const struct launch *g)
{
	const int flags = O_RDWR | O_APPEND;
	bool both = !g->error[0];
	for (int i = 0; i < 2; i++)
		if (g->unused[i] > 2)
			close(g->unused[i]);
	int r = take_stream(g->input, O_RDONLY, 0, 0);
	if (!r && !both) // first: what is handed down as output may be the same
		r = take_stream(g->error, flags, 2, 2);
	return r ? r : take_stream(g->output, flags, 1, both ? 2 : 1);
}

// Entries of the auxiliary vector, with its end.
static size_t count_auxiliary(const unsigned long *auxiliary)
{
	size_t n = 0;
	while (auxiliary[n] != AT_NULL)
		n += 2;
	return n + 2;
}

// The vector behind the environment that the kernel made.
static const unsigned long *find_auxiliary(void)
{
	char **e = environ;
	while (*e)
		e++;
	while (!*e) // what was taken out of the environment has left more than one
		e++;
	return (const unsigned long *)e;
}

// The next string; NULL when there is none.
static char *next(char **at, const char *end)
{
	char *s = *at, *nul = s < end ? memchr(s, 0, (size_t)(end - s)) : NULL;
	uint64_t room = nul ? launch_room((uint64_t)(nul - s)) : 0;
	*at = nul && room < (uint64_t)(end - s) ? s + room : (char *)end;
	return nul ? s : NULL;
}

static char *own(char *s, uint32_t flags)
{
	if (!(flags & LAUNCH_ON_HEAP))
		return s;
	size_t size = strlen(s) + 1;
	char *copy = malloc(size);
	return copy ? memcpy(copy, s, size) : s;
}

// As the kernel lays them out: arguments, NULL, environment, NULL, auxiliary vector.
static int take_strings(const struct launch *g)
{
	uint64_t n = (uint64_t)g->arguments + g->variables;
	if (g->strings > launch_size - sizeof *g || n > g->strings)
		return EINVAL;
	const unsigned long *auxiliary = find_auxiliary();
	size_t n_auxiliary = count_auxiliary(auxiliary), size = (n + 2 + n_auxiliary) * sizeof(char *);
	static char *few[192]; // a mapping costs more than what is in it
	char **vector = few;
	if (size > sizeof few) {
		long p = syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == -1)
			return errno;
		vector = (char **)p;
	}
	char **to = vector, *at = (char *)(g + 1), *end = at + g->strings;
	for (uint64_t i = 0; i < n; i++) {
		char *s = next(&at, end);
		if (!s)
			return EINVAL;
		if (i == g->arguments)
			to++; // NULL
		*to++ = own(s, g->flags);
	}
	memcpy(vector + n + 2, auxiliary, n_auxiliary * sizeof *auxiliary);
	launch_argc = (int)g->arguments;
	launch_argv = vector;
	environ = vector + g->arguments + 1;
	return 0;
}

// Those that are damaged are none.
void launch_window(struct input_source source, uint64_t length, uint64_t *ret_from, uint64_t *ret_to)
{
	const struct launch *g = launch;
	*ret_from = 0;
	*ret_to = launch_concrete ? 0 : LAUNCH_OPEN;
	if (launch_concrete || !g || g->strings > launch_size - sizeof *g ||
	    g->windows > launch_size - sizeof *g - g->strings)
		return;
	if (g->window_limit && length > g->window_limit)
		*ret_to = g->window_limit;
	const char *at = (const char *)(g + 1) + g->strings, *end = at + g->windows;
	while ((size_t)(end - at) > sizeof(struct launch_window)) {
		const struct launch_window *w = (const struct launch_window *)at;
		if (w->size <= sizeof *w || w->size > (size_t)(end - at) || w->size % 8 ||
		    !memchr(w->name, 0, w->size - sizeof *w))
			return;
		const struct input_source of = input_source((enum input_kind)w->kind, INPUT_BYTES, w->ordinal, w->name);
		if (w->kind < INPUT_KINDS && input_is_same(of, source)) {
			*ret_from = w->from;
			*ret_to = w->to;
			return;
		}
		at += w->size;
	}
}

static const struct fragment_entry *find_entry(uint64_t magic)
{
	const struct launch *g = launch;
	if (!g || !g->fragment || g->strings > launch_size - sizeof *g ||
	    g->windows > launch_size - sizeof *g - g->strings ||
	    g->fragment > launch_size - sizeof *g - g->strings - g->windows)
		return NULL;
	const void *at = (const char *)(g + 1) + g->strings + g->windows;
	return fragment_bytes_fit(at, g->fragment, magic) ? at : NULL;
}

const struct fragment_entry *launch_fragment(void)
{
	return find_entry(FRAGMENT_MAGIC);
}

const struct fragment_entry *launch_probe(void)
{
	return find_entry(FRAGMENT_PROBE_MAGIC);
}

static void take_name(void)
{
	if (!launch_argc)
		return;
	char *slash = strrchr(launch_argv[0], '/');
	program_invocation_name = launch_argv[0];
	program_invocation_short_name = slash ? slash + 1 : launch_argv[0];
}

int launch_take(void)
{
	const struct launch *g = launch;
	if (!g)
		return 0;
	if (g->magic != LAUNCH_MAGIC || g->size > launch_size)
		return EINVAL;
	if (!memchr(g->set, 0, sizeof g->set))
		return EINVAL;
	for (int i = 0; i < 4; i++) {
		const char *const paths[] = {g->cwd, g->input, g->output, g->error};
		if (!memchr(paths[i], 0, LAUNCH_PATH))
			return EINVAL;
	}
	int saved = errno, r = take_streams(g);
	if (!r && (g->flags & LAUNCH_PIPE))
		r = pipe_from_input();
	if (!r && g->cwd[0] && chdir(g->cwd) < 0)
		r = errno;
	if (!r)
		r = take_strings(g);
	if (r)
		return r;
	take_name();
	if (g->flags & LAUNCH_UMASK)
		umask(g->umask & 0777);
	launch_set = g->set;
	launch_since = (struct timespec){g->since, g->since_nano};
	launch_where = g->flags & LAUNCH_WHERE;
	launch_floats = g->flags & LAUNCH_FLOATS;
	launch_left = g->flags & LAUNCH_LEFT;
	launch_other = g->flags & LAUNCH_OTHER;
	launch_concrete = g->flags & LAUNCH_CONCRETE;
	launch_labels = g->flags & LAUNCH_LABELS;
	if (g->flags & LAUNCH_STEADY)
		steady_start(g->clock);
	errno = saved;
	return 0;
}
