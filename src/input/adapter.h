// From inputs as other tools keep them (formats/foreign.h) to what a run is given, and back.
//
// Plain bytes are the content of the file that the command line calls @@, or standard input. Objects of a .ktest are
// those that the program makes symbolic itself, in their order; but when KLEE's model of POSIX made them (there is
// `model_version`), arg0, arg1 ... are arguments, stdin is standard input, A-data, B-data ... are files A, B ... in the
// working folder (A is @@ when the command line has that), and what describes these is passed over.
#ifndef VEER_INPUT_ADAPTER_H
#define VEER_INPUT_ADAPTER_H

#include "base/err.h"
#include "formats/foreign.h"
#include "input/input.h"

#define ADAPTER_FILE "/dev/shm/veer-input" // what @@ stands for: a folder that is emptied, not an overlay

// What a command line gives to every run.
struct adapter {
	struct input base;
	bool has_file;  // @@ is among its words
	char *cwd;      // owned
	size_t *places; // arguments of the base that objects are others for. Owned
	size_t n_places;
	bool marked; // some may also follow
};

void adapter_release(struct adapter *m);

void adapter_content(struct input *in, bool file, const void *data, size_t size); // of @@, or standard input
void adapter_input(const struct adapter *m, const struct foreign *s, struct input *ret);

// As objects with a command line, for KLEE. What has no place there (variables of the environment, files without
// content) is left out; returns how many parts.
size_t adapter_objects(const struct input *in, struct foreign *ret);
// As plain bytes: the first file, or standard input.
void adapter_bytes(const struct input *in, struct foreign *ret);

#endif
