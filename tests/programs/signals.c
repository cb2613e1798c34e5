// Handlers that come between a call and its labels: none may get lost or mixed up.
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

#include "veer.h"

static volatile int ticks, sum;

static int id(int x)
{
	return x;
}

static int work(int a, int b)
{
	return id(a) + id(b);
}

static void tick(int number)
{
	(void)number;
	ticks++;
	sum += work(1, 2);
}

static void tick_with_info(int number, siginfo_t *info, void *context)
{
	(void)context;
	ticks++;
	sum += work(info->si_signo, number);
}

int main(void)
{
	int x = 1, lost = 0;
	if (veer_make_symbolic)
		veer_make_symbolic(&x, sizeof x, "x");
	struct sigaction a = {.sa_handler = tick}, old;
	sigaction(SIGALRM, &a, NULL);
	a.sa_sigaction = tick_with_info;
	a.sa_flags = SA_SIGINFO;
	sigaction(SIGALRM, &a, &old);
	if (old.sa_handler != tick)
		puts("sigaction does not know the old handler");
	if (signal(SIGUSR1, tick) != SIG_DFL || signal(SIGUSR1, SIG_IGN) != tick)
		puts("signal does not know the old handler");
	struct itimerval every = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
	setitimer(ITIMER_REAL, &every, NULL);
	for (int n = 0; ticks < 300; n++) {
		int r = work(x, 3);
		if (veer_is_symbolic && n < 100000)
			lost += !veer_is_symbolic(&r, sizeof r);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	puts("done");
	if (lost && veer_make_symbolic)
		printf("%d labels lost\n", lost);
	return 0;
}
