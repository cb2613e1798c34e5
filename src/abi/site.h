// A place in the source that instrumented code reports to its runtime. Laid out
// by the instrumenter as constants in the program, read by the runtimes.
#ifndef VEER_ABI_SITE_H
#define VEER_ABI_SITE_H

#include <stdint.h>

enum ubsan_kind {
#define UBSAN_TRAP(number, NAME, id, text) UBSAN_##NAME = number,
#include "abi/ubsan.def"
};

// Checks that are not UBSan's, in the same numbers.
enum check_kind {
	CHECK_OF_SITE, // in an event: the one that its site names
#define CHECK_KIND(number, NAME, id, text) CHECK_##NAME = number,
#define FLOAT_CHECK(number, NAME, id, text) CHECK_##NAME = number,
#include "abi/checks.def"
};

enum { SITE_CHOICE = 254 }; // of a switch that the runtime makes: what a pointer of a cell leads to (abi/fragment.h)
enum { SITE_PLACE = 255 };  // kind of a site that is no check of undefined behaviour: branches, accesses, calls

// Whether runs are checked for it only when their launch block says so (LAUNCH_FLOATS).
static inline int check_is_of_floats(uint32_t kind)
{
	switch (kind) {
#define FLOAT_CHECK(number, NAME, id, text) case number:
#include "abi/checks.def"
		return 1;
	default: return 0;
	}
}

struct site {
	const char *file; // folder and name as the compiler saw them
	const char *function;
	uint32_t line, column;
	uint32_t kind;         // enum ubsan_kind, or SITE_PLACE
	uint32_t seen;         // kept by the runtime: reported already, or where it is in the trace
	uint32_t segment;      // traced: segment in which an access was logged last
	uint32_t n_cases;      // of a switch
	const uint64_t *cases; // a value and where it goes, in turn: see struct trace_case
	uint64_t point;        // its name in the unit's graph (abi/graph.h); 0: it is in none
};

// Symbols of the runtime that instrumented code calls, and their prototypes.
#define SAN_REPORT "__veer_san_report" // void (struct site *), returns
#define SAN_FATAL "__veer_san_fatal"   // void (struct site *), does not
#ifdef __clang__
#define SAN_CALL __attribute__((preserve_most))
SAN_CALL void __veer_san_report(struct site *site);
SAN_CALL _Noreturn void __veer_san_fatal(struct site *site);
#endif

#endif
