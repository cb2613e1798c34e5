#include "runtime/serve/serve.h"

bool steady;

void steady_start(int64_t clock)
{
	(void)clock;
	steady = true;
}
