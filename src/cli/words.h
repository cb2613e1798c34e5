// The words that options take, from the tables where they are defined: help, manual pages, docs/reference, completion
// and messages name them all, and a new row of a table needs no edit here.
#ifndef VEER_CLI_WORDS_H
#define VEER_CLI_WORDS_H

#include <stdbool.h>

#include "cli/options.h"

// Whether option `name` takes one of a fixed set of words. *ret_words: they, separated by blanks, the caller's;
// *ret_list: several may be given, separated by commas. Both are written only when the result is true.
bool words_of_option(const char *name, char **ret_words, bool *ret_list);

// The words of option `name`, which must have some, for a sentence: "a, b, c". The caller's.
char *words_listed(const char *name);

// What help says about an option: its text, with the words in place of "{}". The caller's.
char *words_help(const struct option_spec *option);

#endif
