// Objects that only libc can make (abi/outside.def).
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/fragment/fragment.h"

enum how { STREAM, FOLDER, NOTHING };
enum { CONTENT = 16 }; // bytes of a file that the input says nothing of

static const struct outside {
	const char *type;
	enum how how;
} all[] = {
#define OUTSIDE(type, how) {type, how},
#include "abi/outside.def"
};

static const struct outside *find(struct type t)
{
	const char *name = unit_text(t.unit, t.is->name);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (strcmp(all[i].type, name) == 0)
			return &all[i];
	return NULL;
}

bool outside_is(struct type t)
{
	return (t.is->kind == SHAPE_STRUCT || t.is->kind == SHAPE_VOID) && find(t);
}

// A file with the cell's bytes in it.
static FILE *make_stream(struct cell *c)
{
	static const uint8_t zeros[CONTENT];
	const uint8_t *bytes = cell_given(c, &c->size);
	if (!c->record) {
		bytes = zeros;
		c->size = CONTENT;
	}
	int fd = memfd_create("veer", MFD_CLOEXEC);
	if (fd < 0 || (c->size && write(fd, bytes, c->size) != (ssize_t)c->size) || lseek(fd, 0, SEEK_SET) < 0)
		return NULL;
	cell_number(c);
	label_stream(c, fd);
	return fdopen(fd, "r+");
}

uint64_t outside_make(const struct pointer *p, const char *name)
{
	const struct outside *o = find(p->to);
	int saved = errno;
	uint64_t at = 0;
	if (o->how == STREAM) {
		struct cell *c = cell_add(CELL_STREAM, name, p->to, (uint32_t)(p->in - cells));
		at = c ? (uint64_t)make_stream(c) : 0;
		if (c)
			c->at = at;
	} else if (o->how == FOLDER) {
		at = (uint64_t)opendir(".");
	}
	errno = saved;
	return at;
}
