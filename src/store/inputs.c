// Inputs. Their bytes are in a table of their own, so that what else is known of them is read quickly and the bytes
// can be evicted alone.
#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "store/db.h"

#define EVICTED_AT_ONCE 4096 // by a commit, which has to stay quick

static void digest_of(const struct buf *data, uint8_t out[DIGEST_SIZE])
{
	struct hash h = hash_bytes(data->data, data->len);
	static_assert(sizeof h == DIGEST_SIZE, "the hash is the digest");
	memcpy(out, &h, DIGEST_SIZE);
}

static uint64_t first_half(const void *digest)
{
	uint64_t half;
	memcpy(&half, digest, sizeof half);
	return half;
}

// The same bytes in two snapshots are two inputs.
static uint64_t key_of(const void *digest, int64_t snapshot)
{
	return first_half(digest) ^ (uint64_t)snapshot * 0x9e3779b97f4a7c15u;
}

static void enter(struct store *s, uint64_t key, int64_t id)
{
	uint64_t there;
	if (id > 0 && !index_get(&s->inputs, key, &there))
		index_set(&s->inputs, key, (uint64_t)id);
}

static int load(struct store *s, struct err *err)
{
	if (s->inputs_loaded)
		return 0;
	sqlite3_stmt *q = db_prepare(s, "SELECT id, digest, snapshot FROM inputs", err);
	if (!q)
		return -1;
	int row;
	while ((row = db_row(s, q, err)) > 0)
		if (sqlite3_column_bytes(q, 1) == DIGEST_SIZE)
			enter(s, key_of(sqlite3_column_blob(q, 1), sqlite3_column_int64(q, 2)),
			      sqlite3_column_int64(q, 0));
	sqlite3_finalize(q);
	s->inputs_loaded = row == 0;
	return row;
}

// Whether it is there: 1, 0, or -1. Another input whose digest begins the same hides one, which is then stored again.
static int find(struct store *s, const void *digest, int64_t snapshot, int64_t *ret_id, struct err *err)
{
	uint64_t id;
	if (load(s, err) < 0)
		return -1;
	if (!index_get(&s->inputs, key_of(digest, snapshot), &id))
		return 0;
	sqlite3_stmt *q = db_statement(s, SQL_GET_DIGEST, err);
	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, (int64_t)id);
	int row = db_row(s, q, err);
	if (row > 0) {
		row = sqlite3_column_bytes(q, 0) == DIGEST_SIZE &&
		      memcmp(sqlite3_column_blob(q, 0), digest, DIGEST_SIZE) == 0 &&
		      sqlite3_column_int64(q, 1) == snapshot;
		*ret_id = (int64_t)id;
	}
	sqlite3_reset(q);
	return row;
}

static int bind_state(sqlite3_stmt *q, const struct stored_input *in)
{
	sqlite3_bind_int64(q, 1, in->parent);
	sqlite3_bind_int(q, 2, in->state);
	sqlite3_bind_int64(q, 3, in->event);
	sqlite3_bind_int(q, 4, in->changed);
	sqlite3_bind_int(q, 5, in->care);
	sqlite3_bind_int(q, 6, in->in_corpus);
	return 7;
}

static int add_row(struct store *s, struct stored_input *in, const void *digest, bool has_bytes, struct err *err)
{
	sqlite3_stmt *q = db_statement(s, SQL_ADD_INPUT, err);
	if (!q)
		return -1;
	int i = bind_state(q, in);
	db_bind_u64(q, i++, in->hash);
	db_bind_bytes(q, i++, digest, DIGEST_SIZE);
	sqlite3_bind_int(q, i++, has_bytes);
	sqlite3_bind_int64(q, i, in->snapshot);
	if (db_run(s, q, err) < 0)
		return -1;
	in->id = sqlite3_last_insert_rowid(s->db);
	enter(s, key_of(digest, in->snapshot), in->id);
	return 0;
}

static int add_bytes(struct store *s, const struct stored_input *in, struct err *err)
{
	sqlite3_stmt *q = db_statement(s, SQL_ADD_BYTES, err);
	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, in->id);
	db_bind_bytes(q, 2, in->data.data, in->data.len);
	return db_run(s, q, err);
}

static int add(struct store *s, struct stored_input *in, const void *digest, bool has_bytes, bool *ret_known,
               struct err *err)
{
	int known = find(s, digest, in->snapshot, &in->id, err);
	if (known < 0)
		return -1;
	if (!known && (add_row(s, in, digest, has_bytes, err) < 0 || (has_bytes && add_bytes(s, in, err) < 0)))
		return -1;
	if (ret_known)
		*ret_known = known;
	return 0;
}

int store_add_input(struct store *s, struct stored_input *in, bool *ret_known, struct err *err)
{
	uint8_t digest[DIGEST_SIZE];
	digest_of(&in->data, digest);
	bool entered;
	if (db_enter(s, &entered, err) < 0)
		return -1;
	return db_leave(s, entered, add(s, in, digest, true, ret_known, err), err);
}

int inputs_add_digest(struct store *s, struct stored_input *in, const void *digest, bool *ret_known, struct err *err)
{
	return add(s, in, digest, false, ret_known, err);
}

int store_update_input(struct store *s, const struct stored_input *in, struct err *err)
{
	sqlite3_stmt *q;
	if (db_writable(s, err) < 0 || !(q = db_statement(s, SQL_UPDATE_INPUT, err)))
		return -1;
	sqlite3_bind_int64(q, bind_state(q, in), in->id);
	if (db_run(s, q, err) < 0)
		return -1;
	return sqlite3_changes(s->db) ? 0 : err_set(err, "%s: there is no input %lld", s->path, (long long)in->id);
}

static void read_row(sqlite3_stmt *q, struct stored_input *ret)
{
	*ret = (struct stored_input){
		.id = sqlite3_column_int64(q, 0),
		.parent = sqlite3_column_int64(q, 1),
		.state = sqlite3_column_int(q, 2) == INPUT_DONE ? INPUT_DONE : INPUT_NEW,
		.event = (uint32_t)sqlite3_column_int64(q, 3),
		.changed = sqlite3_column_int(q, 4),
		.care = sqlite3_column_int(q, 5),
		.in_corpus = sqlite3_column_int(q, 6) != 0,
		.hash = (uint64_t)sqlite3_column_int64(q, 7),
		.snapshot = sqlite3_column_int64(q, 10),
	};
	db_column(q, 8, &ret->data);
}

void stored_input_release(struct stored_input *in)
{
	buf_release(&in->data);
}

int store_get_input(struct store *s, int64_t id, struct stored_input *ret, struct err *err)
{
	sqlite3_stmt *q = db_statement(s, SQL_GET_INPUT, err);
	if (!q)
		return -1;
	sqlite3_bind_int64(q, 1, id);
	int row = db_row(s, q, err);
	if (row > 0)
		read_row(q, ret);
	sqlite3_reset(q);
	if (row == 0)
		return err_set(err, "%s: there is no input %lld", s->path, (long long)id);
	return row < 0 ? -1 : 0;
}

int inputs_each(struct store *s, int (*each)(void *opaque, const struct stored_input *in, const void *digest),
                void *opaque, struct err *err)
{
	sqlite3_stmt *q =
		db_prepare(s,
	                   "SELECT id, parent, state, event, changed, care, in_corpus, hash, data, digest, snapshot"
	                   " FROM inputs LEFT JOIN bytes ON input = id ORDER BY id",
	                   err);
	if (!q)
		return -1;
	int r;
	while ((r = db_row(s, q, err)) > 0) {
		struct stored_input in;
		uint8_t digest[DIGEST_SIZE] = {0};
		if (sqlite3_column_bytes(q, 9) == DIGEST_SIZE)
			memcpy(digest, sqlite3_column_blob(q, 9), DIGEST_SIZE);
		read_row(q, &in);
		r = each(opaque, &in, digest);
		stored_input_release(&in);
		if (r)
			break;
	}
	sqlite3_finalize(q);
	return r;
}

struct plain_each {
	int (*each)(void *opaque, const struct stored_input *in);
	void *opaque;
};

static int without_digest(void *opaque, const struct stored_input *in, const void *digest)
{
	(void)digest;
	struct plain_each *p = opaque;
	return p->each(p->opaque, in);
}

int store_each_input(struct store *s, int (*each)(void *opaque, const struct stored_input *in), void *opaque,
                     struct err *err)
{
	struct plain_each p = {each, opaque};
	return inputs_each(s, without_digest, &p, err);
}

int64_t store_count_inputs(struct store *s, bool seeds_only)
{
	sqlite3_stmt *q = db_statement(s, seeds_only ? SQL_COUNT_SEEDS : SQL_COUNT_INPUTS, NULL);
	int64_t n = q && db_row(s, q, NULL) > 0 ? sqlite3_column_int64(q, 0) : 0;
	sqlite3_reset(q);
	return n;
}

// Bytes that are in use; the rest of the file will be used again.
static int used(struct store *s, uint64_t *ret, struct err *err)
{
	sqlite3_stmt *q = db_statement(s, SQL_PAGES, err);
	if (!q || db_row(s, q, err) < 0)
		return -1;
	*ret = (uint64_t)sqlite3_column_int64(q, 0) * (uint64_t)sqlite3_column_int64(q, 1);
	sqlite3_reset(q);
	return 0;
}

static int evict(struct store *s, int64_t id, struct err *err)
{
	static const enum statement steps[] = {SQL_DROP_BYTES, SQL_DROPPED};
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		sqlite3_stmt *q = db_statement(s, steps[i], err);
		if (!q)
			return -1;
		sqlite3_bind_int64(q, 1, id);
		if (db_run(s, q, err) < 0)
			return -1;
	}
	return 0;
}

static int spare(struct store *s, int64_t ids[EVICTED_AT_ONCE], struct err *err)
{
	sqlite3_stmt *q = db_statement(s, SQL_SPARE, err);
	if (!q)
		return -1;
	sqlite3_bind_int(q, 1, EVICTED_AT_ONCE);
	int n = 0, row;
	while ((row = db_row(s, q, err)) > 0)
		ids[n++] = sqlite3_column_int64(q, 0);
	return row < 0 ? -1 : n;
}

int inputs_evict(struct store *s, struct err *err)
{
	uint64_t size;
	if (!s->limit)
		return 0;
	if (used(s, &size, err) < 0)
		return -1;
	if (size <= s->limit)
		return 0;
	int64_t *ids = mem_alloc(EVICTED_AT_ONCE * sizeof *ids);
	int n = spare(s, ids, err), r = n < 0 ? -1 : 0;
	for (int i = 0; r == 0 && i < n; i++)
		r = evict(s, ids[i], err);
	mem_free(ids);
	return r == 0 && n > 0 ? store_count(s, STORE_EVICTED, n, err) : r;
}

int store_each_seed(struct store *s, int (*each)(void *opaque, int64_t snapshot, int64_t input), void *opaque,
                    struct err *err)
{
	sqlite3_stmt *q = db_prepare(
		s, "SELECT snapshot, id FROM inputs WHERE parent = 0 AND snapshot <> 0 ORDER BY snapshot, id", err);
	if (!q)
		return -1;
	int r;
	while ((r = db_row(s, q, err)) > 0)
		if ((r = each(opaque, sqlite3_column_int64(q, 0), sqlite3_column_int64(q, 1))) != 0)
			break;
	sqlite3_finalize(q);
	return r;
}
