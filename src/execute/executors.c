#include "execute/executors.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"

// How a variant is run.
struct variant_use {
	const char *variant;
	bool traces;  // its input is symbolic, and it records a trace
	bool counts;  // it has counters of coverage
	bool on_heap; // arguments and variables in heap blocks of their size
};

static const struct variant_use uses[] = {
	{.variant = "native"},
	{.variant = "explored", .traces = true, .counts = true},
	{.variant = "fragment", .traces = true, .counts = true},
	{.variant = "fragment-sanitized", .on_heap = true},
	{.variant = "sanitized", .on_heap = true}, // one past the end of an argument is invisible otherwise
};

static const struct variant_use *use_of(const char *variant)
{
	for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
		if (strcmp(uses[i].variant, variant) == 0)
			return &uses[i];
	return NULL;
}

void executors_init(struct executors *ret, const struct executors_setup *setup)
{
	assert(setup->builder && setup->sandbox);
	*ret = (struct executors){.setup = *setup};
}

static struct executors_member *start(struct executors *s, const struct target *t, const struct variant_use *use,
                                      struct err *err)
{
	struct executors_member *m = mem_zero(sizeof *m);
	m->version = t->version;
	m->variant = use->variant;
	m->builder = *s->setup.builder;
	m->builder.variant = use->variant;
	const struct executor_setup setup = {
		.builder = &m->builder,
		.target = *t,
		.sym = use->traces ? s->setup.sym : NULL,
		.sandbox = s->setup.sandbox,
		.steady = true,
		.on_heap = use->on_heap,
		.floats = s->setup.floats,
		.want_trace = use->traces,
		.want_cover = use->counts,
		.complain = s->setup.complain,
	};
	if (executor_start(&m->executor, &setup, err) == 0)
		return m;
	mem_free(m);
	return NULL;
}

struct executor *executors_get(struct executors *s, const struct target *t, const char *variant, struct err *err)
{
	for (size_t i = 0; i < s->n; i++) {
		struct executors_member *m = s->v[i];
		if (m->version != t->version)
			continue;
		assert(strcmp(m->executor.setup.target.program, t->program) == 0);
		if (strcmp(m->variant, variant) == 0)
			return &m->executor;
	}
	const struct variant_use *use = use_of(variant);
	assert(use);
	struct executors_member *m = start(s, t, use, err);
	if (!m)
		return NULL;
	executor_set_snapshot(&m->executor, s->snapshot, s->files);
	s->v = mem_resize(s->v, (s->n + 1) * sizeof *s->v);
	s->v[s->n++] = m;
	return &m->executor;
}

void executors_set_snapshot(struct executors *s, const struct snapshot *snapshot, const char *files)
{
	s->snapshot = snapshot;
	s->files = files;
	for (size_t i = 0; i < s->n; i++)
		executor_set_snapshot(&s->v[i]->executor, snapshot, files);
}

void executors_stop(struct executors *s)
{
	for (size_t i = 0; i < s->n; i++) {
		executor_stop(&s->v[i]->executor);
		mem_free(s->v[i]);
	}
	mem_free(s->v);
	s->v = NULL;
	s->n = 0;
}
