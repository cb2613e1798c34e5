// Plots of the HTML report, as SVG in the page.
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "report/html.h"

enum {
	WIDTH = 480,
	HEIGHT = 200,
	LEFT = 46,
	RIGHT = 12,
	TOP = 12,
	BOTTOM = 28,
	POINTS = 240,
	DISTANCES = 24,
	LEAST = 4
};

// --- coverage over time ---------------------------------------------------------------------------

struct point {
	double seconds;
	int64_t branches, lines;
};

struct course {
	struct point *v;
	size_t n, cap;
	double before; // seconds of earlier sessions of the campaign
};

static int add_point(void *opaque, double seconds, int64_t runs, int64_t branches, int64_t lines)
{
	struct course *c = opaque;
	(void)runs;
	if (c->n && c->before + seconds < c->v[c->n - 1].seconds)
		c->before = c->v[c->n - 1].seconds;
	vec_push(c, (struct point){c->before + seconds, branches, lines});
	return 0;
}

static double x_of(double seconds, double most)
{
	return LEFT + (WIDTH - LEFT - RIGHT) * (most > 0 ? seconds / most : 0);
}

static double y_of(double value, double most)
{
	return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (most > 0 ? value / most : 0);
}

static void line_of(struct buf *out, const struct course *c, bool branches, double seconds, double most)
{
	buf_printf(out, "<path class=\"%s\" d=\"", branches ? "branches" : "lines");
	size_t step = c->n / POINTS + 1;
	for (size_t i = 0; i < c->n; i += step) {
		size_t at = i + step < c->n ? i : c->n - 1; // the last one is always there
		buf_printf(out, "%s%.1f %.1f", i ? " L" : "M", x_of(c->v[at].seconds, seconds),
		           y_of((double)(branches ? c->v[at].branches : c->v[at].lines), most));
	}
	buf_addstr(out, "\"/>\n");
}

static void axes(struct buf *out, double most)
{
	buf_printf(out, "<path class=\"axis\" d=\"M%d %d V%d H%d\"/>\n", LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT);
	buf_printf(out,
	           "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.0f</text><text x=\"%d\" y=\"%d\" "
	           "text-anchor=\"end\">0</text>\n",
	           LEFT - 6, TOP + 8, most, LEFT - 6, HEIGHT - BOTTOM);
}

static void plot_course(struct buf *out, const struct course *c)
{
	const struct point *last = &c->v[c->n - 1];
	double most = (double)(last->branches > last->lines ? last->branches : last->lines);
	int digits = last->seconds < 10; // behind the point
	if (c->n < 2 || most <= 0)
		return;
	buf_printf(out,
	           "<figure><figcaption id=\"time\">Coverage over time</figcaption>\n<svg viewBox=\"0 0 %d %d\" "
	           "role=\"img\" "
	           "aria-labelledby=\"time\" aria-describedby=\"time-words\">\n",
	           WIDTH, HEIGHT);
	axes(out, most);
	buf_printf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.*f s</text>\n", WIDTH - RIGHT,
	           HEIGHT - BOTTOM + 16, digits, last->seconds);
	line_of(out, c, true, last->seconds, most);
	line_of(out, c, false, last->seconds, most);
	buf_printf(out,
	           "</svg><p id=\"time-words\">Branch edges (solid): %" PRId64 " at first, %" PRId64
	           " after %.*f s; lines (dashed): %" PRId64 ", %" PRId64 ".</p></figure>\n",
	           c->v[0].branches, last->branches, digits, last->seconds, c->v[0].lines, last->lines);
}

// --- findings by distance -------------------------------------------------------------------------

static const enum finding_level levels[] = {LEVEL_ERROR, LEVEL_RESOURCE, LEVEL_WARNING};

static void plot_distances(struct buf *out, const struct report *r)
{
	size_t counts[DISTANCES][3] = {0}, most = 0, columns = 0;
	size_t searched = 0;
	for (size_t i = 0; i < r->n; i++) {
		if (r->v[i].of_suite && r->v[i].finding.distance == FINDING_SEARCHED) {
			searched++;
			continue;
		}
		uint32_t d = r->v[i].of_suite ? r->v[i].finding.distance : r->v[i].generations;
		size_t at = d < DISTANCES ? d : DISTANCES - 1, level = 0, all = 0;
		while (level < 2 && levels[level] != r->v[i].finding.level)
			level++;
		counts[at][level]++;
		for (size_t k = 0; k < 3; k++)
			all += counts[at][k];
		most = all > most ? all : most;
		columns = at + 1 > columns ? at + 1 : columns;
	}
	if (!most)
		return;
	bool suite = r->v[0].of_suite;
	most = most < LEAST ? LEAST : most; // a single finding is no mountain
	columns = columns < 8 ? 8 : columns;
	double width = (double)(WIDTH - LEFT - RIGHT) / (double)columns;
	buf_printf(out,
	           "<figure><figcaption id=\"distance\">Findings by %s</figcaption>\n<svg viewBox=\"0 0 %d "
	           "%d\" role=\"img\" aria-labelledby=\"distance\" aria-describedby=\"distance-words\">\n",
	           suite ? "distance from a test" : "solved steps from a seed", WIDTH, HEIGHT);
	axes(out, (double)most);
	for (size_t d = 0; d < columns; d++) {
		size_t below = 0;
		for (size_t k = 0; k < 3; k++) {
			double top = y_of((double)(below + counts[d][k]), (double)most);
			if (counts[d][k])
				buf_printf(out,
				           "<rect class=\"bar %s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
				           "height=\"%.1f\"/>\n",
				           level_name(levels[k]), LEFT + width * (double)d + 2, top, width - 4,
				           y_of((double)below, (double)most) - top);
			below += counts[d][k];
		}
		buf_printf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%zu%s</text>\n",
		           LEFT + width * ((double)d + .5), HEIGHT - BOTTOM + 16, d, d == DISTANCES - 1 ? "+" : "");
	}
	buf_addstr(out, "</svg><p id=\"distance-words\">");
	const char *between = "";
	for (size_t d = 0; d < columns; d++) {
		size_t all = counts[d][0] + counts[d][1] + counts[d][2];
		if (all)
			buf_printf(out, "%s%zu %s %zu", between, all, suite ? "at distance" : "at step", d);
		between = all ? ", " : between;
	}
	if (searched)
		buf_printf(out, "; %zu by the search, at no distance", searched);
	buf_addstr(out, suite ? ". Distance 0: on the path of a test.</p></figure>\n" : ".</p></figure>\n");
}

void html_plots(struct buf *out, const struct report *r)
{
	struct course c = {0};
	struct err err;
	int known = store_each_progress(r->store, add_point, &c, &err);
	buf_addstr(out, "<div class=\"plots\">\n");
	if (known >= 0 && c.n)
		plot_course(out, &c);
	plot_distances(out, r);
	buf_addstr(out, "</div>\n");
	mem_free(c.v);
}
