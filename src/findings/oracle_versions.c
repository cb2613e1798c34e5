// The oracle of two versions: runs both natively, and says what they show differently.
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "findings/differences.h"
#include "findings/oracle.h"
#include "findings/oracle_twins.h"
#include "input/fragment.h"

static const struct {
	const char *word, *text;
} kinds[] = {
#define DIFFERENCE_KIND(name, word, text) {word, text},
#include "findings/difference_kinds.def"
#undef DIFFERENCE_KIND
};

const char *difference_word(enum difference_kind kind)
{
	assert(kind < DIFFERENCE_KINDS);
	return kinds[kind].word;
}

const char *difference_text(enum difference_kind kind)
{
	assert(kind < DIFFERENCE_KINDS);
	return kinds[kind].text;
}

enum difference_kind difference_of_word(const char *word)
{
	for (int i = 0; i < DIFFERENCE_KINDS; i++)
		if (strcmp(kinds[i].word, word) == 0)
			return (enum difference_kind)i;
	return DIFFERENCE_KINDS;
}

bool oracle_is_slow(const char *kind)
{
	return strcmp(kind, kinds[DIFFERENCE_HANG].word) == 0;
}

// --- what differs ---------------------------------------------------------------------------------

static enum difference_kind kind_of_ends(const struct run_result *old, const struct run_result *new)
{
	if (new->end == RUN_SIGNAL && old->end != RUN_SIGNAL)
		return DIFFERENCE_CRASH;
	if (new->end == RUN_TIMEOUT && old->end != RUN_TIMEOUT)
		return DIFFERENCE_HANG;
	if (old->end == RUN_SIGNAL || old->end == RUN_TIMEOUT)
		return DIFFERENCE_FIXED;
	return old->end == RUN_EXITED && new->end == RUN_EXITED ? DIFFERENCE_STATUS : DIFFERENCE_RESOURCES;
}

enum difference_kind difference_find(const struct observation *old, const struct observation *new, struct buf *ret_why)
{
	bool cut = observation_is_cut(old) || observation_is_cut(new);
	if (!observation_same_end(old, new)) {
		observation_same(old, new, NULL, ret_why);
		return kind_of_ends(&old->run, &new->run);
	}
	if (cut || observation_same(old, new, NULL, ret_why)) // what was cut was cut anywhere
		return DIFFERENCE_KINDS;
	return observation_same_output(old, new) ? DIFFERENCE_FILES : DIFFERENCE_OUTPUT;
}

// --- runs -----------------------------------------------------------------------------------------

enum { OLD, NEW, AGAIN, NEW_AGAIN, RUNS };

struct comparing {
	struct executor *executors[2]; // OLD, NEW
	const struct input *in;
	unsigned milliseconds;
	struct observation seen[RUNS];
};

static int look(struct comparing *c, int which, struct err *err)
{
	return observe(c->executors[which % 2], c->in, c->milliseconds, &c->seen[which], err);
}

// A run that did not end on a busy machine may do so with more time.
static bool has_timeout(const struct comparing *c)
{
	return c->seen[OLD].run.end == RUN_TIMEOUT || c->seen[NEW].run.end == RUN_TIMEOUT;
}

// Runs both, and, unless it is to be quick, both once more where they differ: DIFFERENCE_KINDS when a version does not
// agree with itself on that.
static int compare_runs(struct comparing *c, bool quick, enum difference_kind *ret, bool *ret_noise, struct buf *why,
                        struct err *err)
{
	enum { PATIENCE = 2 };
	struct buf ignored = {0};
	*ret_noise = false;
	if (look(c, OLD, err) < 0 || look(c, NEW, err) < 0)
		return -1;
	*ret = difference_find(&c->seen[OLD], &c->seen[NEW], why);
	if (*ret == DIFFERENCE_KINDS || quick)
		return 0;
	if (has_timeout(c))
		c->milliseconds *= PATIENCE;
	if (look(c, AGAIN, err) < 0 || look(c, NEW_AGAIN, err) < 0)
		return -1;
	buf_clear(why);
	enum difference_kind again = difference_find(&c->seen[AGAIN], &c->seen[NEW_AGAIN], why);
	bool stable = difference_find(&c->seen[OLD], &c->seen[AGAIN], &ignored) == DIFFERENCE_KINDS &&
	              difference_find(&c->seen[NEW], &c->seen[NEW_AGAIN], &ignored) == DIFFERENCE_KINDS;
	*ret_noise = !stable && again != DIFFERENCE_KINDS;
	*ret = stable ? again : DIFFERENCE_KINDS;
	buf_release(&ignored);
	return 0;
}

static int run(const struct oracle_case *c, const struct input *in, struct verdicts *ret, struct err *err)
{
	struct fragment entry;
	assert(c->other && c->other->version != c->target->version);
	if (c->twins && fragment_of(in, &entry))
		return oracle_twins_run(c, in, ret, err);
	bool is_old = c->target->version < c->other->version, noise = false;
	const struct target *targets[2] = {is_old ? c->target : c->other, is_old ? c->other : c->target};
	struct comparing all = {.in = in, .milliseconds = c->milliseconds};
	struct buf why = {0};
	enum difference_kind kind = DIFFERENCE_KINDS;
	*ret = (struct verdicts){0};
	for (int i = 0; i < 2; i++) {
		all.executors[i] = executors_get(c->executors, targets[i], "native", err);
		if (!all.executors[i])
			return -1;
	}
	int r = compare_runs(&all, c->quick, &kind, &noise, &why, err);
	if (r == 0 && (kind != DIFFERENCE_KINDS || noise))
		verdicts_add(ret, LEVEL_WARNING, noise ? ORACLE_NOISE : difference_word(kind), NULL, buf_steal(&why));
	for (int i = 0; i < RUNS; i++)
		observation_release(&all.seen[i]);
	buf_release(&why);
	return r;
}

const struct oracle oracle_versions = {.name = "versions", .run = run};
