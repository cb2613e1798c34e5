#include "explore/asker.h"

#include "base/file.h"
#include "base/mem.h"

void asker_init(struct asker *a, const struct worker_setup *setup, const char *boxes)
{
	*a = (struct asker){.setup = setup, .boxes = boxes, .worker = {.pid = -1, .fd = -1}};
}

static int start(struct asker *a, struct err *err)
{
	if (a->worker.pid > 0)
		return 0;
	char *box = mem_printf("%s/%u", a->boxes, a->n_workers++);
	int r = file_mkdirs(box, 0755, err);
	if (r == 0)
		r = worker_start(&a->worker, a->setup, box, err);
	mem_free(box);
	return r;
}

int asker_ask(struct asker *a, const struct job *j, struct result *ret, struct err *err)
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
		asker_stop(a);
	return r;
}

void asker_stop(struct asker *a)
{
	if (a->worker.pid > 0)
		worker_stop(&a->worker);
}
