#include "device/rehearsal.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "firmware/likeness.h"

struct rehearsing {
	const struct rehearsal *r;
	struct rehearsed *ret;
	struct follower follower, own; // of the firmware, of the training program's own functions
	struct likeness alike;
	bool recording;
};

static void take_segment(void *opaque, const struct followed *segment)
{
	struct rehearsing *x = opaque;
	if (x->r->training && segment->function == CODE_NONE)
		return; // fill_gaps
	vec_room(x->ret->path, x->ret->n + 1, x->ret->cap);
	x->ret->path[x->ret->n++] = *segment;
}

// A copy of a function is called veer_NAME_HASH; its segments count where their instructions are the firmware's.
static void take_own(void *opaque, const struct followed *segment)
{
	struct rehearsing *x = opaque;
	struct followed s = *segment;
	if (segment->function == CODE_NONE)
		return;
	const char *name = x->r->training->functions[segment->function].name;
	const size_t n = strlen(name);
	const bool copy = strncmp(name, "veer_", 5) == 0 && n > 14;
	char *plain = copy ? mem_printf("%.*s", (int)(n - 14), name + 5) : mem_strdup(name);
	if (likeness_find(&x->alike, plain, segment->function, segment->number, &s.function, &s.number))
		take_segment(x, &s);
	mem_free(plain);
}

static int by_begin(const void *a, const void *b)
{
	const struct followed *x = a, *y = b;
	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

// What is no segment of the firmware is so explicitly.
static void fill_gaps(struct rehearsed *ret, uint64_t end)
{
	struct followed *path = ret->path;
	const size_t n = ret->n;
	uint64_t at = 0;
	ret->path = NULL;
	ret->n = ret->cap = 0;
	if (n)
		qsort(path, n, sizeof *path, by_begin);
	for (size_t i = 0; i <= n; i++) {
		const uint64_t next = i < n ? path[i].begin : end;
		vec_room(ret->path, ret->n + 2, ret->cap);
		if (next > at)
			ret->path[ret->n++] = (struct followed){at, next, CODE_NONE, 0};
		if (i < n)
			ret->path[ret->n++] = path[i];
		at = i < n ? path[i].end : at;
	}
	mem_free(path);
}

// What an instruction makes of the trigger: it is on after ON, off after OFF.
enum trigger { TRIGGER_SAME, TRIGGER_ON, TRIGGER_OFF };

static enum trigger trigger_of(const struct rehearsal *r, const struct machine_step *step)
{
	for (uint32_t i = 0; i < step->n; i++)
		if (step->accesses[i].write && step->accesses[i].address == r->ram + TRAINING_TRIGGER)
			return step->accesses[i].value ? TRIGGER_ON : TRIGGER_OFF;
	return TRIGGER_SAME;
}

static bool take_step(void *opaque, const struct machine_step *step)
{
	struct rehearsing *x = opaque;
	const struct rehearsal *r = x->r;
	const enum trigger trigger = r->map ? trigger_of(r, step) : TRIGGER_SAME;
	x->recording |= !r->map && step->address == r->from;
	if (trigger == TRIGGER_OFF && x->recording) {
		x->ret->whole = true;
		return false;
	}
	if (x->recording) {
		const uint32_t address = r->map ? training_map_address(r->map, step->address) : step->address;
		const uint64_t clock = emission_step(x->ret->emission, step);
		const bool field = !r->training || image_at(&r->program->image, address, 2);
		follower_step(&x->follower, field ? address : UINT32_MAX, clock);
		if (r->training)
			follower_step(&x->own, field ? UINT32_MAX : address, clock);
	}
	x->recording |= trigger == TRIGGER_ON;
	return true;
}

int rehearse(const struct rehearsal *r, struct rehearsed *ret, struct err *err)
{
	struct rehearsing x = {.r = r, .ret = ret};
	*ret = (struct rehearsed){.emission = emission_new(r->samples)};
	follower_init(&x.follower, r->program, take_segment, &x);
	follower_init(&x.own, r->training ? r->training : r->program, take_own, &x);
	likeness_init(&x.alike, r->program, r->training);
	const struct machine_setup setup = {.image = r->image,
	                                    .command = r->command,
	                                    .input = r->input.data,
	                                    .input_size = r->input.len,
	                                    .files = r->files,
	                                    .limit = r->limit,
	                                    .set = r->map ? r->ram + TRAINING_ONLY : 0,
	                                    .value = r->run,
	                                    .step = take_step,
	                                    .opaque = &x};
	int e = machine_run(&setup, &ret->result, err);
	ret->samples = emission_end(ret->emission, &ret->n_samples);
	follower_end(&x.follower, ret->n_samples / r->samples);
	follower_end(&x.own, ret->n_samples / r->samples);
	if (r->training)
		fill_gaps(ret, ret->n_samples / r->samples);
	likeness_release(&x.alike);
	if (e < 0)
		return -1;
	ret->whole = r->map ? ret->whole : ret->result.ended;
	return 0;
}

void rehearsed_release(struct rehearsed *r)
{
	emission_free(r->emission);
	buf_release(&r->result.output);
	mem_free(r->path);
	*r = (struct rehearsed){0};
}
