// The functions of one version, none of which main calls.
#define V(name) name
#include "functions.h"

int main(void)
{
	return 0;
}
