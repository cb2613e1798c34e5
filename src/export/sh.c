// Tests for a POSIX shell: a script for each, and one that runs them all.
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "export/export.h"
#include "findings/fixture.h"
#include "findings/script.h"

struct script {
	const struct export_suite *suite;
	const struct export_test *test;
	struct buf *out;
	unsigned counter;
};

// --- files ----------------------------------------------------------------------------------------

// `COMMAND"$dir"PLACE`, and what sets its variables.
static void add_line(struct script *s, const char *command, const char *place)
{
	struct buf word = {0}, before = {0};
	script_word(&word, &before, &s->counter, place, strlen(place));
	buf_printf(s->out, "%s%s\"$dir\"%s\n", buf_str(&before), command, word.data);
	buf_release(&word);
	buf_release(&before);
}

static void add_part(struct script *s, size_t i, const char *place)
{
	buf_addstr(s->out, "{\n");
	script_content(s->out, &s->test->input->v[i].data, &s->test->masks->v[i].data);
	add_line(s, "} >", place);
}

static void add_files(struct script *s)
{
	const struct input *in = s->test->input;
	size_t objects = 0;
	for (size_t i = 0; i < in->n; i++) {
		if (in->v[i].kind == INPUT_STDIN)
			add_part(s, i, "/.stdin");
		if (in->v[i].kind == INPUT_OBJECT) {
			char *path = mem_printf("/.objects.%zu", ++objects);
			add_part(s, i, path);
			mem_free(path);
		}
		if (in->v[i].kind != INPUT_FILE)
			continue;
		char *place = export_place(s->suite, in->v[i].name), *folder = path_dirname(place);
		if (strcmp(folder, "/") != 0)
			add_line(s, "mkdir -p ", folder);
		add_part(s, i, place);
		mem_free(folder);
		mem_free(place);
	}
}

// --- the command ----------------------------------------------------------------------------------

static void add_value(struct script *s, struct buf *words, struct buf *before, const struct buf *data)
{
	const struct input *in = s->test->input;
	for (size_t i = 0; i < in->n; i++)
		if (in->v[i].kind == INPUT_FILE && data->len && strcmp(in->v[i].name, data->data) == 0) {
			char *place = export_place(s->suite, in->v[i].name);
			buf_addstr(words, "\"$dir\"");
			script_word(words, before, &s->counter, place, strlen(place));
			mem_free(place);
			return;
		}
	script_word(words, before, &s->counter, buf_str(data), data->len);
}

// The output of a difference is compared, as it was written.
static const char *output_of(const struct export_test *t)
{
	return t->output ? ">\"$dir/.errors\" 2>&1" : ">/dev/null 2>\"$dir/.errors\"";
}

static void add_command(struct script *s)
{
	struct buf words = {0}, variables = {0}, before = {0};
	const struct input *in = s->test->input;
	bool objects = script_has_objects(in), first = true;
	for (size_t i = 0; i < in->n; i++) {
		if (in->v[i].kind == INPUT_ARGUMENT && !first) {
			buf_addch(&words, ' ');
			add_value(s, &words, &before, &in->v[i].data);
		}
		first &= in->v[i].kind != INPUT_ARGUMENT;
		if (in->v[i].kind != INPUT_VARIABLE || in->v[i].name[0] == '-')
			continue;
		char *start = mem_printf("%s=", in->v[i].name);
		buf_addch(&variables, ' ');
		script_word(&variables, &before, &s->counter, start, strlen(start));
		add_value(s, &variables, &before, &in->v[i].data);
		mem_free(start);
	}
	if (objects) {
		buf_addstr(s->out, script_preload);
		script_objects(in, s->out);
		buf_addstr(&variables, " \"VEER_OBJECTS=$dir/.objects\" \"LD_PRELOAD=$objects\"");
	}
	buf_addstr(s->out, buf_str(&before));
	buf_printf(s->out, "$limit env%s sh -c 'exec \"$0\" \"$@\"' \"$program\"%s <%s %s\n",
	           variables.len ? variables.data : "", words.len ? words.data : "",
	           input_find(in, INPUT_STDIN, NULL) ? "\"$dir/.stdin\"" : "/dev/null", output_of(s->test));
	buf_addstr(s->out, "status=$?\n\n");
	buf_release(&words);
	buf_release(&variables);
	buf_release(&before);
}

// --- the whole ------------------------------------------------------------------------------------

static void add_head(struct script *s, const char *program)
{
	struct buf word = {0}, before = {0};
	buf_addstr(s->out, "#!/bin/sh\n");
	export_comment(s->out, "# ", s->test);
	script_word(&word, &before, &s->counter, program, strlen(program));
	buf_printf(s->out,
	           "# Made by veer, and runs without it, in a folder of its own. Usage: %s.sh [PROGRAM]\n"
	           "# WITH=FOLDER copies what is in there first. Exit status: 0 passes, 1 fails, 77 cannot tell, 125 "
	           "broken.\n"
	           "%sprogram=%s\n"
	           "program=${1:-${PROGRAM:-$program}}\n"
	           "case $program in /*) ;; */*) program=$PWD/$program ;; esac\n"
	           "here=$(cd \"$(dirname \"$0\")\" && pwd)/%s || exit 125\n"
	           "dir=${TMPDIR:-/tmp}/veer-%s-$$\n"
	           "(umask 077 && mkdir \"$dir\") || exit 125\n"
	           "trap 'chmod -R u+rwx \"$dir\" 2>/dev/null; rm -rf \"$dir\"' 0\n"
	           "trap 'exit 129' 1; trap 'exit 130' 2; trap 'exit 143' 15\n"
	           "limit=$(command -v timeout) && limit=\"$limit 20\"\n"
	           "ASAN_OPTIONS=exitcode=99:detect_leaks=0:${ASAN_OPTIONS:-}\n"
	           "UBSAN_OPTIONS=halt_on_error=1:exitcode=99:${UBSAN_OPTIONS:-}\n"
	           "export ASAN_OPTIONS UBSAN_OPTIONS\n\n",
	           s->test->id, buf_str(&before), word.data, s->test->id, s->test->id);
	buf_release(&word);
	buf_release(&before);
}

// In a shell of its own: what it sets is for the program.
static void add_recorded(struct script *s)
{
	script_write_files(s->test->recorded, s->out);
	buf_addstr(s->out, "(\n");
	script_write_run(s->test->recorded, s->out);
	buf_printf(s->out, ") %s\nstatus=$?\n\n", output_of(s->test));
}

static void add_explored(struct script *s)
{
	buf_addstr(s->out, "[ -z \"${WITH:-}\" ] || cp -R \"$WITH/.\" \"$dir\" || exit 125\n"
	                   "cd \"$dir\" || exit 125\n");
	add_files(s);
	add_command(s);
}

static void add_expected(struct script *s)
{
	struct buf all = {0};
	for (size_t i = 0; i < s->test->output->len; i++)
		buf_addch(&all, (char)0xff);
	buf_addstr(s->out, "{\n");
	script_content(s->out, s->test->output, &all);
	buf_printf(s->out,
	           "} >\"$dir/.expected\"\n"
	           "cmp -s \"$dir/.expected\" \"$dir/.errors\" || {\n"
	           "\techo \"FAIL %s: another output than that of the old version\"\n"
	           "\tdiff \"$dir/.expected\" \"$dir/.errors\" | head -n 20\n\texit 1\n}\n",
	           s->test->id);
	buf_release(&all);
}

// A shell cannot tell signals from large exit statuses.
static void add_verdict(struct script *s)
{
	const struct export_test *t = s->test;
	if (!t->bug && t->status >= 0) {
		buf_printf(s->out, "[ $status -eq %d ] || { echo \"FAIL %s: exit status $status, not %d\"; exit 1; }\n",
		           t->status, t->id, t->status);
	} else {
		buf_addstr(s->out, "case $status in\n99 | 12[4-9] | 1[3-9][0-9] | 2[0-9][0-9])\n\t");
		struct buf word = {0}, before = {0};
		char *text =
			mem_printf("FAIL %s: %s, exit status", t->id, t->bug ? t->bug : "it does not end by itself");
		script_word(&word, &before, &s->counter, text, strlen(text));
		buf_printf(s->out,
		           "%secho %s $status\n\tsed 's/^/    /' \"$dir/.errors\" | head -n 20\n\texit 1 ;;\nesac\n",
		           buf_str(&before), word.data);
		mem_free(text);
		buf_release(&word);
		buf_release(&before);
	}
	if (t->bug && !t->visible)
		buf_printf(s->out,
		           "grep -q __asan_init \"$(command -v \"$program\")\" || {\n"
		           "\techo \"skip %s: build the program with -fsanitize=address,undefined\"\n\texit 77\n}\n",
		           t->id);
	if (t->output)
		add_expected(s);
	buf_printf(s->out, "echo \"ok %s\"\n", t->id);
}

static int write_script(const char *folder, const char *name, const struct buf *text, struct err *err)
{
	char *path = mem_printf("%s/%s.sh", folder, name);
	int r = file_replace(path, text->data, text->len, 0777, err);
	mem_free(path);
	return r;
}

static const char all[] = "#!/bin/sh\n"
			  "# Runs all tests of this folder. Usage: all.sh [PROGRAM]. Exit status 1 when one fails.\n"
			  "here=$(cd \"$(dirname \"$0\")\" && pwd) || exit 125\n"
			  "result=0\n"
			  "for t in \"$here\"/[DFI][0-9]*.sh; do\n"
			  "\tsh \"$t\" \"$@\"\n"
			  "\tcase $? in 0 | 77) ;; *) result=1 ;; esac\n"
			  "done\n"
			  "exit $result\n";

// The files around a recorded test.
static int write_around(const char *folder, const struct finding_text *f, struct err *err)
{
	char *path = mem_printf("%s/%s", folder, f->id);
	file_remove_tree(path);
	int r = fixture_write(path, f, err);
	mem_free(path);
	return r;
}

static int write_all(const char *folder, const struct export_suite *suite, struct err *err)
{
	struct buf text = {0};
	int r = 0;
	for (size_t i = 0; r == 0 && i < suite->n; i++) {
		struct script s = {.suite = suite, .test = &suite->tests[i], .out = &text};
		buf_clear(&text);
		add_head(&s, s.test->recorded ? s.test->recorded->program : suite->program);
		(s.test->recorded ? add_recorded : add_explored)(&s);
		add_verdict(&s);
		r = write_script(folder, s.test->id, &text, err);
		if (r == 0 && s.test->recorded)
			r = write_around(folder, s.test->recorded, err);
	}
	buf_clear(&text);
	buf_addstr(&text, all);
	if (r == 0)
		r = write_script(folder, "all", &text, err);
	buf_release(&text);
	return r;
}

const struct exporter export_sh = {
	.name = "sh",
	.summary = "scripts for a POSIX shell, and all.sh",
	.write = write_all,
};
