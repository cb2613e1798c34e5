// Recorded tests. There are thousands of them, not millions: an index finds them.

#include <string.h>

#include "base/mem.h"
#include "store/db.h"

static const char WAY[] = "way"; // a setting

void stored_snapshot_release(struct stored_snapshot *c)
{
	mem_free(c->why);
	mem_free(c->outcome);
	buf_release(&c->data);
	*c = (struct stored_snapshot){0};
}

static char *column_optional(sqlite3_stmt *q, int i)
{
	return sqlite3_column_type(q, i) == SQLITE_NULL ? NULL : db_column_text(q, i);
}

static void bind_optional(sqlite3_stmt *q, int i, const char *text)
{
	if (text)
		db_bind_text(q, i, text);
	else
		sqlite3_bind_null(q, i);
}

// Whether it is there: 1, with what is known of it, 0, or -1.
static int find(struct store *s, const struct stored_snapshot *c, struct stored_snapshot *ret, struct err *err)
{
	sqlite3_stmt *q = db_statement(s, SQL_FIND_SNAPSHOT, err);
	if (!q)
		return -1;
	db_bind_u64(q, 1, c->hash[0]);
	db_bind_u64(q, 2, c->hash[1]);
	int row = db_row(s, q, err);
	if (row > 0)
		*ret = (struct stored_snapshot){
			.id = sqlite3_column_int64(q, 0),
			.level = sqlite3_column_int(q, 1),
			.why = column_optional(q, 2),
			.outcome = column_optional(q, 3),
			.native_us = sqlite3_column_int64(q, 4),
		};
	sqlite3_reset(q);
	return row;
}

static int insert(struct store *s, struct stored_snapshot *c, const struct buf *data, struct err *err)
{
	sqlite3_stmt *q = db_statement(s, SQL_ADD_SNAPSHOT, err);
	if (!q)
		return -1;
	db_bind_u64(q, 1, c->hash[0]);
	db_bind_u64(q, 2, c->hash[1]);
	sqlite3_bind_int(q, 3, c->level);
	sqlite3_bind_int64(q, 4, c->times);
	sqlite3_bind_int(q, 5, c->present);
	bind_optional(q, 6, c->why);
	db_bind_bytes(q, 7, data->data, data->len);
	bind_optional(q, 8, c->outcome);
	sqlite3_bind_int64(q, 9, c->native_us);
	if (db_run(s, q, err) < 0)
		return -1;
	c->id = sqlite3_last_insert_rowid(s->db);
	return 0;
}

// Recorded tests have their whole environment, which is long and always the same.
static int fetch(void *opaque, uint64_t id, struct buf *ret, struct err *err)
{
	struct store *s = opaque;
	sqlite3_stmt *q = db_statement(s, SQL_GET_SNAPSHOT, err);
	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, (int64_t)id);
	int row = db_row(s, q, err);
	if (row > 0)
		db_column(q, 0, ret);
	sqlite3_reset(q);
	return row > 0 ? 0 : row < 0 ? -1 : err_set(err, "%s has lost a recorded test", s->path);
}

static int unpack(struct store *s, struct buf *data, struct err *err)
{
	struct buf whole = {0};
	if (delta_unpack(&s->snapshots, data->data, data->len, fetch, s, &whole, err) < 0) {
		buf_release(&whole);
		return -1;
	}
	buf_release(data);
	*data = whole;
	return 0;
}

int store_get_snapshot(struct store *s, int64_t id, struct buf *ret, struct err *err)
{
	return fetch(s, (uint64_t)id, ret, err) < 0 ? -1 : unpack(s, ret, err);
}

static int add(struct store *s, struct stored_snapshot *c, struct err *err)
{
	struct buf packed = {0};
	bool is_packed = delta_pack(&s->snapshots, c->data.data, c->data.len, &packed);
	int r = insert(s, c, is_packed ? &packed : &c->data, err);
	if (r == 0 && !is_packed)
		delta_add(&s->snapshots, (uint64_t)c->id, c->data.data, c->data.len);
	buf_release(&packed);
	return r;
}

static int seen_again(struct store *s, const struct stored_snapshot *c, struct err *err)
{
	sqlite3_stmt *q = db_statement(s, SQL_SEEN_SNAPSHOT, err);
	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, c->times);
	sqlite3_bind_int(q, 2, c->present);
	sqlite3_bind_int64(q, 3, c->id);
	return db_run(s, q, err);
}

static int find_or_add(struct store *s, struct stored_snapshot *c, bool *ret_known, struct err *err)
{
	struct stored_snapshot there;
	int known = find(s, c, &there, err);
	if (known > 0) {
		mem_free(c->why);
		c->id = there.id;
		c->level = there.level;
		c->why = there.why;
		mem_free(c->outcome);
		c->outcome = there.outcome;
		c->native_us = there.native_us;
	}
	if (known < 0 || (known ? seen_again(s, c, err) : add(s, c, err)) < 0)
		return -1;
	if (ret_known)
		*ret_known = known;
	return 0;
}

int store_add_snapshot(struct store *s, struct stored_snapshot *c, bool *ret_known, struct err *err)
{
	bool entered;
	if (db_enter(s, &entered, err) < 0)
		return -1;
	return db_leave(s, entered, find_or_add(s, c, ret_known, err), err);
}

int store_update_snapshot(struct store *s, const struct stored_snapshot *c, struct err *err)
{
	sqlite3_stmt *q;
	if (db_writable(s, err) < 0 || !(q = db_statement(s, SQL_UPDATE_SNAPSHOT, err)))
		return -1;
	sqlite3_bind_int(q, 1, c->level);
	sqlite3_bind_int64(q, 2, c->times);
	sqlite3_bind_int(q, 3, c->present);
	bind_optional(q, 4, c->why);
	bind_optional(q, 5, c->outcome);
	sqlite3_bind_int64(q, 6, c->native_us);
	sqlite3_bind_int64(q, 7, c->id);
	if (db_run(s, q, err) < 0)
		return -1;
	return sqlite3_changes(s->db) ? 0 : err_set(err, "%s: there is no snapshot %lld", s->path, (long long)c->id);
}

// Its inputs and answers come along, so what was analysed there is analysed here.
int snapshots_merge(struct store *s, struct stored_snapshot *c, struct err *err)
{
	struct stored_snapshot there;
	int known = find(s, c, &there, err);
	if (known <= 0)
		return known < 0 ? -1 : add(s, c, err);
	c->id = there.id;
	mem_free(there.why);
	mem_free(there.outcome);
	sqlite3_stmt *q = db_statement(s, SQL_MERGE_SNAPSHOT, err);
	if (!q)
		return -1;
	sqlite3_bind_int(q, 1, c->level);
	sqlite3_bind_int64(q, 2, c->times);
	sqlite3_bind_int(q, 3, c->present);
	sqlite3_bind_int64(q, 4, c->id);
	bind_optional(q, 5, c->outcome);
	sqlite3_bind_int64(q, 6, c->native_us);
	return db_run(s, q, err);
}

int store_each_snapshot(struct store *s, int (*each)(void *opaque, const struct stored_snapshot *c), void *opaque,
                        struct err *err)
{
	sqlite3_stmt *q =
		db_prepare(s,
	                   "SELECT id, low, high, level, times, present, why, data, outcome, native_us FROM snapshots "
	                   "ORDER BY id",
	                   err);
	if (!q)
		return -1;
	int r;
	while ((r = db_row(s, q, err)) > 0) {
		struct stored_snapshot c = {
			.id = sqlite3_column_int64(q, 0),
			.hash = {(uint64_t)sqlite3_column_int64(q, 1), (uint64_t)sqlite3_column_int64(q, 2)},
			.level = sqlite3_column_int(q, 3),
			.times = (uint32_t)sqlite3_column_int64(q, 4),
			.present = sqlite3_column_int(q, 5) != 0,
			.why = column_optional(q, 6),
			.outcome = column_optional(q, 8),
			.native_us = sqlite3_column_int64(q, 9),
		};
		db_column(q, 7, &c.data);
		r = unpack(s, &c.data, err);
		if (r == 0)
			r = each(opaque, &c);
		stored_snapshot_release(&c);
		if (r)
			break;
	}
	sqlite3_finalize(q);
	return r;
}

// Rows are differences from others, so all are written anew.
struct changing {
	struct store *store;
	struct delta packed;
	sqlite3_stmt *insert;
	void (*change)(struct buf *data);
	struct err *err;
};

static int change_one(void *opaque, const struct stored_snapshot *c)
{
	struct changing *g = opaque;
	struct buf data = {0}, packed = {0};
	buf_add(&data, c->data.data, c->data.len);
	g->change(&data);
	bool is_packed = delta_pack(&g->packed, data.data, data.len, &packed);
	const struct buf *kept = is_packed ? &packed : &data;
	sqlite3_bind_int64(g->insert, 1, c->id);
	db_bind_bytes(g->insert, 2, kept->data, kept->len);
	int r = db_run(g->store, g->insert, g->err);
	if (r == 0 && !is_packed)
		delta_add(&g->packed, (uint64_t)c->id, data.data, data.len);
	buf_release(&data);
	buf_release(&packed);
	return r;
}

static int change_all(struct store *s, void (*change)(struct buf *data), struct err *err)
{
	static const char
		begin[] = "CREATE TEMP TABLE changed (id INTEGER PRIMARY KEY, data BLOB NOT NULL)",
		end[] = "UPDATE snapshots SET data = (SELECT data FROM changed WHERE changed.id = snapshots.id);"
			"DROP TABLE changed";
	if (sqlite3_exec(s->db, begin, NULL, NULL, NULL) != SQLITE_OK)
		return db_error(s, err);
	struct changing g = {.store = s, .change = change, .err = err};
	g.insert = db_prepare(s, "INSERT INTO changed VALUES (?1, ?2)", err);
	int r = g.insert ? store_each_snapshot(s, change_one, &g, err) : -1;
	sqlite3_finalize(g.insert);
	if (r == 0 && sqlite3_exec(s->db, end, NULL, NULL, NULL) != SQLITE_OK)
		r = db_error(s, err);
	delta_release(&s->snapshots);
	s->snapshots = g.packed;
	return r;
}

int store_change_snapshots(struct store *s, void (*change)(struct buf *data), struct err *err)
{
	bool entered;
	if (sqlite3_exec(s->db, "PRAGMA secure_delete = ON", NULL, NULL, NULL) != SQLITE_OK)
		return db_error(s, err);
	if (db_enter(s, &entered, err) < 0)
		return -1;
	return db_leave(s, entered, change_all(s, change, err), err);
}

static int update_all(struct store *s, enum statement statement, struct err *err)
{
	sqlite3_stmt *q;
	if (db_writable(s, err) < 0 || !(q = db_statement(s, statement, err)))
		return -1;
	return db_run(s, q, err);
}

int store_forget_snapshots(struct store *s, struct err *err)
{
	return update_all(s, SQL_FORGET_SNAPSHOTS, err);
}

bool snapshots_same_edge(struct store *s, struct store *other)
{
	struct buf here = {0}, there = {0};
	bool a = store_get(s, WAY, &here), b = store_get(other, WAY, &there);
	bool same = a == b && here.len == there.len && (!here.len || memcmp(here.data, there.data, here.len) == 0);
	buf_release(&here);
	buf_release(&there);
	return same;
}

static int forget_levels(struct store *s, const char *way, struct err *err)
{
	return update_all(s, SQL_FORGET_LEVELS, err) < 0 || update_all(s, SQL_FORGET_SCOPES, err) < 0
	               ? -1
	               : store_set(s, WAY, way, strlen(way), err);
}

int store_set_way(struct store *s, const char *way, struct err *err)
{
	struct buf was = {0};
	bool entered, known = store_get(s, WAY, &was);
	bool same = known && was.len == strlen(way) && memcmp(was.data, way, was.len) == 0;
	buf_release(&was);
	if (same)
		return 0;
	if (db_enter(s, &entered, err) < 0)
		return -1;
	return db_leave(s, entered, forget_levels(s, way, err), err);
}

// --- analysis scopes -----------------------------------------------------------------------------

static int put_scope(struct store *s, enum statement statement, const struct stored_scope *t, struct err *err)
{
	sqlite3_stmt *q;
	if (db_writable(s, err) < 0 || !(q = db_statement(s, statement, err)))
		return -1;
	sqlite3_bind_int64(q, 1, t->snapshot);
	sqlite3_bind_int64(q, 2, t->number);
	db_bind_u64(q, 3, t->from);
	db_bind_u64(q, 4, t->to);
	sqlite3_bind_int(q, 5, t->slow);
	sqlite3_bind_int(q, 6, t->level);
	db_bind_bytes(q, 7, t->parts.data, t->parts.len);
	return db_run(s, q, err);
}

int store_set_scope(struct store *s, const struct stored_scope *t, struct err *err)
{
	return put_scope(s, SQL_SET_SCOPE, t, err);
}

int scopes_merge(struct store *s, const struct stored_scope *t, bool *ret_new, struct err *err)
{
	if (put_scope(s, SQL_MERGE_SCOPE, t, err) < 0)
		return -1;
	*ret_new = sqlite3_changes(s->db) > 0;
	return 0;
}

int store_each_scope(struct store *s, int (*each)(void *opaque, const struct stored_scope *t), void *opaque,
                     struct err *err)
{
	sqlite3_stmt *q =
		db_prepare(s,
	                   "SELECT snapshot, number, first, last, slow, level, parts FROM scopes "
	                   "WHERE snapshot IN (SELECT id FROM snapshots WHERE present <> 0) ORDER BY snapshot, number",
	                   err);
	int r;
	if (!q)
		return -1;
	while ((r = db_row(s, q, err)) > 0) {
		struct stored_scope t = {
			.snapshot = sqlite3_column_int64(q, 0),
			.number = (uint32_t)sqlite3_column_int64(q, 1),
			.from = (uint64_t)sqlite3_column_int64(q, 2),
			.to = (uint64_t)sqlite3_column_int64(q, 3),
			.slow = sqlite3_column_int64(q, 4) != 0,
			.level = sqlite3_column_int(q, 5),
		};
		db_column(q, 6, &t.parts);
		r = each(opaque, &t);
		buf_release(&t.parts);
		if (r)
			break;
	}
	sqlite3_finalize(q);
	return r;
}
