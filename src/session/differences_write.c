// Differences for people and tools: folders, results.json, text.
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "findings/folder.h"
#include "input/input.h"
#include "input/snapshot.h"
#include "session/differences.h"
#include "session/entered.h"
#include "session/results.h"
#include "session/versions.h"
#include "session/witness.h"

static const char *text_of(const char *text)
{
	return text ? text : "?";
}

// --- folders --------------------------------------------------------------------------------------

static void describe(const struct differences *d, const struct difference *x, struct buf *out)
{
	struct finding_name name = difference_name(d, x);
	utf8_line(out, "%s (%s)", difference_text(x->kind), difference_word(x->kind));
	utf8_line(out, "  %s", x->why);
	if (!name.function) {
		buf_printf(out, "\n%u inputs show it. No change was executed by all of them.\n", x->inputs);
		return;
	}
	const struct changed_function *f = &d->changes->functions[x->function];
	buf_printf(out, "\nthe change that tells the %u inputs which show it from others\n", x->inputs);
	utf8_line(out, "  %s, %s: %s", name.function, name.file, change_text(f->kind));
	for (int side = 0; side < CHANGE_SIDES; side++) {
		struct buf lines = {0};
		uint32_t n = 0;
		code_changes_lines(f, side, &lines, &n);
		if (n)
			buf_printf(out, "  %s lines", side == CHANGE_OLD ? "old" : "new");
		for (uint32_t i = 0; i < n; i++) {
			uint32_t line;
			memcpy(&line, lines.data + i * sizeof line, sizeof line);
			buf_printf(out, " %u", line);
		}
		buf_addstr(out, n ? "\n" : "");
		buf_release(&lines);
	}
}

// Its report, the input, and the script that runs both versions on it.
static int write_with_script(const struct differences *d, uint32_t i, const struct differences_place *place,
                             int64_t number, const struct buf *text, struct err *err)
{
	const struct difference *x = &d->v[i];
	struct input in = {0};
	struct snapshot snapshot = {0};
	bool has_snapshot;
	if (witness_input(place->store, number, &in, &snapshot, &has_snapshot, err) < 0)
		return -1;
	struct finding_name name = difference_name(d, x);
	char *id = mem_printf("D%u", i + 1);
	const struct verdict verdict = {.level = LEVEL_WARNING,
	                                .kind = (char *)difference_word(x->kind),
	                                .function = (char *)text_of(name.function),
	                                .file = (char *)text_of(name.file),
	                                .stack = "",
	                                .report = text->data};
	const struct finding_text f = {.id = id,
	                               .program = place->programs[CHANGE_OLD],
	                               .newer = place->programs[CHANGE_NEW],
	                               .cwd = place->cwd,
	                               .verdict = &verdict,
	                               .input = &in,
	                               .snapshot = has_snapshot ? &snapshot : NULL,
	                               .files = place->files,
	                               .sym = place->sym};
	int r = finding_write(place->output, &f, err);
	mem_free(id);
	input_release(&in);
	if (has_snapshot)
		snapshot_release(&snapshot);
	return r;
}

static int write_one(const struct differences *d, uint32_t i, const struct differences_place *place, struct err *err)
{
	struct buf text = {0};
	describe(d, &d->v[i], &text);
	int r = write_with_script(d, i, place, d->v[i].example, &text, err);
	buf_release(&text);
	return r;
}

// Of made-up state there is no script: nothing but veer's own variant of the program can be entered there.
static int write_possible(const struct differences *d, uint32_t i, const struct differences_place *place,
                          struct err *err)
{
	const struct difference *x = &d->v[i];
	struct input in = {0};
	struct snapshot snapshot = {0};
	struct buf text = {0}, state = {0};
	bool has_snapshot;
	if (witness_input(place->store, x->example, &in, &snapshot, &has_snapshot, err) < 0)
		return -1;
	const struct fact_function *entry = change_function(&d->changes->functions[x->entry]);
	describe(d, x, &text);
	buf_addch(&text, '\n');
	utf8_part(
		&text, "Both versions of %s were entered with state that %s", entry->name,
		x->whole
			? "a run of the program has when it calls it:\nreproduce.sh runs both versions so. They do not "
			  "show the difference.\n"
			: "veer made up: nobody knows whether the program\ncomes there with it.\n");
	if (x->distance)
		buf_printf(&text, "From there it is %u call%s to the change.\n", x->distance,
		           x->distance == 1 ? "" : "s");
	buf_addstr(&text, "\nthe smallest state that shows it\n");
	twins_print(&d->entered->twins, x->side, &in, &state);
	utf8_lines(&text, state.data, state.len);
	buf_release(&state);
	char *folder = mem_printf("%s/" DIFFERENCES_FOLDER "/D%u", place->output, i + 1),
	     *path = mem_printf("%s/report.txt", folder);
	file_remove_tree(folder); // of an earlier session
	int r = x->whole ? write_with_script(d, i, place, x->whole, &text, err) : file_subfolder(folder, 0755, err);
	if (r == 0 && !x->whole)
		r = file_replace(path, text.data, text.len, 0644, err);
	mem_free(folder);
	mem_free(path);
	buf_release(&text);
	input_release(&in);
	if (has_snapshot)
		snapshot_release(&snapshot);
	return r;
}

// Those of an earlier session, of which there were more. What else is in the folder is the user's.
static int remove_earlier(const struct differences *d, const struct differences_place *place, struct err *err)
{
	char *folder = mem_printf("%s/" DIFFERENCES_FOLDER, place->output);
	int r = file_mkdirs(place->output, 0777, err) < 0 ? -1 : file_subfolder(folder, 0777, err);
	DIR *dir = r == 0 ? opendir(folder) : NULL;
	for (struct dirent *e; dir && (e = readdir(dir));) {
		char *end, *path = mem_printf("%s/%s", folder, e->d_name);
		bool named = e->d_name[0] == 'D' && e->d_name[1] >= '1' && e->d_name[1] <= '9';
		unsigned long number = named ? strtoul(e->d_name + 1, &end, 10) : 0;
		if (named && !*end && number > d->n)
			file_remove_tree(path);
		mem_free(path);
	}
	if (dir)
		closedir(dir);
	if (d->n == 0)
		rmdir(folder); // stays when somebody else has something there
	mem_free(folder);
	return r;
}

int differences_write(const struct differences *d, const struct differences_place *place, struct err *err)
{
	if (remove_earlier(d, place, err) < 0)
		return -1;
	for (uint32_t i = 0; i < d->n; i++)
		if ((d->v[i].class == DIFFERENCE_CONFIRMED ? write_one : write_possible)(d, i, place, err) < 0)
			return -1;
	return 0;
}

// --- results.json ---------------------------------------------------------------------------------

static void field(struct buf *out, const char *name, const char *text)
{
	buf_printf(out, "\"%s\": ", name);
	json_string(out, text, strlen(text));
	buf_addstr(out, ", ");
}

static void functions(const struct differences *d, struct buf *out)
{
	static const char *const words[] = {"", "same", "different", "undecided"};
	const char *comma = "";
	buf_addstr(out, ",\n \"functions\": [");
	for (uint32_t i = 0; i < d->changes->n_functions; i++) {
		const struct compared_function *f = &d->functions[i];
		const struct fact_function *own = change_function(&d->changes->functions[i]);
		if (f->verdict == VERDICT_NONE)
			continue;
		buf_printf(out, "%s\n  {", comma);
		comma = ",";
		field(out, "name", own->name);
		field(out, "file", own->file);
		field(out, "verdict", words[f->verdict]);
		buf_printf(out, "\"inputs\": %u, \"reason\": ", f->inputs);
		json_string(out, f->reason, strlen(f->reason));
		buf_addch(out, '}');
	}
	buf_addch(out, ']');
}

void differences_json(const struct differences *d, struct buf *out)
{
	buf_addstr(out, ",\n \"changes\": ");
	versions_json(d->changes, out);
	functions(d, out);
	buf_printf(out, ",\n \"compared\": %u, \"noise\": %u,\n \"differences\": [", d->n_inputs, d->n_noise);
	for (uint32_t i = 0; i < d->n; i++) {
		const struct difference *x = &d->v[i];
		struct finding_name name = difference_name(d, x);
		buf_printf(out, "%s\n  {\"id\": \"D%u\", ", i ? "," : "", i + 1);
		field(out, "function", text_of(name.function));
		field(out, "file", text_of(name.file));
		field(out, "identifier", x->identifier ? x->identifier : difference_word(x->kind));
		field(out, "kind", difference_word(x->kind));
		field(out, "class", difference_class_word(x->class));
		field(out, "why", x->why);
		if (x->class != DIFFERENCE_CONFIRMED) {
			field(out, "entry", change_function(&d->changes->functions[x->entry])->name);
			field(out, "old", x->old);
			field(out, "new", x->new);
		}
		buf_printf(out, "\"distance\": %u, \"inputs\": %u, \"accepted\": %s, ", x->distance, x->inputs,
		           x->accepted ? "true" : "false");
		if (x->class == DIFFERENCE_POSSIBLE)
			buf_printf(out, "\"report\": \"" DIFFERENCES_FOLDER "/D%u/report.txt\"}", i + 1);
		else
			buf_printf(out, "\"reproduce\": \"" DIFFERENCES_FOLDER "/D%u/reproduce.sh\"}", i + 1);
	}
	buf_addch(out, ']');
}

// --- text -----------------------------------------------------------------------------------------

static void print_function(const struct differences *d, uint32_t i, struct buf *out)
{
	static const char *const words[] = {"", "same", "different", "not decided"};
	const struct fact_function *own = change_function(&d->changes->functions[i]);
	utf8_line(out, "  %-11s %s  %s:%u: %s", words[d->functions[i].verdict], own->name, own->file, own->line,
	          d->functions[i].reason);
}

void differences_print(const struct differences *d, bool verbose, struct buf *out)
{
	static const char *const words[] = {"", "lifted: ", "possible: "};
	uint32_t counts[VERDICT_UNDECIDED + 1] = {0};
	for (uint32_t i = 0; i < d->n; i++) {
		struct finding_name name = difference_name(d, &d->v[i]);
		if (d->v[i].accepted && !verbose)
			continue;
		utf8_line(out, "D%u %s%s in %s, %s: %s%s", i + 1, words[d->v[i].class], difference_word(d->v[i].kind),
		          text_of(name.function), text_of(name.file), d->v[i].why,
		          d->v[i].accepted ? " (accepted)" : "");
	}
	for (uint32_t i = 0; i < d->changes->n_functions; i++)
		counts[d->functions[i].verdict]++;
	buf_printf(out, "changed functions: %u different, %u the same, %u not decided\n", counts[VERDICT_DIFFERENT],
	           counts[VERDICT_SAME], counts[VERDICT_UNDECIDED]);
	for (int verdict = VERDICT_DIFFERENT; verdict <= VERDICT_UNDECIDED; verdict++)
		for (uint32_t i = 0; i < d->changes->n_functions; i++)
			if (d->functions[i].verdict == (enum function_verdict)verdict)
				print_function(d, i, out);
	if (verbose)
		for (uint32_t i = 0; i < d->changes->n_functions; i++)
			if (d->functions[i].verdict == VERDICT_SAME)
				print_function(d, i, out);
	if (d->n_accepted)
		buf_printf(out, "%u accepted by the baseline\n", d->n_accepted);
	if (d->n_noise)
		buf_printf(out, "%u of %u inputs were left out: a version runs them differently each time\n",
		           d->n_noise, d->n_inputs);
}
