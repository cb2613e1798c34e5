#include "cli/account.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/options.h"
#include "findings/hostile.h"

static void print_reason(const struct account_reason *r)
{
	char *why = hostile_clean(r->why, strlen(r->why));
	cli_line(stderr, "veer:   %zu: %s%s", r->n, r->outcome == OUTCOME_DIFFERS ? "traced: " : "", why);
	mem_free(why);
}

void cli_print_account(const struct account *a)
{
	enum { SHOWN = 8 };
	struct buf text = {0};
	account_sentence(a, &text);
	cli_line(stderr, "veer: %s", text.data);
	buf_release(&text);
	size_t shown = 0;
	for (size_t i = 0; i < a->n_reasons && shown < SHOWN; i++)
		if (a->reasons[i].why) { // the sentence has the others
			print_reason(&a->reasons[i]);
			shown++;
		}
	size_t more = 0;
	for (size_t i = 0; i < a->n_reasons; i++)
		more += a->reasons[i].why != NULL;
	if (more > shown)
		fprintf(stderr, "veer:   ... and %zu more reasons (--verbose names all tests)\n", more - shown);
}

void cli_print_tests(const struct suite *s, const struct worker_program *programs)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct suite_test *t = &s->v[i];
		enum outcome o = t->outcome == OUTCOME_NONE ? OUTCOME_NOT_REACHED : t->outcome;
		if (o == OUTCOME_ANALYSED)
			continue;
		char *why = hostile_clean(t->why ? t->why : outcome_says(o), strlen(t->why ? t->why : outcome_says(o)));
		cli_line(stderr, "veer: S%lld (%s) is not %s: %s%s", (long long)t->input,
		         path_basename(programs[t->program].target.program),
		         (outcome_group(o) == GROUP_PART || outcome_group(o) == GROUP_CUT) && !t->why
		                 ? "wholly amplified"
		                 : "amplified",
		         o == OUTCOME_DIFFERS ? "traced: " : "", why);
		mem_free(why);
	}
}

int cli_percent(const char *text, double *ret)
{
	char *end;
	*ret = text ? strtod(text, &end) : 0;
	if (!text)
		return 0;
	end += *end == '%';
	return end == text || *end || !(*ret >= 0 && *ret <= 100) ? -1 : 0;
}

bool cli_is_enough(const struct account *a, double percent)
{
	if (!a->n[OUTCOME_ANALYSED] && !account_part(a)) {
		fprintf(stderr, "veer: no recorded test was analysed: that nothing was found says nothing\n");
		return false;
	}
	if (account_share(a) >= percent)
		return true;
	fprintf(stderr, "veer: %.1f%% of the tests were wholly analysed, --min-analysed asks for %g%%\n",
	        account_share(a), percent);
	return false;
}
