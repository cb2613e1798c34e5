#include "session/differences.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "findings/oracle.h"
#include "session/entered.h"

enum { NONE = UINT32_MAX };

const char *difference_class_word(enum difference_class class)
{
	static const char *const words[] = {"confirmed", "lifted", "possible"};
	assert(class < sizeof words / sizeof *words);
	return words[class];
}

// --- goals ----------------------------------------------------------------------------------------

static void add_goal(struct change_goals *g, uint32_t function, const struct fact_function *own, const uint32_t *lines,
                     uint32_t n)
{
	const uint32_t line = own->line;
	uint32_t goal = goals_add(g->goals, own->file, n ? lines : &line, n ? n : 1);
	g->function = mem_resize(g->function, (goal + 1) * sizeof *g->function);
	g->function[goal] = function;
}

// All of a function is one goal where its blocks cannot be distinguished.
static void add_whole(struct change_goals *g, uint32_t number, const struct changed_function *f, int side)
{
	struct buf lines = {0};
	uint32_t n;
	code_changes_lines(f, side, &lines, &n);
	uint32_t *copy = mem_zero((n + 1) * sizeof *copy);
	if (n)
		memcpy(copy, lines.data, n * sizeof *copy);
	add_goal(g, number, f->side[side], copy, n);
	mem_free(copy);
	buf_release(&lines);
}

void change_goals_new(struct change_goals *ret, const struct code_changes *changes, const struct cover *cover)
{
	*ret = (struct change_goals){.goals = goals_new(cover)};
	for (uint32_t i = 0; i < changes->n_functions; i++) {
		const struct changed_function *f = &changes->functions[i];
		bool by_block = f->kind == CHANGE_CODE || f->kind == CHANGE_MESSAGE;
		for (int side = 0; change_runs(f->kind) && side < CHANGE_SIDES; side++) {
			const struct fact_function *own = f->side[side];
			if (own && !by_block)
				add_whole(ret, i, f, side);
			for (uint32_t k = 0; own && by_block && k < own->n_blocks; k++)
				if (f->blocks[side][k] && own->blocks[k].n_lines)
					add_goal(ret, i, own, own->blocks[k].lines, own->blocks[k].n_lines);
		}
	}
}

void change_goals_release(struct change_goals *g)
{
	goals_free(g->goals);
	mem_free(g->function);
}

// --- what inputs show -----------------------------------------------------------------------------

struct row {
	int64_t input;
	uint32_t entry, side;      // entry: NONE of a whole run
	char *word;                // of the kind, of runs that enter a function
	enum difference_kind kind; // DIFFERENCE_KINDS: nothing
	char *why;
	uint8_t *goals;
	uint64_t size; // of the input
	bool grouped;
};

struct reading {
	VEC(struct row) rows;
	uint32_t n_goals, noise;
};

static int take(void *opaque, const struct stored_comparison *c)
{
	struct reading *r = opaque;
	size_t n = (r->n_goals + 7) / 8;
	if (strcmp(c->kind, ORACLE_NOISE) == 0) {
		r->noise++;
		return 0;
	}
	struct row row = {.input = c->input,
	                  .entry = NONE,
	                  .kind = difference_of_word(c->kind),
	                  .word = mem_strdup(c->kind),
	                  .why = mem_strdup(c->why)};
	row.goals = mem_zero(n + 1);
	memcpy(row.goals, buf_str(&c->goals), c->goals.len < n ? c->goals.len : n);
	vec_push(&r->rows, row);
	return 0;
}

static bool has(const struct row *row, uint32_t goal)
{
	return row->goals[goal / 8] >> goal % 8 & 1;
}

// Rows of whole runs come first, those of others behind them.
static int measure(struct reading *r, struct store *s, struct entered *e, struct err *err)
{
	for (size_t i = 0; i < r->rows.n; i++) {
		struct row *row = &r->rows.v[i];
		struct stored_input in;
		struct input input;
		struct err ignored;
		if (row->kind == DIFFERENCE_KINDS && !e)
			continue;
		if (store_get_input(s, row->input, &in, err) < 0)
			return -1;
		row->size = in.data.len;
		if (e && in.data.len && input_decode(&input, in.data.data, in.data.len, &ignored) == 0) {
			row->entry =
				input_find(&input, INPUT_FRAGMENT, NULL) ? entered_of(e, &input, &row->side) : NONE;
			input_release(&input);
		}
		stored_input_release(&in);
	}
	return 0;
}

static int compare_kinds_of_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	if ((x->entry == NONE) != (y->entry == NONE))
		return x->entry == NONE ? -1 : 1;
	return x->input < y->input ? -1 : x->input > y->input;
}

static uint32_t count_whole(const struct reading *r)
{
	uint32_t n = 0;
	while (n < r->rows.n && r->rows.v[n].entry == NONE)
		n++;
	return n;
}

static void add_possible(void *opaque, const struct difference *x)
{
	struct differences *d = opaque;
	d->v = mem_resize(d->v, (d->n + 1) * sizeof *d->v);
	struct difference *own = &d->v[d->n++];
	*own = *x;
	own->why = mem_strdup(x->why);
	own->identifier = mem_strdup(x->identifier);
	own->old = mem_strdup(x->old);
	own->new = mem_strdup(x->new);
}

static void find_possible(struct differences *d, const struct reading *r, uint32_t whole)
{
	size_t n = r->rows.n - whole;
	struct entered_row *rows = mem_zero((n + 1) * sizeof *rows);
	const size_t n_bytes = (r->n_goals + 7) / 8;
	uint8_t *agreed = mem_zero(n_bytes + 1);
	for (uint32_t i = 0; i < whole; i++)
		for (size_t k = 0; k < n_bytes && r->rows.v[i].kind == DIFFERENCE_KINDS; k++)
			agreed[k] |= r->rows.v[i].goals[k];
	for (size_t i = 0; i < n; i++) {
		const struct row *row = &r->rows.v[whole + i];
		rows[i] = (struct entered_row){.entry = row->entry,
		                               .side = row->side,
		                               .input = row->input,
		                               .kind = row->word,
		                               .report = row->why,
		                               .goals = row->goals,
		                               .n_goals = (r->n_goals + 7) / 8,
		                               .size = row->size};
	}
	entered_find(d->entered, rows, (uint32_t)n, agreed, add_possible, d);
	mem_free(agreed);
	mem_free(rows);
}

// --- groups ---------------------------------------------------------------------------------------

// Of the inputs that are in no group yet: how well the goal tells those that differ from those that do not (Ochiai).
static double score_of(const struct reading *r, uint32_t goal, uint32_t *ret_with)
{
	uint32_t with = 0, differing = 0, same = 0;
	for (size_t i = 0; i < r->rows.n; i++) {
		const struct row *row = &r->rows.v[i];
		bool differs = row->kind != DIFFERENCE_KINDS;
		if (row->grouped)
			continue;
		differing += differs;
		with += differs && has(row, goal);
		same += !differs && has(row, goal);
	}
	*ret_with = with;
	return with ? with / sqrt((double)differing * (with + same)) : 0;
}

static bool is_better(const struct row *a, const struct row *than)
{
	if (!than || a->kind != than->kind)
		return !than || a->kind < than->kind;
	return a->size != than->size ? a->size < than->size : a->input < than->input;
}

static void take_group(struct differences *d, struct reading *r, const struct change_goals *g, uint32_t goal,
                       double score)
{
	const struct row *example = NULL;
	uint32_t n = 0;
	for (size_t i = 0; i < r->rows.n; i++) {
		struct row *row = &r->rows.v[i];
		if (row->kind == DIFFERENCE_KINDS || row->grouped || (goal != NONE && !has(row, goal)))
			continue;
		row->grouped = true;
		n++;
		example = is_better(row, example) ? row : example;
	}
	assert(example);
	d->v = mem_resize(d->v, (d->n + 1) * sizeof *d->v);
	d->v[d->n++] = (struct difference){.goal = goal,
	                                   .function = goal == NONE ? NONE : g->function[goal],
	                                   .kind = example->kind,
	                                   .example = example->input,
	                                   .why = mem_strdup(example->why),
	                                   .inputs = n,
	                                   .score = score};
}

static bool any_left(const struct reading *r)
{
	for (size_t i = 0; i < r->rows.n; i++)
		if (r->rows.v[i].kind != DIFFERENCE_KINDS && !r->rows.v[i].grouped)
			return true;
	return false;
}

// The goal that explains most, then the one that explains most of the rest, and so on.
static void group(struct differences *d, struct reading *r, const struct change_goals *g)
{
	while (any_left(r)) {
		uint32_t best = NONE, with;
		double most = 0;
		for (uint32_t goal = 0; goal < r->n_goals; goal++) {
			double score = score_of(r, goal, &with);
			if (score > most) {
				most = score;
				best = goal;
			}
		}
		take_group(d, r, g, best, most);
	}
}

// --- rank -----------------------------------------------------------------------------------------

static enum change_kind change_of(const struct differences *d, const struct difference *x)
{
	return x->function == NONE ? CHANGE_NONE : d->changes->functions[x->function].kind;
}

static const struct differences *sorted; // qsort has no room for it

// What is only a message comes last.
static int by_rank(const void *p, const void *q)
{
	const struct difference *a = p, *b = q;
	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	bool message_a = change_of(sorted, a) == CHANGE_MESSAGE, message_b = change_of(sorted, b) == CHANGE_MESSAGE;
	if (message_a != message_b)
		return message_a - message_b;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->distance != b->distance) // what is meant shows where it was made, what is not shows farther away, too
		return a->distance > b->distance ? -1 : 1;
	if (a->score != b->score)
		return a->score > b->score ? -1 : 1;
	if (a->inputs != b->inputs)
		return a->inputs > b->inputs ? -1 : 1;
	return a->example < b->example ? -1 : a->example > b->example;
}

// --- verdicts -------------------------------------------------------------------------------------

struct evidence { // of a function
	uint32_t same, differing;
	const struct difference *root;
};

static struct evidence evidence_of(const struct differences *d, const struct reading *r, const struct change_goals *g,
                                   uint32_t function)
{
	struct evidence e = {0};
	for (size_t i = 0; i < r->rows.n; i++) {
		bool reached = false;
		for (uint32_t goal = 0; goal < r->n_goals && !reached; goal++)
			reached = g->function[goal] == function && has(&r->rows.v[i], goal);
		e.same += reached && r->rows.v[i].kind == DIFFERENCE_KINDS;
		e.differing += reached && r->rows.v[i].kind != DIFFERENCE_KINDS;
	}
	for (uint32_t i = 0; i < d->n && !e.root; i++)
		e.root = d->v[i].function == function ? &d->v[i] : NULL;
	return e;
}

static void add_made_up(const struct differences *d, struct compared_function *f, uint32_t function)
{
	struct buf reason = {0};
	if (!d->entered || f->verdict != VERDICT_UNDECIDED)
		return;
	buf_addstr(&reason, f->reason);
	bool same = entered_verdict(d->entered, function, &reason);
	mem_free(f->reason);
	f->reason = buf_steal(&reason);
	if (!same)
		return;
	f->verdict = VERDICT_SAME;
}

static void decide_verdict(const struct differences *d, struct compared_function *f, enum change_kind kind,
                           const struct evidence *e, bool complete)
{
	f->inputs = e->same + e->differing;
	f->verdict = VERDICT_UNDECIDED;
	if (!change_runs(kind)) {
		f->verdict = kind == CHANGE_NONE ? VERDICT_NONE : VERDICT_SAME;
		f->reason = mem_strdup(change_text(kind));
	} else if (e->root) {
		f->verdict = VERDICT_DIFFERENT;
		f->reason = mem_printf("D%u%s: %s", (unsigned)(e->root - d->v) + 1,
		                       e->root->class != DIFFERENCE_CONFIRMED ? ", with made-up state" : "",
		                       difference_text(e->root->kind));
	} else if (e->differing) {
		f->reason = mem_printf("%u of %u inputs that execute it differ, which another change explains",
		                       e->differing, f->inputs);
	} else if (!e->same) {
		f->reason =
			mem_strdup(complete ? "no path of the program executes what changed, for input that is symbolic"
		                            : "no input was found that executes what changed");
	} else if (complete) { // other values on the same paths may still differ
		f->reason = mem_printf("every path of both versions was run, and all %u inputs agree", e->same);
	} else {
		f->reason = mem_printf("%u inputs execute it and show no difference; not all paths were run", e->same);
	}
}

static bool is_confirmed(const struct differences *d, uint32_t function)
{
	for (uint32_t i = 0; i < d->n; i++)
		if (d->v[i].class == DIFFERENCE_CONFIRMED && d->v[i].function == function)
			return true;
	return false;
}

// Whole runs show that the function differs: what made-up state shows of it was found before that.
static void drop_shown(struct differences *d)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < d->n; i++) {
		struct difference x = d->v[i];
		if (x.class == DIFFERENCE_CONFIRMED || !is_confirmed(d, x.function)) {
			d->v[i] = d->v[kept];
			d->v[kept++] = x;
			continue;
		}
		mem_free(x.why);
		mem_free(x.identifier);
		mem_free(x.old);
		mem_free(x.new);
		d->v[i] = (struct difference){.class = DIFFERENCE_POSSIBLE, .function = NONE};
	}
	d->n = kept;
}

int differences_read(struct differences *ret, struct store *s, const struct code_changes *changes,
                     const struct change_goals *goals, struct entered *entered, bool complete,
                     const struct baseline *accepted, struct err *err)
{
	struct reading r = {.n_goals = goals ? goals_count(goals->goals) : 0};
	*ret = (struct differences){.changes = changes, .entered = s ? entered : NULL};
	ret->functions = mem_zero((changes->n_functions + 1) * sizeof *ret->functions);
	int result = s ? store_each_comparison(s, take, &r, err) : 0;
	if (result == 0)
		result = measure(&r, s, ret->entered, err);
	if (r.rows.n)
		qsort(r.rows.v, r.rows.n, sizeof *r.rows.v, compare_kinds_of_rows);
	const size_t all = r.rows.n;
	const uint32_t whole = count_whole(&r);
	if (result == 0 && ret->entered)
		find_possible(ret, &r, whole);
	r.rows.n = whole;
	if (result == 0)
		group(ret, &r, goals);
	drop_shown(ret);
	sorted = ret;
	if (ret->n)
		qsort(ret->v, ret->n, sizeof *ret->v, by_rank);
	for (uint32_t i = 0; result == 0 && i < changes->n_functions; i++) {
		struct evidence e = evidence_of(ret, &r, goals, i);
		decide_verdict(ret, &ret->functions[i], changes->functions[i].kind, &e, complete);
		if (!e.differing) // which another change need not explain
			add_made_up(ret, &ret->functions[i], i);
		if (!s && ret->functions[i].verdict == VERDICT_UNDECIDED) {
			mem_free(ret->functions[i].reason);
			ret->functions[i].reason = mem_strdup("nothing was run");
		}
	}
	for (uint32_t i = 0; i < ret->n; i++) {
		struct finding_name name = difference_name(ret, &ret->v[i]);
		name.program = ""; // of any
		ret->v[i].accepted = accepted && baseline_has(accepted, &name);
		ret->n_accepted += ret->v[i].accepted;
	}
	r.rows.n = all;
	ret->n_inputs = (uint32_t)all + r.noise;
	ret->n_entered = (uint32_t)all - whole;
	ret->n_noise = r.noise;
	for (size_t i = 0; i < r.rows.n; i++) {
		mem_free(r.rows.v[i].why);
		mem_free(r.rows.v[i].word);
		mem_free(r.rows.v[i].goals);
	}
	vec_release(&r.rows);
	return result;
}

void differences_release(struct differences *d)
{
	for (uint32_t i = 0; i < d->n; i++) {
		mem_free(d->v[i].why);
		mem_free(d->v[i].identifier);
		mem_free(d->v[i].old);
		mem_free(d->v[i].new);
	}
	for (uint32_t i = 0; d->functions && i < d->changes->n_functions; i++)
		mem_free(d->functions[i].reason);
	mem_free(d->v);
	mem_free(d->functions);
	*d = (struct differences){0};
}

struct finding_name difference_name(const struct differences *d, const struct difference *x)
{
	const struct fact_function *f =
		x->function == NONE ? NULL : change_function(&d->changes->functions[x->function]);
	return (struct finding_name){
		.kind = difference_word(x->kind), .file = f ? f->file : NULL, .function = f ? f->name : NULL};
}

uint32_t differences_reported(const struct differences *d, enum difference_class most)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < d->n; i++)
		n += !d->v[i].accepted && d->v[i].class <= most;
	return n;
}
