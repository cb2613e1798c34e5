#include "session/folders.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "findings/folder.h"
#include "input/snapshot.h"

static int read_input(struct store *s, int64_t id, struct input *ret, int64_t *ret_snapshot, struct err *err)
{
	struct stored_input in;
	if (store_get_input(s, id, &in, err) < 0)
		return -1;
	int r = input_decode(ret, in.data.data, in.data.len, err);
	*ret_snapshot = in.snapshot;
	stored_input_release(&in);
	return r;
}

static int read_snapshot(struct store *s, int64_t id, struct snapshot *ret, struct err *err)
{
	struct buf bytes = {0};
	int r = id ? store_get_snapshot(s, id, &bytes, err) : 0;
	if (r == 0 && id)
		r = snapshot_decode(ret, bytes.data, bytes.len, err);
	buf_release(&bytes);
	return r;
}

int folders_write(const struct folders *w, const struct stored_finding *f, const struct verdict *v,
                  const struct input *in, int64_t snapshot_id, struct err *err)
{
	struct input seed = {0};
	struct snapshot snapshot = {0};
	int64_t ignored;
	char id[32];
	snprintf(id, sizeof id, "F%lld", (long long)f->id);
	int r = read_input(w->store, f->seed, &seed, &ignored, err);
	if (r == 0)
		r = read_snapshot(w->store, snapshot_id, &snapshot, err);
	const struct finding_text text = {.id = id,
	                                  .program = f->program,
	                                  .cwd = snapshot_id ? snapshot.cwd : w->cwd,
	                                  .verdict = v,
	                                  .input = in,
	                                  .seed = &seed,
	                                  .snapshot = snapshot_id ? &snapshot : NULL,
	                                  .files = w->files,
	                                  .sym = w->sym};
	if (r == 0)
		r = finding_write(w->output, &text, err);
	snapshot_release(&snapshot);
	input_release(&seed);
	return r;
}

struct completing {
	const struct folders *where;
	struct err *err;
};

static int complete(void *opaque, const struct stored_finding *f)
{
	const struct completing *c = opaque;
	char *path = mem_printf("%s/findings/F%lld", c->where->output, (long long)f->id);
	bool there = file_exists(path);
	mem_free(path);
	if (there)
		return 0;
	struct input in = {0};
	int64_t snapshot;
	const struct verdict v = {.level = f->level,
	                          .kind = f->kind,
	                          .file = f->file,
	                          .function = f->function,
	                          .line = f->line,
	                          .stack = f->stack,
	                          .report = f->report,
	                          .key = f->key};
	int r = read_input(c->where->store, f->input, &in, &snapshot, c->err);
	if (r == 0)
		r = folders_write(c->where, f, &v, &in, snapshot, c->err);
	input_release(&in);
	return r;
}

int folders_complete(const struct folders *w, struct err *err)
{
	struct completing c = {.where = w, .err = err};
	return store_each_finding(w->store, complete, &c, err);
}
