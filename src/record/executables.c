#include "record/executables.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/random.h"
#include "object/elf.h"

enum { SCRIPT_BYTES = 256 }; // BINPRM_BUF_SIZE of the kernel

static uint64_t hash_of(struct executable_key k)
{
	return random_scatter(k.inode ^ random_scatter(k.device));
}

static bool is_same(struct executable_key a, struct executable_key b)
{
	return a.inode == b.inode && a.device == b.device;
}

MAP_FUNCTIONS(entries, struct executables, struct executable_key, .key, .executable, hash_of, is_same)

static void executable_clear(struct executable *x)
{
	mem_free(x->path);
	mem_free(x->variant);
	mem_free(x->interpreter);
	mem_free(x->argument);
	*x = (struct executable){0};
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

// "#! interpreter argument": exactly what the kernel makes of the first 256 bytes of
// a file, zeros behind its end included (fs/binfmt_script.c).
static void read_script(struct executable *x, const char head[SCRIPT_BYTES])
{
	const char *limit = head + SCRIPT_BYTES - 1, *end = memchr(head, '\n', SCRIPT_BYTES), *name = head + 2, *stop;
	if (!end) {
		const char *p = name;
		while (p < limit && is_blank(*p))
			p++;
		while (p < limit && !is_blank(*p) && *p)
			p++;
		if (p >= limit)
			return; // the interpreter's name may be cut off
		end = limit;
	}
	while (is_blank(end[-1]))
		end--;
	while (name < end && is_blank(*name))
		name++;
	if (name >= end || !*name)
		return;
	for (stop = name; stop < end && !is_blank(*stop) && *stop;)
		stop++;
	x->state = EXECUTABLE_SCRIPT;
	x->interpreter = mem_copy(name, (size_t)(stop - name));
	if (stop >= end || !*stop)
		return;
	while (stop < end && is_blank(*stop))
		stop++;
	if (stop < end)
		x->argument = mem_copy(stop, strnlen(stop, (size_t)(end - stop)));
}

static void look_up_variant(struct executable *x, const struct builder *b, void (*complain)(const char *, const char *))
{
	struct err err;
	switch (build_lookup(b, x->path, &x->variant, &err)) {
	case BUILD_OK: x->state = x->variant ? EXECUTABLE_READY : EXECUTABLE_MISSING; break;
	case BUILD_FAILED:
		complain(x->path, err.text);
		x->state = EXECUTABLE_FOREIGN;
		break;
	case BUILD_FOREIGN: x->state = EXECUTABLE_FOREIGN; break;
	}
}

static void forget_path(struct executable *x)
{
	mem_free(x->path);
	x->path = NULL;
}

static void look_into(struct executable *x, const struct builder *b, const char *path,
                      void (*complain)(const char *, const char *))
{
	char head[SCRIPT_BYTES] = {0}, resolved[PATH_MAX];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof head);
	if (fd >= 0)
		close(fd);
	x->state = EXECUTABLE_FOREIGN;
	if (n > 2 && head[0] == '#' && head[1] == '!') {
		read_script(x, head);
	} else if (n > 0 && elf_is(head, (size_t)n) && realpath(path, resolved)) {
		x->path = mem_strdup(resolved);
		look_up_variant(x, b, complain);
		if (x->state == EXECUTABLE_FOREIGN)
			forget_path(x);
	}
}

struct executable *executables_find(struct executables *t, const struct builder *b, const char *path,
                                    void (*complain)(const char *, const char *))
{
	struct stat st;
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	struct executable_entry *entry = entries_put(t, (struct executable_key){st.st_dev, st.st_ino});
	if (!entry->executable)
		entry->executable = mem_zero(sizeof *entry->executable);
	struct executable *x = entry->executable;
	bool same = x->size == st.st_size && clock_same(x->modified, st.st_mtim) && x->inode == st.st_ino;
	if (same || x->state == EXECUTABLE_BUILDING)
		return x;
	executable_clear(x);
	x->device = st.st_dev;
	x->inode = st.st_ino;
	x->size = st.st_size;
	x->modified = st.st_mtim;
	look_into(x, b, path, complain);
	return x;
}

int executables_start_build(struct executable *x, const struct builder *b, struct err *err)
{
	x->problem = mmap(NULL, sizeof *x->problem, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (x->problem == MAP_FAILED) {
		x->problem = NULL;
		return err_errno(err, "cannot start a build");
	}
	x->builder = fork();
	if (x->builder < 0)
		return err_errno(err, "cannot start a build");
	if (x->builder == 0) {
		signal(SIGINT, SIG_DFL); // the tracer ignores the keyboard; a build may be given up
		signal(SIGQUIT, SIG_DFL);
		char *variant;
		_exit(build_program(b, x->path, &variant, x->problem) == BUILD_OK ? 0 : 1);
	}
	x->state = EXECUTABLE_BUILDING;
	return 0;
}

struct executable *executables_finish_build(struct executables *t, const struct builder *b, pid_t pid,
                                            void (*complain)(const char *, const char *))
{
	const struct executable_entry *entry;
	for (size_t at = 0; (entry = entries_next(t, &at));) {
		struct executable *x = entry->executable;
		if (x->state != EXECUTABLE_BUILDING || x->builder != pid)
			continue;
		x->builder = 0;
		look_up_variant(x, b, complain);
		if (x->state == EXECUTABLE_MISSING) {
			complain(x->path, x->problem->text[0] ? x->problem->text : "the build was killed");
			x->state = EXECUTABLE_FOREIGN;
		}
		munmap(x->problem, sizeof *x->problem);
		x->problem = NULL;
		if (x->state == EXECUTABLE_FOREIGN)
			forget_path(x);
		return x;
	}
	return NULL;
}

bool executables_id(struct executable *x, struct hash *ret)
{
	struct file_map map;
	if (!x->identified && x->path && file_map(x->path, &map, NULL) == 0) {
		x->id = hash_bytes(map.data, map.size);
		x->identified = true;
		file_unmap(&map);
	}
	*ret = x->id;
	return x->identified;
}

void executables_release(struct executables *t)
{
	const struct executable_entry *entry;
	for (size_t at = 0; (entry = entries_next(t, &at));) {
		executable_clear(entry->executable);
		mem_free(entry->executable);
	}
	entries_release(t);
}
