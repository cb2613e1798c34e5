// Random campaigns against a model: transactions of operations on the store, merging others, reading, and becoming one
// of this version again, with a kill or a failing call at the k-th call of SQLite's file system or of the system
// (failing_calls.h). What is there afterwards has to be what the model has after as many transactions as were
// acknowledged, or one more; then the campaign goes on from there. And merging, upgrading and reading a store with such
// a fault at every k: each is done, or nothing of it.
//
// VEER_LONG=1: 10,000 of them.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "failing_calls.h"
#include "model.h"
#include "test.h"

// --- the store ------------------------------------------------------------------------------------

static int perform(struct store *s, const struct model *m, const struct op *o, struct err *err)
{
	struct stored_flip flip = {o->what + 1, (enum flip_answer)(o->more % 4), 0};
	struct stored_finding finding = {
		.kind = "abort", .level = LEVEL_ERROR, .distance = o->more, .input = 1, .seed = 1, .key = o->what + 1};
	uint8_t bytes[UNIT_BYTES] = {0};
	bytes[o->more % UNIT_BYTES] = 1;
	int r = 0;
	switch (o->kind) {
	case OP_INPUT: {
		char text[400];
		memset(text, 'a' + (int)(o->what % 26), sizeof text);
		snprintf(text, 16, "content %u", o->what);
		struct stored_input in = {.parent = o->more % (m->n_inputs + 1), .data = {text, sizeof text, 0}};
		r = store_add_input(s, &in, NULL, err);
		break;
	}
	case OP_DONE:
		if (m->inputs[o->what].id) {
			struct stored_input in;
			r = store_get_input(s, m->inputs[o->what].id, &in, err);
			if (r == 0) {
				in.state = INPUT_DONE;
				in.in_corpus |= o->more % 2;
				r = store_update_input(s, &in, err);
				stored_input_release(&in);
			}
		}
		break;
	case OP_FINDING: r = store_add_finding(s, &finding, NULL, err); break;
	case OP_GONE: r = store_set_gone(s, o->what + 1, true, err); break;
	case OP_NEARER: r = store_nearer_finding(s, o->what + 1, o->more, 0, err); break;
	case OP_FLIP: r = o->more % 4 ? store_add_flip(s, &flip, err) : 0; break;
	case OP_COVER: r = store_add_cover(s, o->what + 1, bytes, UNIT_BYTES, err); break;
	case OP_SET: r = store_set_number(s, model_names[o->what], o->more + 1, err); break;
	case OP_COUNT: r = store_count(s, model_names[o->what], o->more, err); break;
	case OPS: break;
	}
	return r;
}

static int print_input(void *opaque, const struct stored_input *in)
{
	char *text = mem_copy(in->data.data, in->data.len);
	buf_printf(opaque, "input %d = %s of %d, %d %d\n", (int)in->id, text, (int)in->parent, in->state,
	           in->in_corpus);
	mem_free(text);
	return 0;
}

static int print_finding(void *opaque, const struct stored_finding *f)
{
	buf_printf(opaque, "F%d key %d distance %u gone 0\n", (int)f->id, (int)f->key - 1, f->distance);
	return 0;
}

static int print_gone(void *opaque, const struct stored_finding *f)
{
	buf_printf(opaque, "F%d key %d distance %u gone 1\n", (int)f->id, (int)f->key - 1, f->distance);
	return 0;
}

static int print_cover(void *opaque, uint64_t unit, const uint8_t *bytes, size_t n)
{
	for (size_t k = 0; k < n; k++)
		buf_printf(opaque, "%sunit %d %d", k ? ", " : "", (int)unit - 1, bytes[k]);
	buf_addch(opaque, '\n');
	return 0;
}

static int print_store(struct store *s, struct buf *out, struct err *err)
{
	struct stored_flip f;
	if (store_check(s, err) < 0 || store_each_input(s, print_input, out, err) < 0 ||
	    store_each_finding(s, print_finding, out, err) < 0 || store_each_gone(s, print_gone, out, err) < 0)
		return -1;
	for (uint64_t i = 0; i < PATHS; i++)
		if (store_get_flip(s, i + 1, &f))
			buf_printf(out, "flip %d: %d\n", (int)i, f.answer);
	if (store_each_cover(s, print_cover, out, err) < 0)
		return -1;
	for (int i = 0; i < NAMES; i++)
		buf_printf(out, "%s = %lld, %lld times\n", model_names[i],
		           (long long)store_get_number(s, model_names[i], 0),
		           (long long)store_counter(s, model_names[i]));
	return 0;
}

// --- sequences ------------------------------------------------------------------------------------

struct sequence {
	uint64_t seed;
	uint32_t transactions;
};

enum { OTHER = 5 }; // exit status of a process that read something else than there is

static struct model donors[MODEL_DONORS]; // campaigns that are merged, and that nothing changes
static bool have_donors;

static const char *donor(uint32_t i)
{
	return test_path(test_printf("donor%u", i));
}

// Somebody reads what is committed; who can read it at all, reads all of it.
static int read_now(const struct model *m, struct err *err)
{
	struct buf got = {0}, expected = {0};
	struct store *s = store_open_read(test_path("campaign"), err);
	int r = s ? print_store(s, &got, err) : -1;
	model_print(m, &expected);
	if (r == 0 && (got.len != expected.len || memcmp(got.data, expected.data, got.len) != 0))
		_exit(OTHER);
	if (s)
		store_close(s);
	buf_release(&got);
	buf_release(&expected);
	return r;
}

// Brings the model, and the store if there is one, from transaction `n` to the next.
static int transact(const struct sequence *q, uint32_t n, struct model *m, struct store *s, struct err *err)
{
	uint64_t state = model_mix(q->seed) ^ model_mix(n * 7919u);
	uint32_t what = model_draw(&state, 8), which = model_draw(&state, MODEL_DONORS);
	if (what == 0 && have_donors) {
		int r = s ? store_merge(s, donor(which), err) : 0;
		if (r == 0)
			model_merge(m, &donors[which], &m->merged[which]);
		return r;
	}
	if (what == 1 && have_donors && s && read_now(m, err) < 0)
		return -1;
	uint32_t ops = 1 + model_draw(&state, MOST_OPS);
	if (s && store_begin(s, err) < 0)
		return -1;
	for (uint32_t i = 0; i < ops; i++) {
		struct op o = model_draw_op(&state);
		if (s && perform(s, m, &o, err) < 0)
			return -1;
		model_apply(m, &o);
	}
	return s ? store_commit(s, err) : 0;
}

// Back to the names that version 4 had.
static void make_older(void)
{
	static const char older[] =
		"BEGIN; DROP TABLE comparisons; "
		"ALTER TABLE scopes RENAME TO targets; ALTER TABLE inputs RENAME COLUMN "
		"snapshot TO scene;"
		"ALTER TABLE inputs RENAME COLUMN in_corpus TO keeps; ALTER TABLE snapshots RENAME TO scenes;"
		"ALTER TABLE targets RENAME COLUMN snapshot TO scene; PRAGMA user_version = 4; COMMIT";
	sqlite3 *db;
	CHECK_INT(SQLITE_OK, sqlite3_open(test_path("campaign/veer.db"), &db));
	CHECK_THAT(sqlite3_exec(db, older, NULL, NULL, NULL) == SQLITE_OK, "%s", sqlite3_errmsg(db));
	CHECK_INT(SQLITE_OK, sqlite3_close(db));
}

// In a process of its own: goes on behind transaction `done`, tells of each that is committed.
static void work(const struct sequence *q, uint32_t done, const struct model *at, int tell)
{
	struct model m = *at;
	struct err err = {""};
	struct store *s = store_open(test_path("campaign"), true, &err);
	for (uint32_t n = done; s && n < q->transactions; n++) {
		if (transact(q, n, &m, s, &err) < 0)
			break;
		failing_pause(true);
		if (write(tell, "c", 1) != 1)
			_exit(2);
		failing_pause(false);
	}
	if (s)
		store_close(s);
	_exit(0);
}

static uint32_t count_told(int fd)
{
	uint32_t n = 0;
	char c;
	while (read(fd, &c, 1) == 1)
		n++;
	close(fd);
	return n;
}

// Is the store as the model?
static bool is_as(const struct model *m, struct buf *expected, struct buf *got)
{
	struct err err = {""};
	struct store *s = store_open(test_path("campaign"), true, &err);
	buf_clear(expected);
	buf_clear(got);
	model_print(m, expected);
	if (!s || print_store(s, got, &err) < 0)
		buf_printf(got, "error: %s\n", err.text);
	if (s)
		store_close(s);
	return expected->len == got->len && memcmp(expected->data, got->data, got->len) == 0;
}

// Runs a part of the sequence; *done and *m are what the store has then. False: it has something else.
static bool go_on(const struct sequence *q, uint64_t *state, uint32_t *done, struct model *m)
{
	int pipe_fds[2], status;
	enum fault kind = (enum fault)model_draw(state, FAULTS);
	enum fault_level level = (enum fault_level)model_draw(state, FAULT_LEVELS);
	long after = 1 + model_draw(state, model_draw(state, 2) ? 12 : 120);
	if (model_draw(state, 6) == 0 && *done)
		make_older();
	CHECK(pipe(pipe_fds) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		close(pipe_fds[0]);
		failing_install(kind, level, after);
		work(q, *done, m, pipe_fds[1]);
	}
	close(pipe_fds[1]);
	uint32_t reported = count_told(pipe_fds[0]);
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	      (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == FAILING_KILLED));
	struct err err = {""};
	for (uint32_t i = 0; i < reported; i++)
		transact(q, (*done)++, m, NULL, &err);
	struct buf expected = {0}, got = {0};
	bool same = is_as(m, &expected, &got);
	if (!same && *done < q->transactions) { // committed, and killed before it was told
		transact(q, (*done)++, m, NULL, &err);
		same = is_as(m, &expected, &got);
	}
	CHECK_THAT(same,
	           "sequence %llu, fault %d at level %d after %ld calls, %u of %u transactions:\n%s-- but the store "
	           "has\n%s",
	           (unsigned long long)q->seed, (int)kind, (int)level, after, *done, q->transactions, expected.data,
	           got.data);
	buf_release(&expected);
	buf_release(&got);
	return same;
}

static void fill(const char *folder, uint64_t seed, uint32_t transactions, struct model *ret)
{
	const struct sequence q = {.seed = seed, .transactions = transactions};
	struct model m = {0};
	struct err err = {""};
	struct store *s = store_open(test_path(folder), true, &err);
	CHECK_THAT(s, "%s", err.text);
	for (uint32_t n = 0; n < transactions; n++)
		CHECK_THAT(transact(&q, n, &m, s, &err) == 0, "%s", err.text);
	store_close(s);
	if (ret)
		*ret = m;
}

// They are what they were, whatever became of who read them.
static void check_donors(void)
{
	for (uint32_t i = 0; i < MODEL_DONORS; i++) {
		struct buf expected = {0}, got = {0};
		struct err err = {""};
		struct store *s = store_open_read(donor(i), &err);
		CHECK_THAT(s && print_store(s, &got, &err) == 0, "%s", err.text);
		model_print(&donors[i], &expected);
		CHECK_STR(expected.data, got.data);
		if (s)
			store_close(s);
		buf_release(&expected);
		buf_release(&got);
	}
}

static void sequences(void)
{
	for (uint32_t i = 0; i < MODEL_DONORS; i++)
		fill(test_printf("donor%u", i), 1000000 + i, 3 + 4 * i, &donors[i]);
	have_donors = true;
	const char *set = getenv("VEER_LONG");
	bool all = set && *set == '1';
	uint64_t n = all ? 10000 : test_times(100);
	for (uint64_t i = 0; i < n; i++) {
		alarm(60); // each has its own time
		uint64_t state = model_mix(i) ^ 0x5eed;
		const struct sequence q = {.seed = i, .transactions = 2 + model_draw(&state, 12)};
		struct model m = {0};
		bool same = true;
		for (uint32_t done = 0, part = 0; same && done < q.transactions && part < 40; part++)
			same = go_on(&q, &state, &done, &m);
		file_remove_tree(test_path("campaign"));
		if (!same)
			break;
	}
	check_donors();
	have_donors = false;
}

// --- merging, upgrading, reading --------------------------------------------------------------------

// What a test of one operation needs. Folders: campaign, whatever else it prepares.
struct operation {
	const char *name;
	void (*prepare)(void);
	int (*perform)(struct err *err);
	bool changes; // the store's content
};

static void prepare_merge(void)
{
	fill("campaign", 1, 8, NULL);
	fill("other", 2, 12, NULL);
}

static int perform_merge(struct err *err)
{
	struct store *s = store_open(test_path("campaign"), true, err);
	int r = s ? store_merge(s, test_path("other"), err) : -1;
	if (s)
		store_close(s);
	return r;
}

static void prepare_upgrade(void)
{
	fill("campaign", 3, 12, NULL);
	make_older();
}

static int perform_upgrade(struct err *err)
{
	struct store *s = store_open(test_path("campaign"), false, err);
	if (s)
		store_close(s);
	return s ? 0 : -1;
}

static void prepare_reading(void)
{
	fill("campaign", 4, 12, NULL);
}

// As reports and exports do.
static int perform_reading(struct err *err)
{
	struct buf text = {0};
	struct store *s = store_open_read(test_path("campaign"), err);
	int r = s ? print_store(s, &text, err) : -1;
	if (s)
		store_close(s);
	buf_release(&text);
	return r;
}

static void look(struct buf *ret)
{
	struct err err = {""};
	struct store *s = store_open_read(test_path("campaign"), &err);
	buf_clear(ret);
	if (!s || print_store(s, ret, &err) < 0)
		buf_printf(ret, "error: %s\n", err.text);
	if (s)
		store_close(s);
}

static void prepare_again(const struct operation *o)
{
	file_remove_tree(test_path("campaign"));
	file_remove_tree(test_path("other"));
	o->prepare();
}

// The operation with a fault; returns whether the fault came.
static bool perform_failing(const struct operation *o, enum fault kind, enum fault_level level, long after)
{
	enum { NOT_REACHED = 3 };
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		struct err err = {""};
		failing_install(kind, level, after);
		int r = o->perform(&err);
		bool came = failing_pause(true);
		_exit(r == 0 && !came ? NOT_REACHED : r < 0 && !err.text[0] ? 4 : 0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	int code = WEXITSTATUS(status);
	CHECK_THAT(code == 0 || code == FAILING_KILLED || code == NOT_REACHED, "%s: status %d, fault %d at %ld",
	           o->name, code, (int)kind, after);
	return code != NOT_REACHED;
}

static void at_every_call(const struct operation *o)
{
	struct buf before = {0}, after = {0}, got = {0};
	struct err err = {""};
	prepare_again(o);
	look(&before);
	CHECK_THAT(o->perform(&err) == 0, "%s: %s", o->name, err.text);
	look(&after);
	CHECK((strcmp(before.data, after.data) != 0) == o->changes);
	for (int level = 0; level < FAULT_LEVELS; level++) {
		long most = 0;
		for (int kind = FAULT_KILL; kind < FAULTS; kind++)
			for (long k = 1, reached = 1; reached; k++) {
				alarm(60);
				prepare_again(o);
				reached = perform_failing(o, (enum fault)kind, (enum fault_level)level, k);
				look(&got);
				CHECK_THAT(strcmp(got.data, before.data) == 0 || strcmp(got.data, after.data) == 0,
				           "%s, fault %d at level %d, call %ld: the store has\n%s", o->name, kind,
				           level, k, got.data);
				CHECK_THAT(o->perform(&err) == 0, "%s: %s", o->name, err.text);
				look(&got);
				CHECK_STR(after.data, got.data);
				most = k > most ? k : most;
			}
		CHECK_THAT(most > 2, "%s: only %ld calls at level %d", o->name, most, level);
	}
	buf_release(&before);
	buf_release(&after);
	buf_release(&got);
}

static void merging(void)
{
	at_every_call(&(struct operation){"merge", prepare_merge, perform_merge, true});
}

static void upgrading(void)
{
	at_every_call(&(struct operation){"upgrade", prepare_upgrade, perform_upgrade, false});
}

static void reading(void)
{
	at_every_call(&(struct operation){"read", prepare_reading, perform_reading, false});
}

static const struct test tests[] = {TEST(sequences), TEST(merging), TEST(upgrading), TEST(reading)};
TEST_MAIN("store_model")
