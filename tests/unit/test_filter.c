#include "findings/filter.h"

#include "abi/site.h"
#include "test.h"

static struct err err;

static struct filter parse(const char *include, const char *exclude, const char *checks)
{
	struct filter f;
	CHECK_THAT(filter_parse(&f, include, exclude, checks, &err) == 0, "%s", err.text);
	return f;
}

static void paths(void)
{
	static const struct {
		const char *glob, *path;
		bool matches;
	} cases[] = {
		{"parse.c", "/home/me/src/parse.c", true},
		{"parse.c", "parse.c", true},
		{"parse.c", "/home/me/src/reparse.c", false},
		{"parse.c", "/home/parse.c/x.c", false},
		{"src/parse.c", "/home/me/src/parse.c", true},
		{"rc/parse.c", "/home/me/src/parse.c", false},
		{"/home/*", "/home/me/src/parse.c", true},
		{"/src/*", "/home/me/src/parse.c", false},
		{"src/*.c", "/home/me/src/deep/parse.c", true},
		{"*/lib/*", "/home/me/lib/x.c", true},
		{"lib/*", "/home/me/lib/x.c", true},
		{"pars?.c", "/home/me/src/parse.c", true},
		{"pars[a-f].c", "/home/me/src/parse.c", true},
		{"pars[!a-f].c", "/home/me/src/parse.c", false},
		{"a\\*b.c", "/src/a*b.c", true},
		{"a\\*b.c", "/src/axb.c", false},
		{"", "/src/a.c", false},
		{"*", "?", true},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		CHECK_THAT(glob_path(cases[i].glob, cases[i].path) == cases[i].matches, "%s %s", cases[i].glob,
		           cases[i].path);
}

static void everything(void)
{
	struct filter f = parse(NULL, NULL, NULL);
	struct buf text = {0};
	CHECK(filter_wants_all(&f));
	CHECK(!filter_leaves_out(&f, "/bin/x"));
	CHECK(filter_wants_place(&f, "/bin/x", "a.c", "f"));
	for (uint32_t kind = 0; kind < 300; kind++)
		CHECK(filter_wants_check(&f, kind));
	CHECK(filter_wants_kind(&f, "shift") && filter_wants_kind(&f, "heap-buffer-overflow"));
	filter_text(&f, &text);
	CHECK_INT(0, text.len);
	filter_release(&f);
}

// Every kind of abi/checks.def has a word, and that selects it alone.
static void own_checks(void)
{
	static const struct {
		uint32_t number;
		const char *id;
	} kinds[] = {
#define CHECK_KIND(number, NAME, id, text) {number, id},
#include "abi/checks.def"
	};
	struct filter bounds = parse(NULL, NULL, "bounds"), memory = parse(NULL, NULL, "memory"),
		      undefined = parse(NULL, NULL, "undefined");
	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct filter f = parse(NULL, NULL, kinds[i].id);
		for (size_t k = 0; k < COUNT(kinds); k++)
			CHECK_THAT(filter_wants_check(&f, kinds[k].number) == (i == k), "%s: %s", kinds[i].id,
			           kinds[k].id);
		CHECK(!filter_wants_check(&f, UBSAN_BOUNDS) && !filter_wants_kind(&f, "shift"));
		CHECK(filter_wants_check(&bounds, kinds[i].number) && filter_wants_check(&memory, kinds[i].number));
		CHECK(!filter_wants_check(&undefined, kinds[i].number));
		struct buf text = {0};
		filter_text(&f, &text);
		CHECK(!strstr(text.data, test_printf("no checks of %s\n", kinds[i].id)));
		CHECK(!strstr(text.data, "no checks of accesses"));
		buf_release(&text);
		filter_release(&f);
	}
	struct buf text = {0};
	filter_text(&undefined, &text);
	CHECK_STR("no checks of accesses\n", text.data);
	buf_release(&text);
}

static void programs(void)
{
	struct filter f = parse("sort,program:c*", "program:cut", NULL);
	filter_know_program(&f, "/bin/sort");
	filter_know_program(&f, "/bin/cat");
	CHECK(!filter_leaves_out(&f, "/bin/sort") && !filter_leaves_out(&f, "/bin/cat"));
	CHECK_STR("its program is left out by --exclude", filter_leaves_out(&f, "/bin/cut"));
	CHECK_STR("its program is not in --include", filter_leaves_out(&f, "/bin/tail"));
	CHECK(filter_wants_place(&f, "/bin/sort", "/src/lib/quote.c", "quote"));
	CHECK(!filter_wants_place(&f, "/bin/tail", "/src/lib/quote.c", "quote"));
	filter_release(&f);
}

// A bare name that is no program's is a file's: then any program may have it.
static void bare_names(void)
{
	struct filter f = parse("parse.c", NULL, NULL);
	filter_know_program(&f, "/bin/sort");
	CHECK(!filter_leaves_out(&f, "/bin/sort"));
	CHECK(filter_wants_place(&f, "/bin/sort", "/src/parse.c", "f"));
	CHECK(!filter_wants_place(&f, "/bin/sort", "/src/main.c", "f"));
	filter_release(&f);
	f = parse("sort", NULL, NULL);
	filter_know_program(&f, "/bin/sort");
	filter_know_program(&f, "/bin/cut");
	CHECK(!filter_leaves_out(&f, "/bin/sort") && filter_leaves_out(&f, "/bin/cut"));
	filter_release(&f);
	f = parse("sort,file:lib/*", NULL, NULL); // all of sort, and files that others may have, too
	filter_know_program(&f, "/bin/sort");
	CHECK(!filter_leaves_out(&f, "/bin/cut"));
	CHECK(filter_wants_place(&f, "/bin/cut", "/src/lib/quote.c", "f"));
	CHECK(!filter_wants_place(&f, "/bin/cut", "/src/cut.c", "f"));
	CHECK(filter_wants_place(&f, "/bin/sort", "/src/sort.c", "f"));
	filter_release(&f);
	f = parse(NULL, "test*", NULL);
	CHECK(filter_leaves_out(&f, "/bin/test-all") && !filter_leaves_out(&f, "/bin/sort"));
	CHECK(!filter_wants_place(&f, "/bin/sort", "/src/tests.c", "f"));
	CHECK(filter_wants_place(&f, "/bin/sort", "/src/sort.c", "test"));
	filter_release(&f);
}

static void functions(void)
{
	struct filter f = parse("function:parse_*", "function:parse_debug,file:vendor/*", NULL);
	CHECK(!filter_leaves_out(&f, "/bin/x"));
	CHECK(filter_wants_place(&f, "/bin/x", "/src/a.c", "parse_line"));
	CHECK(!filter_wants_place(&f, "/bin/x", "/src/a.c", "parse_debug"));
	CHECK(!filter_wants_place(&f, "/bin/x", "/src/vendor/a.c", "parse_line"));
	CHECK(!filter_wants_place(&f, "/bin/x", "/src/a.c", "main"));
	CHECK(!filter_wants_place(&f, "/bin/x", "parse_x", "main")); // no file
	filter_release(&f);
}

static void kinds(void)
{
	struct filter f = parse(NULL, NULL, "division,signed-integer-overflow");
	CHECK(!filter_wants_all(&f));
	CHECK(filter_wants_check(&f, UBSAN_DIVISION) && filter_wants_check(&f, UBSAN_ADD_OVERFLOW));
	CHECK(filter_wants_check(&f, UBSAN_MUL_OVERFLOW) && !filter_wants_check(&f, UBSAN_SHIFT));
	CHECK(!filter_wants_check(&f, SITE_PLACE));
	CHECK(filter_wants_kind(&f, "division-by-zero") && filter_wants_kind(&f, "signed-add-overflow"));
	CHECK(!filter_wants_kind(&f, "shift") && filter_wants_kind(&f, "heap-buffer-overflow"));
	filter_release(&f);
	f = parse(NULL, NULL, "memory");
	CHECK(filter_wants_check(&f, SITE_PLACE) && filter_wants_check(&f, UBSAN_BOUNDS));
	CHECK(!filter_wants_check(&f, UBSAN_ADD_OVERFLOW) && !filter_wants_check(&f, UBSAN_DIVISION));
	filter_release(&f);
	f = parse(NULL, NULL, "undefined");
	CHECK(!filter_wants_check(&f, SITE_PLACE) && filter_wants_check(&f, UBSAN_ADD_OVERFLOW));
	filter_release(&f);
	f = parse(NULL, NULL, "shift,all");
	CHECK(filter_wants_all(&f));
	filter_release(&f);
	f = parse(NULL, NULL, "division-by-zero"); // there is one check for both
	CHECK(filter_wants_check(&f, UBSAN_DIVISION) && !filter_wants_kind(&f, "division-overflow"));
	filter_release(&f);
}

// Those of floats are in no word but their own and `fp`.
static void float_checks(void)
{
	struct filter none = parse(NULL, NULL, NULL), all = parse(NULL, NULL, "all"), fp = parse(NULL, NULL, "fp"),
		      both = parse(NULL, NULL, "all,fp"), one = parse(NULL, NULL, "all,float-nan");
	CHECK(!filter_asks_floats(&none) && !filter_asks_floats(&all) && filter_asks_floats(&fp));
	CHECK(filter_wants_all(&none) && filter_wants_all(&all) && filter_wants_all(&both));
	CHECK(!filter_wants_all(&fp) && !filter_wants_all(&one));
	CHECK(filter_wants_kind(&none, "float-nan")); // of an earlier session that had asked
	CHECK(!filter_wants_kind(&all, "float-nan") && !filter_wants_check(&all, CHECK_FLOAT_NAN));
	CHECK(filter_wants_check(&fp, CHECK_FLOAT_CANCELLATION) && !filter_wants_check(&fp, UBSAN_SHIFT));
	CHECK(filter_wants_check(&one, CHECK_FLOAT_NAN) && filter_wants_check(&one, UBSAN_SHIFT));
	CHECK(!filter_wants_check(&one, CHECK_FLOAT_INFINITY) && !filter_wants_kind(&one, "float-infinity"));
	struct buf text = {0};
	filter_text(&one, &text);
	CHECK_STR("checks of float-nan\n", text.data);
	buf_release(&text);
}

// Whatever a finding, clang or AddressSanitizer calls it.
static void words(void)
{
	static const char *const all[] = {
#define UBSAN_TRAP(number, NAME, id, text) id,
#include "abi/ubsan.def"
#define UBSAN_FLAG(name) name,
#include "abi/ubsan.def"
	};
	for (size_t i = 0; i < COUNT(all); i++) {
		struct filter f = parse(NULL, NULL, all[i]);
		CHECK(!filter_wants_all(&f));
		filter_release(&f);
	}
}

static void texts(void)
{
	struct filter f = parse("a,file:b", "function:c,program:d", "undefined");
	struct buf text = {0};
	filter_text(&f, &text);
	CHECK_STR("include a\ninclude file:b\nexclude function:c\nexclude program:d\nno checks of accesses\n",
	          text.data);
	buf_release(&text);
	filter_release(&f);
}

static void nonsense(void)
{
	static const struct {
		const char *include, *exclude, *checks, *says;
	} cases[] = {
		{"", NULL, NULL, "--include wants names"},
		{"a,,b", NULL, NULL, "--include wants names"},
		{"a,", NULL, NULL, "--include wants names"},
		{NULL, "file:", NULL, "--exclude wants names, with commas between them: 'file:' is none"},
		{NULL, "a,function:,b", NULL, "'function:' is none"},
		{NULL, NULL, "", "there is no kind ''"},
		{NULL, NULL, "division,bound", "there is no kind 'bound'; there are all, memory, undefined, bounds, "},
		{NULL, NULL, "division,", "there is no kind ''"},
		{"a", "b", "nonsense", "misaligned"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct filter f;
		CHECK_INT(-1, filter_parse(&f, cases[i].include, cases[i].exclude, cases[i].checks, &err));
		CHECK_THAT(strstr(err.text, cases[i].says), "%s", err.text);
		CHECK(!strchr(err.text, '\n'));
	}
	struct filter f;
	CHECK_INT(-1, filter_parse(&f, NULL, NULL, "x", &err));
	CHECK(strstr(err.text, "vla-bound") && !strstr(err.text, "division, shift, division"));
}

static const struct test tests[] = {
	TEST(paths), TEST(everything), TEST(own_checks),   TEST(programs), TEST(bare_names), TEST(functions),
	TEST(kinds), TEST(words),      TEST(float_checks), TEST(texts),    TEST(nonsense),
};
TEST_MAIN("filter")
