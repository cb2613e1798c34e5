// What reports show of the differences: made while both versions and their sources are still there.
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/diff.h"
#include "report/differences.h"
#include "report/source.h"
#include "session/settings.h"
#include "session/witness.h"

enum { LINES_MOST = 300 };

// --- sources --------------------------------------------------------------------------------------

static void allow_sources(const struct diff_pair *pair)
{
	struct strv paths = {0};
	for (int side = 0; side < CHANGE_SIDES; side++)
		build_sources(pair->programs[side], &paths);
	for (size_t i = 0; i < paths.n; i++)
		source_allow(paths.v[i]);
	strv_release(&paths);
}

static uint32_t last_line(const struct fact_function *f)
{
	uint32_t last = f->line;
	for (uint32_t i = 0; i < f->n_blocks; i++)
		for (uint32_t k = 0; k < f->blocks[i].n_lines; k++)
			if (f->blocks[i].lines[k] > last)
				last = f->blocks[i].lines[k];
	return last - f->line < LINES_MOST ? last : f->line + LINES_MOST;
}

static void quote(struct view_side *s, const struct facts *facts, const struct fact_function *f)
{
	struct source source;
	struct buf text = {0};
	char *path = path_absolute(facts->root ? facts->root : "/", f->file ? f->file : "");
	source_read(&source, path);
	for (uint32_t line = f->line; line && line <= last_line(f) && line <= source.n; line++) {
		source_line(&source, line, &text);
		buf_addch(&text, '\n');
	}
	source_release(&source);
	mem_free(path);
	mem_free(s->source);
	s->source = buf_steal(&text);
}

static void quote_all(struct difference_views *v, const struct differences *d)
{
	for (uint32_t i = 0; i < v->n; i++) {
		if (d->v[i].function == UINT32_MAX)
			continue;
		const struct changed_function *f = &d->changes->functions[d->v[i].function];
		for (int side = 0; side < CHANGE_SIDES; side++)
			if (f->side[side])
				quote(&v->v[i].side[side], d->changes->facts[side], f->side[side]);
	}
}

// --- all of it ------------------------------------------------------------------------------------

static int append_markdown(const struct diff_options *o, const struct diff_pair *pair, const struct difference_views *v,
                           struct err *err)
{
	const struct difference_report r = {.views = v, .folder = pair->output, .label = pair->label, .root = "/"};
	struct buf text = {0};
	struct stat st; // what is no file has what came before already
	int result = stat(o->markdown, &st) == 0 && S_ISREG(st.st_mode) ? file_read(o->markdown, &text, err) : 0;
	report_differences_markdown(&r, &text);
	if (result == 0)
		result = file_output(o->markdown, text.data, text.len, 0666, err);
	buf_release(&text);
	return result;
}

int diff_views(const struct diff_options *o, const struct diff_pair *pair, const struct differences *d,
               struct session *s, struct err *err)
{
	struct difference_views v;
	struct buf data = {0};
	if (difference_views_make(&v, d, s->store, pair->names, pair->programs, err) < 0)
		return -1;
	if (v.n) {
		const struct witness_setup setup = {.store = s->store,
		                                    .builder = &s->tools.native,
		                                    .mode = pair->mode,
		                                    .cwd = s->cwd,
		                                    .files = s->files,
		                                    .worker_dirs = s->worker_dirs,
		                                    .programs = {pair->programs[0], pair->programs[1]},
		                                    .stop = s->setup->stop};
		allow_sources(pair);
		quote_all(&v, d);
		witness_see(&v, &setup);
		source_allow_none();
	}
	difference_views_encode(&v, &data);
	int r = s->store ? setting_set(s->store, SETTING_shown, data.data, data.len, err) : 0;
	if (r == 0 && o->markdown)
		r = append_markdown(o, pair, &v, err);
	buf_release(&data);
	difference_views_release(&v);
	return r;
}
