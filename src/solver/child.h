// A query to a child process, for a solver that may crash, hang or eat all memory: the limits of a query
// hold whatever it does.
#ifndef VEER_SOLVER_CHILD_H
#define VEER_SOLVER_CHILD_H

#include "solver/solver.h"

// What the child says; for sat, a value for each variable that was asked for follows.
struct child_answer {
	uint32_t magic, answer, reason, n;
};
enum { CHILD_MAGIC = 0x76335a01 };

// In the child: sends the answer and ends it. `values`: n of them when it is sat, else NULL.
_Noreturn void child_send(int fd, enum answer answer, enum solver_reason reason, const uint8_t *values, uint32_t n);

// Runs work(opaque, fd) in a child, which has to call child_send with fd. What it prints goes nowhere. A child that
// ends in another way has answered unknown. Waits no longer than env->deadline, nor when env is interrupted;
// memory beyond env->bytes the child does not get. Sat: values for `vars` are in *ret.
enum answer child_ask(struct solver *s, void (*work)(void *opaque, int fd), void *opaque, const uint32_t *vars,
                      uint32_t n_vars, struct model *ret);

#endif
