// The support archive: symbolic input as other tools' programs ask for it. veer-cc appends
// it to every link of an executable; a member is linked in only when the program leaves one
// of its symbols undefined.
//
// It is compiled by veer-cc itself, so its members are instrumented in variants and labels
// pass through them. Natively veer.h's functions are null and values stay what they are, or
// are those of a .ktest file.
// Every function is weak: a program that has its own is not disturbed.
#ifndef VEER_SUPPORT_H
#define VEER_SUPPORT_H

#include <stdio.h>
#include <stdlib.h>

// The section tells the instrumenter that a place in such a function is none of the program's:
// the caller declares to veer what is there.
#define INSIDE __attribute__((section(".text.veer_support")))
#define SUPPORT __attribute__((weak)) INSIDE

// Natively: the bytes that KTEST_FILE has for the next object; without that they stay. `name` NULL: whatever it is
// called there.
void veer_support_take(void *data, size_t size, const char *name);

// The program asked for what cannot be: one line, and the end.
static inline _Noreturn void support_fail(const char *text)
{
	fprintf(stderr, "error: %s\n", text);
	abort();
}

#endif
