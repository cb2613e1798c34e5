#include "session/programs.h"

#include <assert.h>

#include "base/mem.h"
#include "coverage/words.h"
#include "execute/server.h"

// What a traced variant has that the campaign is to know.
struct taking {
	struct programs *programs;
	uint32_t program;
};

static int take_variant(void *opaque, const char *path, struct err *err)
{
	const struct taking *t = opaque;
	if (cover_add_built(t->programs->cover, path, err) < 0)
		return -1;
	return words_add(&t->programs->v[t->program].words, path, err);
}

static void say_nothing(const char *path, const char *why)
{
	(void)path;
	(void)why;
}

void programs_init(struct programs *p, enum use use, const struct session_tools *tools, struct cover *cover,
                   void (*complain)(const char *path, const char *why))
{
	*p = (struct programs){.tools = tools, .cover = cover, .complain = complain ? complain : say_nothing};
	p->n_variants = use_builders(use, tools, p->variants);
	for (unsigned i = 0; i < p->n_variants; i++)
		p->all[i] = &p->variants[i];
}

void programs_release(struct programs *p)
{
	building_free(p->building);
	for (uint32_t i = 0; i < p->n; i++) {
		struct session_program *x = &p->info[i];
		if (x->graph)
			graph_release(x->graph);
		mem_free(x->graph);
		mem_free(x->libraries);
		mem_free(x->reason);
		mem_free((char *)p->v[i].target.program);
		strv_release(&p->v[i].words);
	}
	mem_free(p->info);
	mem_free(p->v);
	*p = (struct programs){0};
}

uint32_t programs_add(struct programs *p, const char *path, uint64_t root)
{
	p->v = mem_resize(p->v, (p->n + 1) * sizeof *p->v);
	p->info = mem_resize(p->info, (p->n + 1) * sizeof *p->info);
	p->v[p->n] = (struct worker_program){.target = {.program = mem_strdup(path), .root = root}};
	p->info[p->n] = (struct session_program){0};
	return p->n++;
}

// --- building -------------------------------------------------------------------------------------

int programs_build(struct programs *p, uint32_t program, void (*sanitized)(const char *path, const char *why),
                   struct err *err)
{
	assert(program < p->n && !p->v[program].builds);
	const char *path = p->v[program].target.program, *libraries = p->info[program].libraries;
	struct taking taking = {p, program};
	const struct server_build traced = {.libraries = libraries,
	                                    .built = take_variant,
	                                    .opaque = &taking,
	                                    .complain = p->complain,
	                                    .must_load = true},
				  checked = {.libraries = libraries, .complain = sanitized ? sanitized : say_nothing};
	for (unsigned i = 0; i < p->n_variants; i++)
		if (server_build(&p->variants[i], path, i ? &checked : &traced, err) < 0)
			return -1;
	p->v[program].builds = true;
	p->v[program].since = p->n_built++;
	return 0;
}

void programs_leave_out(struct programs *p, uint32_t program, const char *why)
{
	assert(program < p->n && !p->v[program].builds && !p->info[program].reason);
	p->info[program].reason = mem_strdup(why);
	p->v[program].since = p->n_built;
}

void programs_queue(struct programs *p, uint32_t program, double worth, unsigned jobs)
{
	assert(program < p->n);
	if (!p->building)
		p->building = building_new(p->all, p->n_variants, jobs);
	building_add(p->building, program, p->v[program].target.program, p->info[program].libraries, worth);
}

struct polling {
	struct programs *programs;
	void (*built)(void *opaque, uint32_t program);
	void *opaque;
};

// Its variants are in the cache, unless there is a reason why not.
static void take(void *opaque, uint32_t program, const char *why)
{
	const struct polling *a = opaque;
	struct err err;
	if (!why && programs_build(a->programs, program, NULL, &err) < 0)
		why = err.text;
	if (why)
		programs_leave_out(a->programs, program, why);
	a->built(a->opaque, program);
}

bool programs_poll(struct programs *p, void (*built)(void *opaque, uint32_t program), void *opaque)
{
	struct polling a = {p, built, opaque};
	return p->building && building_look(p->building, take, &a);
}

struct building_counts programs_count(const struct programs *p)
{
	return p->building ? building_count(p->building) : (struct building_counts){0};
}

int programs_each_variant(struct programs *p, uint32_t program,
                          int (*each)(void *opaque, const char *variant, struct err *err), void *opaque,
                          struct err *err)
{
	assert(program < p->n);
	const struct server_build how = {
		.libraries = p->info[program].libraries, .built = each, .opaque = opaque, .complain = say_nothing};
	return server_build(&p->variants[0], p->v[program].target.program, &how, err);
}

// --- graphs ---------------------------------------------------------------------------------------

static int add_graph(void *opaque, const char *variant, struct err *err)
{
	return graph_add(opaque, variant, err);
}

int programs_graph(struct programs *p, uint32_t program, const struct graph **ret, struct err *err)
{
	assert(program < p->n);
	struct session_program *x = &p->info[program];
	*ret = x->graph;
	if (x->graph)
		return 0;
	*ret = x->graph = mem_zero(sizeof *x->graph);
	graph_init(x->graph, p->cover);
	int r = programs_each_variant(p, program, add_graph, x->graph, err);
	if (r < 0) {
		graph_release(x->graph);
		graph_init(x->graph, p->cover);
	}
	graph_finish(x->graph);
	return r;
}
