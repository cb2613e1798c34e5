#include "session/tests.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "explore/amplify_scope.h"
#include "explore/seeds.h"
#include "input/snapshot.h"
#include "session/session.h"

// --- what was recorded ----------------------------------------------------------------------------

// Libraries are those of the program's first test, unless that test ended as a program does that finds none, and
// another test did not.
static void use_libraries(struct session *s, uint32_t program, const struct snapshot *snapshot)
{
	enum { NOT_LOADED = 127 };
	struct session_program *p = &s->programs.info[program];
	bool loaded = !WIFEXITED(snapshot->status) || WEXITSTATUS(snapshot->status) != NOT_LOADED;
	if (p->libraries && (s->tests->loaded[program] || !loaded))
		return;
	mem_free(p->libraries);
	p->libraries = snapshot_libraries(snapshot);
	s->tests->loaded[program] = loaded;
}

static uint32_t program_of(struct session *s, const struct snapshot *snapshot)
{
	struct programs *all = &s->programs;
	uint64_t root = snapshot->id.low ^ snapshot->id.high;
	uint32_t i = 0;
	while (i < all->n &&
	       (all->v[i].target.root != root || strcmp(all->v[i].target.program, snapshot->program) != 0))
		i++;
	if (i == all->n) {
		programs_add(all, snapshot->program, root);
		s->tests->loaded = mem_resize(s->tests->loaded, all->n * sizeof *s->tests->loaded);
	}
	use_libraries(s, i, snapshot);
	return i;
}

static int add_snapshot(void *opaque, const struct stored_snapshot *c)
{
	struct session *s = opaque;
	struct suite *suite = &s->tests->suite;
	struct snapshot snapshot;
	struct err err;
	if (!c->present || snapshot_decode(&snapshot, c->data.data, c->data.len, &err) < 0)
		return 0;
	// What went wrong in an earlier session is tried again; what the recording says stays.
	bool analysed = c->level >= 0 && !snapshot.why;
	enum outcome before = outcome_parse(c->outcome);
	const struct suite_test t = {.snapshot = c->id,
	                             .name = c->hash[0] ^ c->hash[1],
	                             .program = program_of(s, &snapshot),
	                             .times = c->times,
	                             .level = c->level,
	                             .matched = analysed,
	                             .begun = before != OUTCOME_NONE && outcome_group(before) <= GROUP_PART,
	                             .outcome = snapshot.why ? OUTCOME_NOT_REPLAYABLE
	                                        : analysed   ? before
	                                                     : OUTCOME_NONE,
	                             .native_us = c->native_us,
	                             .why = snapshot.why ? mem_strdup(snapshot.why) : NULL};
	suite_add(suite, &t);
	alike_add(&suite->alike, t.program, &snapshot);
	snapshot_release(&snapshot);
	return 0;
}

// Snapshots come in order of their ids, so tests do.
static struct suite_test *test_of(const struct suite *suite, int64_t snapshot)
{
	size_t i = vec_lower(suite, snapshot, snapshot);
	return i < suite->n && suite->v[i].snapshot == snapshot ? &suite->v[i] : NULL;
}

static int add_seed(void *opaque, const struct stored_input *in)
{
	struct session *s = opaque;
	struct suite_test *t = in->parent || !in->snapshot ? NULL : test_of(&s->tests->suite, in->snapshot);
	if (t)
		t->input = in->id;
	return 0;
}

static int by_program(const void *x, const void *y)
{
	const struct suite_test *a = x, *b = y;
	if (a->program != b->program)
		return a->program < b->program ? -1 : 1;
	return a->snapshot < b->snapshot ? -1 : a->snapshot > b->snapshot;
}

// Tests that were analysed with other choices were not analysed.
static int set_way(struct session *s, unsigned factor, struct err *err)
{
	struct buf way = {0};
	buf_printf(&way, "targets\nsym %s\nfactor %u\n", s->setup->sym, factor);
	filter_text(&s->setup->choice->filter, &way);
	int r = store_set_way(s->store, way.data, err);
	buf_release(&way);
	return r;
}

// Gives tests that have a reason by now the outcome that it makes.
static void note_outcome(struct suite *suite, enum outcome o)
{
	for (size_t i = 0; i < suite->n; i++)
		if (suite->v[i].why && suite->v[i].outcome == OUTCOME_NONE)
			suite->v[i].outcome = o;
}

static void choose(struct session *s)
{
	const struct programs *all = &s->programs;
	const char **paths = mem_zero((all->n + 1) * sizeof *paths);
	for (uint32_t i = 0; i < all->n; i++)
		paths[i] = all->v[i].target.program;
	choice_apply(s->setup->choice, &s->tests->suite, paths, all->n, &s->tests->sampled);
	mem_free(paths);
}

// What was recorded stays; the limit is for what is made of it.
static void limit_store(struct session *s)
{
	enum { MADE = 1 << 30 };
	struct stat st;
	char *path = mem_printf("%s/veer.db", s->setup->output);
	store_set_limit(s->store, MADE + (stat(path, &st) == 0 ? (uint64_t)st.st_size : 0));
	mem_free(path);
}

static int read_store(struct session *s, struct err *err)
{
	struct suite *suite = &s->tests->suite;
	if (store_each_snapshot(s->store, add_snapshot, s, err) < 0 || store_each_input(s->store, add_seed, s, err) < 0)
		return -1;
	for (size_t i = 0; i < suite->n; i++)
		if (!suite->v[i].input && !suite->v[i].why)
			suite->v[i].why = mem_strdup("its input is lost");
	note_outcome(suite, OUTCOME_FAILED);
	if (suite->n) // nothing otherwise
		qsort(suite->v, suite->n, sizeof *suite->v, by_program);
	choose(s);
	note_outcome(suite, OUTCOME_NOT_CHOSEN);
	if (!suite->n)
		return err_set(err,
		               "%s has no tests: record some with `veer record -o %s -- COMMAND`, of programs that "
		               "were built with CC=veer-cc",
		               s->setup->output, s->setup->output);
	return 0;
}

// --- their programs -------------------------------------------------------------------------------

// Why there is no use in building it; NULL: there is.
static const char *outdated(const struct worker_program *p, double *ret_size)
{
	struct err err;
	struct file_map now;
	if (file_map(p->target.program, &now, &err) < 0)
		return "its program is gone";
	struct hash id = hash_bytes(now.data, now.size);
	*ret_size = (double)now.size;
	file_unmap(&now);
	return (id.low ^ id.high) != p->target.root ? "its program was built again since; record the test again" : NULL;
}

// The program has its variants, or will not have them.
static void take_program(void *opaque, uint32_t program)
{
	struct session *s = opaque;
	struct suite *suite = &s->tests->suite;
	const char *why = s->programs.info[program].reason;
	for (size_t i = 0; why && i < suite->n; i++) {
		struct suite_test *t = &suite->v[i];
		if (t->program == program && !t->why) {
			t->why = mem_strdup(why);
			t->outcome = t->outcome == OUTCOME_NONE ? OUTCOME_NOT_BUILT : t->outcome;
		}
	}
	suite_ready(suite, program);
}

// Programs with many tests, and little to build, come first.
static void begin_building(struct session *s)
{
	struct programs *all = &s->programs;
	struct suite *suite = &s->tests->suite;
	size_t *tests = mem_zero((all->n + 1) * sizeof *tests);
	for (size_t i = 0; i < suite->n; i++)
		tests[suite->v[i].program] += !suite->v[i].why;
	for (uint32_t i = 0; i < all->n; i++) {
		double size = 1;
		const char *why = tests[i] ? outdated(&all->v[i], &size) : NULL;
		if (why) {
			programs_leave_out(all, i, why);
			take_program(s, i);
		} else if (tests[i]) {
			programs_queue(all, i, (double)tests[i] / size, s->setup->jobs);
		}
	}
	for (size_t i = 0; i < suite->n; i++)
		suite->v[i].unready = !suite->v[i].why;
	mem_free(tests);
}

bool tests_await(void *opaque)
{
	struct session *s = opaque;
	return programs_poll(&s->programs, take_program, s);
}

const struct graph *tests_graph(void *opaque, uint32_t program)
{
	struct session *s = opaque;
	const struct graph *graph;
	struct err ignored;
	programs_graph(&s->programs, program, &graph, &ignored); // or one without points
	return graph;
}

// --- all of it ------------------------------------------------------------------------------------

int tests_load(struct session *s, unsigned factor, struct err *err)
{
	s->tests = mem_zero(sizeof *s->tests);
	if (seeds_mask(s->store, false, err) < 0 || set_way(s, factor, err) < 0 || read_store(s, err) < 0)
		return -1;
	s->tests->suite.factor = factor;
	limit_store(s);
	begin_building(s);
	return scoping_load(s->store, &s->tests->suite, err);
}

void tests_free(struct tests *t)
{
	if (!t)
		return;
	suite_release(&t->suite);
	mem_free(t->loaded);
	mem_free(t);
}

int tests_store(struct session *s, struct err *err)
{
	const struct suite *suite = &s->tests->suite;
	for (size_t i = 0; i < suite->n; i++) {
		const struct suite_test *t = &suite->v[i];
		if (t->outcome != OUTCOME_ANALYSED && suite_store(t, s->store, err) < 0)
			return -1;
	}
	return 0;
}
