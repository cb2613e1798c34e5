// Inside the HTML report: what its files share. Not for others.
#ifndef VEER_REPORT_HTML_H
#define VEER_REPORT_HTML_H

#include "report/coverage.h"
#include "report/report.h"

// Adds text for an element or a quoted attribute, whatever its bytes are: what is not UTF-8, and control characters,
// become U+FFFD.
void html_text(struct buf *out, const char *text);
void html_bytes(struct buf *out, const void *data, size_t size);

// The name of a source file, as seen from the root.
void html_file(struct buf *out, const struct report *r, const char *file);

// A part of the page per finding, with everything that `veer explain` shows.
void html_finding(struct buf *out, const struct report *r, const struct explanation *x, bool open);

// Annotated sources.
void html_sources(struct buf *out, const struct report *r, const struct covered *c);

// Coverage over time, and findings by distance. Adds nothing when there is nothing to show.
void html_plots(struct buf *out, const struct report *r);

#endif
