// reproduce.sh: a script for any POSIX shell that runs a program on an input.
#ifndef VEER_FINDINGS_SCRIPT_H
#define VEER_FINDINGS_SCRIPT_H

#include "base/buf.h"
#include "findings/folder.h"

// A word of the shell that stands for these bytes, whatever they are; no byte of it is a control character. What
// cannot be quoted is put into variables, in lines that are added to `before`; *counter numbers these. A zero byte
// ends the word.
void script_word(struct buf *word, struct buf *before, unsigned *counter, const void *data, size_t size);

// An absolute path without ".", ".." and doubled slashes, which then stays below any folder it is appended to.
// NULL when nothing is left. The caller frees.
char *script_path(const char *path);

// Lines that build $dir/.objects.so and name it in $objects: put before a program, it gives what that makes symbolic
// itself (veer_make_symbolic, klee_make_symbolic) the bytes of the file $VEER_OBJECTS, one object after the other.
extern const char script_preload[];

// The file below input/ that holds part number `i`; the caller frees.
char *script_file(const struct input *in, size_t i);

// `debugged`: for a debugger that calls it with the program it is to become. The working files stay, in the folder
// `root` beside it.
void script_write(const struct finding_text *f, bool debugged, struct buf *ret);

#endif
