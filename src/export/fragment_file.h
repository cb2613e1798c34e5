// The parts of a test file that are the same for all.
#ifndef VEER_EXPORT_FRAGMENT_FILE_H
#define VEER_EXPORT_FRAGMENT_FILE_H

#include "export/fragment_internal.h"

// `reports`: the tests print what they see.
void fragment_file_head(const char *source, bool reports, bool cmocka, struct buf *out);
// What runs the tests; it stands before them. `marks`: there are copies whose statements have marks. `optimised`: so
// are the tests, in whose place stand calls of functions that compilers must inline.
void fragment_file_runner(bool reports, bool cmocka, bool marks, bool optimised, struct buf *out);
void fragment_file_tail(const struct strv *ids, bool reports, bool cmocka, struct buf *out);

#endif
