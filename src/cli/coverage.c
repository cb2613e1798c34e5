// veer coverage: which lines of the program the inputs of a campaign covered.
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "cli/options.h"
#include "coverage/cover.h"
#include "coverage/segments.h"
#include "execute/server.h"
#include "explore/remaining.h"
#include "session/covered.h"
#include "session/replayer.h"
#include "session/settings.h"
#include "session/tools.h"
#include "store/store.h"
#include "variants/build.h"

struct coverage_options {
	const char *file, *lcov, *edges;
	bool uncovered, functions, segments;
};

static const struct option_spec options[] = {
	{"file", 0, OPTION_TEXT, offsetof(struct coverage_options, file), "PATTERN",
         "list only source files whose path, or a suffix of it, matches: 'src/*.c'"},
	{"uncovered", 0, OPTION_FLAG, offsetof(struct coverage_options, uncovered), NULL,
         "list the lines that no input covers, too, as FILE:LINE or FILE:FIRST-LAST"},
	{"functions", 0, OPTION_FLAG, offsetof(struct coverage_options, functions), NULL,
         "print a row for each function instead of each file"},
	{"segments", 0, OPTION_FLAG, offsetof(struct coverage_options, segments), NULL,
         "list each segment (path from marker to marker), covered or not, with its lines, too; for campaigns of veer "
         "cover"},
	{"lcov", 0, OPTION_TEXT, offsetof(struct coverage_options, lcov), "PATH",
         "write the coverage to PATH as lcov's .info, for genhtml and the like"},
	{"edges", 0, OPTION_TEXT, offsetof(struct coverage_options, edges), "PATH",
         "write the numbers of covered branch edges to PATH, to compare campaigns of one program"},
};

struct printer {
	const char *pattern;
	struct buf out;
	const struct cover *cover;
	struct cover_totals all; // of what is wanted
	bool segments;           // some are counted
	struct store *store;     // says by which phase each was covered
	// Lines that are not covered, one after the other with no covered one between them.
	const char *file;
	uint32_t first, last;
};

static bool is_wanted(const char *pattern, const char *file)
{
	if (!pattern || fnmatch(pattern, file, 0) == 0)
		return true;
	for (const char *slash = strchr(file, '/'); slash; slash = strchr(slash + 1, '/'))
		if (fnmatch(pattern, slash + 1, 0) == 0)
			return true;
	return false;
}

// --- the table ------------------------------------------------------------------------------------

static void print_row(struct printer *p, const char *name, const struct cover_totals *t)
{
	cover_count_print(&p->out, t->lines);
	cover_count_print(&p->out, t->edges);
	cover_count_print(&p->out, t->functions);
	if (p->segments)
		cover_count_print(&p->out, t->segments);
	buf_addstr(&p->out, "  ");
	utf8_clean(&p->out, name, strlen(name));
	buf_addch(&p->out, '\n');
}

static void add(struct cover_count *to, struct cover_count n)
{
	to->covered += n.covered;
	to->total += n.total;
}

static void print_counted(struct printer *p, const char *name, const struct cover_totals *t)
{
	print_row(p, name, t);
	add(&p->all.lines, t->lines);
	add(&p->all.edges, t->edges);
	add(&p->all.functions, t->functions);
	add(&p->all.segments, t->segments);
}

static void print_file(void *opaque, const char *file, struct cover_totals t)
{
	struct printer *p = opaque;
	if (!is_wanted(p->pattern, file))
		return;
	print_counted(p, file, &t);
}

struct phases_of { // a function, by its name
	struct buf *out;
	const char *file, *name;
	bool any;
};

static void add_phase(struct phases_of *f, const char *word, uint32_t n)
{
	if (n)
		buf_printf(f->out, "%s%s %u", f->any ? ", " : "  ", word, n);
	f->any |= n > 0;
}

static void add_phases_of(void *opaque, const struct covered_function *f)
{
	struct phases_of *of = opaque;
	if (strcmp(f->symbol, of->name) != 0 || strcmp(f->file, of->file) != 0)
		return;
	for (unsigned i = 0; i < PHASES; i++)
		add_phase(of, phase_word((enum phase)i), f->by[i]);
	add_phase(of, remaining_word(REMAINING_SETTLED), f->out_of_reach);
}

// Its segments, by the phase that covered them first.
static void add_phases(struct printer *p, const char *file, const char *name, struct buf *out)
{
	struct phases_of f = {out, file, name, false};
	if (p->segments)
		covered_each(p->store, add_phases_of, &f);
}

static void print_function(void *opaque, const char *file, const char *name, uint32_t line, struct cover_totals t)
{
	struct printer *p = opaque;
	if (!is_wanted(p->pattern, file))
		return;
	char *text = mem_printf("%s:%u %s", file, line, name);
	struct buf row = {0};
	buf_addstr(&row, text);
	add_phases(p, file, name, &row);
	print_counted(p, row.data, &t);
	buf_release(&row);
	mem_free(text);
}

static void print_segment(void *opaque, const struct cover_segment *segment)
{
	struct printer *p = opaque;
	struct buf line = {0};
	unsigned state = p->store ? remaining_stored(p->store, segment) : REMAINING_LEFT;
	if (!is_wanted(p->pattern, segment->file))
		return;
	cover_print_segment(p->cover, segment, &line);
	bool infeasible = !segment->covered && segments_infeasible(segment->all, segment->number);
	if (!infeasible && state != REMAINING_LEFT && !(segment->covered && state == REMAINING_SETTLED))
		buf_printf(&line, " [%s]", remaining_word(state));
	utf8_clean(&p->out, line.data, line.len);
	buf_addch(&p->out, '\n');
	buf_release(&line);
}

// By which phases they were covered first, when the campaign says it.
static void print_phases(struct printer *p, struct store *s, const char *what)
{
	bool any = false;
	for (unsigned i = 0; i < PHASES; i++) {
		const char *word = phase_word((enum phase)i);
		char *name = mem_printf("%s.%s", what, word);
		int64_t n = store_counter(s, name);
		mem_free(name);
		if (n > 0 && !any)
			buf_printf(&p->out, "%s by phase: ", what);
		if (n > 0)
			buf_printf(&p->out, "%s%s %lld", any ? ", " : "", word, (long long)n);
		any |= n > 0;
	}
	if (any)
		buf_addch(&p->out, '\n');
}

// --- lines that are not covered -------------------------------------------------------------------

static void end_lines(struct printer *p)
{
	if (p->file)
		utf8_clean(&p->out, p->file, strlen(p->file));
	if (p->file && p->first == p->last)
		buf_printf(&p->out, ":%u\n", p->first);
	else if (p->file)
		buf_printf(&p->out, ":%u-%u\n", p->first, p->last);
	p->file = NULL;
}

static void print_line(void *opaque, const char *file, uint32_t line, bool covered)
{
	struct printer *p = opaque;
	if (covered || !is_wanted(p->pattern, file) || (p->file && strcmp(p->file, file) != 0))
		end_lines(p);
	if (covered || !is_wanted(p->pattern, file))
		return;
	if (!p->file)
		p->first = line;
	p->file = file;
	p->last = line;
}

// --- lcov -----------------------------------------------------------------------------------------

struct records {
	struct buf out;
	const struct cover *cover;
	const char *pattern, *file;
};

static void add_named(struct buf *out, uint32_t line, const char *name, uint32_t covered)
{
	char *clean = utf8_cleaned(name);
	buf_printf(out, "FN:%u,%s\nFNDA:%u,%s\n", line, clean, covered, clean);
	mem_free(clean);
}

static void add_function(void *opaque, const char *file, const char *name, uint32_t line, struct cover_totals t)
{
	struct records *r = opaque;
	if (strcmp(file, r->file) == 0)
		add_named(&r->out, line, name, t.functions.covered);
}

static void add_line(void *opaque, const char *file, uint32_t line, bool covered)
{
	struct records *r = opaque;
	if (strcmp(file, r->file) == 0)
		buf_printf(&r->out, "DA:%u,%d\n", line, covered);
}

static void add_record(void *opaque, const char *file, struct cover_totals t)
{
	struct records *r = opaque;
	if (!is_wanted(r->pattern, file))
		return;
	r->file = file;
	buf_addstr(&r->out, "TN:\nSF:");
	utf8_clean(&r->out, file, strlen(file));
	buf_addch(&r->out, '\n');
	cover_each_function(r->cover, add_function, r);
	buf_printf(&r->out, "FNF:%u\nFNH:%u\n", t.functions.total, t.functions.covered);
	cover_each_line(r->cover, add_line, r);
	buf_printf(&r->out, "LF:%u\nLH:%u\nend_of_record\n", t.lines.total, t.lines.covered);
}

static int write_lcov(const struct cover *c, const struct coverage_options *o, struct err *err)
{
	struct records r = {.cover = c, .pattern = o->file};
	cover_each_file(c, add_record, &r);
	int result = file_output(o->lcov, buf_str(&r.out), r.out.len, 0666, err);
	buf_release(&r.out);
	return result;
}

static int write_edges(const struct cover *c, const char *path, struct err *err)
{
	struct buf out = {0};
	for (uint32_t i = 0; i < cover_edges(c); i++)
		if (cover_has_edge(c, i))
			buf_printf(&out, "%u\n", i);
	int r = file_output(path, buf_str(&out), out.len, 0666, err);
	buf_release(&out);
	return r;
}

// --- the campaign ---------------------------------------------------------------------------------

static int restore(void *opaque, uint64_t unit, const uint8_t *bytes, size_t n)
{
	cover_restore(opaque, unit, bytes, n);
	return 0;
}

// One that cannot be built any more has no lines; all others have.
static int add_programs(struct cover *c, const struct builder *b, const struct strv *programs,
                        const struct strv *libraries, struct err *err)
{
	size_t added = 0;
	for (size_t i = 0; i < programs->n; i++) {
		const struct server_build how = {.libraries = libraries->v[i],
		                                 .built = cover_add_built,
		                                 .opaque = c,
		                                 .complain = cli_runs_natively};
		added += server_build(b, programs->v[i], &how, err) == 0;
	}
	return added ? 0 : -1;
}

// What can be covered stands in the variants, what is covered in the store.
static int read_cover(struct cover *c, struct store *s, struct err *err)
{
	struct strv programs = {0}, libraries = {0};
	struct session_tools tools = {0};
	int r = replayer_programs(s, &programs, &libraries, err);
	if (r == 0 && !programs.n)
		r = err_set(err, "the campaign does not say what program it is of");
	if (r == 0)
		r = session_tools_find(&tools, err);
	// A campaign that enters fragments counts segments.
	struct builder b = tools.explored;
	b.variant = use_traced(settings_use(s));
	if (r == 0)
		r = add_programs(c, &b, &programs, &libraries, err);
	if (r == 0)
		r = store_each_cover(s, restore, c, err);
	session_tools_release(&tools);
	strv_release(&programs);
	strv_release(&libraries);
	return r;
}

static void print(const struct cover *c, struct store *s, const struct coverage_options *o)
{
	struct printer p = {.pattern = o->file, .cover = c, .store = s, .segments = cover_totals(c).segments.total > 0};
	buf_printf(&p.out, "%20s%20s%20s", "lines", "branches", "functions");
	if (p.segments)
		buf_printf(&p.out, "%20s", "segments");
	buf_addstr(&p.out, o->functions ? "  function\n" : "  file\n");
	if (o->functions)
		cover_each_function(c, print_function, &p);
	else
		cover_each_file(c, print_file, &p);
	print_row(&p, "all", &p.all);
	print_phases(&p, s, "segments");
	print_phases(&p, s, "lines");
	print_phases(&p, s, "branches");
	if (o->segments)
		cover_each_segment(c, print_segment, &p);
	if (o->uncovered) {
		cover_each_line(c, print_line, &p);
		end_lines(&p);
	}
	fwrite(p.out.data, 1, p.out.len, stdout);
	buf_release(&p.out);
}

static int run(int argc, char **argv)
{
	struct coverage_options o = {0};
	struct err err;
	int first = options_parse(&command_coverage, argc, argv, &o, &err);
	if (first == -2)
		return 0;
	if (first < 0)
		return cli_usage_error(&command_coverage, err.text);
	if (argc - first > 1)
		return cli_usage_error(&command_coverage, "coverage wants one campaign");
	struct store *s = store_open_read(first < argc ? argv[first] : "veer-out", &err);
	struct cover *c = cover_new();
	int r = s ? read_cover(c, s, &err) : -1;
	if (r == 0)
		print(c, s, &o);
	if (r == 0 && o.lcov)
		r = write_lcov(c, &o, &err);
	if (r == 0 && o.edges)
		r = write_edges(c, o.edges, &err);
	if (s)
		store_close(s);
	cover_free(c);
	return r < 0 ? cli_fail(err.text) : 0;
}

const struct command command_coverage = {
	.name = "coverage",
	.usage = "[OPTION...] [DIR]",
	.summary = "list lines and branches that a campaign covered",
	.details = "DIR is the directory of a campaign (default veer-out), which may be running. Lines are those that\n"
		   "gcov counts; branches are branch edges.\n",
	.options = options,
	.n_options = OPTIONS_COUNT(options),
	.run = run,
};
