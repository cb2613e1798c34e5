#include "possible/possible.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static const struct {
	const char *word, *why;
} filters[] = {
	[FILTER_NONE] = {"", ""},
#define FILTER(NAME, word, why) [FILTER_##NAME] = {word, why},
#include "possible/filters.def"
#undef FILTER
};

const char *possible_filter_word(enum possible_filter f)
{
	return filters[f].word;
}

const char *possible_filter_why(enum possible_filter f)
{
	return filters[f].why;
}

void possible_release(struct possible *p)
{
	mem_free(p->entered);
	strv_release(&p->conditions);
	strv_release(&p->callers);
	*p = (struct possible){0};
}

// --- the store ------------------------------------------------------------------------------------

// A record is lines of "WORD VALUE".
static char *key_of(uint64_t key)
{
	return mem_printf("possible.%016" PRIx64, key);
}

static void add_line(struct buf *out, const char *word, const char *value)
{
	buf_printf(out, "%s ", word);
	for (; *value; value++)
		buf_addch(out, *value == '\n' ? ' ' : *value);
	buf_addch(out, '\n');
}

static void take_line(struct possible *p, const char *word, const char *value)
{
	const struct {
		const char *word;
		uint32_t *number;
	} numbers[] = {{"runs", &p->runs},
	               {"called", &p->called},
	               {"calls", &p->calls},
	               {"refuted", &p->refuted},
	               {"solved", &p->solved}};
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (strcmp(word, numbers[i].word) == 0)
			*numbers[i].number = (uint32_t)strtoul(value, NULL, 10);
	p->assessed |= strcmp(word, "entered") == 0;
	p->relevant |= strcmp(word, "relevant") == 0;
	p->lifts |= strcmp(word, "lifts") == 0;
	p->tried |= strcmp(word, "tried") == 0;
	if (strcmp(word, "last") == 0)
		p->last = strtoll(value, NULL, 10);
	else if (strcmp(word, "when") == 0)
		strv_push(&p->conditions, value);
	else if (strcmp(word, "caller") == 0)
		strv_push(&p->callers, value);
	else if (strcmp(word, "entered") == 0 && !p->entered)
		p->entered = mem_strdup(value);
	for (unsigned f = FILTER_NONE + 1; f < FILTERS && strcmp(word, "filter") == 0; f++)
		if (strcmp(value, filters[f].word) == 0)
			p->by = (enum possible_filter)f;
}

void possible_read(struct store *store, uint64_t key, struct possible *ret)
{
	struct buf text = {0};
	char *name = key_of(key);
	*ret = (struct possible){0};
	if (store_get(store, name, &text) && text.len)
		for (char *line = text.data, *end; (end = strchr(line, '\n')); line = end + 1) {
			char *space = strchr(line, ' ');
			*end = 0;
			if (!space || space > end)
				continue;
			*space = 0;
			take_line(ret, line, space + 1);
		}
	mem_free(name);
	buf_release(&text);
}

int possible_write(struct store *store, uint64_t key, const struct possible *p, struct err *err)
{
	struct buf text = {0};
	if (p->assessed) {
		add_line(&text, "entered", p->entered ? p->entered : "");
		add_line(&text, "filter", possible_filter_word(p->by));
	}
	if (p->relevant)
		add_line(&text, "relevant", "");
	if (p->lifts)
		add_line(&text, "lifts", "");
	if (p->tried)
		add_line(&text, "tried", "");
	buf_printf(&text, "runs %u\ncalled %u\ncalls %u\nrefuted %u\nsolved %u\nlast %" PRId64 "\n", p->runs, p->called,
	           p->calls, p->refuted, p->solved, p->last);
	for (size_t i = 0; i < p->conditions.n; i++)
		add_line(&text, "when", p->conditions.v[i]);
	for (size_t i = 0; i < p->callers.n; i++)
		add_line(&text, "caller", p->callers.v[i]);
	char *name = key_of(key);
	int r = store_set(store, name, text.data, text.len, err);
	mem_free(name);
	buf_release(&text);
	return r;
}

// --- what it comes to -----------------------------------------------------------------------------

enum possible_filter possible_suppressed(const struct possible *p)
{
	if (p->by != FILTER_NONE)
		return p->by;
	return p->tried && p->calls && p->refuted == p->calls ? FILTER_REFUTED : FILTER_NONE;
}

char *possible_lifted(const struct possible *p)
{
	if (!p->assessed)
		return mem_strdup("not analysed: the budget ended before");
	if (!p->lifts)
		return mem_strdup("no whole run can be asked: the run begins in the middle of the function, or there "
		                  "is no whole run");
	if (!p->runs)
		return mem_strdup("no whole run was asked: the budget ended before");
	if (!p->called)
		return mem_printf("no whole run calls %s (%u tried)", p->entered, p->runs);
	return mem_printf(
		"%u of %u whole run%s call%s %s; in %u of these %u call%s the precondition can hold, as far as "
		"is known%s",
		p->called, p->runs, p->runs == 1 ? "" : "s", p->called == 1 ? "s" : "", p->entered,
		p->calls - p->refuted, p->calls, p->calls == 1 ? "" : "s",
		p->solved ? ", but no input made for that shows the error" : "");
}

// --- promotion ------------------------------------------------------------------------------------

struct known {
	int64_t id;
	char *kind, *file;
	uint32_t line;
};

struct possible_errors {
	struct known *v;
	size_t n;
};

static int add_error(void *opaque, const struct stored_finding *f)
{
	struct possible_errors *e = opaque;
	if (f->level <= LEVEL_POSSIBLE)
		return 0;
	e->v = mem_resize(e->v, (e->n + 1) * sizeof *e->v);
	e->v[e->n++] = (struct known){f->id, mem_strdup(f->kind), mem_strdup(f->file ? f->file : ""), f->line};
	return 0;
}

struct possible_errors *possible_errors_read(struct store *store, struct err *err)
{
	struct possible_errors *e = mem_zero(sizeof *e);
	if (store_each_finding(store, add_error, e, err) == 0)
		return e;
	possible_errors_free(e);
	return NULL;
}

void possible_errors_free(struct possible_errors *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->n; i++) {
		mem_free(e->v[i].kind);
		mem_free(e->v[i].file);
	}
	mem_free(e->v);
	mem_free(e);
}

int64_t possible_promoted(const struct possible_errors *e, const struct stored_finding *f)
{
	for (size_t i = 0; i < e->n; i++)
		if (f->level == LEVEL_POSSIBLE && e->v[i].line == f->line && strcmp(e->v[i].kind, f->kind) == 0 &&
		    strcmp(e->v[i].file, f->file ? f->file : "") == 0)
			return e->v[i].id;
	return 0;
}
