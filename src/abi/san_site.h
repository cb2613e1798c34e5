// What the sanitized variant tells its runtime when a check of undefined
// behaviour fails. Shared by the instrumenter, which lays these out as constants
// in the program, and by the runtime, which reads them.
#ifndef VEER_ABI_SAN_SITE_H
#define VEER_ABI_SAN_SITE_H

#include <stdint.h>

enum ubsan_kind {
#define UBSAN_TRAP(number, NAME, id, text) UBSAN_##NAME = number,
#include "abi/ubsan.def"
};

struct san_site {
	const char *file; // folder and name as the compiler saw them
	const char *function;
	uint32_t line, column;
	uint32_t kind; // enum ubsan_kind
	uint32_t seen; // reported already in this process
};

// Symbols of the runtime that instrumented code calls, and their prototypes.
#define SAN_REPORT "__veer_san_report" // void (struct san_site *), returns
#define SAN_FATAL "__veer_san_fatal"   // void (struct san_site *), does not
#ifdef __clang__
#define SAN_CALL __attribute__((preserve_most))
SAN_CALL void __veer_san_report(struct san_site *site);
SAN_CALL _Noreturn void __veer_san_fatal(struct san_site *site);
#endif

#endif
