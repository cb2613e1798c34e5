// Named profiles of worker limits (profiles.def), and the setup of workers that they make.
#ifndef VEER_SESSION_PROFILES_H
#define VEER_SESSION_PROFILES_H

struct session_tools;
struct worker_setup; // worker/worker.h

enum profile {
#define PROFILE(name, solver_ns, solver_conflicts, decisions, after, run, hang, memory) PROFILE_##name,
#include "session/profiles.def"
#undef PROFILE
	PROFILES
};

// A worker's setup with the builder and the limits filled in, for the caller to add the oracle, programs and where runs
// take place. `timeout`: of a run, in milliseconds. The tools must outlive it.
struct worker_setup profile_worker(enum profile which, const struct session_tools *tools, unsigned timeout);

#endif
