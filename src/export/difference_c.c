// Differences between two versions as tests in C: each starts the program on the input in a folder of its own, and
// expects how the old version ended and what it printed. For POSIX; needs no library.
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "export/export.h"

static const char head[] =
#include "difference_head.txt.inc"
	;
static const char code[] =
#include "difference_code.txt.inc"
	;

// Long ones on several lines.
static void add_literal(struct buf *out, const char *data, size_t size)
{
	enum { LINE = 60 };
	for (size_t at = 0; at == 0 || at < size; at += LINE) {
		buf_addstr(out, at ? "\n\t\t" : "");
		export_string(out, data + at, size - at < LINE ? size - at : LINE);
	}
}

static void add_bytes(struct buf *out, const char *name, const struct buf *data)
{
	buf_addstr(out, "\t{");
	export_string(out, name, strlen(name));
	buf_addstr(out, ", ");
	add_literal(out, buf_str(data), data->len);
	buf_printf(out, ", %zu},\n", data->len);
}

static void add_files(struct buf *out, const struct export_suite *s, const struct input *in)
{
	const struct buf none = {0};
	buf_addstr(out, "static const struct bytes files[] = {\n");
	if (!input_find(in, INPUT_STDIN, NULL))
		add_bytes(out, "/.stdin", &none);
	for (size_t i = 0; i < in->n; i++) {
		char *place = in->v[i].kind == INPUT_FILE ? export_place(s, in->v[i].name) : mem_strdup("/.stdin");
		if (in->v[i].kind == INPUT_FILE || in->v[i].kind == INPUT_STDIN)
			add_bytes(out, place, &in->v[i].data);
		mem_free(place);
	}
	buf_addstr(out, "\t{NULL, NULL, 0},\n};\n");
}

static void add_word(struct buf *out, const struct export_suite *s, const struct input *in, const struct buf *data)
{
	char *place = NULL;
	for (size_t i = 0; i < in->n && !place; i++)
		if (in->v[i].kind == INPUT_FILE && data->len && strcmp(in->v[i].name, data->data) == 0)
			place = export_place(s, in->v[i].name);
	const char *text = place ? place : buf_str(data);
	buf_addstr(out, "\t{");
	export_string(out, text, strlen(text)); // a word ends at a zero byte
	buf_printf(out, ", %d},\n", place != NULL);
	mem_free(place);
}

static void add_words(struct buf *out, const struct export_suite *s, const struct input *in)
{
	bool first = true;
	buf_addstr(out, "static const struct word words[] = {\n");
	for (size_t i = 0; i < in->n; i++) {
		if (in->v[i].kind != INPUT_ARGUMENT)
			continue;
		if (!first)
			add_word(out, s, in, &in->v[i].data);
		first = false;
	}
	buf_addstr(out, "\t{NULL, 0},\n};\nstatic const struct bytes variables[] = {\n");
	for (size_t i = 0; i < in->n; i++)
		if (in->v[i].kind == INPUT_VARIABLE && in->v[i].name[0] != '-')
			add_bytes(out, in->v[i].name, &in->v[i].data);
	buf_addstr(out, "\t{NULL, NULL, 0},\n};\n");
}

static void write_test(const struct export_suite *s, const struct export_test *t, struct buf *out)
{
	export_comment(out, "// ", t);
	buf_printf(out,
	           "// Made by veer, and runs without it. Build: cc %s.c -o %s; usage: %s [PROGRAM]. Exit status: 0 "
	           "passes, 1 fails, 125 broken.\n",
	           t->id, t->id, t->id);
	buf_addstr(out, head);
	buf_printf(out, "static const char id[] = \"%s\";\nstatic const char usual[] = ", t->id);
	export_string(out, s->program, strlen(s->program));
	buf_printf(out, ";\nstatic const int expected_status = %d;\nstatic const char expected[] =\n\t\t", t->status);
	add_literal(out, buf_str(t->output), t->output->len);
	buf_addstr(out, ";\n");
	add_files(out, s, t->input);
	add_words(out, s, t->input);
	buf_addch(out, '\n');
	buf_addstr(out, code);
}

// A folder that a recorded test ran in has no place in one file, nor has an object that the program asks for.
static bool can_write(const struct export_test *t)
{
	bool can = !t->recorded;
	for (size_t i = 0; i < t->input->n; i++)
		can &= t->input->v[i].kind <= INPUT_FILE;
	return can;
}

int export_differences_c(const char *folder, const struct export_suite *s, struct err *err)
{
	int left_out = 0;
	for (size_t i = 0; i < s->n; i++) {
		struct buf text = {0};
		if (!can_write(&s->tests[i])) {
			left_out++;
			continue;
		}
		write_test(s, &s->tests[i], &text);
		char *path = mem_printf("%s/%s.c", folder, s->tests[i].id);
		int r = file_replace(path, text.data, text.len, 0666, err);
		mem_free(path);
		buf_release(&text);
		if (r < 0)
			return -1;
	}
	return left_out;
}
