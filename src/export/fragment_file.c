#include "export/fragment_file.h"

#include <string.h>

// What projects may want of their own sources, and nobody of these.
static const char quiet[] = "#pragma GCC diagnostic ignored \"-Wpedantic\"\n"
			    "#pragma GCC diagnostic ignored \"-Wdeclaration-after-statement\"\n"
			    "#pragma GCC diagnostic ignored \"-Wfloat-equal\"\n"
			    "#pragma GCC diagnostic ignored \"-Wshadow\"\n"
			    "#pragma GCC diagnostic ignored \"-Wcast-qual\"\n"
			    "#pragma GCC diagnostic ignored \"-Wconversion\"\n\n";

// Warnings about the sources, where functions are inlined into tests.
static const char quiet_sources[] = "#pragma GCC diagnostic ignored \"-Wnonnull\"\n"
				    "#pragma GCC diagnostic ignored \"-Wfree-nonheap-object\"\n";

// Objects of a test are static: they can be freed, and resized, as if they were not.
static const char memory[] =
	"extern char __executable_start[], _end[];\nvoid __real_free(void *p);\nvoid __wrap_free(void *p);\n"
	"void *__real_realloc(void *p, size_t size);\nvoid *__wrap_realloc(void *p, size_t size);\n\n"
	"static int veer_is_static(const void *p)\n{\n"
	"\treturn (const char *)p >= __executable_start && (const char *)p < _end;\n}\n\n"
	"void __wrap_free(void *p)\n{\n\tif (!veer_is_static(p))\n\t\t__real_free(p);\n}\n\n"
	"__attribute__((no_sanitize(\"address\"))) void *__wrap_realloc(void *p, size_t size)\n{\n"
	"\tif (!veer_is_static(p))\n\t\treturn __real_realloc(p, size);\n"
	"\tvolatile char *to = __real_realloc(0, size), *from = p;\n"
	"\tfor (size_t i = 0; to && i < size && (char *)p + i < _end; i++)\n\t\tto[i] = from[i];\n"
	"\treturn (void *)to;\n}\n\n";

static const char includes[] =
	"#undef NDEBUG\n#include <assert.h>\n#include <errno.h>\n#include <fcntl.h>\n#include <stdio.h>\n"
	"#include <stdlib.h>\n#include <string.h>\n#include <sys/time.h>\n#include <sys/wait.h>\n"
	"#include <unistd.h>\n\n";

// The source and copies of its functions are compiled as the project compiles them. Tests run once, and there may be
// thousands in a file: optimising them takes most of the time. With _FORTIFY_SOURCE, memcpy is a function of
// the header that must be inlined, which functions without optimisation cannot.
static const char no_optimisation[] = "#ifdef __clang__\n#pragma clang optimize off\n#else\n"
				      "#pragma GCC optimize \"O0\"\n#undef memcpy\n"
				      "#define memcpy(to, from, size) __builtin_memcpy(to, from, size)\n#endif\n\n";

static const char includes_cmocka[] = "#include <setjmp.h>\n#include <stdarg.h>\n#include <stddef.h>\n"
				      "#include <stdint.h>\n#include <cmocka.h>\n\n";

static const char see[] =
	"static int veer_out;\n\n"
	"static void veer_see(const char *id, int kind, unsigned number, const void *at, size_t size)\n{\n"
	"\tstatic char line[1 << 20];\n"
	"\tsize_t n = (size_t)snprintf(line, sizeof line, \"see %s %c %u %lx \", id, kind, number, (unsigned "
	"long)at);\n"
	"\tfor (size_t i = 0; i < size && n + 4 < sizeof line; i++)\n"
	"\t\tn += (size_t)snprintf(line + n, 3, \"%02x\", ((const unsigned char *)at)[i]);\n"
	"\tline[n++] = '\\n';\n"
	"\tif (write(veer_out, line, n) < 0)\n\t\t_exit(1);\n}\n\n";

void fragment_file_head(const char *source, bool reports, bool cmocka, struct buf *out)
{
	buf_printf(out,
	           "/* Tests of %s, made by veer of what its functions did: they show when that changes.\n"
	           " * Values that are not given do not matter. Each test runs in a process of its own. Build and run "
	           "them: "
	           "make check */\n",
	           strrchr(source, '/') ? strrchr(source, '/') + 1 : source);
	buf_addstr(out, quiet_sources);
	buf_printf(out, "#include \"%s\"\n\n", source);
	buf_addstr(out, quiet);
	buf_addstr(out, includes);
	if (cmocka && !reports)
		buf_addstr(out, includes_cmocka);
	buf_addstr(out, memory);
	if (reports)
		buf_addstr(out, see);
}

// A process of its own for each test, with little processor time, and more on a clock for those that wait.
static const char passes[] =
	"static int veer_run(void (*test)(void))\n{\n\tint status;\n\tpid_t pid = fork();\n"
	"\tassert(pid >= 0);\n\tif (pid == 0) {\n\t\tint null = open(\"/dev/null\", O_RDWR);\n"
	"\t\tconst struct itimerval limit = {{0, 0}, {VEER_MILLISECONDS / 1000, VEER_MILLISECONDS % 1000 * 1000}};\n"
	"\t\tdup2(null, 0);\n\t\tdup2(null, 1);\n\t\tsetitimer(ITIMER_PROF, &limit, 0);\n"
	"\t\talarm(5 + VEER_MILLISECONDS / 500);\n\t\ttest();\n\t\t_exit(0);\n\t}\n"
	"\tassert(waitpid(pid, &status, 0) == pid);\n"
	"\treturn status;\n}\n\n";

static const char test_type[] = "struct veer_test {\n\tconst char *name;\n\tvoid (*run)(void);\n};\n\n";

static const char is_wanted[] =
	"static int veer_wants(int argc, char **argv, const char *name)\n{\n\tint wanted = argc < 2;\n"
	"\tfor (int k = 1; k < argc; k++)\n\t\twanted |= strcmp(argv[k], name) == 0;\n\treturn wanted;\n}\n\n";

static const char run_plain[] =
	"/* All tests, or those that are named. */\n"
	"static int veer_main(int argc, char **argv, const struct veer_test *tests, size_t n)\n{\n\tint failed = 0;\n"
	"\tfor (size_t i = 0; i < n; i++) {\n"
	"\t\tif (!veer_wants(argc, argv, tests[i].name))\n\t\t\tcontinue;\n"
	"\t\tint good = veer_run(tests[i].run) == 0;\n"
	"\t\tprintf(\"%s %s\\n\", good ? \"ok\" : \"not ok\", tests[i].name);\n\t\tfflush(stdout);\n"
	"\t\tfailed += !good;\n\t}\n\treturn failed != 0;\n}\n\n";

// How each ended, and how many marks it passed, which the process that runs it counts in memory of both.
static const char run_reports[] =
	"static int veer_main(int argc, char **argv, const struct veer_test *tests, size_t n)\n{\n\tveer_out = "
	"dup(1);\n"
	"#ifdef VEER_MARKS\n\tveer_marks = mmap(0, sizeof *veer_marks, PROT_READ | PROT_WRITE,\n"
	"\t                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);\n#endif\n"
	"\tfor (size_t i = 0; i < n; i++) {\n\t\tunsigned marks = 0;\n"
	"\t\tif (!veer_wants(argc, argv, tests[i].name))\n\t\t\tcontinue;\n"
	"#ifdef VEER_MARKS\n\t\t*veer_marks = 0;\n#endif\n"
	"\t\tint status = veer_run(tests[i].run);\n"
	"#ifdef VEER_MARKS\n\t\tmarks = *veer_marks;\n#endif\n"
	"\t\tprintf(\"end %s %d %u\\n\", tests[i].name, status, marks);\n"
	"\t\tfflush(stdout);\n\t}\n\treturn 0;\n}\n\n";

void fragment_file_runner(bool reports, bool cmocka, bool marks, bool optimised, struct buf *out)
{
	if (reports && marks)
		buf_addstr(out, "#include <sys/mman.h>\n#ifndef MAP_ANONYMOUS\n#define MAP_ANONYMOUS "
		                "0x20\n#endif\n#define VEER_MARKS\n\n");
	buf_printf(out, "enum { VEER_MILLISECONDS = %d };\n\n",
	           reports ? FRAGMENT_MILLISECONDS : 10 * FRAGMENT_MILLISECONDS);
	buf_addstr(out, passes);
	if (!cmocka || reports) {
		buf_addstr(out, test_type);
		buf_addstr(out, is_wanted);
		buf_addstr(out, reports ? run_reports : run_plain);
	}
	if (!optimised)
		buf_addstr(out, no_optimisation);
}

static void add_table(const struct strv *ids, struct buf *out)
{
	buf_addstr(out, "static const struct veer_test veer_tests[] = {\n");
	for (size_t i = 0; i < ids->n; i++)
		buf_printf(out, "\t{\"%s\", %s},\n", ids->v[i], ids->v[i]);
	buf_addstr(out, "};\n\n");
}

static void add_cmocka(const struct strv *ids, struct buf *out)
{
	for (size_t i = 0; i < ids->n; i++)
		buf_printf(out,
		           "static void veer_run_%s(void **state)\n{\n\t(void)state;\n\tassert_int_equal(veer_run(%s), "
		           "0);\n}\n\n",
		           ids->v[i], ids->v[i]);
	buf_addstr(out,
	           "int __wrap_main(void);\n\nint __wrap_main(void)\n{\n\tconst struct CMUnitTest veer_tests[] = {\n");
	for (size_t i = 0; i < ids->n; i++)
		buf_printf(out, "\t\tcmocka_unit_test(veer_run_%s),\n", ids->v[i]);
	buf_addstr(out, "\t};\n\treturn cmocka_run_group_tests(veer_tests, NULL, NULL);\n}\n");
}

void fragment_file_tail(const struct strv *ids, bool reports, bool cmocka, struct buf *out)
{
	if (cmocka && !reports) {
		add_cmocka(ids, out);
		return;
	}
	add_table(ids, out);
	buf_addstr(out, "int __wrap_main(int argc, char **argv);\n\nint __wrap_main(int argc, char **argv)\n{\n"
	                "\treturn veer_main(argc, argv, veer_tests, sizeof veer_tests / sizeof *veer_tests);\n}\n");
}
