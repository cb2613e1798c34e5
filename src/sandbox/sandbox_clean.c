// An overlay made as it was before a run, without mounting another. There are two ways.
//
// What a run made is removed through the overlay, and small files that it changed or deleted get back what they had.
// These, and folders that it made something in, are in the upper folder from then on, and stay there. They are kept in
// mind: a change in a folder is not seen further up, and what is written to a file through a mapping shows in what it
// has only. That is all for most runs that write.
//
// What else lies below cannot be uncovered through the overlay. For runs that delete folders or change large files, the
// upper folder is emptied behind the overlay's back, and the kernel made to forget what it remembers: to reconfigure a
// file system drops every entry that nobody uses, and by then no process inside is left that could. What is in use all
// the same (files on their way through a socket) would be seen by the next run: so each entry is looked at through the
// overlay afterwards, and has to be what lies below.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "sandbox/sandbox_internal.h"

enum { ENTRIES_MAX = 64 };   // in one folder; for more, another overlay is as good
enum { FILE_MAX = 1 << 14 }; // bytes of a file that is kept

// --- folders --------------------------------------------------------------------------------

static bool same_rights(const struct stat *a, const struct stat *b)
{
	return a->st_mode == b->st_mode && a->st_uid == b->st_uid && a->st_gid == b->st_gid;
}

static int stat_in(int folder, const char *path, struct stat *ret)
{
	return *path ? fstatat(folder, path, ret, AT_SYMLINK_NOFOLLOW) : fstat(folder, ret);
}

static bool has_content(const struct kept *k)
{
	char now[FILE_MAX];
	size_t size = (size_t)k->mark.st_size;
	return pread(k->file, now, size, 0) == (ssize_t)size && memcmp(now, k->content, size) == 0;
}

// Whatever is made, deleted or renamed in a folder, or done to it; or to a file.
static bool changed(const struct layer *l, const struct kept *k)
{
	struct stat st;
	const struct stat *m = &k->mark;
	return stat_in(l->upper, k->path, &st) < 0 || !same_rights(&st, m) || st.st_ino != m->st_ino ||
	       st.st_size != m->st_size || st.st_nlink != m->st_nlink || !clock_same(st.st_mtim, m->st_mtim) ||
	       !clock_same(st.st_ctim, m->st_ctim) || (k->content && !has_content(k));
}

bool layer_is_changed(const struct layer *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (changed(l, &l->kept[i]))
			return true;
	return false;
}

static struct kept *find_kept(struct layer *l, const char *path)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->kept[i].path, path) == 0)
			return &l->kept[i];
	return NULL;
}

static void forget_kept(struct layer *l, size_t from)
{
	while (l->n > from) {
		struct kept *k = &l->kept[--l->n];
		if (k->content)
			close(k->file);
		mem_free(k->content);
		mem_free(k->path);
	}
}

int layer_mark(struct layer *l)
{
	if (l->n == 0)
		l->kept[l->n++] = (struct kept){.path = mem_strdup("")};
	return fstat(l->upper, &l->kept[0].mark);
}

void layer_release(struct layer *l)
{
	forget_kept(l, 0);
	const int fds[] = {l->mount, l->lower, l->upper};
	for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	l->mount = l->lower = l->upper = -1;
}

// What the kernel notes for itself in a folder or file, which says nothing about a run.
static bool is_note(const char *attribute)
{
	return strcmp(attribute, "user.overlay.uuid") == 0 || strcmp(attribute, "user.overlay.impure") == 0 ||
	       strcmp(attribute, "user.overlay.origin") == 0;
}

static bool is_noted(int fd)
{
	char names[256];
	ssize_t n = flistxattr(fd, names, sizeof names);
	if (n < 0)
		return errno == ENOTSUP;
	for (const char *p = names; p < names + n; p += strlen(p) + 1)
		if (!is_note(p))
			return false;
	return true;
}

// Nothing but what is in it is not as it was.
static bool is_plain(int folder, const struct stat *mark)
{
	struct stat st;
	return fstat(folder, &st) == 0 && same_rights(&st, mark) && is_noted(folder);
}

static int open_folder(int parent, const char *path)
{
	return openat(parent, *path ? path : ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// False when there are too many. Takes the descriptor.
static bool list_entries(int folder, struct strv *ret)
{
	DIR *dir = fdopendir(folder);
	if (!dir) {
		close(folder);
		return false;
	}
	for (struct dirent *e; ret->n <= ENTRIES_MAX && (e = readdir(dir));)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			strv_push(ret, e->d_name);
	closedir(dir);
	return ret->n <= ENTRIES_MAX;
}

// --- through the overlay --------------------------------------------------------------------

// A folder that lies below as well. What is in it is looked at when its turn comes: it is not as marked.
static bool keep_folder(struct layer *l, const char *path, const struct stat *above, const struct stat *below)
{
	if (l->n == KEPT_MAX || !S_ISDIR(above->st_mode) || !same_rights(above, below))
		return false;
	struct kept *k = &l->kept[l->n++];
	*k = (struct kept){.path = mem_strdup(path), .mark = *below};
	k->mark.st_ino = above->st_ino;
	k->mark.st_ctim = (struct timespec){0};
	return true;
}

static bool is_whiteout(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && st->st_rdev == makedev(0, 0);
}

// What the file below has; NULL when it cannot be given to another file, or not all of it.
static char *read_below(const struct layer *l, const char *path, const struct stat *below)
{
	if (!S_ISREG(below->st_mode) || below->st_size > FILE_MAX || below->st_nlink != 1)
		return NULL;
	int fd = openat(l->lower, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char *content = mem_alloc((size_t)below->st_size + 1);
	bool good = fd >= 0 && flistxattr(fd, NULL, 0) <= 0 &&
	            pread(fd, content, (size_t)below->st_size + 1, 0) == below->st_size;
	if (fd >= 0)
		close(fd);
	if (good)
		return content;
	mem_free(content);
	return NULL;
}

// `like`: of the file below. It may have been deleted, or something else be in its place.
static bool write_file(int seen, const char *name, const struct stat *above, const struct stat *like,
                       const char *content)
{
	if (!S_ISREG(above->st_mode) && !is_whiteout(above) && remove_entry(seen, name) < 0)
		return false;
	int fd = openat(seen, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	bool good = fd >= 0 && write(fd, content, (size_t)like->st_size) == like->st_size && is_noted(fd) &&
	            fchown(fd, like->st_uid, like->st_gid) == 0 && fchmod(fd, like->st_mode & 07777) == 0 &&
	            futimens(fd, (struct timespec[]){like->st_atim, like->st_mtim}) == 0;
	if (fd >= 0)
		close(fd);
	return good;
}

// Marks the file as it is now in the upper folder.
static bool mark_file(const struct layer *l, struct kept *k)
{
	struct stat before = k->mark;
	if (k->file >= 0)
		close(k->file);
	k->file = openat(l->upper, k->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	return k->file >= 0 && fstat(k->file, &k->mark) == 0 && k->mark.st_nlink == 1 &&
	       same_rights(&k->mark, &before) && k->mark.st_size == before.st_size;
}

static bool keep_file(struct layer *l, int seen, const char *path, const char *name, const struct stat *above,
                      const struct stat *below)
{
	char *content = l->n == KEPT_MAX ? NULL : read_below(l, path, below);
	if (!content)
		return false;
	struct kept *k = &l->kept[l->n++];
	*k = (struct kept){.path = mem_strdup(path), .mark = *below, .content = content, .file = -1};
	return write_file(seen, name, above, below, content) && mark_file(l, k);
}

// A file that is kept, and is not as marked.
static bool undo_file(struct layer *l, struct kept *k)
{
	const char *slash = strrchr(k->path, '/'), *name = slash ? slash + 1 : k->path;
	char *folder = slash ? mem_copy(k->path, (size_t)(slash - k->path)) : mem_strdup("");
	int seen = open_folder(l->mount, folder);
	struct stat above;
	bool done = seen >= 0 && stat_in(l->upper, k->path, &above) == 0 &&
	            write_file(seen, name, &above, &k->mark, k->content) && mark_file(l, k);
	if (seen >= 0)
		close(seen);
	mem_free(folder);
	return done;
}

// `seen`: the folder it is in, as runs see that.
static bool undo_entry(struct layer *l, int seen, const char *path, const char *name)
{
	struct stat above, below;
	if (stat_in(l->upper, path, &above) < 0)
		return false;
	struct kept *k = find_kept(l, path);
	if (k && k->content)
		return !changed(l, k) || undo_file(l, k); // before the folder's times are set
	if (k)
		return S_ISDIR(above.st_mode) && above.st_ino == k->mark.st_ino;
	if (stat_in(l->lower, path, &below) == 0)
		return S_ISDIR(below.st_mode) ? keep_folder(l, path, &above, &below)
		                              : keep_file(l, seen, path, name, &above, &below);
	return errno == ENOENT && !is_whiteout(&above) && remove_entry(seen, name) == 0;
}

static bool undo_entries(struct layer *l, const char *folder, int seen, const struct strv *names)
{
	bool done = true;
	for (size_t i = 0; done && i < names->n; i++) {
		char *path = mem_printf("%s%s%s", folder, *folder ? "/" : "", names->v[i]);
		done = undo_entry(l, seen, path, names->v[i]);
		mem_free(path);
	}
	return done;
}

static bool undo_folder(struct layer *l, struct kept *k)
{
	struct strv names = {0};
	int upper = open_folder(l->upper, k->path), seen = open_folder(l->mount, k->path);
	bool plain = upper >= 0 && seen >= 0 && is_plain(upper, &k->mark), done = false;
	if (plain)
		done = list_entries(upper, &names) && undo_entries(l, k->path, seen, &names) &&
		       futimens(seen, (struct timespec[]){k->mark.st_atim, k->mark.st_mtim}) == 0 &&
		       stat_in(l->upper, k->path, &k->mark) == 0;
	else if (upper >= 0)
		close(upper);
	if (seen >= 0)
		close(seen);
	strv_release(&names);
	return done;
}

// From the top down: a folder is looked for by its path only after those above it were seen to be what they were.
static bool undo(struct layer *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct kept *k = &l->kept[i];
		if (changed(l, k) && !(k->content ? undo_file(l, k) : undo_folder(l, k)))
			return false;
	}
	return true;
}

// --- behind its back ------------------------------------------------------------------------

static bool is_below(const char *path, const char *name)
{
	size_t n = strlen(name);
	return strncmp(path, name, n) == 0 && (path[n] == '/' || !path[n]);
}

static bool is_used(char *const *used, const struct strv *names)
{
	for (char *const *u = used; *u; u++)
		for (size_t i = 0; i < names->n; i++)
			if (is_below(*u, names->v[i]))
				return true;
	return false;
}

static bool drop_entries(int mount)
{
	int fs = fspick(mount, "", FSPICK_CLOEXEC | FSPICK_EMPTY_PATH);
	bool done = fs >= 0 && fsconfig(fs, FSCONFIG_CMD_RECONFIGURE, NULL, NULL, 0) == 0;
	if (fs >= 0)
		close(fs);
	return done;
}

// What was copied up, and what was made in the place of something, has another time of its last change.
static bool is_as_below(const struct layer *l, const char *name)
{
	struct stat seen, real;
	bool is_seen = stat_in(l->mount, name, &seen) == 0, is_real = stat_in(l->lower, name, &real) == 0;
	if (!is_seen || !is_real)
		return is_seen == is_real;
	return same_rights(&seen, &real) && seen.st_size == real.st_size && clock_same(seen.st_ctim, real.st_ctim);
}

static bool empty_entries(const struct layer *l, const struct strv *names)
{
	for (size_t i = 0; i < names->n; i++)
		if (remove_entry(l->upper, names->v[i]) < 0)
			return false;
	if (!drop_entries(l->mount))
		return false;
	for (size_t i = 0; i < names->n; i++)
		if (!is_as_below(l, names->v[i]))
			return false;
	return true;
}

static bool empty(struct layer *l, char *const *used)
{
	struct strv names = {0};
	struct stat *mark = &l->kept[0].mark;
	forget_kept(l, 1);
	int copy = is_plain(l->upper, mark) ? open_folder(l->upper, "") : -1;
	bool done = copy >= 0 && list_entries(copy, &names) && !is_used(used, &names) && empty_entries(l, &names);
	strv_release(&names);
	return done && futimens(l->upper, (struct timespec[]){mark->st_atim, mark->st_mtim}) == 0 && layer_mark(l) == 0;
}

bool layer_clean(struct layer *l, char *const *used)
{
	return undo(l) || empty(l, used);
}
