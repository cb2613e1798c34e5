// What a session needs to build and run programs: the cache of variants, veer's own parts, a builder per variant.
#ifndef VEER_SESSION_TOOLS_H
#define VEER_SESSION_TOOLS_H

#include "base/err.h"
#include "variants/build.h"

struct oracle; // findings/oracle.h

struct session_tools {
	struct cache cache;
	struct toolchain tools;
	struct builder explored, sanitized, native;
};

// What is explored (uses.def): whole runs of programs, or fragments of them, too.
enum use {
#define USE(name, traced, oracle, ...) USE_##name,
#include "session/uses.def"
#undef USE
	USES
};

enum { USE_VARIANTS = 3 }; // at most

// To be released in any case. The builders point into *ret, which must stay where it is.
int session_tools_find(struct session_tools *ret, struct err *err);
void session_tools_release(struct session_tools *t);

const char *use_traced(enum use use);          // the variant that inputs run as
const struct oracle *use_oracle(enum use use); // findings/oracle.h
// A builder for each variant that is built, the traced one first; returns how many. The tools must outlive them.
unsigned use_builders(enum use use, const struct session_tools *tools, struct builder ret[USE_VARIANTS]);

#endif
