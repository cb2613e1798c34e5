// Attacks on devices, FIFOs and terminals. Nodes are copies in the scratch tree of devices that do nothing, and one
// that no driver has: what is tried is whether they open.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/openat2.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "hostile.h"

// Whether a driver is asked: EPERM and EACCES come before.
static bool reaches(const char *path, int flags)
{
	struct stat st;
	if (lstat(path, &st) < 0)
		return false;
	int fd = open(path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	bool reached = fd >= 0 || errno == ENXIO || errno == ENODEV;
	if (fd >= 0)
		close(fd);
	return reached;
}

ATTACK(devices_character)
{
	through(reaches(in(at, "null"), O_RDWR), "opened a copy of /dev/null to write");
	through(reaches(in(at, "full"), O_WRONLY), "opened a copy of /dev/full to write");
}

ATTACK(devices_read)
{
	through(reaches(in(at, "null"), O_RDONLY), "opened a copy of /dev/null to read");
}

ATTACK(devices_block)
{
	through(reaches(in(at, "block"), O_RDWR), "a block device was asked for");
	through(reaches(in(at, "block"), O_WRONLY), "a block device was asked for");
}

ATTACK(devices_block_read)
{
	through(reaches(in(at, "block"), O_RDONLY), "a block device was asked for, to read");
}

ATTACK(devices_make)
{
	const char *const paths[] = {"node", "sub/node", in(at, "node"), "/dev/node", "/dev/shm/node", "/tmp/node"};
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		if (mknod(paths[i], S_IFCHR | 0666, makedev(1, 3)) == 0)
			through(reaches(paths[i], O_RDWR), paths[i]);
		unlink(paths[i]);
		if (mknod(paths[i], S_IFBLK | 0666, makedev(241, 77)) == 0)
			through(reaches(paths[i], O_RDONLY), paths[i]);
		unlink(paths[i]);
	}
}

// A node under another name.
ATTACK(devices_link)
{
	if (link(in(at, "null"), "node") == 0)
		through(reaches("node", O_RDWR), "opened a hard link of a device");
	if (rename(in(at, "block"), "block") == 0)
		through(reaches("block", O_RDWR), "opened a device that was moved");
}

ATTACK(devices_fifo_write)
{
	scrawl_on(in(at, "fifo"));
	int fd = open(in(at, "fifo"), O_RDWR | O_NONBLOCK);
	scrawl(fd);
	close(fd);
}

// Takes the descriptor.
static bool drain(int fd)
{
	char data[256];
	bool did = through(fd >= 0 && read(fd, data, sizeof data) > 0, "read what was in a FIFO");
	if (fd >= 0)
		close(fd);
	return did;
}

ATTACK(devices_fifo_read)
{
	drain(open(in(at, "full-fifo"), O_RDONLY | O_NONBLOCK));
}

// By ways around its name.
ATTACK(devices_fifo_reopen)
{
	char name[64] = "/proc/self/fd/", digits[] = "00";
	int fd = open(in(at, "fifo"), O_PATH);
	digits[0] = (char)('0' + fd / 10);
	digits[1] = (char)('0' + fd % 10);
	strcat(name, digits + (fd < 10));
	if (fd >= 0)
		scrawl_on(name);
	close(fd);
	if (link(in(at, "fifo"), "fifo") == 0)
		scrawl_on("fifo");
	if (symlink(in(at, "fifo"), "to-fifo") == 0)
		scrawl_on("to-fifo");
	if (rename(in(at, "fifo"), "fifo") == 0)
		scrawl_on("fifo");
}

// To read, by ways around its name and by other calls.
ATTACK(devices_fifo_ways)
{
	const char *fifo = in(at, "full-fifo");
	char path[4096];
	int fd = open(fifo, O_PATH);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	drain(open(path, O_RDONLY | O_NONBLOCK));
	snprintf(path, sizeof path, "/dev/fd/%d", fd);
	drain(open(path, O_RDONLY | O_NONBLOCK));
	snprintf(path, sizeof path, "/proc/self/root%s", fifo);
	drain(open(path, O_RDONLY | O_NONBLOCK));
	snprintf(path, sizeof path, "/proc/thread-self/root%s", fifo);
	drain(open(path, O_RDONLY | O_NONBLOCK));
	close(fd);
	if (symlink(fifo, "to-fifo") == 0)
		drain(open("to-fifo", O_RDONLY | O_NONBLOCK));
	fd = open(at, O_RDONLY | O_DIRECTORY);
	drain(openat(fd, "full-fifo", O_RDONLY | O_NONBLOCK));
	drain(openat(fd, "./full-fifo", O_RDONLY | O_CREAT | O_NONBLOCK, 0600));
	struct open_how how = {.flags = O_RDONLY | O_NONBLOCK};
	drain((int)syscall(SYS_openat2, fd, "full-fifo", &how, sizeof how));
	close(fd);
	if (chdir(at) == 0)
		drain(open("full-fifo", O_RDONLY | O_NONBLOCK));
}

static struct {
	char path[4096];
	const char *names[2];
	bool done;
} race;

static void *exchange(void *ignored)
{
	(void)ignored;
	for (unsigned i = 0; !__atomic_load_n(&race.done, __ATOMIC_RELAXED); i++)
		strcpy(race.path, race.names[i % 2]);
	return NULL;
}

// The path changes while it is looked at: a file of its own, and a FIFO.
ATTACK(devices_fifo_race)
{
	enum { TIMES = 2000 };
	pthread_t other;
	char mine[1024];
	race.names[0] = getcwd(mine, sizeof mine - 8) ? strcat(mine, "/mine") : "mine";
	race.names[1] = in(at, "full-fifo");
	race.done = false;
	strcpy(race.path, race.names[0]);
	if (pthread_create(&other, NULL, exchange, NULL) != 0)
		return;
	for (int i = 0; i < TIMES; i++) {
		struct stat st;
		int fd = open(race.path, O_RDONLY | O_NONBLOCK);
		if (fd >= 0 && fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) && drain(fd))
			break;
		if (fd >= 0)
			close(fd);
	}
	__atomic_store_n(&race.done, true, __ATOMIC_RELAXED);
	pthread_join(other, NULL);
}

static void *swap(void *ignored)
{
	(void)ignored;
	while (!__atomic_load_n(&race.done, __ATOMIC_RELAXED))
		(void)!syscall(SYS_renameat2, AT_FDCWD, "one", AT_FDCWD, "two", 1 << 1); // RENAME_EXCHANGE
	return NULL;
}

// The same by names: a folder of its own and a link to the canary's change places.
ATTACK(devices_fifo_swap)
{
	enum { TIMES = 2000 };
	pthread_t other;
	(void)!mkdir("one", 0700);
	if (symlink(at, "two") < 0 || mkfifo("one/full-fifo", 0600) < 0)
		return;
	race.done = false;
	if (pthread_create(&other, NULL, swap, NULL) != 0)
		return;
	for (int i = 0; i < TIMES; i++)
		if (drain(open(i % 2 ? "one/full-fifo" : "one/../two/full-fifo", O_RDONLY | O_NONBLOCK)))
			break;
	__atomic_store_n(&race.done, true, __ATOMIC_RELAXED);
	pthread_join(other, NULL);
}

// Processes that wait for a FIFO's other end for good: whoever opens files for runs goes on with others'.
ATTACK(devices_waiters)
{
	(void)at;
	if (mkfifo("own-fifo", 0600) < 0)
		return;
	for (int i = 0; i < 40; i++)
		if (fork() == 0) {
			alarm(10);
			close(open("own-fifo", O_RDONLY));
			_exit(0);
		}
	usleep(50000);
	int fd = open("mine", O_RDONLY);
	through(fd < 0, "no file can be opened any more");
	close(fd);
}

static int listen_to_opens(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof code / sizeof *code, code};
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

// A later filter's listener would be asked in the place of an earlier one, and could let everything through.
ATTACK(devices_listener)
{
	int listener = listen_to_opens();
	if (listener < 0)
		return;
	pid_t pid = fork();
	if (pid == 0) {
		struct seccomp_notif call = {0};
		while (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call) == 0) {
			struct seccomp_notif_resp answer = {.id = call.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
			ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
			memset(&call, 0, sizeof call);
		}
		_exit(0);
	}
	drain(open(in(at, "full-fifo"), O_RDONLY | O_NONBLOCK));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(listener);
}

// Opened for neither reading nor writing, only to be controlled.
ATTACK(devices_neither)
{
	enum { NEITHER = 3 };
	through(reaches(in(at, "null"), NEITHER), "opened a copy of /dev/null to control it");
	through(reaches(in(at, "block"), NEITHER), "a block device was asked for, to control it");
}

ATTACK(devices_terminal)
{
	char name[64] = "";
	int fd = open(in(at, "pty"), O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, name, sizeof name - 1);
	close(fd);
	if (n <= 0)
		return;
	scrawl_on(name);
	fd = open(name, O_RDWR | O_NOCTTY | O_NONBLOCK);
	through(fd >= 0 && ioctl(fd, TIOCSTI, "x") == 0, "typed into a terminal");
	close(fd);
	fd = open(name, O_RDONLY | O_NOCTTY | O_NONBLOCK);
	struct termios t;
	if (fd >= 0 && tcgetattr(fd, &t) == 0)
		through(tcsetattr(fd, TCSANOW, &t) == 0, "set a terminal");
	close(fd);
}

ATTACK(devices_typing)
{
	(void)at;
	int tty = open("/dev/tty", O_RDWR | O_NONBLOCK);
	through(tty >= 0 && ioctl(tty, TIOCSTI, "x") == 0, "typed into /dev/tty");
	close(tty);
	for (int fd = 0; fd < 64; fd++) {
		through(isatty(fd), "a terminal was handed down");
		ioctl(fd, TIOCSCTTY, 1);
		ioctl(fd, TIOCNOTTY);
	}
	through(ioctl(0, TIOCSTI, "x") == 0, "typed into standard input");
}

// Devices that a run can see, none of which is opened.
ATTACK(devices_seen)
{
	(void)at;
	static const char *const promised[] = {"null", "zero",  "full",   "random", "urandom", "tty", "shm",
	                                       "fd",   "stdin", "stdout", "stderr", "pts",     "ptmx"};
	DIR *dir = namespaces() ? opendir("/dev") : NULL;
	for (struct dirent *e; dir && (e = readdir(dir));) {
		bool is = e->d_name[0] == '.';
		for (size_t i = 0; i < sizeof promised / sizeof *promised; i++)
			is = is || strcmp(e->d_name, promised[i]) == 0;
		through(!is, e->d_name);
	}
	if (dir)
		closedir(dir);
}
