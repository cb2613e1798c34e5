// Objects of a program's units: from the cache, or made by veer-instrument.
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/process.h"
#include "variants/build_internal.h"

static char *unit_path(const struct builder *b, const struct frame *f)
{
	struct buf all = {0};
	buf_add(&all, &b->tools->id, sizeof b->tools->id);
	buf_string(&all, b->variant);
	buf_add(&all, &f->hash, sizeof f->hash);
	char *path = cache_unit_path(b->cache, hash_bytes(all.data, all.len));
	buf_release(&all);
	return path;
}

int build_unpack(const struct frame *f, const char *path, struct err *err)
{
	struct buf payload = {0};
	int r = frame_unpack(f, &payload, err);
	if (r == 0)
		r = file_replace(path, payload.data, payload.len, 0644, err);
	buf_release(&payload);
	return r;
}

void build_objects_release(struct build_objects *o)
{
	for (size_t i = 0; i < o->n; i++)
		mem_free(o->paths[i]);
	mem_free(o->paths);
}

// Reads the worker's answers; `which` maps its job numbers to frames.
static int follow_worker(const struct builder *b, const struct build_input *in, int fd, const size_t *which,
                         size_t jobs, struct err *err)
{
	FILE *answers = fdopen(fd, "r");
	char line[2048];
	size_t done = 0;
	int r = 0;
	while (fgets(line, sizeof line, answers)) {
		size_t job = 0;
		char why[1200] = "";
		line[strcspn(line, "\n")] = 0;
		if (sscanf(line, "fail %zu %1199[^\n]", &job, why) >= 1 && job < jobs && r == 0)
			r = err_set(err, "cannot instrument %s: %.600s", in->frames.v[which[job]].source, why);
		done++;
		if (b->progress)
			b->progress(b->opaque, in->path, done, jobs);
	}
	fclose(answers);
	if (r == 0 && done < jobs)
		r = err_set(err, "%s stopped after %zu of %zu units", b->tools->worker, done, jobs);
	return r;
}

// Runs veer-instrument with `input` on its standard input; *ret_answers is a descriptor to read its answers from, which
// the caller closes. Returns its process, to be waited for, or -1 with *err filled. It writes in `folder` and the
// cache's units only.
static pid_t start_worker(const struct builder *b, const char *first, const char *second, const struct buf *input,
                          const char *folder, int *ret_answers, struct err *err)
{
	int in = memfd_create("veer-jobs", MFD_CLOEXEC), answers[2];
	if (in < 0 || pipe2(answers, O_CLOEXEC) < 0)
		return err_errno(err, "cannot start %s", b->tools->worker);
	file_write_all(in, input->data, input->len);
	lseek(in, 0, SEEK_SET);
	char *argv[] = {b->tools->worker, (char *)first, (char *)second, NULL};
	struct build_confine confine;
	build_confine_init(&confine, b, folder);
	pid_t pid = process_start_confined(argv, NULL, in, answers[1], -1, &confine.how, err);
	build_confine_release(&confine);
	close(in);
	close(answers[1]);
	if (pid < 0)
		close(answers[0]);
	else
		*ret_answers = answers[0];
	return pid;
}

int build_ask(const struct builder *b, const char *what, const char *output, const struct buf *inputs,
              const char *folder, size_t *ret_input, struct err *err)
{
	char line[2048] = "", why[1200] = "";
	int answers;
	*ret_input = 0;
	pid_t pid = start_worker(b, what, output, inputs, folder, &answers, err);
	if (pid < 0)
		return -1;
	FILE *f = fdopen(answers, "r");
	bool answered = fgets(line, sizeof line, f) != NULL;
	fclose(f);
	process_wait(pid, NULL);
	if (!answered)
		return err_set(err, "%s was killed", b->tools->worker);
	return sscanf(line, "fail %zu %1199[^\n]", ret_input, why) == 2 ? err_set(err, "%.600s", why) : 0;
}

struct missing {
	size_t frame, size;
};

// The largest first, so that at the end no worker waits long for another.
static int by_size(const void *x, const void *y)
{
	const struct missing *a = x, *b = y;
	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return a->frame < b->frame ? -1 : a->frame > b->frame;
}

// Frames whose units are not in the cache. Returns how many; the caller frees *ret.
static size_t find_missing(const struct build_input *in, const struct build_objects *objects, size_t **ret)
{
	struct missing *all = mem_zero((in->frames.n + 1) * sizeof *all);
	size_t n = 0;
	for (size_t i = 0; i < in->frames.n; i++)
		if (in->frames.v[i].kind == FRAME_BITCODE && !file_exists(objects->paths[i]))
			all[n++] = (struct missing){.frame = i, .size = in->frames.v[i].size};
	qsort(all, n, sizeof *all, by_size);
	*ret = mem_zero((n + 1) * sizeof **ret);
	for (size_t i = 0; i < n; i++)
		(*ret)[i] = all[i].frame;
	mem_free(all);
	return n;
}

static int instrument_missing(const struct builder *b, const struct build_input *in,
                              const struct build_objects *objects, const char *folder, struct err *err)
{
	struct buf jobs = {0};
	size_t *which, n = find_missing(in, objects, &which);
	int r = 0;
	for (size_t k = 0; r == 0 && k < n; k++) {
		size_t i = which[k];
		const struct frame *f = &in->frames.v[i];
		char *parent = path_dirname(objects->paths[i]);
		char *bitcode = mem_printf("%s/%zu.bc", folder, i);
		r = file_mkdirs(parent, 0777, err);
		if (r == 0)
			r = build_unpack(f, bitcode, err);
		buf_printf(&jobs, "%s\t%s\n", bitcode, objects->paths[i]);
		mem_free(parent);
		mem_free(bitcode);
	}
	if (r == 0 && n) {
		char workers[16];
		snprintf(workers, sizeof workers, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
		int answers;
		if (b->progress)
			b->progress(b->opaque, in->path, 0, n);
		pid_t pid = start_worker(b, b->variant, workers, &jobs, folder, &answers, err);
		r = pid < 0 ? -1 : follow_worker(b, in, answers, which, n, err);
		if (pid > 0)
			process_wait(pid, NULL);
	}
	mem_free(which);
	buf_release(&jobs);
	return r;
}

int build_objects_make(const struct builder *b, const struct build_input *in, const char *folder,
                       struct build_objects *objects, struct err *err)
{
	objects->n = in->frames.n;
	objects->paths = mem_zero(objects->n * sizeof *objects->paths);
	int r = 0;
	for (size_t i = 0; r == 0 && i < in->frames.n; i++) {
		const struct frame *f = &in->frames.v[i];
		if (f->kind == FRAME_BITCODE) {
			objects->paths[i] = unit_path(b, f);
			cache_touch(objects->paths[i]);
		} else if (f->kind == FRAME_NATIVE) {
			objects->paths[i] = mem_printf("%s/%zu.o", folder, i);
			r = build_unpack(f, objects->paths[i], err);
		}
	}
	return r == 0 ? instrument_missing(b, in, objects, folder, err) : r;
}
