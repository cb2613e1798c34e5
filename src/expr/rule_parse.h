// From the text of a rule (rules.def) to its terms: for rule.c, which has the table.
#ifndef VEER_EXPR_RULE_PARSE_H
#define VEER_EXPR_RULE_PARSE_H

#include "expr/rule.h"

// Left-hand side, right-hand side, conditions. The table is ours: what is wrong in it is a bug, and ends the program.
// The terms of the left-hand side come before all others. *r points to the texts.
void rule_parse(struct rule *r, const char *const text[3]);

#endif
