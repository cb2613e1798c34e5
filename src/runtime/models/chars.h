// What the models of characters and wide strings have in common.
#ifndef VEER_RUNTIME_MODELS_CHARS_H
#define VEER_RUNTIME_MODELS_CHARS_H

#include <wchar.h>

#include "runtime/models/model.h"

// An argument of `width` bits with its label. Callers without a prototype may pass less
// than that; then the rest is not known, and the label is none.
struct sym chars_argument(label l, unsigned width, uint64_t value);

// The condition as a branch of the path. Returns which way it went.
bool chars_branch(struct site *site, struct sym condition);

// The path keeps that the condition is what it is in this run; it cannot be negated.
void chars_keep(struct site *site, struct sym condition, enum trace_reason reason);

// Bytes of memory that are taken as they are.
void chars_concrete(struct site *site, const void *from, size_t size, enum trace_reason reason);
void chars_concrete_string(struct site *site, const char *s);

// low <= x <= high, unsigned
struct sym chars_within(struct sym x, uint64_t low, uint64_t high);

// A function of x, 32 bits wide, which has `n` values from x = `first` on (counted modulo
// 2^32). x must lie there. `shifts`: most values are x plus something, else they are constants.
enum { CHARS_VALUES = 2048 }; // at most
struct sym chars_function(struct sym x, uint32_t first, uint32_t n, const uint32_t *value, bool shifts);

// The length of wide strings: elements that may be looked at, up to the terminator. `seen`
// are known to be readable; those behind are when they lie in the same object.
uint64_t chars_span(const wchar_t *s, uint64_t seen, uint64_t limit);
struct sym chars_wide(const wchar_t *s); // what is in memory there

// f(wc), for functions of one wide character that libc has tables for.
typedef uint32_t chars_wide_function(wint_t wc, uint64_t context);
struct sym chars_of_wide(struct site *site, struct sym wc, chars_wide_function *f, uint64_t context, bool shifts);

#endif
