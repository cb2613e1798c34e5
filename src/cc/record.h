// Recording how a program was linked, after the linker has done it.
#ifndef VEER_CC_RECORD_H
#define VEER_CC_RECORD_H

#include "base/buf.h"
#include "base/err.h"
#include "cc/args.h"
#include "cc/work.h"

// Adds to the linked file `output` the frames it does not get from its objects:
// those of the sources on the command line (`frames`, made by the caller), of
// -flto objects, and the link line itself. For a partial link, only the former
// and the foreign objects. A program none of whose parts has frames is left alone.
// `support` is the support archive when the linker got it, else NULL.
int record_link(struct work *work, const struct cc_args *args, const char *support, const char *output,
                struct buf *frames, struct err *err);

#endif
