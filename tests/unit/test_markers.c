// Markers and segments of functions, on the code that clang makes of them for veer-cc.
#include "instrument/markers.h"

#include "base/buf.h"
#include "base/mem.h"
#include "config.h"
#include "instrument/infeasible.h"
#include "instrument/module.h"
#include "test.h"

#define UBSAN_FLAG(name) name ","
static const char kinds[] =
#include "abi/ubsan.def"
	;

static struct module compile(const char *source)
{
	static int setup;
	struct module m;
	struct err err;
	struct bytes output;
	int n = (int)sizeof kinds - 2; // without the last comma
	char *c = test_path("unit.c"), *bc = test_path("unit.bc");
	const char *argv[] = {CONFIG_CLANG,
	                      "-g",
	                      "-O1",
	                      "-Xclang",
	                      "-disable-llvm-passes",
	                      "-fno-discard-value-names",
	                      "-w",
	                      "-fsanitize=address",
	                      test_printf("-fsanitize=%.*s", n, kinds),
	                      test_printf("-fsanitize-trap=%.*s", n, kinds),
	                      "-emit-llvm",
	                      "-c",
	                      c,
	                      "-o",
	                      bc,
	                      NULL};
	if (!setup++)
		module_setup();
	test_write_text(c, source);
	CHECK_THAT(test_run(argv, &output) == 0, "%s", (char *)output.data);
	CHECK_THAT(module_load(&m, bc, &err) == 0, "%s", err.text);
	return m;
}

// The markers of all functions of a unit: "name segments [why only the entry]: kind LINE[:COLUMN] segments [-: no run
// can begin there] {live variables}; ...", a line each.
static char *markers_text(const char *source)
{
	static const char *const names[] = {"entry", "loop", "label", "split"};
	struct module m = compile(source);
	struct markers_table t;
	struct buf out = {0};
	markers_find(&t, m.module);
	for (size_t f = 0; f < t.n; f++) {
		const struct markers *all = t.v[f];
		CHECK(markers_of(&t, all->function) == all);
		buf_printf(&out, "%s %u%s%s:", LLVMGetValueName2(all->function, &(size_t){0}), all->segments,
		           all->entry_only ? " " : "", all->entry_only ? all->entry_only : "");
		for (uint32_t k = 0; k < all->n; k++) {
			const struct marker *v = &all->v[k];
			buf_printf(&out, "%s %s %u", k ? ";" : "", names[v->kind], v->line);
			if (v->column)
				buf_printf(&out, ":%u", v->column);
			buf_printf(&out, " %u%s", all->paths[v->node], v->enters ? "" : " -");
			for (uint32_t i = 0; i < v->n_live; i++) {
				const char *name = LLVMGetValueName2(v->live[i], &(size_t){0});
				buf_printf(&out, "%s%.*s%s", i ? " " : " {", (int)strcspn(name, "."), name,
				           i + 1 == v->n_live ? "}" : "");
			}
		}
		buf_addch(&out, '\n');
	}
	char *copy = test_printf("%s", out.data ? out.data : "");
	buf_release(&out);
	markers_release(&t);
	module_release(&m);
	return copy;
}

static void straight(void)
{
	CHECK_STR("f 1: entry 1 1\n", markers_text("int f(int a) { return a + 1; }\n"));
	CHECK_STR("f 3: entry 1 3\n", markers_text("int f(int a, int b) { return a > 3 && b ? a : b; }\n"));
	// The value of && decides nothing.
	CHECK_STR("f 2: entry 1 2\n", markers_text("int f(int a, int b) { return a && b; }\n"));
	// Ends that do not return.
	CHECK_STR("f 2: entry 2 2\n", markers_text("void abort(void) __attribute__((noreturn));\n"
	                                           "int f(int a) { if (a) abort(); return 1; }\n"));
	CHECK_STR("f 1: entry 1 1\n", markers_text("int f(int a) { if (a) return 1; __builtin_unreachable(); }\n"));
	CHECK_STR("f 4: entry 1 4\n",
	          markers_text(
			  "int f(int a) { switch (a) { case 1: a++; case 2: case 3: a--; break; case 9: return 1; }\n"
			  " return a; }\n"));
}

static void loops(void)
{
	// In the head a is read; i is written before it is read, but is read in the head itself.
	CHECK_STR("f 3: entry 1 1; loop 4:2 2 {p a s i}\n", markers_text("int f(int *p, int a)\n"
	                                                                 "{\n"
	                                                                 "	int s = 0, i;\n"
	                                                                 "	for (i = 0; i < a; i++)\n"
	                                                                 "		s += p[i];\n"
	                                                                 "	return s;\n"
	                                                                 "}\n"));
	// x is of the body: it begins anew.
	CHECK_STR("f 4: entry 2 1; loop 4:2 3 {a}\n", markers_text("int g(int *);\n"
	                                                           "int f(int a)\n"
	                                                           "{\n"
	                                                           "	while (a--) {\n"
	                                                           "		int x = a;\n"
	                                                           "		if (g(&x)) return x;\n"
	                                                           "	}\n"
	                                                           "	return 0;\n"
	                                                           "}\n"));
	CHECK_STR("f 5: entry 1 1; loop 2:1 2 {a i}; loop 4:2 2 {a i j}\n",
	          markers_text("int f(int a) { int i = 0, j;\n"
	                       "while (i++ < a) {\n"
	                       "	j = 0;\n"
	                       "	do j += i; while (j < a);\n"
	                       "}\n"
	                       "return i; }\n"));
}

static void ends_of_scopes(void) // only what can be: of return, continue, break and the end none follows another
{
	CHECK_STR("f 9: entry 2 1; loop 4:2 6 {a p i}; label 19:1 2 {a p}\n",
	          markers_text("int g(int *);\n"
	                       "int f(int a, int *p)\n"
	                       "{\n"
	                       "	for (int i = 0; i < a; i++) {\n"
	                       "		int x = p[i];\n"
	                       "		if (x < 0)\n"
	                       "			return -1;\n"
	                       "		if (x == 7)\n"
	                       "			continue;\n"
	                       "		{\n"
	                       "			int z = g(&x);\n"
	                       "			if (z == 3)\n"
	                       "				goto out;\n"
	                       "			if (z == 9)\n"
	                       "				break;\n"
	                       "		}\n"
	                       "		a -= x << 2;\n"
	                       "	}\n"
	                       "out:\n"
	                       "	return g(p) && a > 3;\n"
	                       "}\n"));
}

static void labels(void)
{
	CHECK_STR("f 4: entry 1 2; label 3:1 2 {a r}\n", markers_text("int f(int a) { int r = 1;\n"
	                                                              "if (a) goto out; r = 2;\n"
	                                                              "out: return a > r ? 5 : r; }\n"));
	// A loop made by goto.
	CHECK_STR("f 3: entry 1 1; loop 2:1 2 {a}\n", markers_text("int f(int a) {\n"
	                                                           "again: if (a++ < 9) goto again;\n"
	                                                           "return a; }\n"));
	CHECK_STR("f 4 computed goto: entry 1 1; label 2:1 1 - {a p}; label 3:1 1 - {a p}; label 4:1 1 - {a}\n",
	          markers_text("int f(int a) { void *p[] = {&&x, &&y, &&z}; goto *p[a & 1];\n"
	                       "x: a++; goto *p[a % 3];\n"
	                       "y: a--; goto *p[a % 3];\n"
	                       "z: return a; }\n"));
}

static void entry_only(void)
{
	CHECK_STR("f 3 setjmp: entry 3 1; loop 4:14 2 - {a}\n", markers_text("#include <setjmp.h>\n"
	                                                                     "jmp_buf b;\n"
	                                                                     "int f(int a)\n"
	                                                                     "{ setjmp(b); while (a) a--;\n"
	                                                                     "return a; }\n"));
	CHECK_STR("f 3 array of variable size: entry 1 1; loop 2:1 2 - {n}\n",
	          markers_text("int f(int n) { char v[n];\n"
	                       "while (n--) v[n] = 1;\n"
	                       "return v[0]; }\n"));
	CHECK_STR("f 4 variable arguments: entry 1 1; loop 2:1 3 - {n l s}\n",
	          markers_text("int f(int n, ...) { __builtin_va_list l; int s = 0; __builtin_va_start(l, n);\n"
	                       "while (n--) s += __builtin_va_arg(l, int);\n"
	                       "return s; }\n"));
}

static void temporaries(void) // a loop inside an expression
{
	CHECK_STR("f 3: entry 1 1; loop 2:15 2 - {a x}\n", markers_text("int f(int a) { int x = 0;\n"
	                                                                "return a * ({ while (x < a) x++; x; }); }\n"));
}

static void variables(void)
{
	// Whole and partial writes, copies, addresses.
	CHECK_STR("f 3: entry 4 1; loop 6:1 2 {in n arr later}\n",
	          markers_text("struct s { int a, b[9]; };\n"
	                       "struct s make(int);\n"
	                       "int use(struct s *, int *);\n"
	                       "int f(int n, struct s in) {\n"
	                       "struct s whole, copy, result; int arr[4], later = 1, never = 2;\n"
	                       "while (n--) never = n;\n"
	                       "whole = in; result = make(n); copy = whole; arr[1] = 3;\n"
	                       "return use(&copy, &later) + arr[n & 3] + result.a; }\n"));
	// A result that is a local variable is in the caller's memory.
	CHECK_STR("f 3: entry 2 1; loop 3:1 2 {agg n}\n", markers_text("struct s { int a, b[9]; };\n"
	                                                               "struct s f(int n) { struct s r = {0};\n"
	                                                               "while (n--) r.a += n;\n"
	                                                               "return r; }\n"));
	// main returns 0 by itself.
	CHECK_STR("main 3: entry 1 1; loop 2:1 2 {n}\n", markers_text("int main(int n) {\n"
	                                                              "while (n--);\n"
	                                                              "}\n"));
}

static void many_paths(void)
{
	struct buf source = {0};
	buf_addstr(&source, "int f(int a) { int r = 0;\n");
	for (int i = 0; i < 16; i++)
		buf_printf(&source, "if (a & %d) r += %d;\n", 1 << i, i);
	buf_addstr(&source, "return r; }\n");
	CHECK_STR("f 512: entry 1 256; split 10:5 256 {a r}\n", markers_text(source.data));
	buf_clear(&source);
	// No path comes together with another: nothing to split.
	buf_addstr(&source, "int f(int a) { switch (a) {\n");
	for (int i = 0; i < 300; i++)
		buf_printf(&source, "case %d: return %d;\n", i, 7 * i);
	buf_addstr(&source, "} return -1; }\n");
	CHECK_STR("f 301: entry 1 301\n", markers_text(source.data));
	buf_clear(&source);
	// Inside of an expression there is a temporary everywhere.
	buf_addstr(&source, "int f(int a) { return 0\n");
	for (int i = 0; i < 20; i++)
		buf_printf(&source, "+ (a & %d ? %d : a)\n", 1 << i, i);
	buf_addstr(&source, "; }\n");
	char *text = markers_text(source.data);
	CHECK_THAT(strstr(text, "split") && strstr(text, " -"), "%s", text);
	buf_release(&source);
}

// --- random functions --------------------------------------------------------------------------

struct generator {
	struct buf out;
	int depth, loops, labels, budget;
};

static void block(struct generator *g);

static void simple(struct generator *g)
{
	switch (test_below(7)) {
	case 0: buf_addstr(&g->out, "a += b << (c & 7);\n"); break;
	case 1: buf_addstr(&g->out, "b = a > c && b < 9 ? h(&a) : c;\n"); break;
	case 2: buf_addstr(&g->out, "if (c-- == b || !a) return b;\n"); break;
	case 3: buf_printf(&g->out, "if (h(&b)) goto l%d;\n", (int)test_below(3)); break;
	case 4: buf_addstr(&g->out, g->loops ? "if (a % 5 == 1) break;\n" : "v[a & 3] = b;\n"); break;
	case 5: buf_addstr(&g->out, g->loops ? "if (a % 3 == 1) continue;\n" : "c ^= v[b & 3];\n"); break;
	default: buf_addstr(&g->out, "c = h(&c);\n"); break;
	}
}

static void statement(struct generator *g)
{
	unsigned kind = g->depth > 4 || g->budget-- <= 0 ? 0 : (unsigned)test_below(8);
	switch (kind) {
	case 1: buf_addstr(&g->out, "if (a < c) "), block(g), buf_addstr(&g->out, "else "), block(g); break;
	case 2: buf_addstr(&g->out, "if (a++ > b && b != 4) "), block(g); break;
	case 3: buf_addstr(&g->out, "while (c++ < 5) "), g->loops++, block(g), g->loops--; break;
	case 4: buf_addstr(&g->out, "for (int i = 0; i < b; i++) "), g->loops++, block(g), g->loops--; break;
	case 5:
		buf_addstr(&g->out, "do "), g->loops++, block(g), g->loops--, buf_addstr(&g->out, "while (b-- > 9);\n");
		break;
	case 6: {
		int kept = g->loops;
		g->loops = 0;
		buf_addstr(&g->out, "switch (b & 7) {\ncase 0: "), simple(g);
		buf_addstr(&g->out, "case 1: case 2: "), block(g);
		buf_addstr(&g->out, "break;\ndefault: "), block(g);
		buf_addstr(&g->out, "case 5: "), simple(g), buf_addstr(&g->out, "}\n");
		g->loops = kept;
		break;
	}
	default: simple(g);
	}
}

static void block(struct generator *g)
{
	g->depth++;
	buf_printf(&g->out, "{ int x%d = a; h(&x%d);\n", g->depth, g->depth);
	for (uint64_t n = 1 + test_below(3); n; n--)
		statement(g);
	buf_addstr(&g->out, "}\n");
	g->depth--;
}

static char *random_function(void)
{
	struct generator g = {.budget = 20};
	buf_addstr(&g.out, "int h(int *);\nint f(int a, int b, int c) { int v[4] = {0};\n");
	for (int i = 0; i < 3; i++) {
		block(&g);
		buf_printf(&g.out, "l%d: h(&a);\n", i);
		block(&g);
	}
	buf_addstr(&g.out, "return a; }\n");
	char *text = test_printf("%s", g.out.data);
	buf_release(&g.out);
	return text;
}

// Follows all paths from a node; `number` is what the edges so far add up to.
static void follow(const struct markers *m, uint32_t node, uint32_t number, uint8_t *seen, uint32_t steps)
{
	const struct source_node *v = &m->flow->v[node];
	CHECK(steps < m->flow->n); // no cycle
	if (v->n == 0 || v->computed) {
		CHECK(number < m->segments && !seen[number]++);
		return;
	}
	for (uint32_t k = 0; k < v->n; k++) {
		uint32_t to = v->edges[k].to;
		if (m->marker_of[to]) {
			CHECK(number < m->segments && !seen[number]++);
			number++;
		} else {
			follow(m, to, number, seen, steps + 1);
			number += m->paths[to];
		}
	}
}

static void add_numbers(const uint32_t *v, uint32_t n, uint32_t segments, struct buf *out)
{
	for (uint32_t k = 0; k < n; k++) {
		CHECK(v[k] < segments && (!k || v[k - 1] < v[k]));
		buf_printf(out, " %u", v[k]);
	}
}

// "of N: NUMBERS" of the infeasible segments of a unit's last function; "; unprovable: NUMBERS".
static char *infeasible_text(const char *source)
{
	struct module m = compile(source);
	struct markers_table t;
	struct buf out = {0};
	struct infeasible found;
	markers_find(&t, m.module);
	const struct markers *last = t.v[t.n - 1];
	infeasible_find(last, &found);
	buf_printf(&out, "of %u:", last->segments);
	add_numbers(found.v, found.n, last->segments, &out);
	if (found.n_unprovable)
		buf_addstr(&out, "; unprovable:");
	add_numbers(found.unprovable, found.n_unprovable, last->segments, &out);
	char *copy = test_printf("%s", out.data);
	infeasible_release(&found);
	buf_release(&out);
	markers_release(&t);
	module_release(&m);
	return copy;
}

// Where addresses are compared in ways that made-up pointers do not show.
static void addresses(void)
{
	CHECK_STR("of 2:; unprovable: 0 1",
	          infeasible_text("int f(char *p, char *e) { if (p < e) return 1; return 0; }\n"));
	CHECK_STR("of 2:; unprovable: 0",
	          infeasible_text("long f(int n, char *p, char *q) { if (n) return p - q; return 0; }\n"));
	CHECK_STR("of 2:; unprovable: 0 1",
	          infeasible_text("int f(int *v, int *p) { if (p == &v[3]) return 1; return 2; }\n"));
	CHECK_STR("of 2:; unprovable: 0 1",
	          infeasible_text("int f(int *v, int *p) { int *q = v + 1; if (p == q) return 1; return 2; }\n"));
	CHECK_STR("of 2:; unprovable: 0 1",
	          infeasible_text("int f(int *v, int *p) { if (p == v) return 1; return 2; }\n"));
	CHECK_STR("of 2:", infeasible_text("int f(int *v) { if (v == 0) return 1; return 2; }\n"));
}

// Segments of two decisions: both true, only the first, only the second, none.
static void contradictions(void)
{
	CHECK_STR("of 4: 1 2", infeasible_text("int g(int); int f(int n) { int r = 0;\n"
	                                       "if (n > 5) r = g(1); if (n > 5) r += g(2); return r; }\n"));
	CHECK_STR("of 4: 0", infeasible_text("int g(int); int f(int n) { int r = 0;\n"
	                                     "if (n > 5) r = g(1); if (n == 3) r += g(2); return r; }\n"));
	CHECK_STR("of 6: 1 2 3 5",
	          infeasible_text("int g(int); int f(int a, int b) { int r = 0;\n"
	                          "if (a < b) r = g(1); if (b > a) r += g(2); else if (a >= b) r++; return r; }\n"));
	// Memory is the same as long as nothing is stored or called.
	CHECK_STR("of 4: 1 2", infeasible_text("int f(const int *p) { int r = 0;\n"
	                                       "if (*p) r = 1; if (*p) r += 2; return r; }\n"));
	CHECK_STR("of 4: 2", infeasible_text("int x; void g(void); void f(void) { if (x) g(); if (x) g(); }\n"));
	CHECK_STR("of 4: 0 2", infeasible_text("void f(int *p) { if (*p) *p = 0; if (*p) *p = 1; }\n"));
	CHECK_STR("of 4: 2", infeasible_text("void f(int *p, int *q) { if (*p) *q = 0; if (*p) *q = 1; }\n"));
	CHECK_STR("of 4:", infeasible_text("volatile int x; void f(int *p) { if (x) *p = 1; if (x) *p = 2; }\n"));
	// A variable whose address is taken, and one that setjmp may bring back.
	CHECK_STR("of 4: 2", infeasible_text("void g(int *); void f(int n) { if (n) g(&n); if (n) g(&n); }\n"));
	CHECK_STR("of 4:; unprovable: 0 1 2 3",
	          infeasible_text("int setjmp(void *) __attribute__((returns_twice)); int g(void);\n"
	                          "void f(int n, void *b) { if (n) setjmp(b); if (n) g(); }\n"));
	// Numbers wrap around, with -fwrapv or without.
	CHECK_STR("of 4:", infeasible_text("int g(int); int f(unsigned n) { int r = 0;\n"
	                                   "if (n + 1 > 5) r = g(1); if (n == 0xffffffff) r += g(2); return r; }\n"));
	CHECK_STR("of 4: 0", infeasible_text("int g(int); int f(unsigned char c) { int r = 0;\n"
	                                     "if (c < 'a') r = g(1); if (c > 'z') r += g(2); return r; }\n"));
	CHECK_STR("of 2: 0", infeasible_text("int g(int); int f(unsigned char c) { return c > 255 ? g(1) : 0; }\n"));
	CHECK_STR("of 2:", infeasible_text("int g(int); int f(signed char c) { return c < -127 ? g(1) : 0; }\n"));
	// A flag that says which way control came.
	CHECK_STR("of 6: 1 3 4", infeasible_text("int g(void); int f(int c) { int again = 0;\n"
	                                         "if (c == 1) again = 1; else if (c == 2) again = 2;\n"
	                                         "if (again) return g(); return 0; }\n"));
	// What a switch leaves.
	CHECK_STR(
		"of 6: 0 4",
		infeasible_text("int g(void); int f(int c) { int r = 0;\n"
	                        "switch (c) { case 1: case 5: r = g(); break; case 2: r = 2; break; default: r = 3; }\n"
	                        "if (c == 5) r = g(); return r; }\n"));
	// Of a loop's condition, && has a value of its own: nothing comes to the body when the first part fails.
	CHECK_STR("of 5: 3",
	          infeasible_text("void g(void); void f(const char *s) { while (*s && *s != 'x') { s++; g(); } }\n"));
	// What the loop changes is not known at its head.
	CHECK_STR(
		"of 4:",
		infeasible_text("int g(int); void f(int n) { int i = 0; while (i < n) { i++; if (g(i)) i = 0; } }\n"));
}

static void enumerated(void) // each number of a segment is that of one path
{
	for (unsigned i = 0, n = test_times(60); i < n; i++) {
		char *source = random_function();
		struct module m = compile(source);
		struct markers_table t;
		markers_find(&t, m.module);
		const struct markers *f = t.v[0];
		uint8_t *seen = test_alloc(f->segments);
		memset(seen, 0, f->segments);
		for (uint32_t k = 0; k < f->n; k++) {
			CHECK_THAT(f->paths[f->v[k].node] <= MARKING_PATHS, "%u of %s", f->paths[f->v[k].node], source);
			follow(f, f->v[k].node, f->v[k].base, seen, 0);
		}
		for (uint32_t k = 0; k < f->segments; k++)
			CHECK_INT(1, seen[k]);
		markers_release(&t);
		module_release(&m);
	}
}

static const struct test tests[] = {
	TEST(straight),   TEST(loops),          TEST(ends_of_scopes), TEST(labels),
	TEST(entry_only), TEST(temporaries),    TEST(variables),      TEST(many_paths),
	TEST(addresses),  TEST(contradictions), TEST(enumerated),
};
TEST_MAIN("markers")
