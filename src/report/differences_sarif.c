// Differences as SARIF 2.1.0: a rule for each kind, a result for each difference, at the change in the new version.
#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "report/differences.h"
#include "report/sarif.h"
#include "report/source.h"

// The number of the rule of that kind, in the order in which kinds come up.
static int rule_of(const struct difference_views *v, const char *kind)
{
	int n = 0;
	for (uint32_t i = 0; i < v->n; i++) {
		bool first = true;
		for (uint32_t k = 0; k < i; k++)
			first &= strcmp(v->v[k].kind, v->v[i].kind) != 0;
		if (strcmp(v->v[i].kind, kind) == 0)
			break;
		n += first;
	}
	return n;
}

static void add_rules(struct buf *out, const struct difference_views *v)
{
	int n = 0;
	for (uint32_t i = 0; i < v->n; i++) {
		const struct difference_view *x = &v->v[i];
		if (rule_of(v, x->kind) < n)
			continue;
		buf_addstr(out, n++ ? ",\n    {\"id\": " : "\n    {\"id\": ");
		sarif_text(out, x->kind);
		buf_addstr(out, ", ");
		sarif_message(out, "shortDescription", x->kind_text);
		buf_addstr(out, ", ");
		sarif_message(
			out, "help",
			"Both versions ran natively on the same input, twice. When the difference is meant, accept it "
			"with --write-baseline and --baseline.");
		buf_addstr(out, ", \"properties\": {\"tags\": [\"regression\"], \"precision\": \"very-high\"}}");
	}
}

static void add_place(struct buf *out, const struct difference_report *r, const struct difference_view *x,
                      const char *file, uint32_t line)
{
	char *path = source_relative(r->root, file);
	buf_addstr(out, "{\"physicalLocation\": {\"artifactLocation\": {\"uri\": ");
	sarif_uri(out, path);
	if (*path != '/')
		buf_addstr(out, ", \"uriBaseId\": \"SRCROOT\"");
	buf_addch(out, '}');
	if (line)
		buf_printf(out, ", \"region\": {\"startLine\": %" PRIu32 "}", line);
	buf_addstr(out, "}, \"logicalLocations\": [{\"kind\": \"function\", \"name\": ");
	sarif_text(out, x->function);
	buf_addstr(out, "}]}");
	mem_free(path);
}

// Of what stays when other lines come and go.
static uint64_t fingerprint(const struct difference_view *x)
{
	char *name = mem_printf("%s\n%s\n%s\n%s", x->kind, x->identifier, x->file, x->function);
	uint64_t hash = hash_bytes(name, strlen(name)).low;
	mem_free(name);
	return hash;
}

static void add_property(struct buf *out, const char *name, const char *text)
{
	buf_printf(out, ", \"%s\": ", name);
	sarif_text(out, text);
}

static void add_result(struct buf *out, const struct difference_report *r, const struct difference_view *x,
                       size_t occurrence)
{
	bool known = strcmp(x->file, "?") != 0;
	char *message = mem_printf("%s: %s. %s", x->function, x->kind_text, x->why);
	buf_addstr(out, "    {\"ruleId\": ");
	sarif_text(out, x->kind);
	buf_printf(out, ", \"ruleIndex\": %d, \"level\": \"%s\", ", rule_of(r->views, x->kind),
	           strcmp(x->level, "error") == 0 || strcmp(x->level, "warning") == 0 ? x->level : "note");
	sarif_message(out, "message", message);
	buf_addstr(out, ",\n     \"locations\": [");
	add_place(out, r, x, known ? x->file : r->views->programs[CHANGE_NEW], known ? x->line : 0);
	buf_printf(out, "],\n     \"partialFingerprints\": {\"primaryLocationLineHash\": \"%016" PRIx64 ":%zu\"}",
	           fingerprint(x), occurrence);
	if (x->accepted)
		buf_addstr(out, ", \"suppressions\": [{\"kind\": \"external\", \"status\": \"accepted\"}]");
	buf_printf(out, ",\n     \"properties\": {\"id\": \"%s\", \"inputs\": %" PRIu32, x->id, x->inputs);
	add_property(out, "class", x->class);
	add_property(out, "identifier", x->identifier);
	add_property(out, "input", x->input);
	add_property(out, "oldEnd", x->side[CHANGE_OLD].end);
	add_property(out, "oldOutput", x->side[CHANGE_OLD].output);
	add_property(out, "newEnd", x->side[CHANGE_NEW].end);
	add_property(out, "newOutput", x->side[CHANGE_NEW].output);
	add_property(out, "reproduce", x->reproduce);
	buf_addstr(out, "}}");
	mem_free(message);
}

// What was not decided is no result, but nobody should have to guess it.
static void add_notifications(struct buf *out, const struct difference_views *v)
{
	const char *comma = "";
	for (uint32_t i = 0; i < v->n_functions; i++) {
		const struct function_view *f = &v->functions[i];
		if (strcmp(f->verdict, "undecided") != 0)
			continue;
		char *text = mem_printf("%s, %s:%" PRIu32 ": not decided: %s", f->name, f->file, f->line, f->reason);
		buf_printf(out, "%s{", comma);
		sarif_message(out, "message", text);
		buf_addstr(out, ", \"level\": \"note\"}");
		comma = ", ";
		mem_free(text);
	}
}

void report_differences_sarif(const struct difference_report *r, struct buf *out)
{
	const struct difference_views *v = r->views;
	sarif_begin(out);
	add_rules(out, v);
	sarif_root(out, r->root);
	add_notifications(out, v);
	buf_addstr(out, "]}],\n  \"results\": [");
	for (uint32_t i = 0; i < v->n; i++) {
		size_t occurrence = 1;
		for (uint32_t k = 0; k < i; k++)
			occurrence += fingerprint(&v->v[k]) == fingerprint(&v->v[i]);
		buf_addstr(out, i ? ",\n" : "\n");
		add_result(out, r, &v->v[i], occurrence);
	}
	buf_addstr(out, "]}]}\n");
}
