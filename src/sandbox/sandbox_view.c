// The file system as runs see it: what is really there, read-only, with overlays on top wherever the kernel allows.
// What a run writes goes to the upper folders of these overlays; an overlay whose upper folder was touched is made
// clean after the run (sandbox_clean.c), or, where that cannot be and now and then, replaced by a fresh one.
//
//   BOX            tmpfs, only the worker sees it
//   BOX/open       tmpfs, runs see it at the same path and can write to it
//   BOX/runs       runs see it at the same path and can only read it
//   BOX/store      tmpfs of limits.disk bytes: upper and work folders
//   BOX/layers     tmpfs: files of a recorded test, which lie between what is really there and what runs write
//   BOX/root       the view (sandbox_cover.c)
//   BOX/seen       what runs see of BOX: folders to mount the two above at
//
// Overlays that were replaced wait for their end: to unmount one takes as long as all processors take to notice, so a
// thread does that, for many at once. Where they wait is in the view, where its /dev covers it: a program that is still
// in such an overlay (a fork server) cannot go up from there to anything but the root of its view.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "sandbox/sandbox_internal.h"
#include "sandbox/sandbox_view.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

enum { MAX_OLD = 32 };
enum { MAX_CLEANED = 1000 }; // times; what a kernel may leave behind in a work folder does not add up

// --- parts ----------------------------------------------------------------------------------

bool view_is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);
	if (n == 1)
		return true;
	return strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == 0);
}

int view_part_of(const struct view *v, const char *path)
{
	int best = 0;
	for (int i = 1; i < v->n; i++)
		if (view_is_below(path, v->parts[i].at) && strlen(v->parts[i].at) >= strlen(v->parts[best].at))
			best = i;
	return best;
}

char *view_path(const struct view *v, const char *at)
{
	return mem_printf("%s%s", v->root, strcmp(at, "/") ? at : "");
}

static int attach_part(const struct view *v, const struct part *p)
{
	char *path = view_path(v, p->at);
	int r = view_attach(p->l.mount, path);
	mem_free(path);
	return r;
}

// The root has nothing in it but folders for what is mounted there.
static void make_way(const struct view *v, const char *at)
{
	char *path = mem_strdup(at + 1);
	for (char *p = path; *p; p++)
		if (*p == '/') {
			*p = 0;
			cover_folder(v, path);
			*p = '/';
		}
	if (*path)
		cover_folder(v, path);
	mem_free(path);
}

int view_add_part(struct view *v, const char *at, struct part p)
{
	if (v->n && view_part_of(v, at) == 0)
		make_way(v, at);
	p.at = mem_strdup(at);
	p.layer = p.next = -1;
	p.parent = v->n ? view_part_of(v, at) : -1;
	if (v->n == MAX_PARTS || attach_part(v, &p) < 0) {
		mem_free(p.at);
		return -1;
	}
	v->parts[v->n++] = p;
	return 0;
}

// Without root's privileges a folder belongs to the user, who then has those rights on it that he has in reality.
void view_make_like(int fd, int like)
{
	struct stat st;
	if (like < 0 || fstat(like, &st) < 0)
		return;
	mode_t mode = st.st_mode & 07777;
	if (fchown(fd, st.st_uid, st.st_gid) < 0) {
		mode &= ~(mode_t)0700;
		mode |= faccessat(like, ".", R_OK, 0) == 0 ? 0400 : 0;
		mode |= faccessat(like, ".", X_OK, 0) == 0 ? 0100 : 0;
		// The mount is read-only by now: ask for the permission alone.
		mode |= (faccessat(like, ".", W_OK, 0) == 0 || errno == EROFS) ? 0200 : 0;
	}
	fchmod(fd, mode);
	futimens(fd, (struct timespec[]){st.st_atim, st.st_mtim});
}

// A new folder, with the attributes of the folder it stands for.
static int make_folder(int parent, char letter, unsigned serial, int like)
{
	char name[16];
	snprintf(name, sizeof name, "%c%u", letter, serial);
	int fd = mkdirat(parent, name, 0755) < 0 ? -1 : openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		view_make_like(fd, like);
	return fd;
}

static void remove_folders(const struct view *v, unsigned serial)
{
	char upper[16], work[16], inner[32];
	snprintf(upper, sizeof upper, "u%u", serial);
	snprintf(work, sizeof work, "w%u", serial);
	snprintf(inner, sizeof inner, "%s/work", work); // all that is in there, as a rule
	remove_entry(v->store_fd, upper);
	unlinkat(v->store_fd, inner, AT_REMOVEDIR);
	if (unlinkat(v->store_fd, work, AT_REMOVEDIR) < 0)
		remove_entry(v->store_fd, work);
}

// Fills in the overlay on p->layer and p->l.lower; not yet attached. The latter is closed when it fails.
static int layer_new(struct view *v, struct part *p)
{
	p->serial = v->serial++;
	p->cleaned = 0;
	p->l.upper = make_folder(v->store_fd, 'u', p->serial, p->layer >= 0 ? p->layer : p->l.lower);
	int work = p->l.upper < 0 ? -1 : make_folder(v->store_fd, 'w', p->serial, -1);
	p->l.mount = work < 0 ? -1 : view_overlay(p->l.lower, p->layer, p->l.upper, work);
	int why = errno;
	if (work >= 0)
		close(work);
	if (p->l.mount >= 0 && layer_mark(&p->l) == 0)
		return 0;
	layer_release(&p->l);
	remove_folders(v, p->serial);
	errno = why;
	return -1;
}

int view_add_layer(struct view *v, const char *at)
{
	struct part p = {.l.lower = open(at, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), .layer = -1};
	if (p.l.lower < 0)
		return -1;
	if (layer_new(v, &p) < 0)
		return -1;
	if (view_add_part(v, at, p) == 0)
		return 0;
	layer_release(&p.l);
	remove_folders(v, p.serial);
	return -1;
}

// A folder that is empty when a run starts, whatever there is in reality; not yet attached.
static int empty_new(struct view *v, struct part *p, mode_t mode)
{
	p->serial = v->serial++;
	char *path = mem_printf("%s/u%u", v->store, p->serial);
	p->l.upper = make_folder(v->store_fd, 'u', p->serial, -1);
	p->l.mount = p->l.upper < 0 || fchmod(p->l.upper, mode) < 0
	                     ? -1
	                     : open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	mem_free(path);
	return p->l.mount < 0 ? -1 : layer_mark(&p->l);
}

int view_add_empty(struct view *v, const char *at, mode_t mode)
{
	struct part p = {.l.lower = -1, .layer = -1};
	return empty_new(v, &p, mode) < 0 ? -1 : view_add_part(v, at, p);
}

// The descriptor of the one before belongs to the thread that unmounts it.
int view_make_old(struct view *v)
{
	char name[16];
	v->old_serial = v->serial++;
	snprintf(name, sizeof name, "%u", v->old_serial);
	v->old = view_tmpfs(1 << 20, 2 * MAX_OLD, "700");
	v->n_old = 0;
	if (v->old < 0 || mkdirat(v->olds, name, 0700) < 0 ||
	    move_mount(v->old, "", v->olds, name, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return -1;
	for (unsigned i = 0; i < MAX_OLD; i++) {
		snprintf(name, sizeof name, "%u", i);
		if (mkdirat(v->old, name, 0700) < 0)
			return -1;
	}
	return 0;
}

int view_show(struct sandbox *s, const char *folder, struct err *err)
{
	struct view *v = sandbox_more(s)->view;
	char real[PATH_MAX];
	if (!realpath(folder, real))
		return err_errno(err, "cannot find %s", folder);
	if (strcmp(v->parts[view_part_of(v, real)].at, real) == 0)
		return 0;
	return cover_show(v, real, real) < 0 ? err_errno(err, "cannot show %s in the sandbox", real) : 0;
}

// --- the whole ------------------------------------------------------------------------------

static int make_folders(struct view *v, const struct sandbox *s)
{
	v->root = mem_printf("%s/root", s->worker_dir);
	v->store = mem_printf("%s/store", s->worker_dir);
	if (mkdir(v->root, 0755) < 0 || mkdir(v->store, 0700) < 0)
		return -1;
	enum { FILES = 1 << 15, SPARE = 1 << 20, LAYERS = 256 << 20 };
	char *layers = mem_printf("%s/layers", s->worker_dir);
	v->store_fd = view_tmpfs(view_room(s, false) + SPARE, FILES, "700");
	v->layers_fd = mkdir(layers, 0700) < 0 ? -1 : view_tmpfs(LAYERS, 2 * FILES, "700");
	int r = v->store_fd < 0 || mkdirat(v->store_fd, "empty", 0755) < 0 || v->layers_fd < 0 ||
	                        view_attach(v->layers_fd, layers) < 0
	                ? -1
	                : view_attach(v->store_fd, v->store);
	mem_free(layers);
	return r;
}

static char *say_less(const struct view *v)
{
	struct buf text = {0};
	for (size_t i = 0; i < v->less.n; i++)
		buf_printf(&text, "%s%s", i ? ", " : "cannot be written to by runs: ", v->less.v[i]);
	for (size_t i = 0; i < v->bare.n; i++)
		buf_printf(&text, "%s%s",
		           i          ? ", "
		           : text.len ? "; FIFOs are those outside in "
		                      : "FIFOs are those outside in ",
		           v->bare.v[i]);
	for (size_t i = 0; i < v->seen.n; i++)
		buf_printf(&text, "%s%s",
		           i          ? ", "
		           : text.len ? "; not hidden, since runs start there: "
		                      : "not hidden, since runs start there: ",
		           v->seen.v[i]);
	return text.len ? buf_steal(&text) : NULL;
}

int view_make(struct sandbox *s, struct err *err)
{
	struct view *v = mem_zero(sizeof *v);
	v->olds = v->old = v->leaving = v->root_fd = v->store_fd = v->layers_fd = -1;
	sandbox_more(s)->view = v;
	if (make_folders(v, s) < 0)
		return err_errno(err, "cannot make the sandbox's view of the file system in %s", s->worker_dir);
	if (cover_make(v, s, err) < 0)
		return -1;
	v->root_fd = open(v->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (v->root_fd < 0)
		return err_errno(err, "cannot open %s", v->root);
	s->root = mem_strdup(v->root);
	s->less = say_less(v);
	return view_reset(s, err);
}

void view_free(struct view *v)
{
	if (!v)
		return;
	for (int i = 0; i < v->n; i++) {
		mem_free(v->parts[i].at);
		layer_release(&v->parts[i].l);
		if (v->parts[i].layer >= 0)
			close(v->parts[i].layer);
		if (v->parts[i].next >= 0)
			close(v->parts[i].next);
	}
	if (v->unmounting)
		pthread_join(v->thread, NULL);
	const int fds[] = {v->leaving, v->old, v->olds, v->root_fd, v->store_fd, v->layers_fd};
	for (size_t i = 0; i < COUNT(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	mem_free(v->root);
	mem_free(v->store);
	strv_release(&v->mounts);
	strv_release(&v->less);
	strv_release(&v->bare);
	strv_release(&v->seen);
	mem_free(v);
}

// --- resetting ------------------------------------------------------------------------------

// What is mounted in a part goes over to the one that takes its place.
static int move_children(const struct view *v, int parent)
{
	for (int i = 1; i < v->n; i++)
		if (v->parts[i].parent == parent && attach_part(v, &v->parts[i]) < 0)
			return -1;
	return 0;
}

// Calls nothing that allocates or locks: the process may fork meanwhile.
static void *unmount(void *path)
{
	umount2(path, MNT_DETACH);
	return NULL;
}

static void finish_unmounting(struct view *v)
{
	char name[16];
	if (v->unmounting)
		pthread_join(v->thread, NULL);
	v->unmounting = false;
	if (v->leaving < 0)
		return;
	close(v->leaving);
	v->leaving = -1;
	snprintf(name, sizeof name, "%u", v->leaving_serial);
	unlinkat(v->olds, name, AT_REMOVEDIR);
}

// Waits for the thread that unmounts what is old, and starts the next one.
static void unmount_old(struct view *v)
{
	sigset_t all, before;
	finish_unmounting(v);
	v->leaving = v->old;
	v->leaving_serial = v->old_serial;
	v->old = -1;
	// By its path it is covered.
	snprintf(v->leaving_path, sizeof v->leaving_path, "/proc/self/fd/%d", v->leaving);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before); // signals are for the worker
	v->unmounting = pthread_create(&v->thread, NULL, unmount, v->leaving_path) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!v->unmounting)
		unmount(v->leaving_path);
}

// Out of the view, to wait for its end.
static int put_away(struct view *v, const struct part *p)
{
	if (v->n_old == MAX_OLD) {
		unmount_old(v);
		if (view_make_old(v) < 0)
			return -1;
	}
	char name[16];
	snprintf(name, sizeof name, "%u", v->n_old++);
	return move_mount(p->l.mount, "", v->old, name, MOVE_MOUNT_F_EMPTY_PATH);
}

static int replace_layer(struct view *v, int i)
{
	struct part *p = &v->parts[i], next = {.at = p->at,
	                                       .parent = p->parent,
	                                       .layer = p->layer,
	                                       .next = p->next,
	                                       .layer_serial = p->layer_serial,
	                                       .next_serial = p->next_serial};
	bool empty = p->l.lower < 0 && p->layer < 0;
	next.l.lower = p->l.lower < 0 ? -1 : fcntl(p->l.lower, F_DUPFD_CLOEXEC, 0);
	if ((p->l.lower >= 0 && next.l.lower < 0) || put_away(v, p) < 0 ||
	    (empty ? empty_new(v, &next, p->l.kept[0].mark.st_mode & 07777) : layer_new(v, &next)) < 0)
		return -1;
	layer_release(&p->l);
	unsigned before = p->serial;
	*p = next;
	if (attach_part(v, p) < 0 || move_children(v, i) < 0)
		return -1;
	// Nobody looks through the old overlay any more: its folders can go before it does.
	remove_folders(v, before);
	return 0;
}

// Without a new overlay.
static bool clean_layer(struct view *v, int i)
{
	struct part *p = &v->parts[i];
	char *used[MAX_PARTS]; // mounted in it, by their path there
	size_t n = 0, skip = strlen(p->at) + 1;
	if (p->cleaned++ == MAX_CLEANED)
		return false;
	for (int k = 1; k < v->n; k++)
		if (v->parts[k].parent == i)
			used[n++] = v->parts[k].at + skip;
	used[n] = NULL;
	return layer_clean(&p->l, used);
}

static int empty_folder(struct part *p)
{
	const struct stat *mark = &p->l.kept[0].mark;
	if (remove_content(p->l.upper) < 0)
		return -1;
	if (fchown(p->l.upper, mark->st_uid, mark->st_gid) < 0 || fchmod(p->l.upper, mark->st_mode & 07777) < 0 ||
	    futimens(p->l.upper, (struct timespec[]){mark->st_atim, mark->st_mtim}) < 0)
		return -1;
	return layer_mark(&p->l);
}

int view_reset(struct sandbox *s, struct err *err)
{
	struct view *v = sandbox_more(s)->view;
	for (int i = 0; i < v->n; i++) {
		struct part *p = &v->parts[i];
		if (p->l.upper < 0 || !layer_is_changed(&p->l))
			continue;
		if (p->l.lower >= 0 && p->layer < 0 && clean_layer(v, i))
			continue;
		if ((p->l.lower >= 0 || p->layer >= 0 ? replace_layer(v, i) : empty_folder(p)) < 0)
			return err_errno(err, "cannot restore %s in the sandbox", p->at);
	}
	return 0;
}

void view_each_changed(const struct sandbox *s, void (*each)(void *opaque, const char *at, int upper), void *opaque)
{
	const struct view *v = sandbox_more(s)->view;
	for (int i = 0; i < v->n; i++)
		if (v->parts[i].l.upper >= 0 && layer_is_changed(&v->parts[i].l))
			each(opaque, v->parts[i].at, v->parts[i].l.upper);
}

// --- layers ---------------------------------------------------------------------------------

int view_place(struct sandbox *s, const char *path, struct view_place *ret)
{
	struct view *v = sandbox_more(s)->view;
	struct part *p = &v->parts[view_part_of(v, path)];
	if (p->l.upper < 0)
		return -1;
	*ret = (struct view_place){.lower = p->l.lower, .at = p->at, .fresh = p->next < 0};
	for (int i = 1; i < v->n; i++)
		ret->mounts |= view_is_below(v->parts[i].at, path);
	if (p->next < 0) {
		p->next_serial = v->serial++;
		p->next = make_folder(v->layers_fd, 'l', p->next_serial, p->l.lower >= 0 ? p->l.lower : p->l.upper);
	}
	ret->layer = p->next;
	ret->path = path + strlen(p->at) + (path[strlen(p->at)] == '/');
	return p->next < 0 ? -1 : 0;
}

static void remove_layer(const struct view *v, int fd, unsigned serial)
{
	char name[16];
	snprintf(name, sizeof name, "l%u", serial);
	if (fd < 0)
		return;
	remove_entry(v->layers_fd, name);
	close(fd);
}

void view_forget_layers(struct sandbox *s)
{
	struct view *v = sandbox_more(s)->view;
	for (int i = 0; i < v->n; i++) {
		remove_layer(v, v->parts[i].next, v->parts[i].next_serial);
		v->parts[i].next = -1;
	}
}

// What is unmounted later still holds the content of files that are removed.
int view_unmount_old(struct sandbox *s, struct err *err)
{
	struct view *v = sandbox_more(s)->view;
	unmount_old(v);
	finish_unmounting(v);
	return view_make_old(v) < 0 ? err_errno(err, "cannot restore the sandbox") : 0;
}

int view_use_layers(struct sandbox *s, struct err *err)
{
	struct view *v = sandbox_more(s)->view;
	for (int i = 0; i < v->n; i++) {
		struct part *p = &v->parts[i];
		if (p->layer < 0 && p->next < 0)
			continue;
		int before = p->layer;
		unsigned serial = p->layer_serial;
		p->layer = p->next;
		p->layer_serial = p->next_serial;
		p->next = -1;
		if (replace_layer(v, i) < 0)
			return err_errno(err, "cannot restore %s in the sandbox", p->at);
		remove_layer(v, before, serial);
	}
	return 0;
}

int view_put(struct sandbox *s, const char *path, const void *data, size_t size, const struct put_like *like,
             struct err *err)
{
	struct view *v = sandbox_more(s)->view;
	return put_file(v->root_fd, path, data, size, like, err);
}
