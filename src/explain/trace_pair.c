#include "explain/trace_pair.h"

#include <string.h>

#include "base/mem.h"
#include "explain/names.h"
#include "expr/simplify.h"

enum { WRITTEN_BYTES = 72 };

// "FUNCTION FILE:LINE", a line each.
static void add_frames(struct strv *files, const char *stack)
{
	for (const char *p = stack; *p;) {
		size_t size = strcspn(p, "\n"), space = strcspn(p, " \n");
		const char *colon = memrchr(p, ':', size);
		if (space < size && colon && colon > p + space) {
			char *file = mem_copy(p + space + 1, (size_t)(colon - p) - space - 1);
			strv_push_once(files, file);
			mem_free(file);
		}
		p += size + (p[size] == '\n');
	}
}

static void add_sites(struct strv *files, const struct trace *t)
{
	uint32_t last = 0;
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct trace_site *site = trace_site(t, t->events[i].site);
		if (!site || site->file == last)
			continue;
		last = site->file;
		strv_push_once(files, trace_text(t, site->file));
	}
}

void trace_pair_init(struct trace_pair *s, const struct trace *now, const struct trace *was, const char *stack)
{
	*s = (struct trace_pair){.has_was = was != NULL};
	expr_pool_init(&s->pool);
	import_init(&s->now, &s->pool, now);
	if (was)
		import_init(&s->was, &s->pool, was);
	import_cover(&s->now);
	phrasing_init(&s->words, &s->pool, s->now.seed);
	known_init(&s->known, &s->pool);
	s->possible = mem_alloc((s->pool.n_vars + 1) * sizeof *s->possible);
	for (uint32_t i = 0; i < s->pool.n_vars; i++)
		s->possible[i] = byteset_all();
	s->words.possible = s->possible;
	add_frames(&s->files, stack);
	add_sites(&s->files, now);
}

void trace_pair_release(struct trace_pair *s)
{
	phrasing_release(&s->words);
	known_release(&s->known);
	mem_free(s->possible);
	import_release(&s->now);
	if (s->has_was)
		import_release(&s->was);
	expr_pool_release(&s->pool);
	strv_release(&s->files);
	*s = (struct trace_pair){0};
}

const char *trace_pair_file(const struct trace_pair *s, const char *path)
{
	return names_short(path, s->files.v, s->files.n);
}

uint32_t trace_pair_simple(struct trace_pair *s, uint32_t written)
{
	uint32_t simple = known_rewrite(&s->known, written);
	if (expr_is_const(&s->pool, simple))
		simple = expr_simplify(&s->pool, written);
	return expr_is_const(&s->pool, simple) ? written : simple;
}

// What the program has is known to who wrote it, unless it is long, or a choice that the path has made.
static bool is_better(const char *simple, const char *written)
{
	return (strlen(written) > WRITTEN_BYTES || strstr(written, " ? ")) && strlen(simple) < strlen(written);
}

char *trace_pair_condition(const struct trace_pair *s, uint32_t written, uint32_t simple,
                           const struct byteset *possible, size_t limit, uint32_t *chosen)
{
	char *text = phrase_condition(&s->words, simple, possible, limit);
	*chosen = simple;
	if (s->pool.only[simple] != EXPR_MANY) // a set of values is as simple as it gets
		return text;
	char *other = phrase_condition(&s->words, written, possible, limit);
	if (is_better(text, other)) {
		mem_free(other);
		return text;
	}
	*chosen = written;
	mem_free(text);
	return other;
}

char *trace_pair_value(struct trace_pair *s, uint32_t written, size_t limit)
{
	char *text = phrase_value(&s->words, written, limit);
	char *simple = phrase_value(&s->words, trace_pair_simple(s, written), limit);
	bool better = is_better(simple, text);
	mem_free(better ? text : simple);
	return better ? simple : text;
}

static const char *const reasons[] = {
#define REASON(NAME, words) words,
#include "abi/reasons.def"
#undef REASON
};

// The expression without the constants that are added to it, which add up to *sum; 0: nothing else is left.
static uint32_t without_constants(struct expr_pool *p, uint32_t id, eval_value *sum)
{
	const struct expr_node n = p->nodes[id];
	if (n.op == OP_CONST) {
		*sum += expr_value(p, id);
		return 0;
	}
	if (n.op == OP_SUB && expr_is_const(p, n.b)) {
		*sum -= expr_value(p, n.b);
		return without_constants(p, n.a, sum);
	}
	if (n.op != OP_ADD)
		return id;
	uint32_t a = without_constants(p, n.a, sum), b = without_constants(p, n.b, sum);
	return a && b ? expr_make(p, OP_ADD, n.width, a, b, 0) : a ? a : b;
}

uint32_t trace_pair_relative(struct trace_pair *s, uint32_t id)
{
	struct expr_pool *p = &s->pool;
	eval_value sum = 0;
	unsigned width = expr_width(p, id);
	uint32_t rest = without_constants(p, id, &sum), by = expr_const(p, width, sum);
	if (!rest)
		return by;
	return expr_value(p, by) ? expr_make(p, OP_ADD, width, rest, by, 0) : rest;
}

// What a value is computed from, in a few words; the bytes if that takes more.
static char *origin(struct trace_pair *s, uint32_t id, bool *ret_several)
{
	enum { SHORT = 60 };
	eval_value sum = 0;
	uint32_t rest = without_constants(&s->pool, id, &sum); // of an address only what it depends on is of interest
	char *text = phrase_value(&s->words, rest ? rest : id, SHORT);
	*ret_several = false;
	bool cut = strncmp(text, "f(", 2) == 0 || strstr(text, "...") || strlen(text) > SHORT;
	if (expr_width(&s->pool, id) > 1 && !cut && !strchr(text, '?'))
		return text;
	mem_free(text);
	text = phrase_bytes(&s->words, id);
	*ret_several = strchr(text, ',') || strstr(text, "..");
	return text;
}

char *trace_pair_decides(struct trace_pair *s, const struct trace_event *e)
{
	const char *reason = e->reason && e->reason < REASON_COUNT ? reasons[e->reason] : "value";
	bool several;
	char *what = origin(s, s->now.exprs[e->label], &several);
	char *text = mem_printf("%s decide%s %s%s", what, several ? "" : "s",
	                        strncmp(reason, "where", 5) == 0 ? "" : "the ", reason);
	mem_free(what);
	return text;
}
