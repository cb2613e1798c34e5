// What became of recorded tests, said on standard error at the end of `veer test` and `veer amplify`.
#ifndef VEER_CLI_ACCOUNT_H
#define VEER_CLI_ACCOUNT_H

#include "explore/suite.h"
#include "store/account.h"
#include "worker/worker.h"

// The sentence, and the most frequent reasons.
void cli_print_account(const struct account *a);
// Each test that was not analysed, with the reason.
void cli_print_tests(const struct suite *s, const struct worker_program *programs);

// "50%" or "50"; NULL: 0. -1 when it is no percentage.
int cli_percent(const char *text, double *ret);

// Whether enough was analysed: at least one test, and `percent` of them. If not, says so.
bool cli_is_enough(const struct account *a, double percent);

#endif
