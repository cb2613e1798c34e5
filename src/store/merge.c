// Merging: another campaign is read, in one consistent state of it, and what it has is added to ours in one
// transaction. Its numbers of inputs become ours on the way.
#include <assert.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "store/db.h"

struct pair {
	int64_t there, here;
};

struct merge {
	struct store *into, *from;
	struct numbers {
		struct pair *v; // sorted by `there`
		size_t n, cap;
	} inputs, snapshots;
	bool same_edge;    // both analyse snapshots alike
	int64_t scopes_of; // the snapshot whose scopes are merged
	bool takes_scopes; // and whether they are
	void (*found)(void *opaque, int64_t there, int64_t here);
	void *opaque;
	struct err *err;
};

static void add_pair(struct numbers *n, int64_t there, int64_t here)
{
	vec_push(n, (struct pair){there, here});
}

// Our number of theirs; 0 when there is none, as for a seed's parent.
static int64_t ours(const struct numbers *n, int64_t there)
{
	size_t i = vec_lower(n, there, there);
	return i < n->n && n->v[i].there == there ? n->v[i].here : 0;
}

static int merge_snapshot(void *opaque, const struct stored_snapshot *c)
{
	struct merge *m = opaque;
	struct stored_snapshot new = *c; // shares what it points to
	if (!m->same_edge) {
		new.level = -1;
		new.outcome = NULL;
	}
	if (snapshots_merge(m->into, &new, m->err) < 0)
		return -1;
	add_pair(&m->snapshots, c->id, new.id);
	return 0;
}

// Scopes of a test belong together: all of theirs, or ours.
static int merge_scope(void *opaque, const struct stored_scope *t)
{
	struct merge *m = opaque;
	struct stored_scope new = *t; // shares what it points to
	new.snapshot = ours(&m->snapshots, t->snapshot);
	if (t->number && (!m->takes_scopes || m->scopes_of != t->snapshot))
		return 0;
	m->scopes_of = t->snapshot;
	return new.snapshot ? scopes_merge(m->into, &new, &m->takes_scopes, m->err) : 0;
}

static int merge_input(void *opaque, const struct stored_input *in, const void *digest)
{
	struct merge *m = opaque;
	struct stored_input new = *in; // shares the bytes
	bool gone = in->data.len == 0;
	new.parent = ours(&m->inputs, in->parent); // a parent comes before its children
	new.snapshot = ours(&m->snapshots, in->snapshot);
	new.state = gone ? INPUT_DONE : INPUT_NEW;
	if ((gone ? inputs_add_digest(m->into, &new, digest, NULL, m->err)
	          : store_add_input(m->into, &new, NULL, m->err)) < 0)
		return -1;
	add_pair(&m->inputs, in->id, new.id);
	return 0;
}

static int merge_flip(void *opaque, const struct stored_flip *f)
{
	struct merge *m = opaque;
	struct stored_flip new = {f->path, f->answer, ours(&m->inputs, f->input)};
	return store_add_flip(m->into, &new, m->err);
}

static int merge_cover(void *opaque, uint64_t unit, const uint8_t *bytes, size_t n)
{
	struct merge *m = opaque;
	return store_add_cover(m->into, unit, bytes, n, m->err);
}

static int merge_finding(void *opaque, const struct stored_finding *f)
{
	struct merge *m = opaque;
	struct stored_finding new = *f;
	new.input = ours(&m->inputs, f->input);
	new.seed = ours(&m->inputs, f->seed);
	if (store_add_finding(m->into, &new, NULL, m->err) < 0)
		return -1;
	if (m->found)
		m->found(m->opaque, f->id, new.id);
	return 0;
}

static int merge_counter(struct merge *m, sqlite3_stmt *from)
{
	char *origin = db_column_text(from, 0), *name = db_column_text(from, 1);
	int r = 0;
	if (strcmp(origin, m->into->origin) != 0) {
		sqlite3_stmt *q = db_statement(m->into, SQL_MERGE_COUNTER, m->err);
		if (q) {
			db_bind_text(q, 1, origin);
			db_bind_text(q, 2, name);
			sqlite3_bind_int64(q, 3, sqlite3_column_int64(from, 2));
		}
		r = q ? db_run(m->into, q, m->err) : -1;
	}
	mem_free(origin);
	mem_free(name);
	return r;
}

static int merge_counters(struct merge *m)
{
	sqlite3_stmt *q = db_prepare(m->from, "SELECT origin, name, value FROM counters", m->err);
	if (!q)
		return -1;
	int r;
	while ((r = db_row(m->from, q, m->err)) > 0)
		if ((r = merge_counter(m, q)) < 0)
			break;
	sqlite3_finalize(q);
	return r;
}

// By its name: the folder it was built in may be another one on another machine.
static int same_program(struct merge *m)
{
	struct buf here = {0}, there = {0};
	int r = 0;
	if (store_get(m->into, "program", &here) && store_get(m->from, "program", &there) &&
	    strcmp(path_basename(here.data), path_basename(there.data)) != 0)
		r = err_set(m->err, "%s is a campaign of %s, not of %s; only campaigns of one program can be merged",
		            m->from->path, there.data, here.data);
	buf_release(&here);
	buf_release(&there);
	return r;
}

static int merge_all(struct merge *m)
{
	if (store_begin(m->into, m->err) < 0)
		return -1;
	int r = store_each_snapshot(m->from, merge_snapshot, m, m->err) < 0 ||
	                        (m->same_edge && store_each_scope(m->from, merge_scope, m, m->err) < 0) ||
	                        inputs_each(m->from, merge_input, m, m->err) < 0 ||
	                        store_each_flip(m->from, merge_flip, m, m->err) < 0 ||
	                        store_each_cover(m->from, merge_cover, m, m->err) < 0 ||
	                        store_each_finding(m->from, merge_finding, m, m->err) < 0 || merge_counters(m) < 0
	                ? -1
	                : 0;
	r = db_leave(m->into, true, r, m->err);
	return r < 0 ? r : counters_load(m->into, m->err);
}

int store_merge_findings(struct store *s, const char *other, void (*each)(void *opaque, int64_t there, int64_t here),
                         void *opaque, struct err *err)
{
	assert(!s->open);
	struct merge m = {.into = s, .found = each, .opaque = opaque, .err = err};
	m.from = store_open_read(other, err);
	if (!m.from)
		return -1;
	int r = -1;
	if (strcmp(s->origin, m.from->origin) == 0) {
		err_set(err, "%s is the same campaign as %s", other, s->path);
	} else if (sqlite3_exec(m.from->db, "BEGIN", NULL, NULL, NULL) != SQLITE_OK) { // everything of one moment
		db_error(m.from, err);
	} else if (same_program(&m) == 0) {
		m.same_edge = snapshots_same_edge(s, m.from);
		r = merge_all(&m);
	}
	store_close(m.from);
	mem_free(m.inputs.v);
	mem_free(m.snapshots.v);
	return r;
}

int store_merge(struct store *s, const char *other, struct err *err)
{
	return store_merge_findings(s, other, NULL, NULL, err);
}
