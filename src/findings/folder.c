#include "findings/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "findings/fixture.h"
#include "findings/hostile.h"
#include "findings/script.h"

enum { SHOWN_BYTES = 60, SHOWN_RANGES = 12 };

// --- report.txt -----------------------------------------------------------------------------

// As a string of C, cut when it is long.
static void show_bytes(struct buf *out, const char *data, size_t size)
{
	buf_addch(out, '"');
	for (size_t i = 0; i < size && i < SHOWN_BYTES; i++) {
		unsigned char c = (unsigned char)data[i];
		if (c == '"' || c == '\\')
			buf_printf(out, "\\%c", c);
		else if (c == '\n')
			buf_addstr(out, "\\n");
		else if (c < ' ' || c > '~')
			buf_printf(out, "\\%03o", c);
		else
			buf_addch(out, (char)c);
	}
	buf_addstr(out, size > SHOWN_BYTES ? "\"..." : "\"");
}

// Which bytes are not the seed's: "3-5, 9".
static void show_changes(struct buf *out, const struct buf *data, const struct buf *seed)
{
	size_t ranges = 0, changed = 0;
	for (size_t i = 0; i < data->len; i++) {
		size_t from = i;
		while (i < data->len && (i >= seed->len || data->data[i] != seed->data[i]))
			i++;
		if (i == from)
			continue;
		changed += i - from;
		if (++ranges > SHOWN_RANGES)
			continue;
		buf_printf(out, ranges == 1 ? "; bytes %zu" : ", %zu", from);
		if (i > from + 1)
			buf_printf(out, "-%zu", i - 1);
	}
	if (ranges > SHOWN_RANGES)
		buf_addstr(out, " ...");
	if (changed)
		buf_printf(out, " changed (%zu)", changed);
	if (seed->len != data->len)
		buf_printf(out, "; %zu bytes before", seed->len);
	else if (!changed)
		buf_addstr(out, "; as before");
}

static void show_name(struct buf *out, const struct input_part *p, size_t ordinal)
{
	char *name = p->name ? hostile_clean(p->name, strlen(p->name)) : NULL;
	switch (p->kind) {
	case INPUT_ARGUMENT:
		if (ordinal)
			buf_printf(out, "  argument %zu", ordinal);
		else
			buf_addstr(out, "  name of the program");
		break;
	case INPUT_VARIABLE: buf_printf(out, "  variable %s", name ? name : "?"); break;
	case INPUT_STDIN: buf_addstr(out, "  standard input"); break;
	case INPUT_FILE: buf_printf(out, "  file %s", name ? name : "?"); break;
	case INPUT_OBJECT:
		buf_printf(out, "  %s%s", name ? "object " : "objects that the program makes symbolic",
		           name ? name : "");
		if (name && ordinal)
			buf_printf(out, "_%zu", ordinal);
		break;
	case INPUT_FRAGMENT: buf_addstr(out, "  entry"); break;
	case INPUT_CELL: buf_printf(out, "  object %s", name && name[0] ? name : "frame"); break;
	case INPUT_SOCKET: buf_addstr(out, "  socket"); break;
	}
	mem_free(name);
}

// Strings that can be printed stand in the script, and need no file.
static bool has_file(const struct input_part *p)
{
	if (p->kind != INPUT_ARGUMENT && p->kind != INPUT_VARIABLE)
		return true;
	for (size_t i = 0; i < p->data.len; i++)
		if (p->data.data[i] < ' ' || p->data.data[i] > '~')
			return true;
	return false;
}

static void show_input(struct buf *out, const struct finding_text *f)
{
	for (size_t i = 0; i < f->input->n; i++) {
		const struct input_part *p = &f->input->v[i], *seed = NULL;
		size_t ordinal = input_ordinal(f->input, i);
		if (f->seed)
			seed = input_nth(f->seed, p->kind, p->name, ordinal);
		show_name(out, p, ordinal);
		buf_printf(out, ": %zu bytes", p->data.len);
		if (seed)
			show_changes(out, &p->data, &seed->data);
		else if (f->seed)
			buf_addstr(out, "; new");
		if (has_file(p)) {
			char *file = script_file(f->input, i);
			buf_printf(out, "; input/%s", file);
			mem_free(file);
		}
		buf_addstr(out, "\n    ");
		show_bytes(out, p->data.data, p->data.len);
		buf_addch(out, '\n');
	}
}

void finding_input_text(const struct input *in, struct buf *out)
{
	for (size_t i = 0; i < in->n; i++) {
		const struct input_part *p = &in->v[i];
		size_t ordinal = input_ordinal(in, i), from = out->len, indented = 2;
		if (p->kind == INPUT_ARGUMENT && !ordinal) // the name of the program
			continue;
		struct buf line = {0};
		show_name(&line, p, ordinal);
		buf_addstr(&line, ": ");
		show_bytes(&line, p->data.data, p->data.len);
		buf_addstr(out, from ? "\n" : "");
		buf_addstr(out, line.data + indented);
		buf_release(&line);
	}
}

// Lines, each indented.
static void show_lines(struct buf *out, const char *text)
{
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, "\n");
		char *line = hostile_clean(p, n);
		buf_printf(out, "  %s\n", line);
		mem_free(line);
		p += n + (p[n] == '\n');
	}
}

static void show_snapshot(struct buf *out, const struct finding_text *f)
{
	const struct snapshot *s = f->snapshot;
	static const char *const streams[] = {NULL, "is closed", "is /dev/full", "is /dev/null"};
	static const char *const names[] = {"standard input", "standard output", "standard error"};
	size_t with, without;
	fixture_count(s, &with, &without);
	buf_addstr(out, "\nthe recorded test it was made from\n  in ");
	show_bytes(out, s->cwd, strlen(s->cwd));
	buf_printf(out, ", umask %03o\n  %zu files of it in " FIXTURE_FOLDER "/, %zu in other folders\n", s->umask,
	           with, without);
	for (int i = 0; i < 3; i++)
		if (streams[s->streams[i]])
			buf_printf(out, "  %s %s\n", names[i], streams[s->streams[i]]);
	for (size_t i = 0; i < s->n_variables; i++)
		if (fixture_has_variable(f, s->variables[i])) {
			buf_addstr(out, "  ");
			show_bytes(out, s->variables[i], strlen(s->variables[i]));
			buf_addch(out, '\n');
		}
}

static void write_difference(const struct finding_text *f, struct buf *out)
{
	const char *const programs[] = {f->program, f->newer};
	buf_printf(out, "%s: ", f->id);
	show_lines(out, f->verdict->report);
	for (int i = 0; i < 2; i++) {
		buf_printf(out, i ? "\nnew  " : "\nold  ");
		show_bytes(out, programs[i], strlen(programs[i]));
	}
	buf_addstr(out, "\n\ninput\n");
	show_input(out, f);
	if (f->snapshot)
		show_snapshot(out, f);
	buf_addstr(out, "\nto run both versions on it\n  ./reproduce.sh [OLD NEW]   without veer; see there\n");
}

static void write_report(const struct finding_text *f, struct buf *out)
{
	if (f->newer) {
		write_difference(f, out);
		return;
	}
	const struct verdict *v = f->verdict;
	struct buf title = {0};
	buf_printf(&title, "%s: %s (%s)\n%s %s:%u\n", f->id, v->kind, level_name(v->level), v->function, v->file,
	           v->line);
	show_lines(out, title.data);
	buf_release(&title);
	buf_printf(out, "\nprogram\n  ");
	show_bytes(out, f->program, strlen(f->program));
	if (*v->stack) {
		buf_addstr(out, "\n\nstack, innermost first\n");
		show_lines(out, v->stack);
	} else {
		buf_addch(out, '\n');
	}
	buf_addstr(out, f->seed ? "\ninput, and what differs from the one it was made from\n" : "\ninput\n");
	show_input(out, f);
	if (f->snapshot)
		show_snapshot(out, f);
	buf_printf(out,
	           "\nto run it again\n"
	           "  veer replay %s          with the sanitizers, in the sandbox\n"
	           "  veer replay --gdb %s    in the debugger\n"
	           "  ./reproduce.sh [PROGRAM]   without veer; see there\n",
	           f->id, f->id);
	if (*v->report) {
		buf_addstr(out, "\nwhat was reported\n");
		show_lines(out, v->report);
	}
}

// --- files ----------------------------------------------------------------------------------

// Onto the disk: the folder's name must not get there before what is in it.
static int write_file(const char *folder, const char *name, const void *data, size_t size, unsigned mode,
                      struct err *err)
{
	char *path = mem_printf("%s/%s", folder, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode), r = 0;
	if (fd < 0 || file_write_all(fd, data, size) < 0 || fsync(fd) < 0)
		r = err_errno(err, "cannot write %s", path);
	if (fd >= 0)
		close(fd);
	mem_free(path);
	return r;
}

static void sync_folder(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		fsync(fd);
		close(fd);
	}
}

static int write_input(const char *folder, const struct input *in, struct err *err)
{
	char *inputs = mem_printf("%s/input", folder);
	int r = file_mkdirs(inputs, 0777, err);
	for (size_t i = 0; r == 0 && i < in->n; i++) {
		if (!has_file(&in->v[i]))
			continue;
		char *name = script_file(in, i);
		r = write_file(inputs, name, in->v[i].data.data, in->v[i].data.len, 0666, err);
		mem_free(name);
	}
	sync_folder(inputs);
	mem_free(inputs);
	return r;
}

// Onto the disk all at once: they may be many.
static int write_fixture(const char *folder, const struct finding_text *f, struct err *err)
{
	if (!f->snapshot)
		return 0;
	int r = fixture_write(folder, f, err), fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		syncfs(fd);
		close(fd);
	}
	return r;
}

int finding_write_wrapper(const char *folder, const struct finding_text *f, struct err *err)
{
	struct buf script = {0};
	script_write(f, true, &script);
	int r = write_input(folder, f->input, err);
	if (r == 0)
		r = write_fixture(folder, f, err);
	if (r == 0)
		r = write_file(folder, "wrapper.sh", script.data, script.len, 0777, err);
	buf_release(&script);
	return r;
}

static int write_all(const char *folder, const struct finding_text *f, struct err *err)
{
	struct buf report = {0}, script = {0};
	write_report(f, &report);
	script_write(f, false, &script);
	int r = file_mkdirs(folder, 0777, err);
	if (r == 0)
		r = write_input(folder, f->input, err);
	if (r == 0)
		r = write_fixture(folder, f, err);
	if (r == 0)
		r = write_file(folder, "report.txt", report.data, report.len, 0666, err);
	if (r == 0)
		r = write_file(folder, "reproduce.sh", script.data, script.len, 0777, err);
	sync_folder(folder);
	buf_release(&report);
	buf_release(&script);
	return r;
}

// Puts the new folder in the place of the old one in one step, where the file system can do that.
static int exchange(const char *new, const char *path, struct err *err)
{
	if (rename(new, path) == 0)
		return 0;
	if (renameat2(AT_FDCWD, new, AT_FDCWD, path, RENAME_EXCHANGE) == 0) {
		file_remove_tree(new);
		return 0;
	}
	file_remove_tree(path);
	if (rename(new, path) == 0)
		return 0;
	return err_errno(err, "cannot create %s", path);
}

static int write_finding(const char *campaign, const struct finding_text *f, struct err *err)
{
	char *folder = mem_printf("%s/%s", campaign, f->newer ? DIFFERENCES_FOLDER : "findings"),
	     *path = mem_printf("%s/%s", folder, f->id);
	char *new = mem_printf("%s/.%s.new", folder, f->id);
	int r = file_mkdirs(campaign, 0777, err);
	if (r == 0)
		r = file_subfolder(folder, 0777, err);
	bool ours = r == 0;
	if (ours) {
		file_remove_tree(new); // of a campaign that was killed
		r = write_all(new, f, err);
	}
	if (r == 0)
		r = exchange(new, path, err);
	if (r < 0 && ours)
		file_remove_tree(new);
	else if (ours)
		sync_folder(folder);
	mem_free(new);
	mem_free(path);
	mem_free(folder);
	return r;
}

int finding_write(const char *campaign, const struct finding_text *f, struct err *err)
{
	struct finding_text whole = *f;
	struct input seed = {0};
	int r = 0;
	if (f->snapshot && f->seed) {
		input_copy(&seed, f->seed);
		r = snapshot_complete(f->snapshot, f->files, f->input, &seed, err);
		whole.seed = &seed;
	}
	if (r == 0)
		r = write_finding(campaign, &whole, err);
	input_release(&seed);
	return r;
}
