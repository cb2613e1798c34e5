// Findings of earlier sessions: which of them are still there.
#include <string.h>

#include "base/mem.h"
#include "explore/amplify_internal.h"

static bool has_snapshot(const struct suite *s, int64_t snapshot)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].snapshot == snapshot)
			return true;
	return false;
}

struct known_findings {
	struct campaign *c;
	struct work_item *v;
	size_t n;
	bool gone;  // these were not reproduced by an earlier session
	bool built; // only those that have to be reproduced; otherwise only the others
	struct err *err;
};

// A recorded test that has not changed, of a program that has not changed, fails as it did. A finding of any other test
// has to be reproduced with the program of today, in the environment snapshot of then. Without that program or the
// input the finding counts as gone, until its test is recorded again.
static int take_known(void *opaque, const struct stored_finding *f)
{
	struct known_findings *k = opaque;
	const struct worker_setup *w = k->c->setup->worker;
	struct work_item t = {.input = f->input,
	                      .seed = f->seed,
	                      .flags = JOB_ORACLE,
	                      .distance = f->distance,
	                      .depth = f->depth,
	                      .known = f->key,
	                      .gone = k->gone};
	struct stored_input s;
	if (store_get_input(k->c->setup->store, f->input, &s, k->err) < 0)
		return -1;
	t.snapshot = s.snapshot;
	bool has_data = s.data.len > 0;
	stored_input_release(&s);
	if (has_snapshot(amplify_of(k->c)->suite, t.snapshot) == k->built)
		return 0;
	while (t.program < w->n_programs &&
	       (!w->programs[t.program].builds || strcmp(w->programs[t.program].target.program, f->program) != 0))
		t.program++;
	k->v = mem_resize(k->v, (k->n + 1) * sizeof *k->v);
	if (!k->built)
		t.flags = 0; // it is there
	else if (!has_data || t.program == w->n_programs)
		t.input = 0; // it cannot be reproduced
	k->v[k->n++] = t;
	return 0;
}

static int report_known(struct campaign *c, const struct work_item *t, bool still, struct err *err)
{
	if (still)
		tree_set(&c->inside->known_bugs, t->known, TREE_TAKEN);
	if (!still && t->gone)
		return 0;
	if (still && t->gone && store_set_gone(c->setup->store, t->known, false, err) < 0)
		return -1;
	if (amplify_of(c)->setup->known && amplify_of(c)->setup->known(c->setup->opaque, t->known, still, err) < 0)
		return -1;
	return still ? 0 : store_set_gone(c->setup->store, t->known, true, err);
}

int amplify_load_known(struct campaign *c, bool built, struct err *err)
{
	struct known_findings k = {.c = c, .built = built, .err = err};
	int r = store_each_finding(c->setup->store, take_known, &k, err);
	k.gone = true;
	if (r == 0)
		r = store_each_gone(c->setup->store, take_known, &k, err);
	for (size_t i = 0; i < k.n && r == 0; i++) {
		if (k.v[i].flags && k.v[i].input)
			work_queue_add(&c->inside->oracle, &k.v[i]);
		else
			r = report_known(c, &k.v[i], k.v[i].flags == 0, err);
	}
	mem_free(k.v);
	return r;
}

int amplify_take_known(struct campaign *c, const struct work_item *t, const struct result *r, struct err *err)
{
	bool still = false;
	for (uint32_t i = 0; i < r->n_verdicts; i++)
		still |= r->verdicts[i].verdict.key == t->known;
	return report_known(c, t, still, err);
}
