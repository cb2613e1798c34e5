// A finding in the HTML report.
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "explain/diff.h"
#include "report/html.h"
#include "report/possible.h"
#include "report/source.h"

enum { AROUND = 4, DIFF_ROWS = 60, QUOTE = 80 };

// --- the source -----------------------------------------------------------------------------------

// Below the line, and as far to the right, unless there is little room.
static void begin_note(struct buf *out, size_t indent, bool fails)
{
	buf_printf(out,
	           "<span class=\"row said\" style=\"--in:%zu\"><em class=\"note%s\"><span "
	           "aria-hidden=\"true\">\xe2\x86\xb3 </span>",
	           indent, fails ? " fails" : "");
}

static void end_note(struct buf *out)
{
	buf_addstr(out, "</em></span>\n");
}

static void outcome(struct buf *out, const struct explained_step *s)
{
	html_text(out, s->condition);
	if (s->now) {
		buf_addstr(out, " (");
		html_text(out, s->now);
		buf_addch(out, ')');
	}
}

static void operand(struct buf *out, const struct explanation *x, size_t i)
{
	char *text = report_operand(x, &x->operands[i]);
	html_text(out, text);
	mem_free(text);
}

static void notes(struct buf *out, const struct explanation *x, uint32_t line, const struct buf *text)
{
	const struct explained_step *went = report_step_at(x, line, STEP_WENT);
	size_t indent = text->data ? strspn(text->data, " ") : 0;
	if (went) {
		begin_note(out, indent, false);
		outcome(out, went);
		end_note(out);
	}
	if (!report_step_at(x, line, STEP_FAILS))
		return;
	if (x->verdict) {
		begin_note(out, indent, true);
		html_text(out, x->verdict);
		end_note(out);
	}
	for (size_t i = 0; i < x->n_operands; i++) {
		begin_note(out, indent, true);
		operand(out, x, i);
		end_note(out);
	}
	if (x->condition) {
		begin_note(out, indent, true);
		buf_addstr(out, "must hold, and does not: ");
		html_text(out, x->condition);
		end_note(out);
	}
}

static void excerpt(struct buf *out, const struct explanation *x)
{
	const struct stored_finding *f = &x->finding;
	struct source s;
	struct buf text = {0};
	source_read(&s, f->file);
	if (!s.n || f->line > s.n) {
		buf_addstr(out, "<p class=\"muted\">The source is not here.</p>\n");
		source_release(&s);
		return;
	}
	buf_addstr(out, "<div class=\"box\" tabindex=\"0\" role=\"group\" aria-label=\"Source\">");
	for (uint32_t line = f->line > AROUND ? f->line - AROUND : 1; line <= f->line + AROUND && line <= s.n; line++) {
		buf_clear(&text);
		source_line(&s, line, &text);
		buf_printf(out, "<span class=\"row%s\"><span class=\"no\">%" PRIu32 "</span>",
		           line == f->line ? " here" : "", line);
		html_bytes(out, text.data, text.len);
		buf_addstr(out, line == f->line ? "<span class=\"sr\"> (this is where it fails)</span></span>\n"
		                                : "</span>\n");
		notes(out, x, line, &text);
	}
	buf_addstr(out, "</div>\n");
	buf_release(&text);
	source_release(&s);
}

struct frames {
	struct buf *out;
	const struct report *report;
	size_t n;
};

static void frame(void *opaque, const char *function, const char *file, uint32_t line)
{
	struct frames *f = opaque;
	buf_addstr(f->out, f->n++ ? ", called from <code>" : "In <code>");
	html_text(f->out, function);
	buf_addstr(f->out, "</code> <span class=\"place\">");
	html_file(f->out, f->report, file);
	buf_printf(f->out, ":%" PRIu32 "</span>", line);
}

static void where(struct buf *out, const struct report *r, const struct explanation *x)
{
	struct frames f = {.out = out, .report = r};
	buf_addstr(out, "<div><h4>Where</h4>\n<p>");
	report_each_frame(x->finding.stack, frame, &f);
	buf_addstr(out, "</p>\n");
	excerpt(out, x);
	buf_addstr(out, "</div>\n");
}

// --- the input ------------------------------------------------------------------------------------

enum look { LOOK_PLAIN, LOOK_WAS, LOOK_NOW, LOOK_CARE, LOOK_ANY };

static enum look look_of(const struct diff_row *row, size_t i)
{
	if (row->changed && row->changed[i])
		return row->sign == DIFF_WAS ? LOOK_WAS : LOOK_NOW;
	if (!row->marks || row->marks[i] == BYTE_UNKNOWN)
		return LOOK_PLAIN;
	return row->marks[i] == BYTE_RELEVANT ? LOOK_CARE : LOOK_ANY;
}

static void show_byte(struct buf *out, uint8_t byte, bool text)
{
	struct buf shown = {0};
	if (text)
		diff_spell(&shown, byte);
	else
		buf_printf(&shown, "%02x ", byte);
	html_bytes(out, shown.data, shown.len);
	buf_release(&shown);
}

// What a row of sixteen bytes is as text, behind it.
static void show_letters(struct buf *out, const struct diff_row *row)
{
	for (size_t i = row->n; i < DIFF_HEX; i++)
		buf_addstr(out, "   ");
	buf_addstr(out, "<span class=\"letters\" aria-hidden=\"true\"> ");
	for (size_t i = 0; i < row->n; i++) {
		bool prints = row->bytes[i] >= ' ' && row->bytes[i] <= '~';
		html_bytes(out, prints ? (const void *)&row->bytes[i] : ".", 1);
	}
	buf_addstr(out, "</span>");
}

static void diff_row(struct buf *out, const struct diff_row *row, bool text)
{
	static const char *const opens[] = {"", "<del class=\"byte\">", "<ins class=\"byte\">", "<span class=\"care\">",
	                                    "<span class=\"any\">"};
	static const char *const closes[] = {"", "</del>", "</ins>", "</span>", "</span>"};
	static const char *const rows[] = {"", " was", " now"};
	static const char *const said[] = {"", "was: ", "now: "};
	buf_printf(
		out,
		"<span class=\"row%s\"><span class=\"sr\">%s</span><span class=\"mark\" aria-hidden=\"true\">%c</span>",
		rows[row->sign], said[row->sign], " -+"[row->sign]);
	if (!text)
		buf_printf(out, "<span class=\"no at\">%06zx</span>", row->offset);
	for (size_t i = 0; i < row->n;) {
		enum look look = look_of(row, i);
		buf_addstr(out, opens[look]);
		for (; i < row->n && look_of(row, i) == look; i++)
			show_byte(out, row->bytes[i], text);
		buf_addstr(out, closes[look]);
	}
	if (!text)
		show_letters(out, row);
	buf_addstr(out, "</span>\n");
}

static void part(struct buf *out, const struct explanation *x, const struct explained_part *p)
{
	struct diff d;
	size_t size = p->now ? p->now->data.len : 0, relevant = 0;
	for (size_t i = 0; p->marks && i < size; i++)
		relevant += p->marks[i] == BYTE_RELEVANT;
	bool idle = p->now && p->was && !p->changed && !relevant;
	if (idle && !size)
		return; // nothing, as ever
	buf_addstr(out, "<p class=\"partname\"><strong>");
	html_text(out, p->name);
	buf_addstr(out, "</strong> <span class=\"muted\">");
	if (p->now)
		buf_printf(out, "%zu byte%s", size, size == 1 ? "" : "s");
	else
		buf_addstr(out, "not there any more");
	if (p->now && x->has_seed && p->was)
		explain_change(out, p);
	else if (p->now && x->has_seed)
		buf_addstr(out, ", new");
	if (p->marks)
		buf_printf(out, "; %zu relevant", relevant);
	buf_addstr(out, "</span></p>\n");
	if (idle && p->marks)
		return;
	diff_make(&d, p, x->has_seed, DIFF_ROWS);
	if (d.n)
		buf_addstr(out, "<div class=\"box\" tabindex=\"0\" role=\"group\" aria-label=\"Bytes\">");
	for (size_t i = 0; i < d.n; i++) {
		if (d.v[i].sign != DIFF_GAP) {
			diff_row(out, &d.v[i], d.text);
			continue;
		}
		buf_printf(out, "<span class=\"row gap\">&hellip; %zu byte%s", d.v[i].skipped,
		           d.v[i].skipped == 1 ? "" : "s");
		if (d.v[i].relevant)
			buf_printf(out, ", of which %zu relevant", d.v[i].relevant);
		buf_addstr(out, "</span>\n");
	}
	if (d.n)
		buf_addstr(out, "</div>\n");
	diff_release(&d);
}

static void input(struct buf *out, const struct explanation *x)
{
	bool marks = false;
	buf_printf(out, "<div><h4>%s</h4>\n", explain_input(x));
	if (!x->has_input)
		buf_addstr(out, "<p class=\"muted\">Its bytes are not in the campaign any more.</p>\n");
	for (size_t i = 0; i < x->n_parts; i++) {
		const struct explained_part *p = &x->parts[i];
		bool name = p->now && p->now == input_argument(&x->input, 0);
		if (!name || p->changed)
			part(out, x, p);
		marks |= p->marks != NULL;
	}
	if (marks)
		buf_addstr(out, "<p class=\"legend\"><ins class=\"byte\">changed</ins> <span "
		                "class=\"care\">relevant</span> <span "
		                "class=\"any\">don't care</span></p>\n");
	buf_addstr(out, "</div>\n");
}

// --- the condition, the path ----------------------------------------------------------------------

static void value(struct buf *out, const struct explained_value *v)
{
	buf_addstr(out, "<dt>");
	html_text(out, v->name);
	buf_addstr(out, "</dt><dd><code>");
	html_text(out, v->now);
	buf_addstr(out, "</code>");
	if (v->was && !v->same) {
		buf_addstr(out, " <span class=\"muted\">in the test:</span> <code>");
		html_text(out, v->was);
		buf_addstr(out, "</code>");
	}
	buf_addstr(out, "</dd>\n");
}

static void condition(struct buf *out, const struct explanation *x)
{
	buf_addstr(out, "<div><h4>The condition that failed</h4>\n");
	if (x->condition) {
		buf_addstr(out, "<p class=\"condition\">");
		html_text(out, x->condition);
		buf_addstr(out, "</p>\n");
	} else {
		buf_addstr(out, x->depends ? "<p>None is known, but "
		                           : "<p>None on the input: it is the path that leads to it");
		if (x->depends)
			html_text(out, x->depends);
		buf_addstr(out, ".</p>\n");
	}
	bool shown = report_fails_in_source(x);
	if (!shown && x->verdict) {
		buf_addstr(out, "<p>");
		html_text(out, x->verdict);
		buf_addstr(out, ".</p>\n");
	}
	for (size_t i = 0; i < x->n_operands && !shown; i++) {
		buf_addstr(out, "<p><code>");
		operand(out, x, i);
		buf_addstr(out, "</code></p>\n");
	}
	if (x->n_values || x->object)
		buf_addstr(out, "<dl class=\"values\">");
	for (size_t i = 0; i < x->n_values; i++)
		value(out, &x->values[i]);
	if (x->object) {
		buf_addstr(out, "<dt class=\"word\">object</dt><dd>");
		html_text(out, x->object);
		buf_addstr(out, "</dd>\n");
	}
	buf_addstr(out, x->n_values || x->object ? "</dl></div>\n" : "</div>\n");
}

// A line, and all that happens there in a row.
static void place(struct buf *out, struct source_at_hand *at_hand, const struct explanation *x,
                  const struct explained_step *s)
{
	struct buf line = {0};
	buf_addstr(out, "<li><span class=\"place\">");
	html_text(out, s->name);
	buf_printf(out, ":%" PRIu32 "</span> <code class=\"quote\">", s->line);
	source_quote(at_hand, s->file, x->finding.file, s->line, QUOTE, &line);
	html_bytes(out, line.data, line.len);
	buf_addstr(out, "</code>");
	buf_release(&line);
}

static void step(struct buf *out, const struct explained_step *s)
{
	buf_addstr(out,
	           s->kind == STEP_FAILS ? "<span class=\"went fails\">fails: <code>" : "<span class=\"went\"><code>");
	outcome(out, s);
	buf_addstr(out, "</code>");
	if (s->times > 1)
		buf_printf(out, " <span class=\"muted\">(%" PRIu32 " times)</span>", s->times);
	if (s->again)
		buf_printf(out, " <span class=\"muted\">(these %" PRIu32 " steps %" PRIu32 " more time%s)</span>",
		           s->period, s->again, s->again == 1 ? "" : "s");
	buf_addstr(out, "</span>\n");
}

static void path(struct buf *out, const struct explanation *x)
{
	struct source_at_hand at_hand = {0};
	buf_printf(out, "<div><h4>%s</h4>\n",
	           x->diverges ? "The path, from where it leaves the test's"
	                       : "The path: the same as the test's; its end");
	if (x->n_steps)
		buf_addstr(out, "<ol class=\"path\">\n");
	for (size_t i = 0; i < x->n_steps; i++) {
		bool gap = x->steps_left_out && i == x->steps_gap;
		if (gap)
			buf_printf(out, "%s<li class=\"muted gap\">%zu more</li>\n", i ? "</li>\n" : "",
			           x->steps_left_out);
		const struct explained_step *s = &x->steps[i], *before = i && !gap ? s - 1 : NULL;
		if (!before || before->line != s->line || strcmp(before->file, s->file) != 0) {
			buf_addstr(out, before ? "</li>\n" : "");
			place(out, &at_hand, x, s);
		}
		step(out, s);
	}
	buf_addstr(out,
	           x->n_steps ? "</li></ol>\n" : "<p class=\"muted\">No decision on it depends on the input.</p>\n");
	if (x->steps_implied)
		buf_printf(out, "<p class=\"muted\">%zu more, which follow%s from others.</p>\n", x->steps_implied,
		           x->steps_implied == 1 ? "s" : "");
	buf_addstr(out, "</div>\n");
	source_at_hand_release(&at_hand);
}

static void origin(struct buf *out, const struct report *r, const struct explanation *x)
{
	char *words = explain_origin(x);
	buf_addstr(out, "<div><h4>How it was found</h4>\n<p>");
	*words = 'F'; // a sentence
	html_text(out, words);
	buf_addstr(out, ".</p>\n");
	mem_free(words);
	if (x->why_not) {
		buf_addstr(out, "<p class=\"muted\">Condition, path and relevant bytes are not known: ");
		html_text(out, x->why_not);
		buf_addstr(out, "</p>\n");
	}
	bool usual = strcmp(r->folder, "veer-out") == 0;
	buf_addstr(out, "</div><div><h4>Again</h4>\n<pre class=\"command\" tabindex=\"0\">veer replay ");
	if (!usual) {
		buf_addstr(out, "-o ");
		html_text(out, r->folder);
		buf_addch(out, ' ');
	}
	buf_printf(out, "%s\n", x->id);
	html_text(out, r->folder);
	buf_printf(out, "/findings/%s/reproduce.sh</pre></div>\n", x->id);
}

// What was reported, for those who want it all.
static void said(struct buf *out, const struct explanation *x)
{
	if (!*x->finding.report)
		return;
	buf_addstr(out, "<details class=\"said\"><summary>What the sanitizer reported</summary>\n<div class=\"box\" "
	                "tabindex=\"0\" role=\"group\" aria-label=\"Report of the sanitizer\">");
	for (const char *p = x->finding.report; *p;) {
		size_t n = strcspn(p, "\n");
		buf_addstr(out, "<span class=\"row\">");
		html_bytes(out, p, n);
		buf_addstr(out, "</span>\n");
		p += n + (p[n] == '\n');
	}
	buf_addstr(out, "</div></details>\n");
}

static void lines(struct buf *out, const char *title, const struct strv *v)
{
	buf_printf(out, "<div><h4>%s</h4>\n<ul>\n", title);
	for (size_t i = 0; i < v->n; i++) {
		buf_addstr(out, "<li>");
		html_text(out, v->v[i]);
		buf_addstr(out, "</li>\n");
	}
	buf_addstr(out, "</ul></div>\n");
}

static void possible(struct buf *out, const struct explanation *x)
{
	struct possible_words w;
	possible_words(x, &w);
	if (w.needs.n) {
		lines(out, "What it needs", &w.needs);
		lines(out, "Who calls the function", &w.chains);
		lines(out, "Whole runs", &w.lifted);
	}
	possible_words_release(&w);
}

void html_finding(struct buf *out, const struct report *r, const struct explanation *x, bool open)
{
	const struct stored_finding *f = &x->finding;
	const char *level = level_name(f->level);
	buf_printf(out, "<details class=\"finding\" id=\"%s\"%s><summary><h3>%s <span class=\"badge %s\">%s</span> ",
	           x->id, open ? " open" : "", x->id, level, level);
	html_text(out, f->kind);
	buf_addstr(out, "</h3></summary>\n<div class=\"body\"><p class=\"sentence\">");
	html_text(out, x->sentence);
	for (size_t i = 0; i < x->also.n; i++)
		buf_printf(out, "%s%s", i ? ", " : " The same bug, found in other ways: ", x->also.v[i]);
	buf_addstr(out, "</p>\n<p class=\"muted\">");
	html_text(out, explain_kind(f->kind).what);
	buf_addch(out, ' ');
	html_text(out, explain_kind(f->kind).help);
	buf_addstr(out, "</p>\n");
	possible(out, x);
	where(out, r, x);
	input(out, x);
	if (!x->why_not) {
		condition(out, x);
		path(out, x);
	}
	origin(out, r, x);
	said(out, x);
	buf_addstr(out, "</div></details>\n");
}
