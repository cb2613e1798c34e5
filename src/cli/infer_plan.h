// The runs of a plan on the simulated device (infer/plan.h).
#ifndef VEER_CLI_INFER_PLAN_H
#define VEER_CLI_INFER_PLAN_H

#include "config.h"
#ifdef CONFIG_DEVICE
#include "device/rehearsal.h"

// How a run is made. `whole`: of the firmware itself, given what inputs/ID.args and inputs/ID.stdin in the folder say;
// files that arguments name may be read. The setup has the other values already; the rest must outlive the run.
int infer_run_setup(struct rehearsal *ret, const char *folder, const char *id, bool whole,
                    const struct program *program, const struct program *training, const struct training_map *map,
                    struct buf *command, struct strv *files, struct err *err);

// A command line of the words, as start-up code splits it.
void infer_command(struct buf *ret, const char *program, char *const *words, size_t n);
#endif

#endif
