// The environment, paths, and what is concrete by nature.
#include "runtime/models/model.h"
