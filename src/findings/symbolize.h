// Addresses in programs as places in the source, by LLVM's symbolizer.
#ifndef VEER_FINDINGS_SYMBOLIZE_H
#define VEER_FINDINGS_SYMBOLIZE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

// Appends "FILE:LINE FUNCTION" to *ret for each of the addresses, which are relative to
// where `object` is loaded; "?" stands for what is not known.
int symbolize(const char *object, const uint64_t *addresses, size_t n, struct strv *ret, struct err *err);

// One that stays: to start it takes longer than a run. Zero: not started.
struct symbolizer {
	pid_t pid;
	int fd;
};

// The same with functions that were inlined: *ret gets "FUNCTION FILE:LINE", innermost first, a line each; FUNCTION
// alone where only the symbol table names it; "" when nothing is known. The caller frees it. Started when it is not
// there; s->pid may be another afterwards.
int symbolizer_ask(struct symbolizer *s, const char *object, uint64_t address, char **ret, struct err *err);
void symbolizer_stop(struct symbolizer *s);

#endif
