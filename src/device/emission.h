// What a Cortex-M gives off while it executes: the model of the simulated device, all of it in emission.c. Inference
// knows nothing of it: src/infer may not include this room.
#ifndef VEER_DEVICE_EMISSION_H
#define VEER_DEVICE_EMISSION_H

#include "device/machine.h"

struct emission;

// `samples` per clock.
struct emission *emission_new(unsigned samples);
void emission_free(struct emission *e);

// The next instruction. Returns the clock at which the execution of this one begins.
uint64_t emission_step(struct emission *e, const struct machine_step *step);
// All is emitted. The samples belong to *e; *n of them.
const float *emission_end(struct emission *e, size_t *n);

#endif
