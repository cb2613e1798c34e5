// Inside of decode*.c.
#ifndef VEER_INFER_DECODE_INTERNAL_H
#define VEER_INFER_DECODE_INTERNAL_H

#include "base/map.h"
#include "base/vec.h"
#include "infer/decode.h"

enum {
	RING = 32768, // samples at hand
	AHEAD = MODEL_LENGTH + 64,
	INPUT = 4096, // samples read at a time
	STACKS_MAX = 1 << 20,
};

// --- decode_input.c: the samples, as the model would have them ------------------------------------

struct input {
	struct recording *r;
	uint64_t limit;
	float raw[INPUT + 4]; // of the recording, from `raw_at` on
	uint64_t raw_at;
	size_t raw_n;
	double step;                         // samples of the recording for each sample here
	double at;                           // where the next one is taken from
	double gain, offset;                 // what makes the model's of the recording's
	double mean, variance, log_variance; // the latter halved
	double first_mean, first_variance;   // of the recording's beginning
	uint64_t n;                          // so many have been taken
	bool ended;                          // and there are no more
	float z[RING + MODEL_LENGTH]; // by their number modulo RING; the first ones stand behind the ring once more
	double place[RING];           // where in the recording
	double background[RING];      // likelihood as samples of no segment: sum of those before
	double sum;
};

void input_start(struct input *in, const struct model *m, struct recording *r, uint64_t limit); // of samples
// The gain by which the recording is as in training, with so many times its noise.
void input_assume(struct input *in, const struct model *m, double noise);
// Sees to it that there are samples before `upto`, as far as the recording has them.
void input_fill(struct input *in, uint64_t upto);
static inline double input_background(const struct input *in, uint64_t from, uint64_t to)
{
	return in->background[to % RING] - in->background[from % RING];
}
void input_spread(struct input *in, double variance); // of samples of no segment
uint64_t input_place(const struct input *in, uint64_t number);

// --- decode_trace.c: paths and stacks that hypotheses share -----------------------------------------

struct trace {
	uint32_t parent; // 0: none
	uint32_t users;
	uint32_t template; // MODEL_NONE: not in the model
	int32_t slip;
	uint64_t begin, end;
};

struct traces {
	VEC(struct trace) v; // v[0] is none
	uint32_t free;       // linked by `parent`
};

// The caller uses it; the parent is used by it.
uint32_t decode_traces_add(struct traces *t, const struct trace *trace);
static inline uint32_t decode_traces_use(struct traces *t, uint32_t number)
{
	t->v.v[number].users++;
	return number;
}
void decode_traces_drop(struct traces *t, uint32_t number);

struct stack { // 0 is the empty one, of which nothing is known
	uint32_t below, marker;
};

struct stack_entry {
	uint64_t key; // below and marker
	uint32_t number;
};

MAP(stack_map, struct stack_entry);

struct stacks {
	VEC(struct stack) v;
	struct stack_map map;
};

uint32_t stacks_push(struct stacks *s, uint32_t below, uint32_t marker);
void stacks_release(struct stacks *s);

// --- the search ---------------------------------------------------------------------------------

enum {
	BUCKETS = 8192, // times at which hypotheses may stand at once
	LAG = 4096,     // so far behind paths become known
	TRACE_PENDING = 1 << 30,
};

struct hypothesis {
	double score;
	uint32_t marker;       // MODEL_NONE: not in the model
	uint32_t stack, trace; // trace TRACE_PENDING: the decoder's pending one
};

struct bucket {
	VEC(struct hypothesis) v;
	double best; // of all that pass by here
};

struct targets {
	VEC(uint32_t) v;
};

struct decoder {
	const struct model *m;
	struct input *in;
	struct bucket *buckets;
	struct traces traces;
	struct stacks stacks;
	struct targets *returns; // of each function: markers behind calls of it
	struct targets taken;    // entries of functions that may be called by a pointer
	double noise;            // variance of what the model does not explain, relative to training
	double log_noise;        // half its logarithm
	float *priors;           // of each segment: half the logarithm of how likely it is at its marker
	struct trace pending;  // of the segment that ends; made when a hypothesis wants it: most are worse than others
	uint32_t pending_made; // its number, 0: not yet
	uint64_t at;
	struct hypothesis last; // the best one at the end of the recording
	uint32_t root;          // the trace up to which all is known
	path_sink sink;
	void *opaque;
	struct path_segment unknown; // not yet given to the sink
	bool has_unknown;
	struct decode_counts *counts;
};

static inline struct bucket *bucket_of(const struct decoder *d, uint64_t at)
{
	return &d->buckets[at % BUCKETS];
}

void decode_noise(struct decoder *d, double noise);
// The squares of what is between samples and a template, each by its weight.
double decode_squares(const float *z, const float *mean, const float *weight, uint32_t n);

// --- decode_known.c: paths become known ----------------------------------------------------------

// Gives all of a trace behind the root to the sink, but what ends after `until`; then that is the root.
void decode_commit(struct decoder *d, uint32_t trace, uint64_t until);
// Commits what is LAG samples old, of the best hypothesis; those that disagree are given up.
void decode_settle(struct decoder *d);
void decode_give_unknown(struct decoder *d);

#endif
