// Inside of show*.c.
#ifndef VEER_INFER_SHOW_INTERNAL_H
#define VEER_INFER_SHOW_INTERNAL_H

#include "base/vec.h"
#include "infer/show.h"

struct show_item {
	struct path_segment path;
	uint32_t depth;
};

struct show {
	const struct model *m;
	struct recording *r;
	void (*begin)(struct show *s, struct buf *out);
	void (*segment)(struct show *s, const struct path_segment *p, struct buf *out);
	void (*end)(struct show *s, struct buf *out);
	uint64_t n;                  // segments so far
	VEC(uint32_t) functions;     // that are running, outermost first
	uint32_t last;               // the segment before; MODEL_NONE: none
	uint64_t ended;              // where it ends
	VEC(struct show_item) items; // of the page
};

double show_time(const struct show *s, uint64_t sample); // in microseconds; samples, when the rate is not known
void show_quoted(struct buf *out, const char *text);     // as a text of JSON, which may stand in a page
const char *show_function(const struct show *s, uint32_t segment);

enum { SHOW_SURE = 90 }; // per cent; what is less is marked

void show_page_end(struct show *s, struct buf *out);

#endif
