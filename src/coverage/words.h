// The words of a program (abi/words.h): what its conditions compare with.
#ifndef VEER_COVERAGE_WORDS_H
#define VEER_COVERAGE_WORDS_H

#include "base/buf.h"
#include "base/err.h"

// Adds those of the variant at `path`, each once. A variant without words adds nothing. The file may be damaged or
// hostile: -1 with *err filled, and what was read before stays.
int words_add(struct strv *words, const char *path, struct err *err);
// The same for the content of a section.
int words_add_section(struct strv *words, const void *data, size_t size, struct err *err);

#endif
