// Sorting and searching arrays with a function of the program's.
#include "runtime/models/c/model_c.h"
