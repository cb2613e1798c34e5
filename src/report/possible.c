#include "report/possible.h"

#include <inttypes.h>

#include "base/mem.h"

static void add_needs(const struct possible *p, struct strv *ret)
{
	if (!p->assessed)
		strv_push(ret, "not known: the budget ended before the run was analysed");
	else if (!p->conditions.n)
		strv_push(ret, "nothing: any parameters and globals will do");
	strv_push_all(ret, &p->conditions);
	if (p->assessed && p->conditions.n && !p->relevant)
		strv_push(ret, "(not all of that may be needed)");
}

void possible_words(const struct explanation *x, struct possible_words *ret)
{
	const struct possible *p = &x->possible;
	*ret = (struct possible_words){0};
	if (x->finding.level != LEVEL_POSSIBLE)
		return;
	add_needs(p, &ret->needs);
	strv_push_all(&ret->chains, &p->callers);
	if (!p->callers.n)
		strv_push(&ret->chains, "no call is known that main leads to");
	if (x->promoted)
		strv_pushf(&ret->lifted, "a whole run shows the same error: F%" PRId64, x->promoted);
	else
		strv_take(&ret->lifted, possible_lifted(p));
	enum possible_filter f = possible_suppressed(p);
	if (f != FILTER_NONE && !x->promoted)
		strv_pushf(&ret->lifted, "suppressed (%s): %s", possible_filter_word(f), possible_filter_why(f));
}

void possible_words_release(struct possible_words *w)
{
	strv_release(&w->needs);
	strv_release(&w->chains);
	strv_release(&w->lifted);
}

static void join(struct buf *out, const char *before, const struct strv *v, const char *between)
{
	for (size_t i = 0; i < v->n; i++)
		buf_printf(out, "%s%s", i ? between : before, v->v[i]);
}

char *possible_sentence(const struct explanation *x)
{
	struct possible_words w;
	struct buf out = {0};
	possible_words(x, &w);
	join(&out, "Needs ", &w.needs, " and ");
	join(&out, "; calls: ", &w.chains, ", ");
	join(&out, "; ", &w.lifted, "; ");
	possible_words_release(&w);
	return buf_steal(&out);
}
