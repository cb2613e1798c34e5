// Markers of functions, with the fields of their frames that are live there.
#include "base/mem.h"
#include "instrument/markers.h"
#include "instrument/shapes_internal.h"

static void add_marker(struct shapes *s, uint32_t function, const struct marker *m)
{
	struct shape_marker marker = {.kind = m->kind, .line = m->line, .column = m->column, .enters = m->enters};
	struct shapes_list live = {0};
	for (uint32_t i = 0; i < m->n_live; i++) {
		struct shapes_place place;
		if (shapes_place(s, m->live[i], &place))
			shapes_list_push(&live, place.field);
		else // its size is not fixed
			marker.enters = 0;
	}
	shapes_marker(s, function, &marker, live.v, live.n);
	mem_free(live.v);
}

void shapes_add_markers(struct shapes *s, const struct markers_table *table)
{
	for (uint32_t i = 0; i < shapes_functions(s); i++) {
		const struct markers *m = markers_of(table, shapes_function_at(s, i));
		for (uint32_t k = 0; m && k < m->n; k++)
			add_marker(s, i, &m->v[k]);
		if (m && m->entry_only)
			shapes_restrict(s, i, SHAPE_ENTRY_ONLY, m->entry_only);
	}
}
