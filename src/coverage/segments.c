#include "coverage/segments.h"

#include <assert.h>

#include "base/mem.h"
#include "base/vec.h"

enum { NONE = UINT32_MAX };

struct node {
	uint32_t marker; // its number, or NONE
	struct segment_place place;
	uint32_t first_line, lines;
	uint32_t first_edge, edges;
	uint32_t point; // where edges part, plus 1; 0: not known
	uint32_t paths; // from here to markers, or out of the function
	bool computed;
};

struct segments {
	struct node *nodes;
	uint32_t n_nodes;
	struct segment_line *lines;
	uint32_t n_lines;
	uint32_t *edges, n_edges;
	uint32_t *markers, n_markers; // their nodes
	uint32_t count;
	struct numbers {
		uint32_t *v, n; // in order
	} infeasible, unprovable;
};

void segments_free(struct segments *s)
{
	if (!s)
		return;
	mem_free(s->nodes);
	mem_free(s->lines);
	mem_free(s->edges);
	mem_free(s->markers);
	mem_free(s->infeasible.v);
	mem_free(s->unprovable.v);
	mem_free(s);
}

uint32_t segments_count(const struct segments *s)
{
	return s->count;
}

static bool is_listed(const struct numbers *in, uint32_t number)
{
	uint32_t first = 0, end = in->n;
	while (first < end) {
		uint32_t middle = first + (end - first) / 2;
		if (in->v[middle] < number)
			first = middle + 1;
		else
			end = middle;
	}
	return first < in->n && in->v[first] == number;
}

bool segments_infeasible(const struct segments *s, uint32_t number)
{
	return is_listed(&s->infeasible, number);
}

bool segments_unprovable(const struct segments *s, uint32_t number)
{
	return is_listed(&s->unprovable, number);
}

// --- reading -----------------------------------------------------------------------------------

struct reader {
	struct cursor *in;
	const uint32_t *files;
	uint32_t n_files;
	struct segments *s;
};

// A count of things of at least a byte each: more than there are bytes is damage, not a reason to allocate.
static uint32_t read_count(struct reader *r)
{
	return cursor_fits(r->in, cursor_number(r->in), 1);
}

static uint32_t read_file(struct reader *r)
{
	uint32_t file = cursor_number(r->in);
	if (file >= r->n_files)
		r->in->bad = true;
	return r->in->bad ? 0 : r->files[file];
}

static void read_marker(struct reader *r, struct node *v)
{
	uint32_t number = cursor_number(r->in);
	v->marker = number ? number - 1 : NONE;
	if (!number)
		return;
	uint32_t kind = cursor_number(r->in);
	if (kind > SHAPE_AT_SPLIT || number > r->s->n_nodes)
		r->in->bad = true;
	v->place.kind = r->in->bad ? SHAPE_AT_ENTRY : (enum shape_marker_kind)kind;
	v->place.file = read_file(r);
	v->place.line = cursor_number(r->in);
	v->place.column = cursor_number(r->in);
}

static void read_node(struct reader *r, struct node *v)
{
	struct segments *s = r->s;
	read_marker(r, v);
	v->first_line = s->n_lines;
	v->lines = read_count(r);
	s->lines = mem_resize(s->lines, (s->n_lines + (size_t)v->lines) * sizeof *s->lines);
	for (uint32_t k = 0; k < v->lines && !r->in->bad; k++) {
		uint32_t file = read_file(r);
		s->lines[s->n_lines++] = (struct segment_line){file, cursor_number(r->in)};
	}
	v->computed = cursor_number(r->in) != 0;
	v->first_edge = s->n_edges;
	v->edges = read_count(r);
	s->edges = mem_resize(s->edges, (s->n_edges + (size_t)v->edges) * sizeof *s->edges);
	for (uint32_t k = 0; k < v->edges && !r->in->bad; k++)
		s->edges[s->n_edges++] = cursor_number(r->in);
	v->point = v->edges > 1 ? cursor_number(r->in) : 0;
}

// Numbers of markers are 0, 1, ..., each once, and no edge leads back but to markers.
static bool is_sound(struct segments *s)
{
	for (uint32_t n = 0; n < s->n_nodes; n++)
		s->n_markers += s->nodes[n].marker != NONE;
	s->markers = mem_zero((s->n_markers + 1) * sizeof *s->markers);
	for (uint32_t n = 0; n < s->n_nodes; n++) {
		const struct node *v = &s->nodes[n];
		if (v->marker != NONE && (v->marker >= s->n_markers || s->markers[v->marker]))
			return false;
		if (v->marker != NONE)
			s->markers[v->marker] = n + 1;
		for (uint32_t k = 0; k < v->edges; k++) {
			uint32_t to = s->edges[v->first_edge + k];
			if (to >= s->n_nodes || (to <= n && s->nodes[to].marker == NONE))
				return false;
		}
	}
	for (uint32_t k = 0; k < s->n_markers; k++)
		s->markers[k]--;
	return true;
}

static uint32_t paths_by(const struct segments *s, uint32_t edge)
{
	const struct node *to = &s->nodes[s->edges[edge]];
	return to->marker != NONE ? 1 : to->paths;
}

// Whether the number of segments is what the graph says.
static bool count_paths(struct segments *s)
{
	uint64_t all = 0;
	for (uint32_t n = s->n_nodes; n-- > 0;) {
		struct node *v = &s->nodes[n];
		uint64_t sum = 0;
		for (uint32_t k = 0; k < v->edges && !v->computed; k++)
			sum += paths_by(s, v->first_edge + k);
		if (sum > s->count)
			return false;
		v->paths = v->edges && !v->computed ? (uint32_t)sum : 1;
	}
	for (uint32_t k = 0; k < s->n_markers; k++)
		all += s->nodes[s->markers[k]].paths;
	return all == s->count;
}

static void read_numbers(struct reader *r, struct numbers *ret)
{
	uint32_t n = read_count(r);
	uint64_t next = 0;
	ret->v = mem_zero((n + (size_t)1) * sizeof *ret->v);
	for (; ret->n < n && !r->in->bad; ret->n++) {
		uint64_t number = next + cursor_number(r->in);
		if (number >= r->s->count)
			r->in->bad = true;
		ret->v[ret->n] = (uint32_t)number;
		next = number + 1;
	}
}

struct segments *segments_read(struct cursor *in, const uint32_t *files, uint32_t n_files)
{
	struct reader r = {in, files, n_files, mem_zero(sizeof *r.s)};
	struct segments *s = r.s;
	s->count = cursor_number(in);
	s->n_nodes = read_count(&r);
	s->nodes = mem_zero((s->n_nodes + (size_t)1) * sizeof *s->nodes);
	for (uint32_t n = 0; n < s->n_nodes && !in->bad; n++)
		read_node(&r, &s->nodes[n]);
	if (!in->bad && is_sound(s) && count_paths(s)) {
		read_numbers(&r, &s->infeasible);
		read_numbers(&r, &s->unprovable);
	} else {
		in->bad = true;
	}
	if (in->bad) {
		segments_free(s);
		return NULL;
	}
	return s;
}

// --- one of them -------------------------------------------------------------------------------

static void add_lines(const struct segments *s, const struct node *v, struct segment *ret, uint32_t *room)
{
	for (uint32_t k = 0; k < v->lines; k++) {
		vec_room(ret->lines, ret->n + 1, *room);
		ret->lines[ret->n++] = s->lines[v->first_line + k];
	}
}

// The marker, and which one of its segments it is.
static uint32_t find_marker(const struct segments *s, uint32_t *number)
{
	uint32_t at = 0;
	assert(*number < s->count);
	while (*number >= s->nodes[s->markers[at]].paths)
		*number -= s->nodes[s->markers[at++]].paths;
	return at;
}

uint32_t segments_marker(const struct segments *s, uint32_t number)
{
	return find_marker(s, &number);
}

bool segments_choice(const struct segments *s, uint32_t number, uint32_t k, struct segment_choice *ret)
{
	uint32_t rest = number, first = number;
	const struct node *v = &s->nodes[s->markers[find_marker(s, &rest)]];
	first -= rest;
	while (v->edges && !v->computed) {
		uint32_t edge = v->first_edge, at = first;
		while (rest >= paths_by(s, edge)) {
			rest -= paths_by(s, edge);
			at += paths_by(s, edge++);
		}
		if (v->edges > 1 && !k--) {
			*ret = (struct segment_choice){.point = v->point,
			                               .all = {first, first + v->paths},
			                               .taken = {at, at + paths_by(s, edge)}};
			return true;
		}
		first = at;
		v = &s->nodes[s->edges[edge]];
		if (v->marker != NONE)
			break;
	}
	return false;
}

struct segment segments_get(const struct segments *s, uint32_t number)
{
	struct segment ret = {0};
	uint32_t room = 0, at = find_marker(s, &number);
	const struct node *v = &s->nodes[s->markers[at]];
	ret.from = v->place;
	for (;;) {
		add_lines(s, v, &ret, &room);
		if (v->computed || !v->edges) {
			ret.end = v->computed ? SEGMENT_COMPUTED : SEGMENT_EXIT;
			return ret;
		}
		uint32_t edge = v->first_edge;
		while (number >= paths_by(s, edge))
			number -= paths_by(s, edge++);
		v = &s->nodes[s->edges[edge]];
		if (v->marker != NONE) {
			ret.end = SEGMENT_MARKER;
			ret.to = v->place;
			return ret;
		}
	}
}
