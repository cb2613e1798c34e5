// An inferred path as text, JSON, a trace for Perfetto, or a page. All but the page are written while the path becomes
// known; the page has the first SHOW_PAGE segments.
#ifndef VEER_INFER_SHOW_H
#define VEER_INFER_SHOW_H

#include "infer/path.h"
#include "signal/recording.h"

enum { SHOW_PAGE = 50000 };

struct show;

bool show_is_format(const char *format);
// Model and recording must outlive it.
struct show *show_new(const char *format, const struct model *m, struct recording *r, struct err *err);
void show_free(struct show *s);

void show_begin(struct show *s, struct buf *out);
void show_segment(struct show *s, const struct path_segment *p, struct buf *out);
void show_end(struct show *s, struct buf *out);

#endif
