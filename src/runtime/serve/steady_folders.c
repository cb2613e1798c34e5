// Folders in the order of their names (LAUNCH_STEADY), see steady.c. A folder is read as a whole at the first
// readdir(). Those that libc reads itself (glob, nftw, fts) are in its own order.
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/serve/steady.h"

struct listing {
	DIR *dir;
	struct dirent **v;
	size_t n, at;
	struct listing *next;
};

static struct listing *listings;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int by_name(const void *a, const void *b)
{
	return strcmp((*(struct dirent *const *)a)->d_name, (*(struct dirent *const *)b)->d_name);
}

static bool add(struct listing *l, const struct dirent *d)
{
	if ((l->n & (l->n - 1)) == 0) { // full at powers of two
		struct dirent **v = realloc(l->v, (l->n ? 2 * l->n : 1) * sizeof *v);
		if (!v)
			return false;
		l->v = v;
	}
	struct dirent *copy = malloc(sizeof *copy);
	if (!copy)
		return false;
	memcpy(copy, d, d->d_reclen < sizeof *copy ? d->d_reclen : sizeof *copy);
	l->v[l->n++] = copy;
	return true;
}

static void drop(DIR *dir)
{
	struct listing **p = &listings;
	while (*p && (*p)->dir != dir)
		p = &(*p)->next;
	struct listing *l = *p;
	if (!l)
		return;
	*p = l->next;
	for (size_t i = 0; i < l->n; i++)
		free(l->v[i]);
	free(l->v);
	free(l);
}

static struct listing *find(DIR *dir)
{
	struct listing *l = listings;
	while (l && l->dir != dir)
		l = l->next;
	return l;
}

static struct listing *read_all(DIR *dir)
{
	struct listing *l = calloc(1, sizeof *l);
	if (!l)
		return NULL;
	for (struct dirent *d; (d = NEXT(readdir)(dir));)
		if (!add(l, d))
			break;
	if (l->n)
		qsort(l->v, l->n, sizeof *l->v, by_name);
	for (size_t i = 0; i < l->n; i++)
		l->v[i]->d_off = (off_t)i + 1;
	l->dir = dir;
	l->next = listings;
	listings = l;
	return l;
}

OPEN struct dirent *readdir(DIR *dir)
{
	if (!steady)
		return NEXT(readdir)(dir);
	int saved = errno;
	pthread_mutex_lock(&lock);
	struct listing *l = find(dir);
	if (!l)
		l = read_all(dir);
	struct dirent *d = l && l->at < l->n ? l->v[l->at++] : NULL;
	pthread_mutex_unlock(&lock);
	errno = saved;
	return d;
}

OPEN struct dirent64 *readdir64(DIR *dir)
{
	_Static_assert(sizeof(struct dirent64) == sizeof(struct dirent), "they are the same");
	return (struct dirent64 *)readdir(dir);
}

#pragma clang diagnostic ignored "-Wdeprecated-declarations"
OPEN int readdir_r(DIR *restrict dir, struct dirent *restrict entry, struct dirent **restrict ret)
{
	if (!steady)
		return NEXT(readdir_r)(dir, entry, ret);
	struct dirent *d = readdir(dir);
	if (d)
		memcpy(entry, d, sizeof *d);
	*ret = d ? entry : NULL;
	return 0;
}

OPEN void rewinddir(DIR *dir)
{
	if (steady) {
		pthread_mutex_lock(&lock);
		drop(dir);
		pthread_mutex_unlock(&lock);
	}
	NEXT(rewinddir)(dir);
}

OPEN int closedir(DIR *dir)
{
	if (steady) {
		pthread_mutex_lock(&lock);
		drop(dir);
		pthread_mutex_unlock(&lock);
	}
	return NEXT(closedir)(dir);
}

OPEN long telldir(DIR *dir)
{
	if (!steady)
		return NEXT(telldir)(dir);
	pthread_mutex_lock(&lock);
	struct listing *l = find(dir);
	long at = l ? (long)l->at : 0;
	pthread_mutex_unlock(&lock);
	return at;
}

OPEN void seekdir(DIR *dir, long at)
{
	if (!steady) {
		NEXT(seekdir)(dir, at);
		return;
	}
	pthread_mutex_lock(&lock);
	struct listing *l = find(dir);
	if (!l)
		l = read_all(dir);
	if (l && at >= 0)
		l->at = (size_t)at < l->n ? (size_t)at : l->n;
	pthread_mutex_unlock(&lock);
}

static int entries_by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

OPEN int scandir(const char *restrict path, struct dirent ***restrict ret, int (*filter)(const struct dirent *),
                 int (*compare)(const struct dirent **, const struct dirent **))
{
	return NEXT(scandir)(path, ret, filter, steady && !compare ? entries_by_name : compare);
}

OPEN int scandir64(const char *restrict path, struct dirent64 ***restrict ret, int (*filter)(const struct dirent64 *),
                   int (*compare)(const struct dirent64 **, const struct dirent64 **))
{
	return scandir(path, (struct dirent ***)ret, (int (*)(const struct dirent *))filter,
	               (int (*)(const struct dirent **, const struct dirent **))compare);
}
