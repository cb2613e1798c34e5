// Classes of characters, narrow and wide.
#include "runtime/models/model.h"
