// Recorded tests on their way into the store.
#include "explore/seeds.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "run/scene.h"
#include "run/variables.h"
#include "test.h"

static struct err err;

enum { SCENES = 40, VARIABLES = 60 };

// With an environment that is long and the same but for one variable, so that most are stored as differences.
static void add_scene(struct store *s, unsigned number)
{
	struct scene scene = {.program = mem_strdup("/p"), .cwd = mem_strdup("/"), .whole = true};
	struct stored_scene c = {.hash = {number, 1}, .level = 3, .times = 1, .present = true};
	scene.variables = mem_zero((VARIABLES + 2) * sizeof *scene.variables);
	for (unsigned i = 0; i < VARIABLES; i++)
		scene.variables[i] = mem_printf("VARIABLE_%u=a value that is rather long, number %u", i, i * i);
	scene.variables[VARIABLES] = mem_printf("THE_TOKEN=sesame-%u", number % 3);
	scene.variables[VARIABLES + 1] = mem_printf("NUMBER=%u", number);
	scene.n_variables = VARIABLES + 2;
	scene_encode(&scene, &c.data);
	CHECK_INT(0, store_add_scene(s, &c, NULL, &err));
	stored_scene_release(&c);
	scene_release(&scene);
}

static int check_scene(void *opaque, const struct stored_scene *c)
{
	struct scene scene;
	unsigned *number = opaque;
	CHECK_INT(0, scene_decode(&scene, c->data.data, c->data.len, &err));
	CHECK_INT(VARIABLES + 2, scene.n_variables);
	CHECK_STR("THE_TOKEN=" VARIABLE_MASK, scene.variables[VARIABLES]);
	CHECK_STR(test_printf("NUMBER=%u", (*number)++), scene.variables[VARIABLES + 1]);
	CHECK_INT(3, c->level);
	scene_release(&scene);
	return 0;
}

// What an older veer stored has secrets in it: none is left, in no page of the file.
static void masks(void)
{
	struct buf all = {0};
	struct store *s = store_open(test_path("c"), true, &err);
	CHECK_THAT(s, "%s", err.text);
	for (unsigned i = 0; i < SCENES; i++)
		add_scene(s, i);
	for (int again = 0; again < 2; again++) {
		unsigned number = 0;
		CHECK_THAT(seeds_mask(s, again, &err) == 0, "%s", err.text);
		CHECK_INT(0, store_each_scene(s, check_scene, &number, &err));
		CHECK_INT(SCENES, number);
	}
	add_scene(s, SCENES); // what is written later finds its base
	CHECK_INT(0, seeds_mask(s, false, &err));
	CHECK_INT(0, seeds_mask(s, true, &err));
	unsigned number = 0;
	CHECK_INT(0, store_each_scene(s, check_scene, &number, &err));
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
