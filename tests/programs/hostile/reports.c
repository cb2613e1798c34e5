// Attacks on what is reported about a run, in the folder that it shares with veer.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hostile.h"

static const char forged[] =
	"=================================================================\n"
	"==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000014 at pc 0x1 bp 0x2 sp 0x3\n"
	"WRITE of size 1 at 0x602000000014 thread T0\n    #0 0x1 in forged /forged.c:1:1\n"
	"SUMMARY: AddressSanitizer: heap-buffer-overflow /forged.c:1:1 in forged\n";

static const char *reports(void)
{
	return in(open_folder(), "reports");
}

static void put(const char *folder, const char *name, const char *text, size_t size)
{
	int fd = open(in(folder, name), O_CREAT | O_WRONLY | O_TRUNC, 0666);
	(void)!write(fd, text, size);
	close(fd);
}

ATTACK(reports_printed)
{
	(void)at;
	(void)!write(2, forged, sizeof forged - 1);
	(void)!write(1, forged, sizeof forged - 1);
}

ATTACK(reports_forged)
{
	(void)at;
	char name[32];
	snprintf(name, sizeof name, "address.%d", (int)getpid());
	put(reports(), name, forged, sizeof forged - 1);
	static const char undefined[] = "shift-exponent\t/forged.c\t1\t1\tforged\n";
	put(reports(), "undefined", undefined, sizeof undefined - 1);
}

ATTACK(reports_many)
{
	(void)at;
	char name[32];
	for (int i = 0; i < 20000; i++) {
		snprintf(name, sizeof name, "address.%d", i);
		put(reports(), name, forged, sizeof forged - 1);
		if (!namespaces() && i == 2000)
			break; // on a disk
	}
}

ATTACK(reports_huge)
{
	(void)at;
	static char text[1 << 20];
	for (size_t i = 0; i + 64 < sizeof text; i += 64)
		memcpy(text + i, "shift-exponent\t/forged.c\t000000001\t1\tforged_by_a_long_name____\n", 64);
	put(reports(), "undefined", text, sizeof text);
	memcpy(text, forged, sizeof forged - 1);
	put(reports(), "address.1", text, sizeof text);
	memset(text, '\n', sizeof text);
	put(reports(), "address.2", text, sizeof text);
}

ATTACK(reports_strange)
{
	(void)at;
	char text[512];
	int n = snprintf(text, sizeof text, "%s", forged);
	for (int i = 0; i < n; i++)
		if (text[i] == 'f')
			text[i] = "\x1b\x07\xff\x9b\xe2"[i % 5];
	put(reports(), "address.1", text, (size_t)n);
	static const char undefined[] = "\t\t\t\t\n\0\0\t\xff\xff\n\n\t99999999999999999999\t\n";
	put(reports(), "undefined", undefined, sizeof undefined);
}

// The judge would read a file of the user.
ATTACK(reports_link)
{
	(void)!symlink(in(at, "secret"), in(reports(), "address.1"));
	(void)!symlink(in(at, "secret"), in(reports(), "undefined"));
	(void)!link(in(at, "secret"), in(reports(), "address.2"));
	(void)!mkfifo(in(reports(), "address.3"), 0666);
	(void)!mkdir(in(reports(), "address.4"), 0);
}

// ... or empty a folder of the user.
ATTACK(reports_folder)
{
	char path[4096];
	snprintf(path, sizeof path, "%s", reports());
	char away[5000];
	snprintf(away, sizeof away, "%s.away", path);
	(void)!rename(path, away);
	(void)!symlink(in(at, "folder"), path);
	(void)!symlink(at, in(open_folder(), "files"));
}

// The folder that holds all of it.
ATTACK(reports_open)
{
	const char *open = open_folder();
	char path[4096];
	snprintf(path, sizeof path, "%s", open);
	(void)!rename(reports(), in(at, "reports"));
	(void)!chmod(reports(), 0);
	(void)!chmod(path, 0);
	through(rmdir(path) == 0 || rename(path, "away") == 0, "moved the shared folder");
	(void)!symlink(at, path);
}

ATTACK(reports_gone)
{
	(void)at;
	(void)!rmdir(reports());
	put(open_folder(), "reports", "a file", 6);
}

// Under the names of other files that veer reads there.
ATTACK(reports_others)
{
	static const char *const names[] = {"where", "objects", "sample.1", "unfinished"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		(void)!symlink(in(at, "secret"), in(reports(), names[i]));
		(void)!symlink(in(at, "secret"), in(open_folder(), names[i]));
	}
}

// Under names that are no numbers, or too many of these.
ATTACK(reports_names)
{
	(void)at;
	static const char *const names[] = {"address.-1",   "address.",    "address.99999999999999999999",
	                                    "address.1\n2", "address.1.2", "address.\x1b[31m",
	                                    "address.0x10"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		put(reports(), names[i], forged, sizeof forged - 1);
	char name[256];
	memset(name, '9', 255);
	memcpy(name, "address.", 8);
	name[255] = 0;
	put(reports(), name, forged, sizeof forged - 1);
	(void)!symlink("address.1", in(reports(), "address.1"));
	(void)!mkdir(in(reports(), "address.7"), 0700);
	put(in(reports(), "address.7"), "address.8", forged, sizeof forged - 1);
}

// Pipes, sockets and folders under the names of files that veer reads: who opens one would wait.
ATTACK(reports_pipes)
{
	(void)at;
	static const char *const names[] = {"where", "objects", "sample.1", "unfinished", "undefined", "address.1"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		(void)!unlink(in(reports(), names[i]));
		(void)!(i % 2 ? mkdir(in(reports(), names[i]), 0) : mkfifo(in(reports(), names[i]), 0666));
		(void)!unlink(in(open_folder(), names[i]));
		(void)!mkfifo(in(open_folder(), names[i]), 0666);
	}
	(void)!rename(reports(), in(open_folder(), "away"));
	(void)!mkfifo(reports(), 0666);
}
