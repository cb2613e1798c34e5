// What runs inside: who is there, ending them, their memory.
//
// A fork bomb makes processes faster than one can kill them one after the other. A stopped process makes none: in a pid
// namespace of our own a single call stops all; elsewhere those found are stopped until none is found that was not.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "sandbox/sandbox_internal.h"

struct pids {
	pid_t *at;
	size_t n, cap;
};

static void pids_add(struct pids *p, pid_t pid)
{
	vec_room(p->at, p->n + 1, p->cap);
	p->at[p->n++] = pid;
}

static bool pids_have(const struct pids *p, pid_t pid)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->at[i] == pid)
			return true;
	return false;
}

static bool kept(const struct sandbox *s, pid_t pid)
{
	for (size_t i = 0; i < s->n_keep; i++)
		if (s->keep[i] == pid)
			return true;
	return false;
}

static void add_numbers(struct pids *ret, const char *text)
{
	for (char *end; *text; text = end) {
		long pid = strtol(text, &end, 10);
		if (end == text)
			break;
		pids_add(ret, (pid_t)pid);
	}
}

// The whole of a small file of /proc; its length, 0 when it cannot be read.
static size_t read_start(int fd, char *ret, size_t size)
{
	ssize_t n = pread(fd, ret, size - 1, 0);
	ret[n > 0 ? n : 0] = 0;
	return n > 0 ? (size_t)n : 0;
}

static void add_children(struct pids *ret, int fd)
{
	char few[512];
	size_t n = read_start(fd, few, sizeof few);
	if (n < sizeof few - 1) {
		add_numbers(ret, few);
		return;
	}
	enum { MANY = 1 << 20 };
	char *many = mem_alloc(MANY);
	read_start(fd, many, MANY);
	add_numbers(ret, many);
	mem_free(many);
}

// Every process inside that is left has an ancestor that is our child: orphans become ours.
bool processes_left(const struct sandbox *s)
{
	struct pids children = {0};
	bool left = false;
	add_children(&children, sandbox_more(s)->children);
	for (size_t i = 0; i < children.n && !left; i++)
		left = !kept(s, children.at[i]);
	mem_free(children.at);
	return left;
}

// All that /proc shows; in a pid namespace these are those inside.
static void add_all(struct pids *ret)
{
	DIR *dir = opendir("/proc");
	for (struct dirent *e; dir && (e = readdir(dir));)
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9')
			pids_add(ret, (pid_t)atoi(e->d_name));
	if (dir)
		closedir(dir);
}

static void add_below(struct pids *ret, pid_t pid)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *dir = opendir(path);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		char name[300];
		snprintf(name, sizeof name, "%s/children", e->d_name);
		int fd = e->d_name[0] == '.' ? -1 : openat(dirfd(dir), name, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		size_t first = ret->n;
		add_children(ret, fd);
		close(fd);
		for (size_t i = first, end = ret->n; i < end; i++)
			add_below(ret, ret->at[i]);
	}
	if (dir)
		closedir(dir);
}

// Those inside but us and those to keep.
static void add_inside(const struct sandbox *s, struct pids *ret)
{
	struct pids all = {0};
	if (s->mode == SANDBOX_NAMESPACES)
		add_all(&all);
	else
		add_below(&all, sandbox_more(s)->self);
	for (size_t i = 0; i < all.n; i++)
		if (all.at[i] != sandbox_more(s)->self && !kept(s, all.at[i]))
			pids_add(ret, all.at[i]);
	mem_free(all.at);
}

// Outside of a pid namespace we are in a Landlock domain that keeps signals inside, so that a number that somebody else
// has by now does no harm.
static void stop_all(const struct sandbox *s, struct pids *ret)
{
	enum { ROUNDS = 1000 };
	if (s->mode == SANDBOX_NAMESPACES) {
		kill(-1, SIGSTOP);
		add_inside(s, ret);
		return;
	}
	bool more = true;
	for (int i = 0; i < ROUNDS && more; i++) {
		struct pids now = {0};
		add_inside(s, &now);
		more = false;
		for (size_t k = 0; k < now.n; k++)
			if (!pids_have(ret, now.at[k])) {
				kill(now.at[k], SIGSTOP);
				pids_add(ret, now.at[k]);
				more = true;
			}
		mem_free(now.at);
	}
}

// Takes the wait status of those that have ended, so that they are gone.
static void reap(const struct sandbox *s)
{
	struct pids children = {0};
	add_children(&children, sandbox_more(s)->children);
	for (size_t i = 0; i < children.n; i++)
		if (!kept(s, children.at[i]))
			waitpid(children.at[i], NULL, WNOHANG | __WALL);
	mem_free(children.at);
}

static void pause_for(long nanoseconds)
{
	nanosleep(&(struct timespec){0, nanoseconds}, NULL);
}

int processes_kill(struct sandbox *s)
{
	enum { ROUNDS = 50, WAITS = 200 };
	for (int round = 0; round < ROUNDS && processes_left(s); round++) {
		reap(s);
		if (!processes_left(s))
			break;
		struct pids all = {0};
		stop_all(s, &all);
		for (size_t i = 0; i < all.n; i++)
			kill(all.at[i], SIGKILL);
		if (s->mode == SANDBOX_NAMESPACES)
			for (size_t i = 0; i < s->n_keep; i++)
				kill(s->keep[i], SIGCONT);
		mem_free(all.at);
		for (int i = 0; i < WAITS && processes_left(s); i++) {
			reap(s);
			if (processes_left(s))
				pause_for(i < 20 ? 50000 : 1000000);
		}
	}
	return processes_left(s) ? -1 : 0;
}

// --- memory ---------------------------------------------------------------------------------

static size_t read_path(const char *path, char *ret, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	size_t n = read_start(fd, ret, size);
	close(fd);
	return n;
}

// A line of /proc/PID/status, in bytes.
static uint64_t bytes_of(const char *status, const char *line)
{
	const char *at = strstr(status, line);
	return at ? strtoull(at + strlen(line), NULL, 10) << 10 : 0;
}

// What a process has to itself, with the page tables, which the kernel does not count as memory of the process: who
// reads a page in each of many places has little else. The trace is shared memory in `open`, where it is bounded
// already: `known` is how much there is in files of ours.
static uint64_t memory_of(pid_t pid, uint64_t known)
{
	enum { LIBRARIES = 16 << 20, TABLES = 16 << 20, PAGES_OF_TABLE = 512 };
	static uint64_t page;
	char path[64], text[128], status[4096];
	unsigned long long total, resident, shared;
	snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
	if (!read_path(path, text, sizeof text) || sscanf(text, "%llu %llu %llu", &total, &resident, &shared) != 3)
		return 0;
	if (!page)
		page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t own = resident > shared ? (resident - shared) * page : 0;
	bool shares = shared * page > known + LIBRARIES, tables = total * page / PAGES_OF_TABLE > TABLES;
	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	if ((!shares && !tables) || !read_path(path, status, sizeof status))
		return own;
	uint64_t mapped = bytes_of(status, "\nRssShmem:");
	return own + bytes_of(status, "\nVmPTE:") + (shares && mapped > known ? mapped - known : 0);
}

// Of which processes share some. 0 before Linux 6.2.
static uint64_t descriptors_of(pid_t pid)
{
	char path[64];
	struct stat st;
	snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
	return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

static uint64_t bytes_in_open(const struct sandbox *s)
{
	struct statvfs v;
	if (s->mode != SANDBOX_NAMESPACES || fstatvfs(sandbox_more(s)->open, &v) < 0)
		return UINT64_MAX / 2; // a file system of the machine's: not in memory
	return (uint64_t)(v.f_blocks - v.f_bfree) * v.f_frsize;
}

// How much a process, and children of it that it has waited for, have touched for the first time. Its mappings would
// say more, but nobody reads those of a process that is not dumpable.
static uint64_t touched_by(pid_t pid)
{
	char path[64], text[1024];
	unsigned long long own = 0, waited = 0;
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	const char *end = read_path(path, text, sizeof text) ? strrchr(text, ')') : NULL;
	if (!end || sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %llu %llu", &own, &waited) != 2)
		return 0;
	return (own + waited) * (uint64_t)sysconf(_SC_PAGESIZE);
}

// Shared memory that no process has mapped any more counts for none, and is there as long as a part of it is mapped. So
// the machine's is looked at, which others have, too: runs are to blame when it has grown by more than the limit since
// the first look at this run, and they have touched as much.
static bool shares_too_much(const struct sandbox *s, const struct pids *inside)
{
	struct sandbox_more *m = sandbox_more(s);
	struct sysinfo machine;
	if (sysinfo(&machine) < 0)
		return false;
	uint64_t now = (uint64_t)machine.sharedram * machine.mem_unit;
	if (!m->shared || now < m->shared)
		m->shared = now + !now;
	uint64_t touched = 0;
	for (size_t i = 0; i < inside->n && now > m->shared + s->limits.memory; i++)
		touched += touched_by(inside->at[i]);
	return touched > s->limits.memory;
}

uint64_t sandbox_memory(const struct sandbox *s)
{
	struct pids all = {0};
	uint64_t bytes = 0, descriptors = 0, known;
	if (!s->more)
		return 0;
	known = bytes_in_open(s);
	add_inside(s, &all);
	for (size_t i = 0; i < all.n; i++) {
		bytes += memory_of(all.at[i], known);
		descriptors += descriptors_of(all.at[i]);
	}
	// Where the kernel keeps no count of processes, too many are as bad as too much memory; so are descriptors, and
	// memory that is nobody's.
	bool crowded = all.n > 2 * (size_t)s->limits.processes || descriptors > SANDBOX_DESCRIPTORS ||
	               shares_too_much(s, &all);
	if (crowded && bytes <= s->limits.memory)
		bytes = s->limits.memory + 1;
	mem_free(all.at);
	return bytes;
}

// --- counting -------------------------------------------------------------------------------

uint64_t processes_of_user(void)
{
	struct pids all = {0};
	uint64_t threads = 0;
	add_all(&all);
	for (size_t i = 0; i < all.n; i++) {
		char path[64], text[4096];
		snprintf(path, sizeof path, "/proc/%d/status", (int)all.at[i]);
		if (!read_path(path, text, sizeof text))
			continue;
		const char *uid = strstr(text, "\nUid:"), *count = strstr(text, "\nThreads:");
		if (uid && count && strtoul(uid + 5, NULL, 10) == getuid())
			threads += strtoul(count + 9, NULL, 10);
	}
	mem_free(all.at);
	return threads;
}
