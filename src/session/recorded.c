#include "session/recorded.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "input/snapshot.h"
#include "store/store.h"

struct recorded {
	struct store *store;
	const char *program; // without links
	struct input **v;
	size_t *n;
	int found;
	struct err *err;
};

static bool is_of_program(struct recorded *r, int64_t id)
{
	struct buf data = {0};
	struct snapshot s;
	struct err ignored;
	char real[PATH_MAX];
	bool is = false;
	if (store_get_snapshot(r->store, id, &data, &ignored) == 0 &&
	    snapshot_decode(&s, data.data, data.len, &ignored) == 0) {
		is = strcmp(realpath(s.program, real) ? real : s.program, r->program) == 0;
		snapshot_release(&s);
	}
	buf_release(&data);
	return is;
}

// Of the parts, those that say what this test was given.
static void add_given(const struct input *in, struct input *ret)
{
	for (size_t i = 0; i < in->n; i++)
		if (in->v[i].kind == INPUT_ARGUMENT || in->v[i].kind == INPUT_STDIN)
			input_add(ret, in->v[i].kind, in->v[i].name, in->v[i].data.data, in->v[i].data.len);
}

static int add_seed(void *opaque, int64_t snapshot, int64_t input)
{
	struct recorded *r = opaque;
	struct stored_input stored;
	struct input in, given = {0};
	if (!is_of_program(r, snapshot))
		return 0;
	if (store_get_input(r->store, input, &stored, r->err) < 0)
		return -1;
	int decoded = input_decode(&in, stored.data.data, stored.data.len, r->err);
	stored_input_release(&stored);
	if (decoded < 0)
		return -1;
	add_given(&in, &given);
	input_release(&in);
	*r->v = mem_resize(*r->v, (*r->n + 1) * sizeof **r->v);
	(*r->v)[(*r->n)++] = given;
	r->found++;
	return 0;
}

int recorded_add(const char *folder, const char *program, struct input **v, size_t *n, struct err *err)
{
	char real[PATH_MAX];
	struct recorded r = {.store = store_open_read(folder, err),
	                     .program = realpath(program, real) ? real : program,
	                     .v = v,
	                     .n = n,
	                     .err = err};
	int result = r.store ? store_each_seed(r.store, add_seed, &r, err) : -1;
	store_close(r.store);
	return result < 0 ? -1 : r.found;
}
