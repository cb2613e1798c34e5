#include "expr/show.h"

#include <assert.h>

#include "expr/print.h"

static struct trace_node node(const void *of, uint32_t id)
{
	const struct expr_node *n = &((const struct expr_pool *)of)->nodes[id];
	return (struct trace_node){.op = n->op, .width = n->width, .a = n->a, .b = n->b, .c = n->c};
}

static eval_value value(const void *of, uint32_t id)
{
	return expr_value(of, id);
}

static const char *label_of(const void *of, uint32_t input)
{
	return ((const struct expr_pool *)of)->sources[input].label;
}

static struct input_type type_of(const void *of, uint32_t input)
{
	return ((const struct expr_pool *)of)->sources[input].type;
}

static const struct expr_table *table_of(const struct expr_pool *p, uint32_t lookup)
{
	return &p->tables[p->nodes[lookup].b];
}

static const uint8_t *table(const void *of, uint32_t lookup, uint64_t *ret_size)
{
	const struct expr_table *t = table_of(of, lookup);
	*ret_size = t->size;
	return t->bytes;
}

static uint32_t table_byte(const void *of, uint32_t lookup, uint64_t i)
{
	const struct expr_table *t = table_of(of, lookup);
	return t->exprs ? t->exprs[i] : 0;
}

void expr_print(const struct expr_pool *p, uint32_t id, size_t limit, struct buf *out)
{
	const struct terms terms = {p, p->n, node, value, label_of, type_of, table, table_byte};
	terms_print(&terms, id, limit, out);
}

void expr_print_var(const struct expr_pool *p, uint32_t var, struct buf *out)
{
	assert(var < p->n_vars);
	expr_print(p, p->vars[var].expr, 4096, out);
}
