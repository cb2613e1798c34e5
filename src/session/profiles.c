#include "session/profiles.h"

#include "session/tools.h"
#include "worker/worker.h"

static const struct {
	uint64_t solver_ns, solver_conflicts;
	uint32_t decisions, after;
	unsigned run, hang;
	uint64_t memory;
} table[PROFILES] = {
#define PROFILE(name, solver_ns, solver_conflicts, decisions, after, run, hang, memory)                                \
	{solver_ns, solver_conflicts, decisions, after, run, hang, memory},
#include "session/profiles.def"
#undef PROFILE
};

struct worker_setup profile_worker(enum profile which, const struct session_tools *tools, unsigned timeout)
{
	return (struct worker_setup){
		.builder = &tools->explored,
		.limits = {.memory = table[which].memory << 20},
		.milliseconds = table[which].run * timeout,
		.hang_ms = table[which].hang * timeout,
		.solver_ns = table[which].solver_ns,
		.solver_conflicts = table[which].solver_conflicts,
		.decisions = table[which].decisions,
		.after = table[which].after,
	};
}
