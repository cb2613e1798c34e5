#include "input/snapshot.h"

#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "input/temporary.h"
#include "input/variables.h"

// Encoded: magic, the fields in the order of the structs. What may be missing stands behind a number that says
// whether it is there.
static const char magic[8] = "VEERSCN3"; // 1: without marks of variables; 2: without what standard input was

enum { MODE_MAX = 07777, STREAMS = 3, SECOND = 1000000000 };
enum { ZEROS_MAX = 1 << 30 }; // a file whose content is not known is made in memory up to this size

struct snapshot_entry *snapshot_add(struct snapshot *s, enum snapshot_kind kind, const char *path)
{
	vec_room(s->v, s->n + 1, s->cap);
	struct snapshot_entry *e = &s->v[s->n++];
	*e = (struct snapshot_entry){.kind = kind, .path = mem_strdup(path)};
	return e;
}

const struct snapshot_entry *snapshot_find(const struct snapshot *s, const char *path)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->v[i].path, path) == 0)
			return &s->v[i];
	return NULL;
}

void snapshot_release(struct snapshot *s)
{
	for (size_t i = 0; i < s->n; i++) {
		mem_free(s->v[i].path);
		mem_free(s->v[i].text);
	}
	for (size_t i = 0; i < s->n_variables; i++)
		mem_free(s->variables[i]);
	mem_free(s->v);
	mem_free(s->variables);
	mem_free(s->marks);
	mem_free(s->program);
	mem_free(s->cwd);
	mem_free(s->why);
	*s = (struct snapshot){0};
}

// --- as bytes ---------------------------------------------------------------------------------

static void add_hash(struct buf *out, struct hash h)
{
	buf_u64(out, h.low);
	buf_u64(out, h.high);
}

static void add_optional(struct buf *out, const char *text)
{
	buf_u32(out, text != NULL);
	if (text)
		buf_string(out, text);
}

static void add_entry(struct buf *out, const struct snapshot_entry *e, bool with_times)
{
	buf_u32(out, e->kind);
	buf_string(out, e->path);
	add_optional(out, e->text);
	buf_u32(out, e->mode);
	buf_u64(out,
	        with_times || e->kind == SNAPSHOT_FILE ? e->size : 0); // that of a folder depends on the file system
	buf_u32(out, e->known);
	add_hash(out, e->content);
	if (with_times) {
		buf_u64(out, (uint64_t)e->seconds);
		buf_u32(out, e->nanoseconds);
	}
}

bool snapshot_mask(struct snapshot *s)
{
	bool any = false;
	for (size_t i = 0; i < s->n_variables; i++) {
		size_t n = strcspn(s->variables[i], "=") + 1;
		if (!variable_is_secret(s->variables[i]) || strcmp(s->variables[i] + n, VARIABLE_MASK) == 0)
			continue;
		char *masked = mem_printf("%.*s" VARIABLE_MASK, (int)n, s->variables[i]);
		mem_free(s->variables[i]);
		s->variables[i] = masked;
		if (s->marks)
			s->marks[i] |= VARIABLE_MASKED;
		any = true;
	}
	return any;
}

unsigned snapshot_mark(const struct snapshot *s, size_t i)
{
	return s->marks ? s->marks[i] : VARIABLE_READ;
}

static void add_variables(struct buf *out, const struct snapshot *s)
{
	buf_u64(out, s->n_variables);
	for (size_t i = 0; i < s->n_variables; i++) {
		buf_string(out, s->variables[i]);
		buf_u32(out, snapshot_mark(s, i));
	}
	buf_u32(out, s->whole);
}

static void add_end(struct buf *out, const struct snapshot *s)
{
	buf_u32(out, (uint32_t)s->status);
	buf_u32(out, s->output_known);
	buf_u64(out, s->output_size);
	add_hash(out, s->output);
}

// Who set a variable makes no difference to the test.
static void add_asked(struct buf *out, const struct snapshot *s)
{
	for (size_t i = 0; i < s->n_variables; i++)
		if (snapshot_mark(s, i) & VARIABLE_READ)
			buf_string(out, s->variables[i]);
	buf_u32(out, UINT32_MAX);
	if (s->whole)
		add_end(out, s);
}

// What makes it this test.
static void add_test(struct buf *out, const struct snapshot *s, bool with_times)
{
	buf_string(out, s->program ? s->program : "");
	add_hash(out, s->id);
	buf_string(out, s->cwd ? s->cwd : "");
	(with_times ? add_variables : add_asked)(out, s);
	buf_u32(out, s->umask);
	for (int i = 0; i < STREAMS; i++)
		buf_u32(out, s->streams[i]);
	buf_u32(out, s->pipe);
	if (with_times) {
		buf_u64(out, (uint64_t)s->input_seconds);
		buf_u32(out, s->input_nanoseconds);
	}
	buf_u64(out, s->n);
	for (size_t i = 0; i < s->n; i++)
		add_entry(out, &s->v[i], with_times);
}

void snapshot_encode(const struct snapshot *s, struct buf *out)
{
	buf_add(out, magic, sizeof magic);
	add_test(out, s, true);
	buf_u64(out, (uint64_t)s->clock);
	add_end(out, s);
	add_optional(out, s->why);
}

struct hash snapshot_hash(const struct snapshot *s, const struct input *in, const struct temporary *t)
{
	struct buf all = {0};
	add_test(&all, s, false);
	input_encode(in, &all);
	if (t)
		temporary_mask(t, s, &all);
	struct hash h = hash_bytes(all.data, all.len);
	buf_release(&all);
	return h;
}

// Absolute, and as the kernel would spell it: whoever takes it apart meets no empty name, no "." and no "..".
static bool is_plain(const char *path)
{
	if (path[0] != '/')
		return false;
	if (!path[1])
		return true;
	for (const char *p = path; *p;) {
		size_t n = strcspn(++p, "/");
		if (n == 0 || (n == 1 && p[0] == '.') || (n == 2 && p[0] == '.' && p[1] == '.'))
			return false;
		p += n;
	}
	return true;
}

static bool read_bool(struct cursor *c)
{
	uint32_t v = cursor_u32(c);
	c->bad = c->bad || v > 1;
	return v == 1;
}

static struct hash read_hash(struct cursor *c)
{
	uint64_t low = cursor_u64(c);
	return (struct hash){low, cursor_u64(c)};
}

static char *read_optional(struct cursor *c)
{
	return read_bool(c) && !c->bad ? cursor_string(c) : NULL;
}

static uint32_t read_below(struct cursor *c, uint32_t end)
{
	uint32_t v = cursor_u32(c);
	c->bad = c->bad || v >= end;
	return c->bad ? 0 : v;
}

// What does not fit its kind is refused here, so that nobody has to look again.
// A link leads somewhere; a file may be another name of a file.
static bool is_good_text(const struct snapshot_entry *e)
{
	if (e->kind == SNAPSHOT_LINK)
		return e->text && *e->text;
	return !e->text || (e->kind == SNAPSHOT_FILE && is_plain(e->text));
}

static bool read_entry(struct snapshot *s, struct cursor *c)
{
	enum snapshot_kind kind = (enum snapshot_kind)read_below(c, SNAPSHOT_KINDS);
	char *path = cursor_string(c);
	bool good = path && is_plain(path);
	if (good) {
		struct snapshot_entry *e = snapshot_add(s, kind, path);
		e->text = read_optional(c);
		e->mode = read_below(c, MODE_MAX + 1);
		e->size = cursor_u64(c);
		e->known = read_bool(c);
		e->content = read_hash(c);
		e->seconds = (int64_t)cursor_u64(c);
		e->nanoseconds = read_below(c, SECOND);
		good = !c->bad && is_good_text(e) && (!e->known || kind == SNAPSHOT_FILE || kind == SNAPSHOT_FOLDER);
	}
	mem_free(path);
	return good;
}

static bool read_variables(struct snapshot *s, struct cursor *c, int version)
{
	uint64_t n = cursor_u64(c);
	if (n > (uint64_t)(c->end - c->p) / sizeof(uint32_t)) // the least that each takes
		return false;
	s->variables = mem_zero((size_t)n * sizeof *s->variables + 1);
	s->marks = version > 1 ? mem_zero((size_t)n + 1) : NULL;
	for (uint64_t i = 0; i < n; i++) {
		char *text = cursor_string(c);
		if (!text)
			return false;
		s->variables[s->n_variables++] = text;
		if (version > 1)
			s->marks[s->n_variables - 1] = (uint8_t)read_below(c, VARIABLE_MARKS);
	}
	s->whole = version < 2 || read_bool(c);
	return !c->bad;
}

static bool read_test(struct snapshot *s, struct cursor *c, int version)
{
	s->program = cursor_string(c);
	s->id = read_hash(c);
	s->cwd = cursor_string(c);
	if (c->bad || s->program[0] != '/' || !is_plain(s->cwd) || !read_variables(s, c, version))
		return false;
	s->umask = read_below(c, MODE_MAX + 1);
	for (int i = 0; i < STREAMS; i++)
		s->streams[i] = (enum snapshot_stream)read_below(c, STREAM_NULL + 1);
	if (version > 2) {
		s->pipe = read_bool(c);
		s->input_seconds = (int64_t)cursor_u64(c);
		s->input_nanoseconds = read_below(c, SECOND);
	}
	uint64_t n = cursor_u64(c);
	for (uint64_t i = 0; i < n && !c->bad; i++)
		if (!read_entry(s, c))
			return false;
	return !c->bad;
}

static bool read_snapshot(struct snapshot *s, struct cursor *c)
{
	const uint8_t *start = cursor_bytes(c, sizeof magic);
	int version = start && memcmp(start, magic, sizeof magic - 1) == 0 ? start[sizeof magic - 1] - '0' : 0;
	if (version < 1 || version > magic[sizeof magic - 1] - '0' || !read_test(s, c, version))
		return false;
	s->clock = (int64_t)cursor_u64(c);
	s->status = (int)cursor_u32(c);
	s->output_known = read_bool(c);
	s->output_size = cursor_u64(c);
	s->output = read_hash(c);
	s->why = read_optional(c);
	return !c->bad && c->p == c->end;
}

int snapshot_decode(struct snapshot *ret, const void *data, size_t size, struct err *err)
{
	struct cursor c = {data, (const uint8_t *)data + size, false};
	struct snapshot s = {0};
	if (!read_snapshot(&s, &c)) {
		snapshot_release(&s);
		return err_set(err, "a recorded test is damaged");
	}
	*ret = s;
	return 0;
}

// --- contents ---------------------------------------------------------------------------------

static char *content_path(const char *files, struct hash h)
{
	char name[HASH_HEX];
	hash_hex(h, name);
	return mem_printf("%s/%s", files, name);
}

// What a full disk or a kill left half written is written again.
int snapshot_keep(const char *files, const void *data, size_t size, struct hash *ret, struct err *err)
{
	struct stat st;
	*ret = hash_bytes(data, size);
	char *path = content_path(files, *ret);
	bool there = lstat(path, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size == size;
	int r = there ? 0 : file_replace(path, data, size, 0600, err);
	if (r < 0 && !file_exists(files) && file_mkdirs(files, 0777, err) == 0)
		r = file_replace(path, data, size, 0600, err);
	mem_free(path);
	return r;
}

int snapshot_content(const char *files, const struct snapshot_entry *e, struct buf *ret, struct err *err)
{
	if (!e->known && e->size > ZEROS_MAX)
		return err_set(err, "the content of %s was not recorded, and it is large", e->path);
	if (!e->known) {
		buf_reserve(ret, (size_t)e->size);
		memset(ret->data + ret->len, 0, (size_t)e->size + 1);
		ret->len += (size_t)e->size;
		return 0;
	}
	struct file_map map;
	char *path = content_path(files, e->content);
	int r = file_map(path, &map, err);
	if (r == 0) {
		struct hash h = hash_bytes(map.data, map.size);
		if (map.size != e->size || h.low != e->content.low || h.high != e->content.high)
			r = err_set(err, "%s is damaged: it is not what was recorded of %s", path, e->path);
		else if (map.size)
			buf_add(ret, map.data, map.size);
		file_unmap(&map);
	}
	mem_free(path);
	return r;
}

// --- its input --------------------------------------------------------------------------------

static const char *find_variable(const struct snapshot *s, const char *name)
{
	size_t n = strlen(name);
	for (size_t i = 0; i < s->n_variables; i++)
		if (strncmp(s->variables[i], name, n) == 0 && s->variables[i][n] == '=')
			return s->variables[i] + n + 1;
	return NULL;
}

// An empty name is the working folder, too.
char *snapshot_libraries(const struct snapshot *s)
{
	const char *value = find_variable(s, "LD_LIBRARY_PATH");
	struct buf out = {0};
	for (const char *p = value; p; p = strpbrk(p, ":;") ? strpbrk(p, ":;") + 1 : NULL) {
		char *one = mem_copy(p, strcspn(p, ":;")), *whole = path_absolute(s->cwd, one);
		if (*value)
			buf_printf(&out, "%s%s", out.len ? ":" : "", *one ? whole : s->cwd);
		mem_free(one);
		mem_free(whole);
	}
	buf_addstr(&out, "");
	return buf_steal(&out);
}

static int complete(const struct snapshot *s, const char *files, const struct input_part *p, struct input *seed,
                    struct err *err)
{
	const struct snapshot_entry *e = p->kind == INPUT_FILE ? snapshot_find(s, p->name) : NULL;
	const char *value = p->kind == INPUT_VARIABLE ? find_variable(s, p->name) : NULL;
	if (value)
		input_add(seed, INPUT_VARIABLE, p->name, value, strlen(value));
	if (!e || e->kind != SNAPSHOT_FILE)
		return 0;
	struct buf data = {0};
	int r = snapshot_content(files, e, &data, err);
	if (r == 0)
		input_add(seed, INPUT_FILE, p->name, data.data, data.len);
	buf_release(&data);
	return r;
}

int snapshot_complete(const struct snapshot *s, const char *files, const struct input *in, struct input *seed,
                      struct err *err)
{
	int r = 0;
	for (size_t i = 0; i < in->n && r == 0; i++)
		if (in->v[i].name && !input_find(seed, in->v[i].kind, in->v[i].name))
			r = complete(s, files, &in->v[i], seed, err);
	return r;
}
