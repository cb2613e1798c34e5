// Inside the store: the database's handle, its statements, errors in our words, transactions. Not for other rooms.
#ifndef VEER_STORE_DB_H
#define VEER_STORE_DB_H

#include <sqlite3.h>
#include <sys/types.h>

#include "base/delta.h"
#include "store/index.h"
#include "store/store.h"

#define DB_VERSION 8
#define DB_APPLICATION 0x76656572 // "veer", in the file's header

enum statement {
#define STATEMENT(name, sql) SQL_##name,
#include "store/statements.def"
#undef STATEMENT
	SQL_COUNT
};

// value: as written last, of this campaign; more: since then; others: of merged campaigns.
struct counter {
	char *name;
	int64_t value, more, others;
};

struct store {
	sqlite3 *db;
	sqlite3_stmt *statements[SQL_COUNT];
	char *path;
	char *origin; // names this campaign among those it is merged with
	bool read_only;
	int lock;
	pid_t owner; // of the lock
	dev_t device;
	ino_t inode;
	struct store *next; // of those that this process has open for writing
	uint64_t limit;
	struct counter *counters; // sorted by name
	size_t n_counters, cap_counters;
	struct delta snapshots;           // those that others are kept as differences from
	struct index inputs, flips;       // id by digest (its first half) and snapshot; input and answer by path
	bool inputs_loaded, flips_loaded; // the maps are, when first needed
	bool open, failed;                // a transaction is; a write in it went wrong
	struct err why;                   // that was
};

// Fills *err with what SQLite's last error means for the user; returns -1.
int db_error(struct store *s, struct err *err);

// The statement, ready to be bound; NULL with *err filled.
sqlite3_stmt *db_statement(struct store *s, enum statement number, struct err *err);
// A statement that is used once: sqlite3_finalize.
sqlite3_stmt *db_prepare(struct store *s, const char *sql, struct err *err);

// Whether writing makes sense: -1 with *err filled after a write of this transaction failed.
int db_writable(struct store *s, struct err *err);
// Fills *err with a line that says what is damaged, `how`, and what to do; returns -1.
int db_damaged(struct store *s, struct err *err, const char *how);
// Runs a bound statement that returns no rows. A failure ends the transaction.
int db_run(struct store *s, sqlite3_stmt *q, struct err *err);
// The next row: 1, 0 at the end (the statement is reset then), -1 with *err filled; the transaction ends then, too.
int db_row(struct store *s, sqlite3_stmt *q, struct err *err);
// For a transaction around `store` functions that may stand in one of the caller's: whether it is to be ended here.
int db_enter(struct store *s, bool *ret_entered, struct err *err);
int db_leave(struct store *s, bool entered, int result, struct err *err);

void db_bind_u64(sqlite3_stmt *q, int i, uint64_t v);
void db_bind_text(sqlite3_stmt *q, int i, const char *text);               // must live until the statement is run
void db_bind_bytes(sqlite3_stmt *q, int i, const void *data, size_t size); // so must this
void db_column(sqlite3_stmt *q, int i, struct buf *ret);                   // added to *ret
char *db_column_text(sqlite3_stmt *q, int i);                              // never NULL; caller frees

// upgrade.c

// From an older version to this one: the database itself, or, when it is only read, how it looks from here.
int db_upgrade(struct store *s, int64_t version, struct err *err);

// counters.c
int counters_load(struct store *s, struct err *err);
int counters_flush(struct store *s, struct err *err); // writes what was counted; counters_kept once that is committed
void counters_kept(struct store *s);
void counters_forget(struct store *s); // what was counted since the last commit
void counters_release(struct store *s);

// inputs.c
int inputs_evict(struct store *s, struct err *err);
// As store_add_input, of an input whose data is gone but whose digest is known.
int inputs_add_digest(struct store *s, struct stored_input *in, const void *digest, bool *ret_known, struct err *err);
#define DIGEST_SIZE 16
int inputs_each(struct store *s, int (*each)(void *opaque, const struct stored_input *in, const void *digest),
                void *opaque, struct err *err);

// snapshots.c

// As store_add_snapshot; of one that is there already the better of both is kept.
int snapshots_merge(struct store *s, struct stored_snapshot *c, struct err *err);

// As store_set_scope, unless there is one; *ret_new: there was none.
int scopes_merge(struct store *s, const struct stored_scope *t, bool *ret_new, struct err *err);

// Whether both analyse snapshots in the same way (store_set_way).
bool snapshots_same_edge(struct store *s, struct store *other);

#endif
