// What differs between two versions, by facts that the tests make up: pairs, names that changed, data, entries.
#include <string.h>

#include "base/mem.h"
#include "compare/changes.h"
#include "test.h"

// A unit as veer-instrument writes it. Lists are words with blanks between them.
struct unit {
	struct buf functions, globals;
	uint32_t n_functions, n_globals;
	const char *first, *second; // members of the one type that it has; NULL: it has none
};

struct code {
	const char *name, *file;
	uint64_t plain, named, silent, reduced;
	const char *symbols, *callees, *calls, *globals, *addresses, *signature;
	uint32_t flags;
	uint64_t blocks[4];
};

static void add_list(struct buf *out, const char *words)
{
	struct buf list = {0};
	uint32_t n = 0;
	for (const char *p = words ? words : ""; *p;) {
		size_t size = strcspn(p, " ");
		char *word = mem_copy(p, size);
		buf_string(&list, word);
		mem_free(word);
		n++;
		p += size + (p[size] == ' ');
	}
	buf_u32(out, n);
	buf_add(out, list.data, list.len);
	buf_release(&list);
}

static void add_function(struct unit *u, struct code c)
{
	struct buf *out = &u->functions;
	uint32_t blocks = 0;
	buf_string(out, c.name);
	buf_string(out, c.name);
	buf_string(out, c.file ? c.file : "/src/a.c");
	buf_u32(out, 10);
	buf_u32(out, c.flags);
	buf_u64(out, 7);
	buf_string(out, c.signature ? c.signature : "void()");
	buf_u64(out, c.plain);
	buf_u64(out, c.named ? c.named : c.plain);
	buf_u64(out, c.silent ? c.silent : c.plain);
	buf_u64(out, c.reduced);
	add_list(out, c.symbols);
	add_list(out, c.callees);
	add_list(out, c.calls);
	add_list(out, c.globals);
	add_list(out, c.addresses);
	while (blocks < 4 && c.blocks[blocks])
		blocks++;
	buf_u32(out, blocks);
	for (uint32_t i = 0; i < blocks; i++) {
		buf_u64(out, c.blocks[i]);
		buf_u64(out, c.blocks[i] * 3 + (i + 1 < blocks ? c.blocks[i + 1] : 0));
		buf_u32(out, 1);
		buf_u32(out, 100 + i);
	}
	u->n_functions++;
}

static void add_global(struct unit *u, const char *name, uint64_t value, const char *symbols, const char *addresses,
                       const char *names)
{
	struct buf *out = &u->globals;
	buf_string(out, name);
	buf_string(out, name);
	buf_string(out, "");
	buf_string(out, "/src/a.c");
	buf_u32(out, 3);
	buf_u32(out, 0);
	buf_u64(out, 9);
	buf_u64(out, value);
	buf_u64(out, value);
	add_list(out, symbols);
	add_list(out, addresses);
	add_list(out, names);
	u->n_globals++;
}

static void unit_bytes(const struct unit *u, const char *source, struct buf *ret)
{
	buf_u64(ret, FACTS_MAGIC);
	buf_u32(ret, 1);
	buf_string(ret, source);
	buf_string(ret, "/src");
	buf_u32(ret, u->n_functions);
	buf_add(ret, u->functions.data, u->functions.len);
	buf_u32(ret, u->n_globals);
	buf_add(ret, u->globals.data, u->globals.len);
	buf_u32(ret, u->first != NULL);
	const char *const members[] = {u->first, u->second};
	if (!u->first)
		return;
	buf_string(ret, "struct pair");
	buf_u64(ret, 77);
	buf_u64(ret, 8);
	buf_u32(ret, SHAPE_STRUCT);
	buf_u32(ret, 2);
	for (uint64_t i = 0; i < 2; i++) {
		buf_string(ret, members[i]);
		buf_string(ret, "int");
		buf_u64(ret, i * 4);
		buf_u64(ret, 78);
	}
}

static void add_unit(struct facts *f, struct unit *u, const char *source)
{
	struct buf bytes = {0};
	struct err err;
	unit_bytes(u, source, &bytes);
	CHECK_THAT(facts_add(f, bytes.data, bytes.len, &err) == 0, "%s", err.text);
	buf_release(&bytes);
	buf_release(&u->functions);
	buf_release(&u->globals);
	*u = (struct unit){0};
}

static const struct changed_function *find(const struct code_changes *c, const char *name)
{
	for (uint32_t i = 0; i < c->n_functions; i++)
		if (strcmp(change_function(&c->functions[i])->name, name) == 0)
			return &c->functions[i];
	CHECK_THAT(false, "no function %s", name);
	return NULL;
}

static void check_kind(const struct code_changes *c, const char *name, enum change_kind kind)
{
	CHECK_STR(change_word(kind), change_word(find(c, name)->kind));
}

static void release(struct code_changes *c, struct facts *old, struct facts *new)
{
	code_changes_release(c);
	facts_release(old);
	facts_release(new);
}

// --- the tests --------------------------------------------------------------------------------------

static void kinds(void)
{
	struct facts old = {0}, new = {0};
	struct unit a = {0}, b = {0};
	struct code_changes c;
	add_function(&a, (struct code){.name = "same", .plain = 1});
	add_function(&b, (struct code){.name = "same", .plain = 1});
	add_function(&a, (struct code){.name = "layout", .plain = 2, .named = 3});
	add_function(&b, (struct code){.name = "layout", .plain = 4, .named = 3});
	add_function(&a, (struct code){.name = "rewritten", .plain = 5, .reduced = 6});
	add_function(&b, (struct code){.name = "rewritten", .plain = 7, .reduced = 6});
	add_function(&a, (struct code){.name = "message", .plain = 8, .silent = 9, .reduced = 10});
	add_function(&b, (struct code){.name = "message", .plain = 11, .silent = 9, .reduced = 12});
	add_function(&a, (struct code){.name = "code", .plain = 13});
	add_function(&b, (struct code){.name = "code", .plain = 14});
	add_function(&a, (struct code){.name = "deleted", .plain = 15});
	add_function(&b, (struct code){.name = "added", .plain = 16});
	// Without a reduced hash nobody knows: two zeros are not equal.
	add_function(&a, (struct code){.name = "calls", .plain = 17, .symbols = "x"});
	add_function(&b, (struct code){.name = "calls", .plain = 17, .symbols = "y", .named = 18});
	add_unit(&old, &a, "a.c");
	add_unit(&new, &b, "a.c");
	facts_finish(&old);
	facts_finish(&new);
	code_changes_find(&c, &old, &new);
	check_kind(&c, "same", CHANGE_NONE);
	check_kind(&c, "layout", CHANGE_LAYOUT);
	check_kind(&c, "rewritten", CHANGE_REDUCED);
	check_kind(&c, "message", CHANGE_MESSAGE);
	check_kind(&c, "code", CHANGE_CODE);
	check_kind(&c, "deleted", CHANGE_DELETED);
	check_kind(&c, "added", CHANGE_ADDED);
	check_kind(&c, "calls", CHANGE_CODE);
	CHECK_INT(5, code_changes_count(&c));
	CHECK_STR("a.c", find(&c, "code")->side[CHANGE_NEW]->file);
	release(&c, &old, &new);
}

// A chain: who calls a function with a new name, and has one itself, is found once the callee is.
static void names(void)
{
	struct facts old = {0}, new = {0};
	struct unit a = {0}, b = {0};
	struct code_changes c;
	add_function(&a, (struct code){.name = "leaf", .plain = 1});
	add_function(&b, (struct code){.name = "blade", .plain = 1});
	add_function(&a, (struct code){.name = "branch", .plain = 2, .symbols = "leaf"});
	add_function(&b, (struct code){.name = "bough", .plain = 2, .symbols = "blade"});
	add_function(&a, (struct code){.name = "main", .plain = 3, .symbols = "branch"});
	add_function(&b, (struct code){.name = "main", .plain = 3, .symbols = "bough"});
	// Two of one code: which is which cannot be said.
	add_function(&a, (struct code){.name = "twin1", .plain = 4});
	add_function(&a, (struct code){.name = "twin2", .plain = 4});
	add_function(&b, (struct code){.name = "sister1", .plain = 4});
	add_function(&b, (struct code){.name = "sister2", .plain = 4});
	add_unit(&old, &a, "a.c");
	add_unit(&new, &b, "a.c");
	facts_finish(&old);
	facts_finish(&new);
	code_changes_find(&c, &old, &new);
	check_kind(&c, "main", CHANGE_NONE);
	check_kind(&c, "bough", CHANGE_NONE);
	CHECK(find(&c, "bough")->renamed && find(&c, "blade")->renamed && !find(&c, "main")->renamed);
	check_kind(&c, "twin1", CHANGE_DELETED);
	check_kind(&c, "sister2", CHANGE_ADDED);
	release(&c, &old, &new);
}

static void statics(void)
{
	struct facts old = {0}, new = {0};
	struct unit a = {0}, b = {0};
	struct code_changes c;
	const struct code f = {.name = "f", .file = "/src/x.c", .plain = 1, .flags = SHAPE_STATIC};
	struct code g = f;
	g.file = "/src/y.c";
	g.plain = 2;
	add_function(&a, f);
	add_function(&a, g);
	g.file = "/src/lib/y.c"; // it has moved, and comes first now
	g.plain = 3;
	add_function(&b, g);
	add_function(&b, f);
	// A header's is in two units, and there once.
	add_function(&a, (struct code){.name = "h", .file = "/src/h.h", .plain = 5, .flags = SHAPE_STATIC});
	add_unit(&old, &a, "x.c");
	add_function(&a, (struct code){.name = "h", .file = "/src/h.h", .plain = 5, .flags = SHAPE_STATIC});
	add_unit(&old, &a, "z.c");
	add_unit(&new, &b, "x.c");
	facts_finish(&old);
	facts_finish(&new);
	CHECK_INT(3, old.n_functions);
	code_changes_find(&c, &old, &new);
	for (uint32_t i = 0; i < c.n_functions; i++) {
		const struct changed_function *x = &c.functions[i];
		if (strcmp(change_function(x)->file, "x.c") == 0)
			CHECK(x->kind == CHANGE_NONE);
		if (strcmp(change_function(x)->file, "lib/y.c") == 0)
			CHECK(x->kind == CHANGE_CODE && strcmp(x->side[CHANGE_OLD]->file, "y.c") == 0);
	}
	release(&c, &old, &new);
}

// A value that changed changes those who name it, or a table that leads there.
static void data(void)
{
	struct facts old = {0}, new = {0};
	struct unit a = {0};
	struct code_changes c;
	for (int side = 0; side < 2; side++) {
		struct facts *f = side ? &new : &old;
		add_global(&a, "limit", side ? 1 : 2, NULL, NULL, NULL);
		add_global(&a, "table", 3, "limit", NULL, "limit");
		add_global(&a, "other", 4, NULL, NULL, NULL);
		add_function(&a, (struct code){.name = "direct", .plain = 1, .globals = "limit"});
		add_function(&a, (struct code){.name = "through", .plain = 2, .globals = "other table"});
		add_function(&a, (struct code){.name = "not", .plain = 3, .globals = "other"});
		add_unit(f, &a, "a.c");
		facts_finish(f);
	}
	code_changes_find(&c, &old, &new);
	check_kind(&c, "direct", CHANGE_DATA);
	check_kind(&c, "through", CHANGE_DATA);
	check_kind(&c, "not", CHANGE_NONE);
	CHECK_STR("limit", find(&c, "through")->because);
	release(&c, &old, &new);
}

// Over direct calls, over calls through pointers of that type, in either version.
static void entries(void)
{
	struct facts old = {0}, new = {0};
	struct unit a = {0};
	struct code_changes c;
	for (int side = 0; side < 2; side++) {
		struct facts *f = side ? &new : &old;
		add_function(&a, (struct code){.name = "changed", .plain = side ? 1 : 2, .signature = "i32(ptr)"});
		add_function(&a, (struct code){.name = "one", .plain = 3, .callees = "changed"});
		add_function(&a, (struct code){.name = "two", .plain = 4, .callees = "one nobody"});
		add_function(&a, (struct code){.name = "pointer", .plain = 5, .calls = "i32(ptr)"});
		add_function(&a, (struct code){.name = "wrong", .plain = 6, .calls = "void()"});
		// Only OLD calls it.
		add_function(&a, (struct code){.name = "before", .plain = 7, .callees = side ? NULL : "one"});
		add_global(&a, "table", 1, NULL, "changed", NULL);
		add_unit(f, &a, "a.c");
		facts_finish(f);
	}
	code_changes_find(&c, &old, &new);
	code_changes_find_entries(&c);
	CHECK_INT(0, find(&c, "changed")->calls);
	CHECK_INT(1, find(&c, "one")->calls);
	CHECK_INT(2, find(&c, "two")->calls);
	CHECK_INT(1, find(&c, "pointer")->calls);
	CHECK_INT(2, find(&c, "before")->calls);
	CHECK(find(&c, "wrong")->calls == CHANGE_FAR);
	release(&c, &old, &new);
}

static uint32_t lines_of(const struct changed_function *f, int side, uint32_t *ret_first)
{
	struct buf lines = {0};
	uint32_t n;
	code_changes_lines(f, side, &lines, &n);
	if (n)
		memcpy(ret_first, lines.data, sizeof *ret_first);
	buf_release(&lines);
	return n;
}

// Blocks that only one of both has; when it has none, because they are in another order, those with other neighbours.
static void blocks(void)
{
	struct facts old = {0}, new = {0};
	struct unit a = {0}, b = {0};
	struct code_changes c;
	uint32_t first = 0;
	add_function(&a, (struct code){.name = "f", .plain = 1, .blocks = {11, 12, 13}});
	add_function(&b, (struct code){.name = "f", .plain = 2, .blocks = {11, 14, 13}});
	add_function(&a, (struct code){.name = "twice", .plain = 3, .blocks = {11, 12}});
	add_function(&b, (struct code){.name = "twice", .plain = 4, .blocks = {11, 12, 12}});
	add_function(&a, (struct code){.name = "order", .plain = 5, .blocks = {11, 12, 13}});
	add_function(&b, (struct code){.name = "order", .plain = 6, .blocks = {11, 13, 12}});
	add_function(&a, (struct code){.name = "hidden", .plain = 7, .blocks = {11, 12}});
	add_function(&b, (struct code){.name = "hidden", .plain = 8, .blocks = {11, 12}});
	add_unit(&old, &a, "a.c");
	add_unit(&new, &b, "a.c");
	facts_finish(&old);
	facts_finish(&new);
	code_changes_find(&c, &old, &new);
	CHECK_INT(1, lines_of(find(&c, "f"), CHANGE_OLD, &first));
	CHECK_INT(101, first);
	CHECK_INT(1, lines_of(find(&c, "f"), CHANGE_NEW, &first));
	CHECK_INT(101, first);
	CHECK_INT(0, lines_of(find(&c, "twice"), CHANGE_OLD, &first));
	CHECK_INT(1, lines_of(find(&c, "twice"), CHANGE_NEW, &first));
	CHECK_INT(102, first);
	CHECK_INT(3, lines_of(find(&c, "order"), CHANGE_NEW, &first));
	CHECK_INT(2, lines_of(find(&c, "hidden"), CHANGE_NEW, &first)); // all of them
	release(&c, &old, &new);
}

// Members changed places: what counts is which member it is, unless the program moves bytes as they are.
static void members(void)
{
	for (int raw = 0; raw < 2; raw++) {
		struct facts old = {0}, new = {0};
		struct unit a = {.first = "x", .second = "y"}, b = {.first = "y", .second = "x"};
		struct code_changes c;
		add_function(&a, (struct code){.name = "same", .plain = 1, .callees = raw ? "fread" : "fopen"});
		add_function(&b, (struct code){.name = "same", .plain = 1, .callees = raw ? "fread" : "fopen"});
		add_function(&a, (struct code){.name = "layout", .plain = 2, .named = 3});
		add_function(&b, (struct code){.name = "layout", .plain = 4, .named = 3});
		add_function(&a, (struct code){.name = "other", .plain = 5, .named = 6});
		add_function(&b, (struct code){.name = "other", .plain = 5, .named = 7});
		add_unit(&old, &a, "a.c");
		add_unit(&new, &b, "a.c");
		facts_finish(&old);
		facts_finish(&new);
		code_changes_find(&c, &old, &new);
		check_kind(&c, "same", CHANGE_NONE);
		check_kind(&c, "layout", raw ? CHANGE_RAW : CHANGE_LAYOUT);
		check_kind(&c, "other", CHANGE_MEMBERS);
		release(&c, &old, &new);
	}
}

// Every cut, and every byte at its extremes: an error, or facts that can be compared; nothing is added by an error.
static void damaged(void)
{
	struct unit a = {0};
	struct buf bytes = {0};
	struct err err;
	add_function(&a, (struct code){.name = "f", .plain = 1, .symbols = "g h", .blocks = {1, 2}});
	add_global(&a, "g", 1, "h", "f", "h");
	unit_bytes(&a, "a.c", &bytes);
	for (size_t i = 0; i < bytes.len; i++) {
		struct facts f = {0};
		CHECK(facts_add(&f, bytes.data, i, &err) < 0);
		CHECK(!f.n_functions && !f.n_globals && !f.n_units);
		facts_release(&f);
	}
	for (size_t i = 0; i < bytes.len; i++) {
		struct facts f = {0}, none = {0};
		struct code_changes c;
		char was = bytes.data[i];
		bytes.data[i] = (char)(was ^ 0xff);
		if (facts_add(&f, bytes.data, bytes.len, &err) == 0) {
			facts_finish(&f);
			facts_finish(&none);
			code_changes_find(&c, &none, &f);
			code_changes_release(&c);
		}
		bytes.data[i] = was;
		facts_release(&f);
		facts_release(&none);
	}
	buf_release(&a.functions);
	buf_release(&a.globals);
	buf_release(&bytes);
}

static const struct test tests[] = {
	TEST(kinds), TEST(names), TEST(statics), TEST(data), TEST(entries), TEST(blocks), TEST(members), TEST(damaged),
};
TEST_MAIN("changes")
