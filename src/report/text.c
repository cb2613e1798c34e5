// Reports for reading, on a terminal or not.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "explain/diff.h"
#include "report/possible.h"
#include "report/report.h"
#include "report/source.h"
#include "session/settings.h"
#include "store/account.h"

enum { DIFF_ROWS = 30, AROUND = 3, QUOTE = 70 };

struct painter {
	struct buf *out;
	const char *root; // names of files are printed relative to it
	bool colour;
	bool marked; // a row had marks: they are explained once
};

static const char *const BOLD = "1", *const DIM = "2", *const RED = "1;31", *const GREEN = "1;32", *const YELLOW = "33";

static void paint(const struct painter *p, const char *code)
{
	if (p->colour)
		buf_printf(p->out, "\033[%sm", code);
}

static void plain(const struct painter *p)
{
	if (p->colour)
		buf_addstr(p->out, "\033[0m");
}

static void heading(const struct painter *p, const char *text)
{
	buf_addch(p->out, '\n');
	paint(p, BOLD);
	buf_addstr(p->out, text);
	plain(p);
	buf_addch(p->out, '\n');
}

static void clean(const struct painter *p, const char *text)
{
	utf8_clean(p->out, text, strlen(text));
}

static void show_file(const struct painter *p, const char *file)
{
	char *name = source_relative(p->root, file);
	clean(p, name);
	mem_free(name);
}

// --- the source -----------------------------------------------------------------------------------

static void begin_note(const struct painter *p, const char *colour, const char *words)
{
	buf_addstr(p->out, "          ");
	paint(p, colour);
	buf_addstr(p->out, words);
}

static void end_note(const struct painter *p)
{
	plain(p);
	buf_addch(p->out, '\n');
}

static void show_operand(const struct painter *p, const struct explanation *x, size_t i)
{
	char *text = report_operand(x, &x->operands[i]);
	clean(p, text);
	mem_free(text);
}

static void show_failure(const struct painter *p, const struct explanation *x)
{
	if (x->verdict) {
		begin_note(p, RED, "! ");
		clean(p, x->verdict);
		end_note(p);
	}
	for (size_t i = 0; i < x->n_operands; i++) {
		begin_note(p, RED, "! ");
		show_operand(p, x, i);
		end_note(p);
	}
	if (x->condition) {
		begin_note(p, RED, "! must hold, and does not: ");
		clean(p, x->condition);
		end_note(p);
	}
}

static void show_outcome(const struct painter *p, const struct explained_step *s)
{
	clean(p, s->condition);
	if (s->now)
		buf_printf(p->out, " (%s)", s->now);
}

// What the run knows of a line: what the condition there was, the last time, and how it fails.
static void show_notes(const struct painter *p, const struct explanation *x, const struct source *source, uint32_t line)
{
	const struct explained_step *went = report_step_at(x, line, STEP_WENT),
				    *fails = report_step_at(x, line, STEP_FAILS);
	if (fails && fails->column)
		buf_printf(p->out, "          %*s^\n", (int)source_column(source, line, fails->column) + 2, "");
	if (went) {
		begin_note(p, YELLOW, "# ");
		show_outcome(p, went);
		end_note(p);
	}
	if (fails)
		show_failure(p, x);
}

static void show_frame(void *opaque, const char *function, const char *file, uint32_t line)
{
	const struct painter *p = opaque;
	buf_addstr(p->out, "    in ");
	clean(p, function);
	buf_addstr(p->out, "  ");
	show_file(p, file);
	buf_printf(p->out, ":%" PRIu32 "\n", line);
}

static void show_source(const struct painter *p, const struct explanation *x)
{
	const struct stored_finding *f = &x->finding;
	struct source s;
	heading(p, "Where");
	report_each_frame(f->stack, show_frame, (void *)p);
	source_read(&s, f->file);
	if (!s.n)
		buf_addstr(p->out, "    (the source is not here)\n");
	for (uint32_t line = f->line > AROUND ? f->line - AROUND : 1; s.n && line <= f->line + AROUND && line <= s.n;
	     line++) {
		bool here = line == f->line;
		paint(p, here ? BOLD : DIM);
		buf_printf(p->out, "  %c %5" PRIu32 " | ", here ? '>' : ' ', line);
		plain(p);
		paint(p, here ? BOLD : "0");
		source_line(&s, line, p->out);
		plain(p);
		buf_addch(p->out, '\n');
		show_notes(p, x, &s, line);
	}
	source_release(&s);
}

// --- the input ------------------------------------------------------------------------------------

static bool is_changed(const struct diff_row *row, size_t i)
{
	return row->changed && row->changed[i];
}

static const char *colour_of(const struct diff_row *row, size_t i)
{
	if (is_changed(row, i))
		return row->sign == DIFF_WAS ? RED : GREEN;
	if (!row->marks || row->marks[i] == BYTE_UNKNOWN)
		return "0";
	return row->marks[i] == BYTE_RELEVANT ? BOLD : DIM;
}

static char mark_of(const struct diff_row *row, size_t i)
{
	if (is_changed(row, i))
		return '^';
	return !row->marks || row->marks[i] == BYTE_UNKNOWN ? ' ' : row->marks[i] == BYTE_RELEVANT ? '*' : '.';
}

// A row, and where there are no colours a second one with marks below it.
static void show_row(struct painter *p, const struct diff_row *row, bool text)
{
	struct buf marks = {0};
	if (!text)
		buf_printf(p->out, "%06zx  ", row->offset);
	for (size_t i = 0; i < row->n; i++) {
		struct buf shown = {0};
		if (text)
			diff_spell(&shown, row->bytes[i]);
		else
			buf_printf(&shown, "%02x ", row->bytes[i]);
		paint(p, colour_of(row, i));
		buf_add(p->out, shown.data, shown.len);
		plain(p);
		buf_addch(&marks, mark_of(row, i));
		for (size_t k = 1; k < shown.len; k++)
			buf_addch(&marks, text ? mark_of(row, i) : ' ');
		buf_release(&shown);
	}
	if (!text) {
		for (size_t i = row->n; i < DIFF_HEX; i++)
			buf_addstr(p->out, "   ");
		buf_addstr(p->out, " |");
		for (size_t i = 0; i < row->n; i++)
			buf_addch(p->out, row->bytes[i] >= ' ' && row->bytes[i] <= '~' ? (char)row->bytes[i] : '.');
		buf_addch(p->out, '|');
	}
	buf_addch(p->out, '\n');
	bool any = false;
	for (size_t i = 0; i < marks.len; i++)
		any |= marks.data[i] != ' ';
	while (marks.len && marks.data[marks.len - 1] == ' ')
		marks.data[--marks.len] = 0;
	if (any && !p->colour && row->sign != DIFF_WAS) {
		buf_printf(p->out, "      %s%s\n", text ? "" : "        ", marks.data);
		p->marked = true;
	}
	buf_release(&marks);
}

// Floats in it, in decimal.
static void show_floats(struct painter *p, const struct explained_part *part)
{
	enum { SHOWN = 16 };
	for (size_t i = 0; part->now && i < part->n_floats && i < SHOWN; i++) {
		const struct explained_float *f = &part->floats[i];
		struct buf now = {0}, was = {0};
		const char *type = explain_float(&now, part->now, f);
		buf_printf(p->out, "    bytes %u to %u, a %s: %s", f->offset, f->offset + f->bytes - 1, type, now.data);
		if (part->was) {
			explain_float(&was, part->was, f);
			if (strcmp(now.data, was.data) != 0)
				buf_printf(p->out, " (%s in the test)", was.data);
		}
		buf_addch(p->out, '\n');
		buf_release(&now);
		buf_release(&was);
	}
}

static void show_part(struct painter *p, const struct explanation *x, const struct explained_part *part)
{
	struct diff d;
	size_t size = part->now ? part->now->data.len : 0, relevant = 0;
	for (size_t i = 0; part->marks && i < size; i++)
		relevant += part->marks[i] == BYTE_RELEVANT;
	bool idle = part->now && x->has_seed && part->was && !part->changed && !relevant;
	if (idle && !size)
		return; // nothing, as ever
	buf_addstr(p->out, "  ");
	clean(p, part->name);
	if (!part->now)
		buf_addstr(p->out, ": is not there any more");
	else
		buf_printf(p->out, ": %zu byte%s", size, size == 1 ? "" : "s");
	if (part->now && x->has_seed && !part->was)
		buf_addstr(p->out, ", is new");
	else if (part->now && x->has_seed)
		explain_change(p->out, part);
	if (part->marks)
		buf_printf(p->out, "; %zu relevant", relevant);
	buf_addch(p->out, '\n');
	if (idle && part->marks)
		return;
	diff_make(&d, part, x->has_seed, DIFF_ROWS);
	for (size_t i = 0; i < d.n; i++) {
		const struct diff_row *row = &d.v[i];
		if (row->sign == DIFF_GAP) {
			if (row->skipped)
				buf_printf(p->out, "      ... %zu byte%s", row->skipped, row->skipped == 1 ? "" : "s");
			if (row->skipped && row->relevant)
				buf_printf(p->out, ", of which %zu relevant", row->relevant);
			buf_addstr(p->out, row->skipped ? "\n" : "");
			continue;
		}
		buf_printf(p->out, "    %c ", " -+"[row->sign]);
		show_row(p, row, d.text);
	}
	show_floats(p, part);
	diff_release(&d);
}

static void show_input(struct painter *p, const struct explanation *x)
{
	heading(p, explain_input(x));
	if (!x->has_input)
		buf_addstr(p->out, "  its bytes are not in the campaign any more\n");
	for (size_t i = 0; i < x->n_parts; i++) {
		const struct explained_part *part = &x->parts[i];
		bool name = part->now && part->now == input_argument(&x->input, 0);
		if (!name || part->changed)
			show_part(p, x, part);
	}
	if (p->marked)
		buf_addstr(p->out, "  (^ changed, * relevant, . don't care)\n");
}

// --- the condition, the path ----------------------------------------------------------------------

static void show_none(const struct painter *p, const struct explanation *x)
{
	buf_addstr(p->out,
	           x->depends ? "  none is known, but " : "  none on the input: it is the path that leads to it");
	if (x->depends)
		clean(p, x->depends);
	buf_addch(p->out, '\n');
}

static void show_condition(const struct painter *p, const struct explanation *x)
{
	if (x->why_not)
		return;
	heading(p, "The condition that failed");
	if (!x->condition)
		show_none(p, x);
	if (x->condition) {
		buf_addstr(p->out, "  ");
		clean(p, x->condition);
		buf_addch(p->out, '\n');
	}
	for (size_t i = 0; i < x->n_values; i++) {
		const struct explained_value *v = &x->values[i];
		buf_addstr(p->out, "    ");
		clean(p, v->name);
		buf_printf(p->out, " = %s", v->now);
		if (v->was && !v->same)
			buf_printf(p->out, "  (in the test: %s)", v->was);
		buf_addch(p->out, '\n');
	}
	bool shown = report_fails_in_source(x);
	for (size_t i = 0; i < x->n_operands && !shown; i++) {
		buf_addstr(p->out, "    ");
		show_operand(p, x, i);
		buf_addch(p->out, '\n');
	}
	const char *const rest[] = {shown ? NULL : x->verdict, x->object};
	for (size_t i = 0; i < 2; i++)
		if (rest[i]) {
			buf_addstr(p->out, i ? "    in the " : "    ");
			clean(p, rest[i]);
			buf_addch(p->out, '\n');
		}
}

static void show_step(const struct painter *p, struct source_at_hand *at_hand, const struct explanation *x,
                      const struct explained_step *s, const struct explained_step *before)
{
	bool same = before && before->line == s->line && strcmp(before->file, s->file) == 0;
	if (!same) {
		buf_addstr(p->out, "  ");
		clean(p, s->name);
		buf_printf(p->out, ":%" PRIu32 " ", s->line);
		clean(p, s->function);
		struct buf line = {0};
		source_quote(at_hand, s->file, x->finding.file, s->line, QUOTE, &line);
		paint(p, DIM);
		if (line.len)
			buf_printf(p->out, ": %s", line.data);
		plain(p);
		buf_addch(p->out, '\n');
		buf_release(&line);
	}
	buf_addstr(p->out, "      ");
	paint(p, s->kind == STEP_FAILS ? RED : YELLOW);
	buf_addstr(p->out, s->kind == STEP_FAILS ? "FAILS: " : "");
	show_outcome(p, s);
	plain(p);
	if (s->times > 1)
		buf_printf(p->out, "  (%" PRIu32 " times)", s->times);
	buf_addch(p->out, '\n');
	if (s->again)
		buf_printf(p->out, "      ... these %" PRIu32 " steps %" PRIu32 " more time%s\n", s->period, s->again,
		           s->again == 1 ? "" : "s");
}

static void show_path(const struct painter *p, const struct explanation *x)
{
	struct source_at_hand at_hand = {0};
	if (x->why_not)
		return;
	heading(p, x->diverges ? "The path, from where it leaves the test's"
	                       : "The path: the same as the test's; its end");
	if (!x->has_seed)
		buf_addstr(p->out, "  (the test is not there to compare with)\n");
	for (size_t i = 0; i < x->n_steps; i++) {
		bool gap = x->steps_left_out && i == x->steps_gap;
		if (gap)
			buf_printf(p->out, "  ... %zu more\n", x->steps_left_out);
		show_step(p, &at_hand, x, &x->steps[i], i && !gap ? &x->steps[i - 1] : NULL);
	}
	if (x->steps_implied)
		buf_printf(p->out, "  (%zu more, which follow%s from others)\n", x->steps_implied,
		           x->steps_implied == 1 ? "s" : "");
	source_at_hand_release(&at_hand);
}

static void show_origin(const struct painter *p, const struct report *r, const struct explanation *x)
{
	char *origin = explain_origin(x);
	heading(p, "How it was found");
	buf_addstr(p->out, "  ");
	clean(p, origin);
	buf_addch(p->out, '\n');
	mem_free(origin);
	if (x->why_not) {
		buf_addstr(p->out, "  no run explains it: ");
		clean(p, x->why_not);
		buf_addch(p->out, '\n');
	}
	heading(p, "Again");
	bool usual = strcmp(r->folder, "veer-out") == 0;
	buf_printf(p->out, "  veer replay %s%s%s", usual ? "" : "-o ", usual ? "" : r->folder, usual ? "" : " ");
	buf_printf(p->out, "%s\n  veer replay --gdb %s%s%s%s\n", x->id, usual ? "" : "-o ", usual ? "" : r->folder,
	           usual ? "" : " ", x->id);
	buf_printf(p->out, "  %s/findings/%s/reproduce.sh\n", r->folder, x->id);
}

static void show_title(const struct painter *p, const struct explanation *x)
{
	const struct stored_finding *f = &x->finding;
	paint(p, BOLD);
	buf_printf(p->out, "%s ", x->id);
	paint(p, f->level == LEVEL_ERROR ? RED : YELLOW);
	buf_addstr(p->out, level_name(f->level));
	plain(p);
	buf_addstr(p->out, ": ");
	clean(p, f->kind);
	buf_addch(p->out, '\n');
	clean(p, x->sentence);
	buf_addch(p->out, '\n');
}

static void show_lines(const struct painter *p, const struct strv *lines)
{
	for (size_t i = 0; i < lines->n; i++) {
		buf_addstr(p->out, "  ");
		clean(p, lines->v[i]);
		buf_addch(p->out, '\n');
	}
}

// Of a possible finding: what it takes, and whether the program comes to that.
static void show_possible(const struct painter *p, const struct explanation *x)
{
	struct possible_words w;
	possible_words(x, &w);
	if (w.needs.n) {
		heading(p, "What it needs");
		show_lines(p, &w.needs);
		heading(p, "Who calls the function");
		show_lines(p, &w.chains);
		heading(p, "Whole runs");
		show_lines(p, &w.lifted);
	}
	possible_words_release(&w);
}

static void show_possible_short(const struct painter *p, const struct explanation *x)
{
	struct possible_words w;
	possible_words(x, &w);
	for (size_t i = 0; i < w.needs.n; i++) {
		buf_addstr(p->out, i ? "  and " : "  needs ");
		clean(p, w.needs.v[i]);
		buf_addch(p->out, '\n');
	}
	show_lines(p, &w.chains);
	show_lines(p, &w.lifted);
	possible_words_release(&w);
}

// Other call paths to the same bug.
static void show_also(const struct painter *p, const struct explanation *x)
{
	for (size_t i = 0; i < x->also.n; i++)
		buf_printf(p->out, "%s%s", i ? ", " : "the same bug, found in other ways: ", x->also.v[i]);
	if (x->also.n)
		buf_addch(p->out, '\n');
}

void text_explanation(struct buf *out, const struct report *r, const struct explanation *x, bool colour)
{
	struct painter p = {.out = out, .root = r->root, .colour = colour};
	show_title(&p, x);
	show_also(&p, x);
	show_possible(&p, x);
	show_source(&p, x);
	show_input(&p, x);
	show_condition(&p, x);
	show_path(&p, x);
	show_origin(&p, r, x);
}

// --- all of it ------------------------------------------------------------------------------------

static size_t count(const struct report *r, enum finding_level level, bool test_code)
{
	size_t n = 0;
	for (size_t i = 0; i < r->n; i++)
		n += r->v[i].finding.level == level && r->v[i].test_code == test_code;
	return n;
}

static void add_counts(struct buf *out, const struct report *r, bool test_code)
{
	size_t errors = count(r, LEVEL_ERROR, test_code), warnings = count(r, LEVEL_WARNING, test_code);
	buf_printf(out, "%zu error%s, %zu warning%s, %zu of resources\n", errors, errors == 1 ? "" : "s", warnings,
	           warnings == 1 ? "" : "s", count(r, LEVEL_RESOURCE, test_code));
}

static void show_short(const struct painter *p, const struct explanation *x)
{
	buf_addch(p->out, '\n');
	show_title(p, x);
	show_file(p, x->finding.file);
	buf_printf(p->out, ":%" PRIu32 "\n", x->finding.line);
	show_possible_short(p, x);
	show_also(p, x);
}

// Warnings are only counted unless they are asked for.
static void show_all(const struct painter *p, const struct report *r, bool test_code)
{
	size_t warnings = count(r, LEVEL_WARNING, test_code);
	for (size_t i = 0; i < r->n; i++) {
		bool warning = r->v[i].finding.level == LEVEL_WARNING;
		if (r->v[i].test_code == test_code && (r->warnings || !warning))
			show_short(p, &r->v[i]);
	}
	if (warnings && !r->warnings)
		buf_printf(p->out, "\n%zu warning%s (--warnings lists %s)\n", warnings, warnings == 1 ? "" : "s",
		           warnings == 1 ? "it" : "them");
}

// Of recorded tests.
static void show_account(const struct report *r, struct buf *out)
{
	struct account a;
	struct err err;
	if (account_read(&a, r->store, &err) == 0 && a.recorded) {
		account_sentence(&a, out);
		buf_addch(out, '\n');
	}
	account_release(&a);
}

int report_text(const struct report *r, struct buf *out, struct err *err)
{
	struct strv limits = {0};
	const struct painter p = {.out = out, .root = r->root};
	bool tests = false;
	(void)err;
	for (size_t i = 0; i < r->n; i++)
		tests |= r->v[i].test_code;
	buf_printf(out, "%s: ", r->folder);
	add_counts(out, r, false);
	buf_printf(out, "%" PRId64 " seeds, %" PRId64 " runs, %" PRId64 " queries; branches: %" PRId64 " of %" PRId64,
	           store_count_inputs(r->store, true), store_counter(r->store, "runs"),
	           store_counter(r->store, "queries"), setting_number(r->store, SETTING_branches_after),
	           setting_number(r->store, SETTING_branches));
	buf_printf(out, " covered, %" PRId64 " before\n", setting_number(r->store, SETTING_branches_before));
	int64_t seconds = setting_number(r->store, SETTING_search_seconds);
	if (store_counter(r->store, "searched"))
		buf_printf(out,
		           "%" PRId64 " of the runs by the search from all tests, %" PRId64 " s; %" PRId64
		           " candidates left\n",
		           store_counter(r->store, "searched"), seconds < 0 ? 0 : seconds,
		           setting_number(r->store, SETTING_search_left));
	show_account(r, out);
	show_all(&p, r, false);
	if (tests) {
		buf_addstr(out, "\nIn the tests' own code: ");
		add_counts(out, r, true);
		show_all(&p, r, true);
	}
	report_limits(r, &limits);
	if (limits.n)
		buf_addstr(out, "\nNot analysed:\n");
	for (size_t i = 0; i < limits.n; i++) {
		buf_addstr(out, "  ");
		clean(&p, limits.v[i]);
		buf_addch(out, '\n');
	}
	strv_release(&limits);
	return 0;
}
