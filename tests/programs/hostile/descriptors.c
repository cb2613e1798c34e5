// Attacks by descriptors: those that were handed down, and those of others below /proc.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hostile.h"

ATTACK(descriptors_folders)
{
	for (int fd = 0; fd < 1024; fd++) {
		struct stat st;
		if (fstat(fd, &st) < 0 || !S_ISDIR(st.st_mode))
			continue;
		through(true, "a folder was handed down");
		int file = openat(fd, in("../../../../../../../..", at), O_RDONLY);
		close(file);
	}
}

// Written to, emptied, moved about in.
ATTACK(descriptors_harm)
{
	(void)at;
	signal(SIGXFSZ, SIG_IGN);
	for (int fd = 0; fd < 1024; fd++) {
		if (fd == 1 || fcntl(fd, F_GETFD) < 0)
			continue;
		scrawl(fd);
		lseek(fd, 1 << 20, SEEK_SET);
		(void)!ftruncate(fd, 0);
		fchmod(fd, 0);
		(void)!fchown(fd, 1, 1);
		fcntl(fd, F_SETFL, O_NONBLOCK | O_APPEND | O_ASYNC);
		fcntl(fd, F_SETOWN, getppid());
		char name[64];
		snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
		int again = open(name, O_RDWR);
		scrawl(again);
		(void)!ftruncate(again, 1 << 20);
		close(again);
	}
}

// Which descriptors a run has: its streams.
ATTACK(descriptors_seen)
{
	(void)at;
	for (int fd = 3; fd < 1024; fd++) {
		char name[64], target[256];
		snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
		ssize_t n = readlink(name, target, sizeof target - 1);
		if (n > 0) {
			target[n] = 0;
			through(true, target);
		}
	}
}

ATTACK(descriptors_seals)
{
	(void)at;
	for (int fd = 0; fd < 3; fd++) {
		char name[64];
		snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
		int again = open(name, O_RDWR);
		const int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW;
		through(fcntl(fd, F_ADD_SEALS, seals) == 0, "sealed a stream");
		through(again >= 0 && fcntl(again, F_ADD_SEALS, seals) == 0, "sealed a stream");
		close(again);
	}
}

// Who opens a file with a lease waits for its owner, for up to 45 seconds: veer and the next run have these streams.
ATTACK(descriptors_leases)
{
	(void)at;
	for (int fd = 0; fd < 3; fd++) {
		fcntl(fd, F_SETSIG, SIGKILL);
		fcntl(fd, F_SETOWN, getppid());
		through(fcntl(fd, F_SETLEASE, F_WRLCK) == 0 || fcntl(fd, F_SETLEASE, F_RDLCK) == 0,
		        "a lease on a stream");
		fcntl(fd, F_SETLEASE, F_UNLCK);
	}
}

// A mapping of the streams that stays while the next run has them.
ATTACK(descriptors_mapped)
{
	(void)at;
	char *p = MAP_FAILED;
	int fd = open("/proc/self/fd/1", O_RDWR);
	if (fd >= 0 && ftruncate(fd, 4096) == 0)
		p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fork() == 0) {
		setsid();
		alarm(10);
		for (int i = 0; i < 1000; i++) {
			usleep(10000);
			if (p != MAP_FAILED)
				p[0] = 'h';
		}
		_exit(0);
	}
	(void)!ftruncate(1, 0);
	say("tried descriptors_mapped\n");
}

// The view is left by the root, the working folder or the descriptors of others.
static void walk(const char *at, pid_t pid)
{
	static const char *const doors[] = {"root", "cwd", "task/%d/root"};
	char path[4096];
	for (size_t i = 0; i < 3; i++) {
		char door[64];
		snprintf(door, sizeof door, doors[i], (int)pid);
		snprintf(path, sizeof path, "/proc/%d/%s%s%s/file", (int)pid, door,
		         i == 1 ? "/../../../../../../../../../.." : "", at);
		int fd = open(path, O_WRONLY);
		scrawl(fd);
		if (fd >= 0)
			close(fd);
		snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, door);
		fd = open(path, O_RDONLY | O_DIRECTORY);
		if (fd >= 0 && namespaces())
			through(true, path);
		if (fd >= 0)
			close(fd);
	}
}

ATTACK(descriptors_parent)
{
	walk(at, getppid());
	walk(at, 1);
	walk(at, (pid_t)number(at, "victim"));
}

// Everybody's, by the worker and the servers.
ATTACK(descriptors_others)
{
	DIR *dir = opendir("/proc");
	for (struct dirent *e; dir && (e = readdir(dir));) {
		pid_t pid = (pid_t)atoi(e->d_name);
		if (pid <= 0 || pid == getpid() ||
		    (!namespaces() && pid != getppid() && pid != (pid_t)number(at, "victim")))
			continue;
		if (namespaces())
			walk(at, pid);
		for (int fd = 0; fd < 32; fd++) {
			char path[64];
			snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, fd);
			int stolen = open(path, O_RDWR | O_NONBLOCK | O_NOCTTY);
			if (stolen >= 0)
				through(true, path);
			close(stolen);
		}
	}
	if (dir)
		closedir(dir);
}

ATTACK(descriptors_mem)
{
	(void)at;
	DIR *dir = opendir("/proc");
	for (struct dirent *e; dir && (e = readdir(dir));) {
		pid_t pid = (pid_t)atoi(e->d_name);
		char path[64];
		if (pid <= 0 || pid == getpid() ||
		    (!namespaces() && pid != getppid() && pid != (pid_t)number(at, "victim")))
			continue;
		snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
		int fd = open(path, O_RDWR);
		through(fd >= 0, path);
		close(fd);
		snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
		fd = open(path, O_RDONLY);
		char byte;
		if (fd >= 0 && namespaces())
			through(read(fd, &byte, 1) == 1, path);
		close(fd);
	}
	if (dir)
		closedir(dir);
}

// The streams are not there when it ends, or are something else.
ATTACK(descriptors_closed)
{
	(void)at;
	int fd = open("sub", O_RDONLY | O_DIRECTORY);
	dup2(fd, 0);
	dup2(fd, 2);
	close(0);
	close(2);
}
