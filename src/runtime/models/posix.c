// Reading through descriptors, sockets and mappings; sizes and positions of files.
#include "runtime/models/model.h"
