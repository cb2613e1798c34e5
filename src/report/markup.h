// Text in HTML and XML.
#ifndef VEER_REPORT_MARKUP_H
#define VEER_REPORT_MARKUP_H

#include "base/buf.h"

// Text that utf8_clean has made, as content of an element or attribute.
void markup_escape(struct buf *out, const struct buf *clean);

#endif
