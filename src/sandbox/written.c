#include "sandbox/written.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "sandbox/sandbox_internal.h"

enum { DEPTH_MAX = 64 };

void written_release(struct written *w)
{
	for (size_t i = 0; i < w->n; i++)
		mem_free(w->v[i].path);
	mem_free(w->v);
	*w = (struct written){0};
}

// Takes the path.
static struct written_entry *add(struct written *w, char *path, mode_t mode)
{
	vec_room(w->v, w->n + 1, w->cap);
	w->v[w->n] = (struct written_entry){.path = path, .mode = mode};
	return &w->v[w->n++];
}

static void read_content(struct written_entry *e, int folder, const char *name)
{
	struct buf data = {0};
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	for (ssize_t n = 1; fd >= 0 && n > 0; data.len += n > 0 ? (size_t)n : 0) {
		buf_reserve(&data, 1 << 16);
		n = read(fd, data.data + data.len, 1 << 16);
	}
	e->hash = hash_bytes(data.data, data.len);
	if (fd >= 0)
		close(fd);
	buf_release(&data);
}

static void read_link(struct written_entry *e, int folder, const char *name)
{
	char text[PATH_MAX];
	ssize_t n = readlinkat(folder, name, text, sizeof text);
	e->hash = hash_bytes(text, n > 0 ? (size_t)n : 0);
}

static void read_folder(struct written *w, int folder, const char *at, int depth);

// Takes the path.
static void add_there(struct written *w, char *path, const struct stat *st, int folder, const char *name)
{
	struct written_entry *e = add(w, path, st->st_mode);
	if (S_ISREG(st->st_mode)) {
		e->size = (uint64_t)st->st_size;
		read_content(e, folder, name);
	} else if (S_ISLNK(st->st_mode)) {
		read_link(e, folder, name);
	}
}

// As overlays keep them: a device 0, 0 stands for what was deleted. A folder is there also because of what is in it.
static void read_entry(struct written *w, int folder, const char *at, const char *name, int depth)
{
	struct stat st;
	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	char *path = mem_printf("%s/%s", strcmp(at, "/") ? at : "", name);
	if (S_ISCHR(st.st_mode) && st.st_rdev == makedev(0, 0))
		add(w, path, 0);
	else
		add_there(w, path, &st, folder, name);
	if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX) {
		int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0)
			read_folder(w, fd, path, depth + 1);
	}
}

// Takes the descriptor.
static void read_folder(struct written *w, int folder, const char *at, int depth)
{
	DIR *dir = fdopendir(folder);
	if (!dir) {
		close(folder);
		return;
	}
	for (struct dirent *d; (d = readdir(dir));)
		if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
			read_entry(w, folder, at, d->d_name, depth);
	closedir(dir);
}

static int by_path(const void *x, const void *y)
{
	const struct written_entry *a = x, *b = y;
	return strcmp(a->path, b->path);
}

static void read_upper(void *opaque, const char *at, int upper)
{
	int copy = openat(upper, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (copy >= 0)
		read_folder(opaque, copy, at, 0);
}

void written_read(struct written *ret, const struct sandbox *s)
{
	written_release(ret);
	ret->known = s->mode == SANDBOX_NAMESPACES;
	if (!ret->known)
		return;
	view_each_changed(s, read_upper, ret);
	if (ret->n)
		qsort(ret->v, ret->n, sizeof *ret->v, by_path);
}

// --- comparing ------------------------------------------------------------------------------------

static const struct written_entry *find(const struct written *w, const char *path)
{
	const struct written_entry key = {.path = (char *)path};
	return w->n ? bsearch(&key, w->v, w->n, sizeof *w->v, by_path) : NULL;
}

static bool same_entry(const struct written_entry *a, const struct written_entry *b)
{
	return a && b ? a->mode == b->mode && a->size == b->size && a->hash.low == b->hash.low &&
	                        a->hash.high == b->hash.high
	              : a == b;
}

void written_agree(struct written *w, const struct written *again)
{
	size_t n = 0;
	for (size_t i = 0; i < w->n; i++) {
		if (same_entry(&w->v[i], find(again, w->v[i].path)))
			w->v[n++] = w->v[i];
		else
			mem_free(w->v[i].path);
	}
	w->n = n;
	w->known = w->known && again->known;
}

void written_look(struct written *ret, const struct written *w)
{
	struct stat st;
	*ret = (struct written){.known = w->known};
	for (size_t i = 0; i < w->n; i++) {
		const char *path = w->v[i].path;
		if (lstat(path, &st) == 0)
			add_there(ret, mem_strdup(path), &st, AT_FDCWD, path);
		else if (!w->v[i].mode)
			add(ret, mem_strdup(path), 0);
	}
}

void written_encode(const struct written *w, struct buf *out)
{
	buf_u32(out, w->known);
	buf_u64(out, w->n);
	for (size_t i = 0; i < w->n; i++) {
		const struct written_entry *e = &w->v[i];
		buf_string(out, e->path);
		buf_u32(out, e->mode);
		buf_u64(out, e->size);
		buf_u64(out, e->hash.low);
		buf_u64(out, e->hash.high);
	}
}

bool written_decode(struct written *ret, struct cursor *c)
{
	*ret = (struct written){.known = cursor_u32(c) == 1};
	for (uint64_t n = cursor_u64(c); n > 0 && !c->bad; n--) {
		char *path = cursor_string(c);
		uint32_t mode = cursor_u32(c);
		uint64_t size = cursor_u64(c), low = cursor_u64(c), high = cursor_u64(c);
		if (c->bad) {
			mem_free(path);
			break;
		}
		struct written_entry *e = add(ret, path, mode);
		e->size = size;
		e->hash = (struct hash){low, high};
	}
	if (c->bad)
		written_release(ret);
	return !c->bad;
}

static void say(struct buf *out, const struct written_entry *before, const struct written_entry *now)
{
	buf_printf(out, "file %s: ", before ? before->path : now->path);
	if (!now)
		buf_addstr(out, before->mode ? "not written" : "not deleted");
	else if (!before)
		buf_addstr(out, now->mode ? "written" : "deleted");
	else if (!now->mode || !before->mode)
		buf_addstr(out, now->mode ? "not deleted" : "deleted");
	else if (now->size != before->size)
		buf_printf(out, "%llu bytes instead of %llu", (unsigned long long)now->size,
		           (unsigned long long)before->size);
	else
		buf_addstr(out, now->mode != before->mode ? "another kind or other permissions" : "other content");
}

// Of the entries of one kind: a folder may be there for the sake of what is in it, which says more.
static bool same_kind(const struct written *before, const struct written *now, const struct written *again,
                      bool folders, struct buf *ret_why)
{
	bool stable = true; // both runs before agree on which files there are
	for (size_t i = 0; i < before->n; i++) {
		const struct written_entry *b = &before->v[i], *n = find(now, b->path);
		bool agreed = !again || same_entry(b, find(again, b->path));
		stable &= !again || find(again, b->path);
		if (S_ISDIR(b->mode) == folders && agreed && !same_entry(b, n)) {
			say(ret_why, b, n);
			return false;
		}
	}
	for (size_t i = 0; again && i < again->n; i++)
		stable &= find(before, again->v[i].path) != NULL;
	for (size_t i = 0; stable && i < now->n; i++)
		if (S_ISDIR(now->v[i].mode) == folders && !find(before, now->v[i].path)) {
			say(ret_why, NULL, &now->v[i]);
			return false;
		}
	return true;
}

bool written_same(const struct written *before, const struct written *now, const struct written *again,
                  struct buf *ret_why)
{
	if (!before->known || !now->known || (again && !again->known))
		return true;
	return same_kind(before, now, again, false, ret_why) && same_kind(before, now, again, true, ret_why);
}
