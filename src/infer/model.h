// A model: the segments of a firmware, how they follow each other, and what a device gives off in each.
//
// A segment has a template for each length that it was seen to have: of every sample its mean and its weight, the
// inverse of its variance. Models are read from files, which may be damaged or hostile.
#ifndef VEER_INFER_MODEL_H
#define VEER_INFER_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { MODEL_NONE = UINT32_MAX, MODEL_LENGTH = 4096, MODEL_WINDOW = 64 };

enum model_end { MODEL_TO_MARKER, MODEL_CALLS, MODEL_LEAVES, MODEL_RETURNS, MODEL_STOPS, MODEL_ENDS };

struct model_function {
	char *name;
	uint32_t entry; // its first marker
	bool taken;     // may be called by a pointer
};

struct model_marker { // its segments are segments[first .. end)
	uint32_t function, first, end;
};

struct model_segment {
	char *name, *lines; // "FUNCTION/SHAPE:NUMBER"; "FILE:LINE LINE ..."
	uint32_t marker;    // at which it begins
	enum model_end how;
	bool may_leave;      // it may also end with a return
	uint32_t next;       // TO_MARKER: marker. CALLS, LEAVES: function; MODEL_NONE: any that is taken
	uint32_t after;      // CALLS: marker; MODEL_NONE: it does not come back
	uint32_t seen;       // how often, in training
	uint32_t first, end; // templates
};

struct model_template {
	uint32_t segment, n, seen;
	float *mean, *weight; // of n samples
	float logs, each;     // sum of half the logarithm of the weights; by sample
};

struct model_call {              // in the program, whether training saw it or not
	uint32_t caller, callee; // functions; callee MODEL_NONE: any that is taken
	uint32_t after;          // marker; MODEL_NONE: the call is the last thing that the caller does
};

// What the stateless way compares with: a template, and what came behind it.
struct model_window {
	uint32_t template, n;
	float *mean;
};

struct model {
	double rate;
	float mean, variance; // of all samples of training
	float residual;       // of the variance, what segments do not explain
	struct model_function *functions;
	uint32_t n_functions;
	struct model_marker *markers;
	uint32_t n_markers;
	struct model_segment *segments;
	uint32_t n_segments;
	struct model_template *templates;
	uint32_t n_templates;
	struct model_call *calls;
	uint32_t n_calls;
	struct model_window *windows;
	uint32_t n_windows;
};

int infer_model_read(struct model *ret, const char *path, struct err *err);
int infer_model_write(const struct model *m, const char *path, struct err *err);
void infer_model_release(struct model *m);

// Sums up what templates have, once they are filled in.
void infer_model_settle(struct model *m);

// Its segments by name.
struct model_names {
	uint32_t *slots; // number + 1
	size_t cap;      // a power of two
};

void infer_model_names_init(struct model_names *n, const struct model *m);
uint32_t infer_model_names_find(const struct model_names *n, const struct model *m,
                                const char *name); // MODEL_NONE: none
void infer_model_names_release(struct model_names *n);

#endif
