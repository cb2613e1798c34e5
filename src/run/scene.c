#include "run/scene.h"
