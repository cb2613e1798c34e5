#include "store/account.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const struct {
	const char *word, *says;
	enum outcome_group group;
} outcomes[OUTCOMES] = {
#define OUTCOME(NAME, group, word, says) [OUTCOME_##NAME] = {word, says, GROUP_##group},
#include "store/outcomes.def"
#undef OUTCOME
};

const char *outcome_word(enum outcome o)
{
	return outcomes[o].word;
}

const char *outcome_says(enum outcome o)
{
	return outcomes[o].says;
}

enum outcome outcome_parse(const char *word)
{
	for (int i = OUTCOME_NONE + 1; word && i < OUTCOMES; i++)
		if (strcmp(outcomes[i].word, word) == 0)
			return (enum outcome)i;
	return OUTCOME_NONE;
}

enum outcome_group outcome_group(enum outcome o)
{
	return outcomes[o].group;
}

enum outcome outcome_in_part(enum outcome o)
{
	switch (o) {
	case OUTCOME_CUT_TIME: return OUTCOME_PART_TIME;
	case OUTCOME_CUT_TRACE: return OUTCOME_PART_TRACE;
	case OUTCOME_CUT_SIZE: return OUTCOME_PART_SIZE;
	default: return o;
	}
}

// --- counting -------------------------------------------------------------------------------------

// But for numbers in it: sizes and the like.
static bool is_same_reason(const char *a, const char *b)
{
	if (!a || !b)
		return a == b;
	for (;; a++, b++) {
		a += strspn(a, "0123456789");
		b += strspn(b, "0123456789");
		if (*a != *b || !*a)
			return *a == *b;
	}
}

void account_add(struct account *a, enum outcome o, const char *why)
{
	size_t i = 0;
	a->recorded++;
	a->n[o]++;
	if (outcomes[o].group == GROUP_DONE)
		return;
	while (i < a->n_reasons && !(a->reasons[i].outcome == o && is_same_reason(a->reasons[i].why, why)))
		i++;
	if (i == a->n_reasons) {
		a->reasons = mem_resize(a->reasons, ++a->n_reasons * sizeof *a->reasons);
		a->reasons[i] = (struct account_reason){.outcome = o, .why = why ? mem_strdup(why) : NULL};
	}
	a->reasons[i].n++;
}

enum outcome account_outcome(const struct stored_snapshot *c)
{
	enum outcome o = outcome_parse(c->outcome);
	if (o != OUTCOME_NONE)
		return o;
	return c->why ? OUTCOME_NOT_REPLAYABLE : OUTCOME_NOT_REACHED;
}

static int add_snapshot(void *opaque, const struct stored_snapshot *c)
{
	enum outcome o = account_outcome(c);
	if (c->present)
		account_add(opaque, o, outcomes[o].group == GROUP_DONE ? NULL : c->why);
	return 0;
}

static int by_number(const void *x, const void *y)
{
	const struct account_reason *a = x, *b = y;
	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	if (a->outcome != b->outcome)
		return a->outcome < b->outcome ? -1 : 1;
	return a->why && b->why ? strcmp(a->why, b->why) : 0;
}

int account_read(struct account *ret, struct store *s, struct err *err)
{
	*ret = (struct account){0};
	int r = store_each_snapshot(s, add_snapshot, ret, err);
	if (ret->n_reasons)
		qsort(ret->reasons, ret->n_reasons, sizeof *ret->reasons, by_number);
	return r;
}

void account_release(struct account *a)
{
	for (size_t i = 0; i < a->n_reasons; i++)
		mem_free(a->reasons[i].why);
	mem_free(a->reasons);
	*a = (struct account){0};
}

// --- sums -----------------------------------------------------------------------------------------

static size_t sum(const struct account *a, enum outcome_group group)
{
	size_t n = 0;
	for (int i = OUTCOME_NONE + 1; i < OUTCOMES; i++)
		n += outcomes[i].group == group ? a->n[i] : 0;
	return n;
}

size_t account_asked(const struct account *a)
{
	return a->recorded - sum(a, GROUP_LEFT);
}

size_t account_part(const struct account *a)
{
	return sum(a, GROUP_PART);
}

size_t account_cut(const struct account *a)
{
	return sum(a, GROUP_CUT);
}

double account_share(const struct account *a)
{
	size_t asked = account_asked(a);
	return asked ? 100.0 * (double)a->n[OUTCOME_ANALYSED] / (double)asked : 0;
}

bool account_is_whole(const struct account *a)
{
	return a->n[OUTCOME_ANALYSED] > 0 && a->n[OUTCOME_ANALYSED] == account_asked(a);
}

void account_sentence(const struct account *a, struct buf *out)
{
	const char *separator = "; ";
	buf_printf(out, "%zu of %zu recorded tests %s analysed", a->n[OUTCOME_ANALYSED], a->recorded,
	           a->n[OUTCOME_ANALYSED] == 1 ? "was" : "were");
	for (int i = OUTCOME_ANALYSED + 1; i < OUTCOMES; i++) {
		if (!a->n[i])
			continue;
		buf_printf(out, "%s%zu %s", separator, a->n[i], outcomes[i].says);
		separator = ", ";
	}
}
