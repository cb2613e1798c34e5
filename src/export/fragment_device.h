// Training runs: cases that run in a device's firmware (fragment_c.h). A file for each unit:
//
//   FOLDER/UNIT_training.c   includes the unit's source for its types, and has a function for each case
//   FOLDER/veer_training.h   triggers, which the user may define otherwise
//   FOLDER/training.c        what the firmware calls in the place of main
#ifndef VEER_EXPORT_FRAGMENT_DEVICE_H
#define VEER_EXPORT_FRAGMENT_DEVICE_H

#include "export/fragment_internal.h"
#include "export/fragment_make.h"

void fragment_device_head(const char *source, struct buf *out);
void fragment_device_tail(const char *name, const struct strv *ids, struct buf *out);
void fragment_device_makefile(const struct fragment_make_test *files, size_t n, const char *compiler, const char *flags,
                              struct buf *out);

#endif
