#include "worker/client.h"

#include "base/file.h"
#include "base/mem.h"

void client_init(struct client *a, const struct worker_setup *setup, const char *worker_dirs)
{
	*a = (struct client){.setup = setup, .worker_dirs = worker_dirs, .worker = {.pid = -1, .fd = -1}};
}

static int start(struct client *a, struct err *err)
{
	if (a->worker.pid > 0)
		return 0;
	char *worker_dir = mem_printf("%s/%u", a->worker_dirs, a->n_workers++);
	int r = file_mkdirs(worker_dir, 0755, err);
	if (r == 0)
		r = worker_start(&a->worker, a->setup, worker_dir, err);
	mem_free(worker_dir);
	return r;
}

int client_call(struct client *a, const struct job *j, struct result *ret, struct err *err)
{
	struct job numbered = *j;
	if (start(a, err) < 0)
		return -1;
	numbered.id = ++a->asked;
	int r = job_send(a->worker.fd, &numbered, err);
	if (r == 0)
		r = result_receive(a->worker.fd, ret, err);
	if (r == 0 && ret->failed) {
		r = err_set(err, "%s", ret->failed);
		result_release(ret);
	}
	if (r < 0)
		client_stop(a);
	return r;
}

void client_stop(struct client *a)
{
	if (a->worker.pid > 0)
		worker_stop(&a->worker);
}
