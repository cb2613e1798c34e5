// Regular expressions and patterns of file names.
#include "runtime/models/c/model_c.h"
