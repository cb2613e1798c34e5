#include "report/results.h"

#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "config.h"
#include "explain/groups.h"
#include "explore/account.h"
#include "explore/treatment.h"

static void escape(struct buf *out, uint32_t c)
{
	if (c >= 0x10000)
		buf_printf(out, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + (c & 0x3ff));
	else
		buf_printf(out, "\\u%04x", c);
}

void json_string(struct buf *out, const char *text, size_t size)
{
	const uint8_t *p = (const uint8_t *)text;
	buf_addch(out, '"');
	while (size) {
		size_t n = utf8_length(p, size);
		if (n == 0)
			buf_addstr(out, "\\ufffd");
		else if (*p == '"' || *p == '\\')
			buf_printf(out, "\\%c", *p);
		else if (!utf8_printable(p, size))
			escape(out, utf8_code_point(p, n));
		else
			buf_add(out, p, n);
		n += n == 0;
		p += n;
		size -= n;
	}
	buf_addch(out, '"');
}

static void field(struct buf *out, const char *name, const char *text)
{
	buf_printf(out, "\"%s\": ", name);
	json_string(out, text, strlen(text));
	buf_addstr(out, ", ");
}

static void number(struct buf *out, const char *name, int64_t value)
{
	buf_printf(out, "\"%s\": %" PRId64, name, value);
}

static void known(struct buf *out, const char *name, int32_t value)
{
	if (value < 0)
		buf_printf(out, "\"%s\": null, ", name);
	else
		buf_printf(out, "\"%s\": %" PRId32 ", ", name, value);
}

static void not_modelled(void *opaque, const char *name, int64_t value)
{
	struct buf *out = opaque;
	size_t n = strlen(RESULTS_NOT_MODELLED);
	if (strncmp(name, RESULTS_NOT_MODELLED, n) != 0)
		return;
	if (out->data[out->len - 1] != '{')
		buf_addstr(out, ", ");
	json_string(out, name + n, strlen(name + n));
	buf_printf(out, ": %" PRId64, value);
}

struct telling {
	const struct results_choice *choice;
	struct buf *out;
	int64_t suppressed;
	struct groups groups;
};

static bool is_reported(const struct telling *t, const struct stored_finding *f)
{
	return !t->choice || t->choice->tells(t->choice->opaque, f);
}

// Before any is told of: later ones may belong to it.
static int group(void *opaque, const struct stored_finding *f)
{
	struct telling *t = opaque;
	if (is_reported(t, f))
		groups_add(&t->groups, f);
	return 0;
}

static void also(const struct telling *t, const struct stored_finding *f)
{
	struct strv others = {0};
	groups_others(&t->groups, f->id, &others);
	buf_addstr(t->out, "\"also\": [");
	for (size_t i = 0; i < others.n; i++)
		buf_printf(t->out, "%s\"%s\"", i ? ", " : "", others.v[i]);
	buf_addstr(t->out, "], ");
	strv_release(&others);
}

static int finding(void *opaque, const struct stored_finding *f)
{
	struct telling *t = opaque;
	struct buf *out = t->out;
	if (!is_reported(t, f)) {
		t->suppressed++;
		return 0;
	}
	if (groups_lead(&t->groups, f->id) != f->id)
		return 0;
	if (out->data[out->len - 1] != '[')
		buf_addch(out, ',');
	buf_printf(out, "\n  {\"id\": \"F%" PRId64 "\", ", f->id);
	field(out, "kind", f->kind);
	field(out, "level", f->level);
	field(out, "program", f->program);
	char *file = *f->file == '/' ? path_clean(f->file) : NULL;
	field(out, "file", file ? file : f->file);
	mem_free(file);
	number(out, "line", f->line);
	buf_addstr(out, ", ");
	field(out, "function", f->function);
	buf_printf(out,
	           "\"distance\": %" PRId32 ", \"depth\": %" PRIu32 ", \"seed\": \"S%" PRId64
	           "\", \"confirmed\": true, ",
	           f->distance == FINDING_SEARCHED ? -1 : (int32_t)f->distance, f->depth, f->seed);
	known(out, "changed_bytes", f->changed);
	known(out, "care_bytes", f->care);
	bool test_code = t->choice && t->choice->is_test_code && t->choice->is_test_code(t->choice->opaque, f);
	buf_printf(out, "\"test_code\": %s, ", test_code ? "true" : "false");
	also(t, f);
	buf_printf(out, "\"reproduce\": \"findings/F%" PRId64 "/reproduce.sh\"}", f->id);
	return 0;
}

// --- recorded tests -------------------------------------------------------------------------------

static void add_counts(const struct account *a, struct buf *out)
{
	buf_addstr(out, ",\n \"tests\": {");
	number(out, "recorded", (int64_t)a->recorded);
	for (int i = OUTCOME_NONE + 1; i < OUTCOMES; i++) {
		buf_addstr(out, ", ");
		number(out, outcome_word((enum outcome)i), (int64_t)a->n[i]);
	}
}

struct seeds {
	struct buf *out;
	struct {
		int64_t snapshot, input;
	} *v;
	size_t n, cap;
};

static int add_seed(void *opaque, int64_t snapshot, int64_t input)
{
	struct seeds *s = opaque;
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 64;
		s->v = mem_resize(s->v, s->cap * sizeof *s->v);
	}
	s->v[s->n].snapshot = snapshot;
	s->v[s->n++].input = input;
	return 0;
}

// Seeds come in the order of their snapshots.
static int64_t seed_of(const struct seeds *s, int64_t snapshot)
{
	size_t from = 0, to = s->n;
	while (from < to) {
		size_t middle = (from + to) / 2;
		if (s->v[middle].snapshot < snapshot)
			from = middle + 1;
		else
			to = middle;
	}
	return from < s->n && s->v[from].snapshot == snapshot ? s->v[from].input : 0;
}

static int add_differing(void *opaque, const struct stored_snapshot *c)
{
	const struct seeds *s = opaque;
	struct buf *out = s->out;
	if (!c->present || account_outcome(c) != OUTCOME_DIFFERS)
		return 0;
	if (out->data[out->len - 1] != '[')
		buf_addch(out, ',');
	buf_printf(out, "\n  {\"test\": \"S%" PRId64 "\", \"why\": ", seed_of(s, c->id));
	json_string(out, c->why ? c->why : "", c->why ? strlen(c->why) : 0);
	buf_addch(out, '}');
	return 0;
}

// What became of them, and those that run differently when they are traced.
static int add_tests(struct store *s, struct buf *out, struct err *err)
{
	struct account a;
	struct seeds seeds = {.out = out};
	int r = account_read(&a, s, err);
	if (r == 0 && a.recorded) {
		add_counts(&a, out);
		buf_addstr(out, ",\n  \"differing\": [");
		r = a.n[OUTCOME_DIFFERS] ? store_each_seed(s, add_seed, &seeds, err) : 0;
		if (r == 0)
			r = store_each_snapshot(s, add_differing, &seeds, err);
		buf_addstr(out, "]}");
	}
	mem_free(seeds.v);
	account_release(&a);
	return r;
}

static void head(struct store *s, struct buf *out)
{
	struct buf command = {0};
	if (!store_get(s, "command", &command))
		buf_addstr(&command, "explore");
	buf_addch(out, '{');
	field(out, "veer", CONFIG_VERSION);
	buf_addstr(out, "\"command\": ");
	json_string(out, command.data, command.len);
	buf_release(&command);
	buf_addstr(out, ", ");
	number(out, "programs", store_get_number(s, "programs", 1));
	buf_addstr(out, ", ");
	number(out, "seeds", store_count_inputs(s, true));
	static const char *const counters[] = {"runs", "queries", "unknown"};
	for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
		buf_addstr(out, ", ");
		number(out, counters[i], store_counter(s, counters[i]));
	}
}

// Inputs of recorded tests, and how they were treated.
static int treatments(struct store *s, struct buf *out, struct err *err)
{
	struct treatments all;
	if (treatments_read(s, &all, err) < 0)
		return -1;
	for (size_t i = 0; i < all.n; i++) {
		const struct treatment *t = &all.v[i];
		static const char *const groups[] = {"own", "outside", "alike"};
		buf_addstr(out, i ? ",\n  {" : "\n  {");
		field(out, "name", t->name);
		field(out, "treatment", treatment_word(t));
		field(out, "group", groups[t->group]);
		buf_printf(out,
		           "\"bytes\": %" PRIu64 ", \"tests\": %" PRIu32 ", \"whole\": %" PRIu32
		           ", \"windows\": %" PRIu32 ", \"concrete\": %" PRIu32 "}",
		           t->size, t->tests, t->whole, t->partly, t->concrete);
	}
	treatments_release(&all);
	return 0;
}

// From recorded tests; `veer explore` does nothing else.
static void search(struct store *s, struct buf *out)
{
	int64_t seconds = store_get_number(s, "search.seconds", -1);
	if (seconds < 0)
		return;
	buf_addstr(out, ", \"search\": {");
	number(out, "runs", store_counter(s, "searched"));
	buf_addstr(out, ", ");
	number(out, "seconds", seconds);
	buf_addstr(out, ", ");
	number(out, "candidates_left", store_get_number(s, "search.left", 0));
	buf_addch(out, '}');
}

int results_text(struct store *s, const struct results_choice *choice, struct buf *out, struct err *err)
{
	struct telling t = {.choice = choice, .out = out};
	head(s, out);
	if (add_tests(s, out, err) < 0)
		return -1;
	buf_addstr(out, ",\n \"checks\": {");
	number(out, "total", store_counter(s, "checks.total"));
	buf_addstr(out, ", ");
	number(out, "unique", store_counter(s, "checks.unique"));
	buf_addstr(out, "}, \"coverage\": {");
	number(out, "branches", store_get_number(s, "coverage.branches", 0));
	buf_addstr(out, ", ");
	number(out, "before", store_get_number(s, "coverage.before", 0));
	buf_addstr(out, ", ");
	number(out, "after", store_get_number(s, "coverage.after", 0));
	buf_addch(out, '}');
	search(s, out);
	buf_addstr(out, ",\n \"not_modelled\": {");
	if (store_each_counter(s, not_modelled, out, err) < 0)
		return -1;
	buf_addstr(out, "},\n \"inputs\": [");
	if (treatments(s, out, err) < 0)
		return -1;
	buf_addstr(out, "],\n \"findings\": [");
	int r = store_each_finding(s, group, &t, err);
	if (r == 0)
		r = store_each_finding(s, finding, &t, err);
	groups_release(&t.groups);
	if (r < 0)
		return -1;
	buf_addstr(out, "], ");
	number(out, "suppressed", t.suppressed);
	buf_addstr(out, "}\n");
	return 0;
}

int results_write(struct store *s, const char *folder, const struct results_choice *choice, struct err *err)
{
	struct buf text = {0};
	char *path = mem_printf("%s/" RESULTS_FILE, folder);
	int r = results_text(s, choice, &text, err);
	if (r == 0)
		r = file_replace(path, text.data, text.len, 0666, err);
	mem_free(path);
	buf_release(&text);
	return r;
}
