// Relevant bytes: which bytes of a corpus input its path depends on. They are nice to know, not what a campaign is for,
// so they get a hundredth of the time. An input waits until candidates of its run are solved, when its path is at
// hand; to run it once more for this alone is for time that is left over. No analysis begins without a little time, or
// gets more than enough: bytes that it has not ruled out by then count as relevant.
#include <assert.h>

#include "explore/campaign_internal.h"

enum { CARE_SHARE = 100, CARE_SHARE_ALONE = 200, CARE_US_MIN = 2000, CARE_US_MAX = 100000 };

void campaign_want_care(struct campaign *c, int64_t input, int64_t seed, uint64_t us)
{
	const struct work_item t = {.input = input, .seed = seed, .flags = JOB_CARE, .us = us};
	assert(input > 0);
	tree_set(&c->inside->care, (uint64_t)input, TREE_PENDING);
	work_queue_add(&c->inside->cares, &t);
}

// What is left of a share of the time, in microseconds.
static double care_time(const struct campaign *c, unsigned share)
{
	return 1e6 * c->elapsed * c->inside->n_slots / share - (double)c->counts.us_care;
}

bool campaign_has_time_for_care(const struct campaign *c)
{
	const struct work_item *t = c->inside->cares.first;
	return t && care_time(c, CARE_SHARE_ALONE) > (double)(t->us + CARE_US_MIN);
}

uint32_t campaign_limit_care(const struct campaign *c, const struct work_item *t)
{
	double left = care_time(c, CARE_SHARE) - (double)t->us;
	return left > CARE_US_MAX ? CARE_US_MAX : left > CARE_US_MIN ? (uint32_t)left : CARE_US_MIN;
}

bool campaign_wants_care(const struct campaign *c, int64_t input)
{
	return tree_get(&c->inside->care, (uint64_t)input) == TREE_PENDING;
}

bool campaign_wants_care_now(const struct campaign *c, int64_t input)
{
	return campaign_wants_care(c, input) && !c->setup->deterministic && care_time(c, CARE_SHARE) > CARE_US_MIN;
}

bool campaign_choose_care(struct campaign *c, struct work_item *ret)
{
	while (work_queue_take(&c->inside->cares, ret))
		if (campaign_wants_care(c, ret->input))
			return true;
	*ret = (struct work_item){0};
	return false;
}

int campaign_take_care(struct campaign *c, const struct work_item *t, const struct result *r, struct err *err)
{
	struct stored_input s;
	if (t->flags & JOB_CARE)
		tree_set(&c->inside->care, (uint64_t)t->input, TREE_TAKEN); // also when nothing was found out
	if (r->care < 0)
		return 0;
	if (store_get_input(c->setup->store, t->input, &s, err) < 0)
		return -1;
	if (s.in_corpus && s.care < 0) {
		c->counts.cared++;
		c->counts.care += (uint64_t)r->care;
		c->counts.care_of += (uint64_t)r->care_of;
	}
	s.care = r->care;
	int stored = store_update_input(c->setup->store, &s, err);
	stored_input_release(&s);
	return stored;
}
