#include "run/targets.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "object/elf.h"

enum { SCRIPT_BYTES = 256 }; // BINPRM_BUF_SIZE of the kernel

static struct target **slot_of(const struct targets *t, const struct stat *st)
{
	size_t i = (size_t)st->st_ino * 0x9e3779b97f4a7c15u ^ (size_t)st->st_dev;
	for (;; i++) {
		struct target **slot = &t->slots[i & (t->cap - 1)];
		const struct target *x = *slot;
		if (!x || (x->inode == st->st_ino && x->device == st->st_dev))
			return slot;
	}
}

static void grow(struct targets *t)
{
	struct targets old = *t;
	t->cap = t->cap ? 2 * t->cap : 256;
	t->slots = mem_zero(t->cap * sizeof *t->slots);
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i]) {
			struct stat st = {.st_ino = old.slots[i]->inode, .st_dev = old.slots[i]->device};
			*slot_of(t, &st) = old.slots[i];
		}
	mem_free(old.slots);
}

static void target_clear(struct target *x)
{
	mem_free(x->path);
	mem_free(x->variant);
	mem_free(x->interpreter);
	mem_free(x->argument);
	*x = (struct target){0};
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

// "#! interpreter argument": exactly what the kernel makes of the first 256 bytes of
// a file, zeros behind its end included (fs/binfmt_script.c).
static void read_script(struct target *x, const char head[SCRIPT_BYTES])
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
	x->state = TARGET_SCRIPT;
	x->interpreter = mem_copy(name, (size_t)(stop - name));
	if (stop >= end || !*stop)
		return;
	while (stop < end && is_blank(*stop))
		stop++;
	if (stop < end)
		x->argument = mem_copy(stop, strnlen(stop, (size_t)(end - stop)));
}

static void look_up_variant(struct target *x, const struct builder *b, void (*complain)(const char *, const char *))
{
	struct err err;
	switch (build_lookup(b, x->path, &x->variant, &err)) {
	case BUILD_OK: x->state = x->variant ? TARGET_READY : TARGET_MISSING; break;
	case BUILD_FAILED:
		complain(x->path, err.text);
		x->state = TARGET_FOREIGN;
		break;
	case BUILD_FOREIGN: x->state = TARGET_FOREIGN; break;
	}
}

static void forget_path(struct target *x)
{
	mem_free(x->path);
	x->path = NULL;
}

static void look_into(struct target *x, const struct builder *b, const char *path,
                      void (*complain)(const char *, const char *))
{
	char head[SCRIPT_BYTES] = {0}, resolved[PATH_MAX];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof head);
	if (fd >= 0)
		close(fd);
	x->state = TARGET_FOREIGN;
	if (n > 2 && head[0] == '#' && head[1] == '!') {
		read_script(x, head);
	} else if (n > 0 && elf_is(head, (size_t)n) && realpath(path, resolved)) {
		x->path = mem_strdup(resolved);
		look_up_variant(x, b, complain);
		if (x->state == TARGET_FOREIGN)
			forget_path(x);
	}
}

struct target *targets_find(struct targets *t, const struct builder *b, const char *path,
                            void (*complain)(const char *, const char *))
{
	struct stat st;
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return NULL;
	if (2 * (t->used + 1) > t->cap)
		grow(t);
	struct target **slot = slot_of(t, &st);
	if (!*slot) {
		*slot = mem_zero(sizeof **slot);
		t->used++;
	}
	struct target *x = *slot;
	bool same = x->size == st.st_size && x->modified.tv_sec == st.st_mtim.tv_sec &&
	            x->modified.tv_nsec == st.st_mtim.tv_nsec && x->inode == st.st_ino;
	if (same || x->state == TARGET_BUILDING)
		return x;
	target_clear(x);
	x->device = st.st_dev;
	x->inode = st.st_ino;
	x->size = st.st_size;
	x->modified = st.st_mtim;
	look_into(x, b, path, complain);
	return x;
}

int targets_start_build(struct target *x, const struct builder *b, struct err *err)
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
	x->state = TARGET_BUILDING;
	return 0;
}

struct target *targets_finish_build(struct targets *t, const struct builder *b, pid_t pid,
                                    void (*complain)(const char *, const char *))
{
	for (size_t i = 0; i < t->cap; i++) {
		struct target *x = t->slots[i];
		if (!x || x->state != TARGET_BUILDING || x->builder != pid)
			continue;
		x->builder = 0;
		look_up_variant(x, b, complain);
		if (x->state == TARGET_MISSING) {
			complain(x->path, x->problem->text[0] ? x->problem->text : "the build was killed");
			x->state = TARGET_FOREIGN;
		}
		munmap(x->problem, sizeof *x->problem);
		x->problem = NULL;
		if (x->state == TARGET_FOREIGN)
			forget_path(x);
		return x;
	}
	return NULL;
}

bool targets_id(struct target *x, struct hash *ret)
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

void targets_release(struct targets *t)
{
	for (size_t i = 0; i < t->cap; i++)
		if (t->slots[i]) {
			target_clear(t->slots[i]);
			mem_free(t->slots[i]);
		}
	mem_free(t->slots);
	*t = (struct targets){0};
}
