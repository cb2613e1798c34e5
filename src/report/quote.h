// What a line of C calls the operand that a check is about.
#ifndef VEER_REPORT_QUOTE_H
#define VEER_REPORT_QUOTE_H

#include "base/buf.h"
#include "explain/explain.h"

// Adds the text of an operand of the expression at `column`, counted from 1: of an array's name the index, of an
// operator what stands beside it. False, and nothing is added, when the line does not look like that: it is another one
// by now, or a macro.
bool quote_operand(const char *line, uint32_t column, enum operand_side edge, struct buf *out);

#endif
