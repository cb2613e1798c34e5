// Two programs compared: what changed, then a campaign on both.
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/diff.h"
#include "cli/recording.h"
#include "config.h"
#include "explore/differ.h"
#include "explore/driver.h"
#include "explore/seeds.h"
#include "formats/format.h"
#include "input/input_template.h"
#include "input/snapshot.h"
#include "input/sym.h"
#include "record/interpose.h"
#include "session/differences.h"
#include "session/entered.h"
#include "session/results.h"
#include "session/settings.h"
#include "session/versions.h"

struct diff {
	const struct diff_options *options;
	const struct diff_pair *pair;
	struct session_setup setup;
	struct session session;
	struct choice choice;
	struct versions versions;
	struct change_goals goals;
	struct differences differences;
	struct entered entered;
	struct input_template input_template;
	size_t compared, different, noise;
	struct strv words; // what a campaign is of: the programs, their contents, the arguments
	bool live;
};

static struct diff *diff_of(const struct session *s)
{
	return s->setup->opaque;
}

// --- what changed ---------------------------------------------------------------------------------

static int write_file(const struct diff *d, const char *name, const struct buf *text, struct err *err)
{
	char *path = mem_printf("%s/%s", d->pair->output, name);
	int r = file_mkdirs(d->pair->output, 0755, err);
	if (r == 0)
		r = file_replace(path, buf_str(text), text->len, 0644, err);
	mem_free(path);
	return r;
}

// Nothing is run: what is known without.
static int write_results_of_changes(struct diff *d, struct err *err)
{
	struct buf json = {0};
	buf_addstr(&json, "{\"veer\": \"" CONFIG_VERSION "\", \"command\": \"diff\"");
	differences_json(&d->differences, &json);
	buf_addstr(&json, "}\n");
	int r = write_file(d, RESULTS_FILE, &json, err);
	if (r == 0)
		r = diff_views(d->options, d->pair, &d->differences, &d->session, err);
	buf_release(&json);
	return r;
}

static int write_changes(struct diff *d, struct err *err)
{
	struct buf text = {0};
	code_changes_print(&d->versions.changes, (uint32_t)d->options->distance, &text);
	int r = write_file(d, "changes.txt", &text, err);
	if (r == 0 && d->options->changes)
		fwrite(text.data, 1, text.len, stdout);
	else if (r == 0 && d->pair->label && (code_changes_any(&d->versions.changes) || d->options->verbose))
		cli_line(stdout, "%s: %.*s", d->pair->label, (int)strcspn(text.data, "\n"), text.data);
	else if (r == 0 && !d->pair->label && !d->options->run.quiet)
		cli_line(stdout, "%.*s", (int)strcspn(text.data, "\n"), text.data);
	fflush(stdout);
	buf_release(&text);
	return r;
}

// --- the campaign ---------------------------------------------------------------------------------

static void print_progress(struct session *s, const struct campaign *c)
{
	const struct diff *d = diff_of(s);
	static double last;
	if (d->options->run.quiet || (!d->live && c->elapsed - last < 10))
		return;
	last = c->elapsed;
	fprintf(stderr,
	        d->live ? "\rveer: %.0f s, %llu runs, %llu compared\033[K" : "veer: %.0f s, %llu runs, %llu compared\n",
	        c->elapsed, (unsigned long long)c->counts.runs, (unsigned long long)c->counts.oracle_runs);
}

static void ignore_bug(struct session *s, const struct bug *bug)
{
	(void)s, (void)bug;
}

// A recorded test is one of the program when the program has the name of either version.
static bool takes(void *opaque, int64_t number)
{
	const struct session *s = opaque;
	const struct diff *d = diff_of(s);
	struct snapshot snapshot;
	struct buf data = {0};
	struct err err;
	bool is_its = false;
	if (store_get_snapshot(s->store, number, &data, &err) == 0 &&
	    snapshot_decode(&snapshot, data.data, data.len, &err) == 0) {
		for (int side = 0; side < CHANGE_SIDES; side++)
			is_its |= strcmp(path_basename(snapshot.program), path_basename(d->pair->programs[side])) == 0;
		is_its &= !snapshot.why;
		snapshot_release(&snapshot);
	}
	buf_release(&data);
	return is_its;
}

static int add_shapes(void *shapes, const char *variant, struct err *err)
{
	return shape_add_file(shapes, variant, err);
}

static int build(struct diff *d, struct err *err)
{
	struct programs *programs = &d->session.programs;
	for (uint32_t side = 0; side < CHANGE_SIDES; side++) {
		uint32_t number = programs_add(programs, d->pair->programs[side], side + 1);
		programs->v[number].target.version = side;
		if (programs_build(programs, number, cli_runs_natively, err) < 0)
			return -1;
	}
	change_goals_new(&d->goals, &d->versions.changes, d->session.cover);
	d->setup.goals = d->goals.goals;
	d->entered.goals = &d->goals;
	if (d->options->whole)
		return 0;
	for (uint32_t side = 0; side < CHANGE_SIDES; side++)
		if (programs_each_variant(programs, side, add_shapes, &d->entered.shapes[side], err) < 0)
			return -1;
	entered_init(&d->entered, &d->versions.changes, (uint32_t)d->options->distance);
	d->setup.twins = &d->entered.twins;
	return 0;
}

// The name that runs know the program by is the same for both versions.
static int read_seeds(struct diff *d, struct err *err)
{
	static char *const any[] = {"--sym-args", "0", "2", "8", "--sym-stdin", "16", NULL};
	const struct diff_options *o = d->options;
	struct foreigns foreigns = {0};
	struct strv words = {0};
	struct err why;
	if (o->seeds && formats_read(o->seeds, &foreigns, &why) < 0)
		return err_set(err, "--seeds: %s", why.text);
	strv_push(&words, path_basename(d->pair->programs[CHANGE_NEW]));
	char *const *arguments = *d->pair->arguments || o->seeds || o->tests ? d->pair->arguments : any;
	for (size_t i = 0; arguments[i]; i++)
		strv_push(&words, arguments[i]);
	int r = input_template_read(&d->input_template, words.v, o->sym, o->seeds ? &foreigns : NULL, 0, d->session.cwd,
	                            err);
	foreigns_release(&foreigns);
	strv_release(&words);
	sym_clear_variables(o->sym);
	d->setup.sym = d->input_template.sym.data;
	d->setup.largest = d->input_template.bounded ? &d->input_template.largest : NULL;
	return r;
}

static int store_differences(struct session *s, const struct campaign *c, struct err *err)
{
	struct diff *d = diff_of(s);
	struct buf json = {0};
	differences_release(&d->differences);
	if (differences_read(&d->differences, s->store, &d->versions.changes, &d->goals,
	                     d->entered.n ? &d->entered : NULL, c->complete, &d->choice.known, err) < 0)
		return -1;
	differences_json(&d->differences, &json);
	int r = setting_set(s->store, SETTING_versions, json.data, json.len, err);
	buf_release(&json);
	return r;
}

static int write_baseline(const struct diff *d, struct err *err)
{
	const char *path = d->options->choice.write_baseline;
	struct baseline all = {0};
	for (uint32_t i = 0; i < d->differences.n; i++) {
		struct finding_name name = difference_name(&d->differences, &d->differences.v[i]);
		baseline_add(&all, "", &name);
	}
	int r = baseline_write(&all, path, err);
	baseline_release(&all);
	return r;
}

static void print_end(const struct diff *d, const struct campaign *c)
{
	struct buf text = {0};
	if (d->live)
		fputs("\r\033[K", stderr);
	differences_print(&d->differences, d->options->verbose, &text);
	fwrite(text.data, 1, text.len, stdout);
	uint32_t shown = differences_reported(&d->differences, DIFFERENCE_LIFTED),
		 possible = differences_reported(&d->differences, DIFFERENCE_POSSIBLE) - shown;
	printf("%s after %.1f s: %llu runs, %u inputs compared; %u difference%s",
	       *d->setup.stop && !c->complete ? "stopped"
	       : c->complete                  ? "complete"
	                                      : "ended",
	       c->elapsed, (unsigned long long)c->counts.runs, d->differences.n_inputs, shown, shown == 1 ? "" : "s");
	if (possible)
		printf(", %u possible%s", possible, d->options->possible ? "" : " (--possible counts them)");
	putchar('\n');
	if (d->options->run.stats)
		cli_stats(c, d->setup.jobs);
	fflush(stdout);
	buf_release(&text);
}

static int finish(struct diff *d, const struct campaign *c, struct err *err)
{
	const struct differences_place place = {.store = d->session.store,
	                                        .output = d->pair->output,
	                                        .cwd = d->session.cwd,
	                                        .files = d->session.files,
	                                        .sym = d->setup.sym,
	                                        .programs = {d->pair->programs[0], d->pair->programs[1]}};
	if (differences_write(&d->differences, &place, err) < 0 ||
	    diff_views(d->options, d->pair, &d->differences, &d->session, err) < 0)
		return -1;
	if (d->options->choice.write_baseline && write_baseline(d, err) < 0)
		return -1;
	print_end(d, c);
	if (*d->setup.stop && !c->complete)
		return cli_interrupted();
	int found = d->options->run.error_exit ? d->options->run.error_exit : DIFF_DIFFERENT;
	enum difference_class most = d->options->possible ? DIFFERENCE_POSSIBLE : DIFFERENCE_LIFTED;
	return differences_reported(&d->differences, most) ? found : DIFF_SAME;
}

// Results of other programs, or of what these were before, say nothing about these. Only veer's own files go, and not
// those that somebody else is at work with.
static int forget_others(const struct diff *d, struct err *err)
{
	struct buf before = {0}, now = {0}, command = {0};
	char *database = mem_printf("%s/veer.db", d->pair->output);
	bool there = file_exists(database);
	struct store *store = there ? store_open(d->pair->output, false, err) : NULL;
	mem_free(database);
	if (!store)
		return there ? -1 : 0;
	bool is_diff = setting_get(store, SETTING_command, &command) && strcmp(buf_str(&command), "diff") == 0;
	setting_get(store, SETTING_argv, &before);
	for (size_t i = 0; i < d->words.n; i++)
		buf_add(&now, d->words.v[i], strlen(d->words.v[i]) + 1);
	bool other = before.len != now.len || memcmp(buf_str(&before), buf_str(&now), now.len) != 0;
	int r = 0;
	if (is_diff && before.len && other)
		r = store_remove(store, err);
	else
		store_close(store);
	buf_release(&before);
	buf_release(&now);
	buf_release(&command);
	return r;
}

static int explore(struct diff *d, struct err *err)
{
	const struct differ_setup driver = {
		.strategy = {.kind = STRATEGY_generational, .random = (uint64_t)d->options->exploring.random},
		.seeds = d->input_template.seeds,
		.n_seeds = d->input_template.n_seeds,
		.takes = takes,
		.takes_opaque = &d->session,
		.entries = d->entered.entries,
		.n_entries = d->entered.n,
		.n_changes = d->entered.n_changes,
		.first = entered_first,
		.entry_of = entered_of,
		.wanted = entered_wanted,
		.ended = entered_ended,
		.opaque = &d->entered,
		.ret_compared = &d->compared,
		.ret_different = &d->different,
		.ret_noise = &d->noise,
	};
	struct campaign c = {0};
	if (session_open(&d->session, true, err) < 0)
		return -1;
	int r = session_run(&d->session, &driver_versions, &driver, &c, err);
	buf_release(&c.search);
	return r < 0 ? -1 : finish(d, &c, err);
}

// --- all of it ------------------------------------------------------------------------------------

static int name_campaign(struct diff *d, struct err *err)
{
	for (int side = 0; side < CHANGE_SIDES; side++) {
		struct file_map map;
		char hex[HASH_HEX];
		if (file_map(d->pair->programs[side], &map, err) < 0)
			return -1;
		hash_hex(hash_bytes(map.data, map.size), hex);
		file_unmap(&map);
		strv_push(&d->words, d->pair->programs[side]);
		strv_push(&d->words, hex);
	}
	for (size_t i = 0; d->pair->arguments[i]; i++)
		strv_push(&d->words, d->pair->arguments[i]);
	return 0;
}

static void set_up(struct diff *d)
{
	const struct diff_options *o = d->options;
	struct session_setup *s = &d->setup;
	s->command = "diff";
	s->output = d->pair->output;
	s->argv = d->words.v;
	s->profile = PROFILE_search;
	s->use = USE_versions;
	s->mode = d->pair->mode;
	cli_set_up(s, &o->run, &o->exploring);
	s->seconds = d->pair->seconds;
	s->cpu = o->cpu;
	s->recorded = o->tests != NULL;
	s->choice = &d->choice;
	s->progress = print_progress;
	s->bug = ignore_bug;
	s->store = store_differences;
	s->opaque = d;
	d->live = isatty(2);
}

static int record(const struct diff *d, struct err *err)
{
	const char *folder = d->pair->folder ? d->pair->folder : ".";
	char *command[] = {"sh", "-c", "cd \"$0\" && eval \"$1\"", (char *)folder, (char *)d->options->tests, NULL};
	uint64_t seeds = 0;
	if (file_mkdirs(d->pair->output, 0755, err) < 0)
		return -1;
	int status = cli_record(d->pair->output, command, true, &seeds, err);
	if (status >= 0 && !seeds && !interpose_interrupted())
		return err_set(err, "--tests: '%s' ran no program that veer-cc built", d->options->tests);
	return status < 0 ? -1 : 0;
}

static int run(struct diff *d, struct err *err)
{
	if (session_begin(&d->session, &d->setup, err) < 0 ||
	    versions_read(&d->versions, &d->session.tools.explored, d->pair->programs, err) < 0 ||
	    write_changes(d, err) < 0 ||
	    differences_read(&d->differences, NULL, &d->versions.changes, NULL, NULL, false, NULL, err) < 0)
		return -1;
	if (d->options->changes || !code_changes_count(&d->versions.changes))
		return write_results_of_changes(d, err);
	if (forget_others(d, err) < 0 || build(d, err) < 0 || (d->options->tests && record(d, err) < 0))
		return -1;
	if (interpose_interrupted()) {
		cli_line(stderr, "veer: interrupted while recording; nothing was compared");
		return 128 + interpose_interrupted();
	}
	if (read_seeds(d, err) < 0)
		return -1;
	d->setup.stop = cli_catch_signals();
	return explore(d, err);
}

int diff_pair(const struct diff_options *o, const struct diff_pair *pair, struct err *err)
{
	struct diff d = {.options = o, .pair = pair};
	if (choice_init(&d.choice, &o->choice, err) < 0)
		return -1;
	int r = name_campaign(&d, err);
	set_up(&d);
	if (r == 0)
		r = run(&d, err);
	differences_release(&d.differences);
	entered_release(&d.entered);
	change_goals_release(&d.goals);
	versions_release(&d.versions);
	input_template_release(&d.input_template);
	session_close(&d.session);
	choice_release(&d.choice);
	strv_release(&d.words);
	return r;
}
