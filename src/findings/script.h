// reproduce.sh: a script for any POSIX shell that runs a program on an input.
#ifndef VEER_FINDINGS_SCRIPT_H
#define VEER_FINDINGS_SCRIPT_H

#include "base/buf.h"
#include "findings/folder.h"

// A word of the shell that stands for these bytes, whatever they are; no byte of it is a control character. What
// cannot be quoted is put into variables, in lines that are added to `before`; *counter numbers these. A zero byte
// ends the word.
void script_word(struct buf *word, struct buf *before, unsigned *counter, const void *data, size_t size);

// Lines that print these bytes, behind a tab each. Where the mask is 0, bytes of one kind that follow each other are
// only counted.
void script_content(struct buf *out, const struct buf *data, const struct buf *mask);

// Lines that build $dir/.objects.so and name it in $objects: put before a program, it gives what that makes symbolic
// itself (veer_make_symbolic, klee_make_symbolic) the bytes that VEER_OBJECTS leads to. Lines that write the list of an
// input's objects to $dir/.objects, where that is to point; the bytes of the k-th go to $dir/.objects.k, from 1 on.
extern const char script_preload[];
void script_objects(const struct input *in, struct buf *out);
bool script_has_objects(const struct input *in);

// The file below input/ that holds part number `i`; the caller frees.
char *script_file(const struct input *in, size_t i);

// `debugged`: for a debugger that calls it with the program it is to become. The working files stay, in the folder
// `root` beside it.
void script_write(const struct finding_text *f, bool debugged, struct buf *ret);

// The two parts of it that a test needs. Both want $program, $dir, an empty folder, and $here, where fixture_write()
// has written; `run` wants $limit, words before the command that keep it from running forever.
void script_write_files(const struct finding_text *f, struct buf *ret); // and goes where the program is to run
void script_write_run(const struct finding_text *f, struct buf *ret);

#endif
