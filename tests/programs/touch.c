// Of tests/e2e/record.sh: does to files what its arguments say, one after the other.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void copy(int in)
{
	char data[4096];
	for (ssize_t n; (n = read(in, data, sizeof data)) > 0;)
		if (write(1, data, (size_t)n) != n)
			_exit(4);
}

static void cat(const char *path)
{
	int fd = open(path, O_RDONLY);
	if (fd < 0) {
		perror(path);
		return;
	}
	copy(fd);
	close(fd);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list(const char *path)
{
	char *names[64];
	size_t n = 0;
	DIR *d = opendir(path);
	for (struct dirent *e = d ? readdir(d) : NULL; e && n < 64; e = readdir(d))
		names[n++] = strdup(e->d_name);
	qsort(names, n, sizeof *names, by_name);
	for (size_t i = 0; i < n; i++)
		dprintf(1, "%s\n", names[i]);
}

static void *execute(void *argv)
{
	execvp(*(char **)argv, argv);
	return NULL;
}

static void *thread(void *path)
{
	cat(path);
	return NULL;
}

static void put(const char *path, const char *text, int flags)
{
	int fd = open(path, O_WRONLY | O_CREAT | flags, 0666);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		perror(path);
	close(fd);
}

static void wait_for(pid_t pid)
{
	int status;
	waitpid(pid, &status, 0);
	dprintf(1, "child %d\n", WEXITSTATUS(status));
}

static void send_all(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	fstat(fd, &st);
	while (sendfile(1, fd, NULL, (size_t)st.st_size) > 0)
		continue;
	close(fd);
}

int main(int argc, char **argv)
{
	char **a = argv + 1;
	for (; *a; a++) {
		char byte;
		pthread_t t;
		pid_t pid;
		if (strcmp(*a, "in") == 0)
			copy(0);
		else if (strcmp(*a, "byte") == 0 && read(0, &byte, 1) == 1)
			dprintf(1, "%c\n", byte);
		else if (strcmp(*a, "copied-in") == 0)
			copy(dup(0));
		else if (strcmp(*a, "cat") == 0)
			cat(*++a);
		else if (strcmp(*a, "send") == 0)
			send_all(*++a);
		else if (strcmp(*a, "ls") == 0)
			list(*++a);
		else if (strcmp(*a, "from") == 0)
			copy(atoi(*++a));
		else if (strcmp(*a, "stat") == 0) {
			struct stat st;
			dprintf(1, "%d\n", stat(*++a, &st));
		} else if (strcmp(*a, "say") == 0)
			dprintf(1, "%s\n", *++a);
		else if (strcmp(*a, "put") == 0)
			put(a[1], a[2], O_TRUNC), a += 2;
		else if (strcmp(*a, "append") == 0)
			put(a[1], a[2], O_APPEND), a += 2;
		else if (strcmp(*a, "mv") == 0)
			rename(a[1], a[2]), a += 2;
		else if (strcmp(*a, "ln") == 0)
			link(a[1], a[2]), a += 2;
		else if (strcmp(*a, "symlink") == 0)
			symlink(a[1], a[2]), a += 2;
		else if (strcmp(*a, "rm") == 0)
			unlink(*++a);
		else if (strcmp(*a, "mkdir") == 0)
			mkdir(*++a, 0777);
		else if (strcmp(*a, "cd") == 0)
			chdir(*++a);
		else if (strcmp(*a, "thread") == 0) {
			pthread_create(&t, NULL, thread, *++a);
			pthread_join(t, NULL);
		} else if (strcmp(*a, "thread-exec") == 0) {
			pthread_create(&t, NULL, execute, a + 1);
			pthread_join(t, NULL);
		} else if (strcmp(*a, "fork") == 0) { // the rest, in a child
			pid = fork();
			if (pid) {
				wait_for(pid);
				break;
			}
		} else if (strcmp(*a, "vfork") == 0) {
			if (posix_spawnp(&pid, a[1], NULL, NULL, a + 1, environ) == 0)
				wait_for(pid);
			break;
		} else if (strcmp(*a, "exec") == 0) {
			execvp(a[1], a + 1);
			perror(a[1]);
			return 127;
		} else if (strcmp(*a, "bad") == 0) { // pointers and paths that cannot be
			char path[5000];
			memset(path, 'x', sizeof path);
			path[sizeof path - 1] = 0;
			open((char *)8, O_RDONLY);
			open(path, O_RDONLY);
			open("", O_RDONLY);
			stat((char *)-1, (struct stat *)8);
			rename("x", (char *)16);
		} else if (strcmp(*a, "kill-other") == 0)
			kill(atoi(*++a), 0);
		else if (strcmp(*a, "chroot") == 0)
			chroot(*++a);
		else if (strcmp(*a, "kill") == 0)
			kill(getpid(), atoi(*++a));
		else if (strcmp(*a, "wait") == 0)
			for (;;)
				pause();
		else if (strcmp(*a, "sleep") == 0)
			usleep(1000 * (useconds_t)atoi(*++a));
		else if (strcmp(*a, "exit") == 0)
			return atoi(*++a);
	}
	return 0;
}
