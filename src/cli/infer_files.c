#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "cli/infer.h"
#include "signal/recording.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int infer_recordings(const char *path, struct strv *ret, struct err *err)
{
	struct stat st;
	size_t before = ret->n;
	DIR *dir = stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? opendir(path) : NULL;
	if (!dir) {
		strv_push(ret, path);
		return 0;
	}
	for (struct dirent *e; (e = readdir(dir));)
		if (recording_is(e->d_name))
			strv_pushf(ret, "%s/%s", path, e->d_name);
	closedir(dir);
	if (ret->n == before)
		return err_set(err, "%s: it has no recordings: no .sigmf-meta, .npy or .wav", path);
	qsort(ret->v + before, ret->n - before, sizeof *ret->v, by_name);
	return 0;
}
