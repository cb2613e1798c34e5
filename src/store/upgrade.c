// Databases of older versions. One that is written becomes one of this version when it is opened, all of it or not at
// all; one that is only read stays as it is, and what stands before it in memory makes it look like one.
#include <string.h>

#include "base/mem.h"
#include "store/db.h"

struct table {
	int since;
	const char *sql;
};

static const struct table tables[] = {
#define SCHEMA(since, sql) {since, sql},
#include "store/schema.def"
#undef SCHEMA
};

// Tables that have a column more, apart from new ones. What is 0 there was not known before.
static const struct table written[] = {{2, "ALTER TABLE inputs ADD COLUMN scene INTEGER NOT NULL DEFAULT 0"},
                                       {3, "ALTER TABLE findings ADD COLUMN gone INTEGER NOT NULL DEFAULT 0"}};
static const struct table seen[] = {{2, "CREATE TEMP VIEW inputs AS SELECT *, 0 AS scene FROM main.inputs"},
                                    {3, "CREATE TEMP VIEW findings AS SELECT *, 0 AS gone FROM main.findings"}};

static int change(struct store *s, const struct table *v, size_t n, int64_t version)
{
	int code = SQLITE_OK;
	for (size_t i = 0; i < n && code == SQLITE_OK; i++)
		if (v[i].since > version)
			code = sqlite3_exec(s->db, v[i].sql, NULL, NULL, NULL);
	return code;
}

static int upgrade_file(struct store *s, int64_t version)
{
	char *tail = mem_printf("PRAGMA user_version = %d; COMMIT", DB_VERSION);
	int code = sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
	if (code == SQLITE_OK)
		code = change(s, written, sizeof written / sizeof *written, version);
	if (code == SQLITE_OK)
		code = change(s, tables, sizeof tables / sizeof *tables, version);
	if (code == SQLITE_OK)
		code = sqlite3_exec(s->db, tail, NULL, NULL, NULL);
	mem_free(tail);
	return code;
}

static int upgrade_view(struct store *s, int64_t version)
{
	int code = change(s, seen, sizeof seen / sizeof *seen, version);
	for (size_t i = 0; i < sizeof tables / sizeof *tables && code == SQLITE_OK; i++) {
		if (tables[i].since <= version)
			continue;
		char *sql = mem_printf("CREATE TEMP %s", tables[i].sql + strlen("CREATE "));
		code = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
		mem_free(sql);
	}
	return code;
}

int db_upgrade(struct store *s, int64_t version, struct err *err)
{
	if ((s->read_only ? upgrade_view : upgrade_file)(s, version) == SQLITE_OK)
		return 0;
	db_error(s, err);
	if (!sqlite3_get_autocommit(s->db))
		sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return -1;
}
