// Formatted output.
#include "runtime/models/c/model_c.h"
