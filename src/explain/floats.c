#include "explain/floats.h"

#include "base/decimal.h"
#include "base/mem.h"
#include "explain/field.h"

enum { FLOATS_MAX = 64 };

static struct explained_part *part_of(struct explanation *x, const struct expr_source *s)
{
	struct input_source source = {.type = s->type, .ordinal = s->ordinal, .name = s->name};
	const struct input_part *now = s->type.role == INPUT_BYTES ? input_part_of(&x->input, source) : NULL;
	for (size_t i = 0; now && i < x->n_parts; i++)
		if (x->parts[i].now == now)
			return &x->parts[i];
	return NULL;
}

// By offset, each byte in one only.
static void note(struct explained_part *p, const struct field *f)
{
	size_t at = p->n_floats;
	if (p->n_floats == FLOATS_MAX || f->offset + f->bytes > p->now->data.len)
		return;
	for (size_t i = 0; i < p->n_floats; i++) {
		const struct explained_float *other = &p->floats[i];
		if (f->offset < other->offset + other->bytes && other->offset < f->offset + f->bytes)
			return;
		if (at > i && other->offset > f->offset)
			at = i;
	}
	p->floats = mem_resize(p->floats, (p->n_floats + 1) * sizeof *p->floats);
	for (size_t i = p->n_floats++; i > at; i--)
		p->floats[i] = p->floats[i - 1];
	p->floats[at] = (struct explained_float){f->offset, f->bytes};
}

void floats_take(struct explanation *x, const struct trace_pair *s)
{
	const struct expr_pool *p = &s->pool;
	for (uint32_t id = 1; id < p->n; id++) {
		const struct expr_node *n = &p->nodes[id];
		const uint32_t operands[] = {n->a, n->b, n->c};
		if (!op_is_float(n->op) || op_class(n->op) == OP_CLASS_INTEGER_TO_FLOAT)
			continue;
		for (unsigned i = 0; i < op_operands(n->op); i++) {
			struct field f;
			if (expr_is_const(p, operands[i]) || !field_of(p, operands[i], &f) || f.big || f.above)
				continue;
			bool fits = 8 * f.bytes == expr_width(p, operands[i]) &&
			            (f.bytes == 2 || f.bytes == 4 || f.bytes == 8 || f.bytes == 10);
			struct explained_part *part = fits ? part_of(x, &p->sources[f.source]) : NULL;
			if (part)
				note(part, &f);
		}
	}
}

const char *explain_float(struct buf *out, const struct input_part *p, const struct explained_float *f)
{
	if (p && f->offset + f->bytes <= p->data.len)
		decimal_float(out, p->data.data + f->offset, f->bytes);
	else
		buf_addstr(out, "not there");
	return f->bytes == 2 ? "_Float16" : f->bytes == 4 ? "float" : f->bytes == 8 ? "double" : "long double";
}
