// Reading through streams.
#include "runtime/models/model.h"
