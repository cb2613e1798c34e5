#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

int file_map(const char *path, struct file_map *ret, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return err_errno(err, "cannot open %s", path);
	struct stat st;
	if (fstat(fd, &st) < 0) {
		err_errno(err, "cannot read %s", path);
		close(fd);
		return -1;
	}
	if (!S_ISREG(st.st_mode)) {
		close(fd);
		return err_set(err, "%s is not a regular file", path);
	}
	struct file_map map = {NULL, (size_t)st.st_size};
	if (map.size) {
		void *p = mmap(NULL, map.size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p == MAP_FAILED) {
			err_errno(err, "cannot map %s", path);
			close(fd);
			return -1;
		}
		map.data = p;
	}
	close(fd);
	*ret = map;
	return 0;
}

void file_unmap(struct file_map *map)
{
	if (map->data)
		munmap((void *)map->data, map->size);
	*map = (struct file_map){0};
}

int file_read(const char *path, struct buf *ret, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_errno(err, "cannot open %s", path);
	for (;;) {
		buf_reserve(ret, 1 << 16);
		ssize_t n = read(fd, ret->data + ret->len, 1 << 16);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			err_errno(err, "cannot read %s", path);
			close(fd);
			return -1;
		}
		if (n == 0)
			break;
		ret->len += (size_t)n;
		ret->data[ret->len] = 0;
	}
	close(fd);
	return 0;
}

int file_write_all(int fd, const void *data, size_t size)
{
	const char *p = data;
	while (size) {
		ssize_t n = write(fd, p, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			if (n == 0)
				errno = ENOSPC;
			return -1;
		}
		p += n;
		size -= (size_t)n;
	}
	return 0;
}

int file_replace(const char *path, const void *data, size_t size, unsigned mode, struct err *err)
{
	char *temp = mem_printf("%s.XXXXXX", path);
	int fd = mkstemp(temp);
	if (fd < 0) {
		err_errno(err, "cannot create %s", temp);
		mem_free(temp);
		return -1;
	}
	mode_t mask = umask(0);
	umask(mask);
	int failed = file_write_all(fd, data, size) < 0 || fchmod(fd, mode & ~mask) < 0;
	if (failed)
		err_errno(err, "cannot write %s", path);
	if (close(fd) < 0 && !failed)
		failed = err_errno(err, "cannot write %s", path);
	if (!failed && rename(temp, path) < 0)
		failed = err_errno(err, "cannot rename %s to %s", temp, path);
	if (failed)
		unlink(temp);
	mem_free(temp);
	return failed ? -1 : 0;
}

int file_output(const char *path, const void *data, size_t size, unsigned mode, struct err *err)
{
	struct stat st;
	if (stat(path, &st) < 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		return file_replace(path, data, size, mode, err);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool failed = fd < 0 || file_write_all(fd, data, size) < 0;
	if (failed)
		err_errno(err, "cannot write %s", path);
	if (fd >= 0 && close(fd) < 0 && !failed)
		failed = err_errno(err, "cannot write %s", path);
	return failed ? -1 : 0;
}

int file_can_output(const char *path, struct err *err)
{
	struct stat st;
	bool there = stat(path, &st) == 0;
	if (there && S_ISDIR(st.st_mode))
		return err_set(err, "cannot write %s: it is a folder", path);
	if (there && !S_ISREG(st.st_mode))
		return access(path, W_OK) < 0 ? err_errno(err, "cannot write %s", path) : 0;
	char *folder = path_dirname(path);
	int r = access(folder, W_OK | X_OK) < 0 ? err_errno(err, "cannot write %s, in folder %s", path, folder) : 0;
	mem_free(folder);
	return r;
}

int file_mkdirs(const char *path, unsigned mode, struct err *err)
{
	char *copy = mem_strdup(path);
	int r = 0;
	for (char *p = copy + (copy[0] != 0); r == 0; p++) {
		char c = *p;
		if (c != '/' && c != 0)
			continue;
		*p = 0;
		if (mkdir(copy, mode) < 0 && errno != EEXIST)
			r = err_errno(err, "cannot create folder %s", copy);
		*p = c;
		if (!c)
			break;
	}
	struct stat st;
	if (r == 0 && (stat(path, &st) < 0 || !S_ISDIR(st.st_mode)))
		r = err_set(err, "%s is not a folder", path);
	mem_free(copy);
	return r;
}

char *file_temporary(const char *name, struct err *err)
{
	const char *set = getenv("TMPDIR"), *tmp = set && *set ? set : "/tmp";
	char *path = mem_printf("%s/%s-XXXXXX", tmp, name);
	if (mkdtemp(path))
		return path;
	err_set(err, "cannot make a folder in %s: %s; set TMPDIR to one that you may write to", tmp, strerror(errno));
	mem_free(path);
	return NULL;
}

int file_subfolder(const char *path, unsigned mode, struct err *err)
{
	struct stat st;
	if (mkdir(path, mode) == 0)
		return 0;
	if (errno != EEXIST || lstat(path, &st) < 0)
		return err_errno(err, "cannot create folder %s", path);
	return S_ISDIR(st.st_mode) ? 0
	                           : err_set(err, "%s is %s, not a folder; remove it, or use another folder", path,
	                                     S_ISLNK(st.st_mode) ? "a link" : "something else");
}

int file_subfolders(const char *folder, const char *below, unsigned mode, struct err *err)
{
	char *whole = mem_printf("%s/%s", folder, below);
	int r = 0;
	for (char *p = whole + strlen(folder) + 1; r == 0; p++) {
		char c = *p;
		if (c != '/' && c)
			continue;
		*p = 0;
		r = file_subfolder(whole, mode, err);
		*p = c;
		if (!c)
			break;
	}
	mem_free(whole);
	return r;
}

int file_create(const char *path, unsigned mode, struct err *err)
{
	if (unlink(path) < 0 && errno != ENOENT)
		return err_errno(err, "cannot replace %s", path);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, (mode_t)mode);
	return fd < 0 ? err_errno(err, "cannot create %s", path) : fd;
}

static int remove_at(int parent, const char *name)
{
	if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
		return 0;
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	DIR *dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -1;
	}
	int r = 0;
	for (struct dirent *e; (e = readdir(dir));)
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			r |= remove_at(fd, e->d_name);
	closedir(dir);
	return unlinkat(parent, name, AT_REMOVEDIR) < 0 ? -1 : r;
}

int file_remove_tree(const char *path)
{
	return remove_at(AT_FDCWD, path);
}

bool file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

char *path_absolute(const char *cwd, const char *path)
{
	return path[0] == '/' ? mem_strdup(path) : mem_printf("%s/%s", cwd, path);
}

const char *path_basename(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

char *path_dirname(const char *path)
{
	const char *slash = strrchr(path, '/');
	if (!slash)
		return mem_strdup(".");
	return slash == path ? mem_strdup("/") : mem_copy(path, (size_t)(slash - path));
}

char *path_existing(char *path)
{
	while (!file_exists(path)) {
		char *above = path_dirname(path);
		mem_free(path);
		path = above;
	}
	return path;
}

char *path_clean(const char *path)
{
	struct buf clean = {0};
	for (const char *p = path; *p;) {
		size_t n = strcspn(p, "/");
		if (n == 2 && p[0] == '.' && p[1] == '.') {
			while (clean.len && clean.data[--clean.len] != '/')
				;
		} else if (n && !(n == 1 && p[0] == '.')) {
			buf_addch(&clean, '/');
			buf_add(&clean, p, n);
		}
		p += n + (p[n] == '/');
	}
	if (clean.len) {
		clean.data[clean.len] = 0;
		return buf_steal(&clean);
	}
	buf_release(&clean);
	return NULL;
}

char *path_tidy(const char *path)
{
	struct buf out = {0};
	for (const char *p = path; *p;) {
		p += strspn(p, "/");
		size_t n = strcspn(p, "/");
		if ((n == 0 && *path) || (n == 1 && p[0] == '.')) {
			p += n;
			continue;
		}
		const char *last = out.len ? strrchr(out.data, '/') : NULL;
		if (n == 2 && p[0] == '.' && p[1] == '.' && last && strcmp(last, "/..") != 0) {
			buf_cut(&out, (size_t)(last - out.data));
		} else {
			if (out.len || *path == '/')
				buf_addch(&out, '/');
			buf_add(&out, p, n);
		}
		p += n;
	}
	return out.len ? buf_steal(&out) : (buf_release(&out), mem_strdup("?"));
}

const char *path_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);
	if (strncmp(path, folder, n) || (path[n] && path[n] != '/'))
		return NULL;
	return path[n] ? path + n + 1 : ".";
}

char *path_cwd(void)
{
	char path[PATH_MAX];
	return mem_strdup(getcwd(path, sizeof path) ? path : "/");
}

char *path_of_self(void)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
	if (n <= 0)
		return mem_strdup(".");
	path[n] = 0;
	return path_dirname(path);
}

static bool is_program(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

char *path_find_program(const char *name)
{
	if (strchr(name, '/'))
		return is_program(name) ? mem_strdup(name) : NULL;
	const char *path = getenv("PATH");
	if (!path)
		path = "/usr/local/bin:/usr/bin:/bin";
	for (const char *p = path;; p++) {
		size_t n = strcspn(p, ":");
		char *candidate = n ? mem_printf("%.*s/%s", (int)n, p, name) : mem_strdup(name);
		if (is_program(candidate))
			return candidate;
		mem_free(candidate);
		p += n;
		if (!*p)
			return NULL;
	}
}
