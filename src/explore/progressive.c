#include "explore/progressive.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

static const char *const words[] = {
#define PHASE(NAME, word, what) word,
#include "explore/phases.def"
#undef PHASE
};

const char *phase_word(enum phase phase)
{
	assert(phase < PHASES);
	return words[phase];
}

const char *phase_words(void)
{
	static const char all[] =
#define PHASE(NAME, word, what) ", " word
#include "explore/phases.def"
#undef PHASE
		;
	return &all[2];
}

int phases_read(const char *list, unsigned *ret, struct err *err)
{
	unsigned bits = 0;
	for (const char *p = list;; p++) {
		size_t n = strcspn(p, ",");
		unsigned phase = 0;
		while (phase < PHASES && (strlen(words[phase]) != n || strncmp(words[phase], p, n) != 0))
			phase++;
		if (phase == PHASES)
			return err_set(err, "there is no phase %.*s; the phases are %s", (int)n, p, phase_words());
		bits |= 1u << phase;
		p += n;
		if (!*p)
			break;
	}
	*ret = bits;
	return 0;
}

// --- the call graph ------------------------------------------------------------------------------

static void set_bit(uint64_t *row, uint32_t bit)
{
	row[bit / 64] |= (uint64_t)1 << bit % 64;
}

static bool has_bit(const uint64_t *row, uint32_t bit)
{
	return row[bit / 64] >> bit % 64 & 1;
}

// Sets the bits of all that can be called from the function on, itself included. `stack`: room for all functions.
static void reach(const struct progressive *p, uint32_t function, uint64_t *seen, uint32_t *stack)
{
	uint32_t n = 0;
	set_bit(seen, function);
	stack[n++] = function;
	while (n) {
		const struct progressive_function *f = &p->setup.functions[stack[--n]];
		for (uint32_t i = 0; i < f->n_callees; i++) {
			assert(f->callees[i] < p->setup.n_functions);
			if (has_bit(seen, f->callees[i]))
				continue;
			set_bit(seen, f->callees[i]);
			stack[n++] = f->callees[i];
		}
	}
}

static void find_reached(struct progressive *p)
{
	const uint32_t n = p->setup.n_functions;
	uint32_t *stack = mem_zero((n + 1) * sizeof *stack);
	p->reached = mem_zero((size_t)(n + 1) * p->row * sizeof *p->reached);
	for (uint32_t f = 0; f < n; f++)
		reach(p, f, &p->reached[(size_t)f * p->row], stack);
	p->whole = mem_zero((p->row + 1) * sizeof *p->whole);
	for (uint32_t f = 0; f < n; f++)
		if (p->setup.functions[f].is_root && !has_bit(p->whole, f))
			reach(p, f, p->whole, stack);
	mem_free(stack);
}

bool progressive_reaches(const struct progressive *p, uint32_t from, uint32_t to)
{
	assert(from < p->setup.n_functions && to < p->setup.n_functions);
	return has_bit(&p->reached[(size_t)from * p->row], to);
}

// --- fragments -----------------------------------------------------------------------------------

static void add(struct progressive *p, enum phase phase, uint32_t function, uint32_t marker)
{
	p->fragments[p->n_fragments++] = (struct plan_fragment){.phase = phase, .function = function, .marker = marker};
}

static void add_of(struct progressive *p, enum phase phase, uint32_t function)
{
	assert(function < p->setup.n_functions);
	const struct progressive_function *f = &p->setup.functions[function];
	if (phase == PHASE_EXT && f->enters)
		add(p, phase, function, 0);
	if (phase == PHASE_STUB && f->enters && f->has_stubs)
		add(p, phase, function, 0);
	for (uint32_t i = 0; phase == PHASE_INT && i < f->n_markers; i++)
		add(p, phase, function, f->markers[i]);
}

static void make_fragments(struct progressive *p)
{
	const struct progressive_setup *s = &p->setup;
	size_t most = 1;
	for (uint32_t f = 0; f < s->n_functions; f++)
		most += 2 + s->functions[f].n_markers;
	p->fragments = mem_zero(most * sizeof *p->fragments);
	for (unsigned phase = 0; phase < PHASES; phase++) {
		if (!(s->phases & 1u << phase))
			continue;
		if (phase == PHASE_INP)
			add(p, PHASE_INP, 0, 0);
		for (uint32_t i = 0; phase != PHASE_INP && i < s->n_functions; i++)
			add_of(p, (enum phase)phase, i);
	}
	assert(p->n_fragments <= most);
}

// Of the budget, a first round takes half at most; but what is shorter than LEAST is not worth starting.
static double first_slice(const struct progressive *p)
{
	static const double LEAST = 0.02, MOST = 0.25;
	double share = p->setup.seconds > 0 ? 0.5 * p->setup.seconds / (p->n_fragments + 1) : MOST;
	return share < LEAST ? LEAST : share > MOST ? MOST : share;
}

void progressive_init(struct progressive *p, const struct progressive_setup *setup)
{
	*p = (struct progressive){.setup = *setup, .row = (setup->n_functions + 63) / 64};
	find_reached(p);
	p->open = mem_zero((p->row + 1) * sizeof *p->open);
	make_fragments(p);
	p->slice = first_slice(p);
}

void progressive_release(struct progressive *p)
{
	mem_free(p->fragments);
	mem_free(p->reached);
	mem_free(p->whole);
	mem_free(p->open);
	*p = (struct progressive){0};
}

// --- rounds --------------------------------------------------------------------------------------

// Which functions have something left to cover.
static void refresh(struct progressive *p)
{
	const struct progressive_setup *s = &p->setup;
	memset(p->open, 0, p->row * sizeof *p->open);
	for (uint32_t f = 0; f < s->n_functions; f++)
		if (s->functions[f].wanted && s->left(s->opaque, f))
			set_bit(p->open, f);
}

static bool can_cover(const struct progressive *p, const struct plan_fragment *f)
{
	if (f->phase == PHASE_INT)
		return has_bit(p->open, f->function) && p->setup.left_at(p->setup.opaque, f->function, f->marker);
	if (f->phase == PHASE_STUB)
		return has_bit(p->open, f->function);
	const uint64_t *reached = f->phase == PHASE_INP ? p->whole : &p->reached[(size_t)f->function * p->row];
	for (uint32_t i = 0; i < p->row; i++)
		if (reached[i] & p->open[i])
			return true;
	return false;
}

bool progressive_is_open(struct progressive *p, const struct plan_fragment *f)
{
	refresh(p);
	return can_cover(p, f);
}

static double slice_of(const struct progressive *p, const struct plan_fragment *f)
{
	uint32_t doublings = p->round - f->idle / 2;
	assert(f->idle / 2 <= p->round && f->idle <= f->rounds);
	double slice = p->slice * (double)((uint64_t)1 << (doublings < 40 ? doublings : 40));
	if (f->phase != PHASE_INP)
		return slice;
	double share = p->setup.seconds > 0 ? p->setup.seconds / 20 : 20 * slice;
	if (p->round && p->used > 0 && f->rate * p->used < p->gained)
		share *= f->rate * p->used / p->gained;
	return share > slice ? share : slice;
}

static void begin_round(struct progressive *p)
{
	p->next = 0;
	p->round++;
	p->used /= 2;
	p->gained /= 2;
}

struct plan_fragment *progressive_next(struct progressive *p, bool *ret_ended)
{
	*ret_ended = true;
	refresh(p);
	for (uint32_t looked = 0; looked < p->n_fragments; looked++) {
		if (p->next == p->n_fragments)
			begin_round(p);
		assert(p->next < p->n_fragments);
		struct plan_fragment *f = &p->fragments[p->next++];
		*ret_ended &= !f->busy;
		if (f->busy || f->exhausted || !(can_cover(p, f) || f->has_checks))
			continue;
		f->busy = true;
		f->slice = slice_of(p, f);
		*ret_ended = false;
		return f;
	}
	return NULL;
}

void progressive_explored(struct progressive *p, struct plan_fragment *f, double seconds, uint32_t gained,
                          bool exhausted)
{
	assert(f >= p->fragments && f < p->fragments + p->n_fragments && f->busy && seconds >= 0);
	f->busy = false;
	f->used += seconds;
	f->rounds++;
	f->idle = gained ? 0 : f->idle + 1;
	f->rate = seconds > 0 ? gained / seconds : 0;
	f->exhausted |= exhausted;
	if (f->phase != PHASE_INP) {
		p->used += seconds;
		p->gained += gained;
	} else if (p->round == 0 && f->rounds == 1 && gained && !exhausted) {
		p->next = (uint32_t)(f - p->fragments); // once more
	}
}

void progressive_exhaust(struct progressive *p, struct plan_fragment *f)
{
	assert(f >= p->fragments && f < p->fragments + p->n_fragments && !f->busy);
	f->exhausted = true;
}
