// What has changed in a tree of folders, as the kernel tells it, so that nobody has to look at every file after each
// run. A file that is opened to be written to counts as changed when it is closed, since what is written through a
// mapping is not reported.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "sandbox/sandbox_internal.h"

enum { FOLDERS_MAX = 4096, CHANGES_MAX = 64, DEPTH_MAX = 64 };
enum {
	GONE = IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO,
	TOLD = IN_CREATE | GONE | IN_MODIFY | IN_ATTRIB | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF,
	UNCLEAR = IN_Q_OVERFLOW | IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT,
};

struct watch {
	int fd;
	char *root;
	char **folders; // by the kernel's number, which counts up from 1: path in the tree; NULL: none
	size_t n;
};

static bool add_folder(struct watch *w, const char *path, int depth)
{
	char *whole = mem_printf("%s/%s", w->root, path);
	int number = depth > DEPTH_MAX || w->n > FOLDERS_MAX
	                     ? -1
	                     : inotify_add_watch(w->fd, whole, TOLD | IN_ONLYDIR | IN_DONT_FOLLOW);
	DIR *dir = number < 0 ? NULL : opendir(whole);
	mem_free(whole);
	if (!dir)
		return false;
	if ((size_t)number >= w->n) {
		w->folders = mem_resize(w->folders, ((size_t)number + 1) * sizeof *w->folders);
		while (w->n <= (size_t)number)
			w->folders[w->n++] = NULL;
	}
	mem_free(w->folders[number]);
	w->folders[number] = mem_strdup(path);
	bool good = true;
	for (struct dirent *e; good && (e = readdir(dir));) {
		struct stat st;
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
		    fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(st.st_mode))
			continue;
		char *below =
			mem_printf("%s%s%s", strcmp(path, ".") ? path : "", strcmp(path, ".") ? "/" : "", e->d_name);
		good = add_folder(w, below, depth + 1);
		mem_free(below);
	}
	closedir(dir);
	return good;
}

struct watch *watch_new(const char *root)
{
	struct watch *w = mem_zero(sizeof *w);
	w->root = mem_strdup(root);
	w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (w->fd >= 0 && add_folder(w, ".", 0))
		return w;
	watch_free(w);
	return NULL;
}

void watch_free(struct watch *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->n; i++)
		mem_free(w->folders[i]);
	mem_free(w->folders);
	mem_free(w->root);
	if (w->fd >= 0)
		close(w->fd);
	mem_free(w);
}

void changes_release(struct changes *c)
{
	for (size_t i = 0; i < c->n; i++)
		mem_free(c->v[i].name);
	mem_free(c->v);
	*c = (struct changes){0};
}

static void add_change(struct changes *c, const char *folder, const char *name, bool gone)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->v[i].name, name) == 0 && strcmp(c->v[i].folder, folder) == 0) {
			c->v[i].gone |= gone;
			return;
		}
	c->v = mem_resize(c->v, (c->n + 1) * sizeof *c->v);
	c->v[c->n++] = (struct change){folder, mem_strdup(name), gone};
}

static void take(const struct watch *w, const struct inotify_event *e, struct changes *ret)
{
	bool folder_moved = e->mask & IN_ISDIR && e->mask & GONE;
	const char *folder = e->wd > 0 && (size_t)e->wd < w->n ? w->folders[e->wd] : NULL;
	ret->lost |= e->mask & UNCLEAR || folder_moved;
	if (!folder || !e->len || e->mask & IN_ISDIR || ret->n == CHANGES_MAX)
		ret->unclear = true;
	else
		add_change(ret, folder, e->name, e->mask & GONE);
}

void watch_read(struct watch *w, struct changes *ret)
{
	_Alignas(struct inotify_event) char events[16384];
	*ret = (struct changes){0};
	for (ssize_t n; (n = read(w->fd, events, sizeof events)) > 0;)
		for (const char *p = events; p < events + n;) {
			const struct inotify_event *e = (const struct inotify_event *)p;
			take(w, e, ret);
			p += sizeof *e + e->len;
		}
	ret->unclear |= errno != EAGAIN;
}
