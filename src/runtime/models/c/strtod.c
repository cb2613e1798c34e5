// Floating-point numbers from text.
#include "runtime/models/c/model_c.h"
