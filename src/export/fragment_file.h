// The parts of a test file that are the same for all.
#ifndef VEER_EXPORT_FRAGMENT_FILE_H
#define VEER_EXPORT_FRAGMENT_FILE_H

#include "export/fragment_internal.h"

// `reports`: the tests print what they see.
void fragment_file_head(const char *source, bool reports, bool cmocka, struct buf *out);
// `marks`: there are copies whose statements have marks.
void fragment_file_tail(const struct strv *ids, bool reports, bool cmocka, bool marks, struct buf *out);

#endif
