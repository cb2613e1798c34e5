// Recordings of what a device gave off: SigMF, NumPy's .npy, WAV. They are mapped, not loaded, and what was read is
// given back to the system, so that a recording of gigabytes takes little memory. Files may be damaged or hostile.
#ifndef VEER_SIGNAL_RECORDING_H
#define VEER_SIGNAL_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/file.h"

enum sample_type { SAMPLE_I8, SAMPLE_U8, SAMPLE_I16, SAMPLE_U16, SAMPLE_I32, SAMPLE_F32, SAMPLE_F64, SAMPLE_TYPES };

struct recording_label {
	uint64_t start, count; // of samples
	char *text;
};

struct recording {
	char *path;
	struct file_map map;
	const uint8_t *data; // of the map
	uint64_t n;          // samples
	double rate;         // a second; 0: the file does not say
	enum sample_type type;
	bool complex, big;
	struct recording_label *labels; // in the order of time
	size_t n_labels, labels_cap;
	uint64_t forgotten; // bytes of the map that were given back
};

// By the end of the name: .sigmf-meta, .sigmf-data (or without either, when those are there), .npy, .wav.
int recording_open(struct recording *ret, const char *path, struct err *err);
void recording_close(struct recording *r);

// The samples from `from` on, at most as many as there are; returns how many. Of complex ones, their magnitudes; what
// is no number is 0. Within one recording `from` does not go back by more than some thousands.
size_t recording_read(struct recording *r, uint64_t from, size_t n, float *ret);

// Labels from a file beside the recording, NAME.path: a line for each, START COUNT LABEL. 0: there is no such file.
int recording_read_path(struct recording *r, struct err *err);

// Labels that come from elsewhere, in the order of time.
void recording_drop_labels(struct recording *r);
void recording_label(struct recording *r, uint64_t start, uint64_t count, const char *text);

bool recording_is(const char *path); // of one of these names

// Writes NAME.sigmf-meta and NAME.sigmf-data, real samples, as 16-bit integers or floats; integers are scaled.
struct recording_output {
	const char *name;
	double rate;
	bool floats;
	const char *description;
};
int recording_write(const struct recording_output *o, const float *v, size_t n, struct err *err);

#endif
