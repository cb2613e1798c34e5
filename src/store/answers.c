// What runs and solvers answered: flips, coverage, progress, findings.
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "store/db.h"

static uint64_t pack(enum flip_answer answer, int64_t input)
{
	static_assert(FLIP_UNKNOWN < 4, "two bits are enough");
	return (uint64_t)input << 2 | answer;
}

static struct stored_flip unpack(uint64_t path, uint64_t value)
{
	return (struct stored_flip){path, (enum flip_answer)(value & 3), (int64_t)(value >> 2)};
}

static bool is_flip(int64_t answer, int64_t input)
{
	return answer >= FLIP_NONE && answer <= FLIP_UNKNOWN && input >= 0 && input < INT64_MAX / 4;
}

static int load_flips(struct store *s, struct err *err)
{
	if (s->flips_loaded)
		return 0;
	sqlite3_stmt *q = db_prepare(s, "SELECT path, answer, input FROM flips ORDER BY id", err);
	if (!q)
		return -1;
	int row;
	while ((row = db_row(s, q, err)) > 0) {
		int64_t answer = sqlite3_column_int64(q, 1), input = sqlite3_column_int64(q, 2);
		if (is_flip(answer, input))
			index_set(&s->flips, (uint64_t)sqlite3_column_int64(q, 0),
			          pack((enum flip_answer)answer, input));
	}
	sqlite3_finalize(q);
	s->flips_loaded = row == 0;
	return row;
}

static bool is_better(enum flip_answer new, enum flip_answer old)
{
	return new != FLIP_NONE &&new != old && (old == FLIP_NONE || old == FLIP_UNKNOWN);
}

int store_add_flip(struct store *s, const struct stored_flip *f, struct err *err)
{
	assert(is_flip(f->answer, f->input));
	uint64_t there;
	if (db_writable(s, err) < 0 || load_flips(s, err) < 0)
		return -1;
	if (index_get(&s->flips, f->path, &there) && !is_better(f->answer, unpack(0, there).answer))
		return 0;
	sqlite3_stmt *q = db_statement(s, SQL_ADD_FLIP, err);
	if (!q)
		return -1;
	db_bind_u64(q, 1, f->path);
	sqlite3_bind_int(q, 2, f->answer);
	sqlite3_bind_int64(q, 3, f->input);
	if (db_run(s, q, err) < 0)
		return -1;
	index_set(&s->flips, f->path, pack(f->answer, f->input));
	return 0;
}

bool store_get_flip(struct store *s, uint64_t path, struct stored_flip *ret)
{
	uint64_t value;
	if (load_flips(s, NULL) < 0 || !index_get(&s->flips, path, &value))
		return false;
	*ret = unpack(path, value);
	return true;
}

int store_each_flip(struct store *s, int (*each)(void *opaque, const struct stored_flip *f), void *opaque,
                    struct err *err)
{
	if (load_flips(s, err) < 0)
		return -1;
	uint64_t path, value;
	for (size_t at = 0; index_next(&s->flips, &at, &path, &value);) {
		struct stored_flip f = unpack(path, value);
		int r = each(opaque, &f);
		if (r)
			return r;
	}
	return 0;
}

static int get_cover(struct store *s, uint64_t unit, struct buf *ret, struct err *err)
{
	sqlite3_stmt *q = db_statement(s, SQL_GET_COVER, err);
	if (!q)
		return -1;
	db_bind_u64(q, 1, unit);
	int row = db_row(s, q, err);
	if (row > 0)
		db_column(q, 0, ret);
	sqlite3_reset(q);
	return row;
}

static int set_cover(struct store *s, uint64_t unit, const struct buf *data, struct err *err)
{
	sqlite3_stmt *q = db_statement(s, SQL_SET_COVER, err);
	if (!q)
		return -1;
	db_bind_u64(q, 1, unit);
	db_bind_bytes(q, 2, data->data, data->len);
	return db_run(s, q, err);
}

// Adds to `all`; returns whether that changed it.
static bool unite(struct buf *all, const uint8_t *bytes, size_t n)
{
	bool changed = n > all->len;
	if (changed) {
		buf_reserve(all, n - all->len);
		memset(all->data + all->len, 0, n - all->len);
		all->len = n;
	}
	for (size_t i = 0; i < n; i++)
		if (bytes[i] && !all->data[i])
			all->data[i] = changed = true;
	return changed;
}

static int add_cover(struct store *s, uint64_t unit, const uint8_t *bytes, size_t n, struct err *err)
{
	struct buf all = {0};
	int there = get_cover(s, unit, &all, err), r = there < 0 ? -1 : 0;
	if (r == 0 && (unite(&all, bytes, n) || !there))
		r = set_cover(s, unit, &all, err);
	buf_release(&all);
	return r;
}

int store_add_cover(struct store *s, uint64_t unit, const uint8_t *bytes, size_t n, struct err *err)
{
	bool entered;
	if (db_enter(s, &entered, err) < 0)
		return -1;
	return db_leave(s, entered, add_cover(s, unit, bytes, n, err), err);
}

int store_each_cover(struct store *s, int (*each)(void *opaque, uint64_t unit, const uint8_t *bytes, size_t n),
                     void *opaque, struct err *err)
{
	sqlite3_stmt *q = db_prepare(s, "SELECT unit, data FROM cover", err);
	if (!q)
		return -1;
	int r;
	while ((r = db_row(s, q, err)) > 0) {
		const uint8_t *data = sqlite3_column_blob(q, 1);
		r = each(opaque, (uint64_t)sqlite3_column_int64(q, 0), data, (size_t)sqlite3_column_bytes(q, 1));
		if (r)
			break;
	}
	sqlite3_finalize(q);
	return r;
}

int store_add_progress(struct store *s, double seconds, int64_t runs, int64_t branches, int64_t lines, struct err *err)
{
	sqlite3_stmt *q;
	if (db_writable(s, err) < 0 || !(q = db_statement(s, SQL_ADD_PROGRESS, err)))
		return -1;
	sqlite3_bind_double(q, 1, seconds);
	sqlite3_bind_int64(q, 2, runs);
	sqlite3_bind_int64(q, 3, branches);
	sqlite3_bind_int64(q, 4, lines);
	return db_run(s, q, err);
}

int store_each_progress(struct store *s,
                        int (*each)(void *opaque, double seconds, int64_t runs, int64_t branches, int64_t lines),
                        void *opaque, struct err *err)
{
	sqlite3_stmt *q = db_prepare(s, "SELECT seconds, runs, branches, lines FROM progress ORDER BY id", err);
	if (!q)
		return -1;
	int r;
	while ((r = db_row(s, q, err)) > 0) {
		r = each(opaque, sqlite3_column_double(q, 0), sqlite3_column_int64(q, 1), sqlite3_column_int64(q, 2),
		         sqlite3_column_int64(q, 3));
		if (r)
			break;
	}
	sqlite3_finalize(q);
	return r;
}

static int find_finding(struct store *s, uint64_t key, int64_t *ret_id, struct err *err)
{
	sqlite3_stmt *q = db_statement(s, SQL_FIND_FINDING, err);
	if (!q)
		return -1;
	db_bind_u64(q, 1, key);
	int row = db_row(s, q, err);
	if (row > 0)
		*ret_id = sqlite3_column_int64(q, 0);
	sqlite3_reset(q);
	return row;
}

static int insert_finding(struct store *s, struct stored_finding *f, struct err *err)
{
	sqlite3_stmt *q = db_statement(s, SQL_ADD_FINDING, err);
	if (!q)
		return -1;
	db_bind_u64(q, 1, f->key);
	db_bind_text(q, 2, f->kind);
	db_bind_text(q, 3, level_name(f->level));
	db_bind_text(q, 4, f->program);
	db_bind_text(q, 5, f->file);
	sqlite3_bind_int64(q, 6, f->line);
	db_bind_text(q, 7, f->function);
	db_bind_text(q, 8, f->stack);
	db_bind_text(q, 9, f->report);
	sqlite3_bind_int64(q, 10, f->distance);
	sqlite3_bind_int64(q, 11, f->depth);
	sqlite3_bind_int(q, 12, f->changed);
	sqlite3_bind_int(q, 13, f->care);
	sqlite3_bind_int64(q, 14, f->input);
	sqlite3_bind_int64(q, 15, f->seed);
	int row = db_row(s, q, err);
	if (row > 0)
		f->id = sqlite3_column_int64(q, 0);
	sqlite3_reset(q);
	return row > 0 ? 0 : -1;
}

static int add_finding(struct store *s, struct stored_finding *f, bool *ret_known, struct err *err)
{
	int known = find_finding(s, f->key, &f->id, err);
	if (known < 0 || (!known && insert_finding(s, f, err) < 0))
		return -1;
	if (ret_known)
		*ret_known = known;
	return 0;
}

int store_add_finding(struct store *s, struct stored_finding *f, bool *ret_known, struct err *err)
{
	bool entered;
	if (db_enter(s, &entered, err) < 0)
		return -1;
	return db_leave(s, entered, add_finding(s, f, ret_known, err), err);
}

int store_nearer_finding(struct store *s, uint64_t key, uint32_t distance, uint32_t depth, struct err *err)
{
	bool entered;
	if (db_enter(s, &entered, err) < 0)
		return -1;
	sqlite3_stmt *q = db_statement(s, SQL_NEARER_FINDING, err);
	if (q) {
		sqlite3_bind_int64(q, 1, (int64_t)key);
		sqlite3_bind_int64(q, 2, distance);
		sqlite3_bind_int64(q, 3, depth);
	}
	return db_leave(s, entered, q ? db_run(s, q, err) : -1, err);
}

int store_set_gone(struct store *s, uint64_t key, bool gone, struct err *err)
{
	bool entered;
	if (db_enter(s, &entered, err) < 0)
		return -1;
	sqlite3_stmt *q = db_statement(s, SQL_SET_GONE, err);
	if (q) {
		db_bind_u64(q, 1, key);
		sqlite3_bind_int(q, 2, gone);
	}
	return db_leave(s, entered, q ? db_run(s, q, err) : -1, err);
}

// -1: its level is none.
static int read_finding(struct store *s, sqlite3_stmt *q, struct stored_finding *ret, struct err *err)
{
	*ret = (struct stored_finding){
		.id = sqlite3_column_int64(q, 0),
		.key = (uint64_t)sqlite3_column_int64(q, 1),
		.kind = db_column_text(q, 2),
		.program = db_column_text(q, 4),
		.file = db_column_text(q, 5),
		.line = (uint32_t)sqlite3_column_int64(q, 6),
		.function = db_column_text(q, 7),
		.stack = db_column_text(q, 8),
		.report = db_column_text(q, 9),
		.distance = (uint32_t)sqlite3_column_int64(q, 10),
		.depth = (uint32_t)sqlite3_column_int64(q, 11),
		.changed = sqlite3_column_int(q, 12),
		.care = sqlite3_column_int(q, 13),
		.input = sqlite3_column_int64(q, 14),
		.seed = sqlite3_column_int64(q, 15),
	};
	char *level = db_column_text(q, 3);
	bool known = level_parse(level, &ret->level) && ret->level != LEVEL_NONE;
	if (!known)
		db_damaged(s, err, "a finding has no level");
	mem_free(level);
	return known ? 0 : -1;
}

void stored_finding_release(struct stored_finding *f)
{
	mem_free(f->kind);
	mem_free(f->program);
	mem_free(f->file);
	mem_free(f->function);
	mem_free(f->stack);
	mem_free(f->report);
}

static int each_finding(struct store *s, bool gone, int (*each)(void *opaque, const struct stored_finding *f),
                        void *opaque, struct err *err)
{
	sqlite3_stmt *q =
		db_prepare(s,
	                   "SELECT id, key, kind, level, program, file, line, function, stack, report,"
	                   " distance, depth, changed, care, input, seed FROM findings WHERE gone = ?1 ORDER BY id",
	                   err);
	if (!q)
		return -1;
	sqlite3_bind_int(q, 1, gone);
	int r;
	while ((r = db_row(s, q, err)) > 0) {
		struct stored_finding f;
		r = read_finding(s, q, &f, err);
		if (r == 0)
			r = each(opaque, &f);
		stored_finding_release(&f);
		if (r)
			break;
	}
	sqlite3_finalize(q);
	return r;
}

int store_each_finding(struct store *s, int (*each)(void *opaque, const struct stored_finding *f), void *opaque,
                       struct err *err)
{
	return each_finding(s, false, each, opaque, err);
}

int store_each_gone(struct store *s, int (*each)(void *opaque, const struct stored_finding *f), void *opaque,
                    struct err *err)
{
	return each_finding(s, true, each, opaque, err);
}

// --- comparisons ----------------------------------------------------------------------------------

int store_set_comparison(struct store *s, const struct stored_comparison *c, struct err *err)
{
	sqlite3_stmt *q;
	if (db_writable(s, err) < 0 || !(q = db_statement(s, SQL_SET_COMPARISON, err)))
		return -1;
	sqlite3_bind_int64(q, 1, c->input);
	db_bind_text(q, 2, c->kind);
	db_bind_text(q, 3, c->why);
	db_bind_bytes(q, 4, c->goals.data, c->goals.len);
	return db_run(s, q, err);
}

int store_each_comparison(struct store *s, int (*each)(void *opaque, const struct stored_comparison *c), void *opaque,
                          struct err *err)
{
	sqlite3_stmt *q = db_prepare(s, "SELECT input, kind, why, goals FROM comparisons ORDER BY input", err);
	int r;
	if (!q)
		return -1;
	while ((r = db_row(s, q, err)) > 0) {
		char *kind = db_column_text(q, 1), *why = db_column_text(q, 2);
		struct stored_comparison c = {.input = sqlite3_column_int64(q, 0), .kind = kind, .why = why};
		db_column(q, 3, &c.goals);
		r = each(opaque, &c);
		buf_release(&c.goals);
		mem_free(kind);
		mem_free(why);
		if (r)
			break;
	}
	sqlite3_finalize(q);
	return r;
}
