// Root without what makes it root. Not for setuid programs: veer is none.
#ifndef VEER_BASE_PRIVILEGES_H
#define VEER_BASE_PRIVILEGES_H

#include <stdint.h>

// Leaves of root's capabilities those that have to do with files only, and `also` (a bit for each), for this process
// and what it executes. 0, or -1 with errno.
int privileges_drop(uint64_t also);

#endif
