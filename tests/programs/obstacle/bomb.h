// What an obstacle hides: a program has reached its goal when it calls bomb(). LEVEL is 1 or 2.
#pragma once
#include <stdlib.h>

#ifndef LEVEL
#define LEVEL 1
#endif

static inline void bomb(void)
{
	abort();
}
