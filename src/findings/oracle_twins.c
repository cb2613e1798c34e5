// Two versions of a program entered at the same function with the same made-up state: what they leave. Runs are of the
// variant `fragment`, with nothing symbolic (LAUNCH_LEFT). The second pair of runs has objects elsewhere and other
// bytes in fresh memory: what depends on addresses or on uninitialised memory is no difference.
#include "findings/oracle_twins.h"

#include <signal.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "findings/left.h"

enum { OLD, NEW, SIDES, PATIENCE = 4, MOST_MILLISECONDS = 250 }; // what is made up may never end

struct twin_run {
	struct observation seen;
	struct left left;
};

struct twin_runs {
	struct executor *executors[SIDES];
	struct input inputs[SIDES];
	struct convert convert; // from OLD to NEW
	unsigned milliseconds;
};

static int look(struct twin_runs *t, int side, bool other, struct twin_run *ret, struct err *err)
{
	struct executor *e = t->executors[side];
	*ret = (struct twin_run){0};
	e->left = true;
	e->other = other;
	struct run_result run;
	int r = executor_run(e, &t->inputs[side], t->milliseconds, &run, err);
	e->left = e->other = false;
	if (r < 0)
		return -1;
	observation_take(&ret->seen, e, &run);
	left_read(&ret->left, e);
	return 0;
}

static void release_run(struct twin_run *r)
{
	observation_release(&r->seen);
	left_release(&r->left);
}

// The old version says what is possible: where it faults, does not end or leaves its made-up objects, nobody comes.
static bool says_something(const struct twin_run *old)
{
	if (old->seen.run.end == RUN_SIGNAL)
		return old->seen.run.code == SIGABRT;
	return old->seen.run.end == RUN_EXITED && old->left.end != LEFT_BY_CUT;
}

static void end_text(const struct twin_run *r, struct buf *out)
{
	if (r->seen.run.end == RUN_EXITED && r->left.end == LEFT_BY_RETURN)
		buf_addstr(out, "returns");
	else
		observation_end_text(&r->seen.run, out);
}

static void add(struct left_differences *d, enum difference_kind kind, const char *place, char *old, char *new)
{
	vec_push(d, ((struct left_difference){kind, mem_strdup(place), old, new}));
}

static enum difference_kind kind_of_ends(const struct twin_run *old, const struct twin_run *new)
{
	if (new->seen.run.end == RUN_SIGNAL && old->seen.run.end != RUN_SIGNAL)
		return DIFFERENCE_CRASH;
	if (new->seen.run.end == RUN_TIMEOUT)
		return DIFFERENCE_HANG;
	return old->seen.run.end == RUN_SIGNAL ? DIFFERENCE_FIXED : DIFFERENCE_STATUS;
}

static bool same_end(const struct twin_run *old, const struct twin_run *new)
{
	bool returned = old->left.end == LEFT_BY_RETURN;
	return observation_same_end(&old->seen, &new->seen) && returned == (new->left.end == LEFT_BY_RETURN);
}

static void compare(const struct twin_run *old, const struct twin_run *new, const struct convert *c,
                    struct left_differences *ret)
{
	if (new->seen.run.end == RUN_EXITED &&new->left.end == LEFT_BY_CUT)
		return;
	left_compare(&old->left, &new->left, c, ret);
	if (ret->unclear)
		return;
	if (!same_end(old, new)) {
		struct buf was = {0}, is = {0};
		end_text(old, &was);
		end_text(new, &is);
		if (new->seen.run.end != RUN_MEMORY &&new->seen.run.end != RUN_OUTPUT)
			add(ret, kind_of_ends(old, new), "end", buf_steal(&was), buf_steal(&is));
		buf_release(&was);
		buf_release(&is);
	} else if (!observation_same_output(&old->seen, &new->seen)) {
		struct buf was = {0}, is = {0};
		observation_quote_difference(&old->seen, &new->seen, &was, &is);
		add(ret, DIFFERENCE_OUTPUT, "output", buf_steal(&was), buf_steal(&is));
	}
}

// What both versions show, twice.
static int compare_twice(struct twin_runs *t, bool quick, struct left_differences *ret, bool *ret_said, struct err *err)
{
	struct twin_run old, new;
	struct left_differences again = {0};
	*ret_said = false;
	for (int other = 0; other < (quick ? 1 : 2); other++) {
		if (look(t, OLD, other, &old, err) < 0)
			return -1;
		bool says = says_something(&old);
		if (!says) {
			release_run(&old);
			left_differences_release(ret);
			return 0;
		}
		unsigned usual = t->milliseconds;
		if (look(t, NEW, other, &new, err) < 0) {
			release_run(&old);
			return -1;
		}
		if (new.seen.run.end == RUN_TIMEOUT) { // on a busy machine it may need more
			t->milliseconds *= PATIENCE;
			release_run(&new);
			int r = look(t, NEW, other, &new, err);
			t->milliseconds = usual;
			if (r < 0) {
				release_run(&old);
				return -1;
			}
		}
		*ret_said = !(new.seen.run.end == RUN_EXITED &&new.left.end == LEFT_BY_CUT);
		compare(&old, &new, &t->convert, other ? &again : ret);
		release_run(&old);
		release_run(&new);
		if (!other && !ret->n)
			break;
		if (other)
			left_keep_common(ret, &again);
	}
	left_differences_release(&again);
	return 0;
}

// "PLACE<tab>KIND<tab>OLD<tab>NEW" a line each; the most serious kind is that of the verdict.
static void report(const struct left_differences *d, struct verdicts *ret)
{
	enum difference_kind worst = DIFFERENCE_KINDS;
	struct buf text = {0};
	for (size_t i = 0; i < d->n; i++) {
		const struct left_difference *x = &d->v[i];
		buf_printf(&text, "%s\t%s\t%s\t%s\n", x->place, difference_word(x->kind), x->old, x->new);
		worst = x->kind < worst ? x->kind : worst;
	}
	if (worst != DIFFERENCE_KINDS)
		verdicts_add(ret, LEVEL_POSSIBLE, difference_word(worst), NULL, buf_steal(&text));
	buf_release(&text);
}

int oracle_twins_run(const struct oracle_case *c, const struct input *in, struct verdicts *ret, struct err *err)
{
	const unsigned side = c->target->version;
	const struct target *targets[SIDES] = {side ? c->other : c->target, side ? c->target : c->other};
	struct twin_runs t = {.milliseconds =
	                              c->milliseconds < MOST_MILLISECONDS ? c->milliseconds : MOST_MILLISECONDS};
	struct left_differences found = {0};
	uint32_t number;
	bool said = false;
	*ret = (struct verdicts){0};
	if (!twins_find(c->twins, side, in, &number, &t.convert) ||
	    !twins_convert(c->twins, side, in, &t.inputs[!side]))
		return err_set(err, "the input enters no function that both versions have");
	t.convert = twins_pair(c->twins, number, OLD);
	input_copy(&t.inputs[side], in);
	int r = 0;
	for (int i = 0; i < SIDES && r == 0; i++) {
		t.executors[i] = executors_get(c->executors, targets[i], "fragment", err);
		r = t.executors[i] ? 0 : -1;
	}
	if (r == 0)
		r = compare_twice(&t, c->quick, &found, &said, err);
	if (r == 0)
		report(&found, ret);
	if (r == 0 && !said)
		verdicts_add(ret, LEVEL_POSSIBLE, ORACLE_SILENT, NULL, NULL);
	left_differences_release(&found);
	for (int i = 0; i < SIDES; i++)
		input_release(&t.inputs[i]);
	return r;
}
