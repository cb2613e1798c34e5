// Reading and writing inputs as other tools keep them. Files may be damaged or hostile: what is no regular file or too
// large is not read, what is read is trusted in nothing.
#ifndef VEER_FORMATS_FORMAT_H
#define VEER_FORMATS_FORMAT_H

#include "base/err.h"
#include "formats/foreign.h"

// What a suite says of itself.
struct format_about {
	const char *program; // path of the program that it is for
	const char *time;    // when it was written, as ISO 8601
};

struct format {
	const char *name, *summary;
	bool (*is_folder)(const char *folder);
	bool (*is_file)(const char *name, const void *data, size_t size);
	// Which files of a folder are to be read; those that cannot be are left out.
	int (*read_folder)(const char *folder, struct foreigns *ret, struct err *err);
	int (*read)(struct foreign *ret, const void *data, size_t size, struct err *err);
	// Into a folder that is there: inputs with objects, or with plain bytes, as `writes_objects` says.
	int (*write)(const char *folder, const struct foreigns *all, const struct format_about *about, struct err *err);
	bool writes_objects;
};

const struct format *format_find(const char *name); // "test-comp"; or NULL

// Everything in a folder, or in one file. -1 with *err filled when nothing could be read; files that were left out of
// a folder are counted in *ret.
int formats_read(const char *path, struct foreigns *ret, struct err *err);

// For formats: a file's content, up to FOREIGN_MAX bytes. `follow`: also through a symbolic link.
int format_content(const char *path, bool follow, struct buf *ret, struct err *err);
// Reads the files of a folder that `wants` names, in order of their names; other folders and pipes are passed over.
int format_each_file(const struct format *f, const char *folder, bool (*wants)(const char *name),
                     enum foreign_role role, struct foreigns *ret, struct err *err);
// Names in a folder, sorted; without hidden ones.
int format_list(const char *folder, struct strv *ret, struct err *err);
bool format_is_folder(const char *path);                              // no link
bool format_has(const char *folder, bool (*wants)(const char *name)); // one of these names
bool format_ends(const char *name, const char *end);
int format_put(const char *folder, const char *name, const struct buf *content, struct err *err);

#define FORMAT(name) extern const struct format format_##name;
#include "formats/formats.def"
#undef FORMAT

#endif
