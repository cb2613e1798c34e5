// What is in the view, and how. The kernel makes no overlay of a folder with somebody else's mounts below it, since
// that would uncover what they cover. So there is no single overlay at "/": the root of the view is a folder of our
// own, with the folders that lie on the way to a mount, made like the real ones, and in these
//
//   folders without mounts below     an overlay each; where there are too many of them, one that cannot be written to
//   files                            themselves, read-only
//   links, FIFOs                     others like them
//   devices, sockets                 not there
//   /proc, /sys                      themselves, read-only
//   /dev                             a few devices (make_dev)
//   BOX                              nothing but `open` and `runs`
//   what is hidden (hidden.def)      an empty folder or file
//
// So nothing that is really there can be written to, and no FIFO outside be read: an overlay gives each FIFO below it a
// pipe of its own. No mount but those of single devices has devices (nodev).
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "sandbox/hidden.h"
#include "sandbox/sandbox_internal.h"
#include "sandbox/sandbox_view.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

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
		if (path && !view_is_below(path, s->worker_dir))
			strv_push(ret, path);
		mem_free(path);
	}
	buf_release(&text);
	return 0;
}

static bool has_mounts_below(const struct view *v, const char *path)
{
	for (size_t i = 0; i < v->mounts.n; i++)
		if (view_is_below(v->mounts.v[i], path) && strcmp(v->mounts.v[i], path))
			return true;
	return false;
}

static bool covered(const struct view *v, const char *path)
{
	int i = view_part_of(v, path);
	return v->parts[i].l.upper >= 0;
}

static bool left_alone(const char *path)
{
	static const char *const names[] = {"/proc", "/sys", "/dev"};
	for (size_t i = 0; i < COUNT(names); i++)
		if (view_is_below(path, names[i]))
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
		done = p > at + 1 && !has_mounts_below(v, at) && view_add_layer(v, at) == 0;
		*p = c;
		if (!c)
			break;
	}
	mem_free(at);
	return done;
}

static int attach(const struct view *v, int mount, const char *at)
{
	char *path = view_path(v, at);
	int r = view_attach(mount, path);
	mem_free(path);
	return r;
}

// Something of the machine's, as it is, but read-only and without devices; not yet attached.
static int open_bare(const char *path, unsigned flags)
{
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSUID};
	int mount = open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW | flags);
	if (mount < 0 || mount_setattr(mount, "", AT_EMPTY_PATH | flags, &attr, sizeof attr) == 0)
		return mount;
	close(mount);
	return -1;
}

void cover_folder(const struct view *v, const char *path)
{
	char *real = mem_printf("/%s", path);
	int like = open(real, O_PATH | O_DIRECTORY | O_CLOEXEC), fd = -1;
	if (mkdirat(v->parts[0].l.mount, path, 0755) == 0)
		fd = openat(v->parts[0].l.mount, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		view_make_like(fd, like);
	if (fd >= 0)
		close(fd);
	if (like >= 0)
		close(like);
	mem_free(real);
}

// A folder that runs cannot write to.
static void show_read_only(struct view *v, const char *at)
{
	int lower = open(at, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int mount = lower < 0 ? -1 : view_read_only_overlay(v, lower);
	if (mount < 0 && (mount = open_bare(at, 0)) >= 0)
		strv_push(&v->bare, at);
	cover_folder(v, at + 1);
	if (mount < 0 || attach(v, mount, at) < 0)
		strv_push(&v->less, at);
	if (mount >= 0)
		close(mount);
	if (lower >= 0)
		close(lower);
}

// A file in a folder of which there is no overlay.
static void show_file(struct view *v, const char *at)
{
	enum { FILES_MAX = 4096 };
	int fd =
		v->shown++ < FILES_MAX ? openat(v->parts[0].l.mount, at + 1, O_CREAT | O_WRONLY | O_CLOEXEC, 0600) : -1;
	int mount = fd < 0 ? -1 : open_bare(at, 0);
	if (mount >= 0)
		attach(v, mount, at);
	if (mount >= 0)
		close(mount);
	if (fd >= 0)
		close(fd);
}

static void show_link(const struct view *v, const char *at)
{
	char target[PATH_MAX];
	ssize_t n = readlink(at, target, sizeof target - 1);
	target[n > 0 ? n : 0] = 0;
	if (n > 0 && symlinkat(target, v->parts[0].l.mount, at + 1) < 0)
		return; // it is there
}

static void cover_below(struct view *v, const char *path);

// Another /proc than that of the sandbox shows processes outside, and what they have open.
static bool shows_processes(const char *at)
{
	enum { PROCESSES = 0x9fa0 };
	struct statfs fs;
	return statfs(at, &fs) == 0 && fs.f_type == PROCESSES;
}

// FIFOs are new ones; devices and sockets are not there.
static void cover_entry(struct view *v, const char *at)
{
	struct stat st;
	if (lstat(at, &st) < 0 || left_alone(at) || covered(v, at))
		return;
	if (S_ISREG(st.st_mode))
		show_file(v, at);
	else if (S_ISLNK(st.st_mode))
		show_link(v, at);
	else if (S_ISFIFO(st.st_mode))
		mkfifoat(v->parts[0].l.mount, at + 1, st.st_mode & 07777);
	if (!S_ISDIR(st.st_mode))
		return;
	if (shows_processes(at)) {
		cover_folder(v, at + 1);
	} else if (has_mounts_below(v, at)) {
		cover_folder(v, at + 1);
		cover_below(v, at);
	} else if (v->n >= MAX_PARTS - RESERVED || view_add_layer(v, at) < 0) {
		show_read_only(v, at);
	}
}

// What is in a folder of which there is no overlay.
static void cover_below(struct view *v, const char *path)
{
	DIR *dir = opendir(path);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		char *at = mem_printf("%s/%s", strcmp(path, "/") ? path : "", e->d_name);
		cover_entry(v, at);
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
	else if (errno != EACCES && errno != EPERM && errno != EROFS && errno != ENOENT && view_add_layer(v, path) < 0)
		strv_push(&v->less, path);
	mem_free(probe);
}

// Whether runs can do without what is in a folder: it is for temporary files, and neither they nor we are in it.
static bool is_spare(const struct sandbox *s, const char *path)
{
	const char *home = getenv("HOME");
	return !view_is_below(s->cwd, path) && !view_is_below(s->worker_dir, path) &&
	       !(home && view_is_below(home, path));
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
		if (!cover_way(v, real.v[i]) && !(is_spare(s, real.v[i]) && view_add_empty(v, real.v[i], 01777) == 0))
			strv_push(&v->less, real.v[i]); // what is below may still become writable
	cover_below(v, "/");
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
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC};
	if (mount >= 0 && mount_setattr(mount, "", AT_EMPTY_PATH, &attr, sizeof attr) == 0) {
		r = view_attach(mount, path);
	}
	if (mount >= 0)
		close(mount);
	mem_free(path);
	mem_free(real);
	return r;
}

static int cover_olds(struct view *v)
{
	char *dev = view_path(v, "/dev");
	cover_folder(v, "dev");
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
	if (p.l.mount < 0 || cover_olds(v) < 0 || view_add_part(v, "/dev", p) < 0)
		return -1;
	char *dev = view_path(v, "/dev"), *shm = mem_printf("%s/shm", dev);
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
		r = view_add_empty(v, "/dev/shm", 01777);
	mem_free(dev);
	mem_free(shm);
	return r;
}

// --- our own --------------------------------------------------------------------------------

// A folder of ours, shown somewhere in the view.
static int show_folder(struct view *v, const char *folder, const char *at, uint64_t attributes)
{
	struct part p = {.l = {.lower = -1, .upper = -1}};
	struct mount_attr attr = {.attr_set = attributes};
	p.l.mount = open_tree(AT_FDCWD, folder, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (p.l.mount < 0)
		return -1;
	if (mount_setattr(p.l.mount, "", AT_EMPTY_PATH, &attr, sizeof attr) == 0 && view_add_part(v, at, p) == 0)
		return 0;
	close(p.l.mount);
	return -1;
}

int cover_show(struct view *v, const char *folder, const char *at)
{
	return show_folder(v, folder, at, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOSUID);
}

// BOX, with nothing in it but `open` and `runs`.
static int show_worker_dir(struct view *v, const struct sandbox *s)
{
	static const char *const folders[] = {"seen", "seen/open", "seen/runs"};
	char *paths[COUNT(folders)];
	int r = 0;
	for (size_t i = 0; i < COUNT(folders); i++) {
		paths[i] = mem_printf("%s/%s", s->worker_dir, folders[i]);
		r |= mkdir(paths[i], 0755);
	}
	if (r == 0)
		r = show_folder(v, paths[0], s->worker_dir, MOUNT_ATTR_RDONLY);
	if (r == 0)
		r = show_folder(v, s->open, s->open, 0);
	if (r == 0)
		r = show_folder(v, s->runs, s->runs, MOUNT_ATTR_RDONLY);
	for (size_t i = 0; i < COUNT(folders); i++)
		mem_free(paths[i]);
	return r == 0 ? view_make_old(v) : r;
}

// --- secrets --------------------------------------------------------------------------------

// An empty folder or file in place of each.
static int hide(struct view *v, const struct sandbox *s)
{
	char *folder = mem_printf("%s/empty", v->store), *file = mem_printf("%s/nothing", v->store);
	struct strv paths = {0};
	int fd = open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0444), r = fd < 0 ? -1 : 0;
	hidden_paths(&paths);
	for (size_t i = 0; r == 0 && i < paths.n; i++) {
		struct stat st;
		const char *path = paths.v[i];
		if (view_is_below(s->cwd, path) || view_is_below(s->worker_dir, path))
			strv_push(&v->seen, path);
		else if (left_alone(path) || lstat(path, &st) < 0)
			continue;
		else
			r = cover_show(v, S_ISDIR(st.st_mode) ? folder : file, path);
	}
	if (fd >= 0)
		close(fd);
	strv_release(&paths);
	mem_free(folder);
	mem_free(file);
	return r;
}

// --- the whole ------------------------------------------------------------------------------

static void show_system(struct view *v)
{
	static const struct {
		const char *at;
		unsigned flags;
	} systems[] = {{"/proc", 0}, {"/sys", AT_RECURSIVE}};
	for (size_t i = 0; i < COUNT(systems); i++) {
		int mount = open_bare(systems[i].at, systems[i].flags);
		cover_folder(v, systems[i].at + 1);
		if (mount < 0 || attach(v, mount, systems[i].at) < 0)
			strv_push(&v->less, systems[i].at);
		if (mount >= 0)
			close(mount);
	}
}

static int make_root(struct view *v)
{
	enum { ROOM = 16 << 20, FILES = 1 << 16 };
	struct part first = {.l = {.mount = view_tmpfs(ROOM, FILES, "755"), .lower = -1, .upper = -1}};
	int like = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int r = first.l.mount < 0 ? -1 : view_add_part(v, "/", first);
	if (r == 0)
		view_make_like(first.l.mount, like);
	if (like >= 0)
		close(like);
	return r;
}

int cover_make(struct view *v, const struct sandbox *s, struct err *err)
{
	struct mount_attr read_only = {.attr_set = MOUNT_ATTR_RDONLY};
	if (list_mounts(s, &v->mounts, err) < 0)
		return -1;
	if (make_root(v) < 0)
		return err_errno(err, "cannot make the sandbox's view of the file system in %s", s->worker_dir);
	cover(v, s);
	show_system(v);
	if (make_dev(v) < 0)
		return err_errno(err, "cannot make the sandbox's /dev");
	if (hide(v, s) < 0)
		return err_errno(err, "cannot hide what runs are not to see");
	if (show_worker_dir(v, s) < 0)
		return err_errno(err, "cannot make the sandbox's %s", s->open);
	if (mount_setattr(v->parts[0].l.mount, "", AT_EMPTY_PATH, &read_only, sizeof read_only) < 0)
		return err_errno(err, "cannot make the view of the file system read-only");
	return 0;
}
