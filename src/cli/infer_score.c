// veer infer score: how much of known paths is inferred.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "cli/infer.h"
#include "cli/options.h"
#include "infer/decode.h"
#include "infer/profile.h"
#include "infer/stateless.h"

struct score_options {
	const char *least, *format;
	bool stateless;
};

static const struct option_spec options[] = {
	{"stateless", 0, OPTION_FLAG, offsetof(struct score_options, stateless), NULL,
         "match windows one by one, without the graph of segments"},
	{"least", 0, OPTION_TEXT, offsetof(struct score_options, least), "CORRELATION",
         "with --stateless: what matches less is not in the model (default 0.4)"},
	{"format", 0, OPTION_TEXT, offsetof(struct score_options, format), "FORMAT", "text or json (default text)"},
};

struct scored {
	uint64_t distance, length, unknown; // unknown: segments of the true path that the model does not have
	double accuracy, profile, seconds;
	uint64_t samples, entered;
};

struct inferred {
	VEC(uint32_t) v;
};

static void take(void *opaque, const struct path_segment *s)
{
	struct inferred *i = opaque;
	if (s->segment != MODEL_NONE)
		vec_push(&i->v, s->segment);
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

// Numbers of the true path; those that the model does not have are beyond its own, equal ones equal.
static void read_truth(const struct model *m, const struct recording *r, struct inferred *ret, uint64_t *unknown)
{
	struct model_names names = {0};
	infer_model_names_init(&names, m);
	for (size_t i = 0; i < r->n_labels; i++) {
		uint32_t s = infer_model_names_find(&names, m, r->labels[i].text);
		*unknown += s == MODEL_NONE;
		vec_push(&ret->v, s == MODEL_NONE ? m->n_segments + (uint32_t)(hash_text(r->labels[i].text) >> 34) : s);
	}
	infer_model_names_release(&names);
}

static int score_one(const struct model *m, const struct score_options *o, double least, const char *path,
                     struct scored *ret, struct err *err)
{
	struct recording r;
	struct inferred inferred = {0}, truth = {0};
	struct decode_counts counts = {0};
	*ret = (struct scored){0};
	if (recording_open(&r, path, err) < 0)
		return -1;
	int result = recording_read_path(&r, err);
	if (result == 0 && !r.n_labels)
		result = err_set(err, "%s: its true path is not known: it has neither annotations nor a .path file",
		                 path);
	if (result == 0) {
		read_truth(m, &r, &truth, &ret->unknown);
		double before = now();
		if (o->stateless)
			stateless_infer(m, &r, (float)least, take, &inferred);
		else
			decode_infer(m, &r, take, &inferred, &counts);
		ret->seconds = now() - before;
		ret->samples = r.n;
		ret->entered = counts.entered;
		ret->length = truth.v.n;
		ret->distance = path_distance(truth.v.v, truth.v.n, inferred.v.v, inferred.v.n, truth.v.n);
		ret->accuracy =
			ret->distance < ret->length ? 100 - 100 * (double)ret->distance / (double)ret->length : 0;
		ret->profile = 100 * profile_accuracy(m, truth.v.v, truth.v.n, inferred.v.v, inferred.v.n);
	}
	vec_release(&inferred.v);
	vec_release(&truth.v);
	recording_close(&r);
	return result;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static void print(const struct score_options *o, const char *name, const struct scored *s)
{
	if (strcmp(o->format, "json") == 0)
		cli_line(stdout,
		         "{\"name\": \"%s\", \"accuracy\": %.3f, \"profile\": %.3f, \"segments\": %llu, \"distance\": "
		         "%llu, "
		         "\"unknown\": %llu, \"samples\": %llu, \"entered\": %llu, \"seconds\": %.6f}",
		         path_basename(name), s->accuracy, s->profile, (unsigned long long)s->length,
		         (unsigned long long)s->distance, (unsigned long long)s->unknown,
		         (unsigned long long)s->samples, (unsigned long long)s->entered, s->seconds);
	else
		cli_line(stdout, "%6.2f%%  profile %6.2f%%  %llu of %llu segments differ, %llu not in the model  %s",
		         s->accuracy, s->profile, (unsigned long long)s->distance, (unsigned long long)s->length,
		         (unsigned long long)s->unknown, name);
}

static int score(const struct score_options *o, double least, const char *path, const struct strv *recordings,
                 struct err *err)
{
	struct model m;
	VEC(double) all = {0};
	double sum = 0, profile = 0;
	if (infer_model_read(&m, path, err) < 0)
		return -1;
	int r = 0;
	for (size_t i = 0; r == 0 && i < recordings->n; i++) {
		struct scored s;
		r = score_one(&m, o, least, recordings->v[i], &s, err);
		if (r < 0)
			break;
		print(o, recordings->v[i], &s);
		vec_push(&all, s.accuracy);
		sum += s.accuracy;
		profile += s.profile;
	}
	if (r == 0 && strcmp(o->format, "text") == 0) {
		qsort(all.v, all.n, sizeof *all.v, by_value);
		cli_line(stdout, "mean %.2f%%, median %.2f%%, least %.2f%%; profiles %.2f%%; %zu recordings",
		         sum / (double)all.n, all.v[all.n / 2], all.v[0], profile / (double)all.n, all.n);
	}
	vec_release(&all);
	infer_model_release(&m);
	return r;
}

static int run(int argc, char **argv)
{
	struct score_options o = {.least = "0.4", .format = "text"};
	struct strv recordings = {0};
	struct err err;
	double least;
	int first = options_parse(&command_infer_score, argc, argv, &o, &err), r = 0;
	if (first == -2)
		return 0;
	if (first < 0)
		return cli_usage_error(&command_infer_score, err.text);
	if (argc - first < 2)
		return cli_usage_error(&command_infer_score, "score wants a model and recordings whose path is known");
	if (!infer_decimal(o.least, 0, 1, &least))
		return cli_usage_error(&command_infer_score, "--least wants a correlation from 0 to 1");
	if (strcmp(o.format, "text") != 0 && strcmp(o.format, "json") != 0)
		return cli_usage_error(&command_infer_score, "--format is text or json");
	for (int i = first + 1; r == 0 && i < argc; i++)
		r = infer_recordings(argv[i], &recordings, &err);
	if (r == 0)
		r = score(&o, least, argv[first], &recordings, &err);
	strv_release(&recordings);
	return r < 0 ? cli_fail(err.text) : 0;
}

const struct command command_infer_score = {
	.name = "infer-score",
	.usage = "[OPTION...] MODEL RECORDING|DIR...",
	.summary = "measure how much of known paths is inferred",
	.details =
		"The true path of a recording is in its annotations, or in NAME.path beside it. Inference does not "
		"read it.\n"
		"The accuracy is 1 minus the edit distance between the true path and the inferred one, in segments,\n"
		"relative to the length of the true path. The profile's is that of counts of segments: how often each "
		"was\n"
		"executed, without their order.\n",
	.options = options,
	.n_options = OPTIONS_COUNT(options),
	.run = run,
};
