#include "findings/script.h"

#include <ctype.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "findings/fixture.h"
#include "findings/hostile.h"
#include "input/sym.h"

struct script {
	const struct finding_text *f;
	struct buf before; // lines that set variables
	unsigned counter;
	bool debugged; // the debugger runs it, with the program as argument, and wants it to become that
};

static void add_word(struct script *s, struct buf *word, const char *data, size_t size)
{
	script_word(word, &s->before, &s->counter, data, size);
}

// Where it ran.
static const char *folder_of(const struct script *s)
{
	return s->f->snapshot ? s->f->snapshot->cwd : s->f->cwd;
}

// The first place at which the path stands, whole; size if there is none.
static size_t find_one(const char *data, size_t size, const char *path)
{
	size_t n = path ? strlen(path) : 0;
	const char *at = n > 1 && n <= size && path[0] == '/' ? memmem(data, size, path, n) : NULL;
	if (!at || (at + n < data + size && (isalnum((unsigned char)at[n]) || strchr("._-", at[n]))))
		return size;
	return (size_t)(at - data);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

// The first place at which one of the files that come along is named by its whole path; size if there is none.
static size_t find_path(const struct script *s, const char *data, size_t size)
{
	const struct snapshot *snapshot = s->f->snapshot;
	size_t first = size;
	for (size_t i = 0; i < s->f->input->n; i++)
		if (s->f->input->v[i].kind == INPUT_FILE)
			first = least(first, find_one(data, size, s->f->input->v[i].name));
	if (snapshot)
		first = least(first, find_one(data, size, snapshot->cwd));
	for (size_t i = 0; snapshot && i < snapshot->n; i++)
		if (fixture_has(snapshot, snapshot->v[i].path))
			first = least(first, find_one(data, size, snapshot->v[i].path));
	return first;
}

// Like add_word; paths of the input's files lead to the copies.
static void add_value(struct script *s, struct buf *word, const char *data, size_t size)
{
	size = size ? strnlen(data, size) : 0;
	size_t at = find_path(s, data, size);
	if (at == size) {
		add_word(s, word, data, size);
		return;
	}
	if (at)
		add_word(s, word, data, at);
	buf_addstr(word, "\"$dir\"");
	// What follows may name another.
	size_t next = at + 1 + find_path(s, data + at + 1, size - at - 1);
	add_word(s, word, data + at, next - at);
	if (next < size)
		add_value(s, word, data + next, size - next);
}

static void add_snapshot_head(struct script *s, struct buf *out)
{
	size_t with, without;
	fixture_count(s->f->snapshot, &with, &without);
	buf_printf(out, "#\n# It is a recorded test with a change. %zu files that it had are in " FIXTURE_FOLDER "/.\n",
	           with);
	if (without)
		buf_printf(out, "# %zu others, in other folders, are those of this machine.\n", without);
}

static void add_head(struct script *s, struct buf *out)
{
	const struct verdict *v = s->f->verdict;
	char *function = hostile_clean(v->function, strlen(v->function)),
	     *file = hostile_clean(v->file, strlen(v->file));
	char *kind = hostile_clean(v->kind, strlen(v->kind));
	buf_printf(
		out,
		"#!/bin/sh\n"
		"# %s: %s in %s, %s:%u\n"
		"#\n"
		"# Runs the program on the input that shows it, in a temporary folder. Usage: reproduce.sh [PROGRAM]\n"
		"# Without sanitizers the program may seem to work. Build it with -fsanitize=address,undefined, then\n"
		"#   PROGRAM=path/to/it ./reproduce.sh\n"
		"# It uses its own libraries: by LD_LIBRARY_PATH, by the wrapper of libtool, or in its build tree.\n"
		"# If it needs other files of the folder it ran in: WITH=FOLDER copies all that is there.\n",
		s->f->id, kind, function, file, v->line);
	if (s->f->snapshot)
		add_snapshot_head(s, out);
	mem_free(function);
	mem_free(file);
	mem_free(kind);
}

static void add_program(struct script *s, struct buf *out)
{
	struct buf word = {0};
	add_word(s, &word, s->f->program, strlen(s->f->program));
	buf_add(out, s->before.data, s->before.len);
	buf_clear(&s->before);
	buf_printf(out,
	           "program=%s\n"
	           "program=${1:-${PROGRAM:-$program}}\n"
	           "case $program in /*) ;; */*) program=$PWD/$program ;; esac\n"
	           "here=$(cd \"$(dirname \"$0\")\" && pwd) || exit 125\n",
	           word.data);
	if (s->debugged)
		buf_addstr(out, "dir=$here/root\n\n"); // removed by who made it
	else
		buf_printf(out,
		           "dir=${TMPDIR:-/tmp}/veer-%s-$$\n"
		           "(umask 077 && mkdir \"$dir\") || exit 125\n"
		           "trap '%srm -rf \"$dir\"' 0\n"
		           "trap 'exit 129' 1; trap 'exit 130' 2; trap 'exit 143' 15\n\n",
		           s->f->id, s->f->snapshot ? "chmod -R u+rwx \"$dir\" 2>/dev/null; " : "");
	buf_release(&word);
}

// A line `COMMAND "$dir"PATH`, and what sets its variables.
static void add_path_line(struct script *s, struct buf *out, const char *command, const char *path, const char *end)
{
	struct buf word = {0};
	add_word(s, &word, path, strlen(path));
	buf_add(out, s->before.data, s->before.len);
	buf_clear(&s->before);
	buf_printf(out, "%s \"$dir\"%s%s\n", command, word.data, end);
	buf_release(&word);
}

// Links by whole paths, and permissions that would have kept the copy from being made, the innermost first.
static void finish_snapshot(struct script *s, struct buf *out)
{
	const struct snapshot *snapshot = s->f->snapshot;
	for (size_t i = snapshot->n; i-- > 0;) {
		const struct snapshot_entry *e = &snapshot->v[i];
		if (!fixture_has(snapshot, e->path))
			continue;
		unsigned needed = fixture_needs(s->f, e);
		if (fixture_is_moved_link(snapshot, e)) {
			struct buf word = {0};
			add_value(s, &word, e->text, strlen(e->text));
			char *command = mem_printf("ln -s %s", word.data), *folder = path_dirname(e->path);
			add_path_line(s, out, "mkdir -p", folder, "");
			add_path_line(s, out, command, e->path, "");
			mem_free(folder);
			mem_free(command);
			buf_release(&word);
		} else if (e->kind < SNAPSHOT_LINK && (e->mode & needed) != needed) {
			char *command = mem_printf("chmod %o", e->mode);
			add_path_line(s, out, command, e->path, "");
			mem_free(command);
		}
	}
}

static bool is_in_snapshot(const struct script *s, const char *path)
{
	const struct snapshot_entry *e = s->f->snapshot ? snapshot_find(s->f->snapshot, path) : NULL;
	return e && e->kind == SNAPSHOT_FILE && fixture_has(s->f->snapshot, path);
}

// Spells out part number `i`.
static void add_content(struct script *s, struct buf *out, size_t i, const char *path)
{
	buf_addstr(out, "{\n");
	script_content(out, &s->f->input->v[i].data, &s->f->masks->v[i].data);
	add_path_line(s, out, "} >", path, " || exit 125");
}

static void add_copy(struct script *s, struct buf *out, size_t i, const char *path)
{
	char *file = script_file(s->f->input, i), *copy = mem_printf("cp \"$here/input/%s\"", file);
	add_path_line(s, out, copy, path, "");
	mem_free(copy);
	mem_free(file);
}

// The time of a file that was copied, and has been filled since.
static void add_time(struct script *s, struct buf *out, const char *path)
{
	struct buf word = {0};
	add_word(s, &word, path, strlen(path));
	char *touch = mem_printf("touch -r \"$here/" FIXTURE_FOLDER "\"%s", word.data);
	add_path_line(s, out, touch, path, "");
	mem_free(touch);
	buf_release(&word);
}

// Part number `i`, a file.
static void add_file(struct script *s, struct buf *out, size_t i)
{
	const char *name = s->f->input->v[i].name;
	char *path = path_clean(name), *folder = path ? path_dirname(path) : NULL;
	bool there = is_in_snapshot(s, name); // with the input's content, unless that is spelled out
	if (path && !there)
		add_path_line(s, out, "mkdir -p", folder, "");
	if (path && s->f->masks)
		add_content(s, out, i, path);
	else if (path && !there)
		add_copy(s, out, i, path);
	if (path && s->f->masks && there)
		add_time(s, out, path);
	mem_free(folder);
	mem_free(path);
}

// Content that has no name of its own.
static void add_contents(struct script *s, struct buf *out)
{
	size_t objects = 0;
	for (size_t i = 0; i < s->f->input->n; i++) {
		enum input_kind kind = s->f->input->v[i].kind;
		char *path = kind == INPUT_OBJECT ? mem_printf("/.objects.%zu", ++objects) : mem_strdup("/.stdin");
		if (s->f->masks && (kind == INPUT_STDIN || kind == INPUT_OBJECT))
			add_content(s, out, i, path);
		else if (kind == INPUT_OBJECT)
			add_copy(s, out, i, path);
		mem_free(path);
	}
}

static void add_files(struct script *s, struct buf *out)
{
	char *cwd = path_clean(folder_of(s));
	if (s->f->snapshot)
		buf_addstr(out, "[ ! -d \"$here/" FIXTURE_FOLDER "\" ] || cp -RPp \"$here/" FIXTURE_FOLDER
		                "/.\" \"$dir\" || exit 125\n");
	add_path_line(s, out, "mkdir -p", cwd ? cwd : "/", "");
	add_path_line(s, out, "[ -z \"${WITH:-}\" ] || cp -R \"$WITH/.\"", cwd ? cwd : "/", "");
	add_contents(s, out);
	for (size_t i = 0; i < s->f->input->n; i++)
		if (s->f->input->v[i].kind == INPUT_FILE && s->f->input->v[i].name)
			add_file(s, out, i);
	add_path_line(s, out, "cd", cwd ? cwd : "/", " || exit 125");
	mem_free(cwd);
	if (s->f->snapshot)
		finish_snapshot(s, out);
}

static bool is_identifier(const char *name)
{
	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '_')
			return false;
	return *name && !isdigit((unsigned char)*name);
}

static void add_variable(struct script *s, struct buf *words, struct buf *out, const char *name, const char *data,
                         size_t size)
{
	if (!name || !*name || *name == '-' || strchr(name, '=') || (s->debugged && !is_identifier(name))) {
		buf_addstr(out, "# A variable of the environment has a name that the shell cannot set.\n");
		return;
	}
	char *start = mem_printf("%s=", name);
	buf_addch(words, ' ');
	add_word(s, words, start, strlen(start));
	add_value(s, words, data, size);
	mem_free(start);
}

#define LIBRARIES "LD_LIBRARY_PATH"

// Whether the suite set it, as libtool's wrappers do, and the input does not.
static bool has_libraries(const struct script *s)
{
	const struct snapshot *snapshot = s->f->snapshot;
	for (size_t i = 0; snapshot && i < snapshot->n_variables; i++)
		if (strncmp(snapshot->variables[i], LIBRARIES "=", strlen(LIBRARIES "=")) == 0)
			return fixture_has_variable(s->f, snapshot->variables[i]) &&
			       !input_find(s->f->input, INPUT_VARIABLE, LIBRARIES);
	return false;
}

// The recorded libraries are the recorded program's. Another build of it (with sanitizers, say) would load them in
// place of its own and show nothing, so it gets the folders at the same places of its own build tree.
static void add_libraries(struct script *s, struct buf *out)
{
	static const char relocate[] =
		"if [ \"$program\" != \"$recorded\" ]; then # its own libraries, not the recorded ones\n"
		"\told=$(installed_name \"$recorded\") new=$(installed_name \"$program\") rest=$libraries:\n"
		"\twhile [ \"$old\" ] && [ \"${old##*/}\" = \"${new##*/}\" ]; do old=${old%/*} new=${new%/*}; done\n"
		"\tlibraries=${LD_LIBRARY_PATH:-}\n"
		"\twhile [ \"$rest\" ]; do\n"
		"\t\tfolder=${rest%%:*} rest=${rest#*:}\n"
		"\t\tcase $folder in \"$old\"/*) folder=$new${folder#\"$old\"} ;; *) continue ;; esac\n"
		"\t\t[ ! -d \"$folder\" ] || libraries=$libraries${libraries:+:}$folder\n"
		"\tdone\n"
		"fi\n";
	static const char installed_name[] = // libtool: the wrapper DIR/NAME runs DIR/.libs/NAME or DIR/.libs/lt-NAME
		"installed_name() {\n"
		"\tcase $1 in\n"
		"\t*/.libs/lt-*) printf %s \"${1%/.libs/*}/${1##*/lt-}\" ;;\n"
		"\t*/.libs/*) printf %s \"${1%/.libs/*}/${1##*/}\" ;;\n"
		"\t*) printf %s \"$1\" ;;\n"
		"\tesac\n"
		"}\n";
	struct buf program = {0}, libraries = {0};
	char *folders = snapshot_libraries(s->f->snapshot);
	add_word(s, &program, s->f->program, strlen(s->f->program));
	add_word(s, &libraries, folders, strlen(folders));
	buf_add(out, s->before.data, s->before.len);
	buf_clear(&s->before);
	buf_printf(out, "recorded=%s\nlibraries=%s\n", program.data, libraries.data);
	if (!s->debugged) // the debugger's is a variant of the recorded one
		buf_printf(out, "%s%s", installed_name, relocate);
	mem_free(folders);
	buf_release(&program);
	buf_release(&libraries);
}

// Words for env, or, since a debugger counts the programs that are executed, for the shell's own export.
static void add_variables(struct script *s, struct buf *words, struct buf *out)
{
	const struct snapshot *snapshot = s->f->snapshot;
	for (size_t i = 0; snapshot && i < snapshot->n_variables; i++) {
		const char *variable = snapshot->variables[i];
		size_t n = strcspn(variable, "=");
		char *name = mem_copy(variable, n);
		if (strcmp(name, LIBRARIES) != 0 && fixture_has_variable(s->f, variable) &&
		    !input_find(s->f->input, INPUT_VARIABLE, name))
			add_variable(s, words, out, name, variable + n + 1, strlen(variable + n + 1));
		mem_free(name);
	}
	for (size_t i = 0; i < s->f->input->n; i++) {
		const struct input_part *p = &s->f->input->v[i];
		if (p->kind == INPUT_VARIABLE)
			add_variable(s, words, out, p->name, p->data.data, p->data.len);
	}
	if (has_libraries(s)) {
		add_libraries(s, out);
		buf_addstr(words, " ${libraries:+\"" LIBRARIES "=$libraries\"}");
	}
}

// Before what the test had is set.
static void add_snapshot(struct script *s, struct buf *out)
{
	struct buf names = {0};
	fixture_unset(s->f->snapshot, &names);
	if (names.len)
		buf_printf(out, "unset%s\n", names.data);
	buf_printf(out, "umask %03o\n", s->f->snapshot->umask & 0777);
	buf_release(&names);
}

// Without a snapshot, a variable that is input and not in it: whoever runs the script may have one.
struct unsetting {
	const struct input *input;
	struct buf *out;
};

static void add_unset(void *opaque, const char *name)
{
	const struct unsetting *u = opaque;
	if (is_identifier(name) && !input_find(u->input, INPUT_VARIABLE, name))
		buf_printf(u->out, "unset %s\n", name);
}

static void add_unsets(struct script *s, struct buf *out)
{
	struct unsetting u = {s->f->input, out};
	sym_each_variable(s->f->sym, add_unset, &u);
}

static void add_streams(struct script *s, struct buf *out)
{
	static const char *const names[3][STREAM_NULL + 1] = {{NULL, " <&-", " </dev/full", " </dev/null"},
	                                                      {"", " >&-", " >/dev/full", " >/dev/null"},
	                                                      {"", " 2>&-", "", ""}}; // where reports go
	const char *input = !input_find(s->f->input, INPUT_STDIN, NULL) ? " </dev/null"
	                    : s->f->masks                               ? " <\"$dir/.stdin\""
	                                                                : " <\"$here/input/stdin\"";
	for (int i = 0; i < 3; i++) {
		const char *word = names[i][s->f->snapshot ? s->f->snapshot->streams[i] : STREAM_ORDINARY];
		buf_addstr(out, word ? word : input);
	}
	buf_addch(out, '\n');
}

static void add_run(struct script *s, struct buf *out)
{
	const char *limit = s->f->masks ? "$limit " : "";
	struct buf words = {0}, variables = {0};
	const struct input *in = s->f->input;
	bool objects = script_has_objects(in), first = true;
	if (objects) {
		buf_addstr(out, script_preload);
		script_objects(in, out);
	}
	if (s->f->snapshot)
		add_snapshot(s, out);
	else
		add_unsets(s, out);
	add_variables(s, &variables, out);
	if (objects)
		buf_addstr(&variables, " \"VEER_OBJECTS=$dir/.objects\" \"LD_PRELOAD=$objects\"");
	for (size_t i = 0; i < in->n; i++)
		if (in->v[i].kind == INPUT_ARGUMENT) {
			if (!first) {
				buf_addch(&words, ' ');
				add_value(s, &words, in->v[i].data.data, in->v[i].data.len);
			}
			first = false;
		}
	buf_add(out, s->before.data, s->before.len);
	buf_printf(out, "set --%s\n", words.len ? words.data : "");
	if (s->debugged)
		buf_printf(out, "export%s\nexec \"$program\" \"$@\"", variables.len ? variables.data : " PWD");
	else if (variables.len)
		buf_printf(out, "%senv%s sh -c 'exec \"$0\" \"$@\"' \"$program\" \"$@\"", limit, variables.data);
	else
		buf_printf(out, "%s\"$program\" \"$@\"", limit);
	add_streams(s, out);
	buf_release(&words);
	buf_release(&variables);
}

// A script that calls itself for each version, so that one that does not end can be ended.
static void write_both(struct script *s, struct buf *out)
{
	const struct verdict *v = s->f->verdict;
	struct buf old = {0}, new = {0};
	char *function = hostile_clean(v->function, strlen(v->function));
	add_word(s, &old, s->f->program, strlen(s->f->program));
	add_word(s, &new, s->f->newer, strlen(s->f->newer));
	buf_printf(
		out,
		"#!/bin/sh\n"
		"# %s: %s, by what changed in %s\n"
		"#\n"
		"# Runs both versions on the input that shows it, in a temporary folder, and compares what they do.\n"
		"# Usage: reproduce.sh [OLD NEW]. Exit status 1: they differ.\n",
		s->f->id, v->kind, function);
	buf_addstr(out, "here=$(cd \"$(dirname \"$0\")\" && pwd) || exit 125\n"
	                "if [ \"${1-}\" = --run ]; then\nprogram=$2 dir=$3\n");
	mem_free(function);
	struct buf before = s->before;
	s->before = (struct buf){0};
	add_files(s, out);
	add_run(s, out);
	buf_addstr(out, "exit\nfi\n");
	buf_add(out, before.data, before.len);
	buf_printf(out, "old=${1:-%s}\nnew=${2:-%s}\n", old.data, new.data);
	buf_printf(out,
	           "root=${TMPDIR:-/tmp}/veer-%s-$$\n"
	           "(umask 077 && mkdir \"$root\") || exit 125\n"
	           "trap 'chmod -R u+rwx \"$root\" 2>/dev/null; rm -rf \"$root\"' 0\n"
	           "trap 'exit 129' 1; trap 'exit 130' 2; trap 'exit 143' 15\n"
	           "limit=$(command -v timeout) && limit=\"$limit 20\"\n"
	           "run() { # program, name\n"
	           "\tcase $1 in /*) program=$1 ;; *) program=$PWD/$1 ;; esac\n"
	           "\tmkdir \"$root/run\" || exit 125\n"
	           "\t$limit sh \"$here/reproduce.sh\" --run \"$program\" \"$root/run\" >\"$root/$2.out\" 2>&1\n"
	           "\techo \"exit status $?\" >>\"$root/$2.out\"\n"
	           "\tmv \"$root/run\" \"$root/$2\"\n"
	           "}\n"
	           "run \"$old\" old\nrun \"$new\" new\n"
	           "echo \"--- $old\"; cat \"$root/old.out\"; echo \"--- $new\"; cat \"$root/new.out\"\n"
	           "cmp -s \"$root/old.out\" \"$root/new.out\" && diff -r \"$root/old\" \"$root/new\" && exit 0\n"
	           "exit 1\n",
	           s->f->id);
	buf_release(&before);
	buf_release(&old);
	buf_release(&new);
}

void script_write(const struct finding_text *f, bool debugged, struct buf *ret)
{
	if (input_find(f->input, INPUT_FRAGMENT, NULL)) {
		buf_printf(
			ret,
			"#!/bin/sh\necho '%s begins inside the program, with state that veer made up; to run it again: "
			"veer replay %s' >&2\nexit 125\n",
			f->id, f->id);
		return;
	}
	struct script s = {.f = f, .debugged = debugged};
	if (f->newer) {
		write_both(&s, ret);
		buf_release(&s.before);
		return;
	}
	add_head(&s, ret);
	add_program(&s, ret);
	add_files(&s, ret);
	add_run(&s, ret);
	buf_release(&s.before);
}

void script_write_files(const struct finding_text *f, struct buf *ret)
{
	struct script s = {.f = f};
	add_files(&s, ret);
	buf_release(&s.before);
}

void script_write_run(const struct finding_text *f, struct buf *ret)
{
	struct script s = {.f = f};
	add_run(&s, ret);
	buf_release(&s.before);
}
