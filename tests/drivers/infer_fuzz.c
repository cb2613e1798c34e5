// A target for libFuzzer: what veer infer reads, recordings, their labels, models, firmware; and inference with models
// that are whole but senseless. Built and run by bench/infer/fuzz. The first byte says what the others are.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "firmware/follow.h"
#include "infer/decode.h"
#include "infer/plan.h"
#include "infer/show.h"
#include "infer/stateless.h"
#include "infer/train.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SAMPLES = 3000 };

static char *file_in(const char *end)
{
	static char folder[64];
	if (!*folder) {
		snprintf(folder, sizeof folder, "/dev/shm/veer-infer-fuzz-XXXXXX");
		if (!mkdtemp(folder))
			abort();
	}
	return mem_printf("%s/r%s", folder, end);
}

static char *put(const char *end, const void *data, size_t size)
{
	char *path = file_in(end);
	FILE *f = fopen(path, "w");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0)
		abort();
	return path;
}

static void use_recording(const char *path)
{
	struct recording r;
	struct err err;
	float v[4096];
	if (recording_open(&r, path, &err) < 0)
		return;
	if (recording_read_path(&r, &err) == 0)
		for (uint64_t at = 0; at < r.n && at < 1 << 20; at += sizeof v / sizeof *v)
			recording_read(&r, at, sizeof v / sizeof *v, v);
	recording_close(&r);
}

static struct buf shown;

static void take(void *opaque, const struct path_segment *s)
{
	if (s->end < s->begin)
		abort();
	show_segment(opaque, s, &shown);
}

// A recording that begins with the model's own waves, so that decoding comes into the graph.
static void use_model(const struct model *m)
{
	static const char *const formats[] = {"text", "json", "trace", "html"};
	float *v = mem_alloc(SAMPLES * sizeof *v);
	uint32_t t = 0, k = 0;
	for (size_t i = 0; i < SAMPLES; i++, k++) {
		if (k == m->templates[t].n)
			t = (t + 1) % m->n_templates, k = 0;
		v[i] = m->templates[t].mean[k];
		v[i] = v[i] > -1e6f && v[i] < 1e6f ? v[i] : 1;
	}
	char *path = file_in("");
	const struct recording_output o = {.name = path, .rate = m->rate, .floats = true, .description = "fuzzed"};
	struct recording r;
	struct err err;
	if (recording_write(&o, v, SAMPLES, &err) == 0 && recording_open(&r, path, &err) == 0) {
		struct decode_counts counts;
		struct show *show = show_new(formats[m->n_segments % 4], m, &r, &err);
		show_begin(show, &shown);
		decode_infer(m, &r, take, show, &counts);
		show_end(show, &shown);
		show_free(show);
		if (m->n_windows < 64) {
			show = show_new("text", m, &r, &err);
			stateless_infer(m, &r, 0.4f, take, show);
			show_free(show);
		}
		recording_close(&r);
	}
	buf_release(&shown);
	mem_free(v);
	mem_free(path);
}

static void try_model(uint8_t *data, size_t size)
{
	struct model m;
	struct err err;
	if (size >= 16) { // who means harm computes the hash, too
		uint64_t hash = hash_bytes(data + 16, size - 16).low;
		memcpy(data + 8, &hash, 8);
	}
	char *path = put(".model", data, size);
	if (infer_model_read(&m, path, &err) == 0) {
		use_model(&m);
		infer_model_release(&m);
	}
	mem_free(path);
}

static void nothing(void *opaque, const struct followed *segment)
{
}

static void try_firmware(const uint8_t *data, size_t size)
{
	struct program p;
	struct err err;
	char *path = put(".elf", data, size);
	if (program_open(&p, path, &err) == 0) {
		struct follower f;
		follower_init(&f, &p, nothing, NULL);
		for (uint32_t b = 0; b < p.n_blocks; b++)
			follower_step(&f, p.blocks[b * 7 % p.n_blocks].address, b);
		follower_end(&f, p.n_blocks);
		program_close(&p);
	}
	mem_free(path);
}

static void try_plan(const uint8_t *data, size_t size)
{
	struct plan plan;
	struct err err;
	char *path = put(".plan", data, size);
	if (plan_read(&plan, path, &err) == 0)
		plan_release(&plan);
	mem_free(path);
}

static void try_recording(int which, const uint8_t *data, size_t size)
{
	static const char *const ends[] = {".npy", ".wav", ".sigmf-meta", ".path"};
	static const char meta[] = "{\"global\":{\"core:datatype\":\"ri16_le\"},\"captures\":[],\"annotations\":[]}";
	char *other = which >= 2 ? put(".sigmf-data", data, size) : NULL;
	char *label = which == 3 ? put(".sigmf-meta", meta, sizeof meta - 1) : NULL;
	char *path = put(ends[which], data, size);
	use_recording(label ? label : path);
	unlink(path);
	mem_free(path);
	mem_free(other);
	mem_free(label);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	uint8_t *exact = mem_alloc(size);
	memcpy(exact, data + 1, size - 1);
	switch (data[0] % 8) {
	case 0:
	case 1:
	case 2:
	case 3: try_recording(data[0] % 8, exact, size - 1); break;
	case 4: try_firmware(exact, size - 1); break;
	case 5: try_plan(exact, size - 1); break;
	default: try_model(exact, size - 1);
	}
	mem_free(exact);
	if (mem_live())
		abort();
	return 0;
}
