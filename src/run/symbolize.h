// Addresses in programs as places in the source, by LLVM's symbolizer.
#ifndef VEER_RUN_SYMBOLIZE_H
#define VEER_RUN_SYMBOLIZE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

// Appends "FILE:LINE FUNCTION" to *ret for each of the addresses, which are relative to
// where `object` is loaded; "?" stands for what is not known.
int symbolize(const char *object, const uint64_t *addresses, size_t n, struct strv *ret, struct err *err);

// The same with functions that were inlined: for each address "FUNCTION FILE:LINE", innermost first, a line each; ""
// when nothing is known.
int symbolize_inlined(const char *object, const uint64_t *addresses, size_t n, struct strv *ret, struct err *err);

#endif
