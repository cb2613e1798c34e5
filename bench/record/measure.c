// Runs a command some times and prints the least it took: `measure [-n TIMES] COMMAND...`; wall-clock milliseconds, CPU
// milliseconds of all of its processes, those that outlive it (veer's tracer) included. With `-s N` it starts the
// command N times each time: many short executions without a shell.
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double cpu(void)
{
	struct rusage u;
	getrusage(RUSAGE_CHILDREN, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e3;
}

static void start_and_wait(char **argv)
{
	pid_t pid;
	int status;
	if (posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ) != 0) {
		fprintf(stderr, "cannot run %s\n", argv[0]);
		exit(1);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
}

int main(int argc, char **argv)
{
	int times = 1, starts = 0, c;
	while ((c = getopt(argc, argv, "+n:s:")) != -1) {
		if (c == 'n')
			times = atoi(optarg);
		else if (c == 's')
			starts = atoi(optarg);
		else
			return 2;
	}
	if (optind >= argc)
		return 2;
	if (starts) { // what is measured, under another `measure`
		while (starts--)
			start_and_wait(argv + optind);
		return 0;
	}
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	double least_wall = 1e30, least_cpu = 1e30;
	int keep = dup(1), errors = dup(2);
	for (int i = 0; i < times; i++) {
		int null = open("/dev/null", O_WRONLY);
		dup2(null, 1);
		dup2(null, 2);
		close(null);
		double wall = now(), before = cpu();
		start_and_wait(argv + optind);
		wall = now() - wall;
		while (wait(NULL) > 0 || errno == EINTR)
			continue;
		double used = cpu() - before;
		dup2(keep, 1);
		dup2(errors, 2);
		least_wall = wall < least_wall ? wall : least_wall;
		least_cpu = used < least_cpu ? used : least_cpu;
	}
	printf("%.1f %.1f\n", least_wall, least_cpu);
	return 0;
}
