#include "signal/recording.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/vec.h"
#include "signal/recording_internal.h"

const unsigned sample_sizes[SAMPLE_TYPES] = {1, 1, 2, 2, 4, 4, 8};

enum { FORGET = 8 << 20, BEHIND = 1 << 20, LABELS_MAX = 1 << 26 };

// --- opening -----------------------------------------------------------------------------------

bool recording_is(const char *path)
{
	return text_ends(path, ".sigmf-meta") || text_ends(path, ".npy") || text_ends(path, ".wav");
}

int recording_open(struct recording *ret, const char *path, struct err *err)
{
	*ret = (struct recording){.path = mem_strdup(path)};
	char *meta = mem_printf("%s.sigmf-meta", path);
	int r;
	if (text_ends(path, ".sigmf-meta") || text_ends(path, ".sigmf-data") || file_exists(meta))
		r = sigmf_open(ret, path, err);
	else if (text_ends(path, ".npy"))
		r = npy_open(ret, path, err);
	else if (text_ends(path, ".wav"))
		r = wav_open(ret, path, err);
	else
		r = err_set(err, "%s: the end of its name is none of .sigmf-meta, .npy and .wav", path);
	mem_free(meta);
	if (r < 0)
		recording_close(ret);
	return r;
}

void recording_close(struct recording *r)
{
	for (size_t i = 0; i < r->n_labels; i++)
		mem_free(r->labels[i].text);
	mem_free(r->labels);
	mem_free(r->path);
	file_unmap(&r->map);
	*r = (struct recording){0};
}

int recording_set(struct recording *r, uint64_t offset, uint64_t n, struct err *err)
{
	uint64_t each = sample_sizes[r->type] * (r->complex ? 2u : 1u);
	uint64_t there = offset <= r->map.size ? (r->map.size - offset) / each : 0;
	if (n == UINT64_MAX)
		n = there;
	if (n > there)
		return err_set(err, "%s: it says %llu samples and has %llu; copy it again", r->path,
		               (unsigned long long)n, (unsigned long long)there);
	if (n == 0)
		return err_set(err, "%s: it has no samples", r->path);
	r->data = r->map.data + offset;
	r->n = n;
	return 0;
}

// --- samples -----------------------------------------------------------------------------------

static uint64_t number_at(const uint8_t *p, unsigned size, bool big)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)p[big ? size - 1 - i : i] << 8 * i;
	return v;
}

static float value_at(const struct recording *r, const uint8_t *p)
{
	uint64_t v = number_at(p, sample_sizes[r->type], r->big);
	float f;
	double d;
	switch (r->type) {
	case SAMPLE_I8: return (float)(int8_t)v;
	case SAMPLE_U8: return (float)v - 128;
	case SAMPLE_I16: return (float)(int16_t)v;
	case SAMPLE_U16: return (float)v - 32768;
	case SAMPLE_I32: return (float)(int32_t)v;
	case SAMPLE_F32: memcpy(&f, &(uint32_t){(uint32_t)v}, sizeof f); return isfinite(f) ? f : 0;
	default: memcpy(&d, &v, sizeof d); return isfinite((float)d) ? (float)d : 0;
	}
}

// What was read long ago is not needed any more.
static void forget(struct recording *r, const uint8_t *upto)
{
	uint64_t done = (uint64_t)(upto - r->map.data);
	if (done < r->forgotten + FORGET + BEHIND)
		return;
	uint64_t end = (done - BEHIND) & ~(uint64_t)(BEHIND - 1);
	madvise((uint8_t *)r->map.data + r->forgotten, end - r->forgotten, MADV_DONTNEED);
	r->forgotten = end;
}

size_t recording_read(struct recording *r, uint64_t from, size_t n, float *ret)
{
	unsigned size = sample_sizes[r->type], each = r->complex ? 2 * size : size;
	if (from >= r->n)
		return 0;
	n = r->n - from < n ? (size_t)(r->n - from) : n;
	const uint8_t *p = r->data + from * each;
	if (r->type == SAMPLE_F32 && !r->complex && !r->big) {
		memcpy(ret, p, n * sizeof *ret);
		for (size_t i = 0; i < n; i++)
			ret[i] = isfinite(ret[i]) ? ret[i] : 0;
	} else if (r->type == SAMPLE_I16 && !r->complex && !r->big) {
		for (size_t i = 0; i < n; i++, p += 2)
			ret[i] = (float)(int16_t)(p[0] | p[1] << 8);
	} else {
		for (size_t i = 0; i < n; i++, p += each)
			ret[i] = r->complex ? hypotf(value_at(r, p), value_at(r, p + size)) : value_at(r, p);
	}
	forget(r, r->data + from * each);
	return n;
}

// --- labels ------------------------------------------------------------------------------------

void recording_add_label(struct recording *r, size_t *cap, uint64_t start, uint64_t count, const char *text)
{
	vec_room(r->labels, r->n_labels + 1, *cap);
	r->labels[r->n_labels++] = (struct recording_label){start, count, mem_strdup(text)};
}

void recording_label(struct recording *r, uint64_t start, uint64_t count, const char *text)
{
	recording_add_label(r, &r->labels_cap, start, count, text);
}

void recording_drop_labels(struct recording *r)
{
	for (size_t i = 0; i < r->n_labels; i++)
		mem_free(r->labels[i].text);
	mem_free(r->labels);
	r->labels = NULL;
	r->n_labels = r->labels_cap = 0;
}

static int by_start(const void *a, const void *b)
{
	const struct recording_label *x = a, *y = b;
	return x->start < y->start ? -1 : x->start > y->start;
}

void recording_sort_labels(struct recording *r)
{
	if (r->n_labels)
		qsort(r->labels, r->n_labels, sizeof *r->labels, by_start);
}

static char *path_name(const struct recording *r)
{
	static const char *const ends[] = {".sigmf-meta", ".sigmf-data", ".npy", ".wav"};
	size_t n = strlen(r->path);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (text_ends(r->path, ends[i]))
			n = strlen(r->path) - strlen(ends[i]);
	return mem_printf("%.*s.path", (int)n, r->path);
}

int recording_read_path(struct recording *r, struct err *err)
{
	char *name = path_name(r);
	struct buf text = {0};
	size_t cap = r->n_labels, number = 0;
	int result = 0;
	if (file_exists(name) && (result = file_read(name, &text, err)) == 0 && text.len) {
		for (char *at = text.data, *line; result == 0 && (line = strsep(&at, "\n"));) {
			unsigned long long start, count;
			int end = 0;
			number++;
			if (!*line)
				continue;
			if (sscanf(line, "%llu %llu %n", &start, &count, &end) != 2 || !end || !line[end] ||
			    start > r->n || count > r->n - start || r->n_labels == LABELS_MAX)
				result = err_set(err, "%s:%zu: not a line of START COUNT LABEL within the recording",
				                 name, number);
			else
				recording_add_label(r, &cap, start, count, line + end);
		}
		recording_sort_labels(r);
	}
	buf_release(&text);
	mem_free(name);
	return result;
}
