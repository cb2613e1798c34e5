// Inside of src/signal: the formats.
#ifndef VEER_SIGNAL_RECORDING_INTERNAL_H
#define VEER_SIGNAL_RECORDING_INTERNAL_H

#include "signal/recording.h"

extern const unsigned sample_sizes[SAMPLE_TYPES];

// All fill in r->data, n, type, complex, big, and the rate if the file says it. sigmf: labels, too.
int sigmf_open(struct recording *r, const char *path, struct err *err);
int npy_open(struct recording *r, const char *path, struct err *err);
int wav_open(struct recording *r, const char *path, struct err *err);

// The map from `offset` on has `n` samples of the type (UINT64_MAX: as many as are there, whole ones).
int recording_set(struct recording *r, uint64_t offset, uint64_t n, struct err *err);
void recording_add_label(struct recording *r, size_t *cap, uint64_t start, uint64_t count, const char *text);
void recording_sort_labels(struct recording *r);

#endif
