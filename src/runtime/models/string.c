// Length, searching, copying and cutting of strings.
#include "runtime/models/model.h"
