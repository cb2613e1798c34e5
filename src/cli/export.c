// veer export: write inputs and findings of a campaign as tests that need no veer.
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "cli/campaigns.h"
#include "cli/export_differences.h"
#include "cli/export_fragments.h"
#include "cli/options.h"
#include "cli/words.h"
#include "export/export.h"
#include "export/types.h"
#include "findings/hostile.h"
#include "formats/ctype.h"
#include "formats/format.h"
#include "input/snapshot.h"
#include "input/sym.h"
#include "session/replayer.h"
#include "session/settings.h"
#include "store/store.h"
#include "worker/succinct.h"

struct export_options {
	const char *output, *as, *to, *sandbox;
	bool cmocka, unsafe, all_values;
	int jobs;
};

static const struct option_spec options[] = {
	{"as", 0, OPTION_TEXT, offsetof(struct export_options, as), "FORMAT",
         "format of the tests: {} (sh: shell scripts, c: unit tests, others: inputs for these tools)"},
	{"output", 'o', OPTION_TEXT, offsetof(struct export_options, output), "DIR",
         "directory of the campaign (default veer-out)"},
	{"to", 0, OPTION_TEXT, offsetof(struct export_options, to), "FOLDER",
         "folder for the tests; tests of the same names are replaced (default DIR/tests)"},
	{"cmocka", 0, OPTION_FLAG, offsetof(struct export_options, cmocka), NULL, "with c: for the library cmocka"},
	{"all-values", 0, OPTION_FLAG, offsetof(struct export_options, all_values), NULL,
         "with c, of functions: give don't-care values, too"},
	{"jobs", 'j', OPTION_WORKERS, offsetof(struct export_options, jobs), "N",
         "number of inputs, or files of unit tests, that are worked on in parallel (default: number of processors)"},
	{"sandbox", 0, OPTION_TEXT, offsetof(struct export_options, sandbox), "MODE",
         "kind of sandbox: {} (default: the first that works)"},
	{"unsafe-no-sandbox", 0, OPTION_FLAG, offsetof(struct export_options, unsafe), NULL,
         "run the program without a sandbox, where it can change files"},
};

// An input of the campaign that becomes a test.
struct chosen {
	char id[24];
	int64_t input;
	char *kind, *place; // of a finding
	uint64_t key;
	struct job of; // its input; of a recorded test, its snapshot
	struct snapshot snapshot;
	struct finding_text text; // likewise
	struct succinct succinct;
	char *bug;
};

struct exporting {
	struct export_options options;
	char **words; // IDs
	int n_words;
	bool *used; // of words
	struct chosen *v;
	size_t n;
	size_t of_tests, evicted; // left out: of recorded tests; whose bytes are gone
	size_t kept_whole;        // of recorded tests: their relevant bytes are unknown
	char *why;                // of the first of these
	bool takes_recorded;
	struct store *store;
	char *program, *cwd, *sym, *files;
	struct strv programs, libraries;
	enum sandbox_mode mode;
	struct replayer *replayer; // NULL: nothing has to run again
	bool forked;               // this is a process that has a worker of its own
	struct export_types types;
};

// --- which ----------------------------------------------------------------------------------------

static bool is_wanted(struct exporting *s, char letter, int64_t id)
{
	bool wanted = !s->n_words;
	for (int i = 0; i < s->n_words; i++) {
		const char *w = s->words[i];
		char *end;
		bool same = (*w == letter || *w == tolower(letter)) && isdigit((unsigned char)w[1]) &&
		            strtoll(w + 1, &end, 10) == id && !*end;
		wanted |= same;
		s->used[i] |= same;
	}
	return wanted;
}

static struct chosen *choose(struct exporting *s, char letter, int64_t id, int64_t input)
{
	s->v = mem_resize(s->v, (s->n + 1) * sizeof *s->v);
	struct chosen *c = &s->v[s->n++];
	*c = (struct chosen){.input = input};
	snprintf(c->id, sizeof c->id, "%c%" PRId64, letter, id);
	return c;
}

static int take_finding(void *opaque, const struct stored_finding *f)
{
	struct exporting *s = opaque;
	if (!is_wanted(s, 'F', f->id))
		return 0;
	struct chosen *c = choose(s, 'F', f->id, f->input);
	char *text = mem_printf("%s in %s, %s:%u", f->kind, f->function, f->file, f->line);
	c->kind = mem_strdup(f->kind);
	c->bug = hostile_clean(text, strlen(text));
	c->key = f->key;
	mem_free(text);
	return 0;
}

static int take_input(void *opaque, const struct stored_input *in)
{
	struct exporting *s = opaque;
	if ((in->in_corpus || s->n_words) && is_wanted(s, 'I', in->id))
		choose(s, 'I', in->id, in->id);
	return 0;
}

static uint32_t program_of(struct exporting *s, struct store *store, const char *path, int64_t snapshot)
{
	uint32_t i = 0;
	replayer_add_program(store, path, snapshot, &s->programs, &s->libraries);
	while (strcmp(s->programs.v[i], path) != 0)
		i++;
	return i;
}

static int fetch_snapshot(struct chosen *c, struct store *store, struct err *err)
{
	if (!c->of.snapshot)
		return 0;
	if (store_get_snapshot(store, c->of.snapshot, &c->of.around, err) < 0)
		return -1;
	return snapshot_decode(&c->snapshot, c->of.around.data, c->of.around.len, err);
}

static void release_chosen(struct chosen *c)
{
	mem_free(c->kind);
	mem_free(c->bug);
	job_release(&c->of);
	snapshot_release(&c->snapshot);
	succinct_release(&c->succinct);
}

static int fetch_one(struct exporting *s, struct store *store, struct chosen *c, bool *ret_usable, struct err *err)
{
	struct stored_input in;
	if (store_get_input(store, c->input, &in, err) < 0)
		return -1;
	bool other = in.snapshot && (!c->key || !s->takes_recorded), gone = !other && !in.data.len;
	s->of_tests += other;
	s->evicted += gone;
	*ret_usable = !other && !gone;
	c->of.snapshot = in.snapshot;
	int r = *ret_usable ? input_decode(&c->of.input, in.data.data, in.data.len, err) : 0;
	stored_input_release(&in);
	if (r == 0 && *ret_usable)
		r = fetch_snapshot(c, store, err);
	if (r < 0 || !*ret_usable)
		return r;
	const char *program = c->of.snapshot ? c->snapshot.program : s->program;
	if (!program)
		return err_set(err, "%s does not say which program it is of", s->options.output);
	c->of.program = program_of(s, store, program, c->of.snapshot);
	return 0;
}

// Those that cannot become tests are left out.
static int fetch(struct exporting *s, struct store *store, struct err *err)
{
	size_t kept = 0;
	int r = 0;
	for (size_t i = 0; i < s->n; i++) {
		struct chosen c = s->v[i];
		bool usable = false;
		if (r == 0)
			r = fetch_one(s, store, &c, &usable, err);
		if (usable)
			s->v[kept++] = c;
		else
			release_chosen(&c);
	}
	s->n = kept;
	return r;
}

static int read_campaign(struct exporting *s, struct err *err)
{
	struct store *store = s->store = store_open_read(s->options.output, err);
	if (!store)
		return -1;
	settings_hide(store);
	s->used = mem_zero((size_t)s->n_words + 1);
	s->program = setting_text(store, SETTING_program);
	char *here = path_cwd(), *campaign = path_absolute(here, s->options.output);
	s->files = mem_printf("%s/files", campaign);
	mem_free(campaign);
	s->cwd = setting_text(store, SETTING_cwd);
	if (s->cwd)
		mem_free(here);
	else
		s->cwd = here;
	s->sym = setting_text(store, SETTING_sym);
	sym_clear_variables(s->sym);
	int r = store_each_finding(store, take_finding, s, err);
	if (r == 0)
		r = store_each_input(store, take_input, s, err);
	if (r == 0)
		r = fetch(s, store, err);
	for (int i = 0; r == 0 && i < s->n_words; i++)
		if (!s->used[i])
			r = err_set(err, "there is no %.40s in %s: findings are F1, F2 ..., inputs I1, I2 ...",
			            s->words[i], s->options.output);
	if (r == 0 && !s->n && s->of_tests && s->takes_recorded)
		r = err_set(err, "%s is of recorded tests, of which findings are exported, and there are none of these",
		            s->options.output);
	if (r == 0 && !s->n && s->of_tests)
		r = err_set(err,
		            "%s is of recorded tests, of which there is nothing to write --as %s; "
		            "--as sh writes their findings",
		            s->options.output, s->options.as);
	if (r == 0 && !s->n)
		r = err_set(err, "%s has no inputs to export", s->options.output);
	return r;
}

// --- relevant bytes -------------------------------------------------------------------------------

// A recorded test that cannot be run any more is a test still.
static void keep_whole(struct exporting *s, struct chosen *c, const char *why)
{
	succinct_release(&c->succinct);
	succinct_keep(&c->succinct, &c->of.input);
	s->why = s->why ? s->why : mem_strdup(why);
	s->kept_whole++;
}

// In a process of its own: what is relevant, and, of a recorded test, why that is not known.
static int look_at(void *opaque, unsigned process, size_t item, struct buf *ret, struct err *err)
{
	struct exporting *s = opaque;
	struct chosen *c = &s->v[item];
	struct succinct found = {0};
	const char *why = replayer_reason(s->replayer, c->of.program);
	if (!s->forked)
		replayer_forked(s->replayer, process);
	s->forked = true;
	int r = why ? err_set(err, "%s", why)
	            : succinct_make(&found, replayer_client(s->replayer), &c->of, c->key, err);
	if (r < 0 && !c->of.snapshot)
		return -1;
	bool fails = c->of.snapshot && !found.shows;
	buf_text(ret, !fails ? "" : r < 0 ? err->text : "the program does not show it any more");
	if (!fails)
		succinct_encode(&found, ret);
	succinct_release(&found);
	return 0;
}

static int take_look(void *opaque, size_t item, struct cursor *came, struct err *err)
{
	struct exporting *s = opaque;
	char *why = cursor_text(came);
	int r = why ? 0 : err_set(err, "what a process sent about an input is damaged");
	if (why && *why)
		keep_whole(s, &s->v[item], why);
	else if (why)
		r = succinct_decode(&s->v[item].succinct, came, err);
	mem_free(why);
	return r;
}

static void leave_look(void *opaque, unsigned process)
{
	struct exporting *s = opaque;
	(void)process;
	replayer_stop(s->replayer);
}

static int look(struct exporting *s, struct err *err)
{
	const struct replayer_setup setup = {.store = s->store,
	                                     .folder = s->options.output,
	                                     .programs = &s->programs,
	                                     .libraries = &s->libraries,
	                                     .mode = s->mode,
	                                     .profile = PROFILE_export,
	                                     .complain = cli_runs_natively};
	s->replayer = replayer_new(&setup, err);
	const struct parallel p = {.jobs = s->options.jobs ? (unsigned)s->options.jobs : 1,
	                           .n = s->n,
	                           .opaque = s,
	                           .work = look_at,
	                           .take = take_look,
	                           .leave = leave_look};
	return s->replayer ? parallel_run(&p, err) : -1;
}

// --- writing --------------------------------------------------------------------------------------

// Can what came of it be a test?
static bool is_test(const struct chosen *c)
{
	const struct succinct *x = &c->succinct;
	if (c->key)
		return x->shows || c->of.snapshot;
	return x->run.end == RUN_EXITED || x->run.end == RUN_SIGNAL;
}

static void describe(const struct exporting *s, struct chosen *c, struct export_test *ret)
{
	const struct succinct *x = &c->succinct;
	c->text = (struct finding_text){.id = c->id,
	                                .program = c->snapshot.program,
	                                .cwd = c->snapshot.cwd,
	                                .input = &x->input,
	                                .masks = &x->masks,
	                                .snapshot = &c->snapshot,
	                                .files = s->files,
	                                .sym = s->sym};
	*ret = (struct export_test){.id = c->id,
	                            .input = &x->input,
	                            .masks = &x->masks,
	                            .known = x->known,
	                            .bug = c->bug,
	                            .visible = c->kind && export_is_visible(c->kind),
	                            .status = x->run.end == RUN_EXITED ? x->run.code : -1,
	                            .recorded = c->of.snapshot ? &c->text : NULL};
}

static int write_tests(struct exporting *s, const struct exporter *e, const char *folder, struct err *err)
{
	struct export_test *tests = mem_zero((s->n + 1) * sizeof *tests);
	struct export_suite suite = {.program = s->program,
	                             .cwd = s->cwd,
	                             .tests = tests,
	                             .is_target = s->program && export_is_target(s->program),
	                             .cmocka = s->options.cmocka,
	                             .fields = s->types.v,
	                             .n_fields = s->types.n};
	size_t endless = 0, gone = 0;
	for (size_t i = 0; i < s->n; i++) {
		struct chosen *c = &s->v[i];
		bool is = is_test(c);
		gone += !is && c->key;
		endless += !is && !c->key;
		if (is)
			describe(s, c, &tests[suite.n++]);
	}
	int left_out = e->write(folder, &suite, err);
	if (left_out >= 0)
		cli_line(stdout, "%zu tests in %s", suite.n - (size_t)left_out, folder);
	if (left_out > 0)
		printf("left out: %d that have files\n", left_out);
	if (endless)
		printf("left out: %zu whose runs do not end\n", endless);
	if (gone)
		printf("left out: %zu findings that the program does not show any more\n", gone);
	if (s->kept_whole)
		cli_line(stdout, "with all bytes as they were: %zu findings (%s)", s->kept_whole, s->why);
	mem_free(tests);
	return left_out < 0 ? -1 : 0;
}

// Of a campaign of veer cover: unit tests of functions. Whole runs are no unit tests.
static int write_fragments(struct exporting *s, const char *folder, struct err *err)
{
	struct fragment_case *cases = mem_zero((s->n + 1) * sizeof *cases);
	struct export_fragments e = {.store = s->store,
	                             .replayer = s->replayer,
	                             .program = s->program,
	                             .cases = cases,
	                             .cmocka = s->options.cmocka,
	                             .jobs = (unsigned)s->options.jobs,
	                             .mode = s->mode};
	for (size_t i = 0; i < s->n; i++) {
		struct chosen *c = &s->v[i];
		const struct succinct *x = &c->succinct;
		if (c->key || // what is a bug is no expectation
		    !fragment_case_of(&cases[e.n], c->id, &x->input,
		                      x->known && !s->options.all_values ? &x->masks : NULL))
			continue;
		cases[e.n++].bug = c->bug;
	}
	int r = e.n ? export_fragments(&e, folder, err)
	            : err_set(err, "%s has no inputs that enter functions; --as sh writes those of whole runs",
	                      s->options.output);
	for (size_t i = 0; i < e.n; i++)
		mem_free((void *)cases[i].parts);
	mem_free(cases);
	return r;
}

static void add_types(struct foreign *f)
{
	for (size_t i = 0; i < f->n; i++) {
		struct ctype t;
		if (strncmp(f->v[i].name, "nondet_", 7) == 0 && ctype_parse(f->v[i].name + 7, &t))
			f->v[i].type = mem_strdup(f->v[i].name + 7);
	}
}

// Objects as the program calls them; what is given otherwise is as KLEE names it.
static size_t add_objects(const struct chosen *c, struct foreign *f)
{
	size_t left_out = adapter_objects(&c->succinct.whole, f);
	add_types(f);
	return left_out;
}

static int write_foreign(struct exporting *s, const struct format *format, const char *folder, struct err *err)
{
	struct foreigns all = {0};
	char now[32];
	time_t t = time(NULL);
	strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime(&t));
	const struct format_about about = {.program = s->program, .time = now};
	size_t left_out = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct chosen *c = &s->v[i];
		struct foreign f = {.name = mem_strdup(c->id)};
		f.role = !c->key ? FOREIGN_KEPT : strcmp(c->kind, "hang") == 0 ? FOREIGN_HANG : FOREIGN_CRASH;
		if (format->writes_objects)
			left_out += add_objects(c, &f);
		else
			adapter_bytes(&c->of.input, &f);
		foreigns_take(&all, &f);
	}
	int r = format->write(folder, &all, &about, err);
	if (r == 0)
		cli_line(stdout, "%zu tests in %s", all.n, folder);
	if (r == 0 && left_out)
		printf("left out: %zu variables of the environment, and empty files, which have no place there\n",
		       left_out);
	foreigns_release(&all);
	return r;
}

// --- the command ----------------------------------------------------------------------------------

static int export(struct exporting *s, const struct exporter *e, const struct format *format, struct err *err)
{
	char *folder = s->options.to ? mem_strdup(s->options.to) : mem_printf("%s/tests", s->options.output);
	s->takes_recorded = e == &export_sh;
	int r = read_campaign(s, err);
	if (r == 0 && (e || format->writes_objects))
		r = look(s, err);
	bool fragments = r == 0 && e == &export_c && settings_use(s->store) == USE_fragments;
	if (r == 0 && e == &export_c && !fragments)
		r = export_types_read(&s->types, replayer_native(s->replayer), s->program, err);
	if (r == 0)
		r = s->options.to ? file_mkdirs(folder, 0777, err) : file_subfolder(folder, 0777, err);
	if (r == 0)
		r = fragments ? write_fragments(s, folder, err)
		    : e       ? write_tests(s, e, folder, err)
		              : write_foreign(s, format, folder, err);
	if (r == 0 && s->of_tests)
		printf("left out: %zu of recorded tests%s\n", s->of_tests,
		       s->takes_recorded ? " that are no findings" : ", of which findings can be exported --as sh");
	if (r == 0 && s->evicted)
		printf("left out: %zu inputs that the campaign has evicted, being full\n", s->evicted);
	mem_free(folder);
	return r;
}

// Of a campaign of veer diff: 1 when it is one, and its differences are written.
static int export_if_differences(struct exporting *s, const struct exporter *e, struct err *err)
{
	struct difference_views views;
	struct store *store = store_open_read(s->options.output, err);
	int r = store ? difference_views_read(&views, store, err) : -1;
	if (r == 1) {
		char *folder = s->options.to ? mem_strdup(s->options.to) : mem_printf("%s/tests", s->options.output);
		char *here = path_cwd(), *campaign = path_absolute(here, s->options.output), *sym, *cwd;
		s->files = mem_printf("%s/files", campaign);
		settings_hide(store);
		const struct export_differences d = {.store = store,
		                                     .views = &views,
		                                     .cwd = cwd = settings_folder(store),
		                                     .files = s->files,
		                                     .sym = sym = setting_text(store, SETTING_sym),
		                                     .words = s->words,
		                                     .n_words = s->n_words,
		                                     .c = e == &export_c,
		                                     .mode = s->mode};
		r = s->options.to ? file_mkdirs(folder, 0777, err) : file_subfolder(folder, 0777, err);
		r = r == 0 && export_differences(&d, folder, err) == 0 ? 1 : -1;
		difference_views_release(&views);
		mem_free(folder);
		mem_free(here);
		mem_free(campaign);
		mem_free(sym);
		mem_free(cwd);
	}
	if (store)
		store_close(store);
	return r;
}

static void release(struct exporting *s)
{
	for (size_t i = 0; i < s->n; i++)
		release_chosen(&s->v[i]);
	mem_free(s->v);
	mem_free(s->used);
	mem_free(s->program);
	mem_free(s->cwd);
	mem_free(s->sym);
	mem_free(s->files);
	mem_free(s->why);
	strv_release(&s->programs);
	strv_release(&s->libraries);
	export_types_release(&s->types);
	replayer_free(s->replayer);
	if (s->store)
		store_close(s->store);
}

static int usage_formats(const char *what)
{
	char *words = words_listed("as"), *text = mem_printf("%s; there are %s", what, words);
	int r = cli_usage_error(&command_export, text);
	mem_free(text);
	mem_free(words);
	return r;
}

static int run(int argc, char **argv)
{
	struct exporting s = {.options = {.output = "veer-out", .jobs = cli_default_jobs()}};
	struct err err;
	int first = options_parse(&command_export, argc, argv, &s.options, &err);
	if (first == -2)
		return 0;
	if (first < 0)
		return cli_usage_error(&command_export, err.text);
	if (!s.options.as)
		return usage_formats("--as FORMAT is missing");
	const struct exporter *e = exporter_find(s.options.as);
	const struct format *format = e ? NULL : format_find(s.options.as);
	if (!e && !format) {
		char *what = mem_printf("--as %s: there is no such format", s.options.as);
		int r = usage_formats(what);
		mem_free(what);
		return r;
	}
	if (cli_sandbox(s.options.sandbox, s.options.unsafe, &s.mode, &err) < 0)
		return cli_fail(err.text);
	s.words = argv + first;
	s.n_words = argc - first;
	cli_prepare_process();
	int r = e ? export_if_differences(&s, e, &err) : 0;
	if (r == 0)
		r = export(&s, e, format, &err);
	release(&s);
	return r < 0 ? cli_fail(err.text) : 0;
}

const struct command command_export = {
	.name = "export",
	.usage = "--as FORMAT [OPTION...] [ID...]",
	.summary = "write inputs and findings of a campaign as tests that need no veer",
	.details =
		"Writes the inputs in the corpus of a campaign of `veer explore` (I1, I2 ...), and those of its\n"
		"findings (F1, F2 ...), or those that are named, as tests that run without veer. Tests for the\n"
		"shell and in C spell out the relevant bytes; the others are x, or 0. veer runs each such test once\n"
		"to see that it takes the same path and shows the same bug. A test of a finding fails until the\n"
		"bug is fixed.\n\n"
		"Findings of a campaign of `veer test` become tests for the shell in the same way; a folder beside\n"
		"the script has the files of the test's snapshot.\n\n"
		"Differences of a campaign of `veer diff` (D1, D2 ...) become tests of the new version, for the\n"
		"shell or in C, which expect exit status and output of the old version.\n\n"
		"  veer export --as sh && sh veer-out/tests/all.sh\n"
		"  veer export --as c --to tests F1 F2\n"
		"  veer export --as afl --to corpus\n",
	.options = options,
	.n_options = OPTIONS_COUNT(options),
	.run = run,
};
