// One source file on the way into the section: bitcode for C, the native object
// for everything else and for C whose bitcode run fails.
#ifndef VEER_CC_UNIT_H
#define VEER_CC_UNIT_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "cc/args.h"
#include "cc/work.h"

// Makes the bitcode of a C source. Returns 0 and the bitcode in *ret, or -1 with
// the first line the compiler complained with in *err.
int unit_bitcode(struct work *work, const struct cc_args *args, const struct cc_arg *source, struct buf *ret,
                 struct err *err);

// Compiles or assembles the source to a native object and returns its bytes.
int unit_native(struct work *work, const struct cc_args *args, const struct cc_arg *source, struct buf *ret,
                struct err *err);

// Appends the frame of a source, with the options it was compiled with: bitcode, or,
// when `bitcode` is NULL, the native object with a note that says why.
void unit_frame(struct work *work, const struct cc_args *args, const struct cc_arg *source, const struct buf *bitcode,
                const struct buf *object, const char *note, struct buf *frames);

#endif
