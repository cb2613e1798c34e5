// Predicates on strings that every room needs.
#ifndef VEER_BASE_TEXT_H
#define VEER_BASE_TEXT_H

#include <stdbool.h>
#include <string.h>

// Inline, so that the length of a literal is a constant. Every text starts and ends with "".
static inline bool text_starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static inline bool text_ends(const char *text, const char *with)
{
	size_t n = strlen(text), m = strlen(with);
	return n >= m && memcmp(text + n - m, with, m) == 0;
}

#endif
