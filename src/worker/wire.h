// What the coordinator of a campaign and its workers send to each other, over a socket pair: a job, then a result.
// wire.def has the members of both, and of what they are made of.
#ifndef VEER_WORKER_WIRE_H
#define VEER_WORKER_WIRE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "execute/executor.h"
#include "findings/verdict.h"
#include "path/decide.h"
#include "solver/solver.h"
#include "store/account.h"
#include "worker/message.h"

enum job_flags {
	JOB_PATH = 1,     // report which decisions the run made
	JOB_CARE = 2,     // report which bytes are relevant
	JOB_ORACLE = 4,   // ask the oracle
	JOB_MINIMISE = 8, // and make the input smaller for each verdict
	JOB_ALL = 16,     // with JOB_PATH: all decisions, also those that were reported before
	JOB_AFTER = 32,   // with JOB_PATH: those behind `expect`, likewise; none when the run did not come by it
	JOB_MATCH = 64,   // compare: the program with the recording, and its traced run with the native one
	JOB_QUICK =
		128, // with JOB_ORACLE: not when the run took too long; with JOB_MATCH: natively, no longer than traced
	JOB_TRACE = 256,          // hand over the trace of the run
	JOB_MASKS = 512,          // with JOB_CARE: report which bits of which bytes are relevant
	JOB_EDGES = 1024,         // with JOB_PATH: report which branch edges the run executed, whether new or not
	JOB_SEGMENTS = 4096,      // with JOB_PATH: report which segments the run passed through, and how many in all
	JOB_FIRST = 2048,         // solve alternatives in their order, until one has a solution
	JOB_LIFT = 16384,         // nothing else: see worker_lift
	JOB_PRECONDITION = 32768, // nothing else: see worker_find_precondition
	JOB_HEAD = 131072,        // with JOB_PATH: what of the run is not analysed is known, and need not run
	JOB_MUTATE = 262144,      // nothing else: see worker_mutate
	JOB_JOIN = 524288,        // nothing else: see worker_join
	JOB_VARY = 8192, // with JOB_ORACLE: ask about variations of the input, too; `changed`: how far they are
};

// Of a finding, in the run of a fragment that has it.
enum result_facts {
	FACT_RELEVANT = 1,  // relevant bytes are known
	FACT_SUBJECT = 2,   // what goes wrong is about bytes of the input
	FACT_UNCHECKED = 4, // of which no decision before it tests any
	FACT_BEYOND = 8,    // the run ended with an access outside of a cell
};

#define FIELD MESSAGE_MEMBER
struct job_alternative {
#define WIRE_JOB_ALTERNATIVE
#include "worker/wire.def"
#undef WIRE_JOB_ALTERNATIVE
};

struct job {
#define WIRE_JOB
#include "worker/wire.def"
#undef WIRE_JOB
};

struct reported {
#define WIRE_REPORTED
#include "worker/wire.def"
#undef WIRE_REPORTED
};

struct result_answer {
#define WIRE_RESULT_ANSWER
#include "worker/wire.def"
#undef WIRE_RESULT_ANSWER
};

struct result_cover {
#define WIRE_RESULT_COVER
#include "worker/wire.def"
#undef WIRE_RESULT_COVER
};

struct result_verdict {
#define WIRE_RESULT_VERDICT
#include "worker/wire.def"
#undef WIRE_RESULT_VERDICT
};

struct result_name {
#define WIRE_RESULT_NAME
#include "worker/wire.def"
#undef WIRE_RESULT_NAME
};

struct result_read {
#define WIRE_RESULT_READ
#include "worker/wire.def"
#undef WIRE_RESULT_READ
};

struct result_mutant {
#define WIRE_RESULT_MUTANT
#include "worker/wire.def"
#undef WIRE_RESULT_MUTANT
};

struct result {
#define WIRE_RESULT
#include "worker/wire.def"
#undef WIRE_RESULT
};
#undef FIELD

// Their fields, for tests that try each of them.
extern const struct message_table job_table, result_table;

void job_release(struct job *j);
void result_release(struct result *r);

// Both return 0; -1 with *err filled when the other side is gone or what it sent is no message.
int job_send(int fd, const struct job *j, struct err *err);
int job_receive(int fd, struct job *ret, struct err *err); // 1: the other side has closed
int result_send(int fd, const struct result *r, struct err *err);
int result_receive(int fd, struct result *ret, struct err *err);

#endif
