#include "report/markup.h"

void markup_escape(struct buf *out, const struct buf *clean)
{
	for (size_t i = 0; i < clean->len; i++)
		switch (clean->data[i]) {
		case '&': buf_addstr(out, "&amp;"); break;
		case '<': buf_addstr(out, "&lt;"); break;
		case '>': buf_addstr(out, "&gt;"); break;
		case '"': buf_addstr(out, "&quot;"); break;
		case '\'': buf_addstr(out, "&#39;"); break;
		default: buf_addch(out, clean->data[i]);
		}
}
