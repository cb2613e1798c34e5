// A handler sets a variable that is not volatile.
#include "benign.h"
#include <signal.h>
#include <sys/time.h>
static int done;
static void on_alarm(int signal)
{
	(void)signal;
	done = 1;
}
int flag_loop(void)
{
	struct itimerval soon = {.it_value = {0, 20000}};
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &soon, NULL);
	while (!done)
		;
	printf("done\n");
	return 0;
}
