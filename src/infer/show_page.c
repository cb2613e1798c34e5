// The page: the waveform, segments as lanes below it by depth of calls, source beside it.
#include <inttypes.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "infer/show_internal.h"

enum { COLUMNS = 16000, CHUNK = 4096, SOURCES_MAX = 40, SOURCE_MAX = 200000 };

static const char css[] =
#include "infer_page.css.inc"
	;
static const char js[] =
#include "infer_page.js.inc"
	;

// Least and most of the samples of each column.
static void put_wave(struct show *s, struct buf *out)
{
	float v[CHUNK], *least = mem_zero(COLUMNS * sizeof *least), *most = mem_zero(COLUMNS * sizeof *most);
	const uint64_t columns = s->r->n < COLUMNS ? s->r->n : COLUMNS;
	uint64_t *seen = mem_zero(COLUMNS * sizeof *seen);
	size_t n;
	for (uint64_t at = 0; (n = recording_read(s->r, at, CHUNK, v)) > 0; at += n)
		for (size_t i = 0; i < n; i++) {
			uint64_t c = (uint64_t)((double)(at + i) / (double)s->r->n * (double)columns);
			c = c < columns ? c : columns - 1;
			least[c] = !seen[c] || v[i] < least[c] ? v[i] : least[c];
			most[c] = !seen[c]++ || v[i] > most[c] ? v[i] : most[c];
		}
	buf_addstr(out, "\"wave\": [");
	for (uint64_t c = 0; c < columns; c++)
		buf_printf(out, "%s%.5g,%.5g", c ? "," : "", seen[c] ? (double)least[c] : 0,
		           seen[c] ? (double)most[c] : 0);
	buf_addstr(out, "],\n");
	mem_free(least);
	mem_free(most);
	mem_free(seen);
}

static void put_segments(struct show *s, struct buf *out, bool *used)
{
	buf_addstr(out, "\"path\": [");
	for (size_t i = 0; i < s->items.n; i++) {
		const struct show_item *x = &s->items.v[i];
		buf_printf(out, "%s[%" PRIu64 ",%" PRIu64 ",%d,%.3f,%u]", i ? "," : "", x->path.begin, x->path.end,
		           x->path.segment == MODEL_NONE ? -1 : (int)x->path.segment, x->path.confidence, x->depth);
		if (x->path.segment != MODEL_NONE)
			used[x->path.segment] = true;
	}
	buf_addstr(out, "],\n\"segments\": {");
	const char *between = "";
	for (uint32_t g = 0; g < s->m->n_segments; g++) {
		if (!used[g])
			continue;
		buf_printf(out, "%s\"%u\": [", between, g);
		show_quoted(out, show_function(s, g));
		buf_addch(out, ',');
		show_quoted(out, s->m->segments[g].name);
		buf_addch(out, ',');
		show_quoted(out, s->m->segments[g].lines);
		buf_addch(out, ']');
		between = ",\n";
	}
	buf_addstr(out, "},\n");
}

static void put_source(struct buf *out, const char *file, struct strv *done)
{
	struct buf text = {0};
	for (size_t i = 0; i < done->n; i++)
		if (strcmp(done->v[i], file) == 0)
			return;
	if (done->n == SOURCES_MAX)
		return;
	strv_push(done, file);
	if (file_exists(file) && file_read(file, &text, NULL) == 0 && text.len && text.len <= SOURCE_MAX) {
		buf_addstr(out, done->n > 1 && out->data[out->len - 1] != '{' ? ",\n" : "");
		show_quoted(out, file);
		buf_addstr(out, ": ");
		for (size_t i = 0; i < text.len; i++) // a text, whatever else it is
			text.data[i] = text.data[i] ? text.data[i] : ' ';
		show_quoted(out, text.data);
	}
	buf_release(&text);
}

// Of "FILE:LINE LINE; FILE:LINE" the files.
static void put_sources(struct show *s, struct buf *out, const bool *used)
{
	struct strv done = {0};
	buf_addstr(out, "\"sources\": {");
	for (uint32_t g = 0; g < s->m->n_segments; g++)
		for (const char *at = used[g] ? s->m->segments[g].lines : ""; *at;) {
			size_t n = strcspn(at, ";"), file = n;
			while (file && at[file] != ':')
				file--;
			char *name = mem_printf("%.*s", (int)file, at);
			if (file)
				put_source(out, name, &done);
			mem_free(name);
			at += n;
			at += strspn(at, "; ");
		}
	buf_addstr(out, "},\n");
	strv_release(&done);
}

void show_page_end(struct show *s, struct buf *out)
{
	bool *used = mem_zero(s->m->n_segments + 1);
	buf_printf(out,
	           "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>veer "
	           "infer</title>\n<style>\n%s</style>\n"
	           "<h1>What the device executed</h1>\n<p id=\"about\"></p>\n<div id=\"both\"><div id=\"left\">\n"
	           "<canvas id=\"view\" tabindex=\"0\"></canvas>\n"
	           "<p>Drag to move, wheel or + and - to zoom, click a segment, arrows for its neighbours, N for the "
	           "next uncertain one. <span class=\"unsure\">Red below</span>: less than %d%% sure. <span "
	           "class=\"unknown\">Grey</span>: not in the model.</p>\n</div>\n<div id=\"right\"><div "
	           "id=\"detail\"></div>\n<pre id=\"source\"></pre></div></div>\n<script>\nconst data = {",
	           css, SHOW_SURE);
	buf_printf(out, "\"rate\": %.17g, \"n\": %" PRIu64 ", \"all\": %" PRIu64 ", \"sure\": %g,\n", s->r->rate,
	           s->r->n, s->n, SHOW_SURE / 100.0);
	put_wave(s, out);
	put_segments(s, out, used);
	put_sources(s, out, used);
	buf_printf(out, "};\n%s</script>\n</html>\n", js);
	mem_free(used);
}
