// A report of AddressSanitizer with addresses in place of source lines, as the oracle's runs write it. The text may
// be anybody's.
#ifndef VEER_FINDINGS_ADDRESS_H
#define VEER_FINDINGS_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct address_frame {
	size_t at, size; // its line in the text
	unsigned stack;  // which of the stacks in the text
	char *module;
	uint64_t offset;
	const char
		*lines; // "FUNCTION FILE:LINE", or FUNCTION of a library, a line each, innermost first; NULL: unknown
};

struct address_report {
	char *kind; // in lower case; NULL when the text reports no error: it may still have stacks
	struct address_frame *v;
	size_t n;
};

void address_parse(struct address_report *ret, const char *text);
void address_release(struct address_report *r);

// The frames of stack number `stack` that lie in the program, a line each. Those that lie in headers of the system,
// or in functions of veer's that the program calls, are left out unless there are no others.
void address_stack(const struct address_report *r, unsigned stack, struct buf *ret);

// The text with source lines where they are known, without control characters.
void address_explain(const struct address_report *r, const char *text, struct buf *ret);

#endif
