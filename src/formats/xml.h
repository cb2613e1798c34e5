// As much of XML as files of data need: elements, attributes, text, comments. A DOCTYPE is passed over; entities other
// than the five of XML itself and numbers of characters are an error, so nothing can grow.
#ifndef VEER_FORMATS_XML_H
#define VEER_FORMATS_XML_H

#include <stdbool.h>

#include "base/buf.h"

enum xml_token { XML_OPEN, XML_CLOSE, XML_TEXT, XML_END, XML_BAD };

struct xml {
	const char *p, *end;
	struct buf name;       // XML_OPEN: of the element; XML_CLOSE: likewise
	struct buf text;       // XML_TEXT: what it says
	struct buf attributes; // XML_OPEN: NAME NUL VALUE NUL ...
	bool closes;           // <x/>: the next token is its end
};

void xml_init(struct xml *x, const void *data, size_t size);
enum xml_token xml_next(struct xml *x);
const char *xml_attribute(const struct xml *x, const char *name); // after XML_OPEN; NULL: it has none
void xml_release(struct xml *x);

void xml_escape(struct buf *out, const char *text); // characters that XML cannot have become '?'

#endif
