#include "explore/target.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "run/sym.h"

enum { CONTENT_MAX = 1 << 20 }; // of a file that can be symbolic (runtime/trace/source.c)
enum { OTHERS_MAX = 4096 };

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t h = (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdu;
	h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53u;
	return h ^ h >> 29;
}

static uint64_t hash_text(const char *s)
{
	return hash_bytes(s, strlen(s)).low;
}

// --- inputs that tests read alike ---------------------------------------------------------------

// Of a file, and of the program's tests.
static uint64_t file_key(uint32_t program, const struct snapshot_entry *e)
{
	return mix(mix(hash_text(e->path), e->content.low), program) | 1;
}

static uint64_t program_key(uint32_t program)
{
	return mix(0x74657374, program) | 1;
}

static size_t slot_of(const struct alike *a, uint64_t key)
{
	size_t at = key >> 8 & (a->cap - 1);
	while (a->keys[at] && a->keys[at] != key)
		at = (at + 1) & (a->cap - 1);
	return at;
}

static void grow(struct alike *a)
{
	struct alike bigger = {.n = a->n, .cap = a->cap ? 2 * a->cap : 1024};
	bigger.keys = mem_zero(bigger.cap * sizeof *bigger.keys);
	bigger.counts = mem_zero(bigger.cap * sizeof *bigger.counts);
	for (size_t i = 0; i < a->cap; i++)
		if (a->keys[i]) {
			size_t at = slot_of(&bigger, a->keys[i]);
			bigger.keys[at] = a->keys[i];
			bigger.counts[at] = a->counts[i];
		}
	alike_release(a);
	*a = bigger;
}

static void count(struct alike *a, uint64_t key)
{
	if (2 * (a->n + 1) > a->cap)
		grow(a);
	size_t at = slot_of(a, key);
	a->n += !a->keys[at];
	a->keys[at] = key;
	a->counts[at]++;
}

static uint32_t counted(const struct alike *a, uint64_t key)
{
	size_t at = a->cap ? slot_of(a, key) : 0;
	return a->cap && a->keys[at] ? a->counts[at] : 0;
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
	mem_free(a->keys);
	mem_free(a->counts);
	*a = (struct alike){0};
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

static void add_part(struct target_parts *p, const struct target_part *part)
{
	if (p->n == p->cap) {
		p->cap = p->cap ? 2 * p->cap : 8;
		p->v = mem_resize(p->v, p->cap * sizeof *p->v);
	}
	p->v[p->n] = *part;
	p->v[p->n++].name = mem_strdup(part->name);
}

static int in_order(const void *x, const void *y)
{
	const struct target_part *a = x, *b = y;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->size != b->size)
		return a->size < b->size ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void add_file(struct target_parts *p, const struct snapshot *s, const struct input *in, const char *sym,
                     const struct snapshot_entry *e, uint32_t tests)
{
	bool asked = is_asked_for(e->path, s, sym), all = sym_has(sym, "files");
	if (!asked && (!all || strncmp(e->path, "/usr/", 5) == 0 || strncmp(e->path, "/proc/", 6) == 0))
		return;
	struct target_part part = {.name = e->path, .size = e->size, .hash = e->content.low};
	if (!asked && tests) {
		part.group = TARGET_ALIKE;
		part.tests = tests;
	} else if (!asked && !is_below(e->path, s->cwd) && !is_below(e->path, "/tmp") && !is_named(e->path, in)) {
		part.group = TARGET_OUTSIDE;
	}
	add_part(p, &part);
}

void target_parts_init(struct target_parts *ret, const struct snapshot *s, const struct input *in, const char *sym,
                       const struct alike *alike, uint32_t program)
{
	const struct input_part *input = input_find(in, INPUT_STDIN, NULL);
	*ret = (struct target_parts){0};
	if (sym_has(sym, "stdin") && s->streams[0] == STREAM_ORDINARY) {
		size_t size = input ? input->data.len : 0;
		const struct target_part part = {
			.name = "stdin", .size = size, .hash = size ? hash_bytes(input->data.data, size).low : 0};
		add_part(ret, &part);
	}
	for (size_t i = 0; i < s->n; i++)
		if (is_file(&s->v[i]))
			add_file(ret, s, in, sym, &s->v[i], alike_tests(alike, program, &s->v[i]));
	if (ret->n)
		qsort(ret->v, ret->n, sizeof *ret->v, in_order);
}

void target_parts_release(struct target_parts *p)
{
	for (size_t i = 0; i < p->n; i++)
		mem_free(p->v[i].name);
	mem_free(p->v);
	*p = (struct target_parts){0};
}

void target_parts_mark(struct target_parts *p, bool (*was_read)(void *opaque, const char *name), void *opaque)
{
	for (size_t i = 0; i < p->n; i++)
		p->v[i].unread = !was_read(opaque, p->v[i].name);
}

void target_parts_encode(const struct target_parts *p, struct buf *out)
{
	buf_u32(out, (uint32_t)p->n);
	for (size_t i = 0; i < p->n; i++) {
		buf_string(out, p->v[i].name);
		buf_u64(out, p->v[i].size);
		buf_u64(out, p->v[i].hash);
		buf_u32(out, p->v[i].group);
		buf_u32(out, p->v[i].tests);
		buf_u32(out, p->v[i].unread);
	}
}

int target_parts_decode(struct target_parts *ret, const void *data, size_t size, struct err *err)
{
	struct cursor c = {.p = data, .end = (const uint8_t *)data + size};
	uint32_t n = cursor_u32(&c);
	*ret = (struct target_parts){0};
	for (uint32_t i = 0; i < n && !c.bad; i++) {
		struct target_part part = {.name = cursor_string(&c)};
		part.size = cursor_u64(&c);
		part.hash = cursor_u64(&c);
		part.group = cursor_u32(&c);
		part.tests = cursor_u32(&c);
		part.unread = cursor_u32(&c) != 0;
		c.bad |= part.group >= TARGET_GROUPS;
		if (!c.bad)
			add_part(ret, &part);
		mem_free(part.name);
	}
	if (!c.bad && c.p == c.end)
		return 0;
	target_parts_release(ret);
	return err_set(err, "the inputs of a recorded test are damaged");
}

// --- targets --------------------------------------------------------------------------------------

// Positions of a part: its bytes, and its end.
static uint64_t positions(const struct target_part *part)
{
	return (part->size < CONTENT_MAX ? part->size : CONTENT_MAX) + 1;
}

uint64_t target_first(const struct target_parts *p, uint64_t width)
{
	uint64_t n = 0;
	for (size_t i = 0; i < p->n && p->v[i].group == TARGET_OWN && n + positions(&p->v[i]) <= width; i++)
		n += positions(&p->v[i]);
	return n;
}

// The positions of part i that lie in [from, to), counted from its start.
static void cut(const struct target_parts *p, size_t part, uint64_t from, uint64_t to, uint64_t *ret_from,
                uint64_t *ret_to)
{
	uint64_t start = 0, size = positions(&p->v[part]);
	for (size_t i = 0; i < part; i++)
		start += positions(&p->v[i]);
	uint64_t first = from > start ? from - start : 0, last = to > start ? to - start : 0;
	*ret_from = first < size ? first : size;
	*ret_to = last > size ? size : last > *ret_from ? last : *ret_from;
}

uint64_t target_next(const struct target_parts *p, uint64_t from)
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

// The end of an input that does not fit is a target of its own: with the length, all that is behind a byte depends on
// it.
uint64_t target_reach(const struct target_parts *p, uint64_t from, uint64_t width)
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

uint64_t target_position(const struct target_parts *p, const char *name, uint64_t size)
{
	uint64_t start = 0;
	for (size_t i = 0; i < p->n; i++) {
		if (strcmp(p->v[i].name, name) == 0)
			return start + (size + 1 < positions(&p->v[i]) ? size : positions(&p->v[i]));
		start += positions(&p->v[i]);
	}
	return 0;
}

uint64_t target_width(const struct target_parts *p, uint64_t from, uint64_t to)
{
	uint64_t n = 0;
	for (size_t i = 0; i < p->n; i++)
		n += p->v[i].unread ? 0 : target_overlap(p, i, from, to);
	return n;
}

bool target_after(const struct target_parts *p, const struct target_range *t, uint64_t *ret_from, uint64_t *ret_to)
{
	uint64_t from = t->to, end = UINT64_MAX, width = t->width;
	uint64_t fewer = target_width(p, t->from, t->to) / TARGET_FACTOR;
	if (t->reached > t->from && t->reached < t->to) {
		from = t->reached;
		end = t->to;
	} else if (t->reached > t->from && fewer >= TARGET_LEAST) {
		from = t->from;
		width = fewer;
	}
	*ret_from = target_next(p, from);
	if (*ret_from == UINT64_MAX)
		return false;
	*ret_to = target_reach(p, *ret_from, width);
	if (*ret_from < end && *ret_to > end)
		*ret_to = end;
	return true;
}

uint64_t target_overlap(const struct target_parts *p, size_t part, uint64_t from, uint64_t to)
{
	uint64_t first, last;
	cut(p, part, from, to, &first, &last);
	return last - first;
}

uint64_t target_windows(const struct target_parts *p, uint64_t from, uint64_t to, struct windows *ret)
{
	uint64_t key = 0;
	*ret = (struct windows){0};
	for (size_t i = 0; i < p->n; i++) {
		const struct target_part *part = &p->v[i];
		uint64_t first, last, all = positions(part);
		cut(p, i, from, to, &first, &last);
		if (first == 0 && last == all && part->size < CONTENT_MAX)
			continue; // all of it
		bool none = first == last, open = !none && last == all && part->size < CONTENT_MAX;
		windows_add(ret, part->name, none ? 0 : first, none ? 0 : open ? LAUNCH_OPEN : last);
		key = mix(mix(mix(key, hash_text(part->name)), part->hash), mix(none ? 0 : first, none ? 0 : last));
	}
	if (ret->n) // files that the recorded test does not read, and a solution does
		ret->limit = OTHERS_MAX;
	return key;
}
