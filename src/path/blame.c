#include "path/blame.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "expr/tape.h"
#include "path/path.h"
#include "solver/care.h"

// --- the event ------------------------------------------------------------------------------------

enum { FAR = 1000, IN_MODEL = 500 };

// Sites have the path as the compiler was given it, findings an absolute one.
static bool is_file(const char *site, const char *file, size_t size)
{
	size_t n = strlen(site);
	while (n > 2 && strncmp(site, "./", 2) == 0) {
		site += 2;
		n -= 2;
	}
	if (n > size)
		return site[n - size - 1] == '/' && strncmp(site + n - size, file, size) == 0;
	if (strncmp(file + size - n, site, n) == 0 && (n == size || file[size - n - 1] == '/'))
		return true;
	// "../src/x.c" is not tidy; names have to do.
	const char *name = path_basename(site);
	size_t m = strlen(name);
	return strstr(site, "../") && m <= size && strncmp(file + size - m, name, m) == 0;
}

// How far from the finding the site is: 0 at its place, N in its N-th caller, FAR elsewhere.
static unsigned distance(const struct trace *t, const struct trace_site *site, const char *file, uint32_t line,
                         const char *stack)
{
	const char *name = trace_text(t, site->file);
	unsigned frame = 0;
	if (site->line == line && is_file(name, file, strlen(file)))
		return 0;
	for (const char *p = stack; *p && frame < FAR / 4; frame++) {
		size_t size = strcspn(p, "\n"), space = strcspn(p, " \n");
		const char *colon = memrchr(p, ':', size);
		if (space < size && colon && strtoul(colon + 1, NULL, 10) == site->line &&
		    is_file(name, p + space + 1, (size_t)(colon - p) - space - 1))
			return frame;
		p += size + (p[size] == '\n');
	}
	return strncmp(name, "libc/", 5) == 0 ? IN_MODEL : FAR;
}

// Does it say more of what happens in the line of `event`? Not a branch, which comes before it or from it.
static bool belongs(const struct trace *t, uint32_t event, uint32_t other)
{
	const struct trace_event *e = &t->events[other];
	const struct trace_site *here = trace_site(t, t->events[event].site), *there = trace_site(t, e->site);
	return (e->kind == EVENT_CHECK || e->kind == EVENT_CONCRETE || e->kind == EVENT_ACCESS) && here && there &&
	       here->line == there->line && here->file == there->file;
}

struct blame blame_find(const struct trace *t, const char *file, uint32_t line, const char *stack)
{
	struct blame best = {.event = t->n_events};
	unsigned nearest = FAR;
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct trace_event *e = &t->events[i];
		const struct trace_site *site = trace_site(t, e->site);
		bool fails = e->kind == EVENT_CHECK && !trace_value(e);
		if (!site || (best.fails && !fails))
			continue;
		unsigned far = distance(t, site, file, line, stack);
		// What fails is worth more than what only stands there, and of that the last.
		bool better = fails ? far < nearest || (!best.fails && far < FAR) : far == 0;
		if (!better)
			continue;
		best = (struct blame){.event = i, .fails = fails};
		nearest = fails ? far : FAR;
	}
	best.begin = best.end = best.event;
	while (best.end < t->n_events && (best.end == best.event || belongs(t, best.event, best.end)))
		best.end++;
	while (best.event < t->n_events && best.begin && belongs(t, best.event, best.begin - 1))
		best.begin--;
	return best;
}

uint32_t blame_violated(const struct trace *was, const struct trace *now, const char *file, uint32_t line,
                        const char *stack)
{
	struct expr_pool pool;
	struct import before, after; // inputs of the same name are the same variables
	uint32_t found = was->n_events;
	expr_pool_init(&pool);
	import_init(&before, &pool, was);
	import_init(&after, &pool, now);
	for (uint32_t i = 0; i < was->n_events && found == was->n_events; i++) {
		const struct trace_event *e = &was->events[i];
		const struct trace_site *site = trace_site(was, e->site);
		if (e->kind == EVENT_CHECK && e->label && trace_value(e) && site &&
		    distance(was, site, file, line, stack) == 0 &&
		    !expr_eval(&pool, before.exprs[e->label], after.seed))
			found = i;
	}
	import_release(&before);
	import_release(&after);
	expr_pool_release(&pool);
	return found;
}

// --- relevant bytes -------------------------------------------------------------------------------

enum { MATTERS_NS = 300000000 };

static uint32_t input_of(const struct path *p, uint32_t source)
{
	uint32_t i = 0;
	while (i < p->import.trace->n_inputs && p->import.sources[i] != source)
		i++;
	return i;
}

static bool counts(const struct trace *t, uint32_t input, uint32_t offset)
{
	uint32_t size = 0;
	struct input_type type = trace_input_type(t, input);
	const uint8_t *data = trace_input_data(t, input, &size);
	if (input_is_number(type) || !data)
		return false;
	return offset < (input_is_string(type) ? strnlen((const char *)data, size) : size);
}

static void take_mask(struct blamed_bytes *b, const struct trace *t, uint32_t input, uint32_t offset, uint8_t mask)
{
	uint32_t size = 0;
	trace_input_data(t, input, &size);
	if (offset >= size)
		return;
	if (!b->masks[input]) {
		b->masks[input] = mem_zero(size);
		b->sizes[input] = size;
	}
	b->masks[input][offset] = mask;
	b->count += counts(t, input, offset);
}

// Are labels lost on the way, so that something may be relevant that no condition mentions?
static bool is_partial(const struct trace *t, uint32_t event)
{
	bool lost = t->header->full || (t->header->flags & TRACE_WINDOWED) || t->damaged || !t->n_inputs;
	for (uint32_t i = 0; i < event && i < t->n_events; i++)
		lost |= t->events[i].kind == EVENT_UNKNOWN || t->events[i].kind == EVENT_LIMIT;
	return lost;
}

bool blame_bytes(struct blamed_bytes *ret, const struct trace *t, struct blame blame)
{
	const uint32_t event = blame.end - (blame.event < t->n_events); // the last one that counts
	struct expr_pool pool;
	struct path path;
	struct care care = {0};
	*ret = (struct blamed_bytes){0};
	if (is_partial(t, event))
		return false;
	expr_pool_init(&pool);
	struct solver_env env = {
		.pool = &pool, .nanoseconds = MATTERS_NS, .conflicts = 100000, .bytes = (size_t)256 << 20};
	struct care_solver *solver = care_new(&env);
	path_init(&path, &pool, t);
	struct query q = path_kept(&path, event, false, path.import.seed);
	for (uint32_t i = blame.event; i < event; i++) // checks are no conditions of what comes after them
		if (t->events[i].kind == EVENT_CHECK && t->events[i].label && !trace_value(&t->events[i]))
			condition_list_add(&path.conditions, import_condition(&path.import, i));
	q.conditions = path.conditions.ids;
	q.n = path.conditions.n;
	bool known =
		!path_gives_more(&path, event) && care_find(&care, solver, q.conditions, q.n, q.seed, CARE_DEFAULT);
	ret->n = t->n_inputs;
	ret->masks = mem_zero((t->n_inputs + 1) * sizeof *ret->masks);
	ret->sizes = mem_zero((t->n_inputs + 1) * sizeof *ret->sizes);
	for (uint32_t v = 0; known && v < care.n; v++) {
		uint32_t input = input_of(&path, pool.vars[v].source);
		if (care.masks[v] && input < t->n_inputs)
			take_mask(ret, t, input, pool.vars[v].offset, care.masks[v]);
	}
	care_release(&care);
	path_release(&path);
	care_free(solver);
	expr_pool_release(&pool);
	if (!known)
		blamed_bytes_release(ret);
	return known;
}

void blamed_bytes_release(struct blamed_bytes *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		mem_free(b->masks[i]);
	mem_free(b->masks);
	mem_free(b->sizes);
	*b = (struct blamed_bytes){0};
}
