// Types of the objects that a program makes symbolic itself, from the debug information in its bitcode.
#ifndef VEER_EXPORT_TYPES_H
#define VEER_EXPORT_TYPES_H

#include "export/export.h"
#include "variants/build.h"

struct export_types {
	struct export_field *v;
	size_t n;
};

// What cannot be found out is not there. -1 with *err filled when the bitcode cannot be read at all.
int export_types_read(struct export_types *ret, const struct builder *b, const char *program, struct err *err);
void export_types_release(struct export_types *t);

#endif
