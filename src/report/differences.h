// Reports of veer diff: a file per format, and a line in difference_formats.def.
#ifndef VEER_REPORT_DIFFERENCES_H
#define VEER_REPORT_DIFFERENCES_H

#include "base/buf.h"
#include "session/difference_views.h"

struct difference_report {
	const struct difference_views *views;
	const char *folder; // of the campaign, as the user names it
	const char *label;  // of the program, where there are several; NULL
	const char *root;   // absolute: what names of sources are relative to
};

struct difference_format {
	const char *name, *file; // file: as in struct report_format
	void (*write)(const struct difference_report *r, struct buf *out);
	const char *what;
};

// NULL: there is none of that name.
const struct difference_format *difference_format(const char *name);
void difference_format_names(struct buf *out); // "text, markdown, ..."

#define DIFFERENCE_FORMAT(name, file, function, what) void function(const struct difference_report *r, struct buf *out);
#include "report/difference_formats.def"

// "1 difference", "2 differences, 1 of them accepted".
void differences_count_text(const struct difference_views *v, struct buf *out);

#endif
