// Recorded tests on their way into the store.
#include "explore/seeds.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "input/snapshot.h"
#include "input/variables.h"
#include "test.h"

static struct err err;

enum { SNAPSHOTS = 40, VARIABLES = 60 };

// With an environment that is long and the same but for one variable, so that most are stored as differences.
static void add_snapshot(struct store *s, unsigned number)
{
	struct snapshot snapshot = {.program = mem_strdup("/p"), .cwd = mem_strdup("/"), .whole = true};
	struct stored_snapshot c = {.hash = {number, 1}, .level = 3, .times = 1, .present = true};
	snapshot.variables = mem_zero((VARIABLES + 2) * sizeof *snapshot.variables);
	for (unsigned i = 0; i < VARIABLES; i++)
		snapshot.variables[i] = mem_printf("VARIABLE_%u=a value that is rather long, number %u", i, i * i);
	snapshot.variables[VARIABLES] = mem_printf("THE_TOKEN=sesame-%u", number % 3);
	snapshot.variables[VARIABLES + 1] = mem_printf("NUMBER=%u", number);
	snapshot.n_variables = VARIABLES + 2;
	snapshot_encode(&snapshot, &c.data);
	CHECK_INT(0, store_add_snapshot(s, &c, NULL, &err));
	stored_snapshot_release(&c);
	snapshot_release(&snapshot);
}

static int check_snapshot(void *opaque, const struct stored_snapshot *c)
{
	struct snapshot snapshot;
	unsigned *number = opaque;
	CHECK_INT(0, snapshot_decode(&snapshot, c->data.data, c->data.len, &err));
	CHECK_INT(VARIABLES + 2, snapshot.n_variables);
	CHECK_STR("THE_TOKEN=" VARIABLE_MASK, snapshot.variables[VARIABLES]);
	CHECK_STR(test_printf("NUMBER=%u", (*number)++), snapshot.variables[VARIABLES + 1]);
	CHECK_INT(3, c->level);
	snapshot_release(&snapshot);
	return 0;
}

// What an older veer stored has secrets in it: none is left, in no page of the file.
static void masks(void)
{
	struct buf all = {0};
	struct store *s = store_open(test_path("c"), true, &err);
	CHECK_THAT(s, "%s", err.text);
	for (unsigned i = 0; i < SNAPSHOTS; i++)
		add_snapshot(s, i);
	for (int again = 0; again < 2; again++) {
		unsigned number = 0;
		CHECK_THAT(seeds_mask(s, again, &err) == 0, "%s", err.text);
		CHECK_INT(0, store_each_snapshot(s, check_snapshot, &number, &err));
		CHECK_INT(SNAPSHOTS, number);
	}
	add_snapshot(s, SNAPSHOTS); // what is written later finds its base
	CHECK_INT(0, seeds_mask(s, false, &err));
	CHECK_INT(0, seeds_mask(s, true, &err));
	unsigned number = 0;
	CHECK_INT(0, store_each_snapshot(s, check_snapshot, &number, &err));
	store_close(s);
	CHECK_INT(0, file_read(test_path("c/veer.db"), &all, &err));
	CHECK(memmem(all.data, all.len, "NUMBER=", 7));
	CHECK(!memmem(all.data, all.len, "sesame", 6));
	buf_release(&all);
}

static const struct test tests[] = {
	TEST(masks),
};
TEST_MAIN("seeds")
