// The tables of variants, which say what their counters stand for (abi/cover.h). They may be damaged or hostile.
#include <assert.h>
#include <dirent.h>
#include <string.h>

#include "abi/cover.h"
#include "abi/server.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "coverage/cover_internal.h"
#include "coverage/units.h"
#include "object/elf.h"

// --- tables ------------------------------------------------------------------------------------

// The index that is there under these numbers; else `fresh`, which then is.
static uint32_t intern(struct cover_index *t, const uint32_t *numbers, size_t n, uint32_t fresh)
{
	struct cover_index_entry *s = cover_index_put(t, hash_bytes(numbers, n * sizeof *numbers).low);
	if (!s->index)
		s->index = fresh + 1;
	return s->index - 1;
}

static uint32_t add_file(struct cover *c, const char *path)
{
	char *name = path_tidy(path);
	struct cover_index_entry *s = cover_index_put(&c->by_file, hash_text(name));
	if (!s->index) {
		vec_push(&c->files, arena_strdup(&c->names, name));
		s->index = c->files.n;
	}
	mem_free(name);
	return s->index - 1;
}

static void make_real(struct cover_mark *m, struct cover_count *count)
{
	if (m->real)
		return;
	m->real = true;
	count->total++;
	count->covered += m->covered;
}

static uint32_t add_function(struct cover *c, const char *name, uint32_t file, uint32_t line)
{
	uint64_t h = hash_text(name);
	const uint32_t key[] = {file, line, (uint32_t)h, (uint32_t)(h >> 32)};
	uint32_t at = intern(&c->by_function, key, 4, c->functions.n);
	if (at == c->functions.n) {
		vec_push(&c->texts, arena_strdup(&c->names, name));
		vec_push(&c->functions, ((struct cover_function){.name = c->texts.n - 1, .file = file, .line = line}));
	}
	return at;
}

static uint32_t add_line(struct cover *c, uint32_t function, uint32_t file, uint32_t line)
{
	const uint32_t key[] = {file, line};
	uint32_t at = intern(&c->by_line, key, 2, c->lines.n);
	if (at == c->lines.n) {
		vec_push(&c->lines, ((struct cover_line){.file = file, .line = line, .function = function}));
	}
	return at;
}

// `which`: its number among those of one function at one place.
static uint32_t add_edge(struct cover *c, uint32_t function, const uint32_t place[3], uint32_t which)
{
	const uint32_t key[] = {function, place[0], place[1], place[2], which};
	uint32_t at = intern(&c->by_edge, key, 5, c->edges.n);
	if (at == c->edges.n) {
		vec_push(&c->edges, ((struct cover_edge){.function = function,
		                                         .file = place[0],
		                                         .line = place[1],
		                                         .column = place[2],
		                                         .which = which}));
	}
	return at;
}

static uint32_t add_segment(struct cover *c, uint32_t function, uint32_t number)
{
	const uint32_t key[] = {function, number};
	uint32_t at = intern(&c->by_segment, key, 2, c->segments.n);
	if (at == c->segments.n)
		vec_push(&c->segments, ((struct segment_mark){.function = function, .number = number}));
	return at;
}

// --- reading the table of a variant --------------------------------------------------------------

// A unit that is being read. The first time only checks, so that what is damaged adds nothing.
struct reader {
	struct cover *cover; // NULL: only check
	struct cursor in;
	uint32_t *files; // as in the cover
	uint32_t n_files, count, at;
	struct cover_item *unit;
	bool borrowed;             // the function in hand
	struct cover_index places; // how many edges each place has had, in this function
	COVER_ARRAY(uint32_t, counts);
};

static void link_byte(struct reader *r)
{
	if (r->at >= r->count)
		r->in.bad = true;
	else if (r->cover)
		r->unit->links[r->at] = r->cover->links.n;
	r->at++;
}

static void add_link(struct reader *r, unsigned kind, uint32_t index)
{
	assert(kind <= SEGMENT && index < 1u << (32 - KIND_BITS));
	struct cover_count *count;
	if (kind != END && !r->borrowed) {
		struct cover_mark *m = cover_mark_of(r->cover, kind | index << KIND_BITS, &count);
		make_real(m, count);
	}
	vec_push(&r->cover->links, kind == END ? END : kind | index << KIND_BITS);
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
		vec_push(&r->counts, 0);
	for (unsigned i = 0; i < n && !r->in.bad; i++) {
		uint32_t which = r->counts.v[slot]++;
		link_byte(r);
		if (!r->cover)
			continue;
		add_link(r, EDGE, add_edge(r->cover, function, place, which));
		add_link(r, END, 0);
	}
}

// A function that several units have is described by the first; if another one's differ, they are more of its segments.
static void read_segments(struct reader *r, uint32_t function)
{
	struct segments *s = segments_read(&r->in, r->files, r->n_files);
	uint32_t n = s ? segments_count(s) : 0;
	if (n > r->count - r->at)
		r->in.bad = true;
	for (uint32_t i = 0; i < n && !r->in.bad; i++) {
		link_byte(r);
		if (!r->cover)
			continue;
		add_link(r, SEGMENT, add_segment(r->cover, function, i));
		add_link(r, END, 0);
	}
	struct cover_function *f = r->cover ? &r->cover->functions.v[function] : NULL;
	if (f && !f->segments)
		f->segments = s;
	else
		segments_free(s);
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
		case COVER_PATHS: read_segments(r, function); break;
		default: r->in.bad = true;
		}
	}
	cover_index_release(&r->places);
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

// A unit may be in a program and in its library.
static void add_unit(struct cover *c, const struct cover_sites *head, struct cursor in)
{
	if (cover_unit_of(c, head->unit))
		return;
	vec_push(&c->units, ((struct cover_item){.id = head->unit, .count = head->count}));
	cover_index_put(&c->by_unit, head->unit)->index = c->units.n;
	struct cover_item *u = &c->units.v[c->units.n - 1];
	u->links = mem_zero((head->count + 1) * sizeof *u->links);
	u->seen = mem_zero(cover_words(head->count) + 8);
	struct reader r = {.cover = c, .in = in, .count = head->count, .unit = u};
	bool whole = read_unit(&r);
	assert(whole); // it has been read before, without adding
	(void)whole;
}

int cover_add_sites(struct cover *c, const void *data, size_t size, struct err *err)
{
	for (int adding = 0; adding < 2; adding++) {
		struct cursor in = {data, (const uint8_t *)data + size, false};
		while (in.p < in.end) {
			struct cover_sites head;
			struct cursor rest;
			if (!units_take(&in, COVER_MAGIC, &head, &rest) || head.count > size)
				return err_set(err,
				               "its table of lines and branches (" COVER_SITES_SECTION ") is damaged");
			struct reader check = {.in = rest, .count = head.count};
			if (!adding && !read_unit(&check))
				return err_set(err,
				               "its table of lines and branches (" COVER_SITES_SECTION ") is damaged");
			if (adding)
				add_unit(c, &head, rest);
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
