// veer infer run: the path of a recording.
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/infer.h"
#include "cli/options.h"
#include "infer/decode.h"
#include "infer/show.h"
#include "infer/stateless.h"

struct run_options {
	const char *format, *to, *least;
	bool stateless;
};

static const struct option_spec options[] = {
	{"format", 0, OPTION_TEXT, offsetof(struct run_options, format), "FORMAT",
         "text, json, trace (for Perfetto and chrome://tracing) or html (default text)"},
	{"to", 0, OPTION_TEXT, offsetof(struct run_options, to), "FILE", "write there (default: standard output)"},
	{"stateless", 0, OPTION_FLAG, offsetof(struct run_options, stateless), NULL,
         "match windows one by one, without the graph of segments"},
	{"least", 0, OPTION_TEXT, offsetof(struct run_options, least), "CORRELATION",
         "with --stateless: what matches less is not in the model (default 0.4)"},
};

struct writer {
	FILE *to;
	struct show *show;
	struct buf text;
};

static void write_out(struct writer *w)
{
	fwrite(w->text.data, 1, w->text.len, w->to);
	buf_clear(&w->text);
}

static void take(void *opaque, const struct path_segment *s)
{
	struct writer *w = opaque;
	show_segment(w->show, s, &w->text);
	if (w->text.len > 65536)
		write_out(w);
}

static int infer(const struct run_options *o, double least, const struct model *m, struct recording *r, struct err *err)
{
	struct writer w = {.to = o->to ? fopen(o->to, "w") : stdout};
	struct decode_counts counts = {0};
	if (!w.to)
		return err_errno(err, "cannot write %s", o->to);
	w.show = show_new(o->format, m, r, err);
	if (!w.show) {
		if (o->to)
			fclose(w.to);
		return -1;
	}
	show_begin(w.show, &w.text);
	if (o->stateless)
		stateless_infer(m, r, (float)least, take, &w);
	else
		decode_infer(m, r, take, &w, &counts);
	show_end(w.show, &w.text);
	write_out(&w);
	show_free(w.show);
	buf_release(&w.text);
	bool failed = ferror(w.to) != 0;
	failed |= o->to && fclose(w.to) != 0;
	return failed ? err_errno(err, "cannot write %s", o->to ? o->to : "to standard output") : 0;
}

static int run(int argc, char **argv)
{
	struct run_options o = {.format = "text", .least = "0.4"};
	struct model m;
	struct recording r;
	struct err err;
	double least;
	int first = options_parse(&command_infer_run, argc, argv, &o, &err);
	if (first == -2)
		return 0;
	if (first < 0)
		return cli_usage_error(&command_infer_run, err.text);
	if (argc - first != 2)
		return cli_usage_error(&command_infer_run, "run wants a model and a recording");
	if (!infer_decimal(o.least, 0, 1, &least))
		return cli_usage_error(&command_infer_run, "--least wants a correlation from 0 to 1");
	if (!show_is_format(o.format))
		return cli_usage_error(&command_infer_run, "--format is text, json, trace or html");
	if (infer_model_read(&m, argv[first], &err) < 0)
		return cli_fail(err.text);
	int result = recording_open(&r, argv[first + 1], &err);
	if (result == 0) {
		result = infer(&o, least, &m, &r, &err);
		recording_close(&r);
	}
	infer_model_release(&m);
	return result < 0 ? cli_fail(err.text) : 0;
}

const struct command command_infer_run = {
	.name = "infer-run",
	.usage = "[OPTION...] MODEL RECORDING",
	.summary = "infer the path of a recording",
	.details = "RECORDING is SigMF, .npy or WAV, of any length. Each segment of the path is printed with the time "
		   "at which\n"
		   "it begins, its function, its source lines, and how sure it is: its likelihood among the segments "
		   "that\n"
		   "could have begun there. What no segment of the model explains is reported as not in the model.\n",
	.options = options,
	.n_options = OPTIONS_COUNT(options),
	.run = run,
};
