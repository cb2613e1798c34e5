// Where in the source a traced run was when a signal ended it.
#ifndef VEER_FINDINGS_WHERE_H
#define VEER_FINDINGS_WHERE_H

#include "execute/executor.h"

// After a run with `where` set: "FUNCTION FILE:LINE" of the innermost frame in the program; NULL: not known. The caller
// frees it.
char *where_ended(const struct executor *e);

#endif
