#include "explore/selection.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/vec.h"

struct selected {
	int64_t input;
	uint64_t length;
	bool faults;
	uint32_t uses; // segments that it is the best for
	uint8_t *passed;
	uint32_t n_passed;
};

static bool has(const struct selected *x, uint32_t segment)
{
	return segment / 8 < x->n_passed && x->passed[segment / 8] >> segment % 8 & 1;
}

static bool is_better(const struct selection_run *run, const struct selected *than)
{
	if (!than)
		return true;
	return run->faults != than->faults ? than->faults : run->length > than->length;
}

static void drop_use(struct selected *x)
{
	assert(!x || x->uses);
	if (!x || --x->uses)
		return;
	mem_free(x->passed);
	mem_free(x);
}

void selection_init(struct selection *s, uint32_t segments)
{
	*s = (struct selection){.segments = segments};
	s->best = mem_zero((segments + 1) * sizeof(struct selected *));
}

void selection_release(struct selection *s)
{
	for (uint32_t i = 0; i < s->segments; i++)
		drop_use(s->best[i]);
	mem_free(s->best);
	mem_free(s->seen);
	*s = (struct selection){0};
}

bool selection_offer(struct selection *s, const struct selection_run *run)
{
	assert(run->input > 0);
	struct selected *x = mem_zero(sizeof *x);
	*x = (struct selected){.input = run->input,
	                       .length = run->length,
	                       .faults = run->faults,
	                       .uses = 1,
	                       .passed = (uint8_t *)mem_copy(run->passed, run->n_passed),
	                       .n_passed = run->n_passed};
	for (uint32_t i = 0; i < s->segments; i++) {
		if (!has(x, i) || !is_better(run, s->best[i]))
			continue;
		drop_use(s->best[i]);
		s->best[i] = x;
		x->uses++;
	}
	bool kept = x->uses > 1;
	if (!run->keeps) {
		vec_room(s->seen, s->n_seen + 1, s->seen_max);
		s->seen[s->n_seen++] = run->input;
	}
	drop_use(x);
	return kept;
}

// --- the end -------------------------------------------------------------------------------------

static int compare(const void *a, const void *b)
{
	const struct selected *x = *(struct selected *const *)a, *y = *(struct selected *const *)b;
	if (x->faults != y->faults)
		return x->faults ? 1 : -1;
	if (x->length != y->length)
		return x->length < y->length ? 1 : -1;
	return (x->input > y->input) - (x->input < y->input);
}

static int compare_inputs(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

// Does it pass through a segment that nobody before it does? Marks those.
static bool adds(const struct selected *x, uint8_t *covered, uint32_t segments)
{
	bool any = false;
	for (uint32_t i = 0; i < segments; i++) {
		any |= has(x, i) && !covered[i];
		covered[i] |= has(x, i);
	}
	return any;
}

// Inputs that are kept, in order.
static size_t choose(const struct selection *s, int64_t *ret)
{
	struct selected **all = mem_zero((s->segments + 1) * sizeof(struct selected *));
	uint8_t *covered = mem_zero(s->segments + 1);
	size_t n = 0, kept = 0;
	for (uint32_t i = 0; i < s->segments; i++)
		if (s->best[i])
			all[n++] = s->best[i];
	qsort(all, n, sizeof(struct selected *), compare);
	for (size_t i = 0; i < n; i++)
		if ((i == 0 || all[i] != all[i - 1]) && adds(all[i], covered, s->segments))
			ret[kept++] = all[i]->input;
	qsort(ret, kept, sizeof *ret, compare_inputs);
	mem_free(all);
	mem_free(covered);
	return kept;
}

void selection_end(struct selection *s, void (*drop)(void *opaque, int64_t input), void *opaque)
{
	int64_t *kept = mem_zero((s->segments + 1) * sizeof *kept);
	size_t n = choose(s, kept);
	for (size_t i = 0; i < s->n_seen; i++)
		if (!n || !bsearch(&s->seen[i], kept, n, sizeof *kept, compare_inputs))
			drop(opaque, s->seen[i]);
	mem_free(kept);
}
