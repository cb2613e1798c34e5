// An inferred path, segment by segment, as it becomes known; how far it is from the true one.
#ifndef VEER_INFER_PATH_H
#define VEER_INFER_PATH_H

#include "infer/model.h"

struct path_segment {
	uint64_t begin, end; // samples of the recording
	uint32_t segment;    // MODEL_NONE: not in the model
	float confidence;    // from 0 to 1
};

typedef void (*path_sink)(void *opaque, const struct path_segment *segment);

// The fewest segments to insert, remove or replace in `a` to get `b`. Numbers that the model does not have differ from
// all of its own. More than `most` is not looked for: the result is then at least `most`.
uint64_t path_distance(const uint32_t *a, size_t n, const uint32_t *b, size_t m, uint64_t most);

#endif
