// What is done with the cases of each test file, and of all files side by side: a process for each, since what it
// builds and runs are programs of its own. It sends which cases are no tests, and why.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"
#include "export/fragment_suite.h"

// --- a file ---------------------------------------------------------------------------------------

// Looks at the cases that are left: twice, then with sanitizers.
static int look(struct exporting *e, struct file *f, struct err *err)
{
	if (fragment_compile(e, f, true, err) < 0)
		return -1;
	if (fragment_left(f) && (fragment_watch(e, f, false, err) < 0 || fragment_watch(e, f, true, err) < 0))
		return -1;
	return fragment_left(f) && fragment_sanitize(e, f, err) < 0 ? -1 : 0;
}

static int do_cases(struct exporting *e, struct file *f, struct err *err)
{
	if (look(e, f, err) < 0)
		return -1;
	int n = fragment_cut(e, f, err); // the others are aside
	if (n < 0 || (n > 0 && look(e, f, err) < 0))
		return -1;
	memset(f->aside, 0, f->n * sizeof *f->aside);
	for (bool all = false; !all && fragment_left(f);) {
		if (fragment_compile(e, f, false, err) < 0)
			return -1;
		if (fragment_left(f) && fragment_verify(e, f, &all, err) < 0)
			return -1;
	}
	f->done = true;
	if (!e->cmocka || !fragment_left(f))
		return 0;
	fragment_write_text(e, f, false, 0, f->n);
	return fragment_put(e, f->name, ".c", &f->text, err);
}

// --- all of them ----------------------------------------------------------------------------------

struct doing {
	struct exporting *e;
	size_t *order; // the largest first, so that none is left alone at the end
};

static int work(void *opaque, unsigned process, size_t item, struct buf *ret, struct err *err)
{
	const struct doing *d = opaque;
	struct exporting e = *d->e;
	struct fragment_suite own = *e.s;
	struct file *f = e.only = &e.files[d->order[item]];
	char *worker_dirs = mem_printf("%s/export-%u", own.worker_dirs, process);
	own.worker_dirs = worker_dirs;
	e.s = &own;
	int r = do_cases(&e, f, err);
	char *makefile = mem_printf("%s/%s.mk", e.folder, f->name);
	remove(makefile);
	mem_free(makefile);
	mem_free(worker_dirs);
	if (r < 0)
		return -1;
	for (size_t i = 0; i < f->n; i++)
		buf_text(ret, f->reasons[i] ? f->reasons[i] : "");
	buf_number(ret, f->checks);
	buf_number(ret, f->unit.wraps.n);
	for (size_t i = 0; i < f->unit.wraps.n; i++)
		buf_text(ret, f->unit.wraps.v[i]);
	return 0;
}

static int take(void *opaque, size_t item, struct cursor *came, struct err *err)
{
	const struct doing *d = opaque;
	struct file *f = &d->e->files[d->order[item]];
	for (size_t i = 0; i < f->n; i++) {
		char *reason = cursor_text(came);
		if (reason && *reason)
			fragment_drop(f, i, reason);
		mem_free(reason);
	}
	f->checks = cursor_number(came);
	strv_release(&f->unit.wraps);
	for (uint32_t n = cursor_number(came); n && !came->bad; n--)
		strv_take(&f->unit.wraps, cursor_text(came));
	return came->bad ? err_set(err, "%s: what a process sent about its tests is damaged", f->name) : 0;
}

static const struct exporting *sorted; // qsort has no argument for it

static int by_size(const void *a, const void *b)
{
	size_t x = sorted->files[*(const size_t *)a].n, y = sorted->files[*(const size_t *)b].n;
	return x != y ? (x < y) - (x > y)
	              : (*(const size_t *)a > *(const size_t *)b) - (*(const size_t *)a < *(const size_t *)b);
}

// Training runs of a device are compiled here, and run there.
static int do_device(struct exporting *e, struct err *err)
{
	int r = 0;
	for (size_t i = 0; i < e->n && r == 0; i++)
		r = fragment_compile(e, &e->files[i], true, err);
	return r;
}

int fragment_do_files(struct exporting *e, struct err *err)
{
	if (e->s->device)
		return do_device(e, err);
	struct doing d = {.e = e, .order = mem_zero((e->n + 1) * sizeof *d.order)};
	assert(!e->only);
	for (size_t i = 0; i < e->n; i++)
		d.order[i] = i;
	sorted = e;
	qsort(d.order, e->n, sizeof *d.order, by_size);
	const struct parallel p = {
		.jobs = e->s->jobs ? e->s->jobs : 1, .n = e->n, .opaque = &d, .work = work, .take = take};
	int r = e->n ? fragment_compile_others(e, err) : 0;
	if (r == 0)
		r = parallel_run(&p, err);
	fragment_remove_sanitized(e);
	mem_free(d.order);
	return r;
}
