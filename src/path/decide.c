#include "path/decide.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"

enum { CASES_MAX = 256 }; // places of a switch that are tried

// Names the place in the source; the same in every run, wherever the trace has it.
static uint64_t hash_site(const struct trace *t, const struct trace_event *e)
{
	const struct trace_site *site = trace_site(t, e->site);
	if (!site)
		return hash_mix(1, e->kind);
	const char *file = trace_text(t, site->file), *function = trace_text(t, site->function);
	uint64_t h = hash_mix(hash_text(file), hash_text(function));
	return hash_mix(hash_mix(h, (uint64_t)site->line << 32 | site->column), (uint64_t)site->kind << 8 | e->kind);
}

// Sites are few, events many: each is hashed once, found by its offset.
static uint64_t site_of(struct decisions *d, const struct trace *t, const struct trace_event *e)
{
	uint32_t slot = (e->site * 2654435761u ^ e->kind) % d->n_sites;
	uint64_t *s = &d->sites[2 * slot], name = (uint64_t)e->kind << 32 | e->site;
	if (s[0] != name + 1) {
		s[0] = name + 1;
		s[1] = hash_site(t, e);
	}
	return s[1];
}

// --- what is compared -----------------------------------------------------------------------------

// The characters that a condition compares with: one place that looks for a letter in a table, or for a word in a list,
// decides something else each time. Larger constants do not count, of which a loop can have any number.
static uint64_t compared_with(const struct trace *t, uint32_t label, unsigned *budget)
{
	enum { CHARACTERS = 256 };
	if (!*budget || label >= t->n_nodes)
		return 0;
	--*budget;
	const struct trace_node *n = &t->nodes[label];
	if (n->op == OP_CONST) {
		uint64_t value = n->b | (uint64_t)n->c << 32;
		return value < CHARACTERS ? hash_mix(8, value) : 0;
	}
	if (n->op == OP_NOT || n->op == OP_ZEXT || n->op == OP_SEXT)
		return compared_with(t, n->a, budget);
	if (n->op == OP_EQ || n->op == OP_AND || n->op == OP_OR || n->op == OP_XOR) {
		uint64_t a = compared_with(t, n->a, budget), b = compared_with(t, n->b, budget);
		return a && b ? hash_mix(a, b) : a | b;
	}
	return 0;
}

// Names the place and what is compared there.
static uint64_t subject_of(const struct trace *t, const struct trace_event *e, uint64_t site)
{
	unsigned budget = 64;
	if (e->kind != EVENT_BRANCH && e->kind != EVENT_SELECT)
		return site;
	return hash_mix(site, compared_with(t, e->label, &budget));
}

// --- how often ------------------------------------------------------------------------------------

enum { VISITS = 1 << 16 }; // branch edges that are counted

struct visits {
	uint64_t edge; // 0: free
	uint32_t runs, last;
};

// How many runs, this one included, took the edge; UINT32_MAX when that is not known.
static uint32_t visit(struct decisions *d, uint64_t edge)
{
	size_t at = (size_t)(edge >> 20) & (VISITS - 1);
	while (d->visits[at].edge && d->visits[at].edge != edge)
		at = (at + 1) & (VISITS - 1);
	struct visits *v = &d->visits[at];
	if (!v->edge && d->n_visits == VISITS / 2)
		return UINT32_MAX;
	d->n_visits += !v->edge;
	assert(d->n_visits <= VISITS / 2); // the search above ends
	v->edge = edge;
	if (!v->runs || v->last != d->n_runs)
		v->runs++;
	v->last = d->n_runs;
	return v->runs;
}

static void note_edge(struct decisions *d, uint64_t edge)
{
	uint32_t runs = visit(d, edge);
	if (runs < d->rarest_runs) {
		d->rarest = edge;
		d->rarest_runs = runs;
	}
}

// --- reading --------------------------------------------------------------------------------------

// Where a decision is made, on which path.
struct spot {
	uint64_t before;        // key of the path
	uint64_t site, subject; // the place; and what is compared there
};

static void add_alternative(struct decisions *d, const struct spot *at, enum alternative_op op, uint64_t way,
                            uint64_t value)
{
	vec_room(d->alternatives, d->n_alternatives + 1, d->alternatives_max);
	uint64_t edge = hash_mix(at->subject, way);
	d->alternatives[d->n_alternatives++] =
		(struct alternative){.key = hash_mix(at->before, hash_mix(at->site, way)),
	                             .edge = edge,
	                             .site = at->site,
	                             .context = hash_mix(d->last, edge),
	                             .pair = hash_mix(d->rarest, edge),
	                             .value = value,
	                             .op = (uint8_t)op};
}

static uint64_t switch_way(uint64_t target)
{
	return hash_mix(2, target);
}

// The first case of each place that the run did not go to.
static void add_cases(struct decisions *d, const struct trace *t, const struct trace_event *e, const struct spot *at)
{
	uint32_t n, first = d->n_alternatives;
	const struct trace_case *cases = trace_cases(t, e, &n);
	uint64_t target = trace_target(t, e);
	for (uint32_t i = 0; i < n && d->n_alternatives - first < CASES_MAX; i++) {
		uint32_t k = first;
		while (k < d->n_alternatives && d->alternatives[k].value != cases[i].target)
			k++;
		if (k == d->n_alternatives && cases[i].target && cases[i].target != target)
			add_alternative(d, at, ALTERNATIVE_CASE, switch_way(cases[i].target), cases[i].target);
	}
	d->cut |= d->n_alternatives - first == CASES_MAX;
	// What a pointer leads to has no default: where it could be null, the program asks.
	const struct trace_site *site = trace_site(t, e->site);
	if (target && !(site && site->kind == SITE_CHOICE))
		add_alternative(d, at, ALTERNATIVE_DEFAULT, switch_way(0), 0);
}

static void add_growth(struct decisions *d, const struct trace_event *e, const struct spot *at)
{
	if (e->cell.size)
		add_alternative(d, at, ALTERNATIVE_GROW, hash_mix(7, e->cell.size), e->cell.size);
}

static uint64_t way_of(const struct trace *t, const struct trace_event *e)
{
	if (e->kind == EVENT_SWITCH)
		return switch_way(trace_target(t, e));
	if (e->kind == EVENT_BEYOND)
		return hash_mix(8, hash_text(trace_input_label(t, e->cell.input)));
	return e->kind == EVENT_CONCRETE ? hash_mix(3, e->value) : trace_value(e) != 0;
}

static void add_decision(struct decisions *d, const struct decision *decision)
{
	assert(decision->first + decision->alternatives == d->n_alternatives); // its alternatives are the last
	vec_room(d->v, d->n + 1, d->max);
	d->v[d->n++] = *decision;
}

static void decide(struct decisions *d, const struct trace *t, uint32_t event, uint64_t *before)
{
	assert(event < t->n_events && (trace_is_condition(&t->events[event]) || t->events[event].kind == EVENT_BEYOND));
	const struct trace_event *e = &t->events[event];
	uint64_t site = site_of(d, t, e), way = way_of(t, e);
	const struct spot at = {.before = *before, .site = site, .subject = subject_of(t, e, site)};
	struct decision r = {.event = event,
	                     .first = d->n_alternatives,
	                     .place = hash_mix(*before, site),
	                     .value = e->value,
	                     .past = d->past};
	r.edge = hash_mix(at.subject, way);
	r.key = hash_mix(*before, hash_mix(site, way));
	r.point = trace_site(t, e->site) ? trace_site(t, e->site)->point : 0;
	r.taken = e->kind == EVENT_SWITCH ? (uint32_t)trace_target(t, e) : (uint32_t)(way != 0);
	if (e->kind == EVENT_WITHIN || e->kind == EVENT_BEYOND)
		add_growth(d, e, &at);
	else if (e->kind == EVENT_SWITCH)
		add_cases(d, t, e, &at);
	else if (e->kind == EVENT_CONCRETE)
		add_alternative(d, &at, ALTERNATIVE_OTHER, 4, e->value);
	else if (e->kind != EVENT_ASSUME || !e->value)
		add_alternative(d, &at, ALTERNATIVE_NEGATE, !way, 0);
	r.alternatives = d->n_alternatives - r.first;
	note_edge(d, e->kind == EVENT_CONCRETE ? site : r.edge); // values are too many
	*before = r.key;
	d->last = r.edge;
	add_decision(d, &r);
}

// Hashes what a condition says, down to `budget` nodes: on one path, the same check of a loop or of a function that
// is called from elsewhere is about another offset, and in the run of another test about another object.
static uint64_t hash_condition(const struct trace *t, uint32_t label, unsigned *budget)
{
	if (!*budget || label >= t->n_nodes)
		return 0;
	--*budget;
	const struct trace_node *n = &t->nodes[label];
	uint64_t h = hash_mix((uint64_t)n->op << 32 | n->width, 6);
	if (n->op == OP_CONST)
		return hash_mix(h,
		                n->c ? 0 : n->b); // large ones may be addresses, which differ from process to process
	if (n->op == OP_INPUT)
		return hash_mix(h, (uint64_t)n->a << 32 | n->b);
	unsigned operands = op_operands(n->op);
	const uint32_t of[] = {n->a, n->b, n->c};
	for (unsigned i = 0; i < operands; i++)
		h = hash_mix(h, hash_condition(t, of[i], budget));
	return op_extra(n->op) ? hash_mix(h, op_extra(n->op) == OP_EXTRA_B ? n->b : n->c) : h;
}

// `nth`: how many checks there were since the last decision, of whatever kind.
static void check(struct decisions *d, const struct trace *t, uint32_t event, uint64_t before, uint32_t nth)
{
	assert(event < t->n_events && t->events[event].kind == EVENT_CHECK);
	const struct trace_event *e = &t->events[event];
	struct decision r = {.event = event,
	                     .first = d->n_alternatives,
	                     .key = before,
	                     .value = trace_value(e),
	                     .check = true,
	                     .past = d->past};
	unsigned budget = 64;
	uint64_t site = site_of(d, t, e), here = hash_mix(hash_mix(before, nth), hash_condition(t, e->label, &budget));
	const struct spot at = {.before = here, .site = site, .subject = site};
	r.place = hash_mix(here, site);
	r.edge = hash_mix(site, trace_value(e));
	if (trace_value(e))
		add_alternative(d, &at, ALTERNATIVE_VIOLATE, 5, 0);
	else if (d->hold)
		add_alternative(d, &at, ALTERNATIVE_HOLD, 9, 0);
	r.alternatives = d->n_alternatives - r.first;
	add_decision(d, &r);
}

static void forget_asked(struct decisions *d, const struct trace *t)
{
	size_t size = t->n_nodes / 8 + 1;
	if (size > d->asked_size) {
		d->asked = mem_resize(d->asked, size);
		d->asked_size = size;
	}
	memset(d->asked, 0, size);
}

// Was the condition of this check asked for before, on this path? It is from now on.
static bool is_repeated(struct decisions *d, const struct trace *t, const struct trace_event *e)
{
	if (!trace_value(e) || e->label >= t->n_nodes)
		return false;
	assert(e->label / 8 < d->asked_size);
	uint8_t *byte = &d->asked[e->label / 8], bit = (uint8_t)(1u << e->label % 8);
	bool was = *byte & bit;
	*byte |= bit;
	return was;
}

static bool is_place(const struct trace_event *e)
{
	return e->kind == EVENT_ACCESS || e->kind == EVENT_CHECK;
}

static bool is_wanted(struct decisions *d, const struct trace *t, const struct trace_event *e)
{
	return !d->wants || d->wants(d->opaque, t, e, site_of(d, t, e));
}

// `branch`: the last decision, counted from 1; 0 when there was none.
static void mark_sensitive(struct decisions *d, uint32_t branch)
{
	assert(branch <= d->n);
	if (branch)
		d->v[branch - 1].sensitive = true;
}

void decisions_read(struct decisions *d, const struct trace *t, uint64_t root, uint32_t most)
{
	uint64_t before = 0x76656572 ^ root;
	uint32_t checks = 0, branch = 0;
	bool broken = false;
	d->n = d->n_alternatives = 0;
	d->path = 0;
	d->last = d->rarest = 0;
	d->rarest_runs = UINT32_MAX;
	d->n_runs++;
	d->cut = d->past = false;
	if (!d->sites) {
		d->n_sites = 4096;
		d->sites = mem_alloc(2 * d->n_sites * sizeof *d->sites);
		d->visits = mem_zero(VISITS * sizeof *d->visits);
	}
	memset(d->sites, 0, 2 * d->n_sites * sizeof *d->sites); // offsets are of this trace
	forget_asked(d, t);
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct trace_event *e = &t->events[i];
		bool wanted = !is_place(e) || is_wanted(d, t, e);
		if (is_place(e) && wanted)
			mark_sensitive(d, branch);
		d->past |= e->kind == EVENT_MARKER;
		bool decides =
			(e->label && trace_is_condition(e)) || (e->kind == EVENT_BEYOND && e->cell.input < t->n_inputs);
		if (!decides && (!e->label || e->kind != EVENT_CHECK))
			continue;
		uint32_t nth = e->kind == EVENT_CHECK ? checks++ : 0;
		if (!wanted || (e->kind == EVENT_CHECK && is_repeated(d, t, e)))
			continue;
		if (d->n == most) {
			d->cut = true;
			return;
		}
		if (e->kind == EVENT_CHECK) {
			check(d, t, i, before, nth);
		} else {
			decide(d, t, i, &before);
			branch = d->n;
			checks = 0;
			broken = e->kind == EVENT_ASSUME && !e->value;
		}
	}
	mark_sensitive(d, branch); // the end of the program is such a place
	assert(d->n <= most);
	d->path = broken ? 0 : before;
}

void decisions_release(struct decisions *d)
{
	mem_free(d->v);
	mem_free(d->alternatives);
	mem_free(d->sites);
	mem_free(d->asked);
	mem_free(d->visits);
	*d = (struct decisions){0};
}

// What has to hold for a cell of that size to make a difference: the access is behind its end, and would not be then.
static uint32_t grown_condition(struct path *p, const struct trace_event *e, uint64_t size)
{
	const struct trace *t = p->import.trace;
	struct expr_pool *pool = p->import.pool;
	const struct trace_node *n = &t->nodes[e->label];
	uint32_t had = 0;
	if (n->op != OP_ULE)
		return expr_const(pool, 1, 0);
	trace_input_data(t, e->cell.input, &had);
	const unsigned width = t->nodes[n->a].width;
	uint32_t a = p->import.exprs[n->a], b = p->import.exprs[n->b], more = expr_const(pool, width, size - had);
	uint32_t fits = expr_make(pool, OP_ULE, 1, a, expr_make(pool, OP_ADD, width, b, more, 0), 0);
	return expr_make(pool, OP_AND, 1, expr_not(pool, expr_make(pool, OP_ULE, 1, a, b, 0)), fits, 0);
}

struct query alternative_query(struct path *p, uint32_t event, const struct alternative *alternative,
                               const uint64_t *known, uint32_t n_known)
{
	assert(event < p->import.trace->n_events);
	const struct trace_event *e = &p->import.trace->events[event];
	struct expr_pool *pool = p->import.pool;
	if (e->kind == EVENT_BEYOND) // that did not depend on the input: nothing has to change but the cell
		return (struct query){.seed = p->import.seed};
	if (alternative->op == ALTERNATIVE_GROW)
		return path_query(p, event, grown_condition(p, e, alternative->value));
	uint32_t x = p->import.exprs[e->label], condition = expr_not(pool, import_condition(&p->import, event));
	if (alternative->op == ALTERNATIVE_CASE || alternative->op == ALTERNATIVE_DEFAULT)
		condition = import_goes_to(&p->import, e, alternative->value);
	for (uint32_t i = 0; alternative->op == ALTERNATIVE_OTHER && i < n_known; i++)
		condition = expr_make(pool, OP_AND, 1, condition, expr_not(pool, expr_eq(pool, x, known[i])), 0);
	return path_query(p, event, condition);
}

bool alternative_near(struct path *p, uint32_t event, uint64_t most, struct query *ret)
{
	assert(event < p->import.trace->n_events);
	const struct trace *t = p->import.trace;
	const struct trace_event *e = &t->events[event];
	const struct trace_node *n = &t->nodes[e->label];
	struct expr_pool *pool = p->import.pool;
	if (e->kind != EVENT_CHECK || !e->check.object || n->op != OP_ULE)
		return false;
	const unsigned width = t->nodes[n->a].width;
	uint32_t a = p->import.exprs[n->a], b = p->import.exprs[n->b], limit = expr_const(pool, width, most);
	uint32_t behind = expr_make(pool, OP_SUB, width, a, b, 0);
	uint32_t before = expr_make(pool, OP_SUB, width, expr_const(pool, width, 0), a, 0); // a negative offset
	uint32_t near = expr_make(pool, OP_OR, 1, expr_make(pool, OP_ULE, 1, behind, limit, 0),
	                          expr_make(pool, OP_ULE, 1, before, limit, 0), 0);
	uint32_t violated = expr_not(pool, import_condition(&p->import, event));
	*ret = path_query(p, event, expr_make(pool, OP_AND, 1, violated, near, 0));
	return true;
}
