// A loop without an effect that a signal ends.
#include "benign.h"
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
static void on_alarm(int signal)
{
	(void)signal;
	_Exit(4);
}
int endless_loop(void)
{
	struct itimerval soon = {.it_value = {0, 20000}};
	unsigned n = 1;
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &soon, NULL);
	while (n)
		n += 2;
	printf("the loop ended\n");
	return 0;
}
