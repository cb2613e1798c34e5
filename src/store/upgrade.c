// Databases of older versions. One that is written becomes one of this version when it is opened, all of it or not at
// all; one that is only read stays as it is, and what stands before it in memory makes it look like one.
#include <string.h>

#include "base/mem.h"
#include "store/db.h"

struct table {
	int since; // the version that has it
	const char *sql;
};

static const struct table tables[] = {
#define SCHEMA(since, sql) {since, sql},
#include "store/schema.def"
#undef SCHEMA
};

// What a version changed in tables that are older than it. A step applies to databases of versions from `from` to
// before `version`; steps are executed in this order, so that each finds the names of the version before its own.
struct step {
	int from, version;
	const char *sql;
};

static const struct step written[] = {
	{1, 2, "ALTER TABLE inputs ADD COLUMN scene INTEGER NOT NULL DEFAULT 0"},
	{1, 3, "ALTER TABLE findings ADD COLUMN gone INTEGER NOT NULL DEFAULT 0"},
	{2, 4, "ALTER TABLE scenes ADD COLUMN outcome TEXT"},
	{2, 4, "ALTER TABLE scenes ADD COLUMN native_us INTEGER NOT NULL DEFAULT 0"},
	{1, 5, "ALTER TABLE inputs RENAME COLUMN scene TO snapshot"},
	{1, 5, "ALTER TABLE inputs RENAME COLUMN keeps TO in_corpus"},
	{2, 5, "ALTER TABLE scenes RENAME TO snapshots"},
	{4, 5, "ALTER TABLE targets RENAME COLUMN scene TO snapshot"},
	{1, 5, "UPDATE counters SET name = 'oracle_runs' WHERE name = 'judged'"},
	{1, 5, "UPDATE counters SET name = 'us_oracle' WHERE name = 'us_judge'"},
	{4, 6, "ALTER TABLE targets RENAME TO scopes"},
	{1, 7, "UPDATE counters SET name = 'inputs_evicted' WHERE name = 'inputs let go'"},
};

// A database that is only read: views, of which those of its version alone are made.
static const struct step viewed[] = {
	{1, 2, "CREATE TEMP VIEW inputs AS SELECT *, keeps AS in_corpus, 0 AS snapshot FROM main.inputs"},
	{2, 5, "CREATE TEMP VIEW inputs AS SELECT *, keeps AS in_corpus, scene AS snapshot FROM main.inputs"},
	{1, 3, "CREATE TEMP VIEW findings AS SELECT *, 0 AS gone FROM main.findings"},
	{2, 4, "CREATE TEMP VIEW snapshots AS SELECT *, NULL AS outcome, 0 AS native_us FROM main.scenes"},
	{4, 5, "CREATE TEMP VIEW snapshots AS SELECT * FROM main.scenes"},
	{4, 5, "CREATE TEMP VIEW scopes AS SELECT *, scene AS snapshot FROM main.targets"},
	{5, 6, "CREATE TEMP VIEW scopes AS SELECT * FROM main.targets"},
	{1, 5,
         "CREATE TEMP VIEW counters AS SELECT origin, CASE name WHEN 'judged' THEN 'oracle_runs'"
         " WHEN 'us_judge' THEN 'us_oracle' WHEN 'inputs let go' THEN 'inputs_evicted'"
         " ELSE name END AS name, value FROM main.counters"},
	{5, 7,
         "CREATE TEMP VIEW counters AS SELECT origin, CASE name WHEN 'inputs let go' THEN 'inputs_evicted'"
         " ELSE name END AS name, value FROM main.counters"},
};

static int execute_steps(struct store *s, const struct step *v, size_t n, int64_t version)
{
	int code = SQLITE_OK;
	for (size_t i = 0; i < n && code == SQLITE_OK; i++)
		if (v[i].from <= version && version < v[i].version)
			code = sqlite3_exec(s->db, v[i].sql, NULL, NULL, NULL);
	return code;
}

static int add_tables(struct store *s, const struct table *v, size_t n, int64_t version)
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
		code = execute_steps(s, written, sizeof written / sizeof *written, version);
	if (code == SQLITE_OK)
		code = add_tables(s, tables, sizeof tables / sizeof *tables, version);
	if (code == SQLITE_OK)
		code = sqlite3_exec(s->db, tail, NULL, NULL, NULL);
	mem_free(tail);
	return code;
}

static int upgrade_view(struct store *s, int64_t version)
{
	int code = execute_steps(s, viewed, sizeof viewed / sizeof *viewed, version);
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
