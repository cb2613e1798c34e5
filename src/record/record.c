#include "record/record.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/delta.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "record/recorder.h"

// A tracer that goes on in the background after its command has ended may still write there: it has the folder open,
// and loses it.
static int empty_recorded(const char *folder, struct err *err)
{
	char *recorded = mem_printf("%s/recorded", folder), *old = mem_printf("%s/recorded.%d", folder, (int)getpid());
	int r = 0;
	if (rename(recorded, old) < 0 && errno != ENOENT)
		r = err_errno(err, "cannot remove %s", recorded);
	file_remove_tree(old);
	if (r == 0)
		r = file_subfolder(recorded, 0777, err);
	mem_free(recorded);
	mem_free(old);
	return r;
}

static int make_folders(const char *folder, struct err *err)
{
	char *files = mem_printf("%s/files", folder);
	int r = file_mkdirs(folder, 0777, err);
	if (r == 0)
		r = file_subfolder(files, 0777, err);
	mem_free(files);
	return r < 0 ? r : empty_recorded(folder, err);
}

int record_run(const char *folder, char **argv, const struct interpose *options, struct record_counts *ret,
               struct err *err)
{
	char *cwd = path_cwd(), *absolute = path_absolute(cwd, folder);
	struct record_counts *counts =
		mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct interpose recording = *options;
	int status = -1;
	if (counts == MAP_FAILED)
		err_errno(err, "cannot start recording");
	else if (make_folders(absolute, err) == 0)
		recording.recorder = recorder_new(absolute, options, counts, err);
	if (recording.recorder) {
		status = interpose_run(&recording, argv, err);
		*ret = *counts;
		recorder_free(recording.recorder);
	}
	if (counts != MAP_FAILED)
		munmap(counts, sizeof *counts);
	mem_free(cwd);
	mem_free(absolute);
	return status;
}

void record_clear(const char *folder)
{
	char *recorded = mem_printf("%s/recorded", folder);
	file_remove_tree(recorded);
	mem_free(recorded);
}

// --- reading ----------------------------------------------------------------------------------

struct bytes {
	const uint8_t *data;
	size_t size;
};

static const uint8_t *sized(struct cursor *c, size_t *ret)
{
	uint64_t size = cursor_u64(c);
	if (c->bad || size > (uint64_t)(c->end - c->p))
		return NULL;
	*ret = (size_t)size;
	return cursor_bytes(c, (size_t)size);
}

struct reading {
	const char *recorded;
	struct delta known;
};

static char *seed_path(const struct reading *r, uint64_t number)
{
	return mem_printf("%s/%llu", r->recorded, (unsigned long long)number);
}

// The two parts of a seed's file; false when it is damaged.
static bool split(const struct file_map *map, struct bytes *snapshot, struct bytes *input)
{
	struct cursor c = {map->data, map->data + map->size, false};
	return map->data && (snapshot->data = sized(&c, &snapshot->size)) && (input->data = sized(&c, &input->size)) &&
	       c.p == c.end;
}

// -1: there is no such seed, or it is damaged; then there is nothing to unmap.
static int map_seed(const struct reading *r, uint64_t number, struct file_map *ret, struct bytes *snapshot,
                    struct bytes *input, struct err *err)
{
	char *path = seed_path(r, number);
	int result = file_map(path, ret, err);
	mem_free(path);
	if (result < 0 || split(ret, snapshot, input))
		return result;
	file_unmap(ret);
	return -1;
}

// A snapshot that others are written as differences from.
static int fetch(void *opaque, uint64_t number, struct buf *ret, struct err *err)
{
	struct file_map map;
	struct bytes snapshot, input;
	if (map_seed(opaque, number, &map, &snapshot, &input, err) < 0)
		return -1;
	buf_add(ret, snapshot.data, snapshot.size);
	file_unmap(&map);
	return 0;
}

static int decode_seed(struct reading *r, struct bytes snapshot, struct bytes input, struct snapshot *ret,
                       struct input *in)
{
	struct buf whole = {0};
	struct err err;
	int result = delta_unpack(&r->known, snapshot.data, snapshot.size, fetch, r, &whole, &err);
	if (result == 0)
		result = snapshot_decode(ret, whole.data, whole.len, &err);
	if (result == 0 && input_decode(in, input.data, input.size, &err) < 0) {
		snapshot_release(ret);
		result = -1;
	}
	buf_release(&whole);
	return result;
}

static int read_seed(struct reading *r, uint64_t number, struct snapshot *snapshot, struct input *in)
{
	struct file_map map;
	struct bytes first, second;
	if (map_seed(r, number, &map, &first, &second, NULL) < 0)
		return -1;
	int result = decode_seed(r, first, second, snapshot, in);
	file_unmap(&map);
	return result;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

// Numbers of the seeds, in order. What is half written has another name.
static uint64_t *list(const char *recorded, size_t *ret_n, struct err *err)
{
	size_t cap = 0;
	uint64_t *v = NULL;
	DIR *d = opendir(recorded);
	*ret_n = 0;
	if (!d) {
		err_errno(err, "cannot read %s", recorded);
		return NULL;
	}
	for (struct dirent *x = readdir(d); x; x = readdir(d)) {
		char *end;
		if (x->d_name[0] < '1' || x->d_name[0] > '9')
			continue;
		unsigned long long number = strtoull(x->d_name, &end, 10);
		if (*end)
			continue;
		vec_room(v, *ret_n + 1, cap);
		v[(*ret_n)++] = number;
	}
	closedir(d);
	if (!v)
		v = mem_zero(sizeof *v);
	qsort(v, *ret_n, sizeof *v, by_number);
	return v;
}

int record_each(const char *folder, int (*each)(void *opaque, struct snapshot *snapshot, struct input *in),
                void *opaque, size_t *ret_damaged, struct err *err)
{
	char *recorded = mem_printf("%s/recorded", folder);
	struct reading reading = {.recorded = recorded};
	size_t n, damaged = 0;
	uint64_t *numbers = list(recorded, &n, err);
	int r = numbers ? 0 : -1;
	for (size_t i = 0; r == 0 && i < n; i++) {
		struct snapshot snapshot = {0};
		struct input in = {0};
		if (read_seed(&reading, numbers[i], &snapshot, &in) == 0) {
			r = each(opaque, &snapshot, &in);
			snapshot_release(&snapshot);
			input_release(&in);
		} else {
			damaged++;
		}
	}
	if (ret_damaged)
		*ret_damaged = damaged;
	delta_release(&reading.known);
	mem_free(numbers);
	mem_free(recorded);
	return r;
}
