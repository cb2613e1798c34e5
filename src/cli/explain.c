// veer explain: a finding, in full.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/campaigns.h"
#include "cli/options.h"
#include "report/report.h"
#include "session/groups.h"
#include "session/settings.h"

struct explain_options {
	const char *output, *sandbox, *colour;
	bool unsafe, quick;
};

static const struct option_spec options[] = {
	{"output", 'o', OPTION_TEXT, offsetof(struct explain_options, output), "DIR",
         "directory of the campaign (default veer-out)"},
	{"quick", 0, OPTION_FLAG, offsetof(struct explain_options, quick), NULL,
         "use only what the store has; run nothing: no condition, path and relevant bytes"},
	{"colour", 0, OPTION_TEXT, offsetof(struct explain_options, colour), "WHEN",
         "{} (default auto: on a terminal)"},
	{"sandbox", 0, OPTION_TEXT, offsetof(struct explain_options, sandbox), "MODE",
         "kind of sandbox: {} (default: the first that works)"},
	{"unsafe-no-sandbox", 0, OPTION_FLAG, offsetof(struct explain_options, unsafe), NULL,
         "run the program without a sandbox, where it can change files"},
};

static bool is_wanted(void *opaque, const struct stored_finding *f)
{
	return f->id == *(const int64_t *)opaque;
}

static int add_to_group(void *opaque, const struct stored_finding *f)
{
	groups_add(opaque, f);
	return 0;
}

// All others of its group, whichever is the first.
static int find_same(struct explanation *x, struct store *store, struct err *err)
{
	struct groups g = {0};
	int r = store_each_finding(store, add_to_group, &g, err);
	for (size_t i = 0; r == 0 && i < g.n; i++)
		if (g.v[i].id != x->finding.id && g.v[i].lead == groups_lead(&g, x->finding.id))
			strv_pushf(&x->also, "F%" PRId64, g.v[i].id);
	groups_release(&g);
	return r;
}

static void look(struct explanation *x, struct store *store, const struct explain_options *o, enum sandbox_mode mode)
{
	struct strv programs = {0}, libraries = {0};
	struct err err;
	replayer_add_program(store, x->finding.program, x->snapshot, &programs, &libraries);
	const struct replayer_setup setup = {.store = store,
	                                     .folder = o->output,
	                                     .programs = &programs,
	                                     .libraries = &libraries,
	                                     .mode = mode,
	                                     .profile = PROFILE_replay,
	                                     .complain = cli_runs_natively};
	struct replayer *replayer = replayer_new(&setup, &err);
	if (replayer) {
		explain_runs(x, replayer);
	} else {
		mem_free(x->why_not);
		x->why_not = mem_strdup(err.text);
	}
	replayer_free(replayer);
	strv_release(&programs);
	strv_release(&libraries);
}

static int explain(const struct explain_options *o, int64_t id, enum sandbox_mode mode, bool colour, struct err *err)
{
	struct store *store = store_open_read(o->output, err);
	struct explanation *v = NULL;
	size_t n = 0;
	if (!store)
		return -1;
	settings_hide(store);
	int r = explain_all(store, o->output, is_wanted, &id, &v, &n, err);
	if (r == 0 && !n)
		r = err_set(err, "there is no finding F%" PRId64 " in %s", id, o->output);
	if (r == 0)
		r = find_same(&v[0], store, err);
	if (r == 0 && !o->quick)
		look(&v[0], store, o, mode);
	if (r == 0) {
		char *cwd = path_cwd();
		struct buf out = {0};
		const struct report report = {.store = store, .folder = o->output, .root = cwd};
		cli_allow_sources(store, NULL);
		text_explanation(&out, &report, &v[0], colour);
		fwrite(out.data, 1, out.len, stdout);
		buf_release(&out);
		mem_free(cwd);
	}
	for (size_t i = 0; i < n; i++)
		explanation_release(&v[i]);
	mem_free(v);
	store_close(store);
	return r;
}

// -1: it makes no sense.
static int wants_colour(const char *when)
{
	if (!when || strcmp(when, "auto") == 0) {
		const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
		return isatty(1) && !(none && *none) && !(terminal && strcmp(terminal, "dumb") == 0);
	}
	return strcmp(when, "always") == 0 ? 1 : strcmp(when, "never") == 0 ? 0 : -1;
}

static int run(int argc, char **argv)
{
	struct explain_options o = {.output = "veer-out"};
	enum sandbox_mode mode = SANDBOX_NONE;
	struct err err;
	int first = options_parse(&command_explain, argc, argv, &o, &err);
	if (first == -2)
		return 0;
	if (first < 0)
		return cli_usage_error(&command_explain, err.text);
	if (first + 1 != argc)
		return cli_usage_error(&command_explain, first < argc ? "one finding at a time" : "which finding?");
	int64_t id = cli_finding_id(argv[first]);
	if (id < 0) {
		err_set(&err, "'%s' is no finding's name, such as F1", argv[first]);
		return cli_usage_error(&command_explain, err.text);
	}
	int colour = wants_colour(o.colour);
	if (colour < 0)
		return cli_usage_error(&command_explain, "--colour wants always, never or auto");
	if (!o.quick && cli_sandbox(o.sandbox, o.unsafe, &mode, &err) < 0)
		return cli_fail(err.text);
	return explain(&o, id, mode, colour, &err) < 0 ? cli_fail(err.text) : 0;
}

const struct command command_explain = {
	.name = "explain",
	.usage = "[OPTION...] ID",
	.summary = "explain a finding: source, input, condition, path",
	.details =
		"Explains finding ID (such as F1): one sentence; the source with the values that failed; the bytes\n"
		"that differ from the test, and the relevant bytes; the failed condition in terms of the input; the\n"
		"path from where it diverges from the test's, as source lines; how it was found, and how to\n"
		"reproduce it. For this the program runs on the finding's input and on the test's, traced, in the\n"
		"sandbox.\n",
	.options = options,
	.n_options = OPTIONS_COUNT(options),
	.run = run,
};
