// Numbers of C types, as text and as the bytes of x86-64.
#ifndef VEER_FORMATS_CTYPE_H
#define VEER_FORMATS_CTYPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct ctype {
	enum { CTYPE_SIGNED, CTYPE_UNSIGNED, CTYPE_FLOAT, CTYPE_BOOL } kind;
	unsigned size; // bytes: 1, 2, 4, 8, 16
};

// "unsigned long int", and the names of SV-COMP, such as "uchar" in __VERIFIER_nondet_uchar. False: none of these.
bool ctype_parse(const char *name, struct ctype *ret);

// False when the text is no number of that type.
bool ctype_read(const struct ctype *t, const char *text, unsigned char bytes[16]);
// As a constant of C that has exactly that value.
void ctype_write(const struct ctype *t, const void *bytes, struct buf *ret);

#endif
