#include "run/record.h"
