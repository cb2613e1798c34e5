// Formatted input.
#include "runtime/models/c/model_c.h"
