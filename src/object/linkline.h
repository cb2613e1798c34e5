// The line that linked a program, kept in a FRAME_LINK so that a variant can be
// linked the same way from other objects. Inputs that have frames of their own
// are left out; LINK_UNITS marks the place of the first one. Files the linker
// reads that have no bitcode (assembler objects, foreign archives, version
// scripts) are kept whole inside the line.
#ifndef VEER_OBJECT_LINKLINE_H
#define VEER_OBJECT_LINKLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"

enum link_kind {
	LINK_TEXT = 1,    // text: the argument
	LINK_UNITS = 2,   // the program's units stand here
	LINK_ARCHIVE = 3, // group: units that are linked only when needed stand here
	LINK_FILE = 4,    // text: what stands before the file name; name; data: its content
	LINK_LARGE = 5,   // as LINK_FILE, but only the content's hash is kept, and name is absolute
};

struct link_arg {
	enum link_kind kind;
	uint32_t group;
	char *text, *name; // never NULL
	char *data;
	size_t data_size;
	struct hash hash;
};

struct linkline {
	char *driver; // "c" or "c++"
	char *cwd;
	char *output;
	bool shared;
	struct link_arg *args;
	size_t n, cap;
	struct strv archives; // absolute paths of the archives that units came from
};

// Appends an empty argument of that kind; text and name are copied.
struct link_arg *linkline_add(struct linkline *line, enum link_kind kind, const char *text, const char *name);
void linkline_encode(const struct linkline *line, struct buf *out);
int linkline_decode(const void *data, size_t size, struct linkline *ret, struct err *err);
void linkline_release(struct linkline *line);

#endif
