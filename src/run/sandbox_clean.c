// An overlay made as it was before a run, without mounting another. There are two ways.
//
// What a run made is removed through the overlay. Folders that it made something in are in the upper folder from then
// on, and stay there, with nothing in them: they are kept in mind, since a change in one is not seen further up. That
// is all for most runs that write.
//
// What lies below cannot be uncovered through the overlay. For runs that change or delete what was there, the upper
// folder is emptied behind the overlay's back, and the kernel made to forget what it remembers: to reconfigure a file
// system drops every entry that nobody uses, and by then no process inside is left that could. What is in use all the
// same (files on their way through a socket) would be seen by the next run: so each entry is looked at through the
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
#include "base/mem.h"
#include "run/sandbox_parts.h"

enum { ENTRIES_MAX = 64 }; // in one folder; for more, another overlay is as good

// --- folders --------------------------------------------------------------------------------

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool same_rights(const struct stat *a, const struct stat *b)
{
	return a->st_mode == b->st_mode && a->st_uid == b->st_uid && a->st_gid == b->st_gid;
}

static int stat_in(int folder, const char *path, struct stat *ret)
{
	return *path ? fstatat(folder, path, ret, AT_SYMLINK_NOFOLLOW) : fstat(folder, ret);
}

// Whatever is made, deleted or renamed in a folder, or done to it.
static bool changed(const struct layer *l, const struct kept *k)
{
	struct stat st;
	const struct stat *m = &k->mark;
	return stat_in(l->upper, k->path, &st) < 0 || !same_rights(&st, m) || st.st_ino != m->st_ino ||
	       st.st_size != m->st_size || st.st_nlink != m->st_nlink || !same_time(&st.st_mtim, &m->st_mtim) ||
	       !same_time(&st.st_ctim, &m->st_ctim);
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
	while (l->n > from)
		mem_free(l->kept[--l->n].path);
}

int layer_mark(struct layer *l)
{
	if (l->n == 0)
		l->kept[l->n++].path = mem_strdup("");
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

// What the kernel notes for itself, which says nothing about a run.
static bool is_note(const char *attribute)
{
	return strcmp(attribute, "user.overlay.uuid") == 0 || strcmp(attribute, "user.overlay.impure") == 0 ||
	       strcmp(attribute, "user.overlay.origin") == 0;
}

// Nothing but what is in it is not as it was.
static bool is_plain(int folder, const struct stat *mark)
{
	char names[256];
	struct stat st;
	if (fstat(folder, &st) < 0 || !same_rights(&st, mark))
		return false;
	ssize_t n = flistxattr(folder, names, sizeof names);
	if (n < 0)
		return errno == ENOTSUP;
	for (const char *p = names; p < names + n; p += strlen(p) + 1)
		if (!is_note(p))
			return false;
	return true;
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
static bool keep(struct layer *l, const char *path, const struct stat *above, const struct stat *below)
{
	if (l->n == KEPT_MAX || !S_ISDIR(above->st_mode) || !S_ISDIR(below->st_mode) || !same_rights(above, below))
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

// `seen`: the folder it is in, as runs see that.
static bool undo_entry(struct layer *l, int seen, const char *path, const char *name)
{
	struct stat above, below;
	if (stat_in(l->upper, path, &above) < 0)
		return false;
	const struct kept *k = find_kept(l, path);
	if (k)
		return S_ISDIR(above.st_mode) && above.st_ino == k->mark.st_ino;
	if (stat_in(l->lower, path, &below) == 0)
		return keep(l, path, &above, &below);
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
	for (size_t i = 0; i < l->n; i++)
		if (changed(l, &l->kept[i]) && !undo_folder(l, &l->kept[i]))
			return false;
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
	return same_rights(&seen, &real) && seen.st_size == real.st_size && same_time(&seen.st_ctim, &real.st_ctim);
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
