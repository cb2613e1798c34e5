#include <unistd.h>

#include "base/mem.h"
#include "session/groups.h"
#include "test.h"

static struct stored_finding finding(int64_t id, const char *kind, unsigned line, const char *stack)
{
	return (struct stored_finding){.id = id,
	                               .kind = (char *)kind,
	                               .level = LEVEL_ERROR,
	                               .program = "/p/prog",
	                               .file = "/p/a.c",
	                               .function = "f",
	                               .line = line,
	                               .stack = (char *)stack,
	                               .report = "",
	                               .key = (uint64_t)id};
}

static const char heap[] = "READ of size 1 at 0x6\n0x6 is located 0 bytes after 10-byte region [0x1,0x6)\n"
			   "allocated by thread T0 here:\n    #0 in __interceptor_malloc\n    #1 in make /p/a.c:%d\n\n";

// The same line by other callers is the same bug; another kind or object is another.
static void lines(void)
{
	struct groups g = {0};
	struct strv others = {0};
	char *first = mem_printf(heap, 3), *second = mem_printf(heap, 9);
	struct stored_finding a = finding(1, "heap-buffer-overflow", 7, "f /p/a.c:7\nx /p/a.c:20\n"),
			      b = finding(2, "heap-buffer-overflow", 7, "f /p/a.c:7\ny /p/a.c:30\n"),
			      c = finding(3, "heap-buffer-overflow", 8, ""), d = finding(4, "segv", 7, ""),
			      e = finding(5, "heap-buffer-overflow", 7, ""), f = finding(6, "segv", 7, "");
	a.report = b.report = c.report = first;
	e.report = second;
	f.level = LEVEL_WARNING;
	CHECK_INT(1, groups_add(&g, &a));
	CHECK_INT(1, groups_add(&g, &b));
	CHECK_INT(3, groups_add(&g, &c));
	CHECK_INT(4, groups_add(&g, &d));
	CHECK_INT(5, groups_add(&g, &e));
	CHECK_INT(6, groups_add(&g, &f));
	CHECK_INT(1, groups_lead(&g, 2));
	groups_others(&g, 1, &others);
	CHECK_INT(1, others.n);
	CHECK_STR("F2", others.v[0]);
	strv_release(&others);
	groups_others(&g, 3, &others);
	CHECK_INT(0, others.n);
	groups_release(&g);
	mem_free(first);
	mem_free(second);
}

// What is in no one line has its own key.
static void elsewhere(void)
{
	struct groups g = {0};
	struct stored_finding a = finding(1, "stack-overflow", 7, ""), b = finding(2, "stack-overflow", 7, ""),
			      c = finding(3, "memory-exhaustion", 0, ""), d = finding(4, "memory-exhaustion", 0, "");
	CHECK_INT(1, groups_add(&g, &a));
	CHECK_INT(2, groups_add(&g, &b));
	CHECK_INT(3, groups_add(&g, &c));
	CHECK_INT(4, groups_add(&g, &d));
	groups_release(&g);
}

static struct stored_finding warning(int64_t id, const char *kind, const char *file, unsigned line, unsigned column)
{
	struct stored_finding f = finding(id, kind, line, "");
	f.level = LEVEL_WARNING;
	f.file = (char *)file;
	f.report = mem_printf("%s:%u:%u: %s in f\n", file, line, column, kind);
	return f;
}

// Undefined behaviour in the expansion of one macro is one, wherever it is used.
static void macros(void)
{
	test_write_text(test_path("a.c"), "void f(void)\n{\n\tGROW (o, 1);\n\tx = GROW(o, 2) + p [3];\n\tq + (4);\n"
	                                  "\tOTHER(o);\n\tcopy(NULL, 0);\n\tcopy(NULL, 1);\n");
	char *file = mem_strdup(test_path("a.c"));
	static const struct {
		unsigned line, column;
		const char *kind;
		int64_t lead;
	} rows[] = {
		{3, 2, "pointer-overflow", 1},
		{4, 6, "pointer-overflow", 1},  // GROW
		{4, 17, "pointer-overflow", 3}, // p [3]
		{5, 4, "pointer-overflow", 4},  // the operator
		{6, 2, "pointer-overflow", 5},  // OTHER
		{3, 2, "shift", 6},             // another kind
		{7, 2, "nonnull-argument", 7},
		{8, 2, "nonnull-argument", 8}, // calls are no macros
		{99, 2, "pointer-overflow", 9},
		{3, 99, "pointer-overflow", 10}, // not there
		{3, 0, "pointer-overflow", 10},  // unknown
	};
	struct groups g = {0};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct stored_finding f = warning((int64_t)i + 1, rows[i].kind, file, rows[i].line, rows[i].column);
		int64_t lead = groups_add(&g, &f);
		CHECK_THAT(lead == rows[i].lead, "row %zu: %lld", i, (long long)lead);
		mem_free(f.report);
	}
	groups_release(&g);
	mem_free(file);
}

static const struct test tests[] = {TEST(lines), TEST(elsewhere), TEST(macros)};

TEST_MAIN("groups")
