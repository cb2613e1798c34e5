#include "explore/remaining.h"

#include <assert.h>

#include "base/hash.h"
#include "base/mem.h"
#include "coverage/segments.h"

// --- the store -----------------------------------------------------------------------------------

static char *key_of(const struct cover_segment *s)
{
	return mem_printf("segment.%016llx.%u",
	                  (unsigned long long)hash_mix(hash_text(s->file), hash_text(s->function)), s->number);
}

unsigned remaining_stored(struct store *store, const struct cover_segment *segment)
{
	char *key = key_of(segment);
	int64_t state = store_get_number(store, key, REMAINING_LEFT);
	mem_free(key);
	if (state >= 0 && state < PHASES)
		return (unsigned)state;
	return state == REMAINING_SETTLED || segments_infeasible(segment->all, segment->number) ? REMAINING_SETTLED
	                                                                                        : REMAINING_LEFT;
}

static int set_state(struct remaining *r, uint32_t i, uint8_t state, struct store *store, struct err *err)
{
	struct cover_segment s;
	assert(i < r->n && state != REMAINING_LEFT);
	if (r->v[i].state == REMAINING_LEFT && r->v[i].function != UINT32_MAX) {
		assert(r->left[r->v[i].function]);
		r->left[r->v[i].function]--;
	}
	r->v[i].state = state;
	r->changes++;
	if (!cover_get_segment(r->cover, i, &s))
		return 0;
	char *key = key_of(&s);
	int ret = store_set_number(store, key, state, err);
	mem_free(key);
	return ret;
}

const char *remaining_word(unsigned state)
{
	return state < PHASES ? phase_word((enum phase)state) : state == REMAINING_SETTLED ? "out of reach" : "";
}

// --- segments ------------------------------------------------------------------------------------

// Segments by function: counts, then places.
static void sort(struct remaining *r, uint32_t n_functions)
{
	r->by = mem_zero((r->n + 1) * sizeof *r->by);
	r->end = mem_zero((n_functions + 1) * sizeof *r->end);
	for (uint32_t i = 0; i < r->n; i++)
		if (r->v[i].function != UINT32_MAX)
			r->end[r->v[i].function]++;
	uint32_t sum = 0;
	for (uint32_t f = 0; f < n_functions; f++) {
		uint32_t own = r->end[f];
		r->end[f] = sum;
		sum += own;
	}
	assert(sum <= r->n);
	for (uint32_t i = 0; i < r->n; i++)
		if (r->v[i].function != UINT32_MAX)
			r->by[r->end[r->v[i].function]++] = i;
}

void remaining_init(struct remaining *r, const struct cover *cover, const struct remaining_setup *setup,
                    struct store *store)
{
	*r = (struct remaining){.cover = cover, .n = cover_segments(cover)};
	r->v = mem_zero((r->n + 1) * sizeof *r->v);
	r->left = mem_zero((setup->n_functions + 1) * sizeof *r->left);
	for (uint32_t i = 0; i < r->n; i++) {
		struct remaining_segment *v = &r->v[i];
		struct cover_segment s;
		*v = (struct remaining_segment){.function = UINT32_MAX, .state = REMAINING_LEFT};
		if (!cover_get_segment(cover, i, &s))
			continue;
		uint32_t f = setup->function(setup->opaque, s.file, s.function);
		v->marker = segments_marker(s.all, s.number);
		v->number = s.number;
		v->provable = !segments_unprovable(s.all, s.number);
		v->state = (uint8_t)remaining_stored(store, &s);
		if (f >= setup->n_functions)
			continue;
		v->function = f;
		r->left[f] += v->state == REMAINING_LEFT;
	}
	sort(r, setup->n_functions);
}

void remaining_release(struct remaining *r)
{
	mem_free(r->v);
	mem_free(r->left);
	mem_free(r->by);
	mem_free(r->end);
	*r = (struct remaining){0};
}

int remaining_cover(struct remaining *r, enum phase phase, struct store *store, struct err *err)
{
	int n = 0;
	for (uint32_t i = 0; i < r->n; i++) {
		if (r->v[i].state < PHASES || !cover_has_segment(r->cover, i))
			continue;
		if (set_state(r, i, (uint8_t)phase, store, err) < 0)
			return -1;
		n++;
	}
	return n;
}

static bool is_left_at(const struct remaining_segment *v, uint32_t marker)
{
	return v->state == REMAINING_LEFT && v->marker == marker;
}

static uint32_t first_of(const struct remaining *r, uint32_t function)
{
	return function ? r->end[function - 1] : 0;
}

int remaining_settle(struct remaining *r, uint32_t function, uint32_t marker, struct store *store, struct err *err)
{
	for (uint32_t k = first_of(r, function); k < r->end[function]; k++)
		if (r->v[r->by[k]].provable && is_left_at(&r->v[r->by[k]], marker) &&
		    set_state(r, r->by[k], REMAINING_SETTLED, store, err) < 0)
			return -1;
	return 0;
}

uint32_t remaining_at(const struct remaining *r, uint32_t function, uint32_t marker)
{
	uint32_t n = 0;
	for (uint32_t k = first_of(r, function); k < r->end[function] && r->left[function]; k++)
		n += is_left_at(&r->v[r->by[k]], marker);
	return n;
}

bool remaining_leads(const struct remaining *r, uint32_t function, uint32_t marker,
                     const struct decision_segments *reachable)
{
	for (uint32_t k = first_of(r, function); k < r->end[function] && r->left[function]; k++) {
		const struct remaining_segment *v = &r->v[r->by[k]];
		bool inside = v->number >= reachable->first && v->number < reachable->end,
		     but = v->number >= reachable->but_first && v->number < reachable->but_end;
		if (inside && !but && is_left_at(v, marker))
			return true;
	}
	return false;
}
