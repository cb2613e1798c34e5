#include "possible/precondition.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "shape/state.h"

enum { CONDITIONS = 64, VALUE = 120 }; // lines; bytes of a value that are shown

struct assessing {
	struct possible *p;
	const struct possible_evidence *evidence;
	struct state state;
	bool untyped, callee, alias, global; // of what is relevant; global: a pointer to one
};

// --- in words -------------------------------------------------------------------------------------

static void add(struct assessing *j, struct buf *line)
{
	if (j->p->conditions.n < CONDITIONS)
		strv_push(&j->p->conditions, line->data);
	else if (j->p->conditions.n == CONDITIONS)
		strv_push(&j->p->conditions, "...");
	buf_release(line);
}

static void add_value(struct assessing *j, const struct state_leaf *leaf, struct buf *line)
{
	struct buf value = {0};
	state_print_value(&j->state, leaf, &value);
	buf_printf(line, "%.*s%s", VALUE, buf_str(&value), value.len > VALUE ? "..." : "");
	buf_release(&value);
}

// "p == NULL", "q == p", "buf points to 4 bytes". An object that nothing depends on shows by its size alone.
static void add_pointer(struct assessing *j, const struct state_leaf *leaf)
{
	const struct state *s = &j->state;
	struct buf line = {0};
	uint32_t target = state_target(s, leaf);
	uint8_t choice = s->cells[leaf->cell].part.data[leaf->offset];
	bool is_cell = target < s->n, is_own = is_cell && choice < FRAGMENT_CELL;
	const char *name = is_cell ? s->cells[target].part.name : "";
	j->alias |= is_cell && !is_own && s->cells[target].kind != STATE_GLOBAL &&
	            !(*name == '*' && strcmp(name + 1, leaf->place) == 0);
	j->global |= is_cell && s->cells[target].kind == STATE_GLOBAL;
	buf_addstr(&line, leaf->place);
	if (is_own) {
		size_t size = s->cells[target].part.size;
		buf_printf(&line, " points to %zu byte%s", size, size == 1 ? "" : "s");
	} else if (target == STATE_UNTOUCHED) {
		buf_addstr(&line, " is not NULL");
	} else if (target == STATE_KEPT) {
		buf_addstr(&line, " is as initialised");
	} else {
		buf_addstr(&line, " == ");
		add_value(j, leaf, &line);
	}
	add(j, &line);
}

static void add_leaf(const struct state_leaf *leaf, void *opaque)
{
	struct assessing *j = opaque;
	const struct state_cell *cell = &j->state.cells[leaf->cell];
	struct buf line = {0};
	if (!leaf->matters)
		return;
	j->untyped |= leaf->kind == STATE_RAW || cell->kind == STATE_UNTYPED;
	j->callee |= cell->kind == STATE_RESULT && shape_is_somewhere(cell->at);
	if (leaf->kind == STATE_POINTER) {
		add_pointer(j, leaf);
		return;
	}
	buf_printf(&line, leaf->kind == STATE_RAW || leaf->kind == STATE_TEXT ? "%s is " : "%s == ",
	           *leaf->place ? leaf->place : cell->part.name);
	add_value(j, leaf, &line);
	add(j, &line);
}

// Without masks nobody knows what is relevant: zeros are what veer begins with.
static void add_known_leaf(const struct state_leaf *leaf, void *opaque)
{
	struct assessing *j = opaque;
	const uint8_t *at = j->state.cells[leaf->cell].part.data + leaf->offset;
	bool any = leaf->bits;
	for (uint64_t i = 0; i < leaf->size && !any; i++)
		any = at[i];
	if (any)
		add_leaf(leaf, opaque);
}

static void add_conditions(struct assessing *j)
{
	for (uint32_t i = 0; i < j->state.n; i++)
		state_walk(&j->state, i, j->evidence->relevant ? add_leaf : add_known_leaf, j);
}

static char *entered_words(const struct state *s)
{
	const struct shape_table *t = &s->program->units[s->function.unit];
	const struct shape_function *f = shape_function(s->program, s->function);
	const char *name = shape_text(t, f->name);
	if (!s->entry.marker)
		return mem_strdup(name);
	return mem_printf("%s, in line %u", name, t->markers[f->first_marker + s->entry.marker].line);
}

// --- filters --------------------------------------------------------------------------------------

static bool is_one_of(const char *kind, const char *const *kinds)
{
	while (*kinds && strcmp(*kinds, kind) != 0)
		kinds++;
	return *kinds;
}

// A pointer that the function does not check: the run gave it one that no caller would.
static bool is_pointer(const struct assessing *j)
{
	static const char *const null[] = {"null-pointer",     "nonnull-argument", "nonnull-return",
	                                   "pointer-overflow", "misaligned",       NULL},
				 *const fault[] = {"segv", "bus", NULL};
	return is_one_of(j->evidence->kind, null) ? j->evidence->unchecked || !j->evidence->subject
	                                          : is_one_of(j->evidence->kind, fault) && j->evidence->unchecked;
}

// Of a made-up object, or of a variable that a made-up pointer was led to: a caller's may be larger.
static bool is_beyond(const struct assessing *j)
{
	return j->evidence->beyond || (j->global && strcmp(j->evidence->kind, "global-buffer-overflow") == 0);
}

static bool is_main(const struct assessing *j)
{
	const struct shape_function *f = shape_function(j->state.program, j->state.function);
	return strcmp(shape_text(&j->state.program->units[j->state.function.unit], f->symbol), "main") == 0;
}

static bool is_freed(const struct assessing *j)
{
	return strcmp(j->evidence->kind, "bad-free") == 0;
}

static bool is_arithmetic(const struct assessing *j)
{
	static const char *const kinds[] = {"shift",         "float-cast-overflow", "division-overflow",
	                                    "invalid-value", "invalid-builtin",     NULL};
	bool is = text_starts(j->evidence->kind, "signed-") || is_one_of(j->evidence->kind, kinds);
	return is && j->evidence->unchecked;
}

static enum possible_filter filter_of(const struct assessing *j)
{
	const bool applies[FILTERS] = {
		[FILTER_BEYOND] = is_beyond(j),
		[FILTER_POINTER] = is_pointer(j),
		[FILTER_MAIN] = is_main(j),
		[FILTER_UNTYPED] = j->untyped,
		[FILTER_MIDDLE] = j->state.entry.marker != 0,
		[FILTER_CALLEE] = j->callee,
		[FILTER_ALIAS] = j->alias,
		[FILTER_FREED] = is_freed(j),
		[FILTER_ARITHMETIC] = is_arithmetic(j),
	};
	for (unsigned f = FILTER_NONE + 1; f < FILTERS; f++)
		if (applies[f])
			return (enum possible_filter)f;
	return FILTER_NONE;
}

// --- all of it ------------------------------------------------------------------------------------

// The cells as state.h has them; masks of the same place and size.
static struct state_part *make_parts(const struct possible_evidence *e, uint32_t *ret_n)
{
	struct state_part *parts = mem_zero((e->whole->n + 1) * sizeof *parts);
	uint32_t n = 0;
	for (size_t i = 0; i < e->whole->n; i++) {
		const struct input_part *p = &e->whole->v[i];
		if (p->kind != INPUT_CELL)
			continue;
		const struct input_part *m = e->relevant ? input_find(e->masks, INPUT_CELL, p->name) : NULL;
		bool masked = m && m->data.len == p->data.len;
		parts[n++] = (struct state_part){.name = p->name,
		                                 .data = (const uint8_t *)p->data.data,
		                                 .mask = masked ? (const uint8_t *)m->data.data : NULL,
		                                 .size = p->data.len};
	}
	*ret_n = n;
	return parts;
}

int possible_assess(struct possible *p, const struct shape_program *shapes, const struct possible_evidence *e,
                    struct shape_ref *ret_function, struct err *err)
{
	struct assessing j = {.p = p, .evidence = e};
	const struct input_part *entry = input_find(e->whole, INPUT_FRAGMENT, NULL);
	uint32_t n;
	if (!entry)
		return err_set(err, "the input of the finding enters no function");
	struct state_part *parts = make_parts(e, &n);
	int r = state_read(&j.state, shapes, entry->data.data, entry->data.len, parts, n, err);
	if (r == 0) {
		strv_release(&p->conditions);
		mem_free(p->entered);
		p->entered = entered_words(&j.state);
		p->relevant = e->relevant;
		add_conditions(&j);
		p->by = filter_of(&j);
		p->assessed = true;
		*ret_function = j.state.function;
		state_release(&j.state);
	}
	mem_free(parts);
	return r;
}
