// Both versions of a program entered at the same function with the same made-up state (worker_joint.c).
#ifndef VEER_WORKER_JOINT_H
#define VEER_WORKER_JOINT_H

#include "worker/agreement.h"
#include "worker/worker_internal.h"

enum joint_which { JOINT_OWN, JOINT_OTHER, JOINT_SIDES }; // OWN: the version that the worker's last program is

struct joint {
	struct worker_state *s;
	struct input in[JOINT_SIDES]; // OTHER: as the other version has it
	struct buf memory[JOINT_SIDES];
	struct agreement_side side[JOINT_SIDES];
	struct convert convert; // from the old version to the new one
};

// Runs both on an input that enters one of the twins (LAUNCH_LABELS), in place of the last run. *ret is to be released
// in any case; imports are the caller's.
int joint_run(struct joint *ret, struct worker_state *s, const struct input *in, struct err *err);
void joint_release(struct joint *j);
// Does each byte of the state mean the same to both? Otherwise nothing is known about it.
bool joint_is_one_state(const struct joint *j);
// The condition under which they leave something else (agreement_differs); both imports are there.
uint32_t joint_differs(struct joint *j, bool *ret_open);

#endif
