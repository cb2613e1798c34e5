// Starts and stops workers: the coordinator's side.
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "worker/worker_internal.h"

int worker_start(struct worker *ret, const struct worker_setup *setup, const char *worker_dir, struct err *err)
{
	int pair[2];
	struct worker_state *s = mem_zero(sizeof *s);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
		mem_free(s);
		return err_errno(err, "cannot start a worker");
	}
	s->setup = setup;
	s->fd = pair[1];
	pid_t pid = sandbox_fork(&s->sandbox, setup->mode, &setup->limits, worker_dir, setup->cwd, err);
	if (pid == 0) {
		close(pair[0]);
		worker_work(s);
	}
	close(pair[1]);
	mem_free(s);
	if (pid < 0) {
		close(pair[0]);
		return -1;
	}
	*ret = (struct worker){.pid = pid, .fd = pair[0], .mode = setup->mode, .worker_dir = mem_strdup(worker_dir)};
	return 0;
}

// They end by themselves, unless they are at something. A guard is killed only when it cannot be at work any more: it
// ends what runs left, which takes its time on a busy machine.
void workers_stop(struct worker *const *all, size_t n)
{
	enum { PATIENCE = 20, ATTEMPTS = 1000 };
	size_t left = n;
	for (size_t i = 0; i < n; i++) {
		if (all[i]->fd >= 0)
			close(all[i]->fd);
		all[i]->fd = -1;
	}
	for (int attempt = 0; left && attempt < ATTEMPTS; attempt++) {
		if (attempt)
			usleep(10000);
		for (size_t i = 0; i < n && attempt == PATIENCE; i++)
			if (all[i]->pid > 0)
				sandbox_end(all[i]->mode, all[i]->pid);
		left = 0;
		for (size_t i = 0; i < n; i++) {
			if (all[i]->pid > 0 && waitpid(all[i]->pid, NULL, WNOHANG) != 0)
				all[i]->pid = -1;
			left += all[i]->pid > 0;
		}
	}
	for (size_t i = 0; i < n; i++)
		if (all[i]->pid > 0)
			kill(all[i]->pid, SIGKILL);
	for (size_t i = 0; i < n; i++) {
		if (all[i]->pid > 0)
			waitpid(all[i]->pid, NULL, 0);
		if (all[i]->worker_dir)
			file_remove_tree(all[i]->worker_dir);
		mem_free(all[i]->worker_dir);
		*all[i] = (struct worker){.pid = -1, .fd = -1};
	}
}

void worker_stop(struct worker *w)
{
	workers_stop(&w, 1);
}
