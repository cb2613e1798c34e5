// The database itself: opening and closing, the lock, errors in our words, statements, transactions.
#include "store/db.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#define DEFAULT_LIMIT ((uint64_t)1 << 30)
#define CHECKED_SIZE ((off_t)64 << 20) // a database up to this size is read through when it is opened
#define BUSY_MILLISECONDS 10000

static struct store *opened;

int db_damaged(struct store *s, struct err *err, const char *how)
{
	const char *line = strrchr(how, '\n'); // before it stands which database
	return err_set(
		err,
		"%s is damaged (%s); nothing in it was changed: keep a copy, try `sqlite3 %s .recover`, or go on in "
		"another folder",
		s->path, line ? line + 1 : how, s->path);
}

int db_error(struct store *s, struct err *err)
{
	int code = sqlite3_errcode(s->db) & 0xff, system = sqlite3_system_errno(s->db);
	if (code == SQLITE_FULL || (code != SQLITE_CORRUPT && (system == ENOSPC || system == EDQUOT)))
		return err_set(err,
		               "cannot write %s: the disk is full; what was committed is safe: make room, then go on",
		               s->path);
	switch (code) {
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB: return db_damaged(s, err, sqlite3_errmsg(s->db));
	case SQLITE_NOMEM: mem_exhausted();
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return err_set(err,
		               "cannot write %s: another program is writing it; end it (a sqlite3 shell?), then go on",
		               s->path);
	case SQLITE_IOERR:
		return err_set(err, "cannot read or write %s: %s; what was committed is safe", s->path,
		               system ? strerror(system) : sqlite3_errmsg(s->db));
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
	case SQLITE_READONLY:
		return err_set(err, "cannot open %s: %s; look at its rights and those of its folder", s->path,
		               system ? strerror(system) : sqlite3_errmsg(s->db));
	default: return err_set(err, "%s: %s", s->path, sqlite3_errmsg(s->db));
	}
}

// Statements

static const char *const texts[SQL_COUNT] = {
#define STATEMENT(name, sql) sql,
#include "store/statements.def"
#undef STATEMENT
};

sqlite3_stmt *db_statement(struct store *s, enum statement number, struct err *err)
{
	sqlite3_stmt **at = &s->statements[number];
	if (!*at && sqlite3_prepare_v3(s->db, texts[number], -1, SQLITE_PREPARE_PERSISTENT, at, NULL) != SQLITE_OK) {
		db_error(s, err);
		return NULL;
	}
	return *at;
}

sqlite3_stmt *db_prepare(struct store *s, const char *sql, struct err *err)
{
	sqlite3_stmt *q = NULL;
	if (sqlite3_prepare_v2(s->db, sql, -1, &q, NULL) != SQLITE_OK)
		db_error(s, err);
	return q;
}

void db_bind_u64(sqlite3_stmt *q, int i, uint64_t v)
{
	sqlite3_bind_int64(q, i, (int64_t)v);
}

void db_bind_text(sqlite3_stmt *q, int i, const char *text)
{
	sqlite3_bind_text64(q, i, text ? text : "", text ? strlen(text) : 0, SQLITE_STATIC, SQLITE_UTF8);
}

void db_bind_bytes(sqlite3_stmt *q, int i, const void *data, size_t size)
{
	sqlite3_bind_blob64(q, i, size ? data : "", size, SQLITE_STATIC); // NULL would be no bytes of any length
}

void db_column(sqlite3_stmt *q, int i, struct buf *ret)
{
	const void *data = sqlite3_column_blob(q, i);
	int size = sqlite3_column_bytes(q, i);
	if (size > 0)
		buf_add(ret, data, (size_t)size);
}

char *db_column_text(sqlite3_stmt *q, int i)
{
	const unsigned char *text = sqlite3_column_text(q, i);
	return mem_strdup(text ? (const char *)text : "");
}

// Transactions. SQLite rolls back by itself after some errors and not after others; here it is after all of them, so
// that a caller never commits a part.

// What they say may have been rolled back.
static void forget_maps(struct store *s)
{
	index_release(&s->inputs);
	index_release(&s->flips);
	delta_release(&s->snapshots);
	s->inputs_loaded = s->flips_loaded = false;
}

static void give_up(struct store *s, const struct err *why)
{
	if (!sqlite3_get_autocommit(s->db)) {
		for (int i = 0; i < SQL_COUNT; i++)
			sqlite3_reset(s->statements[i]);
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	}
	counters_forget(s);
	forget_maps(s);
	if (s->open && !s->failed) {
		s->failed = true;
		if (why)
			s->why = *why;
		else
			err_set(&s->why, "cannot write %s", s->path);
	}
}

int db_writable(struct store *s, struct err *err)
{
	assert(!s->read_only);
	return s->failed ? err_set(err, "%s", s->why.text) : 0;
}

static int failed(struct store *s, sqlite3_stmt *q, struct err *err)
{
	struct err why;
	db_error(s, &why);
	sqlite3_reset(q);
	sqlite3_clear_bindings(q);
	give_up(s, &why);
	return err_set(err, "%s", why.text);
}

int db_row(struct store *s, sqlite3_stmt *q, struct err *err)
{
	int code = sqlite3_step(q);
	if (code == SQLITE_ROW)
		return 1;
	if (code != SQLITE_DONE)
		return failed(s, q, err);
	sqlite3_reset(q);
	sqlite3_clear_bindings(q);
	return 0;
}

int db_run(struct store *s, sqlite3_stmt *q, struct err *err)
{
	int row = db_row(s, q, err);
	assert(row <= 0);
	return row;
}

static int run(struct store *s, enum statement number, struct err *err)
{
	sqlite3_stmt *q = db_statement(s, number, err);
	return q ? db_run(s, q, err) : -1;
}

int store_begin(struct store *s, struct err *err)
{
	assert(!s->open && !s->read_only);
	if (run(s, SQL_BEGIN, err) < 0)
		return -1;
	s->open = true;
	return 0;
}

static int commit(struct store *s, struct err *err)
{
	if (db_writable(s, err) < 0 || inputs_evict(s, err) < 0 || counters_flush(s, err) < 0 ||
	    run(s, SQL_COMMIT, err) < 0)
		return -1;
	counters_kept(s);
	return 0;
}

int store_commit(struct store *s, struct err *err)
{
	assert(s->open);
	int r = commit(s, err);
	if (r < 0 && !s->failed)
		give_up(s, err);
	s->open = s->failed = false;
	return r;
}

int db_enter(struct store *s, bool *ret_entered, struct err *err)
{
	*ret_entered = false;
	if (s->open)
		return db_writable(s, err);
	if (store_begin(s, err) < 0)
		return -1;
	*ret_entered = true;
	return 0;
}

int db_leave(struct store *s, bool entered, int result, struct err *err)
{
	if (!entered)
		return result;
	if (result == 0)
		return store_commit(s, err);
	give_up(s, err);
	s->open = s->failed = false;
	return result;
}

// Opening

static int already_locked(struct store *s, const char *folder, const struct flock *by, struct err *err)
{
	char comm[64] = "";
	if (by->l_pid > 0) {
		char *path = mem_printf("/proc/%d/comm", (int)by->l_pid);
		struct buf name = {0};
		if (file_read(path, &name, NULL) == 0)
			snprintf(comm, sizeof comm, " (%.*s)", (int)strcspn(buf_str(&name), "\n"), name.data);
		buf_release(&name);
		mem_free(path);
		return err_set(err, "the campaign %s is in use by process %d%s; wait for it or use another folder",
		               folder, (int)by->l_pid, comm);
	}
	return err_set(err, "the campaign %s is in use by a process that cannot be seen from here; use another folder",
	               folder);
}

// A lock of the kind that belongs to a process, not to a descriptor: workers that are forked later, and outlive a
// killed coordinator for a moment, do not have it.
static int take_lock(struct store *s, const char *folder, struct err *err)
{
	char *path = mem_printf("%s/lock", folder);
	struct stat st;
	s->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
	int r = s->lock < 0 || fstat(s->lock, &st) < 0 ? err_errno(err, "cannot open %s", path) : 0;
	if (r == 0) {
		s->device = st.st_dev;
		s->inode = st.st_ino;
	}
	for (struct flock l; r == 0;) {
		l = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
		if (fcntl(s->lock, F_SETLK, &l) == 0)
			break;
		if (errno != EAGAIN && errno != EACCES)
			r = err_errno(err, "cannot lock %s", path);
		else if (fcntl(s->lock, F_GETLK, &l) == 0 && l.l_type != F_UNLCK)
			r = already_locked(s, folder, &l, err);
	}
	mem_free(path);
	return r;
}

// Locks do not keep a process from itself; and closing a second descriptor would lose the first one's.
static int not_ours(const char *folder, struct err *err)
{
	char *path = mem_printf("%s/lock", folder);
	struct stat st;
	bool there = stat(path, &st) == 0;
	mem_free(path);
	for (struct store *o = opened; there && o; o = o->next)
		if (o->owner == getpid() && o->device == st.st_dev && o->inode == st.st_ino)
			return err_set(err, "the campaign %s is in use by this process", folder);
	return 0;
}

// SQLite takes a missing or empty database for a new one, and removes a log that belongs to an older.
static int log_without_database(struct store *s, struct err *err)
{
	struct stat st;
	if (stat(s->path, &st) == 0 && st.st_size > 0)
		return 0;
	char *log = mem_printf("%s-wal", s->path);
	bool lost = stat(log, &st) == 0 && st.st_size > 0;
	if (lost)
		err_set(err, "%s is missing or empty, but its log %s is there; put it back, or move the log away",
		        s->path, log);
	mem_free(log);
	return lost ? -1 : 0;
}

static int pragma(struct store *s, const char *sql, int64_t *ret, struct err *err)
{
	sqlite3_stmt *q = db_prepare(s, sql, err);
	if (!q)
		return -1;
	int row = db_row(s, q, err);
	if (row > 0 && ret)
		*ret = sqlite3_column_int64(q, 0);
	sqlite3_finalize(q);
	return row < 0 ? -1 : 0;
}

int store_check(struct store *s, struct err *err)
{
	sqlite3_stmt *q = db_prepare(s, "PRAGMA quick_check(1)", err);
	if (!q)
		return -1;
	int r = db_row(s, q, err);
	if (r > 0) {
		const char *text = (const char *)sqlite3_column_text(q, 0);
		r = text && strcmp(text, "ok") == 0 ? 0 : db_damaged(s, err, text ? text : "it cannot be checked");
	}
	sqlite3_finalize(q);
	return r;
}

static int create_tables(struct store *s, struct err *err)
{
	static const char *const schema[] = {
#define SCHEMA(since, sql) sql,
#include "store/schema.def"
#undef SCHEMA
	};
	uint64_t random;
	if (getrandom(&random, sizeof random, 0) != sizeof random)
		return err_errno(err, "cannot create %s: no random numbers", s->path);
	char *tail = mem_printf("INSERT INTO settings VALUES ('campaign', CAST('%016llx' AS BLOB));"
	                        "PRAGMA application_id = %d; PRAGMA user_version = %d",
	                        (unsigned long long)random, DB_APPLICATION, DB_VERSION);
	int code = sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	for (size_t i = 0; code == SQLITE_OK && i < sizeof schema / sizeof *schema; i++)
		code = sqlite3_exec(s->db, schema[i], NULL, NULL, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_exec(s->db, tail, NULL, NULL, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
	mem_free(tail);
	if (code == SQLITE_OK)
		return 0;
	db_error(s, err);
	if (!sqlite3_get_autocommit(s->db))
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return -1;
}

static int check_version(struct store *s, int64_t version, struct err *err)
{
	if (version > DB_VERSION)
		return err_set(err, "%s is of a newer veer (version %lld, this one knows %d); use that one", s->path,
		               (long long)version, DB_VERSION);
	if (version < 1)
		return err_set(err, "%s has the version %lld, which no veer wrote; use another folder", s->path,
		               (long long)version);
	return 0;
}

// Whose is it? Asked before anything is written to it.
static int look(struct store *s, bool create, struct err *err)
{
	int64_t application, version, tables;
	if (pragma(s, "SELECT count(*) FROM sqlite_schema", &tables, err) < 0 ||
	    pragma(s, "PRAGMA application_id", &application, err) < 0 ||
	    pragma(s, "PRAGMA user_version", &version, err) < 0)
		return -1;
	if (application == DB_APPLICATION)
		return check_version(s, version, err);
	if (tables || application || version)
		return err_set(err, "%s is a database, but not of veer; use another folder", s->path);
	if (!create)
		return err_set(err, "%s is empty: no campaign was started there", s->path);
	// The log first, for it cannot be turned on within a transaction. Where the file system has no shared memory,
	// SQLite stays with its journal, which is as safe.
	return pragma(s, "PRAGMA journal_mode = WAL", NULL, err) < 0 ? -1 : create_tables(s, err);
}

static int configure(struct store *s, struct err *err)
{
	sqlite3_extended_result_codes(s->db, 1);
	sqlite3_busy_timeout(s->db, BUSY_MILLISECONDS);
	// Against a kill, which leaves the kernel's buffers alone, NORMAL with a log loses nothing; when the power goes
	// it may lose the last commits, never consistency. cell_size_check and trusted_schema: what is in the file may
	// come from anybody.
	static const char settings[] =
		"PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32768;"
		"PRAGMA journal_size_limit = 67108864; PRAGMA cell_size_check = ON;"
		"PRAGMA trusted_schema = OFF";
	return sqlite3_exec(s->db, settings, NULL, NULL, NULL) == SQLITE_OK ? 0 : db_error(s, err);
}

// Readers of a log keep their place in a file beside it. In a folder that may not be written, a database without a
// log is read as one that nobody changes; NULL when it is not that.
static char *unchanging(const struct store *s)
{
	char *folder = path_dirname(s->path), *log = mem_printf("%s-wal", s->path);
	struct buf address = {0};
	if (s->read_only && access(folder, W_OK) < 0 && !file_exists(log)) {
		buf_addstr(&address, "file:");
		for (const char *p = s->path; *p; p++)
			if (strchr("%?#", *p))
				buf_printf(&address, "%%%02x", (unsigned char)*p);
			else
				buf_addch(&address, *p);
		buf_addstr(&address, "?immutable=1");
	}
	mem_free(folder);
	mem_free(log);
	return address.data;
}

// What tests were given may be nobody else's business: only the owner reads it. SQLite gives its companions the
// permissions of the database. A mode that cannot be set is left to who owns it.
static void make_private(const struct store *s, bool create)
{
	static const char *const companions[] = {"", "-wal", "-shm"};
	if (create) {
		int fd = open(s->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd >= 0)
			close(fd);
	}
	for (size_t i = 0; i < sizeof companions / sizeof *companions; i++) {
		char *path = mem_printf("%s%s", s->path, companions[i]);
		struct stat st;
		if (lstat(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 077))
			(void)!chmod(path, st.st_mode & 0700);
		mem_free(path);
	}
}

// SQLite would wait for somebody to open the other end of a pipe, and write through a link to wherever it leads.
static int check_files(const struct store *s, struct err *err)
{
	static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
	int r = 0;
	for (size_t i = 0; r == 0 && i < sizeof suffixes / sizeof *suffixes; i++) {
		char *path = mem_printf("%s%s", s->path, suffixes[i]);
		struct stat st;
		if ((s->read_only ? stat : lstat)(path, &st) == 0 && !S_ISREG(st.st_mode))
			r = err_set(err, "%s is %s, not a file; remove it, or use another folder", path,
			            S_ISLNK(st.st_mode)    ? "a link"
			            : S_ISDIR(st.st_mode)  ? "a folder"
			            : S_ISFIFO(st.st_mode) ? "a pipe"
			                                   : "something else");
		mem_free(path);
	}
	return r;
}

static int open_file(struct store *s, bool create, struct err *err)
{
	if (!s->read_only)
		make_private(s, create);
	int mode = s->read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
	char *address = unchanging(s);
	int code = sqlite3_open_v2(address ? address : s->path, &s->db,
	                           mode | SQLITE_OPEN_NOMUTEX | (address ? SQLITE_OPEN_URI : 0), NULL);
	mem_free(address);
	return code == SQLITE_OK ? 0 : db_error(s, err);
}

static int open_database(struct store *s, bool create, struct err *err)
{
	if (!create && !file_exists(s->path))
		return err_set(err, "there is no campaign: no file %s", s->path);
	struct stat st;
	if (check_files(s, err) < 0 || open_file(s, create, err) < 0 || configure(s, err) < 0 ||
	    look(s, create, err) < 0)
		return -1;
	if (stat(s->path, &st) == 0 && st.st_size <= CHECKED_SIZE && store_check(s, err) < 0)
		return -1;
	int64_t version; // only what is sound is changed
	if (pragma(s, "PRAGMA user_version", &version, err) < 0 ||
	    (version < DB_VERSION && db_upgrade(s, version, err) < 0))
		return -1;
	struct buf origin = {0};
	bool named = store_get(s, "campaign", &origin);
	s->origin = buf_steal(&origin);
	if (!named || !s->origin)
		return db_damaged(s, err, "the campaign has no name");
	return counters_load(s, err);
}

static struct store *new_store(const char *folder, bool read_only)
{
	struct store *s = mem_zero(sizeof *s);
	s->path = mem_printf("%s/veer.db", folder);
	s->read_only = read_only;
	s->lock = -1;
	s->limit = DEFAULT_LIMIT;
	return s;
}

struct store *store_open(const char *folder, bool create, struct err *err)
{
	if (create && file_mkdirs(folder, 0777, err) < 0)
		return NULL;
	struct store *s = new_store(folder, false);
	int r = create || file_exists(s->path)
	                ? 0
	                : err_set(err, "there is no campaign in %s: no file %s", folder, s->path);
	if (r < 0 || not_ours(folder, err) < 0 || take_lock(s, folder, err) < 0 || log_without_database(s, err) < 0 ||
	    open_database(s, create, err) < 0) {
		store_close(s);
		return NULL;
	}
	s->owner = getpid();
	s->next = opened;
	opened = s;
	return s;
}

struct store *store_open_read(const char *folder, struct err *err)
{
	struct store *s = new_store(folder, true);
	if (log_without_database(s, err) < 0 || open_database(s, false, err) < 0) {
		store_close(s);
		return NULL;
	}
	return s;
}

static void close_database(struct store *s)
{
	for (int i = 0; i < SQL_COUNT; i++)
		sqlite3_finalize(s->statements[i]);
	int code = sqlite3_close(s->db); // rolls back what is not committed
	assert(code == SQLITE_OK);
	(void)code;
	s->db = NULL;
	memset(s->statements, 0, sizeof s->statements);
}

// The log goes first: one without a database would be taken for damage.
int store_remove(struct store *s, struct err *err)
{
	static const char *const ends[] = {"-wal", "-shm", ""};
	int r = 0;
	close_database(s);
	for (size_t i = 0; r == 0 && i < sizeof ends / sizeof *ends; i++) {
		char *path = mem_printf("%s%s", s->path, ends[i]);
		if (unlink(path) < 0 && errno != ENOENT)
			r = err_errno(err, "cannot remove %s", path);
		mem_free(path);
	}
	store_close(s);
	return r;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	for (struct store **at = &opened; *at; at = &(*at)->next)
		if (*at == s) {
			*at = s->next;
			break;
		}
	close_database(s);
	if (s->lock >= 0)
		close(s->lock);
	counters_release(s);
	forget_maps(s);
	mem_free(s->origin);
	mem_free(s->path);
	mem_free(s);
}

void store_set_limit(struct store *s, uint64_t bytes)
{
	s->limit = bytes;
}
