// A foreign input, that is one as other tools keep it: plain bytes, or named objects with a command line. Which parts
// of a run these are is for input/adapter.h to say.
#ifndef VEER_FORMATS_FOREIGN_H
#define VEER_FORMATS_FOREIGN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum foreign_role { FOREIGN_KEPT, FOREIGN_CRASH, FOREIGN_HANG };

struct foreign_object {
	char *name; // "" when it has none
	char *type; // of C, as in `int`; NULL: not known
	struct buf data;
};

struct foreign {
	char *name; // for messages: of its file
	enum foreign_role role;
	bool has_objects; // they are the input; otherwise `bytes`
	struct buf bytes;
	struct strv args; // with objects: the command line that made them, with KLEE's options. May be empty
	struct foreign_object *v;
	size_t n, cap;
};

struct foreigns {
	struct foreign *v;
	size_t n, cap;
	size_t bytes;    // of their files
	size_t left_out; // files that could not be taken
	char *why;       // of the first of these; NULL: there are none
};

enum { FOREIGN_MAX = 1 << 20, FOREIGNS_MAX = 1 << 16, FOREIGNS_BYTES = 1 << 27 }; // bytes of a file; files; bytes

struct foreign_object *foreign_add(struct foreign *s, const char *name, const char *type, const void *data,
                                   size_t size);
const struct foreign_object *foreign_find(const struct foreign *s, const char *name); // the first; or NULL
void foreign_release(struct foreign *s);

// Takes what is in *s, which is empty then.
void foreigns_take(struct foreigns *all, struct foreign *s);
void foreigns_leave_out(struct foreigns *all, const char *why);
void foreigns_release(struct foreigns *all);

#endif
