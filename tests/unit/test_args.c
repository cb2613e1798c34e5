#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "cc/args.h"
#include "config.h"
#include "test.h"

static const struct {
	const char *prefix, *name, *form;
} gcc_only[] = {
#define GCC_ONLY(prefix, name, form) {prefix, name, #form},
#include "cc/gcc_only.def"
#undef GCC_ONLY
};

static const struct {
	const char *spelling, *form;
} options[] = {
#define OPTION(spelling, form, flags) {spelling, #form},
#include "cc/options.def"
#undef OPTION
};

enum { MAX_WORDS = 4096 };

struct words {
	char *v[MAX_WORDS + 1];
	int n;
};

static struct words *new_words(void)
{
	struct words *w = test_alloc(sizeof *w);
	memset(w, 0, sizeof *w);
	w->v[w->n++] = "veer-cc";
	return w;
}

static void add_word(struct words *w, const char *word)
{
	CHECK(w->n < MAX_WORDS);
	w->v[w->n++] = test_printf("%s", word);
}

// Splits at blanks.
static struct words *words_of(const char *line)
{
	struct words *w = new_words();
	char *copy = test_printf("%s", line);
	for (char *save, *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		add_word(w, word);
	return w;
}

static struct cc_args parse_words(const struct words *w)
{
	struct cc_args args;
	struct err err = {""};
	int r = cc_args_parse(&args, w->n, (char **)w->v, &err);
	CHECK_THAT(r == 0, "%s", err.text);
	return args;
}

static struct cc_args parse(const char *line)
{
	return parse_words(words_of(line));
}

static char *joined(const struct strv *words)
{
	char *all = "";
	for (size_t i = 0; i < words->n; i++)
		all = test_printf("%s%s%s", all, i ? " " : "", words->v[i]);
	return all;
}

// The inputs of a line, separated by blanks.
static char *inputs(const struct cc_args *args)
{
	char *all = "";
	for (size_t i = 0; i < args->n; i++)
		if (args->v[i].input)
			all = test_printf("%s%s%s", all, *all ? " " : "", args->v[i].text);
	return all;
}

static const struct cc_arg *find(const struct cc_args *args, const char *text)
{
	for (size_t i = 0; i < args->n; i++)
		if (strcmp(args->v[i].text, text) == 0)
			return &args->v[i];
	test_fail(__FILE__, __LINE__, "no argument %s", text);
}

static void modes(void)
{
	static const struct {
		const char *line;
		enum cc_mode mode;
	} cases[] = {
		{"a.c", CC_LINK},
		{"a.o -o prog", CC_LINK},
		{"-c a.c", CC_OBJECT},
		{"a.c -c", CC_OBJECT},
		{"-c a.c -o a.o -MMD -MF a.d", CC_OBJECT},
		{"-S a.c", CC_OTHER},
		{"-c -S a.c", CC_OTHER},
		{"-S -c a.c", CC_OTHER},
		{"-E a.c", CC_OTHER},
		{"-E -", CC_OTHER},
		{"-c -E a.c", CC_OTHER},
		{"-M a.c", CC_OTHER},
		{"-MM a.c", CC_OTHER},
		{"-MD -c a.c", CC_OBJECT},
		{"-fsyntax-only a.c", CC_OTHER},
		{"-c -emit-llvm a.c", CC_OTHER},
		{"--analyze a.c", CC_OTHER},
		{"-r a.o b.o -o c.o", CC_PARTIAL},
		{"-c -r a.c", CC_OBJECT},
		{"-shared a.o -o a.so", CC_LINK},
		{"-### a.c", CC_OTHER},
		{"-cc1 a.c", CC_OTHER},
		{"--version", CC_OTHER},
		{"-v", CC_OTHER},
		{"-print-prog-name=ld", CC_OTHER},
		{"--print-search-dirs a.c", CC_OTHER},
		{"-dumpmachine", CC_OTHER},
		{"--help", CC_OTHER},
		{"--help=warnings a.c", CC_OTHER},
		{"-O2 -Wall", CC_OTHER}, // no input
		{"-o prog", CC_OTHER},
		{"-lm", CC_OTHER},
		{"", CC_OTHER},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cc_args args = parse(cases[i].line);
		CHECK_THAT(args.mode == cases[i].mode, "%s: %d", cases[i].line, args.mode);
		cc_args_release(&args);
		CHECK(!args.v && !args.n && !args.native.v);
	}
}

static void properties(void)
{
	static const struct {
		const char *line;
		bool shared, is_static, optimize, narrow, strict;
	} cases[] = {
		{"a.c", 0, 0, 0, 0, 0},
		{"-shared a.o", 1, 0, 0, 0, 0},
		{"--shared a.o", 1, 0, 0, 0, 0},
		{"-static a.o", 0, 1, 0, 0, 0},
		{"--static a.o", 0, 1, 0, 0, 0},
		{"-static-pie a.o", 0, 1, 0, 0, 0},
		{"-static-libgcc a.o", 0, 0, 0, 0, 0},
		{"-O0 a.c", 0, 0, 0, 0, 0},
		{"-O a.c", 0, 0, 1, 0, 0},
		{"-O1 a.c", 0, 0, 1, 0, 0},
		{"-O3 a.c", 0, 0, 1, 0, 0},
		{"-Os a.c", 0, 0, 1, 0, 0},
		{"-Og a.c", 0, 0, 1, 0, 0},
		{"-Ofast a.c", 0, 0, 1, 0, 0},
		{"-O2 -O0 a.c", 0, 0, 0, 0, 0}, // the last one counts
		{"-O0 -O2 a.c", 0, 0, 1, 0, 0},
		{"-m32 a.c", 0, 0, 0, 1, 0},
		{"-mx32 a.c", 0, 0, 0, 1, 0},
		{"-m64 a.c", 0, 0, 0, 0, 0},
		{"-m32 -m64 a.c", 0, 0, 0, 0, 0},
		{"-m64 -m32 a.c", 0, 0, 0, 1, 0},
		{"-march=native a.c", 0, 0, 0, 0, 0},
		{"-Werror a.c", 0, 0, 0, 0, 1},
		{"-Werror=unused a.c", 0, 0, 0, 0, 0},
		{"-Werror=unused-command-line-argument a.c", 0, 0, 0, 0, 1},  // would not like a dropped option
		{"-o -O2 -Xlinker -static -Xclang -flto a.c", 0, 0, 0, 0, 0}, // values of others
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cc_args a = parse(cases[i].line);
		bool same = a.shared == cases[i].shared && a.is_static == cases[i].is_static &&
		            a.optimize == cases[i].optimize && a.narrow == cases[i].narrow &&
		            a.strict == cases[i].strict;
		CHECK_THAT(same, "%s", cases[i].line);
		cc_args_release(&a);
	}
}

// Whether signed arithmetic wraps: every mix of the four options, and what clang makes of it.
static void wrapping_as_clang_sees_it(void)
{
	static const char *const spellings[] = {"", "-fwrapv", "-fno-wrapv", "-fstrict-overflow",
	                                        "-fno-strict-overflow"};
	test_write_text(test_path("a.c"), "");
	char *wrong = "";
	for (size_t i = 0; i < COUNT(spellings); i++)
		for (size_t k = 0; k < COUNT(spellings); k++) {
			struct words *w =
				words_of(test_printf("-### %s %s -c %s", spellings[i], spellings[k], test_path("a.c")));
			struct bytes said;
			w->v[0] = CONFIG_CLANG;
			CHECK_INT(0, test_run((const char *const *)w->v, &said));
			struct cc_args a = parse_words(w);
			if (a.wraps != !!strstr((char *)said.data, "\"-fwrapv\""))
				wrong = test_printf("%s (%s %s)", wrong, spellings[i], spellings[k]);
			cc_args_release(&a);
		}
	CHECK_STR("", wrong);
}

static void outputs(void)
{
	static const char *const cases[][2] = {
		{"a.c", NULL},
		{"-c a.c -o x.o", "x.o"},
		{"-ox.o -c a.c", "x.o"},
		{"-c --output=x.o a.c", "x.o"},
		{"-o first -o second a.c", "second"},
		{"-o -fanalyzer a.c", "-fanalyzer"},
		{"-o - a.c", "-"},
		{"-o @x a.c", "@x"}, // no such response file
		{"-MF -o a.c", NULL},
		{"-MF -o -oreal a.c", "real"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cc_args args = parse(cases[i][0]);
		CHECK_STR(cases[i][1], args.output);
		CHECK_STR("a.c", inputs(&args));
		cc_args_release(&args);
	}
	static const char *const bad[] = {"a.c -o", "-o", "a.c --output="};
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct words *w = words_of(bad[i]);
		struct cc_args args = {.n = 77};
		struct err err = {""};
		CHECK_INT(-1, cc_args_parse(&args, w->n, w->v, &err));
		CHECK(strstr(err.text, "-o"));
		CHECK(args.n == 77); // written on success only
	}
}

static void languages_by_suffix(void)
{
	static const struct {
		const char *name;
		enum language language;
	} cases[] = {
		{"a.c", LANG_C},      {"a.i", LANG_C},       {"dir.o/a.c", LANG_C},   {"/x/y.z/a.c", LANG_C},
		{"a.b.c", LANG_C},    {".c", LANG_C},        {"a.s", LANG_ASSEMBLER}, {"a.S", LANG_ASSEMBLER},
		{"a.cc", LANG_OTHER}, {"a.cpp", LANG_OTHER}, {"a.cxx", LANG_OTHER},   {"a.c++", LANG_OTHER},
		{"a.C", LANG_OTHER},  {"a.cp", LANG_OTHER},  {"a.CPP", LANG_OTHER},   {"a.ii", LANG_OTHER},
		{"a.m", LANG_OTHER},  {"a.mm", LANG_OTHER},  {"a.ll", LANG_C},        {"a.bc", LANG_C},
		{"a.o", LANG_NONE},   {"a.a", LANG_NONE},    {"a.so", LANG_NONE},     {"liba.so.1.c.2", LANG_NONE},
		{"a", LANG_NONE},     {"a.c.o", LANG_NONE},  {"dir.c/a", LANG_NONE},  {"a.", LANG_NONE},
		{"a.lo", LANG_NONE},  {"c", LANG_NONE},      {"a.ld", LANG_NONE},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cc_args args = parse(cases[i].name);
		CHECK_THAT(args.v[0].language == cases[i].language, "%s", cases[i].name);
		CHECK(args.v[0].input && !args.v[0].forced && args.mode == CC_LINK);
		CHECK_INT(cases[i].language != LANG_NONE, args.sources);
		cc_args_release(&args);
	}
}

// clang itself is asked what it would do with a file of that name.
static void languages_as_clang_sees_them(void)
{
	static const char *const suffixes[] = {"c",   "i",  "s",   "S",  "sx",  "cc",  "cpp", "cxx", "c++",
	                                       "C",   "cp", "CPP", "CC", "CXX", "C++", "ii",  "m",   "mm",
	                                       "M",   "mi", "mii", "ll", "bc",  "asm", "h",   "hh",  "hpp",
	                                       "hxx", "H",  "o",   "a",  "so",  "lo",  "txt"};
	struct words *w = words_of("-### -c");
	w->v[0] = CONFIG_CLANG;
	for (size_t i = 0; i < COUNT(suffixes); i++) {
		add_word(w, test_path(test_printf("x.%s", suffixes[i])));
		test_write_text(w->v[w->n - 1], "");
	}
	struct bytes said;
	CHECK_INT(0, test_run((const char *const *)w->v, &said));
	char *wrong = "";
	for (size_t i = 0; i < COUNT(suffixes); i++) {
		char *name = w->v[3 + i],
		     *job = strstr((char *)said.data, test_printf("\"-main-file-name\" \"x.%s\"", suffixes[i]));
		enum language expected = LANG_NONE;
		bool header = false;
		if (job) {
			char *line = test_printf("%.*s", (int)strcspn(job, "\n"), job), *x = strstr(line, "\"-x\" \"");
			x = x ? x + 6 : "assembler\""; // the assembler's job names no language
			header = strstr(x, "header\"");
			bool c = strncmp(x, "c\"", 2) == 0 || strncmp(x, "cpp-output\"", 11) == 0 ||
			         strncmp(x, "ir\"", 3) == 0;
			expected = c ? LANG_C : strncmp(x, "assembler", 9) == 0 ? LANG_ASSEMBLER : LANG_OTHER;
		}
		struct cc_args args = parse(name);
		if (header ? args.mode != CC_OTHER : args.v[0].language != expected)
			wrong = test_printf("%s .%s", wrong, suffixes[i]);
		cc_args_release(&args);
	}
	CHECK_STR("", wrong);
}

static void languages_by_option(void)
{
	struct cc_args a =
		parse("a.c -x c b.o - -xassembler-with-cpp c.c -x none d.c e.o -x c++ f.c --language=c g.cc -lm");
	static const struct {
		const char *name, *forced;
		enum language language;
	} cases[] = {
		{"a.c", NULL, LANG_C}, // -x is for what follows
		{"b.o", "c", LANG_C},  {"-", "c", LANG_C},       {"c.c", "assembler-with-cpp", LANG_ASSEMBLER},
		{"d.c", NULL, LANG_C}, {"e.o", NULL, LANG_NONE}, {"f.c", "c++", LANG_OTHER},
		{"g.cc", "c", LANG_C},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct cc_arg *arg = find(&a, cases[i].name);
		CHECK(arg->input);
		CHECK_STR(cases[i].forced, arg->forced);
		CHECK_INT(cases[i].language, arg->language);
	}
	CHECK_STR("a.c b.o - c.c d.c e.o f.c g.cc", inputs(&a));
	CHECK_INT(7, a.sources);
	cc_args_release(&a);

	static const struct {
		const char *x;
		enum language language;
	} names[] = {
		{"c", LANG_C},
		{"cpp-output", LANG_C},
		{"assembler", LANG_ASSEMBLER},
		{"c++", LANG_OTHER},
		{"objective-c", LANG_OTHER},
		{"ir", LANG_C},
		{"c++-cpp-output", LANG_OTHER},
		{"f95", LANG_OTHER},
	};
	for (size_t i = 0; i < COUNT(names); i++) {
		a = parse(test_printf("-c -x %s a.x", names[i].x));
		CHECK_THAT(a.v[2].language == names[i].language && a.mode == CC_OBJECT, "%s", names[i].x);
		cc_args_release(&a);
	}
}

static void headers(void)
{
	static const char *const precompiled[] = {"a.h", "-c a.h",          "a.hh -o a.pch",        "a.hpp",
	                                          "a.H", "-x c-header a.c", "-x c++-header -c a.c", "dir.c/a.h"};
	for (size_t i = 0; i < COUNT(precompiled); i++) {
		struct cc_args a = parse(precompiled[i]);
		CHECK_THAT(a.mode == CC_OTHER, "%s", precompiled[i]);
		cc_args_release(&a);
	}
	static const char *const others[] = {"-c -x c a.h", "-c a.c -include b.h", "-c -I x.h a.c", "-c a.h.c"};
	for (size_t i = 0; i < COUNT(others); i++) {
		struct cc_args a = parse(others[i]);
		CHECK_THAT(a.mode == CC_OBJECT && a.sources == 1, "%s", others[i]);
		cc_args_release(&a);
	}
}

static void values(void)
{
	static const struct {
		const char *line, *text, *value;
		bool separate;
		unsigned flags;
	} cases[] = {
		{"-Dx=1", "-Dx=1", "x=1", false, NO_LINK},
		{"-D x=1", "-D", "x=1", true, NO_LINK},
		{"-I/usr", "-I/usr", "/usr", false, NO_LINK},
		{"-I -", "-I", "-", true, NO_LINK},
		{"-include f.h", "-include", "f.h", true, NO_LINK},
		{"-include-pch f", "-include-pch", "f", true, NO_BITCODE | NO_LINK},
		{"-isystem /x", "-isystem", "/x", true, NO_LINK},
		{"-isystem/x", "-isystem/x", "/x", false, NO_LINK},
		{"-isysroot /x", "-isysroot", "/x", true, 0},
		{"-MF f.d", "-MF", "f.d", true, NO_BITCODE | NO_LINK},
		{"-MFf.d", "-MFf.d", "f.d", false, NO_BITCODE | NO_LINK},
		{"-MMD", "-MMD", NULL, false, NO_BITCODE | NO_LINK},
		{"-Wp,-MD,f.d", "-Wp,-MD,f.d", "D,f.d", false, NO_BITCODE | NO_LINK},
		{"-lm", "-lm", "m", false, NO_BITCODE | LIBRARY},
		{"-l m", "-l", "m", true, NO_BITCODE | LIBRARY},
		{"-L/lib", "-L/lib", "/lib", false, NO_BITCODE | LIBRARY_FOLDER},
		{"-L /lib", "-L", "/lib", true, NO_BITCODE | LIBRARY_FOLDER},
		{"-Wl,-z,now", "-Wl,-z,now", "-z,now", false, NO_BITCODE | LINKER_LIST},
		{"-Xlinker -Map", "-Xlinker", "-Map", true, NO_BITCODE | LINKER_WORD},
		{"-T x.ld", "-T", "x.ld", true, NO_BITCODE | LINKER_SCRIPT},
		{"-Tx.ld", "-Tx.ld", "x.ld", false, NO_BITCODE | LINKER_SCRIPT},
		{"-Ttext=0x1000", "-Ttext=0x1000", "=0x1000", false, NO_BITCODE},
		{"-z now", "-z", "now", true, NO_BITCODE | LINKER_KEYWORD},
		{"-u main", "-u", "main", true, NO_BITCODE},
		{"-undef", "-undef", NULL, false, NO_LINK},
		{"-Xclang -c", "-Xclang", "-c", true, NO_LINK},
		{"-mllvm -x", "-mllvm", "-x", true, NO_BITCODE | NO_LINK},
		{"--param x=1", "--param", "x=1", true, NO_LINK},
		{"--param=x=1", "--param=x=1", "x=1", false, NO_LINK},
		{"-target x86_64", "-target", "x86_64", true, TARGET},
		{"--target=x86_64", "--target=x86_64", "x86_64", false, TARGET},
		{"-nostdlib", "-nostdlib", NULL, false, NO_BITCODE | BARE},
		{"-g3", "-g3", "3", false, NO_BITCODE | NO_LINK},
		{"-g", "-g", NULL, false, NO_BITCODE | NO_LINK},
		{"-s", "-s", NULL, false, NO_BITCODE | NO_LINK},
		{"-std=c99", "-std=c99", NULL, false, 0},
		{"-pthread", "-pthread", NULL, false, 0},
		{"-pg", "-pg", NULL, false, NO_BITCODE | NO_LINK},
		{"-fPIC", "-fPIC", NULL, false, 0},
		{"-Wall", "-Wall", NULL, false, 0},
		{"-rdynamic", "-rdynamic", NULL, false, NO_BITCODE},
		{"-fsanitize=address", "-fsanitize=address", "address", false, NO_BITCODE | NO_LINK | SANITIZE},
		{"-fno-sanitize=all", "-fno-sanitize=all", "all", false, NO_BITCODE | NO_LINK | SANITIZE_NOT},
		{"-fsanitize-coverage=x", "-fsanitize-coverage=x", "-coverage=x", false, NO_BITCODE | NO_LINK},
		{"--", "--", NULL, false, NO_BITCODE | NO_LINK | FILES_FOLLOW},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cc_args a = parse(test_printf("%s a.c", cases[i].line));
		const struct cc_arg *arg = find(&a, cases[i].text);
		CHECK_STR(cases[i].value, arg->value);
		CHECK_THAT(arg->separate == cases[i].separate && !arg->input, "%s", cases[i].line);
		CHECK_THAT(arg->flags == cases[i].flags, "%s: 0x%x", cases[i].line, arg->flags);
		CHECK_STR("a.c", inputs(&a));
		CHECK_INT(2, a.n);
		cc_args_release(&a);
	}
	struct cc_args a = parse("a.c -D"); // nothing follows: clang will say so
	CHECK(a.v[1].value == NULL && !a.v[1].separate);
	cc_args_release(&a);
}

// Where a value follows, clang thinks so, too: no value is taken for an input.
static void values_as_clang_sees_them(void)
{
	static const char *const not_asked[] = {
		"-x",
		"--language",
		"--serialize-diagnostics",
		"-mthread-model",
		"-target",
		"-arch",
		"-working-directory",
		"-Xassembler", // not any value will do
		"-wrapper",
		"-h",
		"-R",
		"-dumpbase",
		"-Tbss",
		"-Tdata",
		"-Ttext",
		"-G", // gcc's, or not for x86
	};
	struct words *w = words_of("-###");
	w->v[0] = CONFIG_CLANG;
	for (size_t i = 0; i < COUNT(options); i++) {
		bool ask = strcmp(options[i].form, "SEPARATE") == 0 || strcmp(options[i].form, "EITHER") == 0;
		for (size_t k = 0; ask && k < COUNT(not_asked); k++)
			ask = strcmp(options[i].spelling, not_asked[k]) != 0;
		if (!ask)
			continue;
		add_word(w, options[i].spelling);
		add_word(w, test_printf("value-of%s", options[i].spelling));
	}
	CHECK(w->n > 60);
	add_word(w, test_path("w.c"));
	test_write_text(test_path("w.c"), "");
	struct bytes said;
	test_run((const char *const *)w->v, &said);
	char *error = strstr((char *)said.data, "error: ");
	CHECK_THAT(!error, "%.*s", (int)strcspn(error, "\n"), error);
}

// What gcc and clang also call --output, --compile and so on.
static void gnu_long_spellings(void)
{
	struct cc_args a = parse("--compile a.c --output x.o --include f.h --define-macro M --include-directory d");
	CHECK_STR("a.c", inputs(&a));
	CHECK_STR("x.o", a.output);
	CHECK_INT(CC_OBJECT, a.mode);
	cc_args_release(&a);
	a = parse("--preprocess a.c");
	CHECK_INT(CC_OTHER, a.mode);
	cc_args_release(&a);
	a = parse("--assemble a.c");
	CHECK_INT(CC_OTHER, a.mode);
	cc_args_release(&a);
	a = parse("--library-directory /lib a.o --prefix /x --undefine-macro X");
	CHECK_STR("a.o", inputs(&a));
	cc_args_release(&a);
}

static void standard_input(void)
{
	struct cc_args a = parse("-x c - -o prog");
	CHECK_INT(CC_LINK, a.mode);
	CHECK(find(&a, "-")->input && find(&a, "-")->language == LANG_C);
	CHECK_INT(1, a.sources);
	cc_args_release(&a);
	a = parse("-c - -o x.o");
	CHECK(find(&a, "-")->input && find(&a, "-")->language == LANG_NONE);
	cc_args_release(&a);
}

static void gcc_only_options_are_dropped(void)
{
	struct cc_args a = parse("-fanalyzer -O2 -c a.c -fno-ipa-sra -fabi-version=2 -o a.o");
	CHECK_STR("-fanalyzer -fno-ipa-sra -fabi-version=2", joined(&a.dropped));
	CHECK_STR("-O2 -c a.c -o a.o", joined(&a.native));
	CHECK_INT(4, a.n);
	cc_args_release(&a);
	static const char *const kept[] = {
		"-Xclang -fanalyzer a.c",  "-o -fanalyzer a.c",    "-Xlinker -fanalyzer a.c", "-D -fanalyzer a.c",
		"-include -fanalyzer a.c", "-MF -fanalyzer a.c",   "-x -fanalyzer a.c",       "-fanalyzerx a.c",
		"-fabi-version a.c",       "-fabi-versions=2 a.c", "--fanalyzer a.c",         "fanalyzer",
		"-Wl,-fanalyzer a.c",
	};
	for (size_t i = 0; i < COUNT(kept); i++) {
		a = parse(kept[i]);
		CHECK_THAT(a.dropped.n == 0, "%s", kept[i]);
		CHECK_STR(kept[i], joined(&a.native));
		cc_args_release(&a);
	}
	a = parse("-Xclang -fanalyzer -fanalyzer a.c");
	CHECK_STR("-fanalyzer", joined(&a.dropped));
	CHECK_STR("-Xclang -fanalyzer a.c", joined(&a.native));
	cc_args_release(&a);
}

static void gcc_only_forms(void)
{
	CHECK(cc_gcc_only("-fanalyzer") && cc_gcc_only("-fno-analyzer"));
	CHECK(cc_gcc_only("-fabi-version=2") && !cc_gcc_only("-fabi-version") && cc_gcc_only("-fabi-version="));
	CHECK(!cc_gcc_only("-fno-abi-version=2"));
	CHECK(!cc_gcc_only("-fanalyze") && !cc_gcc_only("-fno-no-analyzer") && !cc_gcc_only("analyzer"));
	CHECK(!cc_gcc_only("") && !cc_gcc_only("-") && !cc_gcc_only("-f") && !cc_gcc_only("-fno-") &&
	      !cc_gcc_only("-m"));
	for (size_t i = 0; i < COUNT(gcc_only); i++) {
		const char *form = gcc_only[i].form, *prefix = gcc_only[i].prefix, *name = gcc_only[i].name;
		char *yes = test_printf("%s%s", prefix, name), *no = test_printf("%sno-%s", prefix, name);
		if (strcmp(form, "BOTH") == 0 || strcmp(form, "POSITIVE") == 0)
			CHECK_THAT(cc_gcc_only(yes), "%s", yes);
		if (strcmp(form, "BOTH") == 0 || strcmp(form, "NEGATIVE") == 0)
			CHECK_THAT(cc_gcc_only(no), "%s", no);
		if (strcmp(form, "VALUE") == 0)
			CHECK_THAT(cc_gcc_only(test_printf("%s=1", yes)), "%s", yes);
	}
}

// Otherwise an option that means something would be dropped.
static void clang_rejects_what_is_dropped(void)
{
	struct words *w = words_of("-### -c a.c");
	w->v[0] = CONFIG_CLANG;
	int first = w->n;
	for (size_t i = 0; i < COUNT(gcc_only); i++) {
		const char *form = gcc_only[i].form, *prefix = gcc_only[i].prefix, *name = gcc_only[i].name;
		if (strcmp(form, "BOTH") == 0 || strcmp(form, "POSITIVE") == 0)
			add_word(w, test_printf("%s%s", prefix, name));
		if (strcmp(form, "BOTH") == 0 || strcmp(form, "NEGATIVE") == 0)
			add_word(w, test_printf("%sno-%s", prefix, name));
		if (strcmp(form, "VALUE") == 0)
			add_word(w, test_printf("%s%s=1", prefix, name));
	}
	CHECK(w->n - first > 800);
	struct bytes said;
	CHECK_INT(1, test_run((const char *const *)w->v, &said));
	for (int i = first; i < w->n; i++) {
		bool rejected = false;
		char *quoted = test_printf("'%s'", w->v[i]);
		for (char *at = (char *)said.data; !rejected && (at = strstr(at, quoted)); at++) {
			char *line = at;
			while (line > (char *)said.data && line[-1] != '\n')
				line--;
			rejected = strstr(line, "error: ") && strstr(line, "error: ") < at;
		}
		CHECK_THAT(rejected, "clang takes %s", w->v[i]);
	}
}

// Options that real builds use and clang understands.
static void what_clang_knows_is_kept(void)
{
	static const char *const known[] = {
		"-fPIC",
		"-fpic",
		"-fPIE",
		"-fno-pie",
		"-fvisibility=hidden",
		"-fstack-protector-strong",
		"-fno-stack-protector",
		"-fstack-clash-protection",
		"-fcf-protection",
		"-fno-strict-aliasing",
		"-fwrapv",
		"-fno-common",
		"-fcommon",
		"-ffunction-sections",
		"-fdata-sections",
		"-fomit-frame-pointer",
		"-fno-omit-frame-pointer",
		"-fexceptions",
		"-fno-exceptions",
		"-fno-builtin",
		"-fno-builtin-memcpy",
		"-ffreestanding",
		"-fshort-enums",
		"-funsigned-char",
		"-fno-math-errno",
		"-ffast-math",
		"-ftrapping-math",
		"-fno-semantic-interposition",
		"-fno-plt",
		"-ftls-model=initial-exec",
		"-fdiagnostics-color=always",
		"-fmacro-prefix-map=a=b",
		"-ffile-prefix-map=a=b",
		"-fdebug-prefix-map=a=b",
		"-frecord-gcc-switches",
		"-fno-delete-null-pointer-checks",
		"-fexcess-precision=standard",
		"-fzero-call-used-regs=used",
		"-ftrivial-auto-var-init=zero",
		"-fno-tree-vectorize",
		"-funroll-loops",
		"-fno-inline",
		"-fgnu89-inline",
		"-fopenmp",
		"-fasynchronous-unwind-tables",
	};
	struct words *w = words_of("-### -Werror -Wno-unused-command-line-argument -c");
	w->v[0] = CONFIG_CLANG;
	add_word(w, test_path("a.c"));
	test_write_text(test_path("a.c"), "");
	for (size_t i = 0; i < COUNT(known); i++) {
		CHECK_THAT(!cc_gcc_only(known[i]), "%s", known[i]);
		add_word(w, known[i]);
	}
	struct bytes said;
	test_run((const char *const *)w->v, &said);
	CHECK_THAT(!strstr((char *)said.data, "unknown argument"), "%s", strstr((char *)said.data, "unknown argument"));
}

static void native_is_what_was_launch(void)
{
	test_write_text(test_path("words"), "-O2 'a b.c' -DX=\\\"");
	char *response = test_printf("@%s", test_path("words"));
	struct words *w = words_of("-c");
	add_word(w, response);
	add_word(w, "");
	add_word(w, "with blank");
	struct cc_args a = parse_words(w);
	CHECK_INT(w->n - 1, a.native.n);
	for (int i = 1; i < w->n; i++)
		CHECK_STR(w->v[i], a.native.v[i - 1]); // also the response file, unexpanded
	CHECK_INT(0, a.dropped.n);
	CHECK_STR("a b.c  with blank", inputs(&a));
	cc_args_release(&a);
	// Something has to go: then the words themselves.
	add_word(w, "-fanalyzer");
	a = parse_words(w);
	CHECK_STR("-c -O2 a b.c -DX=\"  with blank", joined(&a.native));
	CHECK_INT(6, a.native.n);
	cc_args_release(&a);
}

static void check_response(const char *content, const char *const *expected, size_t n)
{
	test_write_text(test_path("r"), content);
	struct cc_args a = parse(test_printf("-c @%s", test_path("r")));
	CHECK_INT(n + 1, a.n);
	for (size_t i = 0; i < n; i++)
		CHECK_STR(expected[i], a.v[i + 1].text);
	cc_args_release(&a);
}

static void response_files(void)
{
#define RESPONSE(content, ...)                                                                                         \
	check_response(content, (const char *const[]){__VA_ARGS__}, COUNT(((const char *const[]){__VA_ARGS__})))
	check_response("", NULL, 0);
	check_response(" \n\t \r\n", NULL, 0);
	RESPONSE("a.c", "a.c");
	RESPONSE(" a.c\n b.c\tc.c\r\nd.c\v\fe.c", "a.c", "b.c", "c.c", "d.c", "e.c");
	RESPONSE("'a b.c' \"c d.c\"", "a b.c", "c d.c");
	RESPONSE("x'y z'w", "xy zw");
	RESPONSE("'it\"s' \"it's\"", "it\"s", "it's");
	RESPONSE("a\\ b c\\\\d \\'e \"f\\\"g\" 'h\\'i'", "a b", "c\\d", "'e", "f\"g", "h'i");
	RESPONSE("'' \"\" x", "", "", "x");
	RESPONSE("-DX=\\\"text\\\"", "-DX=\"text\"");
	RESPONSE("unclosed 'quote here", "unclosed", "quote here");
	RESPONSE("end\\", "end\\");
#undef RESPONSE
	struct cc_args a = parse(test_printf("-c @%s", test_path("missing")));
	CHECK_INT(2, a.n); // what cannot be read is a file name
	CHECK(a.v[1].input && a.v[1].text[0] == '@');
	cc_args_release(&a);
	a = parse(test_printf("-c a.c @ @%s", test_folder()));
	CHECK_INT(4, a.n);
	cc_args_release(&a);
}

// Both take the same file apart; clang shows how.
static void response_files_as_clang_sees_them(void)
{
	struct words *w = words_of("-### -E");
	w->v[0] = CONFIG_CLANG;
	test_write_text(test_path("x.c"), "");
	static const char alphabet[] = "ab'\"\\ \t\n=";
	int compared = 0;
	for (int round = 0; round < 6; round++) {
		char *content = test_alloc(4000), *p = content;
		for (int i = 0; i < 60; i++) {
			p += sprintf(p, "-Dm%d", i);
			for (uint64_t n = test_below(12); n; n--)
				*p++ = alphabet[test_below(sizeof alphabet - 1)];
			// In any state this ends an escape and both kinds of quotes.
			p += sprintf(p, "x%s\n", round % 2 ? "" : " ");
		}
		*p = 0;
		char *path = test_path(test_printf("r%d", round));
		test_write_text(path, content);
		w->n = 3;
		add_word(w, test_printf("@%s", path));
		add_word(w, test_path("x.c"));
		w->v[w->n] = NULL;
		struct bytes said;
		test_run((const char *const *)w->v, &said);
		struct cc_args a = parse(test_printf("-E @%s", path));
		for (size_t i = 0; i < a.n; i++) {
			if (strncmp(a.v[i].text, "-D", 2) != 0 || a.v[i].separate)
				continue;
			char *shown = test_alloc(2 * strlen(a.v[i].text) + 8), *q = shown; // -### quotes " \ and $
			q += sprintf(q, "\"-D\" \"");
			for (const char *c = a.v[i].value; *c; c++) {
				if (strchr("\"\\$", *c))
					*q++ = '\\';
				*q++ = *c;
			}
			strcpy(q, "\"");
			CHECK_THAT(strstr((char *)said.data, shown), "%s of %s", a.v[i].text, content);
			compared++;
		}
		cc_args_release(&a);
	}
	CHECK(compared > 100);
}

static void nested_response_files(void)
{
	test_write_text(test_path("inner"), "-DINNER b.c");
	test_write_text(test_path("outer"), test_printf("a.c '@%s' c.c @missing", test_path("inner")));
	struct cc_args a = parse(test_printf("-c @%s -fanalyzer d.c", test_path("outer")));
	CHECK_STR("a.c b.c c.c @missing d.c", inputs(&a));
	CHECK_STR("-c a.c -DINNER b.c c.c @missing d.c", joined(&a.native));
	cc_args_release(&a);
	// An option and its value in different files.
	test_write_text(test_path("inner"), "out.o");
	a = parse(test_printf("-c a.c -o @%s", test_path("inner")));
	CHECK_STR("out.o", a.output);
	cc_args_release(&a);
	// One that names itself comes to an end.
	test_write_text(test_path("self"), test_printf("a.c @%s", test_path("self")));
	a = parse(test_printf("-c @%s", test_path("self")));
	CHECK(a.n > 2 && a.n < 100);
	cc_args_release(&a);
}

static void linker_options(void)
{
	static const struct {
		const char *word;
		int action; // -1: not known
		enum linker_form form;
		const char *value;
	} cases[] = {
		{"--version-script=x.map", READS, VALUE, "x.map"},
		{"-version-script=x.map", READS, VALUE, "x.map"},
		{"--version-script", READS, VALUE, NULL},
		{"--version-script=", READS, VALUE, ""},
		{"--version-scripts=x", -1, 0, NULL},
		{"-T", READS, VALUE, NULL},
		{"-Map", DROP, VALUE, NULL},
		{"-Map=x", DROP, VALUE, "x"},
		{"--Map=a=b", DROP, VALUE, "a=b"},
		{"--print-map", DROP, STARTS, NULL},
		{"--print-gc-sections", DROP, STARTS, NULL},
		{"-s", DROP, ALONE, NULL},
		{"-soname=x", KEEP, VALUE, "x"},
		{"-soname", KEEP, VALUE, NULL},
		{"--strip-all", DROP, ALONE, NULL},
		{"--strip-all=x", -1, 0, NULL},
		{"-plugin-opt=x", DROP, STARTS, NULL},
		{"--no-undefined", STRICT_SYMBOLS, ALONE, NULL},
		{"--no-undefined-version", -1, 0, NULL},
		{"-z", KEEP, VALUE, NULL},
		{"-rpath", DROP, VALUE, NULL},
		{"-rpath=/x", DROP, VALUE, "/x"},
		{"-rpath-link", KEEP, VALUE, NULL},
		{"--defsym=a=b", KEEP, VALUE, "a=b"},
		{"--as-needed", -1, 0, NULL},
		{"-Bstatic", -1, 0, NULL},
		{"version-script", -1, 0, NULL},
		{"---version-script", -1, 0, NULL},
		{"a.o", -1, 0, NULL},
		{"", -1, 0, NULL},
		{"-", -1, 0, NULL},
		{"--", -1, 0, NULL},
		{"=", -1, 0, NULL},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *value = "unset";
		const struct linker_option *o = cc_linker_option(cases[i].word, &value);
		CHECK_THAT(o ? cases[i].action == (int)o->action && cases[i].form == o->form : cases[i].action == -1,
		           "%s", cases[i].word);
		CHECK_STR(cases[i].value, value);
	}
}

static void sanitizers(void)
{
	static const struct {
		const char *line;
		bool sanitized, fuzzer;
	} cases[] = {
		{"", false, false},
		{"-fsanitize=fuzzer", true, true},
		{"-fsanitize=fuzzer-no-link", true, false},
		{"-fsanitize=address,fuzzer", true, true},
		{"-fsanitize=fuzzer,address", true, true},
		{"-fsanitize=address,fuzzer,undefined", true, true},
		{"-fsanitize=address -fsanitize=fuzzer", true, true},
		{"-fsanitize=fuzzer -fno-sanitize=fuzzer", true, false},
		{"-fsanitize=fuzzer -fno-sanitize=all", true, false},
		{"-fsanitize=fuzzer -fno-sanitize=alignment,vptr", true, true},
		{"-fno-sanitize=fuzzer -fsanitize=fuzzer", true, true},
		{"-fsanitize=", false, false},
		{"-fsanitize=,", true, false},
		{"-fsanitize-coverage=fuzzer", false, false},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cc_args a = parse(test_printf("%s a.c", cases[i].line));
		CHECK_THAT(a.fuzzer == cases[i].fuzzer && a.sanitized == cases[i].sanitized, "%s", cases[i].line);
		cc_args_release(&a);
	}
}

static void files_after_dashes(void)
{
	struct cc_args a = parse("-c -- -x.c b.o");
	CHECK_STR("-x.c b.o", inputs(&a));
	CHECK(a.only_files && a.mode == CC_OBJECT && a.sources == 1);
	cc_args_release(&a);
}

// Any words in any order: all are there again, in order, as an argument, as a
// separate value, or dropped.
static void random_lines(void)
{
	static const char *const extra[] = {"a.c", "b.o",      "-",      "-fanalyzer", "-fabi-version=3",
	                                    "",    "--",       "-Wl,-s", "x.h",        "none",
	                                    "c",   "@nothing", "-O",     "--unknown",  "-Z"};
	for (int round = 0; round < 2000; round++) {
		struct words *w = new_words();
		for (uint64_t n = test_below(30); n; n--) {
			const char *option = options[test_below(COUNT(options))].spelling;
			switch (test_below(3)) {
			case 0: add_word(w, extra[test_below(COUNT(extra))]); break;
			case 1: add_word(w, option); break;
			default: add_word(w, test_printf("%s%s", option, extra[test_below(COUNT(extra))]));
			}
		}
		struct cc_args a;
		if (cc_args_parse(&a, w->n, w->v, NULL) < 0)
			continue;
		size_t dropped = 0, native = 0, i = 0;
		for (int k = 1; k < w->n;) {
			if (dropped < a.dropped.n && strcmp(w->v[k], a.dropped.v[dropped]) == 0 &&
			    (i == a.n || strcmp(a.v[i].text, w->v[k]) != 0)) {
				dropped++;
				k++;
				continue;
			}
			CHECK(i < a.n);
			CHECK_STR(w->v[k], a.v[i].text);
			CHECK_STR(w->v[k++], a.native.v[native++]);
			if (a.v[i].separate) {
				CHECK_STR(w->v[k], a.v[i].value);
				CHECK_STR(w->v[k++], a.native.v[native++]);
			}
			CHECK(!a.v[i].input || (!a.v[i].value && !a.v[i].flags));
			CHECK(a.v[i].input || a.v[i].language == LANG_NONE);
			i++;
		}
		CHECK(i == a.n && dropped == a.dropped.n && native == a.native.n);
		cc_args_release(&a);
	}
}

static const struct test tests[] = {
	TEST(modes),
	TEST(properties),
	TEST(wrapping_as_clang_sees_it),
	TEST(outputs),
	TEST(languages_by_suffix),
	TEST(languages_as_clang_sees_them),
	TEST(languages_by_option),
	TEST(headers),
	TEST(values),
	TEST(values_as_clang_sees_them),
	TEST(gnu_long_spellings),
	TEST(standard_input),
	TEST(gcc_only_options_are_dropped),
	TEST(gcc_only_forms),
	TEST(clang_rejects_what_is_dropped),
	TEST(what_clang_knows_is_kept),
	TEST(native_is_what_was_launch),
	TEST(response_files),
	TEST(response_files_as_clang_sees_them),
	TEST(nested_response_files),
	TEST(linker_options),
	TEST(sanitizers),
	TEST(files_after_dashes),
	TEST(random_lines),
};
TEST_MAIN("args")
