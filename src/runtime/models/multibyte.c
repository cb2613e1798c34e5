// Conversion between bytes and wide characters; wide strings.
#include "runtime/models/model.h"
