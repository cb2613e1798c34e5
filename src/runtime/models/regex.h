// Between the parts of the model of regular expressions.
#ifndef VEER_RUNTIME_MODELS_REGEX_H
#define VEER_RUNTIME_MODELS_REGEX_H

#include <regex.h>

#include "runtime/models/automaton.h"

// The automaton of a pattern that libc has compiled; NULL when it has parts that are not
// known here (back-references, collating symbols), or is too large.
struct automaton *regex_parse(const char *text, size_t length, reg_syntax_t syntax);

#endif
