#include "search/features.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "abi/graph.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "search/episode.h"

_Static_assert(FEATURES == 40, "weights have a meaning each");

enum { LARGE = 10, YOUNG = 10 }; // branches of a function that counts; runs

// Of a branch, whichever time it comes on the path.
struct found {
	uint64_t bits;
	uint32_t stamp;   // when it was found out
	uint32_t covered; // how much was + 1, when `lasting` was
	uint64_t lasting; // those of the bits that change only with what is covered
};

struct features {
	const struct graph *graph;
	struct found *known; // by branch_id
	uint32_t *times;     // on the path, likewise; of this stamp when `seen` is
	uint32_t *seen;
	uint32_t max, stamp;
	uint32_t most, least; // times of branches on the path
	uint32_t poorest;     // function
	uint32_t covered;     // how much was, when that was found out
};

struct features *features_new(const struct graph *g)
{
	struct features *f = mem_zero(sizeof *f);
	f->graph = g;
	f->poorest = GRAPH_NONE;
	f->covered = UINT32_MAX;
	return f;
}

void features_free(struct features *f)
{
	mem_free(f->known);
	mem_free(f->times);
	mem_free(f->seen);
	mem_free(f);
}

// --- the path -------------------------------------------------------------------------------------

static void make_room(struct features *f, uint32_t n)
{
	if (n <= f->max)
		return;
	vec_cover(f->known, f->max, n);
	f->times = mem_resize(f->times, n * sizeof *f->times);
	vec_cover(f->seen, f->max, n);
	f->max = n;
}

static void count_times(struct features *f, const struct episode *w)
{
	f->most = 0;
	f->least = UINT32_MAX;
	for (uint32_t i = 0; i < w->n; i++) {
		branch_id b = w->paths->nodes[w->nodes[i]].self;
		f->times[b] = f->seen[b] == f->stamp ? f->times[b] + 1 : 1;
		f->seen[b] = f->stamp;
	}
	for (uint32_t i = 0; i < w->n; i++) {
		uint32_t n = f->times[w->paths->nodes[w->nodes[i]].self];
		f->most = n > f->most ? n : f->most;
		f->least = n < f->least ? n : f->least;
	}
}

static void find_poorest(struct features *f, const struct episode *w)
{
	if (f->covered == w->n_covered)
		return;
	f->covered = w->n_covered;
	uint32_t most = 0;
	f->poorest = GRAPH_NONE;
	for (uint32_t i = 0; i < f->graph->n_functions; i++)
		if (w->uncovered[i] > most) {
			most = w->uncovered[i];
			f->poorest = i;
		}
}

void features_begin(struct episode *w)
{
	struct features *f = w->features;
	make_room(f, w->max_ids);
	f->stamp++;
	count_times(f, w);
	find_poorest(f, w);
}

// --- of the program -------------------------------------------------------------------------------

static uint64_t static_bits(const struct graph *g, const struct path_node *n, const struct path_alternative *t)
{
	if (n->point == PATHS_NONE)
		return 0;
	const struct graph_point *p = &g->points[n->point];
	uint64_t bits = strcmp(g->functions[p->function].name, "main") == 0 ? FEATURE_BIT(MAIN) : 0;
	if (p->flags & GRAPH_LOOP && n->edge != PATHS_NONE) {
		bool stays = ((p->flags & GRAPH_STAYS) != 0) == (g->edges[n->edge].way == 1);
		bits |= stays ? FEATURE_BIT(LOOP_TRUE) : FEATURE_BIT(LOOP_FALSE);
	}
	bits |= p->flags & GRAPH_NESTED ? FEATURE_BIT(NESTED) : 0;
	bits |= p->external ? FEATURE_BIT(EXTERNAL) : 0;
	bits |= p->flags & GRAPH_INTEGER ? FEATURE_BIT(INTEGER) : 0;
	bits |= p->flags & GRAPH_CHARACTER ? FEATURE_BIT(CHARACTER) : 0;
	bits |= p->flags & GRAPH_POINTER ? FEATURE_BIT(POINTER) : 0;
	bits |= p->flags & GRAPH_LOCAL ? FEATURE_BIT(LOCAL) : 0;
	bits |= p->flags & GRAPH_BODY ? FEATURE_BIT(BODY) : 0;
	bits |= p->kind == GRAPH_SWITCH && t->op == ALTERNATIVE_DEFAULT ? FEATURE_BIT(CASE_TRUE) : 0;
	bits |= p->kind == GRAPH_SWITCH && t->op == ALTERNATIVE_CASE ? FEATURE_BIT(CASE_FALSE) : 0;
	return bits;
}

// --- of what was covered --------------------------------------------------------------------------

static bool all_uncovered(const struct episode *w, uint32_t edge)
{
	const struct graph *g = w->paths->graph;
	const struct graph_next *next = &g->edges[edge].next;
	for (uint32_t i = 0; i < next->points; i++) {
		const struct graph_point *p = &g->points[g->refs[next->first + i]];
		for (uint32_t k = p->first; k < p->first + p->edges; k++)
			if (graph_is_covered(g, w->covered, k))
				return false;
	}
	return true;
}

static uint64_t lead_bits(const struct episode *w, const struct graph_next *next)
{
	const struct graph *g = w->paths->graph;
	uint64_t bits = 0;
	for (uint32_t i = 0; i < next->functions; i++) {
		uint32_t function = g->refs[next->first + next->points + i];
		const struct graph_function *f = &g->functions[function];
		if (w->reached[function])
			continue;
		bits |= f->top == 1 ? FEATURE_BIT(LEADS10) : 0;
		bits |= f->top && f->top <= 2 ? FEATURE_BIT(LEADS20) : 0;
		bits |= f->top && f->top <= 3 ? FEATURE_BIT(LEADS30) : 0;
		bits |= f->edges >= LARGE ? FEATURE_BIT(LEADS) : 0;
	}
	return bits;
}

// What is called behind the edge, and behind those that come next.
static uint64_t leads(const struct episode *w, uint32_t edge)
{
	const struct graph *g = w->paths->graph;
	const struct graph_next *next = &g->edges[edge].next;
	uint64_t bits = lead_bits(w, next);
	for (uint32_t i = 0; i < next->points; i++) {
		const struct graph_point *p = &g->points[g->refs[next->first + i]];
		for (uint32_t k = p->first; k < p->first + p->edges; k++)
			bits |= lead_bits(w, &g->edges[k].next);
	}
	return bits;
}

static uint64_t opposite_bits(const struct episode *w, const struct path_alternative *t)
{
	const struct graph *g = w->paths->graph;
	if (t->other == PATHS_NONE)
		return 0;
	uint64_t bits = 0;
	if (!graph_is_covered(g, w->covered, t->other)) {
		bits |= FEATURE_BIT(UNCOVERED);
		bits |= all_uncovered(w, t->other) ? FEATURE_BIT(ALL_UNCOVERED) : 0;
	}
	return bits | leads(w, t->other);
}

static uint64_t poorest_bit(const struct episode *w, const struct path_node *n)
{
	bool is_in = n->point != PATHS_NONE && w->paths->graph->points[n->point].function == w->features->poorest;
	return is_in ? FEATURE_BIT(POOREST) : 0;
}

static uint64_t young_bit(const struct episode *w, const struct path_node *n)
{
	if (n->point == PATHS_NONE)
		return 0;
	uint32_t function = w->paths->graph->points[n->point].function;
	bool young = w->reached[function] && w->runs - w->reached[function] < YOUNG;
	return young && w->paths->graph->functions[function].edges >= LARGE ? FEATURE_BIT(NEW_FUNCTION) : 0;
}

// --- of what was chosen ---------------------------------------------------------------------------

static uint64_t history_bits(const struct episode *w, const struct path_alternative *t)
{
	uint32_t negated = w->negated[t->self], last = w->chosen[t->self];
	uint32_t ago = last ? w->choices - last : UINT32_MAX;
	uint64_t bits = negated > 10 ? FEATURE_BIT(NEGATED10) : 0;
	bits |= negated > 20 ? FEATURE_BIT(NEGATED20) : 0;
	bits |= negated > 30 ? FEATURE_BIT(NEGATED30) : 0;
	bits |= w->failed[t->self] > 10 ? FEATURE_BIT(FAILED) : 0;
	bits |= t->other != PATHS_NONE && w->failed[t->other] > 10 ? FEATURE_BIT(OPPOSITE_FAILED) : 0;
	bits |= ago < 10 ? FEATURE_BIT(LAST10) : 0;
	bits |= ago < 20 ? FEATURE_BIT(LAST20) : 0;
	return bits | (ago < 30 ? FEATURE_BIT(LAST30) : 0);
}

// Who was chosen after the same four was after the same three, too.
static uint64_t context_bits(const struct episode *w, uint32_t node, const struct path_alternative *t)
{
	if (!w->chosen[t->self])
		return 0;
	uint64_t bits = FEATURE_BIT(CONTEXT1);
	for (unsigned k = 2; k <= PATHS_CONTEXTS + 1; k++) {
		if (tree_get(&w->contexts, episode_context(w, node, t, k)) != TREE_TAKEN)
			break;
		bits |= FEATURE_BIT(CONTEXT1) << (k - 1);
	}
	return bits;
}

// --- of the path ----------------------------------------------------------------------------------

static uint64_t place_bits(const struct episode *w, const struct path_node *n, uint32_t place)
{
	const struct features *f = w->features;
	uint64_t bits = 10 * (uint64_t)place < w->n ? FEATURE_BIT(FRONT) : 0;
	bits |= 10 * (uint64_t)place >= 9 * (uint64_t)w->n ? FEATURE_BIT(BACK) : 0;
	bits |= f->times[n->self] == f->most ? FEATURE_BIT(FREQUENT) : 0;
	bits |= f->times[n->self] == f->least ? FEATURE_BIT(SELDOM) : 0;
	if (w->negated_at == PATHS_NONE)
		return bits;
	uint32_t away = place > w->negated_at ? place - w->negated_at : w->negated_at - place;
	bits |= place == w->negated_at + 1 ? FEATURE_BIT(AFTER) : 0;
	return bits | (5 * (uint64_t)away <= w->n ? FEATURE_BIT(NEAR) : 0);
}

static uint64_t fresh_bit(const struct episode *w, const struct path_node *n)
{
	uint32_t cover = n->edge == PATHS_NONE ? GRAPH_NONE : w->paths->graph->edges[n->edge].cover;
	return cover != GRAPH_NONE && w->covered_in[cover] == w->runs ? FEATURE_BIT(FRESH) : 0;
}

uint64_t features_of(struct episode *w, uint32_t place, uint32_t alternative)
{
	uint32_t node = w->nodes[place];
	const struct path_node *n = &w->paths->nodes[node];
	const struct path_alternative *t = &w->paths->alternatives[alternative];
	struct found *k = &w->features->known[t->self];
	if (k->covered != w->n_covered + 1) {
		k->lasting = static_bits(w->paths->graph, n, t) | opposite_bits(w, t) | poorest_bit(w, n);
		k->covered = w->n_covered + 1;
	}
	if (k->stamp != w->features->stamp) {
		k->bits = k->lasting | young_bit(w, n) | history_bits(w, t) | fresh_bit(w, n);
		k->stamp = w->features->stamp;
	}
	return k->bits | place_bits(w, n, place) | context_bits(w, node, t);
}

double features_score(uint64_t bits, const double *weights)
{
	double sum = 0;
	for (; bits; bits &= bits - 1)
		sum += weights[__builtin_ctzll(bits)];
	return sum;
}

// --- weights as text ------------------------------------------------------------------------------

void weights_print(const double *weights, struct buf *out)
{
	static const char *const what[] = {
#define FEATURE(NAME, text) text,
#include "search/features.def"
#undef FEATURE
	};
	for (int i = 0; i < FEATURES; i++)
		buf_printf(out, "%9.6f # %d %s\n", weights[i], i + 1, what[i]);
}

int weights_read(const char *path, double *ret, struct err *err)
{
	struct buf text = {0};
	int n = 0;
	if (file_read(path, &text, err) < 0)
		return -1;
	for (char *line = text.data; line && *line; line = strchr(line, '\n'), line += line != NULL) {
		line += strspn(line, " \t");
		if (*line == '#' || *line == '\n' || !*line)
			continue;
		char *end;
		double v = strtod(line, &end);
		if (end == line || !isfinite(v) || v < -10 || v > 10 || n == FEATURES) {
			buf_release(&text);
			return err_set(err, "%s: weights are %d numbers of -10 to 10, a line each", path, FEATURES);
		}
		ret[n++] = v;
	}
	buf_release(&text);
	return n == FEATURES ? 0 : err_set(err, "%s: there are %d weights, not %d", path, n, FEATURES);
}
