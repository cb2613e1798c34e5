// Attacks by what processes share: nothing of it may be left, or be somebody else's.
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hostile.h"

static const char *name_of(const char *at)
{
	return strrchr(at, '/') + 1;
}

ATTACK(ipc_memory)
{
	key_t key = (key_t)number(at, "key");
	int id = shmget(key, 4096, IPC_CREAT | 0666);
	char *p = id < 0 ? (void *)-1 : shmat(id, NULL, 0);
	if (p != (void *)-1)
		strcpy(p, "harm");
	for (id = 0; id < 64; id++) {
		struct shmid_ds all;
		through(!namespaces() && shmctl(id, SHM_STAT, &all) >= 0, "saw memory of others");
	}
}

ATTACK(ipc_semaphores)
{
	key_t key = (key_t)number(at, "key");
	int id = semget(key, 1, IPC_CREAT | 0666);
	if (id >= 0)
		semctl(id, 0, SETVAL, 5);
	through(!namespaces() && semctl(0, 0, GETVAL) >= 0, "a semaphore of others");
}

ATTACK(ipc_messages)
{
	key_t key = (key_t)number(at, "key");
	int id = msgget(key, IPC_CREAT | 0666);
	struct {
		long type;
		char text[4];
	} message = {1, "har"};
	if (id >= 0)
		msgsnd(id, &message, 4, IPC_NOWAIT);
}

ATTACK(ipc_queue)
{
	struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
	long q = syscall(SYS_mq_open, name_of(at), O_CREAT | O_RDWR, 0666, &attributes);
	through(q >= 0 && !namespaces(), "a message queue");
}

ATTACK(ipc_posix)
{
	(void)at;
	int fd = shm_open("/veer-hostile", O_CREAT | O_RDWR, 0666);
	scrawl(fd);
	if (fd >= 0)
		close(fd);
}

ATTACK(ipc_memfd)
{
	(void)at;
	through(syscall(SYS_memfd_create, "hostile", 0) >= 0, "memfd_create");
	through(syscall(447, 0) >= 0, "memfd_secret");
}

ATTACK(ipc_keys)
{
	const char *name = name_of(at);
	through(syscall(SYS_add_key, "user", name, "harm", 4, -4) >= 0, "add_key");
	through(syscall(SYS_add_key, "user", name, "harm", 4, -5) >= 0, "add_key, session");
	through(syscall(SYS_request_key, "user", name, NULL, -3) >= 0, "request_key");
	through(syscall(SYS_keyctl, 1, "hostile") >= 0, "keyctl join");
	through(syscall(SYS_keyctl, 0, -3, 1) >= 0, "keyctl");
}

// Pipes hold memory that belongs to nobody's address space.
ATTACK(ipc_pipes)
{
	(void)at;
	static char block[1 << 16];
	for (int i = 0; i < 400; i++) {
		int pair[2];
		if (pipe2(pair, O_NONBLOCK) < 0)
			break;
		fcntl(pair[1], F_SETPIPE_SZ, 1 << 20);
		while (write(pair[1], block, sizeof block) > 0)
			;
	}
}

// A descriptor that outlives whoever sent it.
ATTACK(ipc_descriptors)
{
	int fd = open(in(at, "file"), O_RDONLY);
	for (int i = 0; i < 2000 && fd >= 0; i++)
		fd = dup(fd);
	int epoll = (int)syscall(SYS_epoll_create1, 0), inotify = (int)syscall(SYS_inotify_init1, 0);
	syscall(SYS_inotify_add_watch, inotify, at, 0xfff);
	(void)epoll;
}
