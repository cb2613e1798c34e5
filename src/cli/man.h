// Manual pages, in the language of man(7), from the tables that parse command lines.
#ifndef VEER_CLI_MAN_H
#define VEER_CLI_MAN_H

#include "base/buf.h"
#include "cli/commands.h"

void man_veer(struct buf *out);
void man_command(const struct command *command, struct buf *out);

#endif
