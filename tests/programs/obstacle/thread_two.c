// Two threads work on halves of the input; what they return is put together.
#include "bomb.h"
#include <pthread.h>
#include <stdint.h>
#include <string.h>

static void *sum(void *argument)
{
	const char *text = argument;
	intptr_t total = 0;
	for (int i = 0; i < 3 && text[i]; i++)
		total = total * (LEVEL == 1 ? 1 : 31) + text[i];
	return (void *)total;
}

int main(int argc, char **argv)
{
	if (argc < 2 || strlen(argv[1]) < 6)
		return 1;
	pthread_t first, second;
	if (pthread_create(&first, NULL, sum, argv[1]) != 0 || pthread_create(&second, NULL, sum, argv[1] + 3) != 0)
		return 1;
	void *a, *b;
	pthread_join(first, &a);
	pthread_join(second, &b);
	if ((intptr_t)a == 'l' * (LEVEL == 1 ? 1 : 961) + 'e' * (LEVEL == 1 ? 1 : 31) + 'f' &&
	    (intptr_t)b == 2 * (intptr_t)a - (LEVEL == 1 ? 300 : 100000))
		bomb();
	return 0;
}
