#include "fake_worker.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "worker/wire.h"

struct fake_program fake_program;

struct fake_log *fake_log_new(void)
{
	void *p = mmap(NULL, sizeof(struct fake_log), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

void fake_log_free(struct fake_log *log)
{
	munmap(log, sizeof *log);
}

void fake_text(const struct input *in, char ret[FAKE_BRANCHES + 1])
{
	const struct input_part *p = input_find(in, INPUT_STDIN, NULL);
	size_t n = p ? p->data.len : 0;
	n = n < FAKE_BRANCHES ? n : FAKE_BRANCHES;
	memset(ret, 0, FAKE_BRANCHES + 1);
	memcpy(ret, p ? p->data.data : "", n);
}

uint32_t fake_edge(const char *input, unsigned n)
{
	uint32_t edge = 1;
	for (unsigned i = 0; i < n; i++)
		edge = 2 * edge + (input[i] == '1');
	return edge;
}

static uint64_t key_of(uint32_t edge)
{
	return edge * 0x9e3779b97f4a7c15u | 1;
}

// --- what a job comes to --------------------------------------------------------------------------

static void log_job(const struct job *j, const char *text)
{
	struct fake_log *log = fake_program.log;
	uint32_t at = __atomic_fetch_add(&log->n, 1, __ATOMIC_SEQ_CST);
	if (at >= FAKE_LOG)
		return;
	log->v[at].flags = j->flags;
	log->v[at].alternatives = j->n_alternatives;
	log->v[at].wanted = j->n_wanted == 1 ? j->wanted[0] : 0;
	log->v[at].pid = getpid();
	memcpy(log->v[at].input, text, FAKE_BRANCHES + 1);
}

// One decision per byte, each with one alternative.
static void run(const struct job *j, const char *text, struct result *r)
{
	uint32_t n = (uint32_t)strlen(text);
	n = n < fake_program.branches ? n : fake_program.branches;
	r->reported = mem_zero((n + 1) * sizeof *r->reported);
	r->alternatives = mem_zero((n + 1) * sizeof *r->alternatives);
	r->n_reported = r->n_alternatives = r->decisions = n;
	r->path = 1;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t edge = fake_edge(text, i + 1), other = edge ^ 1;
		r->reported[i] = (struct reported){
			.decision = {.event = i, .first = i, .alternatives = 1, .key = key_of(edge), .edge = edge},
			.depth = i};
		r->alternatives[i] =
			(struct alternative){.key = key_of(other), .edge = other, .op = ALTERNATIVE_NEGATE};
		r->as_expected |= j->expect && j->expect == key_of(edge);
		r->path = r->leaf = key_of(edge);
	}
	bool crashes = fake_program.crash && strcmp(text, fake_program.crash) == 0;
	r->run = (struct run_result){.end = crashes ? RUN_SIGNAL : RUN_EXITED, .code = crashes ? SIGSEGV : 0};
}

// Flips the byte of each event.
static void solve(const struct job *j, const char *text, struct result *r)
{
	r->answers = mem_zero((j->n_alternatives + 1) * sizeof *r->answers);
	r->n_answers = j->n_alternatives;
	for (uint32_t i = 0; i < j->n_alternatives; i++) {
		uint32_t event = j->alternatives[i].event, edge = fake_edge(text, event + 1) ^ 1;
		struct result_answer *a = &r->answers[i];
		*a = (struct result_answer){
			.key = j->alternatives[i].alternative.key, .answer = ANSWER_SAT, .event = event, .changed = 1};
		if (fake_program.unsat >> event & 1) {
			a->answer = ANSWER_UNSAT;
		} else if (fake_program.unknown >> event & 1) {
			a->answer = ANSWER_UNKNOWN;
			a->reason = SOLVER_TIME;
		} else {
			input_copy(&a->input, &j->input);
			input_find(&a->input, INPUT_STDIN, NULL)->data.data[event] ^= 1;
		}
		if (edge < sizeof fake_program.log->queries / sizeof *fake_program.log->queries)
			__atomic_fetch_add(&fake_program.log->queries[edge], 1, __ATOMIC_SEQ_CST);
	}
}

static void mutate(const struct job *j, struct result *r)
{
	r->mutated = j->runs < 10 ? j->runs : 10;
	if (!fake_program.mutant)
		return;
	r->mutants = mem_zero(sizeof *r->mutants);
	r->n_mutants = 1;
	input_copy(&r->mutants->input, &j->input);
	struct buf *text = &input_find(&r->mutants->input, INPUT_STDIN, NULL)->data;
	buf_clear(text);
	buf_addstr(text, fake_program.mutant);
}

static void judge(const struct job *j, const char *text, struct result *r)
{
	if (!fake_program.crash || strcmp(text, fake_program.crash) != 0)
		return;
	r->verdicts = mem_zero(sizeof *r->verdicts);
	r->n_verdicts = 1;
	struct result_verdict *v = r->verdicts;
	v->verdict = (struct verdict){.level = LEVEL_ERROR,
	                              .kind = mem_strdup("segv"),
	                              .file = mem_strdup("p.c"),
	                              .function = mem_strdup("main"),
	                              .line = 1,
	                              .stack = mem_strdup("main p.c:1\n"),
	                              .report = mem_strdup("segv"),
	                              .key = 77};
	v->changed = v->care = -1;
	input_copy(&v->input, &j->input);
}

static void answer(const struct job *j, struct result *r)
{
	char text[FAKE_BRANCHES + 1];
	fake_text(&j->input, text);
	log_job(j, text);
	if (fake_program.kill && (!*fake_program.kill || strcmp(text, fake_program.kill) == 0))
		_exit(1);
	if (fake_program.kill_solving && j->n_alternatives && strcmp(text, fake_program.kill_solving) == 0)
		_exit(1);
	if (fake_program.job_us)
		usleep(fake_program.job_us);
	r->id = j->id;
	r->care = r->care_of = -1;
	r->us_run = fake_program.job_us;
	if (fake_program.failed)
		r->failed = mem_strdup(fake_program.failed);
	if (j->flags & JOB_MUTATE) {
		mutate(j, r);
		return;
	}
	if (j->flags & JOB_PATH)
		run(j, text, r);
	solve(j, text, r);
	if (j->flags & JOB_ORACLE)
		judge(j, text, r);
}

static _Noreturn void work(int fd)
{
	struct err err;
	struct job j;
	if (fd > 3)
		close_range(3, (unsigned)fd - 1, 0);
	close_range((unsigned)fd + 1, ~0u, 0);
	while (job_receive(fd, &j, &err) == 0) {
		struct result r = {0};
		answer(&j, &r);
		int sent = result_send(fd, &r, &err);
		result_release(&r);
		job_release(&j);
		if (sent < 0)
			break;
	}
	_exit(0);
}

int fake_worker_start(struct worker *ret, const struct worker_setup *setup, const char *worker_dir, struct err *err)
{
	(void)setup;
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return err_errno(err, "cannot start a worker");
	fake_program.log->starts++;
	pid_t pid = fork();
	if (pid == 0)
		work(pair[1]);
	close(pair[1]);
	*ret = (struct worker){.pid = pid, .fd = pair[0], .worker_dir = mem_strdup(worker_dir)};
	return 0;
}
