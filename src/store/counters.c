// Settings and counters: what has a name.
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "store/db.h"

int store_set(struct store *s, const char *name, const void *value, size_t size, struct err *err)
{
	sqlite3_stmt *q;
	if (db_writable(s, err) < 0 || !(q = db_statement(s, SQL_SET, err)))
		return -1;
	db_bind_text(q, 1, name);
	db_bind_bytes(q, 2, value, size);
	return db_run(s, q, err);
}

bool store_get(struct store *s, const char *name, struct buf *ret)
{
	sqlite3_stmt *q = db_statement(s, SQL_GET, NULL);
	if (!q)
		return false;
	db_bind_text(q, 1, name);
	bool found = db_row(s, q, NULL) > 0;
	if (found) {
		buf_reserve(ret, 1);
		ret->data[ret->len] = 0; // also when the value is empty
		db_column(q, 0, ret);
	}
	sqlite3_reset(q);
	return found;
}

int store_set_number(struct store *s, const char *name, int64_t value, struct err *err)
{
	char text[32];
	int n = snprintf(text, sizeof text, "%" PRId64, value);
	return store_set(s, name, text, (size_t)n, err);
}

int64_t store_get_number(struct store *s, const char *name, int64_t otherwise)
{
	struct buf text = {0};
	int64_t value = otherwise;
	if (store_get(s, name, &text) && text.len) {
		char *end;
		int64_t read = strtoll(text.data, &end, 10);
		if (end == text.data + text.len)
			value = read;
	}
	buf_release(&text);
	return value;
}

// Index of the counter, or where it would have to be.
static size_t position(const struct store *s, const char *name, bool *ret_there)
{
	size_t low = 0, high = s->n_counters;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(s->counters[middle].name, name);
		if (order == 0) {
			*ret_there = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*ret_there = false;
	return low;
}

static struct counter *get(struct store *s, const char *name)
{
	bool there;
	size_t i = position(s, name, &there);
	if (there)
		return &s->counters[i];
	vec_room(s->counters, s->n_counters + 1, s->cap_counters);
	memmove(&s->counters[i + 1], &s->counters[i], (s->n_counters - i) * sizeof *s->counters);
	s->n_counters++;
	s->counters[i] = (struct counter){.name = mem_strdup(name)};
	return &s->counters[i];
}

int store_count(struct store *s, const char *name, int64_t more, struct err *err)
{
	bool entered;
	if (db_enter(s, &entered, err) < 0)
		return -1;
	get(s, name)->more += more;
	return db_leave(s, entered, 0, err);
}

static int64_t total(const struct counter *c)
{
	return c->value + c->more + c->others;
}

int64_t store_counter(struct store *s, const char *name)
{
	bool there;
	size_t i = position(s, name, &there);
	return there ? total(&s->counters[i]) : 0;
}

int store_each_counter(struct store *s, void (*each)(void *opaque, const char *name, int64_t value), void *opaque,
                       struct err *err)
{
	(void)err;
	for (size_t i = 0; i < s->n_counters; i++)
		each(opaque, s->counters[i].name, total(&s->counters[i]));
	return 0;
}

int counters_load(struct store *s, struct err *err)
{
	for (size_t i = 0; i < s->n_counters; i++)
		s->counters[i].value = s->counters[i].others = 0;
	sqlite3_stmt *q = db_prepare(s, "SELECT origin, name, value FROM counters", err);
	if (!q)
		return -1;
	int row;
	while ((row = db_row(s, q, err)) > 0) {
		char *origin = db_column_text(q, 0), *name = db_column_text(q, 1);
		struct counter *c = get(s, name);
		*(strcmp(origin, s->origin) == 0 ? &c->value : &c->others) += sqlite3_column_int64(q, 2);
		mem_free(origin);
		mem_free(name);
	}
	sqlite3_finalize(q);
	return row;
}

int counters_flush(struct store *s, struct err *err)
{
	sqlite3_stmt *q = db_statement(s, SQL_SET_COUNTER, err);
	if (!q)
		return -1;
	for (size_t i = 0; i < s->n_counters; i++) {
		const struct counter *c = &s->counters[i];
		if (!c->more)
			continue;
		db_bind_text(q, 1, s->origin);
		db_bind_text(q, 2, c->name);
		sqlite3_bind_int64(q, 3, c->value + c->more);
		if (db_run(s, q, err) < 0)
			return -1;
	}
	return 0;
}

void counters_kept(struct store *s)
{
	for (size_t i = 0; i < s->n_counters; i++) {
		s->counters[i].value += s->counters[i].more;
		s->counters[i].more = 0;
	}
}

void counters_forget(struct store *s)
{
	for (size_t i = 0; i < s->n_counters; i++)
		s->counters[i].more = 0;
}

void counters_release(struct store *s)
{
	for (size_t i = 0; i < s->n_counters; i++)
		mem_free(s->counters[i].name);
	mem_free(s->counters);
}
