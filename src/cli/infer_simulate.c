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
#include "device/analogue.h"
#include "device/emission.h"
#include "device/machine.h"
#include "firmware/follow.h"
#include "signal/recording.h"
#endif

struct simulate_options {
	const char *output, *input, *files, *from, *snr, *band, *gain, *offset, *drift, *jitter;
	int samples, clock, seed, limit;
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
	struct emission *emission;
	struct follower follower;
	uint32_t from; // address of the function; 0: recording has begun
	bool recording;
	uint64_t clock;
	VEC(struct followed) path;
	VEC(uint64_t) times; // where each begins, in samples; one more: the end
	struct buf input, command;
	struct strv files;
	struct analogue analogue;
};

static void take_segment(void *opaque, const struct followed *segment)
{
	struct simulation *s = opaque;
	vec_push(&s->path, *segment);
	vec_push(&s->times, segment->begin * (unsigned)s->options->samples);
}

static void take_step(void *opaque, const struct machine_step *step)
{
	struct simulation *s = opaque;
	s->recording |= step->address == s->from;
	if (!s->recording)
		return;
	follower_step(&s->follower, step->address, emission_step(s->emission, step));
}

static int write_path(const struct simulation *s, struct err *err)
{
	struct buf text = {0};
	char *name = mem_printf("%s.path", s->options->output);
	for (size_t i = 0; i < s->path.n; i++) {
		const struct followed *f = &s->path.v[i];
		buf_printf(&text, "%" PRIu64 " %" PRIu64 " ", s->times.v[i], s->times.v[i + 1] - s->times.v[i]);
		if (f->function == CODE_NONE)
			buf_addstr(&text, "?");
		else
			program_name(&s->program, f->function, f->number, &text);
		buf_addch(&text, '\n');
	}
	int r = file_replace(name, text.data, text.len, 0666, err);
	mem_free(name);
	buf_release(&text);
	return r;
}

static int write_all(struct simulation *s, struct err *err)
{
	size_t clean_n, n;
	const float *clean = emission_end(s->emission, &clean_n);
	follower_end(&s->follower, clean_n / (unsigned)s->options->samples);
	if (!s->path.n)
		return err_set(err, "the firmware never calls %s; choose another function by --from", s->options->from);
	vec_push(&s->times, clean_n);
	float *samples = analogue_apply(&s->analogue, clean, clean_n, s->times.v, s->times.n, &n);
	const struct recording_output o = {.name = s->options->output,
	                                   .rate = (double)s->options->clock * s->options->samples,
	                                   .floats = s->options->floats,
	                                   .description = "simulated by veer infer simulate"};
	int r = recording_write(&o, samples, n, err);
	if (r == 0)
		r = write_path(s, err);
	if (r == 0 && !s->options->quiet)
		cli_line(stderr, "veer: %zu samples, %zu segments in %s.sigmf-meta and %s.path", n, s->path.n, o.name,
		         o.name);
	mem_free(samples);
	return r;
}

static int simulate(struct simulation *s, const char *firmware, struct err *err)
{
	if (program_open(&s->program, firmware, err) < 0)
		return -1;
	uint32_t f = program_find(&s->program, s->options->from, 0);
	if (f == CODE_NONE)
		return err_set(err, "%s has no function %s; choose another one by --from", firmware, s->options->from);
	if (s->options->input && file_read(s->options->input, &s->input, err) < 0)
		return -1;
	s->from = s->program.functions[f].address;
	s->emission = emission_new((unsigned)s->options->samples);
	follower_init(&s->follower, &s->program, take_segment, s);
	const struct machine_setup setup = {.image = &s->program.image,
	                                    .command = buf_str(&s->command),
	                                    .input = s->input.data,
	                                    .input_size = s->input.len,
	                                    .files = &s->files,
	                                    .limit = (uint64_t)s->options->limit,
	                                    .step = take_step,
	                                    .opaque = s};
	struct machine_result result;
	int r = machine_run(&setup, &result, err);
	if (r == 0) {
		fwrite(result.output.data, 1, result.output.len, stdout);
		r = write_all(s, err);
	}
	if (r == 0 && !result.ended)
		r = err_set(err, "%s: %s after %" PRIu64 " instructions; what it did until then is recorded", firmware,
		            result.why, result.instructions);
	buf_release(&result.output);
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
	if (o->clock < 1 || o->limit < 1)
		return err_set(err, "--clock and --limit want a number above 0");
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
	const char *base = path_basename(argv[0]);
	buf_addstr(&s->command, base);
	for (int i = 1; i < argc; i++) {
		bool quote = !argv[i][0] || strchr(argv[i], ' ');
		const char *mark = !quote ? "" : strchr(argv[i], '\'') ? "\"" : "'";
		if (i > 1 || strcmp(argv[i], "--") != 0)
			buf_printf(&s->command, " %s%s%s", mark, argv[i], mark);
	}
	infer_split(s->options->files, &s->files);
	int r = simulate(s, argv[0], &err);
	return r < 0 ? cli_fail(err.text) : 0;
}

static void release(struct simulation *s)
{
	emission_free(s->emission);
	program_close(&s->program);
	vec_release(&s->path);
	vec_release(&s->times);
	buf_release(&s->input);
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
	                             .limit = 2000000};
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
	.usage = "[OPTION...] FIRMWARE.elf [ARGUMENT...]",
	.summary = "record a simulated device, with its true path",
	.details = "FIRMWARE.elf is a program for a Cortex-M3 without operating system; its console, arguments and "
		   "files are\n"
		   "semihosting's. Unicorn executes it, a model of a device's emanations makes samples of what it "
		   "does, and a\n"
		   "model of a probe adds the limits of its band, drift of gain and clock, jitter and noise. NAME.path "
		   "has a\n"
		   "line for each segment that was executed: the sample at which it begins, its length, its name.\n",
	.options = options,
	.n_options = OPTIONS_COUNT(options),
	.run = run,
};
