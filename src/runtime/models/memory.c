// Copying, filling and searching memory.
#include "runtime/models/model.h"
