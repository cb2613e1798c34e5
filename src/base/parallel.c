#include "base/parallel.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

// A message: item, 1 when it failed, the size of what follows, and that: what came of it, or the error.
enum { HEAD = 24 };

struct process {
	pid_t pid;
	int fd; // to read from; -1: it has ended
	struct buf got;
};

static int write_all(int fd, const char *data, size_t n)
{
	while (n) {
		ssize_t done = write(fd, data, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return -1;
		data += done;
		n -= (size_t)done;
	}
	return 0;
}

static int send_result(int fd, size_t item, bool failed, const struct buf *came)
{
	struct buf message = {0};
	buf_u64(&message, item);
	buf_u64(&message, failed);
	buf_u64(&message, came->len);
	buf_add(&message, came->data, came->len);
	int r = write_all(fd, message.data, message.len);
	buf_release(&message);
	return r;
}

static void work(const struct parallel *p, unsigned process, _Atomic size_t *next, int fd)
{
	for (size_t item; (item = atomic_fetch_add(next, 1)) < p->n;) {
		struct buf came = {0};
		struct err err = {""};
		int r = p->work(p->opaque, process, item, &came, &err);
		if (r < 0) {
			buf_clear(&came);
			buf_addstr(&came, err.text);
		}
		if (send_result(fd, item, r < 0, &came) < 0)
			r = -1;
		buf_release(&came);
		if (r < 0)
			break;
	}
	if (p->leave)
		p->leave(p->opaque, process);
}

static int start(const struct parallel *p, unsigned number, _Atomic size_t *next, struct process *ret, struct err *err)
{
	int ends[2];
	const pid_t parent = getpid();
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_errno(err, "cannot make a pipe");
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		signal(SIGPIPE, SIG_IGN);
		close(ends[0]);
		work(p, number, next, ends[1]);
		_exit(0);
	}
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return err_errno(err, "cannot start a process");
	}
	*ret = (struct process){.pid = pid, .fd = ends[0]};
	return 0;
}

// What has come whole. Returns how many items, or -1.
static int take_messages(const struct parallel *p, struct process *from, struct err *err)
{
	size_t at = 0;
	int n = 0;
	while (from->got.len - at >= HEAD) {
		uint64_t head[3];
		memcpy(head, from->got.data + at, HEAD);
		if (from->got.len - at - HEAD < head[2])
			break;
		const uint8_t *came = (const uint8_t *)from->got.data + at + HEAD;
		struct cursor c = {.p = came, .end = came + head[2]};
		assert(head[0] < p->n);
		if (head[1])
			return err_set(err, "%.*s", (int)head[2], (const char *)came);
		if (p->take(p->opaque, head[0], &c, err) < 0)
			return -1;
		at += HEAD + head[2];
		n++;
	}
	memmove(from->got.data, from->got.data + at, from->got.len - at);
	buf_cut(&from->got, from->got.len - at);
	return n;
}

// Returns how many items came, or -1.
static int read_some(const struct parallel *p, struct process *from, struct err *err)
{
	enum { CHUNK = 1 << 16 };
	buf_reserve(&from->got, CHUNK);
	ssize_t n = read(from->fd, from->got.data + from->got.len, CHUNK);
	if (n < 0)
		return errno == EINTR ? 0 : err_errno(err, "cannot read from a process");
	if (n == 0) {
		close(from->fd);
		from->fd = -1;
		return 0;
	}
	from->got.len += (size_t)n;
	from->got.data[from->got.len] = 0;
	return take_messages(p, from, err);
}

static int collect(const struct parallel *p, struct process *v, unsigned n, struct err *err)
{
	struct pollfd *fds = mem_zero(n * sizeof *fds);
	size_t done = 0;
	int r = 0;
	for (unsigned open = n; open && r == 0;) {
		for (unsigned i = 0; i < n; i++)
			fds[i] = (struct pollfd){.fd = v[i].fd, .events = POLLIN};
		if (poll(fds, n, -1) < 0 && errno != EINTR)
			r = err_errno(err, "cannot wait for processes");
		open = 0;
		for (unsigned i = 0; i < n && r == 0; i++) {
			int came = v[i].fd >= 0 && fds[i].revents ? read_some(p, &v[i], err) : 0;
			r = came < 0 ? -1 : 0;
			done += came > 0 ? (size_t)came : 0;
			open += v[i].fd >= 0;
		}
	}
	mem_free(fds);
	if (r == 0 && done < p->n)
		r = err_set(err, "a process that had work to do ended before it was done");
	return r;
}

int parallel_run(const struct parallel *p, struct err *err)
{
	unsigned n = p->jobs < p->n ? p->jobs : (unsigned)p->n, started = 0;
	if (!p->n)
		return 0;
	assert(p->jobs && p->work && p->take);
	_Atomic size_t *next = mmap(NULL, sizeof *next, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (next == MAP_FAILED)
		return err_errno(err, "cannot share memory");
	struct process *v = mem_zero(n * sizeof *v);
	int r = 0;
	while (r == 0 && started < n) {
		r = start(p, started, next, &v[started], err);
		started += r == 0;
	}
	if (r == 0)
		r = collect(p, v, n, err);
	for (unsigned i = 0; i < started; i++) {
		if (r < 0)
			kill(v[i].pid, SIGKILL);
		if (v[i].fd >= 0)
			close(v[i].fd);
		while (waitpid(v[i].pid, NULL, 0) < 0 && errno == EINTR)
			;
		buf_release(&v[i].got);
	}
	mem_free(v);
	munmap(next, sizeof *next);
	return r;
}
