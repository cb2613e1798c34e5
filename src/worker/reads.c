#include "worker/reads.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/op.h"
#include "base/mem.h"
#include "findings/fixture.h"

enum { FILE_MAX = 1 << 20 };

// A regular file by that very name: who says it may be anybody.
static int open_plain(const char *path, size_t *ret_size)
{
	struct stat st;
	if (path[0] != '/' || strstr(path, "/../"))
		return -1;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= FILE_MAX) {
		*ret_size = (size_t)st.st_size;
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

static void add(struct input *in, const char *path)
{
	size_t size;
	int fd = open_plain(path, &size);
	if (fd < 0)
		return;
	char *bytes = mem_alloc(size + 1);
	if (read(fd, bytes, size) == (ssize_t)size)
		input_add(in, INPUT_FILE, path, bytes, size);
	mem_free(bytes);
	close(fd);
}

void reads_add(struct input *in, const struct trace *t, const struct snapshot *snapshot)
{
	for (uint32_t i = 0; i < t->n_inputs; i++) {
		struct input_source s = trace_input_source(t, i);
		bool file = s.type.kind == INPUT_FILE && s.type.role != INPUT_LENGTH;
		if (file && !snapshot_find(snapshot, s.name) && !input_find(in, INPUT_FILE, s.name) &&
		    fixture_has(snapshot, s.name))
			add(in, s.name);
	}
}

static void mark_operands(const struct trace *t, uint32_t label, bool *marked)
{
	const struct trace_node *n = &t->nodes[label];
	const uint32_t operands[] = {n->a, n->b, n->c};
	for (unsigned i = 0; i < op_operands(n->op); i++)
		marked[operands[i]] = true;
}

void reads_reach(const struct trace *t, uint32_t events, uint32_t *ret)
{
	bool *marked = mem_zero((size_t)t->n_nodes + 1);
	memset(ret, 0, t->n_inputs * sizeof *ret);
	for (uint32_t i = 0; i < events && i < t->n_events; i++) {
		const struct trace_event *e = &t->events[i];
		if (e->label < t->n_nodes && (trace_is_condition(e) || e->kind == EVENT_CHECK))
			marked[e->label] = true;
	}
	for (uint32_t l = t->n_nodes; l-- > 1;) {
		const struct trace_node *n = &t->nodes[l];
		if (!marked[l])
			continue;
		if (n->op != OP_INPUT)
			mark_operands(t, l, marked);
		else if (n->a < t->n_inputs && n->b >= ret[n->a])
			ret[n->a] = n->b + 1;
	}
	mem_free(marked);
}
