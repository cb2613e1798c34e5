// Needs: the variant fragment-sanitized, whose runtime reports nothing that breaks only what is assumed of made-up
// objects (runtime/fragment/blocks.c).
#include "findings/oracle.h"
#include "findings/places.h"
#include "input/fragment.h"

static const uint64_t POSSIBLE = 0x706f737369626c65u;

static int run(const struct oracle_case *c, const struct input *in, struct verdicts *ret, struct err *err)
{
	struct fragment entry;
	struct run_result run;
	if (!fragment_of(in, &entry))
		return oracle_sanitizers.run(c, in, ret, err);
	*ret = (struct verdicts){0};
	struct executor *sanitized = executors_get(c->executors, c->target, "fragment-sanitized", err);
	struct input whole = {0};
	input_copy(&whole, in);
	bool ran = sanitized && (!c->make_whole || c->make_whole(c->opaque, &whole, err) == 0) &&
	           executor_run(sanitized, &whole, c->milliseconds, &run, err) == 0;
	input_release(&whole);
	if (!ran)
		return -1;
	oracle_take_reports(sanitized, ret);
	for (size_t i = 0; i < ret->n; i++) {
		ret->v[i].level = LEVEL_POSSIBLE;
		ret->v[i].key ^= POSSIBLE; // a whole run that shows the same is a finding of its own
	}
	return 0;
}

const struct oracle oracle_fragments = {.name = "fragments", .run = run, .forget = places_forget};
