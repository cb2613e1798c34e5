#include "variants/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cachedir.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"

static const char *const kept[] = {"units", "programs", "side"}; // what cache_trim weighs

// --- owners ---------------------------------------------------------------------------------------

// False: somebody uses it. The descriptor holds the lock otherwise, and the file is there.
static bool lock_owner(const char *path, int *ret)
{
	struct stat st, there;
	*ret = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (*ret < 0)
		return false;
	if (flock(*ret, LOCK_EX | LOCK_NB) == 0 && fstat(*ret, &st) == 0 && stat(path, &there) == 0 &&
	    st.st_ino == there.st_ino)
		return true;
	close(*ret);
	*ret = -1;
	return false;
}

// Between its birth and its lock somebody may take the file for a leftover.
static int become_owner(struct cache *cache, struct err *err)
{
	for (int i = 0; i < 100; i++) {
		char *path = mem_printf("%s/runs/.XXXXXX", cache->root);
		int fd = mkostemp(path, O_CLOEXEC);
		if (fd < 0) {
			err_errno(err, "cannot create a file in %s/runs", cache->root);
			mem_free(path);
			return -1;
		}
		close(fd);
		bool locked = lock_owner(path, &cache->owner);
		if (locked)
			cache->owner_name = mem_strdup(path_basename(path) + 1);
		mem_free(path);
		if (locked)
			return 0;
	}
	return err_set(err, "cannot lock a file in %s/runs", cache->root);
}

// A process that was forked may go on, and has the lock, too: then the file stays.
static void release_owner(struct cache *cache)
{
	if (!cache->owner_name)
		return;
	char *path = mem_printf("%s/runs/.%s", cache->root, cache->owner_name);
	int fd;
	close(cache->owner);
	if (lock_owner(path, &fd)) {
		unlink(path);
		close(fd);
	}
	mem_free(path);
	mem_free(cache->owner_name);
}

// Removes the folders of `owner` below ROOT/NAME; NULL: everything but our own.
static void remove_folders(const struct cache *cache, const char *name, const char *owner)
{
	char *folder = mem_printf("%s/%s", cache->root, name);
	DIR *d = opendir(folder);
	for (const struct dirent *e; d && (e = readdir(d));) {
		const char *of = owner ? owner : cache->owner_name;
		size_t n = strlen(of);
		bool is_its = strncmp(e->d_name, of, n) == 0 && e->d_name[n] == '.';
		if (e->d_name[0] == '.' || is_its != (owner != NULL))
			continue;
		char *path = mem_printf("%s/%s", folder, e->d_name);
		file_remove_tree(path);
		mem_free(path);
	}
	if (d)
		closedir(d);
	mem_free(folder);
}

static void remove_of_dead(const struct cache *cache)
{
	char *runs = mem_printf("%s/runs", cache->root);
	DIR *d = opendir(runs);
	for (const struct dirent *e; d && (e = readdir(d));) {
		const char *name = e->d_name + 1;
		if (e->d_name[0] != '.' || !*name || *name == '.' || strcmp(name, cache->owner_name) == 0)
			continue;
		char *path = mem_printf("%s/%s", runs, e->d_name);
		int fd;
		if (lock_owner(path, &fd)) {
			remove_folders(cache, "runs", name);
			remove_folders(cache, "tmp", name);
			unlink(path);
			close(fd);
		}
		mem_free(path);
	}
	if (d)
		closedir(d);
	mem_free(runs);
}

// --- the cache ------------------------------------------------------------------------------------

int cache_open(struct cache *ret, struct err *err)
{
	struct cache cache = {.root = cachedir_root(), .lock = -1, .owner = -1};
	static const char *const folders[] = {"units", "programs", "side", "runs", "tmp"};
	int r = cachedir_prepare(cache.root, err);
	if (r < 0) {
		cache_close(&cache);
		return -1;
	}
	char *path = mem_printf("%s/lock", cache.root);
	if (r == 0) {
		cache.lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
		if (cache.lock < 0 || flock(cache.lock, LOCK_SH) < 0)
			r = err_errno(err, "cannot open %s", path);
	}
	mem_free(path);
	// Not before: who trims the cache removes some of these, and makes them again.
	for (size_t i = 0; r == 0 && i < sizeof folders / sizeof *folders; i++) {
		path = mem_printf("%s/%s", cache.root, folders[i]);
		r = file_mkdirs(path, 0755, err);
		mem_free(path);
	}
	if (r == 0)
		r = become_owner(&cache, err);
	if (r == 0)
		remove_of_dead(&cache);
	if (r < 0) {
		size_t n = strlen(err->text);
		strncat(err->text, "; set VEER_CACHE_DIR to a new folder of your own", sizeof err->text - n - 1);
		cache_close(&cache);
		return -1;
	}
	*ret = cache;
	return 0;
}

void cache_close(struct cache *cache)
{
	release_owner(cache);
	if (cache->lock >= 0)
		close(cache->lock);
	mem_free(cache->root);
	*cache = (struct cache){.lock = -1, .owner = -1};
}

int cache_lock_again(struct cache *cache)
{
	char *path = mem_printf("%s/lock", cache->root);
	int fd = open(path, O_RDWR | O_CLOEXEC);
	mem_free(path);
	if (fd < 0 || flock(fd, LOCK_SH) < 0) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	close(cache->lock);
	cache->lock = fd;
	return 0;
}

char *cache_unit_path(const struct cache *cache, struct hash hash)
{
	char hex[HASH_HEX];
	hash_hex(hash, hex);
	return mem_printf("%s/units/%.2s/%s.o", cache->root, hex, hex);
}

char *cache_program_folder(const struct cache *cache, struct hash hash)
{
	char hex[HASH_HEX];
	hash_hex(hash, hex);
	return mem_printf("%s/programs/%s", cache->root, hex);
}

char *cache_folder(const struct cache *cache, const char *name, unsigned mode, struct err *err)
{
	char *path = mem_printf("%s/%s/%s.XXXXXX", cache->root, name, cache->owner_name);
	if (!mkdtemp(path) || chmod(path, mode) < 0) {
		err_errno(err, "cannot create a folder in %s/%s", cache->root, name);
		mem_free(path);
		return NULL;
	}
	return path;
}

void cache_touch(const char *path)
{
	utimensat(AT_FDCWD, path, NULL, 0);
}

uint64_t cache_limit(void)
{
	const char *text = getenv("VEER_CACHE_SIZE");
	uint64_t fallback = (uint64_t)10 << 30;
	if (!text || !*text)
		return fallback;
	char *end;
	errno = 0;
	uint64_t value = strtoull(text, &end, 10), unit = 1;
	if (end == text || text[0] < '0' || text[0] > '9')
		return fallback;
	if (*end == 'k' || *end == 'K')
		unit = (uint64_t)1 << 10;
	else if (*end == 'm' || *end == 'M')
		unit = (uint64_t)1 << 20;
	else if (*end == 'g' || *end == 'G')
		unit = (uint64_t)1 << 30;
	else if (*end)
		return fallback;
	if (errno || value > UINT64_MAX / unit)
		return UINT64_MAX;
	return value * unit;
}

struct entry {
	char *path;
	uint64_t size;
	time_t used;
};

struct entries {
	struct entry *v;
	size_t n, cap;
	uint64_t total;
};

static void collect(const struct cache *cache, struct entries *all)
{
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
		char *folder = mem_printf("%s/%s", cache->root, kept[i]);
		char *roots[] = {folder, NULL};
		FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
		for (FTSENT *e; fts && (e = fts_read(fts));) {
			if (e->fts_info != FTS_F)
				continue;
			vec_room(all->v, all->n + 1, all->cap);
			uint64_t size = (uint64_t)e->fts_statp->st_blocks * 512;
			all->v[all->n++] = (struct entry){mem_strdup(e->fts_path), size, e->fts_statp->st_mtime};
			all->total += size;
		}
		if (fts)
			fts_close(fts);
		mem_free(folder);
	}
}

static void entries_release(struct entries *all)
{
	for (size_t i = 0; i < all->n; i++)
		mem_free(all->v[i].path);
	mem_free(all->v);
}

static int oldest_first(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	return x->used < y->used ? -1 : x->used > y->used;
}

// Nobody else uses the cache: whatever is there without an owner is a leftover, too.
static void remove_leftovers(const struct cache *cache)
{
	static const char *const folders[] = {"tmp", "runs"};
	remove_of_dead(cache);
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		remove_folders(cache, folders[i], NULL);
}

int64_t cache_trim(struct cache *cache, uint64_t limit, bool wait, struct err *err)
{
	if (flock(cache->lock, LOCK_EX | (wait ? 0 : LOCK_NB)) < 0) {
		// A failed conversion may have dropped the shared lock.
		int busy = errno == EWOULDBLOCK;
		flock(cache->lock, LOCK_SH);
		return busy ? 0 : err_errno(err, "cannot lock %s", cache->root);
	}
	remove_leftovers(cache);
	struct entries all = {0};
	collect(cache, &all);
	qsort(all.v, all.n, sizeof *all.v, oldest_first);
	uint64_t removed = 0;
	for (size_t i = 0; i < all.n && (limit == 0 || all.total - removed > limit); i++) {
		if (unlink(all.v[i].path) == 0)
			removed += all.v[i].size;
		char *folder = path_dirname(all.v[i].path);
		rmdir(folder); // succeeds when it was the last file
		mem_free(folder);
	}
	entries_release(&all);
	flock(cache->lock, LOCK_SH);
	return (int64_t)removed;
}

uint64_t cache_size(const struct cache *cache)
{
	struct entries all = {0};
	collect(cache, &all);
	entries_release(&all);
	return all.total;
}
