#include "path/apply.h"

#include <string.h>

#include "base/mem.h"
#include "input/sym.h"

enum { GROWN_MAX = 1 << 20, ARGUMENTS_MAX = 1024 };

// The trace's input whose variables these are; n_inputs when there is none.
static uint32_t input_of(const struct path *p, uint32_t source)
{
	uint32_t i = 0;
	while (i < p->import.trace->n_inputs && p->import.sources[i] != source)
		i++;
	return i;
}

// The part that an input of the trace is; made when there is none. NULL: an argument that is not there, or something
// that no run can be given.
static struct input_part *part_of(struct input *in, struct input_source s)
{
	struct input_part *part = input_part_of(in, s);
	if (part || s.type.kind == INPUT_ARGUMENT || s.type.kind == INPUT_SOCKET)
		return part;
	return input_add(in, (enum input_kind)s.type.kind, input_has_name(s.type.kind) ? s.name : NULL, "", 0);
}

static void resize(struct buf *b, size_t size)
{
	while (b->len < size)
		buf_addch(b, 0);
	if (size < b->len) {
		b->len = size;
		b->data[size] = 0;
	}
}

// What one input of the trace is in the solution, in `bytes`; for those of fixed size the same as before.
static void collect(const struct path *p, const struct model *m, uint32_t input, struct buf *bytes)
{
	uint32_t size, source = p->import.sources[input];
	const uint8_t *was = trace_input_data(p->import.trace, input, &size);
	const struct expr_pool *pool = p->import.pool;
	buf_clear(bytes);
	if (was)
		buf_add(bytes, was, size);
	for (uint32_t i = 0; i < m->n; i++) {
		uint32_t offset = pool->vars[m->vars[i]].offset;
		if (pool->vars[m->vars[i]].source != source || offset >= GROWN_MAX)
			continue;
		if (offset >= bytes->len)
			resize(bytes, offset + 1);
		bytes->data[offset] = (char)m->values[i];
	}
}

static uint32_t number_in(const struct buf *bytes)
{
	uint32_t number = 0;
	if (bytes->len >= 4)
		memcpy(&number, bytes->data, 4);
	return number;
}

static void set_arguments(struct input *in, size_t count)
{
	size_t have = 0;
	if (count < 1 || count > ARGUMENTS_MAX)
		return;
	for (size_t i = 0; i < in->n; i++)
		if (in->v[i].kind == INPUT_ARGUMENT && have++ >= count)
			input_remove(in, i--);
	for (; have < count; have++)
		input_add(in, INPUT_ARGUMENT, NULL, "", 0);
}

void apply_names(struct input *in, const struct trace *t)
{
	size_t taken = 0;
	for (uint32_t i = 0; i < t->n_inputs; i++) {
		struct input_source s = trace_input_source(t, i);
		uint32_t size = 0;
		const uint8_t *data = input_is_object(s.type) ? trace_input_data(t, i, &size) : NULL;
		if (!data || input_part_of(in, s))
			continue;
		input_add(in, (enum input_kind)s.type.kind, s.name, data, size);
		taken += s.type.kind == INPUT_OBJECT ? size : 0;
	}
	struct input_part *stream = taken ? input_find(in, INPUT_OBJECT, NULL) : NULL;
	if (stream && stream->data.len <= taken) {
		input_remove(in, (size_t)(stream - in->v));
	} else if (stream) {
		memmove(stream->data.data, stream->data.data + taken, stream->data.len - taken);
		resize(&stream->data, stream->data.len - taken);
	}
}

static void set_string(struct input_part *part, const struct buf *bytes)
{
	buf_clear(&part->data);
	buf_add(&part->data, bytes->data, bytes->len ? strnlen(bytes->data, bytes->len) : 0);
}

static void set_content(struct input_part *part, const struct buf *bytes)
{
	// The trace may hold only the beginning.
	if (part->data.len > bytes->len && bytes->len)
		memcpy(part->data.data, bytes->data, bytes->len);
	else if (part->data.len <= bytes->len) {
		buf_clear(&part->data);
		buf_add(&part->data, bytes->data, bytes->len);
	}
}

// The content that a length is of; n_inputs when there is none.
static uint32_t content_of(const struct trace *t, uint32_t length)
{
	struct input_source s = trace_input_source(t, length);
	for (uint32_t i = 0; i < length; i++) {
		struct input_source other = trace_input_source(t, i);
		if (other.type.role == INPUT_BYTES && other.type.kind == s.type.kind && other.ordinal == s.ordinal &&
		    strcmp(other.name, s.name) == 0)
			return i;
	}
	return t->n_inputs;
}

static void set_bytes(struct input *in, struct input_source s, const struct buf *bytes)
{
	struct input_part *part = part_of(in, s);
	if (!part)
		return;
	switch (input_form(s.type.kind)) {
	case INPUT_FORM_STRING: set_string(part, bytes); break;
	case INPUT_FORM_CONTENT:
	case INPUT_FORM_FIXED: set_content(part, bytes); break;
	}
}

static void set(struct input *in, const struct trace *t, uint32_t input, const struct buf *bytes)
{
	struct input_source s = trace_input_source(t, input);
	uint32_t number = number_in(bytes);
	switch ((enum input_role)s.type.role) {
	case INPUT_BYTES: set_bytes(in, s, bytes); break;
	case INPUT_LENGTH:
		if (number <= GROWN_MAX && part_of(in, s))
			resize(&part_of(in, s)->data, number);
		break;
	case INPUT_COUNT: set_arguments(in, number); break;
	case INPUT_CONCRETE:
	case INPUT_ROLES: break;
	}
}

uint32_t apply_model(struct input *ret, const struct input *base, const struct path *p, const struct model *m)
{
	const struct trace *t = p->import.trace;
	uint8_t *changed = mem_zero(t->n_inputs + 1);
	uint32_t n = 0;
	for (uint32_t i = 0; i < m->n; i++) {
		uint32_t v = m->vars[i], input = input_of(p, p->import.pool->vars[v].source);
		if (input == t->n_inputs || m->values[i] == p->import.seed[v])
			continue;
		n += !changed[input] || !input_is_number(trace_input_type(t, input));
		changed[input] = 1;
	}
	input_copy(ret, base);
	apply_names(ret, t);
	struct buf bytes = {0};
	for (uint32_t i = 0; i < t->n_inputs; i++) {
		struct input_type type = trace_input_type(t, i);
		uint32_t of = type.role == INPUT_LENGTH ? content_of(t, i) : t->n_inputs;
		bool moves = of < t->n_inputs && (changed[i] || changed[of]);
		if (moves) { // a content that changed, also behind its end, has the length that the model gives it
			collect(p, m, of, &bytes);
			set(ret, t, of, &bytes);
		}
		if (moves || changed[i]) {
			collect(p, m, i, &bytes);
			set(ret, t, i, &bytes);
		}
	}
	buf_release(&bytes);
	mem_free(changed);
	return n;
}

void apply_grown(struct input *in, const struct path *p, uint32_t event, uint64_t size)
{
	const struct trace *t = p->import.trace;
	uint32_t input = t->events[event].cell.input;
	struct input_part *part = input < t->n_inputs ? input_part_of(in, trace_input_source(t, input)) : NULL;
	if (part && part->data.len < size && size <= GROWN_MAX)
		resize(&part->data, size);
}

static bool is_object(const struct input_part *p)
{
	return p->kind == INPUT_OBJECT || p->kind == INPUT_CELL;
}

void apply_objects(struct input *in, const struct path *p)
{
	const struct trace *t = p->import.trace;
	struct input own = {0};
	apply_names(in, t);
	for (uint32_t i = 0; i < t->n_inputs; i++) {
		uint32_t size = 0;
		struct input_source s = trace_input_source(t, i);
		const uint8_t *data = trace_input_data(t, i, &size);
		if (s.type.kind == INPUT_OBJECT && input_is_object(s.type) && data)
			input_add(&own, INPUT_OBJECT, s.name, data, size);
	}
	for (size_t i = 0; i < in->n; i++) // those that the run did not come to stand behind; cells keep their order
		if (is_object(&in->v[i])) {
			struct input_part *part = &in->v[i];
			if (part->kind == INPUT_CELL ||
			    !input_nth(&own, INPUT_OBJECT, part->name, input_ordinal(in, i)))
				input_add(&own, part->kind, part->name, part->data.data, part->data.len);
		}
	for (size_t i = in->n; i-- > 0;)
		if (is_object(&in->v[i]))
			input_remove(in, i);
	for (size_t i = 0; i < own.n; i++)
		input_add(in, own.v[i].kind, own.v[i].name, own.v[i].data.data, own.v[i].data.len);
	input_release(&own);
}

// --- relevant bytes -------------------------------------------------------------------------------

static bool is_symbolic_content(const struct input_part *part, const char *sym)
{
	if (!sym || part->kind != INPUT_FILE)
		return sym && part->kind == INPUT_STDIN && sym_has(sym, "stdin");
	char *word = mem_printf("file:%s", part->name);
	bool is = sym_has(sym, word) || sym_has(sym, "files");
	mem_free(word);
	return is;
}

static void mark(struct buf *to, const struct path *p, uint32_t input, const uint8_t *masks, uint32_t n)
{
	uint32_t size = 0;
	trace_input_data(p->import.trace, input, &size);
	size_t room = to->len < size ? to->len : size;
	if (room)
		memset(to->data, 0, room);
	for (uint32_t v = 0; v < n; v++) {
		const struct expr_var *var = &p->import.pool->vars[v];
		if (var->source == p->import.sources[input] && var->offset < room)
			to->data[var->offset] = (char)masks[v];
	}
}

void apply_masks(struct input *ret, const struct input *base, const struct path *p, const uint8_t *masks, uint32_t n,
                 const char *sym)
{
	const struct trace *t = p->import.trace;
	input_copy(ret, base);
	for (size_t i = 0; i < ret->n; i++)
		if (ret->v[i].data.len && ret->v[i].kind != INPUT_FRAGMENT) // which has to stay one
			memset(ret->v[i].data.data, is_symbolic_content(&ret->v[i], sym) ? 0 : 0xff,
			       ret->v[i].data.len);
	for (uint32_t i = 0; i < t->n_inputs; i++) {
		struct input_source source = trace_input_source(t, i);
		struct input_part *part = source.type.role == INPUT_BYTES ? input_part_of(ret, source) : NULL;
		if (part)
			mark(&part->data, p, i, masks, n);
	}
}

// --- limits ---------------------------------------------------------------------------------------

static uint32_t count_arguments(const struct input *in)
{
	uint32_t n = 0;
	for (size_t i = 0; i < in->n; i++)
		n += in->v[i].kind == INPUT_ARGUMENT;
	return n;
}

static void at_most(struct path *p, uint32_t input, size_t most)
{
	struct expr_pool *pool = p->import.pool;
	uint32_t value = import_number(&p->import, input);
	if (value)
		path_always(p, expr_make(pool, OP_ULE, 1, value, expr_const(pool, 32, most), 0));
}

void apply_limits(struct path *p, const struct input *largest)
{
	const struct trace *t = p->import.trace;
	struct expr_pool *pool = p->import.pool;
	for (uint32_t i = 0; i < t->n_inputs; i++) {
		struct input_source source = trace_input_source(t, i);
		bool string = input_is_string(source.type), length = source.type.role == INPUT_LENGTH;
		const struct input_part *part = string || length ? input_part_of(largest, source) : NULL;
		if (source.type.role == INPUT_COUNT)
			at_most(p, i, count_arguments(largest));
		else if (part && length)
			at_most(p, i, part->data.len);
		else if (part)
			path_always(p,
			            expr_eq(pool, expr_input(pool, p->import.sources[i], (uint32_t)part->data.len), 0));
	}
}
