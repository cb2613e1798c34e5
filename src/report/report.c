#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "explore/treatment.h"
#include "report/quote.h"
#include "report/source.h"
#include "store/account.h"

static const struct report_format formats[] = {
#define FORMAT(name, file, needs, function, what) {#name, file, needs, function, what},
#include "report/formats.def"
#undef FORMAT
};

const struct report_format *report_format(const char *name)
{
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	return NULL;
}

void report_format_names(struct buf *out)
{
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		buf_printf(out, "%s%s", i ? ", " : "", formats[i].name);
}

int report_json(const struct report *r, struct buf *out, struct err *err)
{
	return results_text(r->store, r->choice, out, err);
}

void report_each_frame(const char *stack,
                       void (*each)(void *opaque, const char *function, const char *file, uint32_t line), void *opaque)
{
	for (const char *p = stack; *p;) {
		size_t size = strcspn(p, "\n"), space = strcspn(p, " \n");
		const char *colon = memrchr(p, ':', size);
		if (space < size && colon && colon > p + space) {
			char *function = mem_copy(p, space);
			char *file = mem_copy(p + space + 1, (size_t)(colon - p) - space - 1);
			each(opaque, function, file, (uint32_t)strtoul(colon + 1, NULL, 10));
			mem_free(function);
			mem_free(file);
		}
		p += size + (p[size] == '\n');
	}
}

const struct explained_step *report_step_at(const struct explanation *x, uint32_t line, enum step_kind kind)
{
	const struct explained_step *last = NULL;
	for (size_t i = 0; i < x->n_steps; i++)
		if (x->steps[i].kind == kind && x->steps[i].line == line &&
		    source_is_same(x->steps[i].file, x->finding.file))
			last = &x->steps[i];
	return last;
}

bool report_fails_in_source(const struct explanation *x)
{
	struct source s;
	source_read(&s, x->finding.file);
	bool fails = x->finding.line <= s.n && report_step_at(x, x->finding.line, STEP_FAILS);
	source_release(&s);
	return fails;
}

char *report_operand(const struct explanation *x, const struct explained_operand *o)
{
	const struct explained_step *at = report_step_at(x, x->finding.line, STEP_FAILS);
	struct buf out = {0};
	struct source s = {0};
	buf_addstr(&out, o->what ? o->what : "");
	if (o->side != OPERAND_OTHER && at) {
		source_read(&s, x->finding.file);
		struct buf name = {0};
		if (at->line <= s.n && quote_operand(s.v[at->line - 1], at->column, o->side, &name))
			buf_printf(&out, " `%s`", name.data);
		buf_release(&name);
		source_release(&s);
	}
	buf_printf(&out, "%s%s = %s", out.len ? " = " : "", o->expression, o->now);
	if (o->was && strcmp(o->was, o->now) != 0)
		buf_printf(&out, "  (in the test: %s)", o->was);
	return buf_steal(&out);
}

// --- what was not analysed ------------------------------------------------------------------------

static void add_unmodelled(void *opaque, const char *name, int64_t value)
{
	size_t n = strlen(RESULTS_NOT_MODELLED);
	if (strncmp(name, RESULTS_NOT_MODELLED, n) == 0)
		strv_pushf(opaque, "not modelled: %s, %" PRId64 " call%s with symbolic data", name + n, value,
		           value == 1 ? "" : "s");
}

// A line for each reason: not all of them where there are many, since what is not the same counts as another.
static void add_tests(const struct account *a, struct strv *ret)
{
	enum { SHOWN = 50 };
	for (size_t i = 0; i < a->n_reasons && i < SHOWN; i++) {
		const struct account_reason *x = &a->reasons[i];
		strv_pushf(ret, "%zu test%s %s%s%s", x->n, x->n == 1 ? "" : "s", outcome_says(x->outcome),
		           x->why ? ": " : "", x->why ? x->why : "");
	}
	if (a->n_reasons > SHOWN)
		strv_pushf(ret, "%zu more reasons for tests that were not analysed", a->n_reasons - SHOWN);
}

// Inputs that were not symbolic as a whole.
static void add_treatments(const struct report *r, struct strv *ret)
{
	enum { MOST = 20 };
	struct treatments t;
	struct err err;
	if (treatments_read(r->store, &t, &err) < 0)
		return;
	size_t n = t.n - t.whole;
	for (size_t i = 0; i < n && i < MOST; i++)
		strv_take(ret, treatment_line(&t.v[i]));
	if (n > MOST)
		strv_pushf(ret, "%zu more inputs that were not symbolic as a whole", n - MOST);
	treatments_release(&t);
}

void report_limits(const struct report *r, struct strv *ret)
{
	static const struct {
		const char *counter, *words;
	} counters[] = {
		{"unknown", "queries that the solver did not solve in time"},
		{"skipped", "checks and alternatives for which there was no time"},
		{"diverged", "solutions that did not go where they should"},
		{"timeouts", "runs that took too long, and were ended"},
		{STORE_EVICTED, "inputs whose bytes were evicted, since the campaign was too large"},
	};
	struct err err;
	struct account a;
	store_each_counter(r->store, add_unmodelled, ret, &err);
	for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
		int64_t n = store_counter(r->store, counters[i].counter);
		if (n > 0)
			strv_pushf(ret, "%" PRId64 " %s", n, counters[i].words);
	}
	if (account_read(&a, r->store, &err) == 0)
		add_tests(&a, ret);
	account_release(&a);
	add_treatments(r, ret);
}
