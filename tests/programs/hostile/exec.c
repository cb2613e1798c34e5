// Attacks by other programs.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hostile.h"

// What it prints; its exit status.
static int run(char *const argv[], char *output, size_t size)
{
	int pipes[2], status = -1;
	if (pipe(pipes) < 0)
		return -1;
	pid_t pid = fork();
	if (pid == 0) {
		dup2(pipes[1], 1);
		close(pipes[0]);
		alarm(5);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(pipes[1]);
	size_t used = 0;
	for (ssize_t n; used + 1 < size && (n = read(pipes[0], output + used, size - 1 - used)) > 0;)
		used += (size_t)n;
	output[used] = 0;
	close(pipes[0]);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

ATTACK(exec_setuid)
{
	char output[64], path[4096];
	snprintf(path, sizeof path, "%s", in(at, "setuid"));
	char *argv[] = {path, "-u", NULL};
	int status = run(argv, output, sizeof output);
	through(getuid() != 0 && status == 0 && strcmp(output, "0\n") == 0, "ran with root's rights");
}

// One that it makes itself.
ATTACK(exec_own_setuid)
{
	char output[64];
	static char data[1 << 20];
	int from = open("/usr/bin/id", O_RDONLY), to = open("sub/id", O_CREAT | O_WRONLY, 0755);
	ssize_t n = read(from, data, sizeof data);
	(void)!write(to, data, n > 0 ? (size_t)n : 0);
	(void)!fchown(to, 0, 0);
	fchmod(to, 06755);
	close(from);
	close(to);
	char *argv[] = {"sub/id", "-u", NULL};
	int status = run(argv, output, sizeof output);
	through(getuid() != 0 && status == 0 && strcmp(output, "0\n") == 0, "ran with root's rights");
	(void)at;
}

ATTACK(exec_shell)
{
	char output[256], command[8192];
	snprintf(command, sizeof command,
	         "echo harm >%s/file; rm -rf %s/folder; mv %s/exec %s/moved; (sleep 20; echo late >%s/file) & kill -9 "
	         "$PPID",
	         at, at, at, at, at);
	char *argv[] = {"/bin/sh", "-c", command, NULL};
	if (fork() == 0) {
		run(argv, output, sizeof output);
		_exit(0);
	}
	wait(NULL);
}

// The program again, through the kernel, not through the server.
ATTACK(exec_again)
{
	if (getenv("HOSTILE_AGAIN"))
		return;
	char output[256];
	setenv("HOSTILE_AGAIN", "1", 1);
	char *again[] = {"/proc/self/exe", "files_write", NULL};
	run(again, output, sizeof output);
	(void)at;
}

// veer inside of veer.
ATTACK(exec_veer)
{
	char output[4096];
	char *version[] = {"veer", "explore", "--unsafe-no-sandbox", "--runs", "1", "-o",
	                   "out",  "--",      "/proc/self/exe",      NULL};
	run(version, output, sizeof output);
	char *clean[] = {"veer", "clean", NULL};
	run(clean, output, sizeof output);
	(void)at;
}

// Without a file that has a name.
ATTACK(exec_nameless)
{
	char *argv[] = {"id", "-u", NULL};
	int fd = open(".", O_TMPFILE | O_RDWR, 0700), from = open("/usr/bin/id", O_RDONLY);
	static char data[1 << 20];
	ssize_t n = read(from, data, sizeof data);
	(void)!write(fd, data, n > 0 ? (size_t)n : 0);
	if (fork() == 0) {
		alarm(5);
		syscall(SYS_execveat, fd, "", argv, (char *[]){NULL}, 0x1000);
		_exit(0);
	}
	wait(NULL);
	(void)at;
}

// Libraries that are loaded before anything of veer's.
ATTACK(exec_preload)
{
	char output[256];
	char *argv[] = {"/bin/sh", "-c", "LD_PRELOAD=/proc/self/exe LD_AUDIT=/proc/self/exe exec /bin/true", NULL};
	run(argv, output, sizeof output);
	setenv("LD_PRELOAD", "libc.so.6", 1);
	setenv("HOSTILE_AGAIN", "1", 1);
	char *again[] = {"/proc/self/exe", "files_truncate", NULL};
	run(again, output, sizeof output);
	(void)at;
}
