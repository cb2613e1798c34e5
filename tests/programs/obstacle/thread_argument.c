// A thread gets the input, at level 2 it gives it on under a mutex.
#include "bomb.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int mailbox;

static void *work(void *argument)
{
	int value = *(int *)argument;
#if LEVEL == 1
	if (value == 31337)
		bomb();
	return NULL;
#else
	pthread_mutex_lock(&lock);
	mailbox = value * 5;
	pthread_mutex_unlock(&lock);
	return argument;
#endif
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	int value = atoi(argv[1]);
	pthread_t thread;
	if (pthread_create(&thread, NULL, work, &value) != 0)
		return 1;
	pthread_join(thread, NULL);
	pthread_mutex_lock(&lock);
	if (mailbox == 5 * 1234)
		bomb();
	pthread_mutex_unlock(&lock);
	return 0;
}
