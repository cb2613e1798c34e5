#include "session/witness.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "execute/executors.h"
#include "execute/observation.h"
#include "input/snapshot.h"

enum { LIMIT_MS = 4000, ALL_MS = 10000, SHOWN = 4096, MOST = 100 };

int witness_input(struct store *s, int64_t id, struct input *ret, struct snapshot *ret_snapshot, bool *ret_has_snapshot,
                  struct err *err)
{
	struct stored_input stored;
	struct buf around = {0};
	*ret = (struct input){0};
	*ret_snapshot = (struct snapshot){0};
	if (store_get_input(s, id, &stored, err) < 0)
		return -1;
	int r = input_decode(ret, stored.data.data, stored.data.len, err);
	*ret_has_snapshot = stored.snapshot != 0;
	if (r == 0 && stored.snapshot) {
		r = store_get_snapshot(s, stored.snapshot, &around, err);
		if (r == 0)
			r = snapshot_decode(ret_snapshot, around.data, around.len, err);
		buf_release(&around);
	}
	stored_input_release(&stored);
	if (r < 0)
		input_release(ret);
	return r;
}

struct example {
	struct input in;
	struct snapshot snapshot;
	bool has_snapshot, usable;
};

// --- inside ---------------------------------------------------------------------------------------

static void answer_run(const struct observation *o, struct buf *out)
{
	buf_u32(out, o->run.end);
	buf_u32(out, (uint32_t)o->run.code);
	buf_u32(out, (uint32_t)o->output.len);
	buf_add(out, buf_str(&o->output), o->output.len);
}

static void run_example(struct executors *e, const struct witness_setup *setup, const struct example *x,
                        struct buf *out)
{
	struct err err;
	executors_set_snapshot(e, x->has_snapshot ? &x->snapshot : NULL, setup->files);
	for (uint32_t side = 0; side < CHANGE_SIDES; side++) {
		const struct target target = {.program = setup->programs[side], .version = side};
		struct observation seen = {0};
		struct executor *executor = x->usable ? executors_get(e, &target, "native", &err) : NULL;
		bool ran = executor && observe(executor, &x->in, LIMIT_MS, &seen, &err) == 0;
		buf_u32(out, ran);
		if (ran)
			answer_run(&seen, out);
		observation_release(&seen);
	}
}

_Noreturn static void run_all(struct sandbox *sandbox, const struct witness_setup *setup, const struct example *v,
                              uint32_t n, int answer)
{
	const struct executors_setup executors_setup = {.builder = setup->builder, .sandbox = sandbox};
	const uint64_t end = clock_nanoseconds() + (uint64_t)ALL_MS * 1000000;
	struct executors e;
	int r = 0;
	executors_init(&e, &executors_setup);
	for (uint32_t i = 0; i < n && r == 0 && clock_nanoseconds() < end; i++) {
		struct buf out = {0};
		run_example(&e, setup, &v[i], &out);
		r = file_write_all(answer, buf_str(&out), out.len);
		buf_release(&out);
	}
	executors_stop(&e);
	sandbox_leave(sandbox);
	_exit(r < 0);
}

// --- outside --------------------------------------------------------------------------------------

static void take_one(struct witness *w, struct cursor *c)
{
	*w = (struct witness){0};
	if (!cursor_u32(c))
		return;
	w->run.end = (enum run_end)cursor_u32(c);
	w->run.code = (int)cursor_u32(c);
	uint32_t size = cursor_u32(c);
	const uint8_t *bytes = cursor_bytes(c, size);
	w->ran = !c->bad && w->run.end < RUN_ENDS;
	if (w->ran)
		buf_add(&w->output, bytes, size);
}

static void take_answer(struct witness *v, uint32_t n, int fd)
{
	char path[64];
	struct buf data = {0};
	struct err err;
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (file_read(path, &data, &err) == 0) {
		const char *begin = buf_str(&data);
		struct cursor c = {(const uint8_t *)begin, (const uint8_t *)begin + data.len, false};
		for (uint32_t i = 0; i < n && !c.bad; i++)
			take_one(&v[i], &c);
	}
	buf_release(&data);
}

// Until it has ended; the user may have no patience.
static void wait_inside(const struct witness_setup *setup, pid_t pid)
{
	const struct timespec moment = {.tv_nsec = 5000000};
	bool ended = false;
	for (pid_t done; (done = waitpid(pid, NULL, WNOHANG)) == 0 || (done < 0 && errno == EINTR);) {
		if (!ended && setup->stop && *setup->stop) {
			sandbox_end(setup->mode, pid);
			ended = true;
		}
		nanosleep(&moment, NULL);
	}
}

void witness_run(const struct witness_setup *setup, const int64_t *ids, uint32_t n, struct witness *ret)
{
	struct example *examples = mem_zero((n + 1) * sizeof *examples);
	struct sandbox sandbox;
	struct err err;
	for (uint32_t i = 0; i < n; i++)
		examples[i].usable = witness_input(setup->store, ids[i], &examples[i].in, &examples[i].snapshot,
		                                   &examples[i].has_snapshot, &err) == 0;
	memset(ret, 0, n * CHANGE_SIDES * sizeof *ret);
	char *folder = mem_printf("%s/witness", setup->worker_dirs);
	int answer = memfd_create("answer", MFD_CLOEXEC);
	bool ready = n && answer >= 0 && file_mkdirs(folder, 0700, &err) == 0;
	pid_t pid = ready ? sandbox_fork(&sandbox, setup->mode, NULL, folder, setup->cwd, &err) : -1;
	if (pid == 0)
		run_all(&sandbox, setup, examples, n, answer);
	if (pid > 0) {
		wait_inside(setup, pid);
		take_answer(ret, n * CHANGE_SIDES, answer);
	}
	if (answer >= 0)
		close(answer);
	file_remove_tree(folder);
	for (uint32_t i = 0; i < n; i++) {
		input_release(&examples[i].in);
		if (examples[i].has_snapshot)
			snapshot_release(&examples[i].snapshot);
	}
	mem_free(folder);
	mem_free(examples);
}

void witness_release(struct witness *w)
{
	buf_release(&w->output);
}

// --- for reports ----------------------------------------------------------------------------------

// Its beginning; lines stay lines.
static char *shown(const struct buf *output)
{
	struct buf text = {0};
	utf8_lines(&text, buf_str(output), output->len < SHOWN ? output->len : SHOWN);
	return buf_steal(&text);
}

static void show(struct view_side *s, const struct witness *w)
{
	struct buf end = {0};
	if (!w->ran)
		return;
	observation_end_text(&w->run, &end);
	mem_free(s->end);
	mem_free(s->output);
	s->end = buf_steal(&end);
	s->output = shown(&w->output);
	s->size = (uint32_t)w->output.len;
}

void witness_see(struct difference_views *v, const struct witness_setup *setup)
{
	uint32_t n = 0;
	while (n < v->n && n < MOST && difference_view_is_whole(&v->v[n])) // others come behind them
		n++;
	struct witness *all = mem_zero((n * CHANGE_SIDES + 1) * sizeof *all);
	int64_t *ids = mem_zero((n + 1) * sizeof *ids);
	for (uint32_t i = 0; i < n; i++)
		ids[i] = v->v[i].example;
	witness_run(setup, ids, n, all);
	for (uint32_t i = 0; i < n; i++)
		for (int side = 0; side < CHANGE_SIDES; side++)
			show(&v->v[i].side[side], &all[i * CHANGE_SIDES + (uint32_t)side]);
	for (uint32_t i = 0; i < n * CHANGE_SIDES; i++)
		witness_release(&all[i]);
	mem_free(all);
	mem_free(ids);
}
