#include "store_writer.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "store/store.h"

#define FLIPS 5    // per input
#define BETWEEN 50 // inputs from one finding to the next

static uint64_t mix(uint64_t v)
{
	v = (v ^ (v >> 31)) * 0x7fb5d329728ea185u;
	v = (v ^ (v >> 27)) * 0x81dadef4bc2dd44du;
	return v ^ (v >> 33);
}

// Input number n: between 1 and 300 bytes that depend on n only.
static void fill(struct buf *data, int64_t n)
{
	buf_clear(data);
	buf_u64(data, (uint64_t)n);
	for (uint64_t i = 0, size = mix((uint64_t)n) % 300; i < size; i++)
		buf_addch(data, (char)mix((uint64_t)n + i));
}

static int write_one(struct store *s, int64_t n, struct buf *data, struct err *err)
{
	fill(data, n);
	struct stored_input in = {.parent = n - 1,
	                          .changed = 1,
	                          .care = -1,
	                          .in_corpus = n % 10 == 0,
	                          .hash = mix((uint64_t)n),
	                          .data = *data};
	bool known;
	if (store_add_input(s, &in, &known, err) < 0)
		return -1;
	if (known || in.id != n)
		return err_set(err, "input %lld came as %lld, known: %d", (long long)n, (long long)in.id, known);
	for (int i = 0; i < FLIPS; i++) {
		struct stored_flip f = {mix((uint64_t)(n * FLIPS + i)), i == 0 ? FLIP_SAT : FLIP_UNSAT, i == 0 ? n : 0};
		if (store_add_flip(s, &f, err) < 0 || store_count(s, "flips", 1, err) < 0)
			return -1;
	}
	if (n % BETWEEN == 0) {
		struct stored_finding f = {.kind = "abort",
		                           .level = LEVEL_ERROR,
		                           .report = "...",
		                           .input = n,
		                           .seed = 1,
		                           .key = (uint64_t)n};
		if (store_add_finding(s, &f, NULL, err) < 0 || store_count(s, "findings", 1, err) < 0)
			return -1;
	}
	in.state = INPUT_DONE;
	return store_update_input(s, &in, err) < 0 ? -1 : store_count(s, "inputs", 1, err);
}

static int write_some(struct store *s, int inputs, struct buf *data, struct err *err)
{
	if (store_begin(s, err) < 0)
		return -1;
	int r = 0;
	for (int64_t n = store_counter(s, "inputs") + 1, end = n + inputs; r == 0 && n < end; n++)
		r = write_one(s, n, data, err);
	struct err why;
	return store_commit(s, r < 0 ? &why : err) < 0 ? -1 : r;
}

void store_writer_run(const char *folder, int inputs, int tell, struct err *err)
{
	struct store *s = store_open(folder, true, err);
	struct buf data = {0};
	while (s && write_some(s, inputs, &data, err) == 0) {
		int64_t n = store_counter(s, "inputs");
		if (write(tell, &n, sizeof n) != sizeof n)
			break;
	}
	buf_release(&data);
	store_close(s);
}

struct check {
	struct store_writer_sum sum;
	struct buf data;
	struct err *err;
};

static int check_input(void *opaque, const struct stored_input *in)
{
	struct check *c = opaque;
	int64_t n = ++c->sum.inputs;
	fill(&c->data, n);
	if (in->id != n || in->state != INPUT_DONE || in->parent != n - 1 || in->hash != mix((uint64_t)n) ||
	    in->data.len != c->data.len || memcmp(in->data.data, c->data.data, c->data.len) != 0)
		return err_set(c->err, "input %lld is not as it was written", (long long)n);
	return 0;
}

static int check_flip(void *opaque, const struct stored_flip *f)
{
	struct check *c = opaque;
	c->sum.candidates++;
	if (f->answer == FLIP_SAT
	            ? f->input < 1 || f->input > c->sum.inputs || f->path != mix((uint64_t)(f->input * FLIPS))
	            : f->answer != FLIP_UNSAT)
		return err_set(c->err, "the flip %016llx is not as it was written", (unsigned long long)f->path);
	return 0;
}

static int check_finding(void *opaque, const struct stored_finding *f)
{
	struct check *c = opaque;
	c->sum.findings++;
	if (f->input != c->sum.findings * BETWEEN || f->key != (uint64_t)f->input)
		return err_set(c->err, "finding %lld is not as it was written", (long long)f->id);
	return 0;
}

static int check_sum(const struct check *c, struct store *s)
{
	const struct store_writer_sum *n = &c->sum;
	if (n->inputs != store_counter(s, "inputs") || n->candidates != store_counter(s, "flips") ||
	    n->findings != store_counter(s, "findings") || n->candidates != FLIPS * n->inputs ||
	    n->findings != n->inputs / BETWEEN)
		return err_set(c->err, "%lld inputs, %lld flips, %lld findings; counted were %lld, %lld, %lld",
		               (long long)n->inputs, (long long)n->candidates, (long long)n->findings,
		               (long long)store_counter(s, "inputs"), (long long)store_counter(s, "flips"),
		               (long long)store_counter(s, "findings"));
	return 0;
}

int store_writer_verify(const char *folder, struct store_writer_sum *ret, struct err *err)
{
	struct store *s = store_open(folder, true, err);
	if (!s)
		return -1;
	struct check c = {.err = err};
	int r = store_check(s, err) < 0 || store_each_input(s, check_input, &c, err) < 0 ||
	                        store_each_flip(s, check_flip, &c, err) < 0 ||
	                        store_each_finding(s, check_finding, &c, err) < 0 || check_sum(&c, s) < 0
	                ? -1
	                : 0;
	*ret = c.sum;
	buf_release(&c.data);
	store_close(s);
	return r;
}

int store_writer_kill(const char *folder, int inputs, bool early, unsigned microseconds, int64_t *ret_told,
                      struct err *err)
{
	int ends[2], status;
	if (pipe(ends) < 0)
		return err_errno(err, "pipe");
	pid_t pid = fork();
	if (pid < 0)
		return err_errno(err, "fork");
	if (pid == 0) {
		struct err why = {""};
		close(ends[0]);
		store_writer_run(folder, inputs, ends[1], &why);
		fprintf(stderr, "the writer ended: %s\n", why.text);
		_exit(1);
	}
	close(ends[1]);
	struct pollfd p = {ends[0], POLLIN, 0};
	if (!early)
		poll(&p, 1, 10000);
	usleep(microseconds);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	*ret_told = 0;
	for (int64_t n; read(ends[0], &n, sizeof n) == sizeof n;)
		*ret_told = n;
	close(ends[0]);
	return WIFSIGNALED(status) ? 0 : err_set(err, "the writer ended by itself");
}
