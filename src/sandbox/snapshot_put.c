// A snapshot's files in the view of runs. They lie in layers of the view (sandbox_view.c), which are made once for a
// snapshot and stay until another takes its place: a snapshot may be run thousands of times. Only files that the input
// changes are put before each run.
//
// What is really there and is the same (size, time, permissions) is not put. Folders on the way are as they are in
// reality; those that are gone are made.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "input/snapshot.h"
#include "sandbox/sandbox_internal.h"
#include "sandbox/snapshot_put.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

// A folder in a layer. Its permissions and times are set when everything is in it.
struct made_folder {
	int layer;
	char *path; // in the layer; "": that itself
	struct put_like like;
};

struct putting {
	const struct snapshot *snapshot;
	const char *files;
	struct sandbox *sandbox;
	struct made_folder *v;
	size_t n, cap;
	int last, last_layer; // the folder that something was put in last, -1: none; and its layer
	char *last_path;      // of it, with a slash behind
	const char **paths;   // of all entries, sorted; for folders that were listed
	struct err *err;
};

static struct timespec time_of(const struct snapshot_entry *e)
{
	return (struct timespec){e->seconds, e->nanoseconds};
}

static struct put_like like_of(const struct snapshot_entry *e)
{
	return (struct put_like){e->mode, time_of(e)};
}

// --- what is really there -----------------------------------------------------------------------

// Links on the way lead elsewhere than the path did. A descriptor that can only be asked, or -1.
static int open_real(const struct view_place *at, int flags)
{
	struct open_how how = {.flags = (uint64_t)(flags | O_NOFOLLOW | O_CLOEXEC),
	                       .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
	const char *path = *at->path ? at->path : ".";
	return at->lower < 0 ? -1 : (int)syscall(SYS_openat2, at->lower, path, &how, sizeof how);
}

static bool same_link(int fd, const char *text)
{
	char there[PATH_MAX];
	ssize_t n = readlinkat(fd, "", there, sizeof there);
	return n > 0 && (size_t)n == strlen(text) && memcmp(there, text, (size_t)n) == 0;
}

// Where a clock is coarse a file that was written again soon after has the same time.
static bool same_content(const struct view_place *at, const struct snapshot_entry *e)
{
	enum { LARGE = 1 << 20 };
	if (!e->known || e->size > LARGE)
		return true;
	struct buf data = {0};
	int fd = open_real(at, O_RDONLY | O_NONBLOCK);
	buf_reserve(&data, (size_t)e->size);
	ssize_t n = fd < 0 ? -1 : read(fd, data.data, (size_t)e->size);
	if (fd >= 0)
		close(fd);
	struct hash h = hash_bytes(data.data, n < 0 ? 0 : (size_t)n);
	buf_release(&data);
	return n == (ssize_t)e->size && h.low == e->content.low && h.high == e->content.high;
}

// An overlay copies no file whose owner or group has no id in our namespace (EOVERFLOW): such a file could be read in
// place, and not be written to, nor anything be made in such a folder. Without root's privileges only the user's own
// ids have one; all others look like the overflow id.
static bool can_be_copied(const struct stat *st)
{
	enum { OVERFLOW = 65534 };
	return geteuid() == 0 || (st->st_uid != OVERFLOW && st->st_gid != OVERFLOW);
}

static bool is_same(const struct view_place *at, const struct snapshot_entry *e, const struct stat *st, int fd)
{
	bool attributes = (st->st_mode & 07777) == e->mode && clock_same(st->st_mtim, time_of(e));
	switch (e->kind) {
	case SNAPSHOT_FILE:
		return S_ISREG(st->st_mode) && (uint64_t)st->st_size == e->size && attributes &&
		       (!e->known || can_be_copied(st)) && same_content(at, e);
	case SNAPSHOT_FOLDER: return S_ISDIR(st->st_mode) && attributes && can_be_copied(st);
	case SNAPSHOT_LINK: return S_ISLNK(st->st_mode) && same_link(fd, e->text);
	case SNAPSHOT_PIPE: return S_ISFIFO(st->st_mode) && (st->st_mode & 07777) == e->mode;
	default: return false;
	}
}

static bool is_there(const struct view_place *at, const struct snapshot_entry *e)
{
	struct stat st;
	int fd = open_real(at, O_PATH);
	if (fd < 0)
		return e->kind == SNAPSHOT_ABSENT;
	bool same = fstat(fd, &st) == 0 && is_same(at, e, &st, fd);
	close(fd);
	return same;
}

// --- folders -------------------------------------------------------------------------------------

static struct made_folder *find_made(struct putting *p, const struct view_place *at)
{
	for (size_t i = p->n; i-- > 0;) // what was made last is asked for again
		if (p->v[i].layer == at->layer && strcmp(p->v[i].path, at->path) == 0)
			return &p->v[i];
	return NULL;
}

// Takes `path`.
static void note_folder(struct putting *p, int layer, char *path, struct put_like like)
{
	vec_push(p, (struct made_folder){layer, path, like});
}

// A new folder in a layer, like the real one if there is one. Open for us until all is in it.
static struct put_like dress(struct putting *p, int folder, int real)
{
	struct stat st;
	if (real < 0)
		return (struct put_like){0755, {p->snapshot->clock, 0}};
	view_make_like(folder, real);
	if (fstat(folder, &st) < 0)
		return (struct put_like){0755, {p->snapshot->clock, 0}};
	fchmod(folder, (st.st_mode & 07777) | 0700);
	return (struct put_like){st.st_mode & 07777, st.st_mtim};
}

// The folder of that path, in the layer: a descriptor, or -1 with errno.
static int step(struct putting *p, const struct view_place *at, int parent, const char *name, const char *end)
{
	char *one = mem_copy(name, (size_t)(end - name));
	bool new = mkdirat(parent, one, 0700) == 0;
	int fd = new || errno == EEXIST ? openat(parent, one, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
	int why = errno;
	if (fd >= 0 && new) {
		char *path = mem_copy(at->path, (size_t)(end - at->path));
		const struct view_place here = {.lower = at->lower, .path = path};
		int real = open_real(&here, O_RDONLY | O_DIRECTORY);
		if (real < 0)
			real = open_real(&here, O_PATH | O_DIRECTORY);
		note_folder(p, at->layer, path, dress(p, fd, real));
		if (real >= 0)
			close(real);
	}
	mem_free(one);
	errno = why;
	return fd;
}

// The folder that something is to be put in, in the layer; made as needed. It stays p's: what comes next is often put
// there, too.
static int open_parent(struct putting *p, const struct view_place *at, const char **ret_name)
{
	const char *end = strrchr(at->path, '/'), *name = at->path;
	size_t n = end ? (size_t)(end - at->path) + 1 : 0;
	*ret_name = at->path + n;
	if (p->last >= 0 && p->last_layer == at->layer && strncmp(p->last_path, at->path, n) == 0 && !p->last_path[n])
		return p->last;
	int fd = fcntl(at->layer, F_DUPFD_CLOEXEC, 0);
	for (const char *slash; fd >= 0 && (slash = strchr(name, '/')); name = slash + 1) {
		int next = step(p, at, fd, name, slash), why = errno;
		close(fd);
		errno = why;
		fd = next;
	}
	if (fd < 0)
		return -1;
	if (p->last >= 0)
		close(p->last);
	mem_free(p->last_path);
	p->last = fd;
	p->last_layer = at->layer;
	p->last_path = mem_copy(at->path, n);
	return fd;
}

// --- entries -------------------------------------------------------------------------------------

// Leaves out what this user cannot make; an error is what would make the snapshot another one without anybody noticing.
static int left_out(struct putting *p, const struct snapshot_entry *e)
{
	static const int fine[] = {EACCES, EPERM, EROFS, ENOTDIR, ENOENT, ENAMETOOLONG, EISDIR, ELOOP, EEXIST, EINVAL};
	for (size_t i = 0; i < COUNT(fine); i++)
		if (errno == fine[i])
			return 0;
	int why = errno;
	err_errno(p->err, "cannot put %s into the sandbox", e->path);
	errno = why;
	return -1;
}

// 0; -1 with errno; 1: *err says what is wrong with the content.
static int write_content(struct putting *p, const struct snapshot_entry *e, int fd)
{
	if (!e->known)
		return ftruncate(fd, (off_t)(e->size > INT64_MAX ? INT64_MAX : e->size));
	struct file_map map;
	char name[HASH_HEX];
	hash_hex(e->content, name);
	char *path = mem_printf("%s/%s", p->files, name);
	int r = file_map(path, &map, p->err) < 0 ? 1 : 0;
	if (r == 0) {
		if (map.size != e->size) {
			err_set(p->err, "%s is damaged: it is not what was recorded of %s", path, e->path);
			r = 1;
		} else if (map.size) {
			r = file_write_all(fd, map.data, map.size);
		}
		int why = errno;
		file_unmap(&map);
		errno = why;
	}
	mem_free(path);
	return r;
}

// Another name of a file that was put before, and has all that this one has: false, it has to be a file of its own.
static bool make_name(struct putting *p, const struct snapshot_entry *e, int parent, const char *name)
{
	const struct snapshot_entry *first = e->text ? snapshot_find(p->snapshot, e->text) : NULL;
	struct view_place at, here;
	bool whole = first && first->size == e->size &&
	             (!e->known ||
	              (first->known && first->content.low == e->content.low && first->content.high == e->content.high));
	return whole && view_place(p->sandbox, e->path, &here) == 0 && view_place(p->sandbox, e->text, &at) == 0 &&
	       at.layer == here.layer && linkat(at.layer, at.path, parent, name, 0) == 0;
}

static int make_file(struct putting *p, const struct snapshot_entry *e, int parent, const char *name)
{
	if (make_name(p, e, parent, name))
		return 0;
	int fd = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	int r = write_content(p, e, fd);
	if (r == 0 && (fchmod(fd, e->mode) < 0 || futimens(fd, (struct timespec[]){time_of(e), time_of(e)}) < 0))
		r = -1;
	int why = errno;
	close(fd);
	errno = why;
	return r;
}

// As if something were to be put in it.
static int put_folder(struct putting *p, const struct view_place *at, const struct snapshot_entry *e)
{
	struct view_place below = *at;
	char *path = mem_printf("%s/", at->path);
	const char *name;
	below.path = path;
	int fd = *at->path ? open_parent(p, &below, &name) : 0, why = errno;
	mem_free(path);
	struct made_folder *made = find_made(p, at);
	if (made)
		made->like = like_of(e);
	errno = why;
	return fd < 0 ? -1 : 0;
}

static int make_special(const struct snapshot_entry *e, int parent, const char *name)
{
	if (e->kind == SNAPSHOT_PIPE) {
		if (mknodat(parent, name, S_IFIFO | 0600, 0) < 0 || fchmodat(parent, name, e->mode, 0) < 0)
			return -1;
	} else if (symlinkat(e->text, parent, name) < 0) {
		return -1;
	}
	return utimensat(parent, name, (struct timespec[]){time_of(e), time_of(e)}, AT_SYMLINK_NOFOLLOW);
}

// As overlays know it: here is nothing, whatever lies below.
static int make_hole(int parent, const char *name)
{
	return mknodat(parent, name, S_IFCHR, 0);
}

static int make_entry(struct putting *p, const struct snapshot_entry *e, int parent, const char *name)
{
	switch (e->kind) {
	case SNAPSHOT_FILE: return make_file(p, e, parent, name);
	case SNAPSHOT_ABSENT: return make_hole(parent, name);
	default: return make_special(e, parent, name);
	}
}

static int put_entry(struct putting *p, const struct snapshot_entry *e)
{
	struct view_place at;
	if (view_place(p->sandbox, e->path, &at) < 0)
		return 0;
	if (at.fresh) {
		struct stat st;
		if (fstat(at.layer, &st) < 0)
			return left_out(p, e);
		note_folder(p, at.layer, mem_strdup(""), (struct put_like){st.st_mode & 07777, st.st_mtim});
		fchmod(at.layer, (st.st_mode & 07777) | 0700);
	}
	if (is_there(&at, e) || (at.mounts && e->kind != SNAPSHOT_FOLDER))
		return 0;
	if (e->kind == SNAPSHOT_FOLDER)
		return put_folder(p, &at, e) < 0 ? left_out(p, e) : 0;
	const char *name;
	int parent = open_parent(p, &at, &name);
	int r = parent < 0 ? -1 : make_entry(p, e, parent, name);
	return r > 0 ? -1 : r < 0 ? left_out(p, e) : 0;
}

// --- folders that were listed ----------------------------------------------------------------------

static int compare_paths(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool has_entry(struct putting *p, const char *path)
{
	if (!p->paths) {
		p->paths = mem_alloc(p->snapshot->n * sizeof *p->paths + 1);
		for (size_t i = 0; i < p->snapshot->n; i++)
			p->paths[i] = p->snapshot->v[i].path;
		qsort(p->paths, p->snapshot->n, sizeof *p->paths, compare_paths);
	}
	return bsearch(&path, p->paths, p->snapshot->n, sizeof *p->paths, compare_paths);
}

static int hide_one(struct putting *p, const char *folder, const char *name)
{
	struct snapshot_entry none = {.kind = SNAPSHOT_ABSENT};
	none.path = mem_printf("%s/%s", strcmp(folder, "/") ? folder : "", name);
	int r = has_entry(p, none.path) ? 0 : put_entry(p, &none);
	mem_free(none.path);
	return r;
}

// What is there today and was not.
static int hide_others(struct putting *p, const struct snapshot_entry *e)
{
	struct view_place at;
	if (view_place(p->sandbox, e->path, &at) < 0)
		return 0;
	int fd = open_real(&at, O_RDONLY | O_DIRECTORY), r = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	for (struct dirent *d; r == 0 && (d = readdir(dir));)
		if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0)
			r = hide_one(p, e->path, d->d_name);
	closedir(dir);
	return r;
}

// --- all of it ---------------------------------------------------------------------------------------

// The working folder is needed whether the test looked at it or not.
static int put_cwd(struct putting *p)
{
	const struct snapshot_entry *known = snapshot_find(p->snapshot, p->snapshot->cwd);
	struct snapshot_entry e = {.kind = SNAPSHOT_FOLDER, .mode = 0755, .seconds = p->snapshot->clock};
	e.path = p->snapshot->cwd;
	struct view_place at;
	struct stat st;
	if (known || view_place(p->sandbox, e.path, &at) < 0)
		return 0;
	int fd = open_real(&at, O_PATH);
	bool there = fd >= 0 && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
	if (fd >= 0)
		close(fd);
	return there ? 0 : put_entry(p, &e);
}

static void finish_folders(struct putting *p)
{
	while (p->n) {
		struct made_folder *f = &p->v[--p->n];
		const struct timespec times[] = {f->like.changed, f->like.changed};
		const char *path = *f->path ? f->path : ".";
		fchmodat(f->layer, path, f->like.mode, 0);
		utimensat(f->layer, path, times, AT_SYMLINK_NOFOLLOW);
		mem_free(f->path);
	}
	if (p->last >= 0)
		close(p->last);
	mem_free(p->last_path);
	mem_free(p->v);
	mem_free(p->paths);
}

static int put_all(const struct snapshot *s, const char *files, struct sandbox *sandbox, struct err *err)
{
	struct putting p = {.snapshot = s, .files = files, .sandbox = sandbox, .last = -1, .err = err};
	int r = 0;
	for (size_t i = 0; i < s->n && r == 0; i++)
		r = put_entry(&p, &s->v[i]);
	for (size_t i = 0; i < s->n && r == 0; i++)
		if (s->v[i].kind == SNAPSHOT_FOLDER && s->v[i].known)
			r = hide_others(&p, &s->v[i]);
	if (r == 0)
		r = put_cwd(&p);
	int why = errno;
	finish_folders(&p);
	if (r < 0)
		view_forget_layers(sandbox);
	errno = why;
	return r;
}

struct hash snapshot_name(const struct snapshot *s)
{
	struct buf all = {0};
	snapshot_encode(s, &all);
	struct hash h = hash_bytes(all.data, all.len);
	buf_release(&all);
	return h;
}

int snapshot_show(const struct snapshot *s, struct hash name, const char *files, struct sandbox *sandbox,
                  struct err *err)
{
	struct sandbox_more *m = sandbox_more(sandbox);
	if (!s && (!m || !m->has_snapshot))
		return 0;
	if (sandbox->mode != SANDBOX_NAMESPACES)
		return err_set(err, "recorded tests run in a sandbox of namespaces only; `veer doctor` says more");
	if (s && m->has_snapshot && m->snapshot.low == name.low && m->snapshot.high == name.high)
		return 0;
	m->has_snapshot = false;
	errno = 0;
	if (s && put_all(s, files, sandbox, err) < 0 &&
	    (errno != ENOSPC || view_unmount_old(sandbox, err) < 0 || put_all(s, files, sandbox, err) < 0))
		return -1;
	if (view_use_layers(sandbox, err) < 0)
		return -1;
	m->has_snapshot = s != NULL;
	m->snapshot = name;
	return 0;
}

// Is that what the snapshot has anyway?
static bool is_content(const struct snapshot_entry *e, const struct buf *data)
{
	if (!e || e->kind != SNAPSHOT_FILE || !e->known || e->size != data->len)
		return false;
	struct hash h = hash_bytes(data->data, data->len);
	return h.low == e->content.low && h.high == e->content.high;
}

int snapshot_put_input(const struct snapshot *s, const struct input *in, struct sandbox *sandbox, struct err *err)
{
	for (size_t i = 0; i < in->n; i++) {
		const struct input_part *part = &in->v[i];
		const struct snapshot_entry *e = part->kind == INPUT_FILE ? snapshot_find(s, part->name) : NULL;
		if (part->kind != INPUT_FILE || is_content(e, &part->data))
			continue;
		struct put_like like = {0};
		bool file = e && e->kind == SNAPSHOT_FILE;
		if (file)
			like = like_of(e);
		errno = 0;
		if (view_put(sandbox, part->name, part->data.data, part->data.len, file ? &like : NULL, err) < 0 &&
		    (errno == ENOSPC || errno == ENOMEM)) // what else cannot be put is left out, as above
			return -1;
	}
	return 0;
}

int snapshot_put(const struct snapshot *s, const struct input *in, const char *files, struct sandbox *sandbox,
                 struct err *err)
{
	if (snapshot_show(s, snapshot_name(s), files, sandbox, err) < 0)
		return -1;
	return snapshot_put_input(s, in, sandbox, err);
}
