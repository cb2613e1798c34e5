// SigMF: NAME.sigmf-meta is JSON, NAME.sigmf-data are the samples. Annotations with a label say what was executed.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "signal/json.h"
#include "signal/recording_internal.h"

enum { META_MAX = 256 << 20 };

static const struct {
	const char *name;
	enum sample_type type;
} types[] = {{"i8", SAMPLE_I8},   {"u8", SAMPLE_U8},   {"i16", SAMPLE_I16}, {"u16", SAMPLE_U16},
             {"i32", SAMPLE_I32}, {"f32", SAMPLE_F32}, {"f64", SAMPLE_F64}};

static bool read_type(struct recording *r, const char *text)
{
	if (!text || (*text != 'r' && *text != 'c'))
		return false;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		size_t n = strlen(types[i].name);
		if (strncmp(text + 1, types[i].name, n) != 0)
			continue;
		const char *end = text + 1 + n;
		bool one = sample_sizes[types[i].type] == 1;
		if (strcmp(end, "_le") != 0 && strcmp(end, "_be") != 0 && !(one && !*end))
			continue;
		r->type = types[i].type;
		r->complex = *text == 'c';
		r->big = strcmp(end, "_be") == 0;
		return true;
	}
	return false;
}

static int read_annotations(struct recording *r, const struct json *root, struct err *err)
{
	const struct json *all = json_member(root, "annotations");
	size_t cap = 0;
	for (const struct json *a = all && all->kind == JSON_ARRAY ? all->first : NULL; a; a = a->next) {
		const char *label = json_text(a, "core:label");
		double start = json_number(a, "core:sample_start", -1), count = json_number(a, "core:sample_count", 0);
		if (!label)
			continue;
		if (!(start >= 0 && count >= 0 && start + count <= (double)r->n))
			return err_set(err, "%s: its annotation '%s' is not within the %llu samples", r->path, label,
			               (unsigned long long)r->n);
		recording_add_label(r, &cap, (uint64_t)start, (uint64_t)count, label);
	}
	recording_sort_labels(r);
	return 0;
}

static int read_meta(struct recording *r, const char *path, const struct json *root, const char *data, struct err *err)
{
	const struct json *global = json_member(root, "global"), *captures = json_member(root, "captures");
	const char *type = json_text(global, "core:datatype");
	double header =
		json_number(captures && captures->kind == JSON_ARRAY ? captures->first : NULL, "core:header_bytes", 0);
	if (!global)
		return err_set(err, "%s: it has no object 'global'; not SigMF", path);
	if (!read_type(r, type))
		return err_set(err, "%s: core:datatype is '%s', not one such as ri16_le or cf32_le", path,
		               type ? type : "");
	r->rate = json_number(global, "core:sample_rate", 0);
	if (!(r->rate >= 0) || !isfinite(r->rate))
		return err_set(err, "%s: core:sample_rate is no rate", path);
	if (json_number(global, "core:num_channels", 1) != 1)
		return err_set(err, "%s: it has several channels; split it", path);
	if (!(header >= 0 && header < 1e15))
		return err_set(err, "%s: core:header_bytes is no size", path);
	if (file_map(data, &r->map, err) < 0 || recording_set(r, (uint64_t)header, UINT64_MAX, err) < 0)
		return -1;
	return read_annotations(r, root, err);
}

int sigmf_open(struct recording *r, const char *path, struct err *err)
{
	size_t n = strlen(path);
	if (text_ends(path, ".sigmf-meta") || text_ends(path, ".sigmf-data"))
		n -= strlen(".sigmf-meta");
	char *meta = mem_printf("%.*s.sigmf-meta", (int)n, path), *data = mem_printf("%.*s.sigmf-data", (int)n, path);
	struct file_map text = {0};
	int result = file_map(meta, &text, err);
	if (result == 0 && text.size > META_MAX)
		result = err_set(err, "%s: more than %d MB of metadata", meta, META_MAX >> 20);
	if (result == 0) {
		unsigned line = 0;
		struct json *root = json_parse((const char *)text.data, text.size, &line);
		result = root ? read_meta(r, meta, root, data, err) : err_set(err, "%s:%u: not JSON", meta, line);
		json_free(root);
	}
	file_unmap(&text);
	mem_free(meta);
	mem_free(data);
	return result;
}

// --- writing -----------------------------------------------------------------------------------

static float scale_of(const float *v, size_t n)
{
	float most = 0;
	for (size_t i = 0; i < n; i++)
		most = fabsf(v[i]) > most ? fabsf(v[i]) : most;
	return most > 0 ? 32000 / most : 1;
}

int recording_write(const struct recording_output *o, const float *v, size_t n, struct err *err)
{
	struct buf data = {0}, meta = {0};
	char *name = mem_printf("%s.sigmf-data", o->name);
	float scale = scale_of(v, n);
	buf_reserve(&data, n * sizeof *v);
	for (size_t i = 0; i < n; i++) {
		int16_t whole = (int16_t)lrintf(v[i] * scale);
		buf_add(&data, o->floats ? (const void *)&v[i] : &whole, o->floats ? sizeof v[i] : sizeof whole);
	}
	int r = file_replace(name, data.data, data.len, 0666, err);
	buf_release(&data);
	buf_printf(
		&meta,
		"{\n  \"global\": {\"core:datatype\": \"%s\", \"core:sample_rate\": %.17g, \"core:version\": \"1.0.0\","
		" \"core:description\": \"%s\"},\n  \"captures\": [{\"core:sample_start\": 0}],\n"
		"  \"annotations\": []\n}\n",
		o->floats ? "rf32_le" : "ri16_le", o->rate, o->description);
	mem_free(name);
	name = mem_printf("%s.sigmf-meta", o->name);
	if (r == 0)
		r = file_replace(name, meta.data, meta.len, 0666, err);
	buf_release(&meta);
	mem_free(name);
	return r;
}
