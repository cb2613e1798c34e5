#include "explore/cover.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/cover.h"
#include "abi/server.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "object/elf.h"

enum { PAGE = 4096, NONE = UINT32_MAX };

// Lines, sides and functions count when a unit really has them: a header of the system may offer a function to be
// inlined, which is none of the program's (abi/cover.h).
struct mark {
	bool covered, real;
};

struct function {
	uint32_t name, file, line; // name: in texts
	struct mark mark;
};

struct line {
	uint32_t file, line, function; // function: the first that has it
	struct mark mark;
};

struct edge {
	uint32_t function;
	uint32_t file, line, column, which;
	struct mark mark;
};

// What a byte stands for: a run of `links`, which ends with END.
enum { END = 0, LINE = 1, EDGE = 2, FUNCTION = 3 };

struct unit {
	uint64_t id;
	uint32_t count;
	uint32_t *links; // of each byte: where its links start
	uint8_t *seen;   // its bytes, 0 or 1; room for whole words
	bool changed;
};

// By hash of what they are; index + 1, 0: free.
struct table {
	struct table_slot {
		uint64_t hash;
		uint32_t index;
	} *slots;
	size_t cap, n;
};

#define ARRAY(type, name)                                                                                              \
	struct {                                                                                                       \
		type *v;                                                                                               \
		uint32_t n, cap;                                                                                       \
	} name

struct cover {
	ARRAY(char *, files);
	ARRAY(char *, texts);
	ARRAY(struct function, functions);
	ARRAY(struct line, lines);
	ARRAY(struct edge, edges);
	ARRAY(uint32_t, links); // kind | index << 2
	ARRAY(struct unit, units);
	struct table by_file, by_function, by_line, by_edge, by_unit;
	struct cover_totals totals;
};

#define PUSH(array, value)                                                                                             \
	do {                                                                                                           \
		if ((array).n == (array).cap) {                                                                        \
			(array).cap = (array).cap ? 2 * (array).cap : 64;                                              \
			(array).v = mem_resize((array).v, (array).cap * sizeof *(array).v);                            \
		}                                                                                                      \
		(array).v[(array).n++] = (value);                                                                      \
	} while (0)

struct cover *cover_new(void)
{
	return mem_zero(sizeof(struct cover));
}

void cover_free(struct cover *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->files.n; i++)
		mem_free(c->files.v[i]);
	for (uint32_t i = 0; i < c->texts.n; i++)
		mem_free(c->texts.v[i]);
	for (uint32_t i = 0; i < c->units.n; i++) {
		mem_free(c->units.v[i].links);
		mem_free(c->units.v[i].seen);
	}
	mem_free(c->files.v);
	mem_free(c->texts.v);
	mem_free(c->functions.v);
	mem_free(c->lines.v);
	mem_free(c->edges.v);
	mem_free(c->links.v);
	mem_free(c->units.v);
	mem_free(c->by_file.slots);
	mem_free(c->by_function.slots);
	mem_free(c->by_line.slots);
	mem_free(c->by_edge.slots);
	mem_free(c->by_unit.slots);
	mem_free(c);
}

// --- tables ------------------------------------------------------------------------------------

// The slot of `hash`: as good as equal when 64 bits are.
static struct table_slot *slot_of(struct table *t, uint64_t hash)
{
	if (2 * (t->n + 1) > t->cap) {
		struct table old = *t;
		t->cap = old.cap ? 2 * old.cap : 256;
		t->slots = mem_zero(t->cap * sizeof *t->slots);
		for (size_t i = 0; i < old.cap; i++)
			if (old.slots[i].index)
				*slot_of(t, old.slots[i].hash) = old.slots[i];
		mem_free(old.slots);
	}
	size_t at = hash & (t->cap - 1);
	while (t->slots[at].index && t->slots[at].hash != hash)
		at = (at + 1) & (t->cap - 1);
	return &t->slots[at];
}

// The index that is there under these numbers; else `fresh`, which then is.
static uint32_t intern(struct table *t, const uint32_t *numbers, size_t n, uint32_t fresh)
{
	uint64_t hash = hash_bytes(numbers, n * sizeof *numbers).low;
	struct table_slot *s = slot_of(t, hash);
	if (s->index)
		return s->index - 1;
	*s = (struct table_slot){hash, fresh + 1};
	t->n++;
	return fresh;
}

// "/a/./b//../c" is "/a/c", as far as a look at the text can tell.
static char *tidy(const char *path)
{
	struct buf out = {0};
	for (const char *p = path; *p;) {
		bool slash = *p == '/';
		p += strspn(p, "/");
		size_t n = strcspn(p, "/");
		if ((n == 0 && *path) || (n == 1 && p[0] == '.')) {
			p += n;
			continue;
		}
		const char *last = out.len ? strrchr(out.data, '/') : NULL;
		if (n == 2 && p[0] == '.' && p[1] == '.' && last && strcmp(last, "/..") != 0) {
			out.len = (size_t)(last - out.data);
			out.data[out.len] = 0;
		} else {
			if (slash || out.len)
				buf_addch(&out, '/');
			buf_add(&out, p, n);
		}
		p += n;
	}
	return out.len ? buf_steal(&out) : (buf_release(&out), mem_strdup("?"));
}

static uint32_t add_file(struct cover *c, const char *path)
{
	char *name = tidy(path);
	uint64_t hash = hash_bytes(name, strlen(name)).low;
	struct table_slot *s = slot_of(&c->by_file, hash);
	if (s->index) {
		mem_free(name);
		return s->index - 1;
	}
	PUSH(c->files, name);
	*s = (struct table_slot){hash, c->files.n};
	c->by_file.n++;
	return c->files.n - 1;
}

static void make_real(struct mark *m, struct cover_count *count)
{
	if (m->real)
		return;
	m->real = true;
	count->total++;
	count->covered += m->covered;
}

static uint32_t add_function(struct cover *c, const char *name, uint32_t file, uint32_t line)
{
	uint64_t h = hash_bytes(name, strlen(name)).low;
	const uint32_t key[] = {file, line, (uint32_t)h, (uint32_t)(h >> 32)};
	uint32_t at = intern(&c->by_function, key, 4, c->functions.n);
	if (at == c->functions.n) {
		PUSH(c->texts, mem_strdup(name));
		PUSH(c->functions, ((struct function){.name = c->texts.n - 1, .file = file, .line = line}));
	}
	return at;
}

static uint32_t add_line(struct cover *c, uint32_t function, uint32_t file, uint32_t line)
{
	const uint32_t key[] = {file, line};
	uint32_t at = intern(&c->by_line, key, 2, c->lines.n);
	if (at == c->lines.n) {
		PUSH(c->lines, ((struct line){.file = file, .line = line, .function = function}));
	}
	return at;
}

// `which`: its number among those of one function at one place.
static uint32_t add_edge(struct cover *c, uint32_t function, const uint32_t place[3], uint32_t which)
{
	const uint32_t key[] = {function, place[0], place[1], place[2], which};
	uint32_t at = intern(&c->by_edge, key, 5, c->edges.n);
	if (at == c->edges.n) {
		PUSH(c->edges, ((struct edge){.function = function,
		                              .file = place[0],
		                              .line = place[1],
		                              .column = place[2],
		                              .which = which}));
	}
	return at;
}

// --- reading the table of a variant --------------------------------------------------------------

// A unit that is being read. The first time only checks, so that what is damaged adds nothing.
struct reader {
	struct cover *cover; // NULL: only check
	struct cursor in;
	uint32_t *files; // as in the cover
	uint32_t n_files, count, at;
	struct unit *unit;
	bool borrowed;       // the function in hand
	struct table places; // how many sides each place has had, in this function
	ARRAY(uint32_t, counts);
};

static void link_byte(struct reader *r)
{
	if (r->at >= r->count)
		r->in.bad = true;
	else if (r->cover)
		r->unit->links[r->at] = r->cover->links.n;
	r->at++;
}

static struct mark *mark_of(struct cover *c, uint32_t link, struct cover_count **ret)
{
	uint32_t index = link >> 2;
	switch (link & 3) {
	case LINE: *ret = &c->totals.lines; return &c->lines.v[index].mark;
	case EDGE: *ret = &c->totals.edges; return &c->edges.v[index].mark;
	default: *ret = &c->totals.functions; return &c->functions.v[index].mark;
	}
}

static void add_link(struct reader *r, unsigned kind, uint32_t index)
{
	struct cover_count *count;
	if (kind != END && !r->borrowed) {
		struct mark *m = mark_of(r->cover, kind | index << 2, &count);
		make_real(m, count);
	}
	PUSH(r->cover->links, kind == END ? END : kind | index << 2);
}

static uint32_t file_number(struct reader *r)
{
	uint32_t f = cursor_number(&r->in);
	if (f >= r->n_files) {
		r->in.bad = true;
		return 0;
	}
	return r->cover ? r->files[f] : 0;
}

static void read_block(struct reader *r, uint32_t function, bool first)
{
	link_byte(r);
	for (uint32_t n = cursor_number(&r->in); n && !r->in.bad; n--) {
		uint32_t file = file_number(r), line = cursor_number(&r->in);
		if (r->cover && !r->in.bad)
			add_link(r, LINE, add_line(r->cover, function, file, line));
	}
	if (r->cover && first)
		add_link(r, FUNCTION, function);
	if (r->cover)
		add_link(r, END, 0);
}

static void read_edges(struct reader *r, uint32_t function, unsigned n)
{
	uint32_t place[3] = {file_number(r), cursor_number(&r->in), cursor_number(&r->in)};
	uint32_t slot = intern(&r->places, place, 3, r->counts.n);
	if (slot == r->counts.n)
		PUSH(r->counts, 0);
	for (unsigned i = 0; i < n && !r->in.bad; i++) {
		uint32_t which = r->counts.v[slot]++;
		link_byte(r);
		if (!r->cover)
			continue;
		add_link(r, EDGE, add_edge(r->cover, function, place, which));
		add_link(r, END, 0);
	}
}

static void read_function(struct reader *r)
{
	char *name = cursor_text(&r->in);
	r->borrowed = cursor_number(&r->in) != 0;
	uint32_t file = file_number(r), line = cursor_number(&r->in), items = cursor_number(&r->in);
	uint32_t function = r->cover && name ? add_function(r->cover, name, file, line) : 0;
	for (uint32_t i = 0; i < items && !r->in.bad; i++) {
		switch (cursor_number(&r->in)) {
		case COVER_BLOCK: read_block(r, function, i == 0); break;
		case COVER_BRANCH: read_edges(r, function, 2); break;
		case COVER_CASE: read_edges(r, function, 1); break;
		default: r->in.bad = true;
		}
	}
	mem_free(r->places.slots);
	r->places = (struct table){0};
	r->counts.n = 0;
	mem_free(name);
}

static bool read_unit(struct reader *r)
{
	r->n_files = cursor_number(&r->in);
	if (r->n_files > (size_t)(r->in.end - r->in.p))
		return false;
	r->files = mem_zero((r->n_files + 1) * sizeof *r->files);
	for (uint32_t i = 0; i < r->n_files && !r->in.bad; i++) {
		char *path = cursor_text(&r->in);
		if (r->cover && path)
			r->files[i] = add_file(r->cover, path);
		mem_free(path);
	}
	for (uint32_t n = cursor_number(&r->in); n && !r->in.bad; n--)
		read_function(r);
	mem_free(r->files);
	mem_free(r->counts.v);
	return !r->in.bad && r->in.p == r->in.end && r->at == r->count;
}

static size_t whole_words(uint32_t count)
{
	return ((size_t)count + 7) / 8 * 8;
}

static struct unit *find_unit(struct cover *c, uint64_t id)
{
	const struct table_slot *s = c->by_unit.cap ? slot_of(&c->by_unit, id) : NULL;
	return s && s->index ? &c->units.v[s->index - 1] : NULL;
}

// A unit may be in a program and in its library.
static void add_unit(struct cover *c, const struct cover_sites *head, struct cursor in)
{
	if (find_unit(c, head->unit))
		return;
	PUSH(c->units, ((struct unit){.id = head->unit, .count = head->count}));
	*slot_of(&c->by_unit, head->unit) = (struct table_slot){head->unit, c->units.n};
	c->by_unit.n++;
	struct unit *u = &c->units.v[c->units.n - 1];
	u->links = mem_zero((head->count + 1) * sizeof *u->links);
	u->seen = mem_zero(whole_words(head->count) + 8);
	struct reader r = {.cover = c, .in = in, .count = head->count, .unit = u};
	read_unit(&r);
}

int cover_add_sites(struct cover *c, const void *data, size_t size, struct err *err)
{
	for (int adding = 0; adding < 2; adding++) {
		struct cursor in = {data, (const uint8_t *)data + size, false};
		while (in.p < in.end) {
			struct cover_sites head;
			const uint8_t *start = cursor_bytes(&in, sizeof head), *rest = NULL;
			if (start) {
				memcpy(&head, start, sizeof head);
				rest = cursor_bytes(&in, head.size);
			}
			if (!rest || head.magic != COVER_MAGIC || head.count > size)
				return err_set(err,
				               "its table of lines and branches (" COVER_SITES_SECTION ") is damaged");
			struct reader check = {.in = {rest, rest + head.size, false}, .count = head.count};
			if (!adding && !read_unit(&check))
				return err_set(err,
				               "its table of lines and branches (" COVER_SITES_SECTION ") is damaged");
			if (adding)
				add_unit(c, &head, (struct cursor){rest, rest + head.size, false});
		}
	}
	return 0;
}

static int add_section(void *opaque, const void *data, size_t size, struct err *err)
{
	return cover_add_sites(opaque, data, size, err);
}

int cover_add(struct cover *c, const char *path, struct err *err)
{
	return elf_each(path, COVER_SITES_SECTION, add_section, c, err);
}

int cover_add_built(void *cover, const char *path, struct err *err)
{
	return cover_add(cover, path, err);
}

// All files of a folder.
static int add_folder(struct cover *c, const char *folder, struct err *err)
{
	DIR *d = opendir(folder);
	int r = 0;
	for (struct dirent *e; d && r == 0 && (e = readdir(d));) {
		if (e->d_name[0] == '.')
			continue;
		char *path = mem_printf("%s/%s", folder, e->d_name);
		r = cover_add(c, path, err);
		mem_free(path);
	}
	if (d)
		closedir(d);
	return r;
}

int cover_add_run(struct cover *c, const char *run, struct err *err)
{
	char *programs = mem_printf("%s/x", run), *loaded = mem_printf("%s/l", run),
	     *libraries = mem_printf("%s/" SERVER_LIBRARIES, run);
	DIR *d = opendir(programs);
	int r = 0;
	for (struct dirent *e; d && r == 0 && (e = readdir(d));) {
		if (e->d_name[0] == '.')
			continue;
		char *folder = mem_printf("%s/%s", programs, e->d_name);
		r = add_folder(c, folder, err);
		mem_free(folder);
	}
	if (d)
		closedir(d);
	if (r == 0)
		r = add_folder(c, loaded, err);
	if (r == 0)
		r = add_folder(c, libraries, err);
	mem_free(programs);
	mem_free(loaded);
	mem_free(libraries);
	return r;
}

// --- merging -------------------------------------------------------------------------------------

static void cover_link(struct cover *c, uint32_t link)
{
	struct cover_count *count;
	struct mark *m = mark_of(c, link, &count);
	count->covered += m->real && !m->covered;
	m->covered = true;
}

// False for what is behind the last byte, where only a program that writes anywhere can have set something.
static bool cover_byte(struct cover *c, struct unit *u, size_t k)
{
	if (k >= u->count)
		return false;
	u->seen[k] = 1;
	u->changed = true;
	for (uint32_t at = u->links[k]; c->links.v[at] != END; at++)
		cover_link(c, c->links.v[at]);
	return true;
}

// The unit's bytes, eight at a time; most are as they were. There is room for whole words.
static uint32_t merge_unit(struct cover *c, struct unit *u, uint8_t *image)
{
	uint32_t fresh = 0;
	for (size_t at = 0, n = whole_words(u->count); at < n; at += 8) {
		uint64_t word, seen;
		memcpy(&word, image + at, 8);
		if (!word)
			continue;
		memset(image + at, 0, 8);
		memcpy(&seen, u->seen + at, 8);
		word = (word & 0x0101010101010101u) & ~seen;
		for (; word; word &= word - 1)
			fresh += cover_byte(c, u, at + (size_t)__builtin_ctzll(word) / 8);
	}
	return fresh;
}

// The counters of the next unit of an image, and its header; NULL at the end. *at: where it is looked for.
static uint8_t *next_unit(uint8_t *image, size_t size, size_t *at, struct cover_unit *ret)
{
	if (size - *at < PAGE)
		return NULL;
	uint8_t *start = image + *at;
	memcpy(ret, start, sizeof *ret);
	size_t whole = (sizeof *ret + (size_t)ret->count + PAGE - 1) / PAGE * PAGE;
	if (ret->magic != COVER_MAGIC || whole > size - *at)
		return NULL;
	*at += whole;
	return start + sizeof *ret;
}

uint32_t cover_merge(struct cover *c, void *image, size_t size)
{
	struct cover_unit head;
	uint32_t fresh = 0;
	size_t at = 0;
	for (uint8_t *bytes; (bytes = next_unit(image, size, &at, &head));) {
		struct unit *u = find_unit(c, head.unit);
		if (u && u->count == head.count)
			fresh += merge_unit(c, u, bytes);
	}
	return fresh;
}

uint32_t cover_edges(const struct cover *c)
{
	return c->edges.n;
}

bool cover_has_edge(const struct cover *c, uint32_t edge)
{
	return c->edges.v[edge].mark.real && c->edges.v[edge].mark.covered;
}

static uint32_t edge_of(const struct cover *c, const struct unit *u, size_t k)
{
	uint32_t link = k < u->count ? c->links.v[u->links[k]] : END;
	return (link & 3) == EDGE ? link >> 2 : NONE;
}

uint32_t cover_edge_at(const struct cover *c, uint64_t unit, uint32_t byte)
{
	const struct unit *u = find_unit((struct cover *)c, unit);
	return u ? edge_of(c, u, byte) : NONE;
}

static void hit_unit(const struct cover *c, const struct unit *u, const uint8_t *image, uint8_t *bits)
{
	for (size_t at = 0, n = whole_words(u->count); at < n; at += 8) {
		uint64_t word;
		memcpy(&word, image + at, 8);
		for (word &= 0x0101010101010101u; word; word &= word - 1) {
			uint32_t edge = edge_of(c, u, at + (size_t)__builtin_ctzll(word) / 8);
			if (edge != NONE)
				bits[edge / 8] |= (uint8_t)(1u << edge % 8);
		}
	}
}

void cover_hits(const struct cover *c, const void *image, size_t size, uint8_t *bits)
{
	struct cover_unit head;
	size_t at = 0;
	for (uint8_t *bytes; (bytes = next_unit((uint8_t *)image, size, &at, &head));) {
		const struct unit *u = find_unit((struct cover *)c, head.unit);
		if (u && u->count == head.count)
			hit_unit(c, u, bytes, bits);
	}
}

void cover_clear(void *image, size_t size)
{
	struct cover_unit head;
	size_t at = 0;
	for (uint8_t *bytes; (bytes = next_unit(image, size, &at, &head));)
		for (size_t k = 0, n = whole_words(head.count); k < n; k += 8) {
			uint64_t word;
			memcpy(&word, bytes + k, 8);
			if (word)
				memset(bytes + k, 0, 8);
		}
}

int cover_each_changed(struct cover *c, int (*each)(void *opaque, uint64_t unit, const uint8_t *bytes, size_t n),
                       void *opaque)
{
	int r = 0;
	for (uint32_t i = 0; i < c->units.n && r == 0; i++) {
		struct unit *u = &c->units.v[i];
		if (!u->changed)
			continue;
		r = each(opaque, u->id, u->seen, u->count);
		u->changed = r != 0;
	}
	return r;
}

uint32_t cover_restore(struct cover *c, uint64_t unit, const uint8_t *bytes, size_t n)
{
	struct unit *u = find_unit(c, unit);
	uint32_t more = 0;
	if (!u || u->count != n)
		return 0;
	bool changed = u->changed;
	for (size_t k = 0; k < n; k++)
		if ((bytes[k] & 1) && !u->seen[k]) {
			cover_byte(c, u, k);
			more++;
		}
	u->changed = changed;
	return more;
}

void cover_restore_all(struct cover *c, const struct cover *other)
{
	for (uint32_t i = 0; i < other->units.n; i++) {
		const struct unit *u = &other->units.v[i];
		cover_restore(c, u->id, u->seen, u->count);
	}
}

// --- reports -------------------------------------------------------------------------------------

struct cover_totals cover_totals(const struct cover *c)
{
	return c->totals;
}

static void count(struct cover_count *c, struct mark m)
{
	c->total += m.real;
	c->covered += m.real && m.covered;
}

// What each file, or each function, has; the caller frees.
static struct cover_totals *sums(const struct cover *c, bool by_file)
{
	struct cover_totals *t = mem_zero((by_file ? c->files.n : c->functions.n) * sizeof *t + 1);
	for (uint32_t i = 0; i < c->lines.n; i++)
		count(&t[by_file ? c->lines.v[i].file : c->lines.v[i].function].lines, c->lines.v[i].mark);
	for (uint32_t i = 0; i < c->edges.n; i++) {
		uint32_t f = c->edges.v[i].function;
		count(&t[by_file ? c->functions.v[f].file : f].edges, c->edges.v[i].mark);
	}
	for (uint32_t i = 0; i < c->functions.n; i++)
		count(&t[by_file ? c->functions.v[i].file : i].functions, c->functions.v[i].mark);
	return t;
}

struct place {
	const char *file;
	uint32_t line, index;
};

static int by_place(const void *a, const void *b)
{
	const struct place *p = a, *q = b;
	int r = strcmp(p->file, q->file);
	return r                    ? r
	       : p->line != q->line ? (p->line > q->line) - (p->line < q->line)
	                            : (p->index > q->index) - (p->index < q->index);
}

void cover_each_file(const struct cover *c, void (*each)(void *opaque, const char *file, struct cover_totals t),
                     void *opaque)
{
	struct cover_totals *t = sums(c, true);
	struct place *order = mem_zero(c->files.n * sizeof *order + 1);
	for (uint32_t i = 0; i < c->files.n; i++)
		order[i] = (struct place){c->files.v[i], 0, i};
	qsort(order, c->files.n, sizeof *order, by_place);
	for (uint32_t i = 0; i < c->files.n; i++)
		if (t[order[i].index].lines.total)
			each(opaque, order[i].file, t[order[i].index]);
	mem_free(order);
	mem_free(t);
}

void cover_each_function(const struct cover *c,
                         void (*each)(void *opaque, const char *file, const char *name, uint32_t line,
                                      struct cover_totals t),
                         void *opaque)
{
	struct cover_totals *t = sums(c, false);
	struct place *order = mem_zero(c->functions.n * sizeof *order + 1);
	for (uint32_t i = 0; i < c->functions.n; i++)
		order[i] = (struct place){c->files.v[c->functions.v[i].file], c->functions.v[i].line, i};
	qsort(order, c->functions.n, sizeof *order, by_place);
	for (uint32_t i = 0; i < c->functions.n; i++)
		if (c->functions.v[order[i].index].mark.real)
			each(opaque, order[i].file, c->texts.v[c->functions.v[order[i].index].name], order[i].line,
			     t[order[i].index]);
	mem_free(order);
	mem_free(t);
}

void cover_each_line(const struct cover *c, void (*each)(void *opaque, const char *file, uint32_t line, bool covered),
                     void *opaque)
{
	struct place *order = mem_zero(c->lines.n * sizeof *order + 1);
	for (uint32_t i = 0; i < c->lines.n; i++)
		order[i] = (struct place){c->files.v[c->lines.v[i].file], c->lines.v[i].line, i};
	qsort(order, c->lines.n, sizeof *order, by_place);
	for (uint32_t i = 0; i < c->lines.n; i++)
		if (c->lines.v[order[i].index].mark.real)
			each(opaque, order[i].file, order[i].line, c->lines.v[order[i].index].mark.covered);
	mem_free(order);
}

void cover_each_edge(const struct cover *c,
                     void (*each)(void *opaque, const char *file, uint32_t line, uint32_t column, uint32_t which,
                                  bool covered),
                     void *opaque)
{
	struct place *order = mem_zero(c->edges.n * sizeof *order + 1);
	for (uint32_t i = 0; i < c->edges.n; i++)
		order[i] = (struct place){c->files.v[c->edges.v[i].file], c->edges.v[i].line, i};
	qsort(order, c->edges.n, sizeof *order, by_place);
	for (uint32_t i = 0; i < c->edges.n; i++) {
		const struct edge *s = &c->edges.v[order[i].index];
		if (s->mark.real)
			each(opaque, order[i].file, s->line, s->column, s->which, s->mark.covered);
	}
	mem_free(order);
}

static void print_count(struct buf *out, struct cover_count n)
{
	char text[32];
	snprintf(text, sizeof text, "%u/%u", n.covered, n.total);
	buf_printf(out, "%13s", text);
	if (n.total)
		buf_printf(out, " %5.1f%%", 100.0 * n.covered / n.total);
	else
		buf_addstr(out, "      -");
}

static void print_totals(void *opaque, const char *name, struct cover_totals t)
{
	struct buf *out = opaque;
	print_count(out, t.lines);
	print_count(out, t.edges);
	print_count(out, t.functions);
	buf_printf(out, "  %s\n", name);
}

void cover_print_files(const struct cover *c, struct buf *out)
{
	buf_printf(out, "%20s%20s%20s  file\n", "lines", "branches", "functions");
	cover_each_file(c, print_totals, out);
	print_totals(out, "all", c->totals);
}
