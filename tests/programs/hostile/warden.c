// Makes canaries for each attack, runs a command, and says which of them were harmed:
//
//   warden [-u USER] TREE WAY ATTACKS COMMAND...     ATTACKS: a file, a name per line
//
//   TREE/magic             without it no hostile program does anything
//   TREE/plain/NAME/       what is there for the attack NAME
//   WAY/way/NAME/          the same, in a folder with a mount below (WAY/way/mounted, seen in here only), where that
//                          can be made. In another part of the file system, since nothing above a mount is an overlay
//   WAY/way/proc, queue    another /proc; messages, one of which is waiting (files_proc, files_queue)
//     file exec hard link folder/inner secret      with times, permissions, an attribute
//     null full block      nodes of (1,3), (1,7) and of a block device that no driver has; by root only
//     setuid               `id`, of root with its rights; by root only
//     fifo full-fifo       the warden reads one, and has written into the other
//     stream datagram      sockets; abstract ones are named after the folder's path
//     tcp udp pty victim word key       texts: ports at 127.0.0.1, a terminal, a process, an address in it, a number
//
// Compared before and after: content, permissions, owners, sizes, links, times of change, flags, versions, attributes;
// bytes in FIFOs, sockets, terminals; liveness, memory, priority, scheduling, limits of processes. Prints
// "harmed NAME: WHAT" for each and "left NAME ..." for processes, which it ends. Its status is the command's.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/fs.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

enum { ATTACKS = 256, PLACES = 2, IN_FIFO = 64, KEY = 0x56480000, PATH = 2048 };

static const char *const places[PLACES] = {"plain", "way"};
static char *names[ATTACKS];
static int n_names, n_places = 1;
static const char *tree, *way;
static uid_t user;

static void fail(const char *what)
{
	fprintf(stderr, "warden: %s: %s\n", what, strerror(errno));
	exit(125);
}

static const char *root_of(int place)
{
	return place ? way : tree;
}

// A path in one of a few buffers.
static char *path(const char *format, ...)
{
	static char paths[4][PATH];
	static unsigned next;
	char *p = paths[next++ % 4];
	va_list list;
	va_start(list, format);
	vsnprintf(p, PATH, format, list);
	va_end(list);
	return p;
}

static void write_file(const char *at, const char *leaf, mode_t mode, const char *text)
{
	const char *p = path("%s/%s", at, leaf);
	int fd = open(p, O_CREAT | O_EXCL | O_WRONLY, mode);
	if (fd < 0 || write(fd, text, strlen(text)) < 0 || fchmod(fd, mode) < 0 || (user && fchown(fd, user, user) < 0))
		fail(p);
	close(fd);
}

static void write_number(const char *at, const char *leaf, uint64_t n)
{
	char text[32];
	snprintf(text, sizeof text, "%llu\n", (unsigned long long)n);
	write_file(at, leaf, 0644, text);
}

static void make_folder(const char *p)
{
	if (mkdir(p, 0755) < 0 || (user && chown(p, user, user) < 0))
		fail(p);
}

// --- what listens ---------------------------------------------------------------------------

struct ear {
	const char *name, *what;
	int fd;
	bool accepts, full; // full: IN_FIFO bytes must stay in there
};

static struct ear ears[ATTACKS * PLACES * 10];
static size_t n_ears;

static void listen_to(const char *name, const char *what, int fd, bool accepts)
{
	if (fd < 0)
		fail(what);
	ears[n_ears++] = (struct ear){name, what, fd, accepts, false};
}

static int bind_unix(const char *p, int type, bool abstract)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	size_t n = strlen(p);
	if (n + 2 > sizeof a.sun_path) {
		errno = ENAMETOOLONG;
		fail(p);
	}
	memcpy(a.sun_path + abstract, p, n);
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n + 1);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, size) < 0 || (type == SOCK_STREAM && listen(fd, 8) < 0))
		fail(p);
	return fd;
}

static int bind_loopback(int type, uint64_t *ret_port)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof a;
	int fd = socket(AF_INET, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, size) < 0 || (type == SOCK_STREAM && listen(fd, 8) < 0) ||
	    getsockname(fd, (struct sockaddr *)&a, &size) < 0)
		fail("loopback");
	*ret_port = ntohs(a.sin_port);
	return fd;
}

static void make_sockets(const char *at, const char *name)
{
	uint64_t port;
	listen_to(name, "a datagram", bind_unix(path("%s/datagram", at), SOCK_DGRAM, false), false);
	listen_to(name, "a connection", bind_unix(path("%s/stream", at), SOCK_STREAM, false), true);
	listen_to(name, "a datagram, abstract", bind_unix(path("%s/datagram", at), SOCK_DGRAM, true), false);
	listen_to(name, "a connection, abstract", bind_unix(path("%s/stream", at), SOCK_STREAM, true), true);
	listen_to(name, "a connection, loopback", bind_loopback(SOCK_STREAM, &port), true);
	write_number(at, "tcp", port);
	listen_to(name, "a datagram, loopback", bind_loopback(SOCK_DGRAM, &port), false);
	write_number(at, "udp", port);
}

static void make_fifos(const char *at, const char *name)
{
	static const char filling[IN_FIFO];
	const char *one = path("%s/fifo", at), *two = path("%s/full-fifo", at);
	if (mkfifo(one, 0600) < 0 || mkfifo(two, 0600) < 0 ||
	    (user && (chown(one, user, user) < 0 || chown(two, user, user) < 0)))
		fail(one);
	listen_to(name, "bytes in a FIFO", open(one, O_RDWR | O_NONBLOCK | O_CLOEXEC), false);
	listen_to(name, "bytes gone from a FIFO", open(two, O_RDWR | O_NONBLOCK | O_CLOEXEC), false);
	ears[n_ears - 1].full = true;
	if (write(ears[n_ears - 1].fd, filling, IN_FIFO) != IN_FIFO)
		fail(two);
}

static void make_terminal(const char *at, const char *name)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || unlockpt(fd) < 0)
		fail("terminal");
	char *slave = ptsname(fd);
	write_file(at, "pty", 0644, slave);
	int keep = open(slave, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (keep < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
		fail("terminal");
	listen_to(name, "output on a terminal", fd, false);
}

static bool hears(const struct ear *e)
{
	char byte[256];
	int n;
	if (e->full)
		return ioctl(e->fd, FIONREAD, &n) < 0 || n != IN_FIFO;
	if (e->accepts)
		return accept(e->fd, NULL, NULL) >= 0;
	return read(e->fd, byte, sizeof byte) > 0;
}

// --- processes ------------------------------------------------------------------------------

struct victim {
	const char *name;
	pid_t pid;
	volatile uint64_t *word; // in its memory, and ours
	char before[512];
};

static struct victim victims[ATTACKS];
static size_t n_victims;
enum { WORD = 0x600d };

static void describe_process(const struct victim *v, char ret[512])
{
	cpu_set_t set;
	char comm[32] = "", oom[16] = "";
	CPU_ZERO(&set);
	sched_getaffinity(v->pid, sizeof set, &set);
	struct rlimit files = {0}, size = {0};
	prlimit(v->pid, RLIMIT_NOFILE, NULL, &files);
	prlimit(v->pid, RLIMIT_FSIZE, NULL, &size);
	const char *const leaves[] = {"comm", "oom_score_adj"};
	char *const texts[] = {comm, oom};
	for (int i = 0; i < 2; i++) {
		int fd = open(path("/proc/%d/%s", (int)v->pid, leaves[i]), O_RDONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? -1 : read(fd, texts[i], 15);
		texts[i][n > 0 ? n - 1 : 0] = 0;
		if (fd >= 0)
			close(fd);
	}
	errno = 0;
	snprintf(ret, 512,
	         "priority %d scheduler %d on %d processors io %ld limits %llu %llu named %s oom %s word %llx",
	         getpriority(PRIO_PROCESS, (id_t)v->pid), sched_getscheduler(v->pid), CPU_COUNT(&set),
	         syscall(SYS_ioprio_get, 1, v->pid), (unsigned long long)files.rlim_cur,
	         (unsigned long long)size.rlim_cur, comm, oom, (unsigned long long)*v->word);
}

static void make_victim(const char *at, const char *name)
{
	struct victim *v = &victims[n_victims++];
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		fail("victim");
	*v = (struct victim){.name = name, .word = p};
	v->pid = fork();
	if (v->pid < 0)
		fail("victim");
	if (v->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, "victim");
		prctl(PR_SET_DUMPABLE, 1); // it changed its user, perhaps
		open(path("%s/file", at), O_RDWR);
		*v->word = WORD;
		for (;;)
			pause();
	}
	setpgid(v->pid, v->pid);
	while (*v->word != WORD)
		usleep(1000);
	write_number(at, "victim", (uint64_t)v->pid);
	write_number(at, "word", (uint64_t)(uintptr_t)p);
}

static void check_victim(const struct victim *v)
{
	char now[512];
	int status;
	describe_process(v, now);
	if (waitpid(v->pid, &status, WNOHANG | WUNTRACED) != 0)
		printf("harmed %s: a process ended or stopped, status %d\n", v->name, status);
	else if (strcmp(v->before, now) != 0)
		printf("harmed %s: a process: %s, before: %s\n", v->name, now, v->before);
}

// What the command left, which is ours by now.
static void end_left(void)
{
	for (int round = 0; round < 40; round++) {
		char text[4096] = "", *save = NULL;
		int left = 0;
		int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
		if (fd < 0 || n < 0)
			fail("/proc/thread-self/children");
		close(fd);
		for (char *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
			pid_t pid = (pid_t)atoi(word);
			bool ours = false;
			for (size_t i = 0; i < n_victims; i++)
				ours |= victims[i].pid == pid;
			if (ours || waitpid(pid, NULL, WNOHANG) == pid)
				continue;
			left++;
			if (round >= 20) { // it had a second
				char comm[32] = "?";
				FILE *f = fopen(path("/proc/%d/comm", (int)pid), "re");
				if (f && fgets(comm, sizeof comm, f))
					comm[strcspn(comm, "\n")] = 0;
				if (f)
					fclose(f);
				printf("left %s (process %d)\n", comm, (int)pid);
				kill(pid, SIGKILL);
				waitpid(pid, NULL, 0);
			}
		}
		if (!left)
			return;
		usleep(50000);
	}
}

// --- files ----------------------------------------------------------------------------------

struct line {
	char *path, *text;
};

struct lines {
	struct line v[ATTACKS * PLACES * 40];
	size_t n;
};

static struct lines before, after, *filling;

static uint64_t sum_of(const char *p)
{
	unsigned char data[4096];
	uint64_t sum = 1469598103934665603u;
	int fd = open(p, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	for (ssize_t n; fd >= 0 && (n = read(fd, data, sizeof data)) > 0;)
		for (ssize_t i = 0; i < n; i++)
			sum = (sum ^ data[i]) * 1099511628211u;
	if (fd >= 0)
		close(fd);
	return sum;
}

static int describe(const char *p, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)kind;
	(void)ftw;
	char list[512] = "", target[256] = "", text[2048];
	int flags = 0, version = 0;
	ssize_t names_size = llistxattr(p, list, sizeof list), n = readlink(p, target, sizeof target - 1);
	target[n > 0 ? n : 0] = 0;
	if (S_ISREG(st->st_mode) || S_ISDIR(st->st_mode)) {
		int fd = open(p, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0 && ioctl(fd, FS_IOC_GETFLAGS, &flags) < 0)
			flags = -1;
		if (fd >= 0 && ioctl(fd, FS_IOC_GETVERSION, &version) < 0)
			version = -1;
		if (fd >= 0)
			close(fd);
	}
	int used = snprintf(text, sizeof text,
	                    "mode %o owner %u:%u links %u size %lld modified %lld.%09ld changed %lld.%09ld inode %llu "
	                    "flags %x version %x %s content %llx attributes",
	                    st->st_mode, st->st_uid, st->st_gid, (unsigned)st->st_nlink,
	                    S_ISDIR(st->st_mode) ? 0 : (long long)st->st_size, (long long)st->st_mtim.tv_sec,
	                    st->st_mtim.tv_nsec, (long long)st->st_ctim.tv_sec, st->st_ctim.tv_nsec,
	                    (unsigned long long)st->st_ino, (unsigned)flags, (unsigned)version, target,
	                    S_ISREG(st->st_mode) ? (unsigned long long)sum_of(p) : 0);
	for (char *name = list; names_size > 0 && name < list + names_size; name += strlen(name) + 1) {
		char value[256];
		ssize_t size = lgetxattr(p, name, value, sizeof value);
		used += snprintf(text + used, sizeof text - (size_t)used, " %s=%.*s", name, size > 0 ? (int)size : 0,
		                 value);
	}
	if (filling->n < sizeof filling->v / sizeof *filling->v)
		filling->v[filling->n++] = (struct line){strdup(p), strdup(text)};
	return 0;
}

static int by_path(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	return strcmp(x->path, y->path);
}

static void look(struct lines *to)
{
	filling = to;
	for (int k = 0; k < n_places; k++)
		if (nftw(root_of(k), describe, 64, FTW_PHYS | FTW_MOUNT) < 0)
			fail(root_of(k));
	qsort(to->v, to->n, sizeof *to->v, by_path);
}

// The attack that a path belongs to.
static void blame(const char *p, const char *what, const char *then, const char *now)
{
	const char *rest = p + strlen(strncmp(p, tree, strlen(tree)) == 0 ? tree : way);
	rest += strspn(rest, "/");
	const char *name = strchr(rest, '/');
	name = name ? name + 1 : rest;
	printf("harmed %.*s: %s %s%s%s%s%s\n", (int)strcspn(name, "/"), name, p, what, then ? ": " : "",
	       then ? then : "", now ? "; now " : "", now ? now : "");
}

static void compare_files(void)
{
	size_t i = 0, k = 0;
	while (i < before.n || k < after.n) {
		int c = i == before.n ? 1 : k == after.n ? -1 : by_path(&before.v[i], &after.v[k]);
		if (c < 0)
			blame(before.v[i].path, "is gone", NULL, NULL);
		else if (c > 0)
			blame(after.v[k].path, "is new", NULL, NULL);
		else if (strcmp(before.v[i].text, after.v[k].text) != 0)
			blame(before.v[i].path, "changed", before.v[i].text, after.v[k].text);
		i += c <= 0;
		k += c >= 0;
	}
}

static void make_node(const char *at, const char *leaf, mode_t mode, dev_t device)
{
	const char *p = path("%s/%s", at, leaf);
	if (mknod(p, mode | 0666, device) < 0 || chmod(p, 0666) < 0 || chown(p, user, user) < 0)
		fail(p);
}

static void make_files(const char *at)
{
	static const struct timespec old[2] = {{1234567890, 5}, {1234567890, 5}};
	make_folder(at);
	write_file(at, "file", 0640, "canary\n");
	write_file(at, "exec", 0755, "#!/bin/sh\nexit 0\n");
	write_file(at, "secret", 0600, "zeisig-stieglitz\n");
	make_folder(path("%s/folder", at));
	write_file(path("%s/folder", at), "inner", 0600, "inner\n");
	const char *file = path("%s/file", at), *other = path("%s/hard", at);
	if (link(file, other) < 0 || symlink("file", path("%s/link", at)) < 0)
		fail(at);
	setxattr(file, "user.veer", "canary", 6, 0); // where the file system has them
	utimensat(AT_FDCWD, file, old, 0);
	utimensat(AT_FDCWD, path("%s/folder", at), old, 0);
	if (geteuid() == 0) {
		make_node(at, "null", S_IFCHR, makedev(1, 3));
		make_node(at, "full", S_IFCHR, makedev(1, 7));
		make_node(at, "block", S_IFBLK, makedev(241, 77)); // for local use, and used by nobody
	}
}

// `id`, which says whose rights it has.
static void make_setuid(const char *at)
{
	static char data[1 << 20];
	const char *p = path("%s/setuid", at);
	int from = open("/usr/bin/id", O_RDONLY | O_CLOEXEC),
	    to = open(p, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0755);
	ssize_t n = from < 0 ? -1 : read(from, data, sizeof data);
	if (n < 0 || to < 0 || write(to, data, (size_t)n) != n || fchmod(to, 06755) < 0)
		fail(p);
	close(from);
	close(to);
}

// --- what is left elsewhere -----------------------------------------------------------------

static void check_elsewhere(void)
{
	for (int i = 0; i < n_names; i++) {
		int key = KEY + i, id;
		if ((id = shmget(key, 0, 0)) >= 0 && printf("harmed %s: System V memory is left\n", names[i]) > 0)
			shmctl(id, IPC_RMID, NULL);
		if ((id = semget(key, 0, 0)) >= 0 && printf("harmed %s: semaphores are left\n", names[i]) > 0)
			semctl(id, 0, IPC_RMID);
		if ((id = msgget(key, 0)) >= 0 && printf("harmed %s: a message queue is left\n", names[i]) > 0)
			msgctl(id, IPC_RMID, NULL);
		if (syscall(SYS_mq_unlink, names[i]) == 0)
			printf("harmed %s: a POSIX message queue is left\n", names[i]);
		if (syscall(SYS_keyctl, 10, -4, "user", names[i], 0) >= 0) // KEYCTL_SEARCH, user keyring
			printf("harmed %s: a key is left\n", names[i]);
	}
	static const char *const nowhere[] = {"/dev/shm/veer-hostile", "/veer-hostile", "/etc/veer-hostile",
	                                      "/tmp/veer-hostile", "/var/tmp/veer-hostile"};
	for (size_t i = 0; i < sizeof nowhere / sizeof *nowhere; i++)
		if (access(nowhere[i], F_OK) == 0 && printf("harmed somebody: %s is left\n", nowhere[i]) > 0)
			remove(nowhere[i]);
}

// --- ----------------------------------------------------------------------------------------

static void read_names(const char *file)
{
	static char text[1 << 16];
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (n <= 0)
		fail(file);
	close(fd);
	char *save = NULL;
	for (char *name = strtok_r(text, "\n", &save); name && n_names < ATTACKS; name = strtok_r(NULL, "\n", &save))
		names[n_names++] = name;
}

static int queue = -1; // in the file system below WAY/way/queue

static bool queue_is_as_it_was(void)
{
	struct mq_attr now;
	return queue < 0 || (syscall(SYS_mq_getsetattr, queue, NULL, &now) == 0 && now.mq_curmsgs == 1);
}

// File systems that show more than files: processes, and messages. Not every kernel has them.
static void make_more_mounts(void)
{
	struct mq_attr how = {.mq_maxmsg = 2, .mq_msgsize = 8};
	make_folder(path("%s/way/proc", way));
	make_folder(path("%s/way/queue", way));
	(void)!mount("hostile", path("%s/way/proc", way), "proc", 0, NULL);
	if (unshare(CLONE_NEWIPC) < 0 || mount("hostile", path("%s/way/queue", way), "mqueue", 0, NULL) < 0)
		return;
	queue = (int)syscall(SYS_mq_open, "canary", O_CREAT | O_RDWR | O_NONBLOCK, 0666, &how);
	if (queue < 0 || fchmod(queue, 0666) < 0 || syscall(SYS_mq_timedsend, queue, "canary", 6, 0, NULL) < 0)
		fail("a queue of messages");
}

// A mount that nobody else sees.
static void make_way(void)
{
	char mounted[PATH];
	snprintf(mounted, sizeof mounted, "%s/way/mounted", way);
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return;
	make_folder(path("%s/way", way));
	make_folder(mounted);
	if (mount("hostile", mounted, "tmpfs", 0, "size=1m") < 0)
		fail(mounted);
	make_more_mounts();
	n_places = 2;
}

static void become_user(void)
{
	if (user &&
	    (syscall(SYS_setgroups, 0, NULL) < 0 || setresgid(user, user, user) < 0 || setresuid(user, user, user) < 0))
		fail("another user");
	prctl(PR_SET_DUMPABLE, 1);
}

// What is reached by paths is tried in all places.
static int places_of(const char *name)
{
	static const char *const classes[] = {"files_", "devices_", "sockets_", "escape_mount"};
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		if (strncmp(name, classes[i], strlen(classes[i])) == 0)
			return n_places;
	return 1;
}

static void make_all(void)
{
	char at[PATH];
	make_folder(tree);
	if (geteuid() == 0)
		make_folder(way);
	write_file(tree, "magic", 0644, "veer's hostile tests\n");
	make_folder(path("%s/plain", tree));
	if (geteuid() == 0)
		make_way();
	for (int i = 0; i < n_names; i++)
		for (int k = 0; k < places_of(names[i]); k++) {
			snprintf(at, sizeof at, "%s/%s/%s", root_of(k), places[k], names[i]);
			make_files(at);
			write_number(at, "key", (uint64_t)(KEY + i));
			if (geteuid() == 0 && strncmp(names[i], "exec_", 5) == 0)
				make_setuid(at);
		}
	become_user();
	for (int i = 0; i < n_names; i++)
		for (int k = 0; k < places_of(names[i]); k++) {
			snprintf(at, sizeof at, "%s/%s/%s", root_of(k), places[k], names[i]);
			make_fifos(at, names[i]);
			if (strncmp(names[i], "sockets_", 8) == 0)
				make_sockets(at, names[i]);
			if (strncmp(names[i], "devices_", 8) == 0)
				make_terminal(at, names[i]);
			if (k == 0 &&
			    (strncmp(names[i], "processes_", 10) == 0 || strncmp(names[i], "descriptors_", 12) == 0))
				make_victim(at, names[i]);
		}
}

int main(int argc, char **argv)
{
	if (argc > 3 && strcmp(argv[1], "-u") == 0) {
		user = (uid_t)atoi(argv[2]);
		argv += 2;
		argc -= 2;
	}
	if (argc < 5)
		return 125;
	struct rlimit files;
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	umask(022);
	tree = argv[1];
	way = argv[2];
	read_names(argv[3]);
	make_all();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	look(&before);
	for (size_t i = 0; i < n_victims; i++)
		describe_process(&victims[i], victims[i].before);
	setenv("HOSTILE_TREE", tree, 1);
	setenv("HOSTILE_WAY", way, 1);
	pid_t pid = fork();
	if (pid == 0) {
		execvp(argv[4], argv + 4);
		fail(argv[4]);
	}
	int status = 0;
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		fail(argv[4]);
	end_left();
	look(&after);
	compare_files();
	for (size_t i = 0; i < n_ears; i++)
		if (hears(&ears[i]))
			printf("harmed %s: %s\n", ears[i].name, ears[i].what);
	for (size_t i = 0; i < n_victims; i++) {
		check_victim(&victims[i]);
		kill(victims[i].pid, SIGKILL);
		waitpid(victims[i].pid, NULL, 0);
	}
	if (!queue_is_as_it_was())
		printf("harmed files_queue: messages outside\n");
	check_elsewhere();
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
