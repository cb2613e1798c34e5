// Don't-care analysis on clauses, after Nguyen, Yoshida, Prasad, Ghosh and Sen,
// "Generating Succinct Test Cases using Don't Care Analysis": a cut of the trail found
// by binary search (DCCSearch), then a 1-maximal set by delta debugging (LMSearch).
//
// A bit that does not matter is undefined: neither its literal nor the negation of it is
// true, and every clause still has a literal that is true. The clauses of cnf.h say of a
// gate only what is needed of it, so a gate follows from its inputs like this: it has
// the value that its operands give it; else, if its clauses go one way only, the value
// that satisfies them for free, on which nothing can rely; else it is undefined. The
// plain methods then fail, as clauses of that gate are not satisfied. The others go on:
// such clauses only define the gate, and under any values of the inputs some value of it
// satisfies them; what counts is that the conditions are true without it.
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "solver/care_slice.h"

enum { NONE = UINT32_MAX };

// A variable that is false has the value of the assignment (cnf.h): all that is ever known of one on the
// trail, since all clauses hold with all variables false.
struct formula {
	struct care_slice *slice;
	const struct cnf *cnf;
	bool plain;
	uint32_t *clauses, n_clauses; // where they begin; the first are the roots
	int *var;                     // per bit of the slice; 0: it has none
	int8_t *values;               // per variable: 1 true, -1 false, 0 undefined
	// The trail.
	uint32_t *level;         // per bit of the slice
	uint32_t n_levels;       // level 0 is what the roots imply
	uint32_t *order, *score; // bits, by importance
};

static void find_clauses(struct formula *f)
{
	const struct cnf *c = f->cnf;
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->n_clauses; i++)
		n += c->clauses[i] == 0;
	f->clauses = mem_alloc((n + 1) * sizeof *f->clauses);
	for (uint32_t i = 0; i < c->n_clauses; i++)
		if (i == 0 || c->clauses[i - 1] == 0)
			f->clauses[f->n_clauses++] = i;
	assert(f->n_clauses == n);
}

static void formula_init(struct formula *f, struct care_slice *s, bool plain)
{
	*f = (struct formula){.slice = s, .cnf = s->cnf, .plain = plain};
	bool holds = cnf_make(s->cnf, s->roots, s->n_roots, s->bytes);
	assert(holds);
	(void)holds;
	find_clauses(f);
	f->var = mem_zero(8 * s->n * sizeof *f->var);
	for (uint32_t i = 0; i < s->cnf->n; i++)
		if (aig_is_input(s->aig, s->cnf->nodes[i]))
			f->var[care_bit_of(s, s->aig->nodes[s->cnf->nodes[i]].b)] = s->cnf->vars[i];
	f->values = mem_zero((size_t)s->cnf->n_vars + 1);
	f->level = mem_alloc(8 * s->n * sizeof *f->level);
	f->order = mem_alloc(8 * s->n * sizeof *f->order);
	f->score = mem_zero(8 * s->n * sizeof *f->score);
}

static void formula_release(struct formula *f)
{
	mem_free(f->clauses);
	mem_free(f->var);
	mem_free(f->values);
	mem_free(f->level);
	mem_free(f->order);
	mem_free(f->score);
}

// --- are all clauses satisfied -----------------------------------------------------------------

static bool is_true(const struct formula *f, int literal)
{
	return literal > 0 ? f->values[literal] > 0 : f->values[-literal] < 0;
}

// Whether a clause is, without its first literal, which is of the gate that it defines.
static bool rest_is_true(const struct formula *f, uint32_t clause)
{
	for (const int *l = f->cnf->clauses + f->clauses[clause] + 1; *l; l++)
		if (is_true(f, *l))
			return true;
	return false;
}

// Finds the value of the gate whose definition begins with that clause; returns the clause behind it.
static uint32_t define(struct formula *f, uint32_t clause)
{
	int gate = abs(f->cnf->clauses[f->clauses[clause]]);
	bool has[2] = {false}, all[2] = {true, true}; // clauses with the gate, and with its negation
	for (; clause < f->n_clauses && abs(f->cnf->clauses[f->clauses[clause]]) == gate; clause++) {
		bool negated = f->cnf->clauses[f->clauses[clause]] < 0;
		has[negated] = true;
		all[negated] = all[negated] && rest_is_true(f, clause);
	}
	if (has[1] && all[1])
		f->values[gate] = 1; // all that this implies is true
	else if (has[0] && all[0])
		f->values[gate] = -1;
	else if (has[0] && has[1])
		f->values[gate] = 0;
	else
		f->values[gate] = has[0] ? 1 : -1; // satisfies them, and no other clause
	return clause;
}

// Whether these bits suffice; per variable of the slice. More bits never hurt.
static bool suffices(struct formula *f, const uint8_t *bits)
{
	const struct care_slice *s = f->slice;
	for (uint32_t i = 0; i < s->n; i++)
		if (!care_suffices(s, i, bits[i]))
			return false;
	for (uint32_t i = 0; i < 8 * s->n; i++)
		if (f->var[i])
			f->values[f->var[i]] = bits[i / 8] >> i % 8 & 1 ? -1 : 0;
	for (uint32_t i = f->cnf->n_roots; i < f->n_clauses;) {
		int gate = abs(f->cnf->clauses[f->clauses[i]]);
		i = define(f, i);
		if (f->plain && !f->values[gate])
			return false;
	}
	for (uint32_t i = 0; i < f->cnf->n_roots; i++)
		if (!is_true(f, f->cnf->clauses[f->clauses[i]]))
			return false;
	return true;
}

// --- the trail ---------------------------------------------------------------------------------

struct trail {
	const struct formula *formula;
	uint32_t *first, *uses; // per variable: the clauses with it, not negated
	uint32_t *left;         // per clause: literals that are not known to be false
	uint32_t *level;        // per variable; NONE: not known
	int *known;             // variables, in the order in which they became known
	uint32_t n_known, n_done;
};

static void trail_init(struct trail *t, const struct formula *f)
{
	size_t n = (size_t)f->cnf->n_vars + 1;
	*t = (struct trail){.formula = f};
	t->first = mem_zero((n + 2) * sizeof *t->first);
	t->left = mem_zero((f->n_clauses + 1) * sizeof *t->left);
	t->level = mem_alloc(n * sizeof *t->level);
	t->known = mem_alloc(n * sizeof *t->known);
	memset(t->level, 0xff, n * sizeof *t->level);
	for (uint32_t i = 0; i < f->cnf->n_clauses; i++)
		if (f->cnf->clauses[i] > 0)
			t->first[f->cnf->clauses[i] + 2]++;
	for (uint32_t i = 2; i < n + 2; i++)
		t->first[i] += t->first[i - 1];
	t->uses = mem_alloc((t->first[n + 1] + 1) * sizeof *t->uses);
	for (uint32_t i = 0; i < f->n_clauses; i++)
		for (const int *l = f->cnf->clauses + f->clauses[i]; *l; l++) {
			t->left[i]++;
			if (*l > 0)
				t->uses[t->first[*l + 1]++] = i;
		}
}

static void trail_release(struct trail *t)
{
	mem_free(t->first);
	mem_free(t->uses);
	mem_free(t->left);
	mem_free(t->level);
	mem_free(t->known);
}

static void know(struct trail *t, int var, uint32_t level)
{
	if (t->level[var] != NONE)
		return;
	t->level[var] = level;
	t->known[t->n_known++] = var;
}

// Of a clause with one literal left: it is negated, as the clause holds with all variables false.
static void imply(struct trail *t, uint32_t clause, uint32_t level)
{
	for (const int *l = t->formula->cnf->clauses + t->formula->clauses[clause]; *l; l++)
		if (*l < 0)
			know(t, -*l, level);
}

static void propagate(struct trail *t, uint32_t level)
{
	while (t->n_done < t->n_known) {
		int var = t->known[t->n_done++];
		for (uint32_t k = t->first[var]; k < t->first[var + 1]; k++)
			if (--t->left[t->uses[k]] == 1)
				imply(t, t->uses[k], level);
	}
}

// Replays the assignment: bits are decided in their order, each with what follows from it.
static void replay(struct formula *f)
{
	struct trail t;
	trail_init(&t, f);
	for (uint32_t i = 0; i < f->n_clauses; i++)
		if (t.left[i] == 1)
			imply(&t, i, 0);
	propagate(&t, 0);
	f->n_levels = 1;
	for (uint32_t i = 0; i < 8 * f->slice->n; i++) {
		int var = f->var[f->order[i]];
		if (!var) {
			f->level[f->order[i]] = f->n_levels++; // only conditions of its byte alone read it
			continue;
		}
		if (t.level[var] == NONE) {
			know(&t, var, f->n_levels);
			propagate(&t, f->n_levels++);
		}
		f->level[f->order[i]] = t.level[var];
	}
	trail_release(&t);
}

// --- the order of decisions --------------------------------------------------------------------

static int compare_scores(const void *a, const void *b, void *opaque)
{
	const struct formula *f = opaque;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	if (f->score[x] != f->score[y])
		return f->score[x] > f->score[y] ? -1 : 1;
	return x < y ? -1 : x > y;
}

// A solver's trail has the variables first that conflicts were about; there is no such thing here. Those
// that occur in most clauses come first, which is how solvers begin. Better: those that justify
// the conditions before the others, so that no cut lies behind them.
static void find_order(struct formula *f, const uint8_t *justified)
{
	const struct care_slice *s = f->slice;
	uint32_t *occurs = mem_zero(((size_t)f->cnf->n_vars + 1) * sizeof *occurs);
	for (uint32_t i = 0; i < f->cnf->n_clauses; i++)
		occurs[abs(f->cnf->clauses[i])]++;
	occurs[0] = 0;
	for (uint32_t i = 0; i < 8 * s->n; i++) {
		f->order[i] = i;
		f->score[i] = occurs[f->var[i]] < NONE / 2 ? occurs[f->var[i]] : NONE / 2;
		if (justified && justified[i / 8] >> i % 8 & 1)
			f->score[i] += NONE / 2;
	}
	mem_free(occurs);
	qsort_r(f->order, 8 * s->n, sizeof *f->order, compare_scores, f);
}

// --- DCCSearch and LMSearch --------------------------------------------------------------------

static void bits_before(const struct formula *f, uint32_t cut, uint8_t *ret)
{
	memset(ret, 0, f->slice->n);
	for (uint32_t i = 0; i < 8 * f->slice->n; i++)
		if (f->level[i] < cut)
			ret[i / 8] |= (uint8_t)(1u << i % 8);
}

// The smallest cut such that everything behind it can be undefined. (The paper's figure returns the cut
// that it tried last, which may be one that is too small.)
static void search_cut(struct formula *f)
{
	struct care_slice *s = f->slice;
	uint8_t *bits = mem_alloc(s->n);
	uint32_t low = 0, up = f->n_levels;
	while (low < up && !solver_out_of_time(s->env)) {
		uint32_t cut = low + (up - low) / 2;
		bits_before(f, cut, bits);
		if (suffices(f, bits)) {
			memcpy(s->care, bits, s->n);
			up = cut;
		} else {
			low = cut + 1;
		}
	}
	mem_free(bits);
}

// Without some of the bits of `list`, if the rest suffices.
static bool try_without(struct formula *f, const uint32_t *list, uint32_t n, uint8_t *bits)
{
	struct care_slice *s = f->slice;
	memcpy(bits, s->care, s->n);
	for (uint32_t i = 0; i < n; i++)
		bits[list[i] / 8] &= (uint8_t)~(1u << list[i] % 8);
	if (!suffices(f, bits))
		return false;
	memcpy(s->care, bits, s->n);
	return true;
}

// Delta debugging: halves, quarters and so on, down to single bits, are left out if that is possible.
// More bits never hurt, so what could not be left out once never can be; and that a part suffices by
// itself need not be tried, since then the parts that it is made up of can be left out one by one.
// So one round per size gives the paper's result. The least important bits go first.
static void search_maximum(struct formula *f)
{
	struct care_slice *s = f->slice;
	uint32_t *list = mem_alloc(8 * s->n * sizeof *list), n = 0;
	uint8_t *bits = mem_alloc(s->n);
	for (uint32_t i = 0; i < 8 * s->n; i++)
		if (s->care[f->order[i] / 8] >> f->order[i] % 8 & 1)
			list[n++] = f->order[i];
	for (uint32_t size = n; size; size = size > 1 ? (size + 1) / 2 : 0)
		for (uint32_t end = n; end;) {
			uint32_t from = end > size ? end - size : 0;
			if (solver_out_of_time(s->env))
				goto out;
			if (try_without(f, list + from, end - from, bits)) {
				memmove(list + from, list + end, (n - end) * sizeof *list);
				n -= end - from;
			}
			end = from;
		}
out:
	mem_free(list);
	mem_free(bits);
}

static void run(struct care_slice *s, bool plain, bool maximum)
{
	struct formula f;
	uint8_t *justified = NULL;
	if (!plain) {
		care_justify(s);
		justified = mem_alloc(s->n);
		memcpy(justified, s->care, s->n);
	}
	formula_init(&f, s, plain);
	find_order(&f, justified);
	replay(&f);
	search_cut(&f);
	if (maximum)
		search_maximum(&f);
	formula_release(&f);
	mem_free(justified);
}

void care_dcc_plain(struct care_slice *s)
{
	run(s, true, false);
}

void care_lm_plain(struct care_slice *s)
{
	run(s, true, true);
}

void care_dcc(struct care_slice *s)
{
	run(s, false, false);
}

void care_lm(struct care_slice *s)
{
	run(s, false, true);
}
