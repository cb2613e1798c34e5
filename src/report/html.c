// The HTML report: one page that needs nothing else, no network either. Nothing in it is trusted: names and contents
// are anybody's.
#include "report/html.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "config.h"
#include "report/markup.h"
#include "report/source.h"
#include "session/replayer.h"
#include "session/settings.h"
#include "store/account.h"

static const char style[] =
#include "page.css.inc"
	;
static const char script[] =
#include "page.js.inc"
	;

enum { OPEN_MAX = 20 }; // findings; when there are more, all are closed to begin with

void html_bytes(struct buf *out, const void *data, size_t size)
{
	struct buf clean = {0};
	utf8_clean(&clean, data, size);
	markup_escape(out, &clean);
	buf_release(&clean);
}

void html_text(struct buf *out, const char *text)
{
	html_bytes(out, text, strlen(text));
}

void html_file(struct buf *out, const struct report *r, const char *file)
{
	char *name = source_relative(r->root, file);
	html_text(out, name);
	mem_free(name);
}

// --- summary --------------------------------------------------------------------------------------

static size_t count(const struct report *r, enum finding_level level, bool test_code)
{
	size_t n = 0;
	for (size_t i = 0; i < r->n; i++)
		n += r->v[i].finding.level == level && r->v[i].test_code == test_code;
	return n;
}

static void card(struct buf *out, const char *class, const char *name, int64_t value, const char *more)
{
	buf_printf(out, "<div class=\"card %s\"><dt>%s</dt><dd>%" PRId64, class, name, value);
	if (*more)
		buf_printf(out, " <small>%s</small>", more);
	buf_addstr(out, "</dd></div>\n");
}

static void card_of_level(struct buf *out, const struct report *r, enum finding_level level, const char *name)
{
	size_t n = count(r, level, false), tests = count(r, level, true);
	char *more = tests ? mem_printf("%zu in test code", tests) : mem_strdup("");
	card(out, level_name(n ? level : LEVEL_NONE), name, (int64_t)n, more);
	mem_free(more);
}

static void card_of_lines(struct buf *out, const struct report *r)
{
	struct cover_count before = {0}, after = {0};
	if (r->before)
		before = cover_totals(r->before).lines;
	if (r->after)
		after = cover_totals(r->after).lines;
	if (!after.total) {
		buf_addstr(out,
		           "<div class=\"card\"><dt>Lines covered</dt><dd>? <small>not known</small></dd></div>\n");
		return;
	}
	buf_printf(out, "<div class=\"card\"><dt>Lines covered</dt><dd>%.1f%% <small>%" PRIu32 " of %" PRIu32,
	           100.0 * after.covered / after.total, after.covered, after.total);
	if (r->before)
		buf_printf(out, "; %" PRIu32 " before", before.covered);
	buf_addstr(out, "</small></dd></div>\n");
}

static void card_of_branches(struct buf *out, const struct report *r)
{
	int64_t all = setting_number(r->store, SETTING_branches);
	int64_t before = setting_number(r->store, SETTING_branches_before);
	int64_t after = setting_number(r->store, SETTING_branches_after);
	if (r->before)
		before = cover_totals(r->before).edges.covered;
	if (r->after) {
		after = cover_totals(r->after).edges.covered;
		all = cover_totals(r->after).edges.total;
	}
	char *more = mem_printf("%" PRId64 " of %" PRId64 "; %" PRId64 " before", after, all, before);
	buf_printf(out, "<div class=\"card\"><dt>Branches covered</dt><dd>%.1f%% <small>%s</small></dd></div>\n",
	           all > 0 ? 100.0 * (double)after / (double)all : 0.0, more);
	mem_free(more);
}

// Whether silence means anything.
static void card_of_tests(struct buf *out, const struct report *r)
{
	struct account a;
	struct err err;
	if (account_read(&a, r->store, &err) < 0 || !a.recorded) {
		card(out, "", "Inputs to begin with", store_count_inputs(r->store, true), "");
	} else {
		char *more = mem_printf("of %zu; %zu in part, %zu cut, %zu ended differently traced, %zu without input",
		                        a.recorded, account_part(&a), account_cut(&a), a.n[OUTCOME_DIFFERS],
		                        a.n[OUTCOME_NO_INPUT]);
		card(out, account_is_whole(&a) ? "" : "warning", "Tests analysed", (int64_t)a.n[OUTCOME_ANALYSED],
		     more);
		mem_free(more);
	}
	account_release(&a);
}

static void summary(struct buf *out, const struct report *r)
{
	int64_t unknown = store_counter(r->store, "unknown");
	char *more = mem_printf("%" PRId64 " not answered", unknown);
	buf_addstr(out, "<section aria-labelledby=\"summary\"><h2 id=\"summary\">Summary</h2>\n<dl class=\"cards\">\n");
	card_of_level(out, r, LEVEL_ERROR, "Errors");
	card_of_level(out, r, LEVEL_WARNING, "Warnings");
	card_of_level(out, r, LEVEL_RESOURCE, "Hangs, memory");
	card_of_branches(out, r);
	card_of_lines(out, r);
	card_of_tests(out, r);
	int64_t searched = store_counter(r->store, "searched");
	char *search = searched ? mem_printf("%" PRId64 " by the search", searched) : mem_strdup("");
	card(out, "", "Runs", store_counter(r->store, "runs"), search);
	mem_free(search);
	card(out, "", "Queries solved", store_counter(r->store, "queries"), more);
	buf_addstr(out, "</dl>\n");
	html_plots(out, r);
	buf_addstr(out, "</section>\n");
	mem_free(more);
}

// --- the table ------------------------------------------------------------------------------------

static void table_row(struct buf *out, const struct report *r, const struct explanation *x)
{
	const struct stored_finding *f = &x->finding;
	const char *level = level_name(f->level);
	buf_printf(out,
	           "<tr data-level=\"%s\" data-id=\"%s\"><th scope=\"row\" data-label=\"Finding\" data-sort=\"%" PRId64
	           "\"><a href=\"#%s\">%s</a></th>",
	           level, x->id, f->id, x->id, x->id);
	buf_printf(out, "<td data-label=\"Level\" data-sort=\"%d\"><span class=\"badge %s\">%s</span></td>",
	           LEVELS - (int)f->level, level, level);
	buf_addstr(out, "<td data-label=\"Kind\">");
	html_text(out, f->kind);
	if (x->test_code)
		buf_addstr(out, " <small>(test code)</small>");
	buf_addstr(out, "</td><td data-label=\"Place\"><code>");
	html_file(out, r, f->file);
	buf_printf(out, ":%" PRIu32 "</code></td><td data-label=\"Function\"><code>", f->line);
	html_text(out, f->function);
	buf_addstr(out, "</code></td><td data-label=\"Program\">");
	html_text(out, path_basename(f->program));
	if (x->of_suite && f->distance == FINDING_SEARCHED)
		buf_printf(
			out,
			"</td><td data-label=\"Distance\">search</td><td class=\"number\" data-label=\"Depth\">%" PRIu32
			"</td>",
			f->depth);
	else if (x->of_suite)
		buf_printf(out,
		           "</td><td class=\"number\" data-label=\"Distance\">%" PRIu32
		           "</td><td class=\"number\" data-label=\"Depth\">%" PRIu32 "</td>",
		           f->distance, f->depth);
	else
		buf_printf(out, "</td><td class=\"number\" data-label=\"Steps\">%" PRIu32 "</td>", x->generations);
	if (f->changed >= 0)
		buf_printf(out, "<td class=\"number\" data-label=\"Changed bytes\">%" PRId32 "</td></tr>\n",
		           f->changed);
	else
		buf_addstr(out, "<td class=\"number\" data-label=\"Changed bytes\" data-sort=\"-1\">?</td></tr>\n");
}

static void column(struct buf *out, const char *class, const char *name)
{
	buf_printf(out, "<th scope=\"col\"%s><button type=\"button\">%s</button></th>", class, name);
}

static void table(struct buf *out, const struct report *r)
{
	static const char *const columns[] = {"Finding", "Level", "Kind", "Place", "Function", "Program"};
	static const char *const of_suite[] = {"Distance", "Depth", "Changed bytes"};
	static const char *const of_program[] = {"Steps", "Changed bytes"};
	static const enum finding_level levels[] = {LEVEL_ERROR, LEVEL_WARNING, LEVEL_RESOURCE, LEVEL_POSSIBLE};
	buf_addstr(out, "<div class=\"tools\" hidden><label for=\"search\">Filter <input id=\"search\" type=\"search\" "
	                "autocomplete=\"off\" spellcheck=\"false\"></label>\n<fieldset><legend>Levels</legend>");
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
		buf_printf(out, "<label><input type=\"checkbox\" name=\"level\" value=\"%s\" checked> %s</label> ",
		           level_name(levels[i]), level_name(levels[i]));
	buf_addstr(out,
	           "</fieldset><output id=\"shown\" aria-live=\"polite\"></output></div>\n"
	           "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table of findings\">"
	           "<table id=\"findings-table\"><caption>Every finding was confirmed by a run with the "
	           "sanitizers. <span class=\"screen\">The heads of the columns sort.</span></caption>\n<thead><tr>");
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		column(out, "", columns[i]);
	for (size_t i = 0; i < (r->v[0].of_suite ? 3 : 2); i++)
		column(out, " class=\"number\"", r->v[0].of_suite ? of_suite[i] : of_program[i]);
	buf_addstr(out, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < r->n; i++)
		table_row(out, r, &r->v[i]);
	buf_addstr(out, "</tbody></table></div>\n");
}

static void findings(struct buf *out, const struct report *r)
{
	buf_addstr(out, "<section aria-labelledby=\"findings\"><h2 id=\"findings\">Findings</h2>\n");
	if (!r->n)
		buf_addstr(out, "<p class=\"empty\">Nothing was found.</p>\n");
	else
		table(out, r);
	buf_addstr(out, "</section>\n");
	if (!r->n)
		return;
	buf_addstr(out, "<section aria-labelledby=\"details\"><h2 id=\"details\">");
	buf_addstr(out, r->n == 1 ? "The finding</h2>\n" : "Each finding</h2>\n");
	for (size_t i = 0; i < r->n; i++) {
		const struct explanation *x = &r->v[i];
		if (x->test_code && (!i || !r->v[i - 1].test_code))
			buf_addstr(out,
			           "</section>\n<section aria-labelledby=\"tests\"><h2 id=\"tests\">In the tests' own "
			           "code</h2>\n");
		html_finding(out, r, x, r->n <= OPEN_MAX && !x->test_code && x->finding.level != LEVEL_WARNING);
	}
	buf_addstr(out, "</section>\n");
}

// --- the page -------------------------------------------------------------------------------------

static void limits(struct buf *out, const struct report *r)
{
	struct strv v = {0};
	report_limits(r, &v);
	buf_addstr(out, "<section aria-labelledby=\"limits\"><h2 id=\"limits\">What was not analysed</h2>\n");
	if (r->before && r->seeds_run < r->seeds)
		strv_pushf(&v, "coverage before is of %" PRId64 " of %" PRId64 " tests", r->seeds_run, r->seeds);
	size_t unexplained = 0;
	for (size_t i = 0; i < r->n; i++)
		unexplained += r->v[i].why_not != NULL;
	if (unexplained)
		strv_pushf(&v, "%zu finding%s not run again for this page; each says why", unexplained,
		           unexplained == 1 ? " was" : "s were");
	if (!v.n)
		buf_addstr(
			out,
			"<p>All that came up on the paths that were run was analysed. Uninitialised reads, leaks and "
			"data races are not looked for.</p>\n");
	else
		buf_addstr(out, "<ul class=\"limits\">\n");
	for (size_t i = 0; i < v.n; i++) {
		buf_addstr(out, "<li>");
		html_text(out, v.v[i]);
		buf_addstr(out, "</li>\n");
	}
	if (v.n)
		buf_addstr(out, "<li>Uninitialised reads, leaks and data races are not looked for.</li>\n</ul>\n");
	buf_addstr(out, "</section>\n");
	strv_release(&v);
}

// Which programs were tested, or how many.
static char *programs_text(const struct report *r)
{
	enum { NAMED = 3 };
	struct strv programs = {0};
	struct err err;
	int known = replayer_programs(r->store, &programs, NULL, &err);
	struct buf name = {0};
	for (size_t i = 0; known == 0 && i < programs.n && programs.n <= NAMED; i++)
		buf_printf(&name, "%s%s", i ? ", " : "", path_basename(programs.v[i]));
	if (!name.len)
		buf_printf(&name, "%zu programs", programs.n);
	strv_release(&programs);
	return buf_steal(&name);
}

// The project's name is that of its folder; of a single program that was explored, the program's.
static char *subject(const struct report *r)
{
	struct buf root = {0};
	bool known = setting_get(r->store, SETTING_root, &root) && root.len > 1;
	char *name = known ? mem_strdup(path_basename(root.data)) : programs_text(r);
	buf_release(&root);
	return name;
}

// As it was typed, but for quotes.
static void command_line(struct buf *out, const struct report *r)
{
	struct buf words = {0};
	if (setting_get(r->store, SETTING_command_line, &words) && words.len) {
		for (size_t at = 0; at < words.len; at += strnlen(words.data + at, words.len - at) + 1) {
			const char *word = words.data + at;
			if (at)
				buf_addch(out, ' ');
			html_text(out, at ? word : path_basename(word));
		}
	} else {
		buf_clear(&words);
		if (!setting_get(r->store, SETTING_command, &words))
			buf_addstr(&words, "explore");
		buf_addstr(out, "veer ");
		html_bytes(out, words.data, words.len);
	}
	buf_release(&words);
}

static void origin(struct buf *out, const struct report *r)
{
	char *programs = programs_text(r), date[64] = "";
	struct buf version = {0};
	time_t time = (time_t)setting_number(r->store, SETTING_time);
	struct tm t;
	buf_addstr(out, "<p class=\"lead\">What <code>");
	command_line(out, r);
	buf_addstr(out, "</code> found in ");
	html_text(out, programs);
	buf_addstr(out, ", campaign <code>");
	html_text(out, r->folder);
	buf_addstr(out, "</code>");
	if (time && gmtime_r(&time, &t) && strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &t))
		buf_printf(out, ", <time>%s</time>", date);
	if (setting_get(r->store, SETTING_version, &version)) {
		buf_addstr(out, ", veer ");
		html_bytes(out, version.data, version.len);
	}
	buf_addstr(out, ".</p>\n");
	buf_release(&version);
	mem_free(programs);
}

static void head(struct buf *out, const struct report *r)
{
	char *name = subject(r);
	buf_addstr(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	                "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
	                "'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
	                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>veer: ");
	html_text(out, name);
	buf_printf(out, ", %zu finding%s</title>\n<style>\n%s</style></head>\n", r->n, r->n == 1 ? "" : "s", style);
	buf_addstr(out, "<body><a class=\"skip\" href=\"#findings\">To the findings</a>\n<header class=\"top\">"
	                "<p class=\"brand\">veer</p><h1>");
	html_text(out, name);
	buf_addstr(out, "</h1>\n");
	origin(out, r);
	buf_addstr(out, "<nav class=\"parts\" aria-label=\"Parts of this page\"><a href=\"#summary\">Summary</a> "
	                "<a href=\"#findings\">Findings</a> <a href=\"#sources\">Sources</a> "
	                "<a href=\"#limits\">What was not analysed</a></nav></header>\n<main>\n");
	mem_free(name);
}

int report_html(const struct report *r, struct buf *out, struct err *err)
{
	struct covered c = {0};
	(void)err;
	if (r->after)
		covered_make(&c, r->before, r->after);
	head(out, r);
	summary(out, r);
	findings(out, r);
	html_sources(out, r, &c);
	limits(out, r);
	buf_printf(out,
	           "</main>\n<footer><p>Made by veer " CONFIG_VERSION
	           ". This page needs no network.</p></footer>\n<script>\n%s</script>\n</body></html>\n",
	           script);
	covered_release(&c);
	return 0;
}
