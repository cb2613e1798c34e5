#include "explore/scope.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "input/sym.h"

enum { CONTENT_MAX = 1 << 20 }; // of a file that can be symbolic (runtime/trace/source.c)
enum { OTHERS_MAX = 4096 };

// --- inputs that tests read alike ---------------------------------------------------------------

// Of a file, and of the program's tests.
static uint64_t file_key(uint32_t program, const struct snapshot_entry *e)
{
	return hash_mix(hash_mix(hash_text(e->path), e->content.low), program) | 1;
}

static uint64_t program_key(uint32_t program)
{
	return hash_mix(0x74657374, program) | 1;
}

MAP_FUNCTIONS(counts, struct alike, uint64_t, .key, .key, map_hash_number, map_same_number)

static void count(struct alike *a, uint64_t key)
{
	counts_put(a, key)->n++;
}

static uint32_t counted(const struct alike *a, uint64_t key)
{
	const struct alike_count *x = counts_get(a, key);
	return x ? x->n : 0;
}

static bool is_file(const struct snapshot_entry *e)
{
	return e->kind == SNAPSHOT_FILE && e->known;
}

void alike_add(struct alike *a, uint32_t program, const struct snapshot *s)
{
	count(a, program_key(program));
	for (size_t i = 0; i < s->n; i++)
		if (is_file(&s->v[i]))
			count(a, file_key(program, &s->v[i]));
}

void alike_release(struct alike *a)
{
	counts_release(a);
}

uint32_t alike_tests(const struct alike *a, uint32_t program, const struct snapshot_entry *e)
{
	enum { FEW = 4 };
	uint32_t tests = counted(a, program_key(program)), with = counted(a, file_key(program, e));
	return tests >= FEW && 4 * (uint64_t)with >= 3 * (uint64_t)tests ? with : 0;
}

// --- the inputs of a test -------------------------------------------------------------------------

static bool is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);
	while (n > 1 && folder[n - 1] == '/')
		n--;
	return strncmp(path, folder, n) == 0 && (path[n] == '/' || (n == 1 && folder[0] == '/'));
}

// Does an argument end with the file's name, as in PATH, -fPATH or --file=PATH?
static bool is_named(const char *path, const struct input *in)
{
	const char *name = path_basename(path);
	size_t size = strlen(name);
	for (size_t i = 0, nth = 0; i < in->n; i++) {
		const struct buf *b = &in->v[i].data;
		if (in->v[i].kind == INPUT_ARGUMENT && nth++ && b->len >= size &&
		    memcmp(b->data + b->len - size, name, size) == 0)
			return true;
	}
	return false;
}

// Named by --sym: with its path as it is, or as seen from the test's folder.
static bool is_asked_for(const char *path, const struct snapshot *s, const char *sym)
{
	for (const char *p = sym; p; p = strchr(p, ',')) {
		p += *p == ',';
		size_t n = strcspn(p, ",");
		if (strncmp(p, "file:", 5) != 0)
			continue;
		char *word = mem_copy(p + 5, n - 5), *full = path_absolute(s->cwd, word);
		bool is = strcmp(full, path) == 0;
		mem_free(full);
		mem_free(word);
		if (is)
			return true;
	}
	return false;
}

static void add_part(struct scope_parts *p, const struct scope_part *part)
{
	assert(part->group < SCOPE_GROUPS && part->of.name);
	vec_room(p->v, p->n + 1, p->cap);
	p->v[p->n] = *part;
	p->v[p->n++].of.name = mem_strdup(part->of.name);
}

static int in_order(const void *x, const void *y)
{
	const struct scope_part *a = x, *b = y;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return a->of.type.kind != b->of.type.kind ? (a->of.type.kind < b->of.type.kind ? -1 : 1)
	                                          : strcmp(a->of.name, b->of.name);
}

static void add_file(struct scope_parts *p, const struct snapshot *s, const struct input *in, const char *sym,
                     const struct snapshot_entry *e, uint32_t tests)
{
	bool asked = is_asked_for(e->path, s, sym), all = sym_has(sym, "files");
	if (!asked && (!all || strncmp(e->path, "/usr/", 5) == 0 || strncmp(e->path, "/proc/", 6) == 0))
		return;
	struct scope_part part = {
		.of = input_source(INPUT_FILE, INPUT_BYTES, 0, e->path), .size = e->size, .hash = e->content.low};
	if (!asked && tests) {
		part.group = SCOPE_ALIKE;
		part.tests = tests;
	} else if (!asked && !is_below(e->path, s->cwd) && !is_below(e->path, "/tmp") && !is_named(e->path, in)) {
		part.group = SCOPE_OUTSIDE;
	}
	add_part(p, &part);
}

void scope_parts_init(struct scope_parts *ret, const struct snapshot *s, const struct input *in, const char *sym,
                      const struct alike *alike, uint32_t program)
{
	const struct input_part *input = input_find(in, INPUT_STDIN, NULL);
	*ret = (struct scope_parts){0};
	if (sym_has(sym, "stdin") && s->streams[0] == STREAM_ORDINARY) {
		size_t size = input ? input->data.len : 0;
		const struct scope_part part = {.of = input_source(INPUT_STDIN, INPUT_BYTES, 0, ""),
		                                .size = size,
		                                .hash = size ? hash_bytes(input->data.data, size).low : 0};
		add_part(ret, &part);
	}
	for (size_t i = 0; i < s->n; i++)
		if (is_file(&s->v[i]))
			add_file(ret, s, in, sym, &s->v[i], alike_tests(alike, program, &s->v[i]));
	if (ret->n)
		qsort(ret->v, ret->n, sizeof *ret->v, in_order);
}

void scope_parts_release(struct scope_parts *p)
{
	for (size_t i = 0; i < p->n; i++)
		mem_free((char *)p->v[i].of.name);
	mem_free(p->v);
	*p = (struct scope_parts){0};
}

void scope_parts_mark(struct scope_parts *p, bool (*was_read)(void *opaque, struct input_source of), void *opaque)
{
	for (size_t i = 0; i < p->n; i++)
		p->v[i].unread = !was_read(opaque, p->v[i].of);
}

// Stands before what kind, ordinal and name identify. Older versions wrote the number of parts there, and labels.
enum { IDENTIFIED = UINT32_MAX };

void scope_parts_encode(const struct scope_parts *p, struct buf *out)
{
	buf_u32(out, IDENTIFIED);
	buf_u32(out, (uint32_t)p->n);
	for (size_t i = 0; i < p->n; i++) {
		input_source_encode(p->v[i].of, out);
		buf_u64(out, p->v[i].size);
		buf_u64(out, p->v[i].hash);
		buf_u32(out, p->v[i].group);
		buf_u32(out, p->v[i].tests);
		buf_u32(out, p->v[i].unread);
	}
}

// A part that an older version wrote was standard input, by that label, or a file by its path.
static struct input_source labelled(struct cursor *c)
{
	char *label = cursor_string(c);
	if (!label || strcmp(label, "stdin") != 0)
		return input_source(INPUT_FILE, INPUT_BYTES, 0, label);
	label[0] = 0;
	return input_source(INPUT_STDIN, INPUT_BYTES, 0, label);
}

int scope_parts_decode(struct scope_parts *ret, const void *data, size_t size, struct err *err)
{
	struct cursor c = {.p = data, .end = (const uint8_t *)data + size};
	uint32_t n = cursor_u32(&c);
	bool identified = n == IDENTIFIED;
	if (identified)
		n = cursor_u32(&c);
	*ret = (struct scope_parts){0};
	for (uint32_t i = 0; i < n && !c.bad; i++) {
		struct scope_part part = {.of = identified ? input_source_decode(&c) : labelled(&c)};
		part.size = cursor_u64(&c);
		part.hash = cursor_u64(&c);
		part.group = cursor_u32(&c);
		part.tests = cursor_u32(&c);
		part.unread = cursor_u32(&c) != 0;
		c.bad |= part.group >= SCOPE_GROUPS;
		if (!c.bad)
			add_part(ret, &part);
		mem_free((char *)part.of.name);
	}
	if (!c.bad && c.p == c.end)
		return 0;
	scope_parts_release(ret);
	return err_set(err, "the inputs of a recorded test are damaged");
}

// --- scopes --------------------------------------------------------------------------------------

// Positions of a part: its bytes, and its end.
static uint64_t positions(const struct scope_part *part)
{
	return (part->size < CONTENT_MAX ? part->size : CONTENT_MAX) + 1;
}

uint64_t scope_first(const struct scope_parts *p, uint64_t width)
{
	uint64_t n = 0;
	for (size_t i = 0; i < p->n && p->v[i].group == SCOPE_OWN && n + positions(&p->v[i]) <= width; i++)
		n += positions(&p->v[i]);
	return n;
}

// The positions of part i that lie in [from, to), counted from its start.
static void cut(const struct scope_parts *p, size_t part, uint64_t from, uint64_t to, uint64_t *ret_from,
                uint64_t *ret_to)
{
	assert(part < p->n && from <= to);
	uint64_t start = 0, size = positions(&p->v[part]);
	for (size_t i = 0; i < part; i++)
		start += positions(&p->v[i]);
	uint64_t first = from > start ? from - start : 0, last = to > start ? to - start : 0;
	*ret_from = first < size ? first : size;
	*ret_to = last > size ? size : last > *ret_from ? last : *ret_from;
	assert(*ret_from <= *ret_to && *ret_to <= size);
}

uint64_t scope_next(const struct scope_parts *p, uint64_t from)
{
	uint64_t start = 0;
	for (size_t i = 0; i < p->n; i++) {
		uint64_t end = start + positions(&p->v[i]);
		if (from < end && !p->v[i].unread)
			return from > start ? from : start;
		start = end;
	}
	return UINT64_MAX;
}

// The end of an input that does not fit is a scope of its own: with the length, all that is behind a byte depends on
// it.
uint64_t scope_reach(const struct scope_parts *p, uint64_t from, uint64_t width)
{
	uint64_t start = 0, at = from;
	for (size_t i = 0; i < p->n && width; i++) {
		uint64_t end = start + positions(&p->v[i]);
		if (from < end && !p->v[i].unread) {
			uint64_t first = from > start ? from : start, n = end - first < width ? end - first : width;
			if (first + n == end && first > start && n > 1)
				return end - 1;
			at = first + n;
			width -= n;
		}
		start = end;
	}
	return at;
}

uint64_t scope_position(const struct scope_parts *p, struct input_source of, uint64_t size)
{
	uint64_t start = 0;
	for (size_t i = 0; i < p->n; i++) {
		if (input_is_same(p->v[i].of, of))
			return start + (size + 1 < positions(&p->v[i]) ? size : positions(&p->v[i]));
		start += positions(&p->v[i]);
	}
	return 0;
}

uint64_t scope_width(const struct scope_parts *p, uint64_t from, uint64_t to)
{
	uint64_t n = 0;
	for (size_t i = 0; i < p->n; i++)
		n += p->v[i].unread ? 0 : scope_overlap(p, i, from, to);
	return n;
}

bool scope_after(const struct scope_parts *p, const struct scope_range *t, uint64_t *ret_from, uint64_t *ret_to)
{
	uint64_t from = t->to, end = UINT64_MAX, width = t->width;
	uint64_t fewer = scope_width(p, t->from, t->to) / SCOPE_FACTOR;
	if (t->reached > t->from && t->reached < t->to) {
		from = t->reached;
		end = t->to;
	} else if (t->reached > t->from && fewer >= SCOPE_LEAST) {
		from = t->from;
		width = fewer;
	}
	*ret_from = scope_next(p, from);
	if (*ret_from == UINT64_MAX)
		return false;
	*ret_to = scope_reach(p, *ret_from, width);
	if (*ret_from < end && *ret_to > end)
		*ret_to = end;
	assert(*ret_from < *ret_to);
	return true;
}

uint64_t scope_overlap(const struct scope_parts *p, size_t part, uint64_t from, uint64_t to)
{
	uint64_t first, last;
	cut(p, part, from, to, &first, &last);
	return last - first;
}

// Keys are stored: by its label as ever.
static uint64_t label_hash(struct input_source of)
{
	char *label = input_source_label(of);
	uint64_t hash = hash_text(label);
	mem_free(label);
	return hash;
}

uint64_t scope_windows(const struct scope_parts *p, uint64_t from, uint64_t to, struct windows *ret)
{
	uint64_t key = 0;
	*ret = (struct windows){0};
	for (size_t i = 0; i < p->n; i++) {
		const struct scope_part *part = &p->v[i];
		uint64_t first, last, all = positions(part);
		cut(p, i, from, to, &first, &last);
		if (first == 0 && last == all && part->size < CONTENT_MAX)
			continue; // all of it
		bool none = first == last, open = !none && last == all && part->size < CONTENT_MAX;
		windows_add(ret, part->of, none ? 0 : first, none ? 0 : open ? LAUNCH_OPEN : last);
		key = hash_mix(hash_mix(hash_mix(key, label_hash(part->of)), part->hash),
		               hash_mix(none ? 0 : first, none ? 0 : last));
	}
	if (ret->n) // files that the recorded test does not read, and a solution does
		ret->limit = OTHERS_MAX;
	return key;
}
