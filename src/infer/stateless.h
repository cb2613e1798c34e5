// The stateless way: windows of the recording are compared with the model's by normalised cross-correlation, and the
// best one says what was executed there, whatever was before. R. Rutledge et al. infer so ("Zero-overhead path
// inference").
#ifndef VEER_INFER_STATELESS_H
#define VEER_INFER_STATELESS_H

#include "infer/path.h"
#include "signal/recording.h"

// Below `least`, from 0 to 1, a window is not in the model. The recording has the model's rate.
void stateless_infer(const struct model *m, struct recording *r, float least, path_sink sink, void *opaque);

#endif
