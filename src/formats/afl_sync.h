// One of several instances of AFL++ that share a folder: DIR/NAME/queue/id:000012,... is what this one found; what is
// in the queues of the others is read as it appears. Nothing there is relied upon: files may be half written, vanish,
// be replaced, or be called anything.
#ifndef VEER_FORMATS_AFL_SYNC_H
#define VEER_FORMATS_AFL_SYNC_H

#include <stdint.h>

#include "base/err.h"
#include "formats/foreign.h"

struct afl_sync;

// Makes DIR/NAME/queue and its like where they are not there. Numbers go on behind those that are.
struct afl_sync *afl_sync_new(const char *folder, const char *name, struct err *err);
void afl_sync_free(struct afl_sync *s);

// Up to `most` inputs of others that were not read before. What is younger than two seconds is looked at again later,
// since it may grow.
void afl_sync_read(struct afl_sync *s, size_t most, struct foreigns *ret);

// `seconds`, `runs`: of the campaign so far, for the name.
int afl_sync_write(struct afl_sync *s, enum foreign_role role, const void *data, size_t size, double seconds,
                   uint64_t runs, struct err *err);

#endif
