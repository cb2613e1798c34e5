#include "session/results.h"

#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "config.h"
#include "explore/treatment.h"
#include "session/covered.h"
#include "session/groups.h"
#include "session/results_possible.h"
#include "session/settings.h"
#include "store/account.h"

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

struct reporting {
	const struct results_choice *choice;
	struct buf *out;
	struct store *store;
	int64_t suppressed;
	struct groups groups;
};

static bool is_reported(const struct reporting *t, const struct stored_finding *f)
{
	return !t->choice || t->choice->reports(t->choice->opaque, f);
}

// Before any is reported: later ones may belong to it.
static int group(void *opaque, const struct stored_finding *f)
{
	struct reporting *t = opaque;
	if (is_reported(t, f))
		groups_add(&t->groups, f);
	return 0;
}

static void also(const struct reporting *t, const struct stored_finding *f)
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
	struct reporting *t = opaque;
	struct buf *out = t->out;
	if (!is_reported(t, f)) {
		t->suppressed += f->level != LEVEL_POSSIBLE; // those are counted per function
		return 0;
	}
	if (groups_lead(&t->groups, f->id) != f->id)
		return 0;
	if (out->data[out->len - 1] != '[')
		buf_addch(out, ',');
	buf_printf(out, "\n  {\"id\": \"F%" PRId64 "\", ", f->id);
	field(out, "kind", f->kind);
	field(out, "level", level_name(f->level));
	field(out, "program", f->program);
	char *file = *f->file == '/' ? path_clean(f->file) : NULL;
	field(out, "file", file ? file : f->file);
	mem_free(file);
	number(out, "line", f->line);
	buf_addstr(out, ", ");
	field(out, "function", f->function);
	buf_printf(out,
	           "\"distance\": %" PRId32 ", \"depth\": %" PRIu32 ", \"seed\": \"S%" PRId64 "\", \"confirmed\": %s, ",
	           f->distance == FINDING_SEARCHED ? -1 : (int32_t)f->distance, f->depth, f->seed,
	           f->level == LEVEL_POSSIBLE ? "false" : "true");
	known(out, "changed_bytes", f->changed);
	known(out, "care_bytes", f->care);
	bool test_code = t->choice && t->choice->is_test_code && t->choice->is_test_code(t->choice->opaque, f);
	buf_printf(out, "\"test_code\": %s, ", test_code ? "true" : "false");
	also(t, f);
	if (f->level == LEVEL_POSSIBLE)
		results_possible_finding(t->store, f, out);
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
	vec_room(s->v, s->n + 1, s->cap);
	s->v[s->n].snapshot = snapshot;
	s->v[s->n++].input = input;
	return 0;
}

// Seeds come in the order of their snapshots.
static int64_t seed_of(const struct seeds *s, int64_t snapshot)
{
	size_t i = vec_lower(s, snapshot, snapshot);
	return i < s->n && s->v[i].snapshot == snapshot ? s->v[i].input : 0;
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
	if (!setting_get(s, SETTING_command, &command))
		buf_addstr(&command, "explore");
	buf_addch(out, '{');
	field(out, "veer", CONFIG_VERSION);
	buf_addstr(out, "\"command\": ");
	json_string(out, command.data, command.len);
	buf_release(&command);
	buf_addstr(out, ", ");
	number(out, "programs", setting_number(s, SETTING_programs));
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
		char *label = input_source_label(t->of);
		field(out, "name", label);
		mem_free(label);
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
	int64_t seconds = setting_number(s, SETTING_search_seconds);
	if (seconds < 0)
		return;
	buf_addstr(out, ", \"search\": {");
	number(out, "runs", store_counter(s, "searched"));
	buf_addstr(out, ", ");
	number(out, "seconds", seconds);
	buf_addstr(out, ", ");
	number(out, "candidates_left", setting_number(s, SETTING_search_left));
	buf_addch(out, '}');
}

static void count_out_of_reach(void *opaque, const struct covered_function *f)
{
	*(int64_t *)opaque += f->out_of_reach;
}

static void function(void *opaque, const struct covered_function *f)
{
	struct buf *out = opaque;
	buf_addstr(out, out->data[out->len - 1] == '[' ? "\n  {" : ",\n  {");
	field(out, "name", f->name);
	field(out, "file", f->file);
	number(out, "lines", f->lines);
	buf_addstr(out, ", ");
	number(out, "lines_covered", f->lines_covered);
	buf_addstr(out, ", ");
	number(out, "segments", f->segments);
	buf_addstr(out, ", ");
	number(out, "segments_covered", f->segments_covered);
	buf_addstr(out, ", ");
	for (unsigned i = 0; i < PHASES; i++) {
		char *name = mem_printf("segments_%s", phase_word((enum phase)i));
		number(out, name, f->by[i]);
		buf_addstr(out, ", ");
		mem_free(name);
	}
	number(out, "segments_out_of_reach", f->out_of_reach);
	buf_addstr(out, ", ");
	number(out, "inputs", f->inputs);
	buf_addstr(out, ", ");
	number(out, "possible", f->possible);
	buf_addstr(out, ", \"reason\": ");
	json_string(out, f->reason, strlen(f->reason));
	buf_addch(out, '}');
}

// Of veer cover: segments by the phase that covered them first, and each function.
static void functions(struct store *s, struct buf *out)
{
	if (settings_use(s) != USE_fragments)
		return;
	buf_addstr(out, ",\n \"segments\": {");
	number(out, "total", setting_number(s, SETTING_segments));
	for (unsigned i = 0; i < PHASES; i++) {
		char *name = mem_printf("segments.%s", phase_word((enum phase)i));
		buf_addstr(out, ", ");
		number(out, phase_word((enum phase)i), store_counter(s, name));
		mem_free(name);
	}
	int64_t out_of_reach = 0;
	covered_each(s, count_out_of_reach, &out_of_reach);
	buf_addstr(out, ", ");
	number(out, "out_of_reach", out_of_reach);
	buf_addstr(out, "},\n \"functions\": [");
	covered_each(s, function, out);
	buf_addch(out, ']');
}

int results_text(struct store *s, const struct results_choice *choice, struct buf *out, struct err *err)
{
	struct reporting t = {.choice = choice, .out = out, .store = s};
	head(s, out);
	if (add_tests(s, out, err) < 0)
		return -1;
	buf_addstr(out, ",\n \"checks\": {");
	number(out, "total", store_counter(s, "checks.total"));
	buf_addstr(out, ", ");
	number(out, "unique", store_counter(s, "checks.unique"));
	buf_addstr(out, "}, \"coverage\": {");
	number(out, "branches", setting_number(s, SETTING_branches));
	buf_addstr(out, ", ");
	number(out, "before", setting_number(s, SETTING_branches_before));
	buf_addstr(out, ", ");
	number(out, "after", setting_number(s, SETTING_branches_after));
	buf_addch(out, '}');
	search(s, out);
	functions(s, out);
	if (settings_use(s) == USE_fragments && results_possible(s, out, err) < 0)
		return -1;
	setting_get(s, SETTING_versions, out);
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
