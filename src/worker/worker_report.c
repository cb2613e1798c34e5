// Reports what the trace of a run shows: decisions, functions without a model, reads, coverage.
#include "worker/worker_internal.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "coverage/cover.h"
#include "expr/trace.h"
#include "input/fragment.h"
#include "worker/reachable.h"
#include "worker/reads.h"

enum { NAMES_MAX = 64 };

// Checks inside models of libc (meson.build names their files so) belong to the call, wherever that is; findings are
// reported by their own place.
static bool is_in_model(const char *file)
{
	return strncmp(file, "libc/", 5) == 0;
}

// Globs are matched once for each place in the source.
bool worker_wants(void *opaque, const struct trace *t, const struct trace_event *e, uint64_t place)
{
	struct worker_state *s = opaque;
	const struct filter *f = s->setup->filter;
	const struct trace_site *site = trace_site(t, e->site);
	uint32_t kind = trace_check_kind(t, e);
	place ^= (uint64_t)kind << 32; // of one place, one kind may be wanted and another not
	enum tree_state known = tree_get(&s->places, place);
	if (known != TREE_NEW || !site)
		return known != TREE_UNSAT;
	const char *file = trace_text(t, site->file), *program = s->setup->programs[s->program].target.program;
	bool wanted = filter_wants_check(f, kind) &&
	              (is_in_model(file) || filter_wants_place(f, program, file, trace_text(t, site->function)));
	tree_set(&s->places, place, wanted ? TREE_SAT : TREE_UNSAT);
	return wanted;
}

static void report_decision(struct worker_state *s, uint32_t index, uint32_t depth, struct result *r)
{
	const struct decision *d = &s->decisions.v[index];
	struct reported *t = &r->reported[r->n_reported++];
	*t = (struct reported){.decision = *d, .depth = depth};
	t->decision.first = r->n_alternatives;
	memcpy(&r->alternatives[r->n_alternatives], &s->decisions.alternatives[d->first],
	       d->alternatives * sizeof *r->alternatives);
	r->n_alternatives += d->alternatives;
	assert(r->n_reported <= s->decisions.n && r->n_alternatives <= s->decisions.n_alternatives);
}

static bool is_unreported(struct worker_state *s, const struct decision *d)
{
	return tree_set(&s->reported, d->check ? d->place : d->key, TREE_TAKEN) != TREE_TAKEN;
}

static void report_path(struct worker_state *s, const struct job *j, struct result *r)
{
	struct decisions *ds = &s->decisions;
	ds->hold = fragment_name(&s->input) != 0; // what is made up need not break what the code relies on
	decisions_read(ds, &s->trace, worker_root(s), s->setup->decisions);
	struct fragment entered;
	if (fragment_of(&s->input, &entered))
		reachable_find(s->setup->cover, entered.unit, &s->trace, ds);
	assert(ds->n <= s->setup->decisions && !r->reported && !r->alternatives);
	r->decisions = ds->n;
	r->path = ds->path;
	r->cut = ds->cut;
	r->reported = mem_alloc((ds->n + 1) * sizeof *r->reported);
	r->alternatives = mem_alloc((ds->n_alternatives + 1) * sizeof *r->alternatives);
	if (s->reported.full) { // from the start: the coordinator knows what is new
		tree_release(&s->reported);
		tree_init(&s->reported, WORKER_REPORTED_MAX);
	}
	uint32_t depth = 0, after = 0;
	for (uint32_t i = 0; i < ds->n; i++) {
		const struct decision *d = &ds->v[i];
		if (j->flags & JOB_AFTER ? r->as_expected && after++ < s->setup->after
		                         : j->flags & JOB_ALL || is_unreported(s, d))
			report_decision(s, i, depth, r);
		else if (!d->check)
			r->join = d->key; // what was reported before comes before what was not
		r->leaf = d->check ? r->leaf : d->key;
		r->as_expected |= !d->check && d->key == j->expect;
		depth += !d->check;
	}
}

// Functions that labels were lost in.
static void report_names(struct worker_state *s, struct result *r)
{
	const struct trace *t = &s->trace;
	r->names = mem_zero(NAMES_MAX * sizeof *r->names);
	for (uint32_t i = 0; i < t->n_events; i++) {
		r->untraced |= t->events[i].kind == EVENT_UNKNOWN;
		r->concretised |= t->events[i].kind == EVENT_CONCRETE;
		if (t->events[i].kind != EVENT_UNMODELLED || !t->events[i].value)
			continue;
		const char *name = trace_text(t, (uint32_t)t->events[i].value);
		uint32_t k = 0;
		while (k < r->n_names && strcmp(r->names[k].name, name) != 0)
			k++;
		if (k == NAMES_MAX)
			continue;
		if (k == r->n_names)
			r->names[r->n_names++].name = mem_strdup(name);
		r->names[k].count++;
	}
	r->unmodelled = r->n_names > 0;
}

// What of standard input and files the run read.
static void report_reads(struct worker_state *s, struct result *r)
{
	const struct trace *t = &s->trace;
	const struct decisions *ds = &s->decisions;
	uint32_t *reach = mem_zero((t->n_inputs + 1) * sizeof *reach);
	reads_reach(t, ds->cut && ds->n ? ds->v[ds->n - 1].event + 1 : t->n_events, reach);
	r->reads = mem_zero((t->n_inputs + 1) * sizeof *r->reads);
	for (uint32_t i = 0; i < t->n_inputs; i++) {
		struct input_source of = trace_input_source(t, i);
		if (input_is_content(of.type) || of.type.role == INPUT_CONCRETE)
			r->reads[r->n_reads++] =
				(struct result_read){of.type.kind, of.ordinal, mem_strdup(of.name), reach[i]};
	}
	mem_free(reach);
}

static int report_unit(void *opaque, uint64_t unit, const uint8_t *bytes, size_t n)
{
	struct result *r = opaque;
	r->cover = mem_resize(r->cover, (r->n_cover + 1) * sizeof *r->cover);
	r->cover[r->n_cover++] =
		(struct result_cover){.unit = unit, .n = (uint32_t)n, .bytes = (uint8_t *)mem_copy(bytes, n)};
	return 0;
}

static void report_cover(struct worker_state *s, const struct job *j, struct result *r)
{
	if (j->flags & JOB_EDGES) {
		r->n_edges = (cover_edges(s->setup->cover) + 7) / 8;
		r->edges = mem_zero(r->n_edges + 1);
		cover_hits(s->setup->cover, s->explored->cover, s->explored->cover_size, r->edges);
	}
	if (j->flags & JOB_SEGMENTS) {
		r->n_segments = (cover_segments(s->setup->cover) + 7) / 8;
		r->segments = mem_zero(r->n_segments + 1);
		r->length = cover_length(s->explored->cover, s->explored->cover_size);
		cover_hit_segments(s->setup->cover, s->explored->cover, s->explored->cover_size, r->segments);
	}
	if (s->setup->goals) {
		r->n_goals = (goals_count(s->setup->goals) + 7) / 8;
		r->goals = mem_zero(r->n_goals + 1);
		goals_reached(s->setup->goals, s->explored->cover, s->explored->cover_size, r->goals);
	}
	r->changed_cover = cover_merge(s->setup->cover, s->explored->cover, s->explored->cover_size);
	if (r->changed_cover)
		cover_each_changed(s->setup->cover, report_unit, r);
}

static bool has_symbolic_input(const struct trace *t)
{
	for (uint32_t i = 0; i < t->n_inputs; i++)
		if (trace_input_type(t, i).role != INPUT_CONCRETE)
			return true;
	return false;
}

// Is there a byte that could be another, or anything that depends on how many there are?
static bool has_input(const struct trace *t)
{
	for (uint32_t i = 0; i < t->n_inputs; i++) {
		uint32_t size = 0;
		const uint8_t *data = trace_input_data(t, i, &size);
		bool is_number = input_is_number(trace_input_type(t, i));
		if (data && input_is_string(trace_input_type(t, i)))
			size = (uint32_t)strnlen((const char *)data, size);
		if (size && !is_number)
			return true;
	}
	for (uint32_t i = 0; i < t->n_events; i++)
		if (t->events[i].label && trace_is_condition(&t->events[i]))
			return true;
	return false;
}

// Up to the first marker that a fragment came to, the trace need not say all that was decided.
static bool is_unsure(const struct worker_state *s, const struct result *r)
{
	const struct trace *t = &s->trace;
	for (uint32_t i = 0; i < t->n_events; i++)
		switch (t->events[i].kind) {
		case EVENT_UNMODELLED:
		case EVENT_UNKNOWN:
		case EVENT_WITHIN: // an index: what other elements hold is not seen in every case
		case EVENT_PARTIAL:
		case EVENT_LIMIT: return true;
		case EVENT_BEYOND: // and it cannot grow
			if (!t->events[i].cell.size)
				return true;
			break;
		case EVENT_MARKER: return false;
		default: break;
		}
	return r->cut || r->full || r->damaged || s->run.end == RUN_TIMEOUT || s->run.end == RUN_MEMORY;
}

void worker_report(struct worker_state *s, const struct job *j, struct result *r)
{
	uint64_t from = worker_clock();
	assert(s->ran && s->id == j->id);
	r->full = s->trace.header->full != 0;
	r->damaged = s->trace.damaged;
	r->symbolic = has_symbolic_input(&s->trace);
	r->no_input = !has_input(&s->trace);
	r->nodes = s->trace.n_nodes;
	if (j->flags & JOB_PATH) {
		report_path(s, j, r);
		report_names(s, r);
		r->unsure = fragment_name(&s->input) && is_unsure(s, r);
		if (j->flags & JOB_ALL)
			report_reads(s, r);
		report_cover(s, j, r);
	}
	r->us_read = worker_clock() - from;
	r->run = s->run;
}
