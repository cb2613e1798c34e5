// The process inside: takes a job, does what it asks for, sends the result.
#include "worker/worker_internal.h"

#include <assert.h>
#include <unistd.h>

#include "base/mem.h"
#include "expr/trace.h"

enum { TRACES_MAX = 128 << 20 };

static int do_job(struct worker_state *s, struct job *j, struct result *r, struct err *err)
{
	if (worker_enter(s, j, err) < 0)
		return -1;
	r->id = j->id;
	r->care = r->care_of = -1;
	if (j->flags & (JOB_PRECONDITION | JOB_LIFT))
		return (j->flags & JOB_LIFT ? worker_lift : worker_find_precondition)(s, j, r, err);
	if (j->flags & JOB_MUTATE)
		return worker_mutate(s, j, r, err);
	if (j->flags & JOB_JOIN)
		return worker_join(s, j, r, err);
	if ((j->flags & JOB_MATCH) && worker_match(s, j, r, err) < 0)
		return -1;
	if (r->differs)
		return 0;
	if ((j->flags & (JOB_PATH | JOB_CARE | JOB_TRACE)) || j->n_alternatives) {
		if (worker_run(s, j, r, err) < 0)
			return -1;
		worker_report(s, j, r);
	}
	if (j->flags & JOB_TRACE)
		trace_encode(&s->trace, &r->trace);
	if ((j->flags & (JOB_CARE | JOB_TRACE)) && !(j->flags & JOB_PATH) &&
	    !j->n_alternatives) { // it ran for this alone
		r->us_care = r->us_run;
		r->us_run = 0;
	}
	worker_solve(s, j, r);
	if (j->flags & JOB_CARE)
		worker_find_care(s, j, r);
	bool hangs = (j->flags & JOB_PATH) && s->run.end == RUN_TIMEOUT;
	return (j->flags & JOB_ORACLE) && !(hangs && (j->flags & JOB_QUICK)) ? worker_confirm(s, j, r, err) : 0;
}

_Noreturn void worker_work(struct worker_state *s)
{
	struct job j;
	struct err err;
	bool works = true;
	int received = 0;
	assert(s->setup && s->setup->builder && s->fd >= 0);
	s->program = UINT32_MAX;
	tree_init(&s->reported, WORKER_REPORTED_MAX);
	tree_init(&s->places, WORKER_REPORTED_MAX);
	if (s->setup->filter) {
		s->decisions.wants = worker_wants;
		s->decisions.opaque = s;
	}
	traces_init(&s->traces, TRACES_MAX);
	executors_init(&s->executors, &(struct executors_setup){.builder = s->setup->builder,
	                                                        .sym = s->setup->sym,
	                                                        .sandbox = &s->sandbox,
	                                                        .floats = s->setup->float_checks,
	                                                        .complain = s->setup->complain});
	if (s->setup->largest)
		worker_see_names(s, &s->largest, s->setup->largest);
	while (works && (received = job_receive(s->fd, &j, &err)) == 0) {
		struct result r = {0};
		uint64_t from = worker_clock();
		works = do_job(s, &j, &r, &err) == 0;
		r.us_job = worker_clock() - from;
		if (works && result_send(s->fd, &r, &err) < 0)
			_exit(0); // nobody is left to tell
		result_release(&r);
		job_release(&j);
	}
	works &= received >= 0;
	if (!works) {
		struct result r = {.failed = err.text};
		struct err ignored;
		result_send(s->fd, &r, &ignored);
	}
	worker_stop_program(s);
	sandbox_leave(&s->sandbox);
	_exit(works ? 0 : 1);
}
