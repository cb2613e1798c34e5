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
#include "explain/groups.h"
#include "report/report.h"

struct explain_options {
	const char *output, *sandbox, *colour;
	bool unsafe, quick;
};

static const struct option_spec options[] = {
	{"output", 'o', OPTION_TEXT, offsetof(struct explain_options, output), "DIR", "the campaign (veer-out)"},
	{"quick", 0, OPTION_FLAG, offsetof(struct explain_options, quick), NULL,
         "only what the campaign knows: run nothing, so without condition, path and what matters"},
	{"colour", 0, OPTION_TEXT, offsetof(struct explain_options, colour), "WHEN",
         "always, never, or auto: on a terminal (default)"},
	{"sandbox", 0, OPTION_TEXT, offsetof(struct explain_options, sandbox), "MODE",
         "namespaces or landlock (default: what works, in this order)"},
	{"unsafe-no-sandbox", 0, OPTION_FLAG, offsetof(struct explain_options, unsafe), NULL,
         "run the program where it can change files"},
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
	struct replayer *replayer =
		replayer_new(store, o->output, &programs, &libraries, mode, cli_runs_natively, &err);
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
	cli_hide_as(store);
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
	.summary = "what a finding is: source, input, condition, path",
	.details =
		"Says of finding ID (F1, say) what goes wrong in one sentence; where, with the source and the values\n"
		"of what failed; what of the test was changed, and which bytes matter; the condition that failed, in\n"
		"terms of the input; the path from where it leaves the test's, in lines of the source; how it was\n"
		"found, and how to run it again. For this the program runs on the finding's input and on the test's,\n"
		"traced, in the sandbox.\n",
	.options = options,
	.n_options = OPTIONS_COUNT(options),
	.run = run,
};
