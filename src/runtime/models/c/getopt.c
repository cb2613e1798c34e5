// Options of a command line.
#include "runtime/models/c/model_c.h"
