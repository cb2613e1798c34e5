#include "explore/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"

enum { MESSAGE_MAX = 1 << 28, MANY = 1 << 24 };

// --- bytes ----------------------------------------------------------------------------------------

static int send_all(int fd, const struct buf *b, struct err *err)
{
	uint32_t size = (uint32_t)b->len;
	struct buf whole = {0};
	buf_u32(&whole, size);
	buf_add(&whole, b->data, b->len);
	size_t sent = 0;
	for (ssize_t n; sent < whole.len; sent += (size_t)n)
		if ((n = send(fd, whole.data + sent, whole.len - sent, MSG_NOSIGNAL)) <= 0) {
			if (n < 0 && errno == EINTR) {
				n = 0;
				continue;
			}
			break;
		}
	bool all = sent == whole.len;
	buf_release(&whole);
	return all ? 0 : err_errno(err, "cannot talk to a worker");
}

// Returns 1 at the end of the stream.
static int receive(int fd, void *to, size_t size)
{
	for (size_t got = 0; got < size;) {
		ssize_t n = recv(fd, (char *)to + got, size - got, 0);
		if (n == 0)
			return 1;
		if (n < 0 && errno != EINTR)
			return -1;
		got += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

static int receive_all(int fd, struct buf *ret, struct err *err)
{
	uint32_t size;
	int r = receive(fd, &size, sizeof size);
	if (r != 0)
		return r < 0 ? err_errno(err, "a worker is gone") : 1;
	if (size > MESSAGE_MAX)
		return err_set(err, "a worker talks nonsense");
	buf_reserve(ret, size + 1);
	if (receive(fd, ret->data, size) != 0)
		return err_set(err, "a worker is gone");
	ret->len = size;
	return 0;
}

static void put_string(struct buf *b, const char *s)
{
	buf_u32(b, s != NULL);
	if (s)
		buf_string(b, s);
}

static char *get_string(struct cursor *c)
{
	return cursor_u32(c) ? cursor_string(c) : NULL;
}

static void put_input(struct buf *b, const struct input *in)
{
	struct buf bytes = {0};
	input_encode(in, &bytes);
	buf_u32(b, (uint32_t)bytes.len);
	buf_add(b, bytes.data, bytes.len);
	buf_release(&bytes);
}

static void get_input(struct cursor *c, struct input *ret)
{
	uint32_t size = cursor_u32(c);
	const uint8_t *bytes = cursor_bytes(c, size);
	struct err err;
	*ret = (struct input){0};
	if (!bytes || input_decode(ret, bytes, size, &err) < 0)
		c->bad = true;
}

// How many follow; none when that cannot be: each takes at least `least` bytes.
static uint32_t get_count(struct cursor *c, size_t least)
{
	uint32_t n = cursor_u32(c);
	if (n > MANY || n > (size_t)(c->end - c->p) / least)
		c->bad = true;
	return c->bad ? 0 : n;
}

static void put_alternative(struct buf *b, const struct alternative *t)
{
	buf_u64(b, t->key);
	buf_u64(b, t->edge);
	buf_u64(b, t->site);
	buf_u64(b, t->context);
	buf_u64(b, t->pair);
	buf_u64(b, t->value);
	buf_u32(b, t->op);
}

static struct alternative get_alternative(struct cursor *c)
{
	struct alternative t = {.key = cursor_u64(c)};
	t.edge = cursor_u64(c);
	t.site = cursor_u64(c);
	t.context = cursor_u64(c);
	t.pair = cursor_u64(c);
	t.value = cursor_u64(c);
	t.op = (uint8_t)cursor_u32(c);
	c->bad |= t.op >= ALTERNATIVE_OPS;
	return t;
}

// --- jobs -----------------------------------------------------------------------------------------

void job_release(struct job *j)
{
	input_release(&j->input);
	input_release(&j->seed);
	buf_release(&j->around);
	buf_release(&j->windows);
	for (uint32_t i = 0; i < j->n_alternatives; i++)
		mem_free(j->alternatives[i].known);
	mem_free(j->alternatives);
	*j = (struct job){0};
}

int job_send(int fd, const struct job *j, struct err *err)
{
	struct buf b = {0};
	buf_u64(&b, j->id);
	buf_u32(&b, j->program);
	buf_u64(&b, (uint64_t)j->snapshot);
	buf_u32(&b, (uint32_t)j->around.len);
	buf_add(&b, j->around.data, j->around.len);
	buf_u32(&b, j->flags);
	buf_u32(&b, j->milliseconds);
	buf_u32(&b, j->run_ms);
	buf_u64(&b, j->expect);
	buf_u32(&b, j->care_us);
	buf_u32(&b, (uint32_t)j->windows.len);
	buf_add(&b, j->windows.data, j->windows.len);
	buf_u64(&b, j->target);
	put_input(&b, &j->input);
	put_input(&b, &j->seed);
	buf_u32(&b, j->n_alternatives);
	for (uint32_t i = 0; i < j->n_alternatives; i++) {
		const struct job_alternative *t = &j->alternatives[i];
		buf_u32(&b, t->event);
		buf_u64(&b, t->place);
		put_alternative(&b, &t->alternative);
		buf_u32(&b, t->n_known);
		for (uint32_t k = 0; k < t->n_known; k++)
			buf_u64(&b, t->known[k]);
	}
	int r = send_all(fd, &b, err);
	buf_release(&b);
	return r;
}

static void get_bytes(struct cursor *c, struct buf *ret)
{
	uint32_t size = cursor_u32(c);
	const uint8_t *bytes = cursor_bytes(c, size);
	if (bytes)
		buf_add(ret, bytes, size);
}

static void get_job_alternative(struct cursor *c, struct job_alternative *ret)
{
	ret->event = cursor_u32(c);
	ret->place = cursor_u64(c);
	ret->alternative = get_alternative(c);
	ret->n_known = get_count(c, 8);
	ret->known = mem_zero((ret->n_known + 1) * sizeof *ret->known);
	for (uint32_t k = 0; k < ret->n_known; k++)
		ret->known[k] = cursor_u64(c);
}

int job_receive(int fd, struct job *ret, struct err *err)
{
	struct buf b = {0};
	*ret = (struct job){0};
	int r = receive_all(fd, &b, err);
	if (r == 0) {
		struct cursor c = {.p = (const uint8_t *)b.data, .end = (const uint8_t *)b.data + b.len};
		ret->id = cursor_u64(&c);
		ret->program = cursor_u32(&c);
		ret->snapshot = (int64_t)cursor_u64(&c);
		get_bytes(&c, &ret->around);
		ret->flags = cursor_u32(&c);
		ret->milliseconds = cursor_u32(&c);
		ret->run_ms = cursor_u32(&c);
		ret->expect = cursor_u64(&c);
		ret->care_us = cursor_u32(&c);
		get_bytes(&c, &ret->windows);
		ret->target = cursor_u64(&c);
		get_input(&c, &ret->input);
		get_input(&c, &ret->seed);
		ret->n_alternatives = get_count(&c, 68);
		ret->alternatives = mem_zero((ret->n_alternatives + 1) * sizeof *ret->alternatives);
		for (uint32_t i = 0; i < ret->n_alternatives; i++)
			get_job_alternative(&c, &ret->alternatives[i]);
		if (c.bad)
			r = err_set(err, "the coordinator talks nonsense");
	}
	buf_release(&b);
	if (r < 0)
		job_release(ret);
	return r;
}

// --- results --------------------------------------------------------------------------------------

static void release_verdict(struct result_verdict *v)
{
	mem_free(v->verdict.kind);
	mem_free(v->verdict.file);
	mem_free(v->verdict.function);
	mem_free(v->verdict.stack);
	mem_free(v->verdict.report);
	input_release(&v->input);
}

void result_release(struct result *r)
{
	mem_free(r->failed);
	mem_free(r->differs);
	buf_release(&r->trace);
	for (uint32_t i = 0; i < r->n_answers; i++)
		input_release(&r->answers[i].input);
	for (uint32_t i = 0; i < r->n_cover; i++)
		mem_free(r->cover[i].bytes);
	for (uint32_t i = 0; i < r->n_verdicts; i++)
		release_verdict(&r->verdicts[i]);
	for (uint32_t i = 0; i < r->n_names; i++)
		mem_free(r->names[i].name);
	for (uint32_t i = 0; i < r->n_reads; i++)
		mem_free(r->reads[i].name);
	input_release(&r->whole);
	input_release(&r->masks);
	mem_free(r->reported);
	mem_free(r->alternatives);
	mem_free(r->answers);
	mem_free(r->cover);
	mem_free(r->verdicts);
	mem_free(r->names);
	mem_free(r->reads);
	mem_free(r->edges);
	*r = (struct result){0};
}

static void put_head(struct buf *b, const struct result *r)
{
	put_string(b, r->failed);
	buf_u64(b, r->id);
	buf_u32(b, (uint32_t)r->run.end);
	buf_u32(b, (uint32_t)r->run.code);
	buf_u64(b, r->run.wall_us);
	buf_u64(b, r->run.cpu_us);
	buf_u32(b, (uint32_t)r->run.server_died | (uint32_t)r->as_expected << 1 | (uint32_t)r->cut << 2 |
	                   (uint32_t)r->full << 3 | (uint32_t)r->damaged << 4 | (uint32_t)r->symbolic << 5 |
	                   (uint32_t)r->unmodelled << 6 | (uint32_t)r->untraced << 7 | (uint32_t)r->no_input << 8);
	buf_u32(b, r->decisions);
	buf_u64(b, r->path);
	buf_u64(b, r->join);
	buf_u64(b, r->leaf);
	buf_u32(b, r->changed_cover);
	buf_u32(b, (uint32_t)r->care);
	buf_u32(b, (uint32_t)r->care_of);
	buf_u64(b, r->us_run);
	buf_u64(b, r->us_read);
	buf_u64(b, r->us_solve);
	buf_u64(b, r->us_oracle);
	buf_u64(b, r->us_care);
	buf_u64(b, r->nodes);
	buf_u32(b, (uint32_t)r->outcome);
	put_string(b, r->differs);
	buf_u64(b, r->native_us);
	buf_u32(b, (uint32_t)r->trace.len);
	buf_add(b, r->trace.data, r->trace.len);
}

static void get_head(struct cursor *c, struct result *r)
{
	r->failed = get_string(c);
	r->id = cursor_u64(c);
	uint32_t end = cursor_u32(c);
	c->bad |= end >= RUN_ENDS;
	r->run.end = (enum run_end)end;
	r->run.code = (int)cursor_u32(c);
	r->run.wall_us = cursor_u64(c);
	r->run.cpu_us = cursor_u64(c);
	uint32_t flags = cursor_u32(c);
	r->run.server_died = flags & 1;
	r->as_expected = flags >> 1 & 1;
	r->cut = flags >> 2 & 1;
	r->full = flags >> 3 & 1;
	r->damaged = flags >> 4 & 1;
	r->symbolic = flags >> 5 & 1;
	r->unmodelled = flags >> 6 & 1;
	r->untraced = flags >> 7 & 1;
	r->no_input = flags >> 8 & 1;
	r->decisions = cursor_u32(c);
	r->path = cursor_u64(c);
	r->join = cursor_u64(c);
	r->leaf = cursor_u64(c);
	r->changed_cover = cursor_u32(c);
	r->care = (int32_t)cursor_u32(c);
	r->care_of = (int32_t)cursor_u32(c);
	r->us_run = cursor_u64(c);
	r->us_read = cursor_u64(c);
	r->us_solve = cursor_u64(c);
	r->us_oracle = cursor_u64(c);
	r->us_care = cursor_u64(c);
	r->nodes = cursor_u64(c);
	uint32_t outcome = cursor_u32(c);
	c->bad |= outcome >= OUTCOMES;
	r->outcome = (enum outcome)outcome;
	r->differs = get_string(c);
	r->native_us = cursor_u64(c);
	uint32_t size = cursor_u32(c);
	const uint8_t *trace = cursor_bytes(c, size);
	if (trace)
		buf_add(&r->trace, trace, size);
}

static void put_path(struct buf *b, const struct result *r)
{
	buf_u32(b, r->n_reported);
	for (uint32_t i = 0; i < r->n_reported; i++) {
		const struct decision *d = &r->reported[i].decision;
		buf_u32(b, r->reported[i].depth);
		buf_u32(b, (uint32_t)d->check | (uint32_t)d->sensitive << 1);
		buf_u32(b, d->event);
		buf_u32(b, d->first);
		buf_u32(b, d->alternatives);
		buf_u64(b, d->key);
		buf_u64(b, d->edge);
		buf_u64(b, d->place);
		buf_u64(b, d->value);
		buf_u64(b, d->point);
		buf_u32(b, d->way);
	}
	buf_u32(b, r->n_alternatives);
	for (uint32_t i = 0; i < r->n_alternatives; i++)
		put_alternative(b, &r->alternatives[i]);
}

static void get_path(struct cursor *c, struct result *r)
{
	r->n_reported = get_count(c, 64);
	r->reported = mem_zero((r->n_reported + 1) * sizeof *r->reported);
	for (uint32_t i = 0; i < r->n_reported; i++) {
		struct decision *d = &r->reported[i].decision;
		r->reported[i].depth = cursor_u32(c);
		uint32_t flags = cursor_u32(c);
		d->check = flags & 1;
		d->sensitive = flags >> 1 & 1;
		d->event = cursor_u32(c);
		d->first = cursor_u32(c);
		d->alternatives = cursor_u32(c);
		d->key = cursor_u64(c);
		d->edge = cursor_u64(c);
		d->place = cursor_u64(c);
		d->value = cursor_u64(c);
		d->point = cursor_u64(c);
		d->way = cursor_u32(c);
	}
	r->n_alternatives = get_count(c, 52);
	r->alternatives = mem_zero((r->n_alternatives + 1) * sizeof *r->alternatives);
	for (uint32_t i = 0; i < r->n_alternatives; i++)
		r->alternatives[i] = get_alternative(c);
	for (uint32_t i = 0; i < r->n_reported; i++)
		c->bad |= (uint64_t)r->reported[i].decision.first + r->reported[i].decision.alternatives >
		          r->n_alternatives;
}

static void put_answers(struct buf *b, const struct result *r)
{
	buf_u32(b, r->n_answers);
	for (uint32_t i = 0; i < r->n_answers; i++) {
		const struct result_answer *a = &r->answers[i];
		buf_u64(b, a->key);
		buf_u32(b, (uint32_t)a->answer);
		buf_u32(b, (uint32_t)a->reason);
		buf_u32(b, a->event);
		buf_u32(b, a->changed);
		put_input(b, &a->input);
	}
}

static void get_answers(struct cursor *c, struct result *r)
{
	r->n_answers = get_count(c, 28);
	r->answers = mem_zero((r->n_answers + 1) * sizeof *r->answers);
	for (uint32_t i = 0; i < r->n_answers; i++) {
		struct result_answer *a = &r->answers[i];
		a->key = cursor_u64(c);
		uint32_t answer = cursor_u32(c), reason = cursor_u32(c);
		c->bad |= answer > ANSWER_UNKNOWN || reason >= SOLVER_REASONS;
		a->answer = (enum answer)answer;
		a->reason = (enum solver_reason)reason;
		a->event = cursor_u32(c);
		a->changed = cursor_u32(c);
		get_input(c, &a->input);
	}
}

static void put_cover(struct buf *b, const struct result *r)
{
	buf_u32(b, r->n_cover);
	for (uint32_t i = 0; i < r->n_cover; i++) {
		buf_u64(b, r->cover[i].unit);
		buf_u32(b, r->cover[i].n);
		buf_add(b, r->cover[i].bytes, r->cover[i].n);
	}
}

static void get_cover(struct cursor *c, struct result *r)
{
	r->n_cover = get_count(c, 12);
	r->cover = mem_zero((r->n_cover + 1) * sizeof *r->cover);
	for (uint32_t i = 0; i < r->n_cover; i++) {
		r->cover[i].unit = cursor_u64(c);
		uint32_t n = cursor_u32(c);
		const uint8_t *bytes = cursor_bytes(c, n);
		r->cover[i].n = bytes ? n : 0;
		r->cover[i].bytes = bytes ? (uint8_t *)mem_copy(bytes, n) : NULL;
	}
}

static void put_masks(struct buf *b, const struct result *r)
{
	put_input(b, &r->whole);
	put_input(b, &r->masks);
}

static void get_masks(struct cursor *c, struct result *r)
{
	get_input(c, &r->whole);
	get_input(c, &r->masks);
}

static void put_verdicts(struct buf *b, const struct result *r)
{
	buf_u32(b, r->n_verdicts);
	for (uint32_t i = 0; i < r->n_verdicts; i++) {
		const struct verdict *v = &r->verdicts[i].verdict;
		buf_u32(b, (uint32_t)v->level);
		buf_u32(b, v->line);
		buf_u64(b, v->key);
		put_string(b, v->kind);
		put_string(b, v->file);
		put_string(b, v->function);
		put_string(b, v->stack);
		put_string(b, v->report);
		put_input(b, &r->verdicts[i].input);
		buf_u32(b, (uint32_t)r->verdicts[i].changed);
		buf_u32(b, (uint32_t)r->verdicts[i].care);
	}
}

static void get_verdicts(struct cursor *c, struct result *r)
{
	r->n_verdicts = get_count(c, 40);
	r->verdicts = mem_zero((r->n_verdicts + 1) * sizeof *r->verdicts);
	for (uint32_t i = 0; i < r->n_verdicts; i++) {
		struct verdict *v = &r->verdicts[i].verdict;
		uint32_t level = cursor_u32(c);
		c->bad |= level > LEVEL_ERROR;
		v->level = (enum finding_level)level;
		v->line = cursor_u32(c);
		v->key = cursor_u64(c);
		v->kind = get_string(c);
		v->file = get_string(c);
		v->function = get_string(c);
		v->stack = get_string(c);
		v->report = get_string(c);
		get_input(c, &r->verdicts[i].input);
		r->verdicts[i].changed = (int32_t)cursor_u32(c);
		r->verdicts[i].care = (int32_t)cursor_u32(c);
	}
}

static void put_names(struct buf *b, const struct result_name *v, uint32_t n)
{
	buf_u32(b, n);
	for (uint32_t i = 0; i < n; i++) {
		buf_string(b, v[i].name);
		buf_u32(b, v[i].count);
	}
}

static struct result_name *get_names(struct cursor *c, uint32_t *ret_n)
{
	*ret_n = get_count(c, 8);
	struct result_name *v = mem_zero((*ret_n + 1) * sizeof *v);
	for (uint32_t i = 0; i < *ret_n; i++) {
		v[i].name = cursor_string(c);
		v[i].count = cursor_u32(c);
	}
	return v;
}

static void put_edges(struct buf *b, const struct result *r)
{
	buf_u32(b, r->n_edges);
	buf_add(b, r->edges, r->n_edges);
}

static void get_edges(struct cursor *c, struct result *r)
{
	uint32_t n = cursor_u32(c);
	const uint8_t *bytes = cursor_bytes(c, n);
	r->n_edges = bytes ? n : 0;
	r->edges = bytes ? (uint8_t *)mem_copy(bytes, n) : NULL;
}

int result_send(int fd, const struct result *r, struct err *err)
{
	struct buf b = {0};
	put_head(&b, r);
	put_path(&b, r);
	put_answers(&b, r);
	put_cover(&b, r);
	put_verdicts(&b, r);
	put_names(&b, r->names, r->n_names);
	put_names(&b, r->reads, r->n_reads);
	put_masks(&b, r);
	put_edges(&b, r);
	int sent = send_all(fd, &b, err);
	buf_release(&b);
	return sent;
}

int result_receive(int fd, struct result *ret, struct err *err)
{
	struct buf b = {0};
	*ret = (struct result){0};
	int r = receive_all(fd, &b, err);
	if (r == 1)
		r = err_set(err, "a worker is gone");
	if (r == 0) {
		struct cursor c = {.p = (const uint8_t *)b.data, .end = (const uint8_t *)b.data + b.len};
		get_head(&c, ret);
		get_path(&c, ret);
		get_answers(&c, ret);
		get_cover(&c, ret);
		get_verdicts(&c, ret);
		ret->names = get_names(&c, &ret->n_names);
		ret->reads = get_names(&c, &ret->n_reads);
		get_masks(&c, ret);
		get_edges(&c, ret);
		if (c.bad) {
			result_release(ret);
			r = err_set(err, "a worker talks nonsense");
		}
	}
	buf_release(&b);
	return r;
}
