// Does harm: to the files it is pointed at, to other processes, to the machine's resources. Only inside a sandbox: it
// looks whether its folder is an overlay, which the test has made sure it is not outside, or whether a folder beside
// its own, which anybody may write to, cannot be written to. Otherwise it ends with status 3 and has done nothing.
//
//   harmful HARM [PATH]    PATH: a folder of canary files made by the test
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

enum { OVERLAY = 0x794c7630, FORKS = 2000, OUTSIDE = 3 };

static int is_inside(void)
{
	struct statfs fs;
	if (statfs(".", &fs) == 0 && fs.f_type == OVERLAY)
		return 1;
	const char *beside = getenv("HARMFUL_BESIDE");
	if (!beside || access(beside, F_OK) < 0)
		return 0;
	char path[4096];
	snprintf(path, sizeof path, "%s/inside", beside);
	int fd = open(path, O_CREAT | O_WRONLY, 0600);
	if (fd >= 0) {
		close(fd);
		unlink(path);
	}
	return fd < 0 && errno == EACCES;
}

// Each file in the folder.
static int with_files(const char *folder, int (*harm)(const char *path))
{
	DIR *dir = opendir(folder);
	int n = 0;
	for (struct dirent *e; dir && (e = readdir(dir));) {
		char path[8192];
		snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
		if (strcmp(e->d_name, ".") && strcmp(e->d_name, ".."))
			n += harm(path) == 0;
	}
	if (dir)
		closedir(dir);
	printf("%d\n", n);
	return 0;
}

static int overwrite(const char *path)
{
	int fd = open(path, O_WRONLY | O_TRUNC);
	return fd < 0 || write(fd, "harm", 4) != 4 ? -1 : close(fd);
}

static int move(const char *path)
{
	char to[9000];
	snprintf(to, sizeof to, "%s.moved", path);
	return strstr(path, ".moved") ? -1 : rename(path, to);
}

static int lock(const char *path)
{
	return chmod(path, 0);
}

static int fill(void)
{
	static char block[1 << 16];
	signal(SIGXFSZ, SIG_IGN);
	for (int i = 0; i < 100000; i++) {
		char name[32];
		snprintf(name, sizeof name, "fill%d", i);
		int fd = open(name, O_CREAT | O_WRONLY, 0600);
		for (int k = 0; k < 16 && fd >= 0; k++)
			if (write(fd, block, sizeof block) < 0 && errno == ENOSPC)
				return 0;
		if (fd < 0)
			return 0;
		close(fd);
		if (i == 100)
			return 0; // where all files together have no limit
	}
	return 0;
}

// Stops by itself, by time and by count.
static int bomb(void)
{
	for (int i = 0, end = (int)time(NULL) + 2; i < 10 && time(NULL) < end; i++)
		fork();
	alarm(4);
	for (int i = 0; i < FORKS / 1024; i++)
		fork();
	return pause();
}

static int slay(void)
{
	kill(getppid(), SIGKILL);
	kill(getppid(), SIGSTOP);
	return 0;
}

static int talk(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	printf("%s\n", fd < 0 ? "none" : "socket");
	return 0;
}

static int flood(void)
{
	static char block[1 << 16];
	int fd = open("flood", O_CREAT | O_WRONLY, 0600);
	for (int i = 0; i < 1000; i++)
		if (write(fd, block, sizeof block) < 0)
			return 1;
	return 0;
}

static int hang(void)
{
	return pause();
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*file)(const char *path), (*other)(void);
	} harms[] = {
		{"delete", unlink, NULL}, {"overwrite", overwrite, NULL}, {"move", move, NULL}, {"lock", lock, NULL},
		{"fill", NULL, fill},     {"bomb", NULL, bomb},           {"slay", NULL, slay}, {"talk", NULL, talk},
		{"flood", NULL, flood},   {"hang", NULL, hang},
	};
	if (!is_inside())
		return OUTSIDE;
	for (size_t i = 0; i < sizeof harms / sizeof *harms; i++)
		if (argc > 1 && strcmp(argv[1], harms[i].name) == 0) {
			if (harms[i].other)
				return harms[i].other();
			return argc > 2 ? with_files(argv[2], harms[i].file) : 2;
		}
	return 2;
}
