#define _GNU_SOURCE
#include "models.h"

#include <fnmatch.h>
#include <regex.h>

// --- random patterns ---------------------------------------------------------------------------

static char pattern[400];
static char *out;
static bool extended, has_reference;
static unsigned groups;

static void put(const char *s)
{
	if (out + strlen(s) < pattern + sizeof pattern - 1)
		out = stpcpy(out, s);
}

static void an_expression(unsigned depth);

static void an_atom(unsigned depth)
{
	static const char *const atoms[] = {"a", "b",   "a",   "b",   "c",   "_",   "-",
	                                    ".", "\\w", "\\W", "\\s", "\\S", "\\.", "\n"};
	static const char *const brackets[] = {"[ab]",         "[^a]",  "[]a]",         "[^]]", "[a-c]", "[[:alpha:]_]",
	                                       "[[:space:]a]", "[a\\]", "[^[:alnum:]]", "[.]",  "[-a]",  "[b-]"};
	if (depth < 3 && below(5) == 0) {
		put(extended ? "(" : "\\(");
		groups++;
		an_expression(depth + 1);
		put(extended ? ")" : "\\)");
	} else if (below(5) == 0) {
		put(brackets[below(sizeof brackets / sizeof *brackets)]);
	} else {
		put(atoms[below(sizeof atoms / sizeof *atoms)]);
	}
}

static void a_repetition(void)
{
	static const char *const basic[] = {"*",         "\\+",       "\\?",      "\\{2\\}",
	                                    "\\{1,2\\}", "\\{0,1\\}", "\\{2,\\}", "\\{,2\\}"};
	static const char *const other[] = {"*", "+", "?", "{2}", "{1,2}", "{0,1}", "{2,}", "{,2}"};
	put((extended ? other : basic)[below(8)]);
}

static void a_branch(unsigned depth)
{
	static const char *const anchors[] = {"^", "$", "\\<", "\\>", "\\b", "\\B", "\\`", "\\'"};
	for (unsigned n = 1 + below(4); n; n--) {
		if (below(8) == 0) {
			put(anchors[below(8)]);
			continue;
		}
		an_atom(depth);
		if (below(3) == 0)
			a_repetition();
	}
	if (below(12) == 0 && groups && depth == 0) {
		put("\\1");
		has_reference = true;
	}
}

static void an_expression(unsigned depth)
{
	a_branch(depth);
	while (below(4) == 0) {
		put(extended ? "|" : "\\|");
		if (below(8))
			a_branch(depth);
	}
}

static void a_pattern(void)
{
	out = pattern;
	groups = 0;
	has_reference = false;
	extended = below(2);
	an_expression(0);
	*out = 0;
}

static char subject[32];

// --- POSIX ------------------------------------------------------------------------------------------

static unsigned long compiled, with_labels;

static void run_regexec(size_t n)
{
	regex_t real, model;
	regmatch_t expected[4], got[4];
	int flags = (extended ? REG_EXTENDED : 0) | (below(4) ? 0 : REG_ICASE) | (below(3) ? 0 : REG_NEWLINE) |
	            (n ? 0 : REG_NOSUB);
	int run_flags = (below(4) ? 0 : REG_NOTBOL) | (below(4) ? 0 : REG_NOTEOL) | (below(4) ? 0 : REG_STARTEND);
	a_pattern();
	text(subject, below(4) ? 10 : sizeof subject, below(3) ? "aabbc" : "aabBc_- \n.");
	int r = REAL(regcomp)(&real, pattern, flags), s = regcomp(&model, pattern, flags);
	SAME(&r, &s, sizeof r);
	if (r || s)
		return;
	bytes(expected, sizeof expected, "x"); // old labels
	expected[0].rm_eo = (regoff_t)below((unsigned)strlen(subject) + 1);
	expected[0].rm_so = (regoff_t)below((unsigned)expected[0].rm_eo + 1);
	memcpy(got, expected, sizeof got);
	r = REAL(regexec)(&real, subject, n, expected, run_flags);
	s = regexec(&model, subject, n, got, run_flags);
	SAME(&r, &s, sizeof r);
	if (r == 0)
		SAME(expected, got, n * sizeof *got);
	if (!has_reference && veer_is_symbolic && veer_is_symbolic(subject, strlen(subject) + 1)) {
		compiled++;
		with_labels += veer_is_symbolic(&s, sizeof s) != 0;
	}
	REAL(regfree)(&real);
	regfree(&model);
}

static void test_regexec_nosub(void)
{
	run_regexec(0);
}

static void test_regexec(void)
{
	run_regexec(1 + below(4));
}

// --- GNU ----------------------------------------------------------------------------------------------

static void test_re_search(void)
{
	static const reg_syntax_t syntaxes[] = {RE_SYNTAX_POSIX_BASIC, RE_SYNTAX_POSIX_EXTENDED, RE_SYNTAX_GREP,
	                                        RE_SYNTAX_EGREP,       RE_SYNTAX_GNU_AWK,        RE_SYNTAX_EMACS};
	struct re_pattern_buffer real = {0}, model = {0};
	struct re_registers a = {0}, b = {0};
	unsigned which = below(6);
	int length = (int)text(subject, sizeof subject, below(3) ? "aabbc" : "aabBc_- \n.");
	int start = (int)below((unsigned)length + 2), range = below(5) ? length - start : (int)below(10) - 5;
	a_pattern();
	re_set_syntax(syntaxes[which] | (below(4) ? 0 : RE_ICASE));
	bool r = REAL(re_compile_pattern)(pattern, strlen(pattern), &real),
	     s = re_compile_pattern(pattern, strlen(pattern), &model);
	SAME(&r, &s, 1);
	if (!r && !s) {
		real.not_bol = model.not_bol = below(4) == 0;
		int x = REAL(re_search)(&real, subject, length, start, range, &a);
		int y = re_search(&model, subject, length, start, range, &b);
		SAME(&x, &y, sizeof x);
		if (x >= 0) {
			SAME(a.start, b.start, sizeof *a.start * a.num_regs);
			SAME(a.end, b.end, sizeof *a.end * a.num_regs);
		}
		x = REAL(re_match)(&real, subject, length, start, &a);
		y = re_match(&model, subject, length, start, NULL);
		SAME(&x, &y, sizeof x);
	}
	labelled += veer_is_symbolic && veer_is_symbolic(subject, (size_t)length + 1);
	REAL(regfree)(&real);
	regfree(&model);
}

// --- file names ------------------------------------------------------------------------------------------

static void test_fnmatch(void)
{
	static const char *const parts[] = {"a", "b",  "*",     "?",   "[ab]", "[!a]", "[^b]",
	                                    "/", ".",  "[a-c]", "\\a", "\\*",  "[]a]", "[[:alpha:]]",
	                                    "[", "[a", "\\",    "*",   "[!.]", "[./]"};
	out = pattern;
	for (unsigned n = below(6); n; n--)
		put(parts[below(sizeof parts / sizeof *parts)]);
	*out = 0;
	text(subject, 10, below(3) ? "aab./" : "abAB*[]\\./");
	int flags = (below(2) ? 0 : FNM_PATHNAME) | (below(2) ? 0 : FNM_PERIOD) | (below(3) ? 0 : FNM_NOESCAPE) |
	            (below(3) ? 0 : FNM_LEADING_DIR) | (below(3) ? 0 : FNM_CASEFOLD);
	COMPARE(int, fnmatch, pattern, subject, flags);
}

// --- the pattern's labels ------------------------------------------------------------------------------------

static void test_symbolic_pattern(void)
{
	regex_t real, model;
	char p[8];
	text(p, sizeof p, "ab*.[");
	int r = REAL(regcomp)(&real, p, 0), s = regcomp(&model, p, 0);
	SAME(&r, &s, sizeof r);
	if (r || s)
		return;
	r = REAL(regexec)(&real, "abba", 0, NULL, 0), s = regexec(&model, "abba", 0, NULL, 0);
	SAME(&r, &s, sizeof r);
	REAL(regfree)(&real);
	regfree(&model);
}

int main(int argc, char **argv)
{
	start(argc, argv);
	TEST(regexec_nosub);
	if (with_labels * 3 < compiled) { // half of the patterns match anything or nothing
		printf("only %lu of %lu results have labels\n", with_labels, compiled);
		differences++;
	}
	TEST(regexec);
	TEST(re_search);
	TEST(fnmatch);
	TEST_CONCRETE(symbolic_pattern);
	return report();
}
