// Parts of SARIF that reports of all campaigns have. Not for others.
#ifndef VEER_REPORT_SARIF_H
#define VEER_REPORT_SARIF_H

#include "base/buf.h"

// A string of JSON.
void sarif_text(struct buf *out, const char *s);
// "NAME": {"text": "..."}
void sarif_message(struct buf *out, const char *name, const char *s);
// A path as a URI; a relative one stays relative.
void sarif_uri(struct buf *out, const char *path);

// From the start up to the rules of the tool, and from behind these up to the notifications of the invocation.
void sarif_begin(struct buf *out);
void sarif_root(struct buf *out, const char *root);

#endif
