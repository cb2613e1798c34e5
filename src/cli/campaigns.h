// What the commands that run campaigns have in common.
#ifndef VEER_CLI_CAMPAIGNS_H
#define VEER_CLI_CAMPAIGNS_H

#include <stdbool.h>

#include "base/err.h"
#include "explore/campaign.h"
#include "formats/foreign.h"
#include "run/sandbox.h"

// "30s", "5m", "2h", or seconds; NULL: 0. -1 when it is none of these.
int cli_budget(const char *text, double *ret);

// The sandbox that is asked for, or the best there is (name NULL).
int cli_sandbox(const char *name, bool unsafe, enum sandbox_mode *ret, struct err *err);

// "F12" or "12"; -1 when it is neither.
int64_t cli_finding_id(const char *word);

// Where the time went.
void cli_stats(const struct campaign *c, unsigned jobs);

// One line about files that were left out when `path` was read.
void cli_left_out(const struct foreigns *all, const char *path);

#endif
