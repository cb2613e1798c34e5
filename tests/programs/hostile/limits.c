// Attacks on room and time. Each has bounds of its own, a few times what is promised.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "hostile.h"

enum { MB = 1 << 20, SLACK = 8 };

static char block[MB];

// Megabytes that could be written below a folder, `most` at most, in files of one.
static int fill(const char *folder, int most)
{
	int n = 0;
	signal(SIGXFSZ, SIG_IGN);
	for (int i = 0; i < most; i++) {
		char path[4096];
		snprintf(path, sizeof path, "%s/fill%d", folder, i);
		int fd = open(path, O_CREAT | O_WRONLY, 0600);
		bool all = fd >= 0 && write(fd, block, MB) == MB;
		if (fd >= 0)
			close(fd);
		if (!all)
			break;
		n++;
	}
	return n;
}

ATTACK(limits_disk)
{
	(void)at;
	int n = fill(".", 100);
	char what[64];
	snprintf(what, sizeof what, "%d MB", n);
	through(namespaces() && n > 48 + SLACK, what);
}

// `open` is another file system than the view's.
ATTACK(limits_open)
{
	(void)at;
	const char *shared = open_folder();
	if (!shared[0])
		say("there is no shared folder\n");
	int n = shared[0] ? fill(shared, 200) : 0;
	through(namespaces() && n > 16 + SLACK, "more than 16 MB in what is shared with veer");
}

ATTACK(limits_all)
{
	(void)at;
	int n = fill(".", 70) + fill("/tmp", 70) + fill("/dev/shm", 70) + fill("/var/tmp", 70);
	n += namespaces() ? fill(open_folder(), 70) : 0;
	through(namespaces() && n > 64 + SLACK, "more than 64 MB in all");
}

ATTACK(limits_files)
{
	(void)at;
	int n = 0;
	mkdir("many", 0700);
	for (char name[32]; n < 40000; n++) {
		snprintf(name, sizeof name, "many/%d", n);
		int fd = open(name, O_CREAT | O_WRONLY, 0600);
		if (fd < 0)
			break;
		close(fd);
		if (!namespaces() && n == 500)
			break; // it is a disk, and all are to be removed
	}
	through(namespaces() && n > 32768, "more than 32,768 files");
}

ATTACK(limits_file)
{
	(void)at;
	signal(SIGXFSZ, SIG_IGN);
	int fd = open("large", O_CREAT | O_RDWR, 0600), n = 0;
	while (n < 4 && write(fd, block, MB) == MB)
		n++;
	through(n > 1, "a file of more than 1 MB");
	through(ftruncate(fd, 1L << 40) == 0, "a sparse file of 1 TB");
	through(fallocate(fd, 0, 0, 1L << 30) == 0, "fallocate of 1 GB");
	through(pwrite(fd, "x", 1, 1L << 40) == 1, "a byte at 1 TB");
	through(setrlimit(RLIMIT_FSIZE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}) == 0, "no limit of files");
	close(fd);
}

ATTACK(limits_signal)
{
	(void)at;
	int fd = open("large", O_CREAT | O_RDWR, 0600);
	for (int i = 0; i < 4; i++)
		if (write(fd, block, MB) < 0)
			perror("write"); // it is still there
}

ATTACK(limits_memory)
{
	(void)at;
	for (int i = 0; i < 1600; i++) {
		char *p = mmap(NULL, MB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED)
			return;
		for (int k = 0; k < MB; k += 4096)
			p[k] = 1;
	}
	usleep(600000);
	through(true, "1,600 MB");
}

ATTACK(limits_shared)
{
	(void)at;
	if (!namespaces())
		return; // does not count there: docs/SANDBOX.md
	for (int i = 0; i < 1600; i++) {
		char *p = mmap(NULL, MB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED)
			return;
		for (int k = 0; k < MB; k += 4096)
			p[k] = 1;
	}
	usleep(600000);
	through(true, "1,600 MB of shared memory");
}

ATTACK(limits_locked)
{
	(void)at;
	through(setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}) == 0 &&
	                mlockall(MCL_FUTURE) == 0,
	        "memory that is never swapped out");
	through(setrlimit(RLIMIT_NPROC, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}) == 0 && getuid(),
	        "no limit of processes");
	through(setrlimit(RLIMIT_CORE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}) == 0, "core dumps");
}

ATTACK(limits_output)
{
	(void)at;
	signal(SIGXFSZ, SIG_IGN);
	for (int i = 0; i < 20; i++)
		(void)!write(1, block, MB);
	(void)!lseek(1, 1L << 40, SEEK_SET);
	(void)!write(1, "x", 1);
	(void)!ftruncate(1, 1L << 40);
	usleep(300000);
}

ATTACK(limits_deep)
{
	(void)at;
	for (int i = 0; i < (namespaces() ? 1500 : 200); i++) // all are to be removed
		if (mkdir("deeper", 0700) < 0 || chdir("deeper") < 0)
			break;
	close(open("bottom", O_CREAT | O_WRONLY, 0600));
}

ATTACK(limits_names)
{
	(void)at;
	char name[256];
	memset(name, 'n', 255);
	name[255] = 0;
	for (int i = 0; i < 300; i++) {
		snprintf(name, 8, "%06d", i);
		name[6] = (char)(1 + i % 31);
		close(open(name, O_CREAT | O_WRONLY, 0600));
	}
	memset(name, 0xff, 255);
	mkdir(name, 0700);
	(void)!symlink(name, "\"'`$(touch harm)\n\r\x1b]0;");
	(void)!symlink("loop", "loop");
	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof name, "link%d", i);
		(void)!link("mine", name);
	}
}

ATTACK(limits_time)
{
	(void)at;
	alarm(30);
	for (;;)
		usleep(1000);
}

static int recurse(volatile char *p, int n)
{
	volatile char room[4096];
	room[0] = p ? p[0] : 1;
	return n == 1 << 20 ? 0 : recurse(room, n + 1) + room[0];
}

ATTACK(limits_stack)
{
	(void)at;
	recurse(NULL, 0);
}

// Page tables, which count as nobody's memory: a page for each byte that is read, of 700 GB that are not there.
ATTACK(limits_tables)
{
	(void)at;
	const size_t part = (size_t)2 << 20, size = (size_t)700 << 30;
	char *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED || madvise(p, size, MADV_NOHUGEPAGE) < 0)
		return;
	for (size_t i = 0; i < size; i += part)
		if (madvise(p + i, 4096, 22) < 0) // MADV_POPULATE_READ
			return;
	usleep(600000);
	through(true, "1,400 MB of page tables");
}

// Shared memory of which a process has a page mapped, or nothing that it was given.
ATTACK(limits_left)
{
	(void)at;
	for (int i = 0; i < 1600; i++) {
		char *p = mmap(NULL, MB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (p == MAP_FAILED)
			return;
		for (int k = 0; k < MB; k += 4096)
			p[k] = 1;
		if (i % 2)
			munmap(p + 4096, MB - 4096);
		else
			madvise(p, MB, MADV_DONTNEED);
	}
	usleep(600000);
	through(true, "1,600 MB of shared memory that is not mapped");
}

// Files without content, by what else they have.
ATTACK(limits_heads)
{
	(void)at;
	char value[4096], name[64];
	int n = 0;
	memset(value, 'v', sizeof value);
	int fd = open("marked", O_CREAT | O_WRONLY, 0600);
	for (; fd >= 0 && n < 40000; n++) {
		snprintf(name, sizeof name, "user.%d", n);
		if (fsetxattr(fd, name, value, sizeof value, 0) < 0)
			break;
	}
	if (fd >= 0)
		close(fd);
	through(n > 24000, "100 MB of attributes");
}
