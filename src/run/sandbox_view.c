// The file system as runs see it: what is really there, read-only, with overlays on top wherever the kernel allows.
// What a run writes goes to the upper folders of these overlays; an overlay whose upper folder was touched is made
// clean after the run (sandbox_clean.c), or, where that cannot be and now and then, replaced by a fresh one.
//
//   BOX            tmpfs, only the worker sees it
//   BOX/open       tmpfs, runs see it at the same path and can write to it
//   BOX/runs       runs see it at the same path and can only read it
//   BOX/store      tmpfs of limits.disk bytes: upper and work folders
//   BOX/layers     tmpfs: files of a recorded test, which lie between what is really there and what runs write
//   BOX/root       the view: a copy of all mounts, then overlays, /dev, BOX
//   BOX/seen       what runs see of BOX: folders to mount the two above at
//
// Overlays that were replaced wait for their end: to unmount one takes as long as all processors take to notice, so a
// thread does that, for many at once. Where they wait is in the view, where its /dev covers it: a program that is still
// in such an overlay (a fork server) cannot go up from there to anything but the root of its view.
//
// The kernel makes no overlay of a folder with somebody else's mounts below it, since that would uncover what they
// cover. So there is no single overlay at "/", but one at each folder that is as high up as possible. What is in the
// folders above those can be read, not written.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
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
#include "run/sandbox_parts.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

enum { MAX_PARTS = 104, RESERVED = 16, MAX_DEPTH = 4, MAX_OLD = 32 };
enum { MAX_CLEANED = 1000 }; // times; what a kernel may leave behind in a work folder does not add up

// A mount in the view.
struct part {
	char *at;         // path in the view
	int parent;       // the part that it is mounted in
	struct layer l;   // lower: -1 when it is no overlay; upper: -1 when nobody writes there
	int layer, next;  // what lies on l.lower, and what is to lie there soon; else -1
	unsigned serial;  // of the upper folder
	unsigned cleaned; // times
	unsigned layer_serial, next_serial;
};

struct view {
	char *root, *store;
	int olds; // tmpfs below /dev: its folders are where replaced overlays wait
	int old;  // a tmpfs in the last of them
	int root_fd, store_fd, layers_fd;
	struct part parts[MAX_PARTS];
	int n;
	unsigned serial;
	unsigned n_old;
	int leaving; // what the thread unmounts; -1: nothing
	unsigned old_serial, leaving_serial;
	char leaving_path[32];
	pthread_t thread;
	bool unmounting;
	struct strv mounts; // of the machine: their paths
	struct strv less;   // what is read-only against the rule
};

// --- mounts ---------------------------------------------------------------------------------

// A file system in the making. What is not understood by older kernels is left out by the caller.
static int open_fs(const char *type)
{
	return fsopen(type, FSOPEN_CLOEXEC);
}

static int set(int fs, const char *key, const char *value)
{
	return fsconfig(fs, FSCONFIG_SET_STRING, key, value, 0);
}

static int set_number(int fs, const char *key, uint64_t value)
{
	char text[32];
	snprintf(text, sizeof text, "%llu", (unsigned long long)value);
	return set(fs, key, text);
}

// By descriptor, since a path may be long and have any character in it. Before Linux 6.13, by a path that names one.
static int set_folder(int fs, const char *key, int folder)
{
	char text[64];
	if (fsconfig(fs, FSCONFIG_SET_FD, strcmp(key, "lowerdir") ? key : "lowerdir+", NULL, folder) == 0)
		return 0;
	snprintf(text, sizeof text, "/proc/self/fd/%d", folder);
	return set(fs, key, text);
}

static int finish_fs(int fs, bool good)
{
	int mount = -1;
	if (good && fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		mount = fsmount(fs, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOATIME);
	int why = errno;
	close(fs);
	errno = why;
	return mount;
}

int view_tmpfs(uint64_t size, unsigned files, const char *mode)
{
	int fs = open_fs("tmpfs");
	if (fs < 0)
		return -1;
	return finish_fs(fs, set_number(fs, "size", size) == 0 && set_number(fs, "nr_inodes", files) == 0 &&
	                             set(fs, "mode", mode) == 0);
}

int view_attach(int mount, const char *path)
{
	return move_mount(mount, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH);
}

// What is below, from the top down; one of them may be missing.
static int set_lower(int fs, int layer, int lower)
{
	char text[128];
	if (layer < 0 || lower < 0)
		return set_folder(fs, "lowerdir", lower < 0 ? layer : lower);
	if (fsconfig(fs, FSCONFIG_SET_FD, "lowerdir+", NULL, layer) == 0)
		return fsconfig(fs, FSCONFIG_SET_FD, "lowerdir+", NULL, lower);
	snprintf(text, sizeof text, "/proc/self/fd/%d:/proc/self/fd/%d", layer, lower);
	return set(fs, "lowerdir", text);
}

static int make_overlay(int lower, int layer, int upper, int work)
{
	int fs = open_fs("overlay");
	if (fs < 0)
		return -1;
	fsconfig(fs, FSCONFIG_SET_FLAG, "userxattr", NULL, 0);
	return finish_fs(fs, set_lower(fs, layer, lower) == 0 && set_folder(fs, "upperdir", upper) == 0 &&
	                             set_folder(fs, "workdir", work) == 0);
}

// --- parts ----------------------------------------------------------------------------------

// Is `path` the folder `folder`, or below it?
static bool is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);
	if (n == 1)
		return true;
	return strncmp(path, folder, n) == 0 && (path[n] == '/' || path[n] == 0);
}

static int part_of(const struct view *v, const char *path)
{
	int best = 0;
	for (int i = 1; i < v->n; i++)
		if (is_below(path, v->parts[i].at) && strlen(v->parts[i].at) >= strlen(v->parts[best].at))
			best = i;
	return best;
}

static char *path_in_view(const struct view *v, const char *at)
{
	return mem_printf("%s%s", v->root, strcmp(at, "/") ? at : "");
}

static int attach_part(const struct view *v, const struct part *p)
{
	char *path = path_in_view(v, p->at);
	int r = view_attach(p->l.mount, path);
	mem_free(path);
	return r;
}

static int add_part(struct view *v, const char *at, struct part p)
{
	p.at = mem_strdup(at);
	p.layer = p.next = -1;
	p.parent = v->n ? part_of(v, at) : -1;
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
	p->l.mount = work < 0 ? -1 : make_overlay(p->l.lower, p->layer, p->l.upper, work);
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

static int add_layer(struct view *v, const char *at)
{
	struct part p = {.l.lower = open(at, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), .layer = -1};
	if (p.l.lower < 0)
		return -1;
	if (layer_new(v, &p) < 0)
		return -1;
	if (add_part(v, at, p) == 0)
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

static int add_empty(struct view *v, const char *at, mode_t mode)
{
	struct part p = {.l.lower = -1, .layer = -1};
	return empty_new(v, &p, mode) < 0 ? -1 : add_part(v, at, p);
}

// --- which folders --------------------------------------------------------------------------

static char *unescape(const char *text, size_t size)
{
	char *ret = mem_copy(text, size), *out = ret;
	for (const char *p = text; p < text + size; p++)
		if (*p == '\\' && text + size - p > 3) {
			*out++ = (char)((p[1] - '0') << 6 | (p[2] - '0') << 3 | (p[3] - '0'));
			p += 3;
		} else {
			*out++ = *p;
		}
	*out = 0;
	return ret;
}

// /proc/self/mountinfo: the fifth word of a line is the path. Our own are not the machine's.
static int list_mounts(const struct sandbox *s, struct strv *ret, struct err *err)
{
	struct buf text = {0};
	if (file_read("/proc/self/mountinfo", &text, err) < 0)
		return -1;
	char *rest = text.data;
	for (char *line; rest && (line = strsep(&rest, "\n"));) {
		char *word = line;
		for (int i = 0; i < 4 && word; i++)
			word = strchr(word + (i > 0), ' ');
		char *path = word ? unescape(word + 1, strcspn(word + 1, " ")) : NULL;
		if (path && !is_below(path, s->box))
			strv_push(ret, path);
		mem_free(path);
	}
	buf_release(&text);
	return 0;
}

static bool has_mounts_below(const struct view *v, const char *path)
{
	for (size_t i = 0; i < v->mounts.n; i++)
		if (is_below(v->mounts.v[i], path) && strcmp(v->mounts.v[i], path))
			return true;
	return false;
}

static bool covered(const struct view *v, const char *path)
{
	int i = part_of(v, path);
	return v->parts[i].l.upper >= 0;
}

static bool left_alone(const char *path)
{
	static const char *const names[] = {"/proc", "/sys", "/dev"};
	for (size_t i = 0; i < COUNT(names); i++)
		if (is_below(path, names[i]))
			return true;
	return false;
}

// The highest folder on the way to `path` that can be an overlay. True when there is one.
static bool cover_way(struct view *v, const char *path)
{
	if (left_alone(path) || covered(v, path))
		return true;
	char *at = mem_strdup(path);
	bool done = false;
	for (char *p = at + 1; !done; p++) {
		char c = *p;
		if (c != '/' && c)
			continue;
		*p = 0;
		done = p > at + 1 && !has_mounts_below(v, at) && add_layer(v, at) == 0;
		*p = c;
		if (!c)
			break;
	}
	mem_free(at);
	return done;
}

// Everything else, a few levels deep.
static void cover_below(struct view *v, const char *path, int depth)
{
	DIR *dir = opendir(path);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		if (e->d_type != DT_DIR || !strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		char *at = mem_printf("%s/%s", strcmp(path, "/") ? path : "", e->d_name);
		if (v->n < MAX_PARTS - RESERVED && !left_alone(at) && !covered(v, at)) {
			if (!has_mounts_below(v, at))
				add_layer(v, at);
			else if (depth < MAX_DEPTH)
				cover_below(v, at, depth + 1);
		}
		mem_free(at);
	}
	if (dir)
		closedir(dir);
}

// Without root's privileges an overlay cannot copy folders of other users, and so nothing that lies in them. Then the
// folder becomes an overlay of its own, in the other.
static void check_writing(struct view *v, const char *path)
{
	char *probe = mem_printf("%s%s/.veer-probe", v->root, path);
	if (mkdir(probe, 0700) == 0)
		rmdir(probe);
	else if (errno != EACCES && errno != EPERM && errno != EROFS && errno != ENOENT && add_layer(v, path) < 0)
		strv_push(&v->less, path);
	mem_free(probe);
}

// Whether runs can do without what is in a folder: it is for temporary files, and neither they nor we are in it.
static bool is_spare(const struct sandbox *s, const char *path)
{
	const char *home = getenv("HOME");
	return !is_below(s->cwd, path) && !is_below(s->box, path) && !(home && is_below(home, path));
}

// Everything, and first the places where programs expect to be able to write.
static void cover(struct view *v, const struct sandbox *s)
{
	const char *home = getenv("HOME"), *temp = getenv("TMPDIR");
	const char *const places[] = {s->cwd, "/tmp", "/var/tmp", home, temp};
	struct strv real = {0};
	for (size_t i = 0; i < COUNT(places); i++) {
		char path[PATH_MAX];
		if (places[i] && realpath(places[i], path) && strcmp(path, "/"))
			strv_push(&real, path);
	}
	for (size_t i = 0; i < real.n; i++)
		if (!cover_way(v, real.v[i]) && !(is_spare(s, real.v[i]) && add_empty(v, real.v[i], 01777) == 0))
			strv_push(&v->less, real.v[i]); // what is below may still become writable
	cover_below(v, "/", 0);
	for (size_t i = 0; i < real.n; i++)
		if (covered(v, real.v[i]))
			check_writing(v, real.v[i]);
	strv_release(&real);
}

// --- /dev -----------------------------------------------------------------------------------

static int bind_device(const char *dev, const char *name)
{
	char *path = mem_printf("%s/%s", dev, name), *real = mem_printf("/dev/%s", name);
	int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0666), mount = -1, r = -1;
	if (fd >= 0) {
		close(fd);
		mount = open_tree(AT_FDCWD, real, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	}
	if (mount >= 0) {
		r = view_attach(mount, path);
		close(mount);
	}
	mem_free(path);
	mem_free(real);
	return r;
}

static int cover_olds(struct view *v)
{
	char *dev = path_in_view(v, "/dev");
	v->olds = view_tmpfs(1 << 20, 64, "700");
	int r = v->olds < 0 ? -1 : view_attach(v->olds, dev);
	mem_free(dev);
	return r;
}

static int make_dev(struct view *v)
{
	static const char *const devices[] = {"null", "zero", "full", "random", "urandom", "tty"};
	static const char *const links[][2] = {
		{"/proc/self/fd", "fd"}, {"fd/0", "stdin"}, {"fd/1", "stdout"}, {"fd/2", "stderr"}};
	struct part p = {.l = {.mount = view_tmpfs(1 << 20, 64, "755"), .lower = -1, .upper = -1}};
	if (p.l.mount < 0 || cover_olds(v) < 0 || add_part(v, "/dev", p) < 0)
		return -1;
	char *dev = path_in_view(v, "/dev"), *shm = mem_printf("%s/shm", dev);
	for (size_t i = 0; i < COUNT(devices); i++)
		if (bind_device(dev, devices[i]) < 0 && i == 0)
			return -1;
	for (size_t i = 0; i < COUNT(links); i++) {
		char *path = mem_printf("%s/%s", dev, links[i][1]);
		if (symlink(links[i][0], path) < 0)
			strv_push(&v->less, path);
		mem_free(path);
	}
	int r = mkdir(shm, 01777);
	struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY};
	if (r == 0)
		r = mount_setattr(p.l.mount, "", AT_EMPTY_PATH, &read_only, sizeof read_only);
	if (r == 0)
		r = add_empty(v, "/dev/shm", 01777);
	mem_free(dev);
	mem_free(shm);
	return r;
}

// The descriptor of the one before belongs to the thread that unmounts it.
static int make_old(struct view *v)
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

// A folder of ours, shown somewhere in the view.
static int show_folder(struct view *v, const char *folder, const char *at, uint64_t attributes)
{
	struct part p = {.l = {.lower = -1, .upper = -1}};
	struct mount_attr attr = {.attr_set = attributes};
	p.l.mount = open_tree(AT_FDCWD, folder, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (p.l.mount < 0)
		return -1;
	if (mount_setattr(p.l.mount, "", AT_EMPTY_PATH, &attr, sizeof attr) == 0 && add_part(v, at, p) == 0)
		return 0;
	close(p.l.mount);
	return -1;
}

int view_show(struct sandbox *s, const char *folder, struct err *err)
{
	struct view *v = sandbox_more(s)->view;
	char real[PATH_MAX];
	if (!realpath(folder, real))
		return err_errno(err, "cannot find %s", folder);
	if (strcmp(v->parts[part_of(v, real)].at, real) == 0)
		return 0;
	return show_folder(v, real, real, MOUNT_ATTR_RDONLY) < 0 ? err_errno(err, "cannot show %s in the sandbox", real)
	                                                         : 0;
}

// BOX, with nothing in it but `open` and `runs`.
static int show_box(struct view *v, const struct sandbox *s)
{
	static const char *const folders[] = {"seen", "seen/open", "seen/runs"};
	char *paths[COUNT(folders)];
	int r = 0;
	for (size_t i = 0; i < COUNT(folders); i++) {
		paths[i] = mem_printf("%s/%s", s->box, folders[i]);
		r |= mkdir(paths[i], 0755);
	}
	if (r == 0)
		r = show_folder(v, paths[0], s->box, MOUNT_ATTR_RDONLY);
	if (r == 0)
		r = show_folder(v, s->open, s->open, 0);
	if (r == 0)
		r = show_folder(v, s->runs, s->runs, MOUNT_ATTR_RDONLY);
	for (size_t i = 0; i < COUNT(folders); i++)
		mem_free(paths[i]);
	return r == 0 ? make_old(v) : r;
}

// --- the whole ------------------------------------------------------------------------------

static int make_folders(struct view *v, const struct sandbox *s)
{
	v->root = mem_printf("%s/root", s->box);
	v->store = mem_printf("%s/store", s->box);
	if (mkdir(v->root, 0755) < 0 || mkdir(v->store, 0700) < 0)
		return -1;
	enum { FILES = 1 << 15, SPARE = 1 << 20, LAYERS = 256 << 20 };
	char *layers = mem_printf("%s/layers", s->box);
	v->store_fd = view_tmpfs(s->limits.disk + SPARE, FILES, "700");
	v->layers_fd = mkdir(layers, 0700) < 0 ? -1 : view_tmpfs(LAYERS, 2 * FILES, "700");
	int r = v->store_fd < 0 || v->layers_fd < 0 || view_attach(v->layers_fd, layers) < 0
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
	return buf_steal(&text);
}

int view_make(struct sandbox *s, int base, struct err *err)
{
	struct view *v = mem_zero(sizeof *v);
	v->olds = v->old = v->leaving = v->root_fd = v->store_fd = v->layers_fd = -1;
	sandbox_more(s)->view = v;
	struct part first = {.l = {.mount = base, .lower = -1, .upper = -1}};
	if (list_mounts(s, &v->mounts, err) < 0)
		return -1;
	if (make_folders(v, s) < 0 || add_part(v, "/", first) < 0)
		return err_errno(err, "cannot make the sandbox's view of the file system in %s", s->box);
	cover(v, s);
	if (make_dev(v) < 0)
		return err_errno(err, "cannot make the sandbox's /dev");
	if (show_box(v, s) < 0)
		return err_errno(err, "cannot make the sandbox's %s", s->open);
	v->root_fd = open(v->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (v->root_fd < 0)
		return err_errno(err, "cannot open %s", v->root);
	s->root = mem_strdup(v->root);
	s->less = v->less.n ? say_less(v) : NULL;
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
		if (make_old(v) < 0)
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
	struct part *p = &v->parts[part_of(v, path)];
	if (p->l.upper < 0)
		return -1;
	*ret = (struct view_place){.lower = p->l.lower, .at = p->at, .fresh = p->next < 0};
	for (int i = 1; i < v->n; i++)
		ret->mounts |= is_below(v->parts[i].at, path);
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
int view_let_go(struct sandbox *s, struct err *err)
{
	struct view *v = sandbox_more(s)->view;
	unmount_old(v);
	finish_unmounting(v);
	return make_old(v) < 0 ? err_errno(err, "cannot restore the sandbox") : 0;
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
