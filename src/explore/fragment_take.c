// What becomes of the result of a job on a fragment: coverage of its phase, the selection of inputs, possible findings.
#include "explore/fragment_internal.h"
#include "explore/fragment_outcome.h"

// What is covered since `before` counts for the fragment's phase.
static int count_covered(struct campaign *c, const struct plan_fragment *f, const struct cover_totals *before,
                         struct err *err)
{
	struct driver_state *s = fragments_of(c);
	struct cover_totals now = cover_totals(c->setup->cover);
	assert(now.segments.covered >= before->segments.covered && now.lines.covered >= before->lines.covered &&
	       now.edges.covered >= before->edges.covered);
	const uint32_t segments = now.segments.covered - before->segments.covered;
	if (!segments && now.edges.covered == before->edges.covered && now.lines.covered == before->lines.covered)
		return 0;
	fragments_explored(s, f)->outcome.segments += segments;
	if (campaign_begin(c, err) < 0 ||
	    fragment_count_phase(c->setup->store, f->phase, "segments", segments, err) < 0 ||
	    fragment_count_phase(c->setup->store, f->phase, "lines", now.lines.covered - before->lines.covered, err) <
	            0 ||
	    fragment_count_phase(c->setup->store, f->phase, "branches", now.edges.covered - before->edges.covered,
	                         err) < 0)
		return -1;
	return segments ? remaining_cover(&s->remaining, f->phase, c->setup->store, err) : 0;
}

// Its input may be better than others that cover the same. What covers something that is no segment stays.
static int offer_to_selection(struct campaign *c, struct worker_slot *slot, const struct result *r,
                              const struct cover_totals *before, struct err *err)
{
	const struct cover_totals now = cover_totals(c->setup->cover);
	struct stored_input s;
	if (!r->segments)
		return 0;
	const struct selection_run run = {
		.input = slot->item.input,
		.length = r->length,
		.faults = r->run.end != RUN_EXITED,
		.passed = r->segments,
		.n_passed = r->n_segments,
		.keeps = now.segments.covered == before->segments.covered &&
	                 (now.edges.covered > before->edges.covered || now.lines.covered > before->lines.covered)};
	if (!selection_offer(&fragments_of(c)->selection, &run))
		return 0;
	if (campaign_begin(c, err) < 0 || store_get_input(c->setup->store, run.input, &s, err) < 0)
		return -1;
	bool was = s.in_corpus;
	s.in_corpus = true;
	int stored = was ? 0 : store_update_input(c->setup->store, &s, err);
	stored_input_release(&s);
	if (stored == 0 && !was)
		campaign_want_care(c, run.input, slot->item.seed, r->us_run);
	return stored;
}

static int take_verdicts(struct campaign *c, struct worker_slot *slot, const struct result *r, struct err *err)
{
	if (campaign_take_verdicts(c, slot, r, &c->inside->oracle, err) < 0)
		return -1;
	bool is_finding = (slot->item.flags & JOB_MINIMISE) && r->n_verdicts;
	return is_finding ? lifting_update(&fragments_of(c)->lifting, c, err) : 0;
}

int fragments_take(struct campaign *c, struct worker_slot *slot, struct result *r, struct err *err)
{
	struct driver_state *s = fragments_of(c);
	const struct plan_fragment *f = &s->plan.fragments[slot->item.fragment];
	struct explored *e = fragments_explored(s, f);
	assert(slot->item.fragment < s->plan.n_fragments);
	const struct cover_totals before = cover_totals(c->setup->cover);
	if (slot->item.flags & LIFTING_FLAGS)
		return lifting_take(&s->lifting, c, &slot->item, r, err);
	fragments_spend(c, slot);
	fragment_outcome_add(&e->outcome, &slot->item, r);
	if (searcher_take(fragments_search(c, e), c, slot, r, err) < 0)
		return -1;
	if (count_covered(c, f, &before, err) < 0 || offer_to_selection(c, slot, r, &before, err) < 0)
		return -1;
	if (f->phase == PHASE_INP && (slot->item.flags & JOB_PATH) && r->changed_cover)
		lifting_add_input(&s->lifting, slot->item.input);
	return slot->item.flags & JOB_ORACLE ? take_verdicts(c, slot, r, err) : 0;
}
