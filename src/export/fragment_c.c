// The way of a suite through this file: cases -> a file per unit that reports what each case does -> two runs of it ->
// the same file with expectations -> a run that every test must pass.
#include "export/fragment_c.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "export/fragment_device.h"
#include "export/fragment_file.h"
#include "export/fragment_make.h"
#include "export/fragment_suite.h"

// --- which file a case goes to --------------------------------------------------------------------

static void skip(struct fragment_written *w, const char *id, char *reason)
{
	w->skipped = mem_resize(w->skipped, (w->n_skipped + 1) * sizeof *w->skipped);
	w->skipped[w->n_skipped++] = (struct fragment_skipped){mem_strdup(id), reason};
}

static char *file_name(const struct exporting *e, const char *source)
{
	char *name = mem_strdup(path_basename(source));
	name[strcspn(name, ".")] = 0;
	for (char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p))
			*p = '_';
	size_t same = 0;
	for (size_t i = 0; i < e->n; i++)
		same += strcmp(path_basename(e->files[i].unit.source->path), path_basename(source)) == 0;
	const char *what = e->s->device ? "training" : "test";
	char *full = same ? mem_printf("%s_%zu_%s", name, same + 1, what) : mem_printf("%s_%s", name, what);
	mem_free(name);
	return full;
}

static struct file *file_of(struct exporting *e, const struct fragment_build *build,
                            const struct fragment_source *source, struct err *err)
{
	for (size_t i = 0; i < e->n; i++)
		if (e->files[i].unit.source == source)
			return &e->files[i];
	struct file f = {.build = build, .unit = {.suite = e->s, .source = source}};
	if (file_read(source->path, &f.source, err) < 0)
		return NULL;
	buf_addstr(&f.source, "");
	f.unit.text = f.source.data;
	f.name = file_name(e, source->path);
	e->files = mem_resize(e->files, (e->n + 1) * sizeof f);
	e->files[e->n] = f;
	return &e->files[e->n++];
}

static void add_case(struct exporting *e, const struct fragment_case *c)
{
	struct fragment_entry entry = {0};
	struct err err = {""};
	memcpy(&entry, c->entry, c->entry_size < sizeof entry ? c->entry_size : sizeof entry);
	const struct fragment_source *source = NULL;
	const struct fragment_build *build = e->builds;
	for (size_t i = 0; i < e->n_builds && !source; i++) {
		build = &e->builds[i];
		source = fragment_build_find(build, entry.unit);
	}
	struct file *f = source ? file_of(e, build, source, &err) : NULL;
	if (!f) {
		skip(e->ret, c->id,
		     mem_printf("%s", source ? err.text : "the program has no such unit; was it built anew?"));
		return;
	}
	f->cases = mem_resize(f->cases, (f->n + 1) * sizeof(void *));
	f->seen = mem_resize(f->seen, (f->n + 1) * sizeof *f->seen);
	f->again = mem_resize(f->again, (f->n + 1) * sizeof *f->again);
	f->reasons = mem_resize(f->reasons, (f->n + 1) * sizeof(char *));
	f->uses = mem_resize(f->uses, (f->n + 1) * sizeof *f->uses);
	f->cuts = mem_resize(f->cuts, (f->n + 1) * sizeof *f->cuts);
	f->aside = mem_resize(f->aside, (f->n + 1) * sizeof *f->aside);
	f->fatal = mem_resize(f->fatal, (f->n + 1) * sizeof *f->fatal);
	f->fatal[f->n] = false;
	f->cuts[f->n] = FRAGMENT_WHOLE;
	f->aside[f->n] = false;
	f->uses[f->n] = (struct strv){0};
	f->cases[f->n] = c;
	fragment_seen_init(&f->seen[f->n], c->n);
	fragment_seen_init(&f->again[f->n], c->n);
	f->seen[f->n].again = &f->again[f->n]; // set anew when all are there
	f->reasons[f->n++] = NULL;
}

// --- writing --------------------------------------------------------------------------------------

void fragment_drop(struct file *f, size_t i, const char *reason)
{
	if (!f->reasons[i])
		f->reasons[i] = mem_strdup(reason);
}

static void cut(struct strv *v, size_t n)
{
	while (v->n > n)
		mem_free(v->v[--v->n]);
}

// What stubs and copies there are goes back to what it was before a case that cannot be written.
static void take_back(struct fragment_unit_file *u, const struct fragment_unit_file *had)
{
	u->shared.len = had->shared.len;
	cut(&u->wraps, had->wraps.n);
	cut(&u->copies, had->copies.n);
	cut(&u->pieces, had->pieces.n);
}

// Writes a case. False: it cannot be written, and is dropped.
static bool write_case(struct file *f, size_t i, bool reports, struct buf *cases)
{
	char *reason = NULL;
	size_t len = cases->len;
	const struct fragment_unit_file had = f->unit;
	strv_release(&f->unit.used);
	f->seen[i].again = &f->again[i];
	int n = fragment_case_write(&f->unit, f->cases[i], f->cuts[i], reports ? NULL : &f->seen[i], cases, &reason);
	if (n < 0) {
		cases->len = len;
		f->reasons[i] = reason;
		take_back(&f->unit, &had);
		return false;
	}
	f->checks += (size_t)n;
	strv_release(&f->uses[i]);
	f->uses[i] = f->unit.used;
	f->unit.used = (struct strv){0};
	return true;
}

static size_t lines_in(const struct buf *text, size_t from, size_t to)
{
	size_t n = 0;
	for (size_t i = from; i < to; i++)
		n += text->data[i] == '\n';
	return n;
}

// Where stubs and copies begin, whose text starts at `start` of the file's.
static void number_pieces(struct file *f, size_t start)
{
	size_t line = lines_in(&f->text, 0, start) + 1, at = 0;
	for (size_t i = 0; i < f->unit.pieces.n; i++) {
		char *key;
		size_t offset = strtoul(f->unit.pieces.v[i], &key, 10);
		line += lines_in(&f->text, start + at, start + offset);
		at = offset;
		strv_pushf(&f->pieces, "%zu%s", line, key);
	}
}

void fragment_write_text(struct exporting *e, struct file *f, bool reports, size_t from, size_t to)
{
	struct buf cases = {0};
	struct strv ids = {0};
	size_t *starts = mem_zero((f->n + 1) * sizeof *starts); // of each case in `cases`, plus 1
	strv_release(&f->unit.wraps);
	strv_release(&f->unit.copies);
	strv_release(&f->unit.pieces);
	strv_release(&f->made_of);
	strv_release(&f->pieces);
	buf_clear(&f->unit.shared);
	buf_clear(&f->text);
	f->checks = 0;
	const bool cmocka = e->cmocka && f->done;
	for (size_t i = from; i < to; i++) {
		size_t start = cases.len;
		if (f->reasons[i] || f->aside[i] || !write_case(f, i, reports, &cases))
			continue;
		starts[i] = start + 1;
		strv_push(&ids, f->cases[i]->id);
	}
	if (e->s->device)
		fragment_device_head(f->unit.source->path, &f->text);
	else
		fragment_file_head(f->unit.source->path, reports, cmocka, &f->text);
	size_t start = f->text.len;
	buf_add(&f->text, f->unit.shared.data, f->unit.shared.len);
	number_pieces(f, start);
	if (!e->s->device)
		fragment_file_runner(reports, cmocka, fragment_shares(&f->unit, "marks"), f->optimised, &f->text);
	start = f->text.len;
	buf_add(&f->text, cases.data, cases.len);
	size_t line = lines_in(&f->text, 0, start) + 1, at = start;
	for (size_t i = from; i < to; i++) {
		if (!starts[i])
			continue;
		line += lines_in(&f->text, at, start + starts[i] - 1);
		at = start + starts[i] - 1;
		strv_pushf(&f->made_of, "%zu %zu", line, i);
	}
	if (e->s->device)
		fragment_device_tail(f->name, &ids, &f->text);
	else
		fragment_file_tail(&ids, reports, cmocka, &f->text);
	mem_free(starts);
	buf_release(&cases);
	strv_release(&ids);
}

size_t fragment_left(const struct file *f)
{
	size_t n = 0;
	for (size_t i = 0; i < f->n; i++)
		n += !f->reasons[i] && !f->aside[i];
	return n;
}

int fragment_put(const struct exporting *e, const char *name, const char *end, const struct buf *text, struct err *err)
{
	char *path = mem_printf("%s/%s%s", e->folder, name, end);
	int r = file_replace(path, buf_str(text), text->len, 0644, err);
	mem_free(path);
	return r;
}

int fragment_put_makefile(struct exporting *e, struct err *err)
{
	struct buf text = {0};
	struct fragment_make_test *tests = mem_zero((e->n + 1) * sizeof *tests);
	size_t n = 0;
	for (size_t i = 0; i < e->n; i++)
		if (fragment_left(&e->files[i]) && (!e->only || e->only == &e->files[i]))
			tests[n++] = (struct fragment_make_test){.name = e->files[i].name,
			                                         .build = e->files[i].build,
			                                         .source = e->files[i].unit.source,
			                                         .wraps = &e->files[i].unit.wraps};
	const char *compiler = e->s->compiler ? e->s->compiler : "cc";
	if (e->s->device)
		fragment_device_makefile(tests, n, compiler, e->s->device->flags, &text);
	else
		fragment_makefile(e->builds, e->n_builds, tests, n, compiler, e->cmocka && !e->only, &text);
	int r = fragment_put(e, e->only ? e->only->name : "Makefile", e->only ? ".mk" : "", &text, err);
	buf_release(&text);
	mem_free(tests);
	return r;
}

// --- the whole ------------------------------------------------------------------------------------

static int finish(struct exporting *e, struct err *err)
{
	struct buf text = {0};
	struct fragment_written *w = e->ret;
	for (size_t k = 0; k < e->n; k++) {
		struct file *f = &e->files[k];
		for (size_t i = 0; i < f->n; i++)
			if (f->reasons[i])
				skip(w, f->cases[i]->id, mem_strdup(f->reasons[i]));
			else
				strv_push(&w->ids, f->cases[i]->id);
		if (fragment_left(f))
			strv_push(&w->tables, f->name);
		w->tests += fragment_left(f);
		w->checks += fragment_left(f) ? f->checks : 0;
		char *path = mem_printf("%s/%s.c", e->folder, f->name);
		if (!fragment_left(f))
			remove(path);
		mem_free(path);
	}
	for (size_t i = 0; i < w->n_skipped; i++)
		buf_printf(&text, "%s: %s\n", w->skipped[i].id, w->skipped[i].reason);
	int r = fragment_put_makefile(e, err);
	if (r == 0)
		r = fragment_put(e, "SKIPPED", "", &text, err);
	buf_release(&text);
	return r;
}

static void release_file(struct file *f)
{
	for (size_t i = 0; i < f->n; i++) {
		fragment_seen_release(&f->seen[i]);
		fragment_seen_release(&f->again[i]);
		mem_free(f->reasons[i]);
		strv_release(&f->uses[i]);
	}
	mem_free(f->name);
	mem_free(f->cases);
	mem_free(f->seen);
	mem_free(f->again);
	mem_free(f->reasons);
	mem_free(f->uses);
	mem_free(f->cuts);
	mem_free(f->aside);
	mem_free(f->fatal);
	buf_release(&f->source);
	buf_release(&f->text);
	buf_release(&f->unit.shared);
	strv_release(&f->unit.wraps);
	strv_release(&f->unit.copies);
	strv_release(&f->unit.pieces);
	strv_release(&f->unit.used);
	strv_release(&f->made_of);
	strv_release(&f->pieces);
}

static int read_builds(struct exporting *e, struct err *err)
{
	size_t numbers = 0;
	e->builds = mem_zero((e->s->n_programs + 1) * sizeof *e->builds);
	for (size_t i = 0; i < e->s->n_programs; i++) {
		if (fragment_build_read(&e->builds[i], e->s->programs[i], e->folder, numbers, err) < 0)
			return -1;
		numbers += e->builds[i].n + 1;
		e->n_builds++;
	}
	return 0;
}

int fragment_c_write(const char *folder, const struct fragment_suite *suite, struct fragment_written *ret,
                     struct err *err)
{
	*ret = (struct fragment_written){0};
	struct exporting e = {.s = suite, .folder = folder, .cmocka = suite->cmocka, .ret = ret};
	int r = file_mkdirs(folder, 0777, err);
	if (r == 0)
		r = read_builds(&e, err);
	for (size_t i = 0; r == 0 && i < suite->n; i++)
		add_case(&e, &suite->cases[i]);
	if (r == 0)
		r = fragment_do_files(&e, err);
	if (r == 0)
		r = finish(&e, err);
	for (size_t i = 0; i < e.n; i++)
		release_file(&e.files[i]);
	mem_free(e.files);
	for (size_t i = 0; i < e.n_builds; i++)
		fragment_build_release(&e.builds[i]);
	mem_free(e.builds);
	if (r < 0)
		fragment_written_release(ret);
	return r;
}

void fragment_written_release(struct fragment_written *w)
{
	for (size_t i = 0; i < w->n_skipped; i++) {
		mem_free(w->skipped[i].id);
		mem_free(w->skipped[i].reason);
	}
	mem_free(w->skipped);
	strv_release(&w->ids);
	strv_release(&w->tables);
	*w = (struct fragment_written){0};
}
