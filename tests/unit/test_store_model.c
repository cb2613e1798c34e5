// Random campaigns against a model: transactions of operations on the store, with a kill or a failing call of the
// system at the k-th time that SQLite opens, writes, syncs, truncates or deletes a file. What is there afterwards has
// to be what the model has after as many transactions as were acknowledged, or one more; then the campaign goes on from
// there.
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
#include "store/store.h"
#include "test.h"

// --- chance ---------------------------------------------------------------------------------------

static uint64_t mix(uint64_t v)
{
	v += 0x9e3779b97f4a7c15u;
	v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
	v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
	return v ^ (v >> 31);
}

static uint32_t draw(uint64_t *state, uint32_t n)
{
	return (uint32_t)(mix((*state)++) % n);
}

// --- a file system that fails ---------------------------------------------------------------------

enum fault { FAULT_NONE, FAULT_KILL, FAULT_TORN, FAULT_ERROR, FAULT_FULL, FAULTS };

static struct {
	enum fault kind;
	long left; // calls until then
} fault;

enum { KILLED = 9 };

// What becomes of a call: 0, an error, or the end. `torn`: a write that is half done.
static int step(bool *torn)
{
	if (fault.kind == FAULT_NONE || --fault.left != 0)
		return SQLITE_OK;
	if (fault.kind == FAULT_TORN && torn) {
		*torn = true;
		return SQLITE_OK;
	}
	if (fault.kind == FAULT_KILL || fault.kind == FAULT_TORN)
		_exit(KILLED);
	return fault.kind == FAULT_FULL ? SQLITE_FULL : SQLITE_IOERR_WRITE;
}

struct file {
	sqlite3_file base;
	sqlite3_file *real; // behind this one
};

#define REAL(f) (((struct file *)(f))->real)
#define FORWARD(name, parameters, call)                                                                                \
	static int name parameters                                                                                     \
	{                                                                                                              \
		return REAL(f)->pMethods->call;                                                                        \
	}

FORWARD(f_read, (sqlite3_file * f, void *p, int n, sqlite3_int64 at), xRead(REAL(f), p, n, at))
FORWARD(f_size, (sqlite3_file * f, sqlite3_int64 *ret), xFileSize(REAL(f), ret))
FORWARD(f_lock, (sqlite3_file * f, int kind), xLock(REAL(f), kind))
FORWARD(f_unlock, (sqlite3_file * f, int kind), xUnlock(REAL(f), kind))
FORWARD(f_reserved, (sqlite3_file * f, int *ret), xCheckReservedLock(REAL(f), ret))
FORWARD(f_control, (sqlite3_file * f, int op, void *arg), xFileControl(REAL(f), op, arg))
FORWARD(f_sector, (sqlite3_file * f), xSectorSize(REAL(f)))
FORWARD(f_traits, (sqlite3_file * f), xDeviceCharacteristics(REAL(f)))
FORWARD(f_map, (sqlite3_file * f, int page, int size, int extend, void volatile **ret),
        xShmMap(REAL(f), page, size, extend, ret))
FORWARD(f_shm_lock, (sqlite3_file * f, int at, int n, int flags), xShmLock(REAL(f), at, n, flags))
FORWARD(f_unmap, (sqlite3_file * f, int remove), xShmUnmap(REAL(f), remove))

static void f_barrier(sqlite3_file *f)
{
	REAL(f)->pMethods->xShmBarrier(REAL(f));
}

static int f_close(sqlite3_file *f)
{
	return REAL(f)->pMethods ? REAL(f)->pMethods->xClose(REAL(f)) : SQLITE_OK;
}

static int f_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
	bool torn = false;
	int code = step(&torn);
	if (code == SQLITE_OK)
		code = REAL(f)->pMethods->xWrite(REAL(f), p, torn ? n / 2 : n, at);
	if (torn)
		_exit(KILLED);
	return code;
}

static int f_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	int code = step(NULL);
	return code ? code : REAL(f)->pMethods->xTruncate(REAL(f), size);
}

static int f_sync(sqlite3_file *f, int flags)
{
	int code = step(NULL);
	return code ? code : REAL(f)->pMethods->xSync(REAL(f), flags);
}

static sqlite3_vfs shim, *real_vfs;

static int v_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *ret)
{
	static const sqlite3_io_methods methods = {
		2,         f_close,  f_read,   f_write, f_truncate, f_sync,    f_size,  f_lock, f_unlock, f_reserved,
		f_control, f_sector, f_traits, f_map,   f_shm_lock, f_barrier, f_unmap, NULL,   NULL};
	((struct file *)f)->real = (sqlite3_file *)((char *)f + sizeof(struct file));
	f->pMethods = NULL;
	int code = step(NULL);
	code = code ? SQLITE_CANTOPEN : real_vfs->xOpen(real_vfs, name, REAL(f), flags, ret);
	if (code == SQLITE_OK)
		f->pMethods = &methods;
	return code;
}

static int v_delete(sqlite3_vfs *v, const char *name, int sync)
{
	int code = step(NULL);
	return code ? code : real_vfs->xDelete(real_vfs, name, sync);
}

static void install(enum fault kind, long after)
{
	real_vfs = sqlite3_vfs_find(NULL);
	shim = *real_vfs;
	shim.zName = "faults";
	shim.szOsFile += (int)sizeof(struct file);
	shim.xOpen = v_open;
	shim.xDelete = v_delete;
	sqlite3_vfs_register(&shim, 1);
	fault.kind = kind;
	fault.left = after;
}

// --- the model ------------------------------------------------------------------------------------

enum { CONTENTS = 40, KEYS = 12, PATHS = 50, UNITS = 4, UNIT_BYTES = 8, NAMES = 3, MOST_OPS = 6 };

struct model {
	struct {
		int64_t id, parent;
		int state, in_corpus;
	} inputs[CONTENTS];
	int64_t n_inputs, n_findings;
	struct {
		int64_t id;
		uint32_t distance;
		bool gone;
	} findings[KEYS];
	int answers[PATHS];
	uint8_t cover[UNITS][UNIT_BYTES];
	int64_t settings[NAMES], counters[NAMES];
};

enum op_kind { OP_INPUT, OP_DONE, OP_FINDING, OP_GONE, OP_NEARER, OP_FLIP, OP_COVER, OP_SET, OP_COUNT, OPS };

struct op {
	enum op_kind kind;
	uint32_t what, more;
};

static struct op draw_op(uint64_t *state)
{
	static const uint32_t range[] = {CONTENTS, CONTENTS, KEYS, KEYS, KEYS, PATHS, UNITS, NAMES, NAMES};
	enum op_kind kind = (enum op_kind)draw(state, OPS);
	return (struct op){kind, draw(state, range[kind]), draw(state, 1000)};
}

static const char *const names[NAMES] = {"runs", "sym", "queries"};

static void apply(struct model *m, const struct op *o)
{
	static const int worth[] = {[FLIP_NONE] = 0, [FLIP_UNKNOWN] = 1, [FLIP_UNSAT] = 2, [FLIP_SAT] = 2};
	switch (o->kind) {
	case OP_INPUT:
		if (!m->inputs[o->what].id) {
			m->inputs[o->what].id = ++m->n_inputs;
			m->inputs[o->what].parent = o->more % m->n_inputs;
		}
		break;
	case OP_DONE:
		m->inputs[o->what].state |= m->inputs[o->what].id != 0;
		m->inputs[o->what].in_corpus |= m->inputs[o->what].id && o->more % 2;
		break;
	case OP_FINDING:
		if (!m->findings[o->what].id)
			m->findings[o->what].id = ++m->n_findings;
		else if (!m->findings[o->what].gone)
			break;
		m->findings[o->what].distance = o->more;
		m->findings[o->what].gone = false;
		break;
	case OP_GONE: m->findings[o->what].gone |= m->findings[o->what].id != 0; break;
	case OP_NEARER:
		if (m->findings[o->what].id && m->findings[o->what].distance > o->more)
			m->findings[o->what].distance = o->more;
		break;
	case OP_FLIP:
		if (worth[o->more % 4] > worth[m->answers[o->what]])
			m->answers[o->what] = (int)(o->more % 4);
		break;
	case OP_COVER: m->cover[o->what][o->more % UNIT_BYTES] = 1; break;
	case OP_SET: m->settings[o->what] = o->more + 1; break;
	case OP_COUNT: m->counters[o->what] += o->more; break;
	case OPS: break;
	}
}

static void print_model(const struct model *m, struct buf *out)
{
	for (int64_t id = 1; id <= m->n_inputs; id++)
		for (int i = 0; i < CONTENTS; i++)
			if (m->inputs[i].id == id)
				buf_printf(out, "input %d = content %d of %d, %d %d\n", (int)id, i,
				           (int)m->inputs[i].parent, m->inputs[i].state, m->inputs[i].in_corpus);
	for (int gone = 0; gone < 2; gone++)
		for (int64_t id = 1; id <= m->n_findings; id++)
			for (int i = 0; i < KEYS; i++)
				if (m->findings[i].id == id && m->findings[i].gone == gone)
					buf_printf(out, "F%d key %d distance %u gone %d\n", (int)id, i,
					           m->findings[i].distance, gone);
	for (int i = 0; i < PATHS; i++)
		if (m->answers[i])
			buf_printf(out, "flip %d: %d\n", i, m->answers[i]);
	for (int i = 0; i < UNITS; i++) {
		bool any = false;
		for (int k = 0; k < UNIT_BYTES; k++)
			any |= m->cover[i][k];
		for (int k = 0; any && k < UNIT_BYTES; k++)
			buf_printf(out, "%sunit %d %d", k ? ", " : "", i, m->cover[i][k]);
		buf_addstr(out, any ? "\n" : "");
	}
	for (int i = 0; i < NAMES; i++)
		buf_printf(out, "%s = %lld, %lld times\n", names[i], (long long)m->settings[i],
		           (long long)m->counters[i]);
}

// --- the store ------------------------------------------------------------------------------------

static int perform(struct store *s, const struct model *m, const struct op *o, struct err *err)
{
	struct stored_flip flip = {o->what + 1, (enum flip_answer)(o->more % 4), 0};
	struct stored_finding finding = {
		.kind = "abort", .level = "error", .distance = o->more, .input = 1, .seed = 1, .key = o->what + 1};
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
	case OP_SET: r = store_set_number(s, names[o->what], o->more + 1, err); break;
	case OP_COUNT: r = store_count(s, names[o->what], o->more, err); break;
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
		buf_printf(out, "%s = %lld, %lld times\n", names[i], (long long)store_get_number(s, names[i], 0),
		           (long long)store_counter(s, names[i]));
	return 0;
}

// --- sequences ------------------------------------------------------------------------------------

struct sequence {
	uint64_t seed;
	uint32_t transactions;
};

// Brings the model, and the store if there is one, from transaction `n` to the next.
static int transact(const struct sequence *q, uint32_t n, struct model *m, struct store *s, struct err *err)
{
	uint64_t state = mix(q->seed) ^ mix(n * 7919u);
	uint32_t ops = 1 + draw(&state, MOST_OPS);
	if (s && store_begin(s, err) < 0)
		return -1;
	for (uint32_t i = 0; i < ops; i++) {
		struct op o = draw_op(&state);
		if (s && perform(s, m, &o, err) < 0)
			return -1;
		apply(m, &o);
	}
	return s ? store_commit(s, err) : 0;
}

// In a process of its own: goes on behind transaction `done`, tells of each that is committed.
static void work(const struct sequence *q, uint32_t done, const struct model *at, enum fault kind, long after, int tell)
{
	struct model m = *at;
	struct err err = {""};
	install(kind, after);
	struct store *s = store_open(test_path("campaign"), true, &err);
	for (uint32_t n = done; s && n < q->transactions; n++) {
		if (transact(q, n, &m, s, &err) < 0)
			break;
		if (write(tell, "c", 1) != 1)
			_exit(2);
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
	print_model(m, expected);
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
	enum fault kind = (enum fault)draw(state, FAULTS);
	long after = 1 + draw(state, draw(state, 2) ? 12 : 120);
	CHECK(pipe(pipe_fds) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		close(pipe_fds[0]);
		work(q, *done, m, kind, after, pipe_fds[1]);
	}
	close(pipe_fds[1]);
	uint32_t reported = count_told(pipe_fds[0]);
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	      (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == KILLED));
	struct err err = {""};
	for (uint32_t i = 0; i < reported; i++)
		transact(q, (*done)++, m, NULL, &err);
	struct buf expected = {0}, got = {0};
	bool same = is_as(m, &expected, &got);
	if (!same && *done < q->transactions) { // committed, and killed before it was told
		transact(q, (*done)++, m, NULL, &err);
		same = is_as(m, &expected, &got);
	}
	CHECK_THAT(same, "sequence %llu, fault %d after %ld calls, %u of %u transactions:\n%s-- but the store has\n%s",
	           (unsigned long long)q->seed, (int)kind, after, *done, q->transactions, expected.data, got.data);
	buf_release(&expected);
	buf_release(&got);
	return same;
}

static void sequences(void)
{
	const char *set = getenv("VEER_LONG");
	bool all = set && *set == '1';
	uint64_t n = all ? 10000 : 100;
	for (uint64_t i = 0; i < n; i++) {
		alarm(60); // each has its own time
		uint64_t state = mix(i) ^ 0x5eed;
		const struct sequence q = {.seed = i, .transactions = 2 + draw(&state, 12)};
		struct model m = {0};
		bool same = true;
		for (uint32_t done = 0, part = 0; same && done < q.transactions && part < 40; part++)
			same = go_on(&q, &state, &done, &m);
		file_remove_tree(test_path("campaign"));
		if (!same)
			break;
	}
}

static const struct test tests[] = {TEST(sequences)};
TEST_MAIN("store_model")
