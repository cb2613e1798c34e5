// Between the models of characters (multibyte.c) and of strings (multibyte_string.c).
#ifndef VEER_RUNTIME_MODELS_MULTIBYTE_H
#define VEER_RUNTIME_MODELS_MULTIBYTE_H

#include <sys/types.h>
#include <wchar.h>

#include "runtime/models/chars.h"

enum charset { CHARSET_ASCII, CHARSET_UTF8, CHARSET_OTHER };

enum { BAD = -1, INCOMPLETE = -2 }; // as mbrtowc returns them, beside lengths
enum { LONGEST = 6 };               // bytes of a character

enum charset multibyte_charset(void);

// The length of the character at s, of which n bytes can be read.
int multibyte_decode(const unsigned char *s, size_t n, enum charset set, uint32_t *ret);

// The character at s in a string, which zero ends.
struct sym multibyte_describe_in_string(struct site *site, const unsigned char *s, size_t n, enum charset set);

// How many bytes it has, or BAD.
int multibyte_encoded_length(uint32_t wc, enum charset set);

// Is it longer than so many bytes, and so on up to its length; and is it a character at all?
void multibyte_branch_on_length(struct site *site, struct sym wc, int length, enum charset set);

// Labels of the bytes that it has become.
void multibyte_label_bytes(char *to, struct sym wc, int length);

// Whether the state is at its start, before a call. `own`: of a function's own state.
bool multibyte_is_initial(struct site *site, mbstate_t *state, const bool *pending);

void multibyte_note_state(mbstate_t *state, bool *pending, ssize_t result);

#endif
