// Asks the oracle about an input, and minimises it for each verdict.
#include "worker/worker_internal.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "coverage/cover.h"
#include "expr/trace.h"
#include "findings/twins.h"
#include "input/fragment.h"
#include "input/vary.h"
#include "path/apply.h"
#include "path/blame.h"
#include "worker/reads.h"

enum { MINIMISE_RUNS = 400, MINIMISE_ENTERED = 60 }; // of made-up state there is little to take away

// What a recorded test was given: also the files that the input has otherwise.
static void complete_seed(const struct worker_state *s, const struct job *j, struct input *ret)
{
	const struct snapshot *snapshot = s->around;
	input_copy(ret, &j->seed);
	for (size_t i = 0; snapshot && i < j->input.n; i++) {
		const struct input_part *p = &j->input.v[i];
		const struct snapshot_entry *e = p->kind == INPUT_FILE ? snapshot_find(snapshot, p->name) : NULL;
		struct buf content = {0};
		struct err err;
		if (e && !input_find(ret, INPUT_FILE, p->name) &&
		    snapshot_content(s->setup->files, e, &content, &err) == 0)
			input_add(ret, INPUT_FILE, p->name, content.data, content.len);
		buf_release(&content);
	}
}

// What was reported of the input as it was may not be true of the smaller one: sizes, addresses, callers.
static int report_again(const struct worker_state *s, const struct oracle_case *c, struct result_verdict *v,
                        struct err *err)
{
	struct verdicts vs = {0};
	if (s->setup->oracle->run(c, &v->input, &vs, err) < 0)
		return -1;
	for (size_t i = 0; i < vs.n; i++)
		if (vs.v[i].key == v->verdict.key) {
			struct verdict was = v->verdict;
			v->verdict = vs.v[i];
			vs.v[i] = was;
			break;
		}
	verdicts_release(&vs);
	return 0;
}

// How many bytes are relevant to what the input does wrong; -1: unknown. In place of the last run. In a snapshot
// the input gets what else it read.
static int32_t count_blamed(struct worker_state *s, struct input *in, const struct verdict *v)
{
	struct run_result run;
	struct trace t;
	struct blamed_bytes bytes;
	struct err err;
	worker_forget_run(s);
	int32_t n = -1;
	if (executor_run(s->explored, in, s->setup->milliseconds, &run, &err) == 0 &&
	    trace_take(s->explored->trace, s->explored->trace_size, &s->taken, &t, &err) == 0) {
		if (blame_bytes(&bytes, &t, blame_find(&t, v->file, v->line, v->stack))) {
			n = (int32_t)bytes.count;
			blamed_bytes_release(&bytes);
		}
		if (s->around)
			reads_add(in, &t, s->around);
	}
	cover_clear(s->explored->cover, s->explored->cover_size);
	return n;
}

// Others are known, and minimising one takes up to MINIMISE_RUNS runs.
static bool is_wanted(const struct job *j, uint64_t key)
{
	bool found = !(j->flags & JOB_MINIMISE) || !j->n_wanted;
	for (uint32_t i = 0; i < j->n_wanted && !found; i++)
		found = j->wanted[i] == key;
	return found;
}

// Values count as much as paths: two versions may agree on an input and not on another one of the same path.
static int vary(struct worker_state *s, const struct job *j, const struct oracle_case *c, struct result *r,
                struct err *err)
{
	enum { VARIATIONS = 12, MOST = 2 };
	uint64_t random = input_hash(&j->input) + j->round;
	for (unsigned i = 0; i < VARIATIONS && r->n_verdicts < MOST; i++) {
		struct input varied = {0};
		struct verdicts vs = {0};
		input_copy(&varied, &j->input);
		bool can = fragment_name(&varied)
		                   ? s->setup->twins && twins_vary(s->setup->twins, s->program, &varied, &random)
		                   : input_vary(&varied, s->setup->sym, &random);
		bool is_other = can && !input_equal(&varied, &j->input);
		int result = is_other ? s->setup->oracle->run(c, &varied, &vs, err) : 0;
		for (size_t k = 0; k < vs.n; k++) {
			if (strcmp(vs.v[k].kind, ORACLE_SILENT) == 0)
				continue;
			r->verdicts = mem_resize(r->verdicts, (r->n_verdicts + 2) * sizeof *r->verdicts);
			struct result_verdict *v = &r->verdicts[r->n_verdicts++];
			*v = (struct result_verdict){.verdict = vs.v[k],
			                             .changed = (int32_t)input_difference(&varied, &j->input),
			                             .care = -1};
			vs.v[k] = (struct verdict){0};
			input_copy(&v->input, &varied);
		}
		verdicts_release(&vs);
		input_release(&varied);
		if (result < 0)
			return -1;
	}
	return 0;
}

// In place of the last run.
static int make_whole(void *opaque, struct input *in, struct err *err)
{
	struct worker_state *s = opaque;
	struct run_result run;
	struct trace t;
	struct err none; // a run that was killed left no trace: it made up what it was given
	worker_forget_run(s);
	if (executor_run(s->explored, in, s->setup->milliseconds, &run, err) < 0)
		return -1;
	if (trace_take(s->explored->trace, s->explored->trace_size, &s->taken, &t, &none) == 0)
		apply_names(in, &t);
	cover_clear(s->explored->cover, s->explored->cover_size);
	return 0;
}

int worker_confirm(struct worker_state *s, const struct job *j, struct result *r, struct err *err)
{
	const struct oracle *oracle = s->setup->oracle;
	const struct oracle_case c = {.executors = &s->executors,
	                              .target = worker_target(s),
	                              .other = s->setup->versions ? &s->setup->programs[!s->program].target : NULL,
	                              .twins = s->setup->twins,
	                              .make_whole = s->setup->twins || !fragment_name(&j->input) ? NULL : make_whole,
	                              .opaque = s,
	                              .milliseconds = s->setup->hang_ms > j->run_ms ? s->setup->hang_ms : j->run_ms};
	uint64_t from = worker_clock();
	struct verdicts vs = {0};
	struct input seed = {0};
	const bool enters = s->setup->twins && fragment_name(&j->input);
	assert(!r->verdicts);
	if (s->setup->twins) // it runs the same variant
		worker_forget_run(s);
	if (!oracle)
		return err_set(err, "the coordinator sent a malformed job");
	if (oracle->run(&c, &j->input, &vs, err) < 0)
		return -1;
	bool minimise = (j->flags & JOB_MINIMISE) && !vs.crowded;
	complete_seed(s, j, &seed);
	r->verdicts = mem_zero((vs.n + 1) * sizeof *r->verdicts);
	for (size_t i = 0; i < vs.n; i++) {
		if (!is_wanted(j, vs.v[i].key))
			continue;
		struct result_verdict *v = &r->verdicts[r->n_verdicts++];
		v->verdict = vs.v[i]; // and what it points to
		vs.v[i] = (struct verdict){0};
		assert(v->verdict.level > LEVEL_NONE && v->verdict.kind && v->verdict.stack);
		input_copy(&v->input, &j->input);
		if (c.make_whole && make_whole(s, &v->input, err) < 0)
			return -1;
		if (minimise && oracle_minimise(oracle, &c, &v->input, &seed, s->around, v->verdict.key,
		                                enters ? MINIMISE_ENTERED : MINIMISE_RUNS, err) < 0) {
			input_release(&v->input);
			input_copy(&v->input, &j->input);
		}
		v->changed = j->flags & JOB_MINIMISE ? (int32_t)input_difference(&v->input, &seed) : -1;
		if (!input_equal(&v->input, &j->input) && report_again(s, &c, v, err) < 0)
			return -1;
		v->care = j->flags & JOB_MINIMISE ? count_blamed(s, &v->input, &v->verdict) : -1;
	}
	verdicts_release(&vs);
	input_release(&seed);
	if ((j->flags & JOB_VARY) && !r->n_verdicts && vary(s, j, &c, r, err) < 0)
		return -1;
	r->us_oracle = worker_clock() - from;
	return 0;
}
