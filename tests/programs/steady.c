// What is the same in every run that is to be steady.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
	struct timeval tv;
	struct timespec ts;
	unsigned q[2];
	time_t t = time(NULL);
	gettimeofday(&tv, NULL);
	printf("%ld %ld.%06ld\n", (long)t, (long)tv.tv_sec, (long)tv.tv_usec);
	sleep(100);
	usleep(3000000);
	nanosleep(&(struct timespec){4, 0}, NULL);
	printf("slept %ld\n", (long)time(NULL) - (long)t);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	printf("%ld.%09ld %ld\n", (long)ts.tv_sec, ts.tv_nsec, (long)clock());
	while (time(NULL) < t + 110)
		;
	getrandom(q, sizeof q, 0);
	printf("%x %x\n", q[0], q[1]);
	getentropy(q, sizeof q);
	printf("%x %x %p\n", q[0], q[1], (void *)&t);
	int fd = open("/dev/urandom", O_RDONLY);
	FILE *f = fopen("/dev/random", "r");
	printf("%zd", read(fd, q, sizeof q));
	printf(" %x %x", q[0], q[1]);
	printf(" %zu", fread(q, sizeof q, 1, f));
	printf(" %x %x\n", q[0], q[1]);
	printf("process %d\n", (int)getpid());
	DIR *d = opendir("dir");
	for (struct dirent *e; d && (e = readdir(d));)
		printf("%s ", e->d_name);
	rewinddir(d);
	readdir(d);
	long at = telldir(d);
	struct dirent *two = readdir(d);
	seekdir(d, at);
	printf("%d\n", readdir(d) == two);
	closedir(d);
	struct dirent **v;
	int n = scandir("dir", &v, NULL, NULL);
	for (int i = 0; i < n; i++)
		printf("%s ", v[i]->d_name);
	puts("");
	return 0;
}
