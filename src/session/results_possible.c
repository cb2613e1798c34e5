#include "session/results_possible.h"

#include <string.h>

#include "base/mem.h"
#include "session/results.h"

struct counting {
	struct store *store;
	struct possible_errors *errors;
	struct possible_totals *totals;
};

static int count(void *opaque, const struct stored_finding *f)
{
	const struct counting *c = opaque;
	struct possible p;
	if (f->level != LEVEL_POSSIBLE)
		return 0;
	c->totals->found++;
	if (possible_promoted(c->errors, f)) {
		c->totals->promoted++;
		return 0;
	}
	possible_read(c->store, f->key, &p);
	c->totals->assessed += p.assessed;
	c->totals->by[possible_suppressed(&p)]++;
	possible_release(&p);
	return 0;
}

int possible_count(struct store *store, struct possible_totals *ret, struct err *err)
{
	struct counting c = {store, possible_errors_read(store, err), ret};
	*ret = (struct possible_totals){0};
	int r = c.errors ? store_each_finding(store, count, &c, err) : -1;
	possible_errors_free(c.errors);
	return r;
}

size_t possible_count_suppressed(const struct possible_totals *t)
{
	size_t n = 0;
	for (unsigned f = FILTER_NONE + 1; f < FILTERS; f++)
		n += t->by[f];
	return n;
}

int results_possible(struct store *store, struct buf *out, struct err *err)
{
	struct possible_totals t;
	const char *between = "";
	if (possible_count(store, &t, err) < 0)
		return -1;
	buf_printf(out, ",\n \"possible\": {\"found\": %zu, \"promoted\": %zu, \"left\": %zu, \"suppressed\": {",
	           t.found, t.promoted, t.by[FILTER_NONE]);
	for (unsigned f = FILTER_NONE + 1; f < FILTERS; f++)
		if (t.by[f]) {
			buf_printf(out, "%s\"%s\": %zu", between, possible_filter_word((enum possible_filter)f),
			           t.by[f]);
			between = ", ";
		}
	buf_addstr(out, "}}");
	return 0;
}

static void list(struct buf *out, const char *name, const struct strv *v)
{
	buf_printf(out, "\"%s\": [", name);
	for (size_t i = 0; i < v->n; i++) {
		buf_addstr(out, i ? ", " : "");
		json_string(out, v->v[i], strlen(v->v[i]));
	}
	buf_addstr(out, "], ");
}

void results_possible_finding(struct store *store, const struct stored_finding *f, struct buf *out)
{
	struct possible p;
	possible_read(store, f->key, &p);
	buf_addstr(out, "\"entered\": ");
	json_string(out, p.entered ? p.entered : "", p.entered ? strlen(p.entered) : 0);
	buf_printf(out, ", \"filter\": \"%s\", \"minimal\": %s, ", possible_filter_word(possible_suppressed(&p)),
	           p.relevant ? "true" : "false");
	list(out, "when", &p.conditions);
	list(out, "callers", &p.callers);
	buf_printf(out,
	           "\"whole_runs\": {\"tried\": %u, \"calling\": %u, \"calls\": %u, \"refuted\": %u, \"solved\": %u}, ",
	           p.runs, p.called, p.calls, p.refuted, p.solved);
	possible_release(&p);
}
