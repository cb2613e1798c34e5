// What `veer test` and `veer amplify` print while they amplify, and at the end.
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/account.h"
#include "cli/amplify_internal.h"
#include "explore/treatment.h"
#include "findings/hostile.h"

struct amplify *amplify_of(const struct session *s)
{
	return s->setup->opaque;
}

// --- before ---------------------------------------------------------------------------------------

// Of a suite of that size; a bug that no test can find is of no use here.
static void print_probability(size_t n, size_t k, unsigned percent, const char *end)
{
	size_t m = (n * percent + 50) / 100;
	double p = 100 * sample_probability(n, m ? m : 1, k);
	fprintf(stderr, " %s%.1f%% if %zu tests do (%u%%)%s", p < 100 && p > 99.9 ? ">" : "",
	        p < 100 && p > 99.9 ? 99.9 : p, m ? m : 1, percent, end);
}

void amplify_print_sample(const struct amplify *a)
{
	const struct choice_sample *sample = &a->session.tests->sampled;
	if (!sample->of)
		return;
	fprintf(stderr,
	        "veer: %zu of %zu tests are amplified, chosen at random (--random-seed %d); they find a bug with "
	        "probability",
	        sample->n, sample->of, a->options->choice.random);
	print_probability(sample->of, sample->n, 6, ",");
	print_probability(sample->of, sample->n, 10, ",");
	print_probability(sample->of, sample->n, 30, "\n");
}

// --- meanwhile ------------------------------------------------------------------------------------

enum phase { NONE, BUILDING, CHECKING, LEAVING, SEARCHING }; // each has a line of progress at least

void amplify_print_progress(struct session *s, const struct campaign *c)
{
	const struct amplify *a = amplify_of(s);
	const struct suite *suite = &s->tests->suite;
	const struct campaign_counts *n = &c->counts;
	static double last;
	static enum phase said;
	enum phase phase = suite->unready                        ? BUILDING
	                   : c->counts.searched || c->candidates ? SEARCHING
	                   : suite->distance                     ? LEAVING
	                                                         : CHECKING;
	if (a->options->run.quiet || (!a->live && c->elapsed - last < 10 && phase == said))
		return;
	last = c->elapsed;
	said = phase;
	char line[320], building[96] = "", searching[96] = "";
	struct building_counts b = programs_count(&s->programs);
	if (suite->unready)
		snprintf(building, sizeof building, " building variants: %u of %u programs, %zu of %zu units;",
		         b.programs_built, b.programs, b.units_built, b.units);
	if (phase == SEARCHING)
		snprintf(searching, sizeof searching, " search: %llu runs, %zu candidates left;",
		         (unsigned long long)n->searched, c->candidates);
	snprintf(line, sizeof line,
	         "veer: %.0f s,%s%s distance %u: %zu of %zu %s left, %llu checks, %llu runs, %zu errors, %zu warnings",
	         c->elapsed, building, searching, suite->distance, c->waiting, suite->n + suite->n_windows,
	         suite->n_windows ? "tests and windows" : "tests", (unsigned long long)n->checks,
	         (unsigned long long)n->runs, s->bugs.errors, s->bugs.warnings);
	fprintf(stderr, a->live ? "\r%s\033[K" : "%s\n", line);
}

static const struct suite_test *test_of_input(const struct suite *suite, int64_t input)
{
	for (size_t i = 0; i < suite->n; i++)
		if (suite->v[i].input == input)
			return &suite->v[i];
	return NULL;
}

// At the start, when something is wrong with many.
void amplify_print_difference(struct session *s, const struct campaign *c, int64_t input, const char *first)
{
	const struct campaign_counts *n = &c->counts;
	const struct suite_test *t = test_of_input(&s->tests->suite, input);
	char *why = hostile_clean(first, strlen(first));
	if (amplify_of(s)->found.live)
		fputs("\r\033[K", stderr);
	cli_line(stderr,
	         "veer: %llu of the first %llu tests (%.0f%%) end differently traced than natively, and are not "
	         "analysed; "
	         "S%lld (%s), traced: %s",
	         (unsigned long long)n->differing, (unsigned long long)n->compared,
	         100.0 * (double)n->differing / (double)n->compared, (long long)input,
	         t ? path_basename(s->programs.v[t->program].target.program) : "?", why);
	mem_free(why);
}

// --- in the end -----------------------------------------------------------------------------------

// Which bytes were not symbolic, if there are such.
static void print_treatments(const struct amplify *a)
{
	struct treatments t;
	struct err err;
	if (treatments_read(a->session.store, &t, &err) < 0)
		return;
	if (t.whole < t.n) {
		char *sum = treatments_sum(&t);
		cli_line(stderr, "veer: %s%s", sum, a->options->verbose ? "" : "; --verbose names them");
		mem_free(sum);
	}
	for (size_t i = 0; a->options->verbose && i < t.n - t.whole; i++) {
		char *line = treatment_line(&t.v[i]);
		cli_line(stderr, "veer:   %s", line);
		mem_free(line);
	}
	treatments_release(&t);
}

// In plain words: what "ended" means.
static void print_done(const struct amplify *a, const struct campaign *c)
{
	const struct suite *u = &a->session.tests->suite;
	size_t open = 0;
	for (size_t i = 0; i < u->n; i++)
		open += u->v[i].cut || u->v[i].unready;
	if (u->done && !open && u->max_distance < AMPLIFY_DISTANCES)
		fprintf(stderr, "veer: done: the tests' paths, and those that leave them, up to distance %u\n",
		        u->max_distance);
	else if (u->done && !open)
		fprintf(stderr, "veer: done: the tests' paths, and those that leave them, at all distances\n");
	if (c->counts.searched || c->searched > 0)
		fprintf(stderr, "veer: searched from the tests for %.1f s: %llu runs, %zu candidates left\n",
		        c->searched / a->setup.jobs, (unsigned long long)c->counts.searched, c->candidates);
}

void amplify_print_end(void *opaque, const char *totals)
{
	const struct amplify_ending *end = opaque;
	const struct amplify *a = end->amplify;
	const struct campaign *c = end->campaign;
	const struct campaign_counts *n = &c->counts;
	const struct suite *suite = &a->session.tests->suite;
	const struct building_counts b = programs_count(&a->session.programs);
	size_t dropped = 0, cut = 0, unready = 0;
	for (size_t i = 0; i < suite->n; i++) {
		dropped += suite->v[i].dropped && suite->v[i].outcome != OUTCOME_NO_INPUT;
		cut += suite->v[i].cut;
		unready += suite->v[i].unready;
	}
	if (a->found.live)
		fputs("\r\033[K", stderr);
	fprintf(stderr,
	        "veer: %s after %.1f s at distance %u: %zu test%s of %u program%s, %llu checks in %llu places, %llu "
	        "runs; "
	        "%s\n",
	        *a->setup.stop                                                  ? "stopped"
	        : !a->account.n[OUTCOME_ANALYSED] && !account_part(&a->account) ? "nothing analysed"
	        : c->complete && account_is_whole(&a->account)                  ? "complete"
	                                                                        : "ended",
	        c->elapsed, suite->distance, suite->n, suite->n == 1 ? "" : "s", a->session.programs.n,
	        a->session.programs.n == 1 ? "" : "s", (unsigned long long)n->checks,
	        (unsigned long long)n->checks_unique, (unsigned long long)n->runs, totals);
	print_done(a, c);
	if (dropped)
		fprintf(stderr, "veer: %zu %s nothing that others do not, and %s only checked\n", dropped,
		        dropped == 1 ? "test shows" : "tests show", dropped == 1 ? "was" : "were");
	if (cut)
		fprintf(stderr,
		        "veer: for %zu test%s there was no time for all; a larger --budget, or the same again, "
		        "goes on\n",
		        cut, cut == 1 ? "" : "s");
	if (unready)
		fprintf(stderr,
		        "veer: %zu %s not analysed, since the variants of %u of %u programs were not built in "
		        "time; what is built is kept: a larger --budget, or the same again, goes on\n",
		        unready, unready == 1 ? "test was" : "tests were", b.programs - b.programs_built, b.programs);
	cli_print_unconfirmed(c);
	print_treatments(a);
	if (a->options->verbose)
		cli_print_tests(suite, a->session.programs.v);
	cli_print_account(&a->account);
	if (a->options->run.stats)
		cli_stats(c, a->setup.jobs);
}

int amplify_print_unreported(const struct amplify *a, struct err *err)
{
	size_t of[CHOICE_REASONS];
	if (choice_count(&a->choice, a->session.store, of, err) < 0)
		return -1;
	size_t all = of[CHOICE_KNOWN] + of[CHOICE_SUPPRESSED] + of[CHOICE_LEFT_OUT];
	if (all)
		fprintf(stderr,
		        "veer: %zu more findings are not reported: %zu are in the baseline, %zu are suppressed, %zu "
		        "are "
		        "left out by --include, --exclude or --checks\n",
		        all, of[CHOICE_KNOWN], of[CHOICE_SUPPRESSED], of[CHOICE_LEFT_OUT]);
	return 0;
}
