// Stores of tests: opened, filled and looked into. Each program that includes it has its own.
#ifndef VEER_TESTS_UNIT_STORES_H
#define VEER_TESTS_UNIT_STORES_H

#include <sqlite3.h>

#include "store/store.h"
#include "test.h"

// Everything a test leaves open would count as a leak; a failed CHECK matters more.
static struct err err;

static struct store *open_at(const char *name)
{
	err.text[0] = 0;
	struct store *s = store_open(test_path(name), true, &err);
	CHECK_THAT(s, "%s", err.text);
	return s;
}

#define OK(call) CHECK_THAT((call) == 0, "%s", err.text)

static struct stored_input input(const char *text)
{
	return (struct stored_input){.changed = -1, .care = -1, .data = {(char *)text, strlen(text), 0}};
}

static int64_t add(struct store *s, const char *text, int64_t parent)
{
	struct stored_input in = input(text);
	in.parent = parent;
	bool known = true;
	OK(store_add_input(s, &in, &known, &err));
	CHECK(!known);
	return in.id;
}

static void shell(const char *name, const char *sql)
{
	sqlite3 *db;
	CHECK_INT(SQLITE_OK, sqlite3_open(test_path(name), &db));
	CHECK_INT(SQLITE_OK, sqlite3_exec(db, sql, NULL, NULL, NULL));
	CHECK_INT(SQLITE_OK, sqlite3_close(db));
}

static void refused(const char *name, bool create, const char *part)
{
	struct store *s = store_open(test_path(name), create, &err);
	CHECK(!s);
	CHECK_THAT(strstr(err.text, part), "%s lacks %s", err.text, part);
	CHECK(!strchr(err.text, '\n'));
}

#endif
