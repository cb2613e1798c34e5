// veer infer train: a model of recordings whose path is known.
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/infer.h"
#include "cli/options.h"
#include "findings/symbolize.h"
#include "infer/plan.h"
#include "infer/train.h"

struct train_options {
	const char *output;
	bool quiet;
};

static const struct option_spec options[] = {
	{"output", 'o', OPTION_TEXT, offsetof(struct train_options, output), "FILE",
         "write the model there (default model)"},
	{"quiet", 'q', OPTION_FLAG, offsetof(struct train_options, quiet), NULL, "print nothing"},
};

static int ask_lines(void *opaque, const uint64_t *addresses, size_t n, struct strv *ret, struct err *err)
{
	return symbolize(opaque, addresses, n, ret, err);
}

// A recording of a run of the plan: its segments follow each other from the beginning to the end, each as long as the
// plan says, in parts of the whole.
static int label(struct recording *r, const struct plan *plan, struct err *err)
{
	const struct plan_run *run = plan_run_of(plan, r->path);
	uint64_t clock = 0;
	if (!run)
		return err_set(err, "%s: the plan has no such run; recordings are called RUN, or RUN~N", r->path);
	recording_drop_labels(r);
	for (uint32_t i = 0; i < run->n; i++) {
		const double each = (double)r->n / (double)run->clocks;
		const uint64_t begin = (uint64_t)((double)clock * each + 0.5);
		clock += run->segments[i].clocks;
		const uint64_t end = (uint64_t)((double)clock * each + 0.5);
		recording_label(r, begin, (end < r->n ? end : r->n) - begin, run->segments[i].name);
	}
	return 0;
}

static int add_recording(struct trainer *t, const struct plan *plan, const char *path, struct err *err)
{
	struct recording r;
	if (recording_open(&r, path, err) < 0)
		return -1;
	int result = plan ? label(&r, plan, err) : recording_read_path(&r, err);
	if (result == 0)
		result = trainer_add(t, &r, err);
	recording_close(&r);
	return result;
}

static int train(const struct train_options *o, const char *firmware, const struct plan *plan,
                 const struct strv *recordings, struct err *err)
{
	struct program program;
	struct model model;
	struct trained counts;
	if (program_open(&program, firmware, err) < 0)
		return -1;
	struct trainer *t = trainer_new(&program);
	int r = 0;
	for (size_t i = 0; r == 0 && i < recordings->n; i++)
		r = add_recording(t, plan, recordings->v[i], err);
	if (r == 0)
		r = trainer_end(t, ask_lines, (void *)firmware, &model, &counts, err);
	if (r == 0) {
		r = infer_model_write(&model, o->output, err);
		if (r == 0 && !o->quiet) {
			cli_line(stdout, "%s: %u of %u segments, %u templates, of %zu recordings", o->output,
			         counts.segments, counts.all, model.n_templates, recordings->n);
			if (counts.unknown || counts.too_long)
				cli_line(stdout,
				         "left out: %llu labels of segments that the firmware does not have, %llu of "
				         "more "
				         "than %d samples",
				         (unsigned long long)counts.unknown, (unsigned long long)counts.too_long,
				         MODEL_LENGTH);
		}
		infer_model_release(&model);
	}
	trainer_free(t);
	program_close(&program);
	return r;
}

static int run(int argc, char **argv)
{
	struct train_options o = {.output = "model"};
	struct strv recordings = {0};
	struct err err;
	int first = options_parse(&command_infer_train, argc, argv, &o, &err), r = 0;
	if (first == -2)
		return 0;
	if (first < 0)
		return cli_usage_error(&command_infer_train, err.text);
	if (argc - first < 2)
		return cli_usage_error(&command_infer_train, "train wants a firmware, or a plan, and recordings of it");
	for (int i = first + 1; r == 0 && i < argc; i++)
		r = infer_recordings(argv[i], &recordings, &err);
	const bool planned = plan_is(argv[first]);
	char *firmware = planned ? mem_printf("%s/%s", argv[first], PLAN_FIRMWARE) : mem_strdup(argv[first]);
	char *file = mem_printf("%s/%s", argv[first], PLAN_FILE);
	struct plan plan = {0};
	if (r == 0 && planned)
		r = plan_read(&plan, file, &err);
	if (r == 0)
		r = train(&o, firmware, planned ? &plan : NULL, &recordings, &err);
	plan_release(&plan);
	mem_free(firmware);
	mem_free(file);
	strv_release(&recordings);
	return r < 0 ? cli_fail(err.text) : 0;
}

const struct command command_infer_train = {
	.name = "infer-train",
	.usage = "[OPTION...] FIRMWARE.elf|PLAN RECORDING|DIR...",
	.summary = "make a model of recordings whose path is known",
	.details = "FIRMWARE.elf is what runs in the field, with symbols and debug information. Recordings are SigMF, "
		   ".npy or\n"
		   "WAV. Annotations (core:label) say which segment is executed when, or NAME.path beside the\n"
		   "recording: lines of START COUNT LABEL, in samples. A label is FUNCTION/SHAPE:NUMBER, as\n"
		   "`veer infer simulate` writes it. Recordings of another program count for functions that it has in "
		   "common\n"
		   "with the firmware, instruction by instruction.\n\n"
		   "PLAN is what `veer infer plan` writes. Recordings are called as its runs (I12.sigmf-meta, "
		   "I12~2.sigmf-meta\n"
		   "...), begin and end with the trigger, and need no labels: the plan has them.\n",
	.options = options,
	.n_options = OPTIONS_COUNT(options),
	.run = run,
};
