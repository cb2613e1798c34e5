// What veer-cc keeps beside native code: frames in the section `.veer_bc`.
//
// A frame is one of: the bitcode of a translation unit; a native object, for a
// source that has no bitcode (assembler, C++); the line that linked a program.
// The system linker concatenates the sections of the objects it takes, with
// zero bytes between them, so a program holds exactly the frames of the objects
// that went into it. Layout, little endian:
//
//    0  8  magic "VEERBC1\n"
//    8  4  kind
//   12  4  group: 0, or the number of the archive this unit is a lazy member of
//   16  4  bytes of text that follow the header: source, folder, note; then, of a unit that veer-cc compiled, the
//   number
//          of compile options, and these
//   20  4  zero
//   24  8  bytes of packed payload (zstd) that follow the text
//   32  8  bytes of payload when unpacked
//   40 16  hash of the payload, unpacked
//   56  8  hash of the 56 bytes before and the text
//   64  .. text, payload, zeros up to a multiple of 8
#ifndef VEER_OBJECT_FRAME_H
#define VEER_OBJECT_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"

#define FRAME_SECTION ".veer_bc"

enum frame_kind { FRAME_BITCODE = 1, FRAME_NATIVE = 2, FRAME_LINK = 3 };

struct frame {
	enum frame_kind kind;
	uint32_t group;
	struct hash hash;          // of the unpacked payload
	char *source, *cwd, *note; // note: why there is no bitcode, else ""
	bool has_options;          // false: of no source, or by a veer-cc that did not store them
	struct strv options;       // that the source was compiled with: all but files, -c and -o
	const uint8_t *packed;     // points into the bytes that were read
	size_t packed_size, size;  // size: unpacked
};

struct frame_list {
	struct frame *v;
	size_t n, cap;
};

// Appends one frame to `out`; `frame` gives kind, group, source, cwd and note.
void frame_pack(struct buf *out, const struct frame *frame, const void *payload, size_t size);

// Unpacks the payload and checks its hash.
int frame_unpack(const struct frame *frame, struct buf *ret, struct err *err);

// Appends the frames in `data`, a run of frames with zeros between them.
int frame_list_read(const uint8_t *data, size_t size, struct frame_list *list, struct err *err);

// Appends the frames of all `.veer_bc` sections of an ELF file in memory. No
// section at all is no error: the list stays as it was.
int frame_list_read_elf(const void *data, size_t size, struct frame_list *list, struct err *err);

void frame_list_release(struct frame_list *list);

// True when the ELF file in memory has a `.veer_bc` section.
bool frame_in_elf(const void *data, size_t size);

#endif
