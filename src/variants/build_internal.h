// Steps of building a variant, for build*.c only: build.c reads the program and names the result, build_units.c makes
// the objects of its units, build_link.c runs the recorded link line on them.
#ifndef VEER_VARIANTS_BUILD_INTERNAL_H
#define VEER_VARIANTS_BUILD_INTERNAL_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/confine.h"
#include "base/file.h"
#include "object/elf.h"
#include "object/frame.h"
#include "object/linkline.h"
#include "variants/build.h"

// A program that is being read. `map` backs the frames.
struct build_input {
	const char *path;
	struct file_map map;
	struct elf elf;
	struct frame_list frames;
	const struct frame *link; // NULL when it was linked without veer-cc
};

// Reads the program's frames. *in is to be released after BUILD_OK only.
enum build_result build_input_open(struct build_input *in, const char *path, struct err *err);
void build_input_release(struct build_input *in);

// Objects of the program, in the order of its frames; NULL for the link line.
struct build_objects {
	char **paths;
	size_t n;
};

// Unpacks and instruments what is not in the cache; temporary files go into `folder`. *ret is to be released, also
// after a failure.
int build_objects_make(const struct builder *b, const struct build_input *in, const char *folder,
                       struct build_objects *ret, struct err *err);
void build_objects_release(struct build_objects *o);

// Links the objects to `output`. The program has a link line.
int build_link(const struct builder *b, const struct build_input *in, const struct build_objects *objects,
               const char *folder, const char *output, struct err *err);

// Writes the payload of a frame to a file.
int build_unpack(const struct frame *f, const char *path, struct err *err);

// --- build_confine.c ------------------------------------------------------------------------------

struct build_confine {
	struct confine how;
	char *units, *home; // of the cache; of the compiler
};

// Tools write in `scratch` and the cache's units.
void build_confine_init(struct build_confine *ret, const struct builder *b, const char *scratch);
void build_confine_release(struct build_confine *c);

// -1: the link line makes a compiler run code that comes with it.
int build_link_check(const struct linkline *line, const char *program, struct err *err);

#endif
