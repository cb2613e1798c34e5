// Where a campaign begins: a command line with marks in it, turned into first inputs and what of them is symbolic.
//
//   @@                     a file; its content is input
//   --sym-arg N            an argument of up to N bytes
//   --sym-args MIN MAX N   that many arguments of up to N bytes
//   --sym-files NUM N      files A, B, C ... of up to N bytes in the working folder
//   --sym-stdin N          up to N bytes of standard input
#ifndef VEER_INPUT_INPUT_TEMPLATE_H
#define VEER_INPUT_INPUT_TEMPLATE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "formats/foreign.h"
#include "input/adapter.h"
#include "input/input.h"

struct input_template {
	struct input *seeds;
	size_t n_seeds;
	struct input largest;   // parts of seeds must not grow beyond these
	bool bounded;           // largest says so
	struct buf sym;         // the words after --sym
	struct adapter adapter; // for more inputs of that command
};

// `sym`: what the user says is symbolic; NULL: standard input, what is marked, and the arguments unless one
// of them names a marked file. `foreigns`: inputs of other tools, a seed each (input/adapter.h); NULL: none.
// `stdin_fd`: a regular file or a pipe there is the first standard input.
int input_template_read(struct input_template *ret, char **argv, const char *sym, const struct foreigns *foreigns,
                        int stdin_fd, const char *cwd, struct err *err);
void input_template_release(struct input_template *s);

#endif
