// The life of a trace. `veer` starts a variant as RUN/x/N/NAME (run/interpose.h);
// when there is a file RUN/trace, the first process that claims it records there.
// With FIFOs for it (abi/server.h) the program is a fork server. The descriptors are
// closed before the program starts: it sees none of ours.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/server.h"
#include "runtime/trace/rt.h"

struct trace_header *rt_trace;
struct trace_node *rt_nodes;
bool rt_on, rt_check;
char rt_program[PATH_MAX];
static uint64_t own_from, own_to;

static int lock;
static __thread int inside __attribute__((tls_model("initial-exec")));

bool rt_enter(void)
{
	if (inside)
		return false;
	inside = 1;
	if (__libc_single_threaded)
		return true;
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
	return true;
}

void rt_leave(void)
{
	if (!__libc_single_threaded)
		__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
	inside = 0;
}

bool rt_is_own_code(uint64_t address)
{
	return address >= own_from && address < own_to;
}

// Where the runtime itself is.
static int note_own(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t from = info->dlpi_addr + p->p_vaddr;
		if (p->p_type == PT_LOAD && (uint64_t)note_own - from < p->p_memsz) {
			own_from = from;
			own_to = from + p->p_memsz;
			return 1;
		}
	}
	return 0;
}

// The program that RUN/x/N/NAME stands for: RUN/o/N leads to it.
static void note_program(const char *started_as, const char *run)
{
	const char *number = started_as + strlen(run) + 3;
	char link[PATH_MAX];
	ssize_t n = -1;
	if ((size_t)snprintf(link, sizeof link, "%s/o/%.*s", run, (int)strcspn(number, "/"), number) < sizeof link)
		n = readlink(link, rt_program, sizeof rt_program - 1);
	rt_program[n > 0 ? n : 0] = 0;
	if (n <= 0)
		strcpy(rt_program, started_as);
}

static bool header_fits(const struct trace_header *h, uint64_t size)
{
	return h->magic == TRACE_MAGIC && h->size <= size &&
	       h->nodes_at + (uint64_t)h->nodes_max * sizeof(struct trace_node) <= size &&
	       h->events_at + (uint64_t)h->events_max * sizeof(struct trace_event) <= size &&
	       h->calls_at + (uint64_t)h->calls_max * sizeof(struct trace_call) <= size &&
	       h->text_at + h->text_max <= size && h->nodes_max < 1u << 28;
}

// A forked child does not write into its parent's trace.
static void in_child(void)
{
	rt_on = false;
	rt_trace = NULL;
	lock = 0;
}

static void at_end(void)
{
	if (rt_trace)
		rt_trace->state = TRACE_ENDED;
}

static void *map_trace(const char *path, uint64_t *ret_size)
{
	struct stat st;
	int fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	void *p = fstat(fd, &st) == 0 && (size_t)st.st_size > sizeof *rt_trace
	                  ? mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0)
	                  : MAP_FAILED;
	close(fd);
	*ret_size = (uint64_t)st.st_size;
	return p == MAP_FAILED ? NULL : p;
}

// The first process that claims the trace records there.
static void claim(struct trace_header *h, uint64_t size)
{
	uint32_t expected = TRACE_FREE;
	if (!header_fits(h, size) || !__atomic_compare_exchange_n(&h->state, &expected, TRACE_CLAIMED, false,
	                                                          __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
		munmap(h, size);
		return;
	}
	rt_trace = h;
	rt_nodes = (struct trace_node *)((char *)h + h->nodes_at);
	rt_check = (h->flags & TRACE_SELF_CHECK) != 0;
	h->nodes = 1;
	h->calls = 1;
	h->text = 8; // offset 0 means none
	h->process = (uint32_t)getpid();
	rt_on = true;
}

static void tell(int fd, enum server_word word, int value)
{
	struct server_answer a = {word, value};
	if (write(fd, &a, sizeof a) != (ssize_t)sizeof a)
		_exit(1);
}

// Forks for every byte that is asked for. Returns in the children only.
static void serve(int ask, int answer)
{
	char byte;
	tell(answer, SERVER_READY, getpid());
	for (;;) {
		ssize_t n = read(ask, &byte, 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n != 1)
			_exit(0);
		pid_t pid = _Fork();
		if (pid == 0)
			break;
		tell(answer, SERVER_STARTED, pid < 0 ? -errno : pid);
		int status;
		while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		if (pid > 0)
			tell(answer, SERVER_ENDED, status);
	}
	close(ask);
	close(answer);
}

// Takes `folder` off the front of LD_LIBRARY_PATH, or the variable away when nothing else is in
// it. In place: main() has the array, too.
static void forget_libraries(const char *folder)
{
	static const char variable[] = "LD_LIBRARY_PATH=";
	size_t size = strlen(folder);
	for (char **e = environ; e && *e; e++) {
		char *value = *e + sizeof variable - 1;
		if (strncmp(*e, variable, sizeof variable - 1) != 0 || strncmp(value, folder, size) != 0)
			continue;
		if (value[size] == ':')
			memmove(value, value + size + 1, strlen(value + size));
		else
			for (; *e; e++)
				*e = e[1];
		return;
	}
}

static void start(void)
{
	const char *started_as = (const char *)getauxval(AT_EXECFN);
	char path[PATH_MAX];
	uint64_t size;
	if (!started_as || started_as[0] != '/' || strlen(started_as) > sizeof path - 32)
		return;
	strcpy(path, started_as);
	for (int i = 0; i < 3; i++) {
		char *slash = strrchr(path, '/');
		if (!slash || slash == path)
			return;
		*slash = 0;
	}
	note_program(started_as, path);
	dl_iterate_phdr(note_own, NULL);
	char *end = path + strlen(path);
	strcpy(end, "/trace");
	void *trace = map_trace(path, &size);
	if (!trace)
		return;
	pthread_atfork(NULL, NULL, in_child); // before a server forks: what is done here, its children need not do
	atexit(at_end);
	strcpy(end, "/" SERVER_ASK);
	int ask = open(path, O_RDONLY | O_CLOEXEC);
	strcpy(end, "/" SERVER_ANSWER);
	int answer = ask < 0 ? -1 : open(path, O_WRONLY | O_CLOEXEC);
	if (answer >= 0) {
		strcpy(end, "/" SERVER_LIBRARIES);
		forget_libraries(path);
		serve(ask, answer);
	}
	if (answer < 0 && ask >= 0)
		close(ask);
	claim(trace, size);
}

// Programs may find errno at 0 when they start, and count on it.
__attribute__((constructor(102))) static void start_unseen(void)
{
	int saved = errno;
	start();
	errno = saved;
}

void *rt_map(size_t size)
{
	int saved = errno;
	// Not by mmap, which is the program's (mapping.c).
	long p = syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
	                 0);
	errno = saved;
	return p == -1 ? NULL : (void *)p;
}

void rt_unmap(void *p, size_t size)
{
	int saved = errno;
	syscall(SYS_munmap, p, size);
	errno = saved;
}

void *rt_map_dense(size_t size)
{
	int saved = errno;
	void *p = rt_map(size);
	if (p && size >= 1 << 23)
		madvise(p, size, MADV_HUGEPAGE); // if they can be had
	errno = saved;
	return p;
}

uint32_t rt_text(const void *data, size_t size)
{
	size_t room = (size + 7) & ~(size_t)7;
	if (!rt_trace || rt_trace->text + room + rt_trace->given > rt_trace->text_max ||
	    rt_trace->text / 8 > UINT32_MAX / 2) {
		rt_stop(2);
		return 0;
	}
	uint64_t at = __atomic_fetch_add(&rt_trace->text, room, __ATOMIC_RELAXED);
	memcpy((char *)rt_trace + rt_trace->text_at + at, data, size);
	return (uint32_t)(at / 8);
}

void rt_stop(unsigned full_bit)
{
	if (!rt_on)
		return;
	rt_trace->full |= 1u << full_bit;
	rt_on = false;
}
