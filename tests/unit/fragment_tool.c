// Makes tests in C for the functions of tests/programs/shapes/tested.c, of cases that are written down here: what a
// campaign finds by itself. For tests/e2e/tests_in_c.sh:
//
//   fragment_tool PROGRAM INSTRUMENT FOLDER [COMPILER [cmocka]]
//   fragment_tool --all PROGRAM INSTRUMENT FOLDER [COMPILER]
//
// --all: a case for every function and marker of any program, with objects of ones behind its pointers; most of them
// make no sense, and show whether all of it can be written down.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "export/fragment_c.h"
#include "object/frame.h"

#include "../programs/shapes/tested.h"

enum { CASES = 20000, CELLS = 12 };

struct made {
	struct fragment_case c;
	struct buf entry;
	struct state_part parts[CELLS];
	char *data[CELLS], *names[CELLS]; // names: those that are not constant
	char *id;                         // likewise
};

static struct shape_program shapes;
static struct made made[CASES];
static size_t n_made;

static void fail(const char *what)
{
	fprintf(stderr, "fragment_tool: %s\n", what);
	exit(2);
}

// --- shapes of the program's units ----------------------------------------------------------------

static void read_shapes(const char *program, const char *instrument, const char *folder)
{
	struct file_map map;
	struct frame_list frames = {0};
	struct err err = {""};
	char *bitcode = mem_printf("%s/unit.bc", folder), *block = mem_printf("%s/unit.shapes", folder);
	if (file_mkdirs(folder, 0777, &err) < 0 || file_map(program, &map, &err) < 0 ||
	    frame_list_read_elf(map.data, map.size, &frames, &err) < 0)
		fail(err.text);
	for (size_t i = 0; i < frames.n; i++) {
		struct buf bytes = {0};
		if (frames.v[i].kind != FRAME_BITCODE)
			continue;
		char *command = mem_printf("echo '%s' | '%s' --shapes '%s' > /dev/null", bitcode, instrument, block);
		if (frame_unpack(&frames.v[i], &bytes, &err) < 0 ||
		    file_replace(bitcode, bytes.data, bytes.len, 0600, &err) < 0 || system(command) != 0)
			fail(err.text);
		buf_clear(&bytes);
		if (file_read(block, &bytes, &err) < 0 || shape_add(&shapes, bytes.data, bytes.len, &err) < 0)
			fail(err.text);
		buf_release(&bytes);
		mem_free(command);
	}
	remove(bitcode);
	remove(block);
	frame_list_release(&frames);
	file_unmap(&map);
	mem_free(bitcode);
	mem_free(block);
}

// --- cases ----------------------------------------------------------------------------------------

static struct shape_ref function(const char *name)
{
	for (uint32_t u = 0; u < shapes.n_units; u++)
		for (uint32_t i = 0; i < shapes.units[u].head->n_functions; i++)
			if (strcmp(shape_text(&shapes.units[u], shapes.units[u].functions[i].name), name) == 0)
				return (struct shape_ref){u, i};
	fail(name);
	return SHAPE_NOWHERE;
}

// `names`: globals with a '&' before them, and stubs; separated by blanks.
static struct made *start(const char *id, const char *of, uint32_t marker, const char *names)
{
	struct made *m = &made[n_made++];
	struct shape_ref f = function(of);
	struct fragment_entry e = {.magic = FRAGMENT_MAGIC,
	                           .unit = shapes.units[f.unit].head->unit,
	                           .function = f.number,
	                           .marker = marker,
	                           .depth = 4,
	                           .object_max = 4096};
	struct buf list = {0};
	for (int stubs = 0; stubs < 2; stubs++) {
		char *copy = mem_strdup(names);
		for (char *word = strtok(copy, " "); word; word = strtok(NULL, " ")) {
			if ((*word != '&') != stubs)
				continue;
			struct shape_ref at = stubs ? function(word) : shape_find_global(&shapes, f.unit, word + 1);
			struct fragment_name name = {.unit = shapes.units[at.unit].head->unit, .number = at.number};
			buf_add(&list, &name, sizeof name);
			e.n_stubs += (uint32_t)stubs;
			e.n_globals += !stubs;
		}
		mem_free(copy);
	}
	buf_add(&m->entry, &e, sizeof e);
	buf_add(&m->entry, list.data ? list.data : "", list.len);
	buf_release(&list);
	m->c = (struct fragment_case){.id = id, .parts = m->parts};
	return m;
}

static void add(struct made *m, const char *name, const void *data, size_t size)
{
	m->data[m->c.n] = mem_copy(data, size);
	m->parts[m->c.n++] = (struct state_part){.name = name, .data = (uint8_t *)m->data[m->c.n - 1], .size = size};
}

// A frame of the function: zeros, with values at the fields of these names.
static char *frame_of(const char *of, size_t *ret_size)
{
	struct shape_ref f = function(of);
	const struct shape_table *t = &shapes.units[f.unit];
	*ret_size = t->types[t->functions[f.number].frame].size;
	char *data = mem_zero(*ret_size + 1);
	const struct shape_type *frame = &t->types[t->functions[f.number].frame];
	for (uint32_t i = 0; i < frame->n; i++)
		if (t->types[t->fields[frame->first + i].type].kind == SHAPE_POINTER)
			data[t->fields[frame->first + i].offset] = FRAGMENT_NULL;
	return data;
}

static void set(char *frame, const char *of, const char *field, const void *value, size_t size)
{
	struct shape_ref f = function(of);
	const struct shape_table *t = &shapes.units[f.unit];
	const struct shape_type *is = &t->types[t->functions[f.number].frame];
	for (uint32_t i = 0; i < is->n; i++)
		if (strcmp(shape_text(t, t->fields[is->first + i].name), field) == 0) {
			memcpy(frame + t->fields[is->first + i].offset, value, size);
			return;
		}
	fail(field);
}

static void add_frame(struct made *m, const char *of, char *frame, size_t size)
{
	add(m, "", frame, size);
	mem_free(frame);
}

#define SET(frame, of, field, type, ...) set(frame, of, field, &(type){__VA_ARGS__}, sizeof(type))
#define POINT(frame, of, field, target) set(frame, of, field, &(uint64_t){target}, 8)

static void functions(void)
{
	size_t size;
	// Two nodes, an output parameter, a global.
	struct made *m = start("sum_two", "sum", 0, "&limit &calls");
	char *f = frame_of("sum", &size);
	struct node a = {.value = 5, .flags = 2}, b = {.value = 7};
	memset(&a.next, 0, 8);
	memset(&b.next, FRAGMENT_NULL, 1);
	POINT(f, "sum", "list", FRAGMENT_NEW);
	POINT(f, "sum", "count", FRAGMENT_NEW);
	add_frame(m, "sum", f, size);
	add(m, "*list", &a, sizeof a);
	add(m, "*list->next", &b, sizeof b);
	add(m, "*count", &(int){40}, 4);
	add(m, "limit", &(int){21}, 4);
	add(m, "calls", &(int){9}, 4);
	// A cycle that is found in the second node: the result points to a cell.
	m = start("find_second", "find", 0, "&first");
	f = frame_of("find", &size);
	POINT(f, "find", "list", FRAGMENT_NEW);
	POINT(f, "find", "name", FRAGMENT_NEW);
	strcpy(a.name, "a\"?");
	strcpy(b.name, "xyz");
	memset(&b.next, FRAGMENT_CELL + 1, 1);
	add_frame(m, "find", f, size);
	add(m, "*list", &a, sizeof a);
	add(m, "*list->next", &b, sizeof b);
	add(m, "*name", "xyz\0\0\0\0", 8);
	add(m, "first", &(uint64_t){FRAGMENT_NULL}, 8);
	// A structure by value and as result; floats.
	m = start("scale_half", "scale", 0, "");
	f = frame_of("scale", &size);
	SET(f, "scale", "v", vec, 3.0, -0.1);
	SET(f, "scale", "by", double, 0.5);
	add_frame(m, "scale", f, size);
	// A flexible array.
	m = start("total_three", "total", 0, "");
	f = frame_of("total", &size);
	POINT(f, "total", "p", FRAGMENT_NEW);
	add_frame(m, "total", f, size);
	add(m, "*p", "\3\0\1\2\377\0", 6);
	// Bit-fields, enumerators, texts, unions as outcome.
	m = start("renamed", "rename_node", 0, "");
	f = frame_of("rename_node", &size);
	POINT(f, "rename_node", "n", FRAGMENT_NEW);
	POINT(f, "rename_node", "name", FRAGMENT_NEW);
	add_frame(m, "rename_node", f, size);
	memset(&b.next, FRAGMENT_NULL, 1);
	add(m, "*n", &b, sizeof b);
	add(m, "*name", "new", 4);
	// A type that only the other unit knows, which has a pointer in it.
	m = start("peek_there", "peek", 0, "");
	f = frame_of("peek", &size);
	POINT(f, "peek", "o", FRAGMENT_NEW);
	add_frame(m, "peek", f, size);
	add(m, "*o", "\5\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
	add(m, "*o->there", &(int){37}, 4);
	// Objects that are freed, and resized.
	struct node only = {.value = 71};
	memset(&only.next, FRAGMENT_NULL, 1);
	static const char *const freeing[][2] = {{"released", "release_node"}, {"grown", "grow"}};
	for (size_t i = 0; i < 2; i++) {
		m = start(freeing[i][0], freeing[i][1], 0, "");
		f = frame_of(freeing[i][1], &size);
		POINT(f, freeing[i][1], "n", FRAGMENT_NEW);
		add_frame(m, freeing[i][1], f, size);
		add(m, "*n", &only, sizeof only);
		add(m, "*nobody->next", &only, sizeof only); // nothing leads there
	}
	m = start("distance", "apart", 0, "");
	f = frame_of("apart", &size);
	POINT(f, "apart", "n", FRAGMENT_NEW);
	POINT(f, "apart", "count", FRAGMENT_NEW);
	add_frame(m, "apart", f, size);
	add(m, "*n", &only, sizeof only);
	add(m, "*count", &(int){40}, 4);
	m = start("callback_null", "use_callback", 0, "");
	f = frame_of("use_callback", &size);
	SET(f, "use_callback", "v", int, 3);
	add_frame(m, "use_callback", f, size);
}

static void stubs(void)
{
	size_t size;
	struct made *m = start("ask_stubbed", "ask", 0, "lookup helper");
	char *f = frame_of("ask", &size);
	SET(f, "ask", "key", int, 4);
	add_frame(m, "ask", f, size);
	add(m, "helper#1", &(int){-1}, 4);
	add(m, "lookup#1", &(int){1000}, 4);
	add(m, "lookup#1.found", &(int){6}, 4);
	add(m, "lookup#2", &(int){-3}, 4);
	m = start("ask_lookup", "ask", 0, "lookup"); // the unit's own function is real
	f = frame_of("ask", &size);
	SET(f, "ask", "key", int, 4);
	add_frame(m, "ask", f, size);
	add(m, "lookup#1", &(int){8}, 4);
	// A variadic function, and parameters that are called as the test's own variables.
	m = start("twice_stubbed", "twice", 0, "half");
	f = frame_of("twice", &size);
	SET(f, "twice", "result", int, 6);
	add_frame(m, "twice", f, size);
	add(m, "half#1", &(int){29}, 4);
	// Globals that a stub writes: one that the test knows, one that it does not.
	static const char *const written[][2] = {{"ask_limit", "lookup#1:limit"}, {"ask_asked", "lookup#1:asked"}};
	for (size_t i = 0; i < 2; i++) {
		m = start(written[i][0], "ask", 0, "lookup");
		f = frame_of("ask", &size);
		add_frame(m, "ask", f, size);
		add(m, "lookup#1", &(int){8}, 4);
		add(m, written[i][1], &(int){77}, 4);
		add(m, "lookup#1:first", &(uint64_t){FRAGMENT_KEEP}, 8); // stays what it was
	}
	m = start("ask_real", "ask", 0, "");
	f = frame_of("ask", &size);
	add_frame(m, "ask", f, size);
}

// Loops and labels: they begin there.
static void markers(void)
{
	size_t size;
	struct made *m = start("steps_for", "steps", 1, "");
	char *f = frame_of("steps", &size);
	SET(f, "steps", "n", int, 7);
	SET(f, "steps", "h", unsigned, 31337);
	SET(f, "steps", "odd", int, 1);
	SET(f, "steps", "i", int, 5);
	add_frame(m, "steps", f, size);
	m = start("steps_while", "steps", 2, "");
	f = frame_of("steps", &size);
	SET(f, "steps", "odd", int, 40);
	add_frame(m, "steps", f, size);
	m = start("steps_do", "steps", 3, "");
	f = frame_of("steps", &size);
	SET(f, "steps", "odd", int, 15);
	add_frame(m, "steps", f, size);
	m = start("again_label", "again", 1, "");
	f = frame_of("again", &size);
	SET(f, "again", "n", int, 3);
	SET(f, "again", "turns", int, 50);
	add_frame(m, "again", f, size);
}

static void others(void)
{
	size_t size;
	struct made *m = start("crashes", "crash", 0, "");
	char *f = frame_of("crash", &size);
	add_frame(m, "crash", f, size);
	m = start("stops", "stop", 0, "");
	f = frame_of("stop", &size);
	add_frame(m, "stop", f, size);
	m = start("overfull", "fill", 0, "");
	f = frame_of("fill", &size);
	POINT(f, "fill", "numbers", FRAGMENT_NEW);
	SET(f, "fill", "n", int, 6);
	add_frame(m, "fill", f, size);
	add(m, "*numbers", &(int[4]){0}, sizeof(int[4]));
	m = start("noisy", "noise", 0, "");
	add(m, "", "", 0);
	m = start("unknown_marker", "sum", 99, "");
}

// They end before what ends the program.
static void ends(void)
{
	static const char *const ids[] = {"early_null", "early_exit", "early_abort",
	                                  "early_case", "early_next", "early_out"};
	for (int mode = 0; mode < 6; mode++) {
		size_t size;
		struct made *m = start(ids[mode], "early", 0, "&limit");
		char *f = frame_of("early", &size);
		struct node n = {.value = 30};
		memset(&n.next, FRAGMENT_NULL, 1);
		SET(f, "early", "mode", int, mode);
		POINT(f, "early", "n", FRAGMENT_NEW);
		add_frame(m, "early", f, size);
		add(m, "limit", &(int){2}, sizeof(int));
		add(m, "*n", &n, sizeof n);
	}
}

// What functions of the system say.
static void systems(void)
{
	static const struct {
		const char *id, *read, *word;
		int fd, error;
		long n;
	} all[] = {{"load_none", NULL, NULL, -1, 2, 0},       {"load_denied", NULL, NULL, -1, 13, 0},
	           {"load_fails", NULL, NULL, 3, 0, -1},      {"load_short", "abc", NULL, 3, 0, 3},
	           {"load_elf", "\177ELF", NULL, 3, 0, 4},    {"load_other", "abcd", NULL, 3, 0, 4},
	           {"load_word", "wordless", "word", 3, 0, 4}};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		size_t size;
		struct made *m = start(all[i].id, "load", 0, "");
		char *f = frame_of("load", &size), word[8] = "";
		add_frame(m, "load", f, size);
		add(m, "open#1:errno", &all[i].error, sizeof(int));
		add(m, "open#1", &all[i].fd, sizeof(int));
		if (all[i].read)
			add(m, "read#1.out", all[i].read, 4);
		add(m, "read#1", &all[i].n, sizeof(long));
		word[0] = all[i].word ? FRAGMENT_NEW : FRAGMENT_NULL;
		add(m, "getenv#1", word, sizeof word);
		if (all[i].word)
			add(m, "*getenv#1", all[i].word, strlen(all[i].word) + 1);
	}
}

// --- any program ----------------------------------------------------------------------------------

// An object behind a pointer: its pointers are null, its numbers 1.
static void add_object(struct made *m, const struct shape_table *t, const struct shape_field *f)
{
	struct shape_ref of = {(uint32_t)(t - shapes.units), t->types[f->type].of};
	of = shape_complete(&shapes, of);
	const struct shape_type *is = &shapes.units[of.unit].types[of.number];
	size_t size = is->size ? is->kind == SHAPE_STRUCT || is->kind == SHAPE_UNION ? is->size : 4 * is->size : 16;
	if (size > 65536 || m->c.n == CELLS || is->kind == SHAPE_FUNCTION)
		return;
	char *name = mem_printf("*%s", shape_text(t, f->name)), *data = mem_alloc(size + 1);
	memset(data, 1, size);
	add(m, name, data, size);
	mem_free(data);
	m->names[m->c.n - 1] = name;
}

static void add_any(uint32_t unit, uint32_t number, uint32_t marker)
{
	const struct shape_table *t = &shapes.units[unit];
	const struct shape_function *f = &t->functions[number];
	const struct shape_type *frame = &t->types[f->frame];
	if (n_made == CASES || frame->size > 1 << 20)
		return;
	struct made *m = &made[n_made++];
	struct fragment_entry e = {.magic = FRAGMENT_MAGIC,
	                           .unit = t->head->unit,
	                           .function = number,
	                           .marker = marker,
	                           .depth = 4,
	                           .object_max = 4096};
	buf_add(&m->entry, &e, sizeof e);
	m->id = mem_printf("%s_%u_%u", shape_text(t, f->name), unit, marker);
	m->c = (struct fragment_case){.id = m->id, .parts = m->parts};
	char *data = mem_zero(frame->size + 1);
	for (uint32_t i = 0; i < frame->n; i++) {
		const struct shape_field *field = &t->fields[frame->first + i];
		enum shape_kind kind = t->types[field->type].kind;
		if (kind == SHAPE_INTEGER)
			data[field->offset] = 1;
		else if (kind == SHAPE_POINTER && t->types[t->types[field->type].of].kind == SHAPE_FUNCTION)
			data[field->offset] = FRAGMENT_NULL;
	}
	add(m, "", data, frame->size);
	mem_free(data);
	for (uint32_t i = 0; i < frame->n; i++) {
		const struct shape_field *field = &t->fields[frame->first + i];
		if (t->types[field->type].kind == SHAPE_POINTER && field->name)
			add_object(m, t, field);
	}
}

static void everything(void)
{
	for (uint32_t u = 0; u < shapes.n_units; u++)
		for (uint32_t i = 0; i < shapes.units[u].head->n_functions; i++) {
			const struct shape_table *t = &shapes.units[u];
			const struct shape_function *f = &t->functions[i];
			for (uint32_t k = 0; k < f->markers; k++)
				if (!(f->flags & (SHAPE_NEVER | SHAPE_BORROWED)) &&
				    t->markers[f->first_marker + k].enters)
					add_any(u, i, k);
		}
}

static int report(const struct fragment_written *w)
{
	printf("tests %zu checks %zu\n", w->tests, w->checks);
	for (size_t i = 0; i < w->n_skipped; i++)
		printf("skipped %s: %s\n", w->skipped[i].id, w->skipped[i].reason);
	return 0;
}

int main(int argc, char **argv)
{
	struct err err = {""};
	struct fragment_written written;
	if (argc < 4)
		fail("usage: fragment_tool PROGRAM INSTRUMENT FOLDER [COMPILER [cmocka]]");
	bool all = strcmp(argv[1], "--all") == 0;
	argv += all;
	argc -= all;
	read_shapes(argv[1], argv[2], argv[3]);
	if (all) {
		everything();
	} else {
		functions();
		stubs();
		markers();
		others();
		ends();
		systems();
	}
	static struct fragment_case cases[CASES];
	for (size_t i = 0; i < n_made; i++) {
		made[i].c.entry = made[i].entry.data;
		made[i].c.entry_size = made[i].entry.len;
		cases[i] = made[i].c;
	}
	char *own = mem_printf("%s.sandbox", argv[3]);
	const char *const programs[] = {argv[1]};
	struct fragment_suite s = {.programs = programs,
	                           .n_programs = 1,
	                           .shapes = &shapes,
	                           .cases = cases,
	                           .n = n_made,
	                           .compiler = argc > 4 ? argv[4] : NULL,
	                           .cmocka = argc > 5,
	                           .mode = sandbox_best(),
	                           .worker_dirs = own};
	int r = fragment_c_write(argv[3], &s, &written, &err);
	if (r < 0)
		fail(err.text);
	report(&written);
	fragment_written_release(&written);
	for (size_t i = 0; i < n_made; i++) {
		for (uint32_t k = 0; k < made[i].c.n; k++)
			mem_free(made[i].data[k]), mem_free(made[i].names[k]);
		mem_free(made[i].id);
		buf_release(&made[i].entry);
	}
	file_remove_tree(own);
	mem_free(own);
	shape_free(&shapes);
	if (mem_live() != 0)
		fail("something is still allocated");
	return 0;
}
