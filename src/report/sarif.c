// SARIF 2.1.0: for code scanning services and editors.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "report/possible.h"
#include "report/report.h"
#include "report/sarif.h"
#include "report/source.h"

static void place(struct buf *out, const struct report *r, const char *file, uint32_t line, uint32_t column)
{
	char *path = source_relative(r->root, file);
	buf_addstr(out, "\"physicalLocation\": {\"artifactLocation\": {\"uri\": ");
	sarif_uri(out, path);
	if (*path != '/')
		buf_addstr(out, ", \"uriBaseId\": \"SRCROOT\"");
	mem_free(path);
	buf_addch(out, '}');
	if (line)
		buf_printf(out, ", \"region\": {\"startLine\": %" PRIu32, line);
	if (line && column)
		buf_printf(out, ", \"startColumn\": %" PRIu32, column);
	buf_addstr(out, line ? "}}" : "}");
}

static void function_name(struct buf *out, const char *function)
{
	buf_addstr(out, ", \"logicalLocations\": [{\"kind\": \"function\", \"name\": ");
	sarif_text(out, function);
	buf_addstr(out, "}]");
}

// --- rules ----------------------------------------------------------------------------------------

// Kinds that there are, in the order of the findings.
static size_t rule_index(struct strv *kinds, const char *kind)
{
	size_t i = 0;
	while (i < kinds->n && strcmp(kinds->v[i], kind) != 0)
		i++;
	if (i == kinds->n)
		strv_push(kinds, kind);
	return i;
}

static const char *level_of(enum finding_level level)
{
	return level == LEVEL_ERROR ? "error" : level == LEVEL_POSSIBLE ? "note" : "warning";
}

// The tests' own code alarms nobody.
static const char *result_level(const struct explanation *x)
{
	return x->test_code ? "note" : level_of(x->finding.level);
}

static void add_rules(struct buf *out, const struct report *r, const struct strv *kinds)
{
	for (size_t i = 0; i < kinds->n; i++) {
		const char *level = "warning";
		for (size_t k = 0; k < r->n; k++)
			if (strcmp(r->v[k].finding.kind, kinds->v[i]) == 0)
				level = level_of(r->v[k].finding.level);
		struct kind_words words = explain_kind(kinds->v[i]);
		char *help = mem_printf("%s %s", words.what, words.help);
		buf_addstr(out, i ? ",\n    {\"id\": " : "\n    {\"id\": ");
		sarif_text(out, kinds->v[i]);
		buf_addstr(out, ", ");
		sarif_message(out, "shortDescription", words.title);
		buf_addstr(out, ", ");
		sarif_message(out, "fullDescription", words.what);
		buf_addstr(out, ", ");
		sarif_message(out, "help", help);
		buf_printf(out, ", \"defaultConfiguration\": {\"level\": \"%s\"}", level);
		buf_addstr(out, ", \"properties\": {\"tags\": [\"correctness\"], \"precision\": \"very-high\"}}");
		mem_free(help);
	}
}

// --- results --------------------------------------------------------------------------------------

// Of what stays when lines before it come and go: kind, function, and the text of the line.
static uint64_t fingerprint(const struct stored_finding *f)
{
	struct source s;
	struct buf name = {0}, line = {0};
	source_read(&s, f->file);
	source_line(&s, f->line, &line);
	const char *p = buf_str(&line);
	while (*p == ' ')
		p++;
	buf_printf(&name, "%s\n%s\n%s\n%s", f->kind, path_basename(f->file), f->function, p);
	uint64_t hash = hash_bytes(name.data, name.len).low;
	buf_release(&name);
	buf_release(&line);
	source_release(&s);
	return hash;
}

// The file as the finding calls it, where the trace has only the end of its name.
static const char *whole_name(const struct explanation *x, const char *file)
{
	return source_is_same(file, x->finding.file) ? x->finding.file : file;
}

static void add_flow_location(struct buf *out, const struct report *r, const char *file, uint32_t line, uint32_t column,
                              const char *words)
{
	if (out->data[out->len - 1] == '}')
		buf_addch(out, ',');
	buf_addstr(out, "\n        {\"location\": {");
	place(out, r, file, line, column);
	buf_addstr(out, ", ");
	sarif_message(out, "message", words);
	buf_addstr(out, "}}");
}

struct frames {
	struct strv v; // of each: file, line, what is reported of it
};

static void keep_frame(void *opaque, const char *function, const char *file, uint32_t line)
{
	struct frames *f = opaque;
	strv_push(&f->v, file);
	strv_pushf(&f->v, "%" PRIu32, line);
	strv_pushf(&f->v, "in %s", function);
}

// The path where that is known, else the calls, from the outermost on.
static void add_flow(struct buf *out, const struct report *r, const struct explanation *x)
{
	buf_addstr(out, ",\n     \"codeFlows\": [{\"threadFlows\": [{\"locations\": [");
	if (!x->n_steps) {
		struct frames f = {0};
		report_each_frame(x->finding.stack, keep_frame, &f);
		for (size_t i = f.v.n; i >= 3; i -= 3)
			add_flow_location(out, r, f.v.v[i - 3], (uint32_t)strtoul(f.v.v[i - 2], NULL, 10), 0,
			                  f.v.v[i - 1]);
		strv_release(&f.v);
	}
	for (size_t i = 0; i < x->n_steps; i++) {
		const struct explained_step *s = &x->steps[i];
		char *words = s->kind == STEP_FAILS ? mem_printf("fails: %s", s->condition)
		              : s->now              ? mem_printf("%s (%s)", s->condition, s->now)
		                                    : mem_strdup(s->condition);
		add_flow_location(out, r, whole_name(x, s->file), s->line, s->column, words);
		mem_free(words);
	}
	add_flow_location(out, r, x->finding.file, x->finding.line, 0, x->sentence);
	buf_addstr(out, "]}]}]");
}

static void add_properties(struct buf *out, const struct explanation *x)
{
	const struct stored_finding *f = &x->finding;
	buf_printf(out,
	           ",\n     \"properties\": {\"id\": \"%s\", \"distance\": %" PRId32 ", \"depth\": %" PRIu32
	           ", \"seed\": \"S%" PRId64 "\", \"reproduce\": \"findings/%s/reproduce.sh\", \"program\": ",
	           x->id, f->distance == FINDING_SEARCHED ? -1 : (int32_t)f->distance, f->depth, f->seed, x->id);
	sarif_text(out, f->program);
	buf_printf(out, ", \"testCode\": %s", x->test_code ? "true" : "false");
	for (size_t i = 0; i < x->also.n; i++)
		buf_printf(out, "%s\"%s\"%s", i ? ", " : ", \"also\": [", x->also.v[i], i + 1 < x->also.n ? "" : "]");
	if (x->condition) {
		buf_addstr(out, ", \"condition\": ");
		sarif_text(out, x->condition);
	}
	if (x->verdict) {
		buf_addstr(out, ", \"values\": ");
		sarif_text(out, x->verdict);
	}
	buf_addch(out, '}');
}

static void add_result(struct buf *out, const struct report *r, const struct explanation *x, size_t rule,
                       size_t occurrence, uint64_t hash)
{
	const struct stored_finding *f = &x->finding;
	buf_addstr(out, "    {\"ruleId\": ");
	sarif_text(out, f->kind);
	buf_printf(out, ", \"ruleIndex\": %zu, \"level\": \"%s\", ", rule, result_level(x));
	char *possible = possible_sentence(x),
	     *words = mem_printf("%s%s%s", x->sentence, *possible ? " " : "", possible);
	sarif_message(out, "message", words);
	mem_free(possible);
	mem_free(words);
	buf_addstr(out, ",\n     \"locations\": [{");
	bool known = *f->file && strcmp(f->file, "?") != 0;
	place(out, r, known ? f->file : f->program, known ? f->line : 0, 0);
	function_name(out, f->function);
	buf_printf(out, "}],\n     \"partialFingerprints\": {\"primaryLocationLineHash\": \"%016" PRIx64 ":%zu\"}",
	           hash, occurrence);
	if (known)
		add_flow(out, r, x);
	add_properties(out, x);
	buf_addch(out, '}');
}

static void add_results(struct buf *out, const struct report *r, struct strv *kinds)
{
	uint64_t *hashes = mem_zero((r->n + 1) * sizeof *hashes);
	for (size_t i = 0; i < r->n; i++) {
		size_t occurrence = 1;
		hashes[i] = fingerprint(&r->v[i].finding);
		for (size_t k = 0; k < i; k++)
			occurrence += hashes[k] == hashes[i];
		buf_addstr(out, i ? ",\n" : "\n");
		add_result(out, r, &r->v[i], rule_index(kinds, r->v[i].finding.kind), occurrence, hashes[i]);
	}
	mem_free(hashes);
}

// What was not analysed is no result, but nobody should have to guess it.
static void add_notifications(struct buf *out, const struct report *r)
{
	struct strv limits = {0};
	report_limits(r, &limits);
	for (size_t i = 0; i < limits.n; i++) {
		buf_addstr(out, i ? ", {" : "{");
		sarif_message(out, "message", limits.v[i]);
		buf_addstr(out, ", \"level\": \"note\"}");
	}
	strv_release(&limits);
}

int report_sarif(const struct report *r, struct buf *out, struct err *err)
{
	struct strv kinds = {0};
	struct buf results = {0};
	(void)err;
	add_results(&results, r, &kinds);
	sarif_begin(out);
	add_rules(out, r, &kinds);
	sarif_root(out, r->root);
	add_notifications(out, r);
	buf_addstr(out, "]}],\n  \"results\": [");
	buf_add(out, results.data, results.len);
	buf_addstr(out, "]}]}\n");
	buf_release(&results);
	strv_release(&kinds);
	return 0;
}
