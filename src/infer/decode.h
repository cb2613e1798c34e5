// Decoding: the path through the graph of segments, with calls and returns, under which a recording is most likely; a
// hidden semi-Markov model, searched with a beam.
//
// A hypothesis stands at a marker, at a time, with a stack of markers to return to; its score is the logarithm of how
// much likelier the samples so far are under its path than as samples of no segment in particular. "Not in the model"
// is a hypothesis like any, of score 0 for each sample. From there the model may be entered again at any segment, with
// a stack that is not known: so a wrong turn costs some samples, and not the rest of the path.
//
// Gain, noise and the device's clock are followed while the path becomes known. Memory does not depend on the length of
// the recording.
#ifndef VEER_INFER_DECODE_H
#define VEER_INFER_DECODE_H

#include "infer/path.h"
#include "signal/recording.h"

struct decode_counts {
	uint64_t samples, expanded, entered; // entered: how often the model was looked for again
	float clock;                         // of the device, relative to training
};

void decode_infer(const struct model *m, struct recording *r, path_sink sink, void *opaque,
                  struct decode_counts *counts);

#endif
