// JUnit XML: a suite per program, a case per finding; errors fail; warnings, and what is in the tests' own code, are
// shown as skipped, which fails no build.
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "report/markup.h"
#include "report/report.h"
#include "report/source.h"

// Any bytes as text of an element or attribute; lines stay lines.
static void xml(struct buf *out, const char *text)
{
	struct buf clean = {0};
	for (const char *p = text; *p; p += *p == '\n') {
		size_t n = strcspn(p, "\n");
		utf8_clean(&clean, p, n);
		p += n;
		if (*p)
			buf_addch(&clean, '\n');
	}
	markup_escape(out, &clean);
	buf_release(&clean);
}

static bool fails(const struct explanation *x)
{
	return x->finding.level > LEVEL_WARNING && !x->test_code;
}

static void add_case(struct buf *out, const struct report *r, const struct explanation *x)
{
	const struct stored_finding *f = &x->finding;
	const char *element = fails(x) ? "failure" : "skipped";
	buf_addstr(out, "    <testcase classname=\"");
	xml(out, path_basename(f->program));
	buf_printf(out, "\" name=\"%s ", x->id);
	xml(out, f->kind);
	buf_addstr(out, " at ");
	char *file = source_relative(r->root, f->file);
	xml(out, file);
	mem_free(file);
	buf_printf(out, ":%" PRIu32 " in ", f->line);
	xml(out, f->function);
	buf_printf(out, "\" time=\"0\">\n      <%s message=\"", element);
	xml(out, x->sentence);
	if (fails(x)) {
		buf_addstr(out, "\" type=\"");
		xml(out, f->kind);
	}
	buf_addstr(out, "\">");
	xml(out, f->stack);
	xml(out, r->folder);
	buf_printf(out, "/findings/%s/reproduce.sh</%s>\n    </testcase>\n", x->id, element);
}

static void add_suite(struct buf *out, const struct report *r, const char *program)
{
	size_t n = 0, failures = 0;
	for (size_t i = 0; i < r->n; i++) {
		bool mine = strcmp(r->v[i].finding.program, program) == 0;
		n += mine;
		failures += mine && fails(&r->v[i]);
	}
	buf_addstr(out, "  <testsuite name=\"");
	xml(out, program);
	buf_printf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" time=\"0\">\n", n ? n : 1,
	           failures, n - failures);
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->v[i].finding.program, program) == 0)
			add_case(out, r, &r->v[i]);
	if (!n) {
		buf_addstr(out, "    <testcase classname=\"");
		xml(out, path_basename(program));
		buf_addstr(out, "\" name=\"nothing was found\" time=\"0\"/>\n");
	}
	buf_addstr(out, "  </testsuite>\n");
}

int report_junit(const struct report *r, struct buf *out, struct err *err)
{
	struct strv programs = {0};
	size_t failures = 0;
	if (replayer_programs(r->store, &programs, NULL, err) < 0)
		return -1;
	for (size_t i = 0; i < r->n; i++) {
		strv_push_once(&programs, r->v[i].finding.program);
		failures += fails(&r->v[i]);
	}
	size_t tests = r->n;
	for (size_t i = 0; i < programs.n; i++) {
		bool any = false;
		for (size_t k = 0; k < r->n; k++)
			any |= strcmp(r->v[k].finding.program, programs.v[i]) == 0;
		tests += !any;
	}
	buf_printf(out,
	           "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	           "<testsuites name=\"veer\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" time=\"0\">\n",
	           tests, failures);
	for (size_t i = 0; i < programs.n; i++)
		add_suite(out, r, programs.v[i]);
	buf_addstr(out, "</testsuites>\n");
	strv_release(&programs);
	return 0;
}
