// Copying the working folder, and restoring the copy after a run: by what the kernel has told of, or all of it.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "sandbox/sandbox_scratch.h"

enum { MAX_FILES = 20000, MAX_DEPTH = 64 };

// --- copies ---------------------------------------------------------------------------------

static struct twin *find_twin(const struct scratch *s, ino_t kept)
{
	size_t i = (size_t)(kept * UINT64_C(0x9e3779b97f4a7c15) >> 40) % TWINS;
	while (s->twins[i].kept && s->twins[i].kept != kept)
		i = (i + 1) % TWINS;
	return &s->twins[i];
}

struct copying {
	struct scratch *scratch; // gets notice of twins, or NULL
	uint64_t room;           // bytes left
	unsigned files;
	struct stat worker_dir; // not to be copied into itself
	struct err *err;
};

static int copy_bytes(int from, int to, struct copying *c)
{
	for (ssize_t n; (n = sendfile(to, from, NULL, 1 << 20)) != 0;) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if ((uint64_t)n > c->room) {
			errno = EFBIG;
			return -1;
		}
		c->room -= (uint64_t)n;
	}
	return 0;
}

// `out` may be -1; errno stays as it is.
static void close_both(int in, int out)
{
	int why = errno;
	close(in);
	if (out >= 0)
		close(out);
	errno = why;
}

static int copy_file(int from, int to, const char *name, const struct stat *st, struct copying *c)
{
	int in = openat(from, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (in < 0)
		return errno == EACCES ? 0 : -1; // what the user cannot read, his programs cannot
	int out = openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), r = -1;
	if (out >= 0 && copy_bytes(in, out, c) == 0 && fchmod(out, st->st_mode & 07777) == 0)
		r = futimens(out, (struct timespec[]){st->st_atim, st->st_mtim});
	close_both(in, out);
	return r;
}

static int copy_link(int from, int to, const char *name)
{
	char target[4096];
	ssize_t n = readlinkat(from, name, target, sizeof target - 1);
	if (n < 0)
		return -1;
	target[n] = 0;
	return symlinkat(target, to, name);
}

static int copy_content(int from, int to, struct copying *c, int depth);

static int copy_folder(int from, int to, const char *name, const struct stat *st, struct copying *c, int depth)
{
	if (depth == MAX_DEPTH) {
		errno = ELOOP;
		return -1;
	}
	int in = openat(from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), out = -1, r = -1;
	if (in < 0)
		return errno == EACCES ? 0 : -1;
	if (mkdirat(to, name, 0700) == 0)
		out = openat(to, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (out >= 0 && copy_content(in, out, c, depth + 1) == 0 && fchmod(out, (st->st_mode & 07777) | 0700) == 0)
		r = futimens(out, (struct timespec[]){st->st_atim, st->st_mtim});
	close_both(in, out);
	return r;
}

// The copy has been made.
static int learn(struct scratch *s, const struct stat *kept, int to, const char *name)
{
	struct stat st;
	if (fstatat(to, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -1;
	*find_twin(s, kept->st_ino) = (struct twin){kept->st_ino, st.st_ino};
	return 0;
}

static int copy_entry(int from, int to, const char *name, struct copying *c, int depth)
{
	struct stat st;
	int r = 0;
	if (fstatat(from, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -1;
	if (st.st_dev == c->worker_dir.st_dev && st.st_ino == c->worker_dir.st_ino)
		return 0;
	if (c->files++ > MAX_FILES) {
		errno = EFBIG;
		return -1;
	}
	if (S_ISREG(st.st_mode))
		r = copy_file(from, to, name, &st, c);
	else if (S_ISLNK(st.st_mode))
		r = copy_link(from, to, name);
	else if (S_ISDIR(st.st_mode))
		r = copy_folder(from, to, name, &st, c, depth);
	return r == 0 && c->scratch ? learn(c->scratch, &st, to, name) : r;
}

static DIR *list(int folder)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	if (fd >= 0 && !dir)
		close(fd);
	return dir;
}

static bool is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

static int copy_content(int from, int to, struct copying *c, int depth)
{
	DIR *dir = list(from);
	int r = dir ? 0 : -1;
	for (struct dirent *e; r == 0 && (e = readdir(dir));)
		if (!is_dots(e->d_name))
			r = copy_entry(from, to, e->d_name, c, depth);
	int why = errno;
	if (dir)
		closedir(dir);
	errno = why;
	return r;
}

int scratch_copy(const struct sandbox *s, int from, const char *name, struct scratch *scratch, int *ret,
                 struct err *err)
{
	struct copying c = {.scratch = scratch, .room = s->limits.disk};
	char *path = mem_printf("%s/%s", s->worker_dir, name);
	struct stat st;
	*ret = mkdir(path, 0700) < 0 ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = *ret < 0 || stat(s->worker_dir, &c.worker_dir) < 0 || fstat(from, &st) < 0
	                ? -1
	                : copy_content(from, *ret, &c, 0);
	if (r < 0 && errno == EFBIG)
		err_set(err,
		        "the working folder is too large to be copied for the sandbox (more than %llu MB or %d files); "
		        "start in a smaller one, or enable namespaces (veer doctor)",
		        (unsigned long long)(s->limits.disk >> 20), MAX_FILES);
	else if (r < 0)
		err_errno(err, "cannot copy the working folder to %s", path);
	else if (fchmod(*ret, (st.st_mode & 07777) | 0700) < 0 ||
	         futimens(*ret, (struct timespec[]){st.st_atim, st.st_mtim}) < 0)
		r = err_errno(err, "cannot write to %s", path);
	mem_free(path);
	return r;
}

// --- restoring ------------------------------------------------------------------------------

// Runs cannot set times, so a file that is the same, with the time that it had, was not written to.
static bool same(const struct stat *a, const struct stat *b)
{
	return a->st_mode == b->st_mode && (S_ISDIR(a->st_mode) || a->st_size == b->st_size) &&
	       (S_ISLNK(a->st_mode) || memcmp(&a->st_mtim, &b->st_mtim, sizeof a->st_mtim) == 0);
}

static int restore(struct scratch *s, int cwd, int kept, int depth);

static int restore_folder(struct scratch *s, int cwd, int kept, const char *name, int depth)
{
	int a = openat(cwd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), r = -1;
	int b = openat(kept, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (a >= 0 && b >= 0)
		r = restore(s, a, b, depth + 1);
	if (a >= 0)
		close(a);
	if (b >= 0)
		close(b);
	return r;
}

static int restore_entry(struct scratch *s, int cwd, int kept, const char *name, int depth)
{
	struct stat now, before;
	if (fstatat(kept, name, &before, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	bool there = fstatat(cwd, name, &now, AT_SYMLINK_NOFOLLOW) == 0;
	bool twin = there && find_twin(s, before.st_ino)->copy == now.st_ino && now.st_nlink == before.st_nlink;
	if (there && S_ISDIR(now.st_mode) && S_ISDIR(before.st_mode) && find_twin(s, before.st_ino)->copy == now.st_ino)
		return restore_folder(s, cwd, kept, name, depth);
	if (twin && same(&now, &before))
		return 0;
	struct copying c = {.scratch = s, .room = UINT64_MAX};
	return remove_entry(cwd, name) < 0 ? -1 : copy_entry(kept, cwd, name, &c, depth);
}

static int restore_entries(struct scratch *s, int cwd, int kept, int depth)
{
	DIR *dir = list(kept);
	int r = dir ? 0 : -1;
	for (struct dirent *e; r == 0 && (e = readdir(dir));)
		if (!is_dots(e->d_name))
			r = restore_entry(s, cwd, kept, e->d_name, depth);
	if (dir)
		closedir(dir);
	return r;
}

static int remove_new(int cwd, int kept)
{
	DIR *dir = list(cwd);
	int r = dir ? 0 : -1;
	struct stat st;
	for (struct dirent *e; r == 0 && (e = readdir(dir));)
		if (!is_dots(e->d_name) && fstatat(kept, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			r = remove_entry(cwd, e->d_name);
	if (dir)
		closedir(dir);
	return r;
}

static int restore(struct scratch *s, int cwd, int kept, int depth)
{
	struct stat now, before;
	if (fstat(cwd, &now) < 0 || fstat(kept, &before) < 0)
		return -1;
	if (!same(&now, &before) && remove_new(cwd, kept) < 0)
		return -1;
	if (restore_entries(s, cwd, kept, depth) < 0 || fstat(cwd, &now) < 0)
		return -1;
	if (same(&now, &before))
		return 0;
	if (fchmod(cwd, before.st_mode & 07777) < 0)
		return -1;
	return futimens(cwd, (struct timespec[]){before.st_atim, before.st_mtim});
}

// What it had, without another file: to make one takes longer.
static bool rewrite(int cwd, int kept, const char *name, const struct stat *before)
{
	struct copying c = {.room = UINT64_MAX};
	int in = openat(kept, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	int out = openat(cwd, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool done = in >= 0 && out >= 0 && copy_bytes(in, out, &c) == 0 && ftruncate(out, before->st_size) == 0 &&
	            futimens(out, (struct timespec[]){before->st_atim, before->st_mtim}) == 0;
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return done;
}

// One that the kernel has told of. False when that does not say all: what was changed through another link of a file is
// told by the name of the link, which may be gone.
static bool restore_told(struct scratch *s, int cwd, int kept, const struct change *told)
{
	struct copying c = {.scratch = s, .room = UINT64_MAX};
	struct stat now, before;
	bool there = fstatat(cwd, told->name, &now, AT_SYMLINK_NOFOLLOW) == 0;
	if (there && (S_ISDIR(now.st_mode) || now.st_nlink > 1))
		return false;
	if (fstatat(kept, told->name, &before, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT && there && !told->gone && unlinkat(cwd, told->name, 0) == 0;
	bool twin = there && find_twin(s, before.st_ino)->copy == now.st_ino && now.st_mode == before.st_mode;
	if (twin && S_ISREG(before.st_mode))
		return rewrite(cwd, kept, told->name, &before);
	return !S_ISDIR(before.st_mode) && remove_entry(cwd, told->name) == 0 &&
	       copy_entry(kept, cwd, told->name, &c, 0) == 0;
}

static int open_below(int parent, const char *path)
{
	return openat(parent, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// `times`: only those of its folder.
static bool restore_change(struct scratch *s, const struct change *told, bool times)
{
	int cwd = open_below(s->cwd, told->folder), kept = open_below(s->kept, told->folder);
	struct stat before;
	bool done = cwd >= 0 && kept >= 0;
	if (done && times)
		done = fstat(kept, &before) == 0 &&
		       futimens(cwd, (struct timespec[]){before.st_atim, before.st_mtim}) == 0;
	else if (done)
		done = restore_told(s, cwd, kept, told);
	if (cwd >= 0)
		close(cwd);
	if (kept >= 0)
		close(kept);
	return done;
}

// False when everything is to be looked at. Times of folders come last: by these one sees that there is something new.
static bool restore_changes(struct scratch *s, const struct changes *told)
{
	bool done = !told->unclear;
	for (int times = 0; times < 2; times++)
		for (size_t i = 0; done && i < told->n; i++)
			done = restore_change(s, &told->v[i], times);
	return done;
}

static int restore_all(struct sandbox *s, bool lost)
{
	struct scratch *c = sandbox_more(s)->scratch;
	if (restore(c, c->cwd, c->kept, 0) < 0)
		return -1;
	if (lost) {
		watch_free(c->watch);
		c->watch = watch_new(s->cwd);
	}
	return 0;
}

static int restore_cwd(struct sandbox *s)
{
	struct scratch *c = sandbox_more(s)->scratch;
	struct changes told = {.unclear = true};
	if (c->watch)
		watch_read(c->watch, &told);
	if (!told.n && !told.unclear)
		return 0;
	int r = restore_changes(c, &told) ? 0 : restore_all(s, told.lost);
	changes_release(&told);
	if (c->watch) {
		watch_read(c->watch, &told); // our own
		changes_release(&told);
	}
	return r;
}

// Of a folder that runs write to, all but a folder of that name. False when there is none.
static bool keep_folder(int folder, const char *name)
{
	DIR *dir = list(folder);
	bool there = false, good = dir;
	for (struct dirent *e; good && (e = readdir(dir));) {
		struct stat st;
		bool wanted = strcmp(e->d_name, name) == 0 && fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		              S_ISDIR(st.st_mode);
		there |= wanted;
		good = wanted || is_dots(e->d_name) || remove_entry(folder, e->d_name) == 0;
	}
	if (dir)
		closedir(dir);
	return good && there;
}

// The folders on the way to what was put last stay: it is put there again, and to make folders is what costs most.
static int remove_put(struct scratch *s)
{
	if (!s->put)
		return 0;
	char *copy = mem_strdup(s->put), *rest = copy, *name = strsep(&rest, "/");
	struct stat st;
	int folder = fstatat(s->open, name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? open_below(s->open, name) : -1, r = -1;
	while (folder >= 0 && (name = strsep(&rest, "/")) && rest && keep_folder(folder, name)) {
		int next = open_below(folder, name);
		close(folder);
		folder = next;
	}
	if (folder >= 0) {
		r = remove_content(folder);
		close(folder);
	}
	mem_free(copy);
	return r == 0 ? 0 : remove_entry(s->open, "files");
}

int landlock_reset(struct sandbox *s, struct err *err)
{
	struct scratch *c = sandbox_more(s)->scratch;
	if (restore_cwd(s) < 0)
		return err_errno(err, "cannot restore the working folder in %s", s->cwd);
	if (remove_put(c) < 0)
		return err_errno(err, "cannot empty %s", s->open);
	return 0;
}
