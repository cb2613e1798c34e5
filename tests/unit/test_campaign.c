// The coordinator, with workers that are made up: order of jobs, budgets, lost workers, sessions, and a driver of the
// test's own.
#include "explore/campaign.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "explore/driver.h"
#include "explore/search_driver.h"
#include "fake_worker.h"
#include "test.h"

// What a test sets up; closed by finish.
static struct {
	struct err err;
	struct store *store;
	struct cover *cover;
	struct input seed;
	struct worker_program program;
	struct worker_setup worker;
	struct search_setup search;
	struct campaign_setup setup;
	struct campaign c;
	unsigned found;
	bool found_in_store;
	volatile sig_atomic_t stop;
} s;

static int found(void *opaque, const struct stored_finding *f, const struct verdict *v, const struct input *in,
                 int64_t snapshot, struct err *err);

static void begin(const char *seed, enum strategy_kind kind)
{
	memset(&s, 0, sizeof s);
	fake_program = (struct fake_program){.branches = (unsigned)strlen(seed), .log = fake_log_new()};
	CHECK(fake_program.log);
	s.store = store_open(test_path("campaign"), true, &s.err);
	CHECK_THAT(s.store, "%s", s.err.text);
	s.cover = cover_new();
	input_add(&s.seed, INPUT_STDIN, NULL, seed, strlen(seed));
	s.program = (struct worker_program){.target = {.program = "/p"}};
	s.worker = (struct worker_setup){.programs = &s.program, .n_programs = 1};
	s.search = (struct search_setup){.strategy = {.kind = kind, .random = 1}, .seeds = &s.seed, .n_seeds = 1};
	s.setup = (struct campaign_setup){.driver = &driver_search,
	                                  .driver_setup = &s.search,
	                                  .store = s.store,
	                                  .worker = &s.worker,
	                                  .worker_start = fake_worker_start,
	                                  .worker_dirs = test_path("workers"),
	                                  .cover = s.cover,
	                                  .deterministic = true,
	                                  .jobs = 1,
	                                  .stop = &s.stop,
	                                  .found = found};
}

static int run_session(void)
{
	s.stop = 0;
	int r = campaign_run(&s.c, &s.setup, &s.err);
	buf_release(&s.c.search);
	return r;
}

#define RUN() CHECK_THAT(run_session() == 0, "%s", s.err.text)

static void finish(void)
{
	store_close(s.store);
	cover_free(s.cover);
	input_release(&s.seed);
	fake_log_free(fake_program.log);
}

// Jobs whose flags have one of these, of the input; NULL: of all.
static unsigned count_jobs(uint32_t flags, const char *input)
{
	unsigned n = 0;
	for (uint32_t i = 0; i < fake_program.log->n; i++) {
		const struct fake_job *j = &fake_program.log->v[i];
		n += (j->flags & flags) && (!input || strcmp(j->input, input) == 0);
	}
	return n;
}

static unsigned most_queries(void)
{
	unsigned most = 0;
	for (size_t i = 0; i < COUNT(fake_program.log->queries); i++)
		most = fake_program.log->queries[i] > most ? fake_program.log->queries[i] : most;
	return most;
}

// All jobs in their order: the input, and p: path, o: oracle, m: minimise, =: comparison, a number: of queries.
static const char *jobs(void)
{
	char *text = test_alloc(FAKE_LOG), *end = text;
	*text = 0;
	for (uint32_t i = 0; i < fake_program.log->n; i++) {
		const struct fake_job *j = &fake_program.log->v[i];
		end += sprintf(end, "%s%s", i ? " " : "", j->input);
		end += sprintf(end, "%s%s", j->flags & JOB_PATH ? "p" : "", j->flags & JOB_MATCH ? "=" : "");
		end += sprintf(end, "%s%s", j->flags & JOB_ORACLE ? "o" : "", j->flags & JOB_MINIMISE ? "m" : "");
		if (j->alternatives)
			end += sprintf(end, "%u", j->alternatives);
	}
	return text;
}

// --- the search driver ----------------------------------------------------------------------------

static void explores_everything(void)
{
	begin("0000", STRATEGY_generational);
	RUN();
	CHECK(s.c.complete && s.c.first_session);
	CHECK_INT(16, s.c.counts.runs);
	CHECK_INT(15, s.c.counts.sat);
	CHECK_INT(15, s.c.counts.expected);
	CHECK_INT(16, s.c.counts.paths);
	CHECK_INT(16, count_jobs(JOB_PATH, NULL));
	CHECK_INT(16, count_jobs(JOB_ORACLE, NULL)); // every path, when nothing else is left
	CHECK_INT(1, most_queries());
	CHECK_INT(1, fake_program.log->starts);
	finish();
}

// What the solver leaves open is mutated for the rest of the budget, and what that leads to is explored.
static void mutates_what_is_open(void)
{
	begin("0000", STRATEGY_generational);
	fake_program.unknown = 1 << 1;
	fake_program.mutant = "0100";
	s.setup.runs = 200;
	RUN();
	CHECK(!s.c.complete);
	CHECK(count_jobs(JOB_MUTATE, NULL) > 0);
	CHECK_INT(200, s.c.counts.runs); // no more than asked for
	CHECK(s.c.counts.mutated > 9 * count_jobs(JOB_MUTATE, NULL));
	CHECK_INT(12, s.c.counts.runs - s.c.counts.mutated); // 8 paths, and 4 behind the branch edge
	CHECK_INT(1, count_jobs(JOB_PATH, "0111"));
	finish();
}

// Nothing is open: a budget changes nothing.
static void mutates_nothing(void)
{
	begin("0000", STRATEGY_generational);
	s.setup.runs = 200;
	RUN();
	CHECK(s.c.complete);
	CHECK_INT(0, count_jobs(JOB_MUTATE, NULL));
	finish();
}

// It would have no end.
static void mutates_nothing_without_budget(void)
{
	begin("0000", STRATEGY_generational);
	fake_program.unknown = 1 << 1;
	RUN();
	CHECK(!s.c.complete);
	CHECK_INT(0, count_jobs(JOB_MUTATE, NULL));
	finish();
}

// The seed comes first, solutions before further queries, those off one run in one job, the oracle last.
static void order_of_jobs(void)
{
	begin("00", STRATEGY_bfs);
	RUN();
	CHECK_STR("00p= 002 10p 01p 101 11p 00o 10o 01o 11o", jobs());
	finish();
}

// What crashes goes to the oracle at once, and again to be minimised.
static void order_after_crash(void)
{
	begin("00", STRATEGY_dfs);
	fake_program.crash = "10";
	RUN();
	CHECK_STR("00p= 002 10p 10o 10om 01p 101 11p 00o 01o 11o", jobs());
	finish();
}

static int count_finding(void *opaque, const struct stored_finding *f)
{
	(void)f;
	++*(size_t *)opaque;
	return 0;
}

static int found(void *opaque, const struct stored_finding *f, const struct verdict *v, const struct input *in,
                 int64_t snapshot, struct err *err)
{
	(void)opaque, (void)v, (void)snapshot, (void)err;
	char text[FAKE_BRANCHES + 1];
	fake_text(in, text);
	CHECK_STR(fake_program.crash, text);
	CHECK_STR("segv", f->kind);
	struct store *reader = store_open_read(test_path("campaign"), err); // which sees what is committed
	CHECK(reader);
	size_t n = 0;
	CHECK_INT(0, store_each_finding(reader, count_finding, &n, err));
	s.found_in_store = n == 1;
	store_close(reader);
	s.found++;
	return 0;
}

static void findings_are_stored_before_reported(void)
{
	begin("000", STRATEGY_generational);
	fake_program.crash = "110";
	RUN();
	CHECK_INT(1, s.found);
	CHECK(s.found_in_store);
	CHECK_INT(1, s.c.counts.errors);
	CHECK_INT(1, s.c.counts.crashes);
	CHECK_INT(1, count_jobs(JOB_MINIMISE, NULL));
	finish();
}

// An input shows what many others do as well: it is minimised for what is new alone.
static void minimised_for_the_new(void)
{
	begin("000", STRATEGY_generational);
	fake_program.crash = "110";
	RUN();
	for (uint32_t i = 0; i < fake_program.log->n; i++)
		CHECK_INT(fake_program.log->v[i].flags & JOB_MINIMISE ? 77 : 0, fake_program.log->v[i].wanted);
	finish();
}

static void many_workers(void)
{
	begin("00000", STRATEGY_generational);
	s.setup.jobs = 3;
	fake_program.job_us = 2000;
	RUN();
	CHECK(s.c.complete);
	CHECK_INT(32, s.c.counts.runs);
	CHECK_INT(1, most_queries());
	CHECK_INT(3, fake_program.log->starts);
	finish();
}

// --- budgets --------------------------------------------------------------------------------------

static void limit_of_runs(void)
{
	begin("000000", STRATEGY_generational);
	s.setup.runs = 5;
	RUN();
	CHECK(!s.c.complete);
	CHECK_INT(5, s.c.counts.runs);
	CHECK_INT(5, count_jobs(JOB_PATH, NULL));
	finish();
}

static void limit_of_time(void)
{
	begin("00000000000000000000", STRATEGY_bfs);
	s.setup.seconds = 0.5;
	s.setup.deterministic = false;
	fake_program.job_us = 5000;
	RUN();
	CHECK(!s.c.complete && s.c.waiting > 0);
	CHECK_THAT(s.c.elapsed >= 0.5 && s.c.elapsed < 5, "%f seconds", s.c.elapsed);
	CHECK_THAT(s.c.counts.runs > 3 && s.c.counts.runs < 110, "%d runs", (int)s.c.counts.runs);
	// All of the only worker's time has a name: it had a job almost always.
	const struct campaign_counts *n = &s.c.counts;
	uint64_t named = n->us_jobs + n->us_waiting + n->us_unfinished;
	CHECK_THAT(named <= 1e6 * s.c.wall + 1e5, "%llu of %f", (unsigned long long)named, s.c.wall);
	CHECK_THAT(named >= 5000 * n->runs && n->us_unfinished < named, "%llu", (unsigned long long)named);
	finish();
}

static void stop_after_two(void *opaque, const struct campaign *c)
{
	(void)opaque;
	s.stop = c->counts.runs >= 2;
}

static void stop_from_outside(void)
{
	begin("00000000000000000000", STRATEGY_bfs);
	s.setup.progress = stop_after_two;
	fake_program.job_us = 300000;
	RUN();
	CHECK(!s.c.complete);
	CHECK_THAT(s.c.counts.runs >= 2 && s.c.counts.runs < 8, "%d runs", (int)s.c.counts.runs);
	finish();
}

// A job that has no result when the session ends has its time, too.
static void unfinished_jobs(void)
{
	begin("000", STRATEGY_bfs);
	s.setup.progress = stop_after_two;
	fake_program.job_us = 300000;
	s.setup.jobs = 2;
	RUN();
	const struct campaign_counts *n = &s.c.counts;
	CHECK_THAT(n->us_unfinished > 0, "%llu", (unsigned long long)n->us_unfinished);
	finish();
}

// --- lost workers ---------------------------------------------------------------------------------

// The input that a worker died of is not tried again; everything else is done by another worker.
static void worker_dies(void)
{
	begin("000", STRATEGY_bfs);
	fake_program.kill = "010";
	RUN();
	CHECK(!s.c.complete);
	CHECK_INT(2, fake_program.log->starts);
	CHECK_INT(1, count_jobs(JOB_PATH, "010"));
	CHECK_INT(1, s.c.counts.partial);
	CHECK_INT(6, s.c.counts.runs); // but for 010, and 011, which only 010 leads to
	CHECK_INT(0, count_jobs(JOB_PATH, "011"));
	finish();
}

// Its queries are unknown then, and are not issued again, by this session.
static void worker_dies_solving(void)
{
	begin("000", STRATEGY_bfs);
	fake_program.kill_solving = "000";
	RUN();
	CHECK(!s.c.complete);
	CHECK_INT(2, fake_program.log->starts);
	CHECK_STR("000p= 0003 000o", jobs());
	CHECK_INT(3, s.c.counts.unknown);
	CHECK_INT(1, s.c.counts.runs);
	finish();
}

// Every seed kills its worker: the session ends with an error.
static void too_many_workers_die(void)
{
	begin("00000", STRATEGY_bfs);
	struct input *seeds = test_alloc(40 * sizeof *seeds);
	for (unsigned i = 0; i < 40; i++) {
		char text[8];
		snprintf(text, sizeof text, "%02u", i);
		seeds[i] = (struct input){0};
		input_add(&seeds[i], INPUT_STDIN, NULL, text, 2);
	}
	s.search.seeds = seeds;
	s.search.n_seeds = 40;
	fake_program.kill = "";
	int r = run_session();
	CHECK_INT(-1, r);
	CHECK_INT(RESTARTS + 1, fake_program.log->starts);
	CHECK_INT(RESTARTS + 1, fake_program.log->n); // no input twice
	for (unsigned i = 0; i < 40; i++)
		input_release(&seeds[i]);
	finish();
}

static void worker_cannot_work(void)
{
	begin("00", STRATEGY_bfs);
	fake_program.failed = "no sandbox today";
	CHECK_INT(-1, run_session());
	CHECK_STR("no sandbox today", s.err.text);
	finish();
}

// --- sessions -------------------------------------------------------------------------------------

static void resumes(void)
{
	begin("00000", STRATEGY_generational);
	s.setup.runs = 7;
	RUN();
	CHECK_INT(7, s.c.counts.runs);
	uint64_t queries = s.c.counts.queries;
	s.setup.runs = 0;
	RUN();
	CHECK(s.c.complete && !s.c.first_session);
	CHECK_INT(7, s.c.counts.reruns);
	CHECK_INT(25, s.c.counts.runs);
	CHECK_INT(31, queries + s.c.counts.queries);
	CHECK_INT(1, most_queries());
	RUN();
	CHECK(s.c.complete);
	CHECK_INT(0, s.c.counts.runs);
	CHECK_INT(0, s.c.counts.queries);
	CHECK_INT(32, s.c.counts.reruns);
	CHECK_INT(32, store_counter(s.store, "runs"));
	finish();
}

// Answers without a solution are in the store, too.
static void unsat_is_remembered(void)
{
	begin("000", STRATEGY_generational);
	fake_program.unsat = 1u << 1;
	RUN();
	CHECK(s.c.complete);
	CHECK_INT(4, s.c.counts.runs);
	CHECK_INT(2, s.c.counts.unsat);
	CHECK_INT(5, s.c.counts.queries);
	RUN();
	CHECK(s.c.complete);
	CHECK_INT(4, s.c.counts.reruns);
	CHECK_INT(0, s.c.counts.queries);
	finish();
}

// --- a driver of the test's own -------------------------------------------------------------------

// Runs the inputs of a list, one after the other, and lets the oracle see each. That is all there is to a driver.
struct replay {
	struct work_queue queue;
	unsigned taken, lost, evicted, added;
};

static struct replay counted; // of the session that ended last
static struct work_item listed[8];
static size_t n_listed;
static bool stops; // after the first choice

static struct replay *replay_of(const struct campaign *c)
{
	return c->inside->own;
}

static void replay_start(struct campaign *c)
{
	c->inside->own = mem_zero(sizeof(struct replay));
}

static void replay_release(struct campaign *c)
{
	counted = *replay_of(c);
	work_queue_clear(&replay_of(c)->queue);
	mem_free(c->inside->own);
}

static int replay_load(struct campaign *c, struct err *err)
{
	(void)err;
	campaign_load_pending(c);
	for (size_t i = 0; i < n_listed; i++)
		work_queue_add(&replay_of(c)->queue, &listed[i]);
	return 0;
}

static int replay_choose(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	(void)err;
	s.stop = stops;
	return work_queue_take(&c->inside->oracle, &slot->item) || work_queue_take(&replay_of(c)->queue, &slot->item);
}

static int replay_evicted(struct campaign *c, struct worker_slot *slot, struct err *err)
{
	(void)slot, (void)err;
	replay_of(c)->evicted++;
	return 0;
}

static int replay_take(struct campaign *c, struct worker_slot *slot, struct result *r, struct err *err)
{
	replay_of(c)->taken++;
	if (slot->item.flags & JOB_ORACLE)
		return campaign_take_verdicts(c, slot, r, &c->inside->oracle, err);
	struct work_item item = slot->item;
	item.flags = JOB_ORACLE;
	work_queue_add(&c->inside->oracle, &item);
	campaign_count_run(c, &slot->item, r);
	return 0;
}

static void replay_lost(struct campaign *c, struct worker_slot *slot)
{
	(void)slot;
	replay_of(c)->lost++;
}

static void replay_add(struct campaign *c, const struct work_item *from, const struct work_item *run, bool known)
{
	(void)from, (void)run, (void)known;
	replay_of(c)->added++;
}

static void replay_measure(struct campaign *c)
{
	c->waiting = replay_of(c)->queue.n;
}

static const struct driver driver_replay = {
	.start = replay_start,
	.release = replay_release,
	.load = replay_load,
	.choose = replay_choose,
	.evicted = replay_evicted,
	.take = replay_take,
	.lost = replay_lost,
	.add = replay_add,
	.measure = replay_measure,
};

static int64_t store_input(const char *text, int64_t parent, enum input_state state)
{
	struct input in = {0};
	struct stored_input stored = {.parent = parent, .changed = -1, .care = -1, .state = state};
	bool known;
	input_add(&in, INPUT_STDIN, NULL, text, strlen(text));
	input_encode(&in, &stored.data);
	CHECK_INT(0, store_add_input(s.store, &stored, &known, &s.err));
	CHECK_INT(0, store_update_input(s.store, &stored, &s.err));
	buf_release(&stored.data);
	input_release(&in);
	return stored.id;
}

static void begin_replay(void)
{
	begin("000", STRATEGY_bfs);
	s.setup.driver = &driver_replay;
	s.setup.driver_setup = NULL;
	n_listed = 0;
	stops = false;
}

static void list(int64_t input, uint32_t flags)
{
	listed[n_listed++] = (struct work_item){.input = input, .flags = flags};
}

static void own_driver(void)
{
	begin_replay();
	fake_program.crash = "111";
	fake_program.kill = "101";
	list(store_input("000", 0, INPUT_NEW), JOB_PATH);
	list(store_input("101", 0, INPUT_NEW), JOB_PATH);
	list(store_input("111", 0, INPUT_NEW), JOB_PATH);
	RUN();
	CHECK_STR("000p 000o 101p 111p 111o 111om", jobs());
	CHECK_INT(5, counted.taken);
	CHECK_INT(1, counted.lost);
	CHECK_INT(1, counted.added); // the finding's input
	CHECK_INT(2, s.c.counts.runs);
	CHECK_INT(1, s.found);
	CHECK(!s.c.complete);
	finish();
}

// What the oracle has not seen when a session is stopped, it sees in the next one.
static void pending_is_resumed(void)
{
	begin_replay();
	int64_t input = store_input("011", 0, INPUT_NEW);
	list(input, JOB_ORACLE);
	stops = true;
	fake_program.job_us = 1000000;
	RUN();
	fake_program.job_us = 0;
	CHECK_INT(1, s.c.unconfirmed);
	n_listed = 0;
	stops = false;
	fake_program.log->n = 0;
	RUN();
	CHECK_INT(0, s.c.unconfirmed);
	CHECK_STR("011o", jobs());
	fake_program.log->n = 0;
	RUN();
	CHECK_STR("", jobs());
	finish();
}

// The store lets go of inputs when it is full: the driver chooses again. So it does for an input whose seed is gone.
static void evicted_inputs(void)
{
	begin_replay();
	int64_t seed = store_input("000", 0, INPUT_DONE), gone = store_input("001", seed, INPUT_DONE);
	store_set_limit(s.store, 1);
	CHECK_INT(0, store_begin(s.store, &s.err));
	CHECK_INT(0, store_commit(s.store, &s.err));
	struct stored_input in;
	CHECK_INT(0, store_get_input(s.store, gone, &in, &s.err));
	CHECK_INT(0, in.data.len);
	stored_input_release(&in);
	list(gone, JOB_PATH);
	list(seed, JOB_ORACLE | JOB_MINIMISE);
	listed[1].seed = gone;
	list(seed, JOB_PATH);
	RUN();
	CHECK_INT(2, counted.evicted);
	CHECK_STR("000p 000o", jobs());
	finish();
}

static const struct test tests[] = {
	TEST(explores_everything),
	TEST(mutates_what_is_open),
	TEST(mutates_nothing),
	TEST(mutates_nothing_without_budget),
	TEST(order_of_jobs),
	TEST(order_after_crash),
	TEST(findings_are_stored_before_reported),
	TEST(minimised_for_the_new),
	TEST(many_workers),
	TEST(limit_of_runs),
	TEST(limit_of_time),
	TEST(stop_from_outside),
	TEST(unfinished_jobs),
	TEST(worker_dies),
	TEST(worker_dies_solving),
	TEST(too_many_workers_die),
	TEST(worker_cannot_work),
	TEST(resumes),
	TEST(unsat_is_remembered),
	TEST(own_driver),
	TEST(pending_is_resumed),
	TEST(evicted_inputs),
};

TEST_MAIN("campaign")
