// What the steps of veer infer share.
#ifndef VEER_CLI_INFER_H
#define VEER_CLI_INFER_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

// A number in the range; false: it is none.
bool infer_decimal(const char *text, double least, double most, double *ret);
// Words between commas.
void infer_split(const char *text, struct strv *ret);
// Adds the recording, or those of a folder, by name.
int infer_recordings(const char *path, struct strv *ret, struct err *err);

#endif
