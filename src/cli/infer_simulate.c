// veer infer simulate: recordings of a device that is not there.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "cli/infer.h"
#include "cli/options.h"
#include "config.h"
#ifdef CONFIG_DEVICE
#include "base/hash.h"
#include "cli/infer_plan.h"
#include "device/analogue.h"
#include "infer/plan.h"
#include "signal/recording.h"
#endif

struct simulate_options {
	const char *output, *input, *files, *from, *snr, *band, *gain, *offset, *drift, *jitter;
	int samples, clock, seed, limit, repeat;
	bool floats, quiet;
};

static const struct option_spec options[] = {
	{"output", 'o', OPTION_TEXT, offsetof(struct simulate_options, output), "NAME",
         "write NAME.sigmf-meta, NAME.sigmf-data and the true path NAME.path (default: recording)"},
	{"stdin", 0, OPTION_TEXT, offsetof(struct simulate_options, input), "FILE", "what the console reads"},
	{"files", 0, OPTION_TEXT, offsetof(struct simulate_options, files), "PATH,...",
         "files that the firmware may read"},
	{"from", 0, OPTION_TEXT, offsetof(struct simulate_options, from), "FUNCTION",
         "function at whose first call the recording begins, as a trigger would (default main)"},
	{"samples", 0, OPTION_NUMBER, offsetof(struct simulate_options, samples), "N",
         "samples for each clock (default 4)"},
	{"clock", 0, OPTION_NUMBER, offsetof(struct simulate_options, clock), "HZ",
         "clock of the device (default 16000000)"},
	{"snr", 0, OPTION_TEXT, offsetof(struct simulate_options, snr), "DB",
         "power of the signal's changes to that of the noise (default 20)"},
	{"band", 0, OPTION_TEXT, offsetof(struct simulate_options, band), "FRACTION",
         "corner of the probe's low-pass, as a fraction of the sampling rate; 0: none (default 0.2)"},
	{"gain", 0, OPTION_TEXT, offsetof(struct simulate_options, gain), "FRACTION",
         "drift of the gain (default 0.05)"},
	{"offset", 0, OPTION_TEXT, offsetof(struct simulate_options, offset), "PPM",
         "how much faster the device's clock is than it should be (default 0)"},
	{"drift", 0, OPTION_TEXT, offsetof(struct simulate_options, drift), "PPM",
         "drift of the device's clock (default 50)"},
	{"jitter", 0, OPTION_TEXT, offsetof(struct simulate_options, jitter), "SAMPLES",
         "standard deviation of a sample's time (default 0.05)"},
	{"seed", 0, OPTION_NUMBER, offsetof(struct simulate_options, seed), "N",
         "seed of noise, drift and jitter (default 1)"},
	{"limit", 0, OPTION_NUMBER, offsetof(struct simulate_options, limit), "N",
         "end the run after so many instructions (default 2000000)"},
	{"repeat", 0, OPTION_NUMBER, offsetof(struct simulate_options, repeat), "N",
         "of a plan: record each run so often (default 1)"},
	{"floats", 0, OPTION_FLAG, offsetof(struct simulate_options, floats), NULL,
         "write samples as floats, not as 16-bit integers"},
	{"quiet", 'q', OPTION_FLAG, offsetof(struct simulate_options, quiet), NULL,
         "print nothing but what the firmware prints"},
};

bool infer_decimal(const char *text, double least, double most, double *ret)
{
	char *end;
	*ret = strtod(text, &end);
	return end != text && !*end && *ret >= least && *ret <= most;
}

void infer_split(const char *text, struct strv *ret)
{
	while (text && *text) {
		size_t n = strcspn(text, ",");
		if (n)
			strv_pushf(ret, "%.*s", (int)n, text);
		text += n + (text[n] == ',');
	}
}

#ifdef CONFIG_DEVICE

struct simulation {
	const struct simulate_options *options;
	struct program program;
	struct program training; // of a plan
	struct training_map map;
	struct plan plan;
	struct rehearsal how;
	struct buf command;
	struct strv files;
	struct analogue analogue;
};

static int write_path(const struct simulation *s, const char *output, const struct rehearsed *r, const uint64_t *times,
                      struct err *err)
{
	struct buf text = {0};
	char *name = mem_printf("%s.path", output);
	for (size_t i = 0; i < r->n; i++) {
		const struct followed *f = &r->path[i];
		buf_printf(&text, "%" PRIu64 " %" PRIu64 " ", times[i], times[i + 1] - times[i]);
		if (f->function == CODE_NONE)
			buf_addstr(&text, "?");
		else
			program_name(&s->program, f->function, f->number, &text);
		buf_addch(&text, '\n');
	}
	int e = file_replace(name, text.data, text.len, 0666, err);
	mem_free(name);
	buf_release(&text);
	return e;
}

// What a probe makes of the run, and the true path beside it.
static int write_recording(const struct simulation *s, const char *output, uint64_t seed, const struct rehearsed *r,
                           struct err *err)
{
	const unsigned each = s->how.samples;
	uint64_t *times = mem_zero((r->n + 1) * sizeof *times);
	struct analogue probe = s->analogue;
	size_t n;
	probe.seed = seed;
	for (size_t i = 0; i < r->n; i++)
		times[i] = r->path[i].begin * each;
	times[r->n] = r->n_samples;
	float *samples = analogue_apply(&probe, r->samples, r->n_samples, times, r->n + 1, &n);
	const struct recording_output o = {.name = output,
	                                   .rate = (double)s->options->clock * each,
	                                   .floats = s->options->floats,
	                                   .description = "simulated by veer infer simulate"};
	int e = recording_write(&o, samples, n, err);
	if (e == 0)
		e = write_path(s, output, r, times, err);
	if (e == 0 && !s->options->quiet)
		cli_line(stderr, "veer: %zu samples, %zu segments in %s.sigmf-meta and %s.path", n, r->n, output,
		         output);
	mem_free(samples);
	mem_free(times);
	return e;
}

static int simulate(struct simulation *s, const char *firmware, struct err *err)
{
	struct rehearsed done = {0};
	if (program_open(&s->program, firmware, err) < 0)
		return -1;
	uint32_t f = program_find(&s->program, s->options->from, 0);
	if (f == CODE_NONE)
		return err_set(err, "%s has no function %s; choose another one by --from", firmware, s->options->from);
	if (s->options->input && file_read(s->options->input, &s->how.input, err) < 0)
		return -1;
	s->how.image = &s->program.image;
	s->how.from = s->program.functions[f].address;
	s->how.command = buf_str(&s->command);
	int r = rehearse(&s->how, &done, err);
	if (r == 0)
		fwrite(done.result.output.data, 1, done.result.output.len, stdout);
	if (r == 0 && !done.n)
		r = err_set(err, "the firmware never calls %s; choose another function by --from", s->options->from);
	if (r == 0)
		r = write_recording(s, s->options->output, (uint64_t)s->options->seed, &done, err);
	if (r == 0 && !done.whole)
		r = err_set(err, "%s: %s after %" PRIu64 " instructions; what it did until then is recorded", firmware,
		            done.result.why, done.result.instructions);
	rehearsed_release(&done);
	return r;
}

// --- the runs of a plan --------------------------------------------------------------------------

static int simulate_run(struct simulation *s, const char *folder, const struct plan_run *run, struct err *err)
{
	struct rehearsed done = {0};
	int r = infer_run_setup(&s->how, folder, run->id, strcmp(run->phase, "inp") == 0, &s->program, &s->training,
	                        &s->map, &s->command, &s->files, err);
	if (r == 0)
		r = rehearse(&s->how, &done, err);
	for (int k = 0; r == 0 && k < s->options->repeat; k++) {
		const uint64_t seed = (uint64_t)s->options->seed + hash_text(run->id) + (uint64_t)k;
		char *name = k ? mem_printf("%s/%s~%d", s->options->output, run->id, k + 1)
		               : mem_printf("%s/%s", s->options->output, run->id);
		r = write_recording(s, name, seed, &done, err);
		mem_free(name);
	}
	rehearsed_release(&done);
	return r;
}

static int simulate_plan(struct simulation *s, const char *folder, struct err *err)
{
	char *plan = mem_printf("%s/%s", folder, PLAN_FILE), *firmware = mem_printf("%s/%s", folder, PLAN_FIRMWARE);
	char *program = mem_printf("%s/%s", folder, PLAN_PROGRAM);
	int r = plan_read(&s->plan, plan, err);
	if (r == 0)
		r = program_open(&s->program, firmware, err);
	if (r == 0 && file_exists(program)) {
		r = program_open(&s->training, program, err);
		if (r == 0)
			training_map_read(&s->map, &s->training.image);
	}
	if (r == 0)
		r = file_mkdirs(s->options->output, 0777, err);
	for (uint32_t i = 0; r == 0 && i < s->plan.n; i++)
		r = simulate_run(s, folder, &s->plan.runs[i], err);
	mem_free(plan);
	mem_free(firmware);
	mem_free(program);
	return r;
}

static int read_numbers(struct simulation *s, struct err *err)
{
	const struct simulate_options *o = s->options;
	struct analogue *a = &s->analogue;
	double offset, drift;
	if (!infer_decimal(o->snr, -40, 200, &a->snr))
		return err_set(err, "--snr wants decibels from -40 to 200");
	if (!infer_decimal(o->band, 0, 0.5, &a->band))
		return err_set(err, "--band wants a fraction from 0 to 0.5");
	if (!infer_decimal(o->gain, 0, 0.9, &a->gain))
		return err_set(err, "--gain wants a fraction from 0 to 0.9");
	if (!infer_decimal(o->offset, -50000, 50000, &offset) || !infer_decimal(o->drift, 0, 50000, &drift))
		return err_set(err, "--offset and --drift want parts per million, up to 50000");
	if (!infer_decimal(o->jitter, 0, 10, &a->jitter))
		return err_set(err, "--jitter wants samples from 0 to 10");
	if (o->samples < 1 || o->samples > 64)
		return err_set(err, "--samples wants a number from 1 to 64");
	if (o->clock < 1 || o->limit < 1 || o->repeat < 1)
		return err_set(err, "--clock, --limit and --repeat want a number above 0");
	a->offset = offset / 1e6;
	a->drift = drift / 1e6;
	a->seed = (uint64_t)o->seed;
	return 0;
}

static int start(struct simulation *s, int argc, char **argv)
{
	struct err err;
	if (read_numbers(s, &err) < 0)
		return cli_usage_error(&command_infer_simulate, err.text);
	const int words = argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1;
	infer_command(&s->command, argv[0], argv + words, (size_t)(argc - words));
	infer_split(s->options->files, &s->files);
	s->how.program = &s->program;
	s->how.files = &s->files;
	s->how.limit = (uint64_t)s->options->limit;
	s->how.samples = (unsigned)s->options->samples;
	int r = plan_is(argv[0]) ? simulate_plan(s, argv[0], &err) : simulate(s, argv[0], &err);
	return r < 0 ? cli_fail(err.text) : 0;
}

static void release(struct simulation *s)
{
	training_map_release(&s->map);
	program_close(&s->training);
	plan_release(&s->plan);
	program_close(&s->program);
	buf_release(&s->how.input);
	buf_release(&s->command);
	strv_release(&s->files);
}

static int run(int argc, char **argv)
{
	struct simulate_options o = {.output = "recording",
	                             .from = "main",
	                             .snr = "20",
	                             .band = "0.2",
	                             .gain = "0.05",
	                             .offset = "0",
	                             .drift = "50",
	                             .jitter = "0.05",
	                             .samples = 4,
	                             .clock = 16000000,
	                             .seed = 1,
	                             .limit = 2000000,
	                             .repeat = 1};
	struct err err;
	int first = options_parse(&command_infer_simulate, argc, argv, &o, &err);
	if (first == -2)
		return 0;
	if (first < 0)
		return cli_usage_error(&command_infer_simulate, err.text);
	if (first >= argc)
		return cli_usage_error(&command_infer_simulate, "no firmware to run");
	struct simulation s = {.options = &o};
	int r = start(&s, argc - first, argv + first);
	release(&s);
	return r;
}

#else

static int run(int argc, char **argv)
{
	return cli_fail(
		"veer was built without Unicorn, which runs firmware; install libunicorn-dev and build it again");
}

#endif

const struct command command_infer_simulate = {
	.name = "infer-simulate",
	.usage = "[OPTION...] FIRMWARE.elf|PLAN [ARGUMENT...]",
	.summary = "record a simulated device, with its true path",
	.details = "FIRMWARE.elf is a program for a Cortex-M3 without operating system; its console, arguments and "
		   "files are\n"
		   "semihosting's. Unicorn executes it, a model of a device's emanations makes samples of what it "
		   "does, and a\n"
		   "model of a probe adds the limits of its band, drift of gain and clock, jitter and noise. NAME.path "
		   "has a\n"
		   "line for each segment that was executed: the sample at which it begins, its length, its name.\n\n"
		   "PLAN is what `veer infer plan` writes: all of its runs are recorded, as NAME/RUN.sigmf-meta.\n",
	.options = options,
	.n_options = OPTIONS_COUNT(options),
	.run = run,
};
