// Calls through pointers to functions of another type: more arguments, another kind of pointer, void for int.
#include "benign.h"

typedef int (*action)(void *data, int extra);
static int only_data(const char *data)
{
	return data[0];
}
static void no_result(int *data)
{
	++*data;
}
static int nothing(void)
{
	return 7;
}
int function_type(void)
{
	int n = 4;
	action list[] = {(action)only_data, (action)nothing};
	void (*later)(void *) = (void (*)(void *))no_result;
	later(&n);
	((action)no_result)(&n, 1);
	printf("%d %d %d\n", list[input(0)]("A", 2), list[input(1)](&n, 3), n);
	return 0;
}
