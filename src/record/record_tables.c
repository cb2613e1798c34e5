// Tables of the recorder: paths of an execution, contents that are copied already.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "record/record_internal.h"

MAP_FUNCTIONS(paths, struct known_paths, const char *, .path, .path, map_hash_text, map_same_text)

struct known_path *known_paths_find(const struct known_paths *t, const char *path)
{
	return paths_get(t, path);
}

struct known_path *known_paths_add(struct known_paths *t, const char *path, enum known_path_kind kind)
{
	assert(!paths_get(t, path));
	char *own = mem_strdup(path);
	struct known_path *p = paths_put(t, own);
	p->kind = kind;
	return p;
}

void known_paths_release(struct known_paths *t)
{
	const struct known_path *p;
	for (size_t at = 0; (p = paths_next(t, &at));)
		mem_free((char *)p->path);
	paths_release(t);
}

// --- contents ---------------------------------------------------------------------------------

enum { KNOWN_FILES = 1 << 14 };

void contents_init(struct contents *c, const char *folder, uint64_t *bytes)
{
	*c = (struct contents){mem_strdup(folder), mem_zero(KNOWN_FILES * sizeof *c->known), bytes};
}

void contents_release(struct contents *c)
{
	mem_free(c->folder);
	mem_free(c->known);
	*c = (struct contents){0};
}

static bool is_same(const struct known_file *k, const struct stat *st)
{
	return k->inode == st->st_ino && k->device == st->st_dev && k->size == st->st_size &&
	       clock_same(k->modified, st->st_mtim) && clock_same(k->changed, st->st_ctim);
}

// File systems take the time from a clock that ticks every few milliseconds: a file that has just been changed may be
// changed again without showing it.
static bool is_settled(const struct stat *st)
{
	enum { TICK = 50 * 1000 * 1000 };
	struct timespec now;
	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	int64_t age = (now.tv_sec - st->st_ctim.tv_sec) * INT64_C(1000000000) + now.tv_nsec - st->st_ctim.tv_nsec;
	return age > TICK;
}

// The program's own times of access stay as they are, where that is allowed. A pipe or device that has come to stand
// there meanwhile is not waited for.
static int open_unseen(const char *path, const struct stat *st)
{
	enum { FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY };
	struct stat now;
	int fd = open(path, FLAGS | O_NOATIME);
	if (fd < 0 && errno == EPERM)
		fd = open(path, FLAGS);
	if (fd >= 0 && (fstat(fd, &now) < 0 || now.st_ino != st->st_ino || !S_ISREG(now.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

static int read_content(const char *path, const struct stat *st, struct buf *ret)
{
	int fd = open_unseen(path, st);
	if (fd < 0)
		return -1;
	ssize_t n;
	do {
		buf_reserve(ret, ret->len ? 1 << 16 : (size_t)st->st_size + 1);
		n = read(fd, ret->data + ret->len, ret->cap - ret->len - 1);
		ret->len += n > 0 ? (size_t)n : 0;
	} while (n > 0 && ret->len <= CONTENT_MAX);
	close(fd);
	return n < 0 || ret->len > CONTENT_MAX ? -1 : 0;
}

static int keep(struct contents *c, const struct buf *data, struct hash *ret, struct err *err)
{
	char hex[HASH_HEX];
	*ret = hash_bytes(data->data, data->len);
	hash_hex(*ret, hex);
	char *path = mem_printf("%s/%s", c->folder, hex);
	bool there = file_exists(path);
	mem_free(path);
	if (snapshot_keep(c->folder, data->data, data->len, ret, err) < 0)
		return -2;
	*c->bytes += there ? 0 : data->len;
	return 0;
}

int contents_keep(struct contents *c, const char *path, const struct stat *st, struct hash *ret, uint64_t *ret_size,
                  struct err *err)
{
	struct known_file *k =
		&c->known[((size_t)st->st_ino * 0x9e3779b97f4a7c15u >> 40 ^ (size_t)st->st_dev) % KNOWN_FILES];
	if (is_same(k, st)) {
		*ret = k->content;
		*ret_size = (uint64_t)k->size;
		return 0;
	}
	struct buf data = {0};
	int r = read_content(path, st, &data);
	if (r == 0)
		r = keep(c, &data, ret, err);
	*ret_size = data.len;
	if (r == 0 && is_settled(st) && data.len == (size_t)st->st_size)
		*k = (struct known_file){st->st_dev, st->st_ino, st->st_size, st->st_mtim, st->st_ctim, *ret};
	buf_release(&data);
	return r;
}
