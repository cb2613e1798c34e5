// The automaton of a pattern's positions (Glushkov's): no empty transitions, so a run is a
// step per byte. An edge between two positions has the conditions that stand between them.
#include "runtime/models/automaton.h"

#include <ctype.h>
#include <string.h>
#include <sys/mman.h>

enum { POSITIONS = 256, CLASSES = 58, NODES = 4096, EDGES = 1 << 14, LINKS = 1 << 16, DEPTH = 200 };

enum kind { EMPTY, BYTE, CONDITION, BOTH, EITHER, REPEAT };

struct node {
	enum kind kind;
	unsigned a, b;        // nodes; a: class or conditions
	unsigned least, most; // of REPEAT
};

struct link { // to a position, or, of what matches nothing, just the conditions
	uint16_t position, conditions;
};

struct links {
	struct link *at;
	unsigned n;
};

struct edge {
	uint16_t from, to, conditions;
};

struct automaton {
	bool full;
	unsigned n_nodes, n_classes, n_positions, n_edges, n_links;
	unsigned conditions; // that occur
	struct links first, last, empty;
	struct byte_set classes[CLASSES], word;
	uint8_t class_of[POSITIONS];
	struct node nodes[NODES];
	struct edge edges[EDGES];
	struct link links[LINKS];
};

struct automaton *automaton_new(void)
{
	struct automaton *a = rt_map(sizeof *a);
	for (unsigned c = 0; a && c < 256; c++)
		if (isalnum((int)c) || c == '_')
			byte_set_add(&a->word, c);
	return a;
}

void automaton_free(struct automaton *a)
{
	munmap(a, sizeof *a);
}

// --- building: nodes ------------------------------------------------------------------------

static pattern add_node(struct automaton *a, struct node n)
{
	if (a->n_nodes == NODES) {
		a->full = true;
		return 0;
	}
	a->nodes[a->n_nodes] = n;
	return a->n_nodes++;
}

pattern automaton_empty(struct automaton *a)
{
	return add_node(a, (struct node){.kind = EMPTY});
}

pattern automaton_byte(struct automaton *a, const struct byte_set *set)
{
	unsigned c = 0;
	while (c < a->n_classes && memcmp(&a->classes[c], set, sizeof *set) != 0)
		c++;
	if (c == CLASSES) {
		a->full = true;
		return 0;
	}
	a->classes[c] = *set;
	if (c == a->n_classes)
		a->n_classes++;
	return add_node(a, (struct node){.kind = BYTE, .a = c});
}

pattern automaton_condition(struct automaton *a, unsigned conditions)
{
	a->conditions |= conditions;
	return add_node(a, (struct node){.kind = CONDITION, .a = conditions});
}

pattern automaton_both(struct automaton *a, pattern first, pattern second)
{
	return add_node(a, (struct node){.kind = BOTH, .a = first, .b = second});
}

pattern automaton_either(struct automaton *a, pattern one, pattern other)
{
	return add_node(a, (struct node){.kind = EITHER, .a = one, .b = other});
}

pattern automaton_repeat(struct automaton *a, pattern what, unsigned least, unsigned most)
{
	return add_node(a, (struct node){.kind = REPEAT, .a = what, .least = least, .most = most});
}

// --- building: positions and edges --------------------------------------------------------------

// What can come first, what last, and under which conditions it matches nothing.
struct piece {
	struct links first, last, empty;
};

static struct links new_links(struct automaton *a)
{
	return (struct links){&a->links[a->n_links], 0};
}

// To the newest list. Fewer conditions say more.
static void add_link(struct automaton *a, struct links *to, unsigned position, unsigned conditions)
{
	for (unsigned i = 0; i < to->n; i++)
		if (to->at[i].position == position && (to->at[i].conditions & ~conditions) == 0)
			return;
	if (a->n_links == LINKS) {
		a->full = true;
		return;
	}
	to->at[to->n++] = (struct link){(uint16_t)position, (uint16_t)conditions};
	a->n_links++;
}

static void add_links(struct automaton *a, struct links *to, struct links from, unsigned conditions)
{
	for (unsigned i = 0; i < from.n; i++)
		add_link(a, to, from.at[i].position, from.at[i].conditions | conditions);
}

static void add_edges(struct automaton *a, struct links from, struct links to)
{
	for (unsigned i = 0; i < from.n && !a->full; i++) {
		for (unsigned k = 0; k < to.n; k++) {
			if (a->n_edges == EDGES) {
				a->full = true;
				return;
			}
			a->edges[a->n_edges++] = (struct edge){from.at[i].position, to.at[k].position,
			                                       from.at[i].conditions | to.at[k].conditions};
		}
	}
}

static struct piece nothing(struct automaton *a, unsigned conditions)
{
	struct piece p = {0};
	p.empty = new_links(a);
	add_link(a, &p.empty, 0, conditions);
	return p;
}

static struct piece position(struct automaton *a, unsigned class)
{
	struct piece p = {0};
	if (a->n_positions == POSITIONS) {
		a->full = true;
		return p;
	}
	a->class_of[a->n_positions] = (uint8_t)class;
	p.first = new_links(a);
	add_link(a, &p.first, a->n_positions++, 0);
	p.last = p.first;
	return p;
}

static struct piece in_a_row(struct automaton *a, struct piece x, struct piece y)
{
	struct piece p;
	add_edges(a, x.last, y.first);
	p.first = new_links(a);
	add_links(a, &p.first, x.first, 0);
	for (unsigned i = 0; i < x.empty.n; i++)
		add_links(a, &p.first, y.first, x.empty.at[i].conditions);
	p.last = new_links(a);
	add_links(a, &p.last, y.last, 0);
	for (unsigned i = 0; i < y.empty.n; i++)
		add_links(a, &p.last, x.last, y.empty.at[i].conditions);
	p.empty = new_links(a);
	for (unsigned i = 0; i < x.empty.n; i++)
		add_links(a, &p.empty, y.empty, x.empty.at[i].conditions);
	return p;
}

static struct piece one_of(struct automaton *a, struct piece x, struct piece y)
{
	struct piece p;
	p.first = new_links(a);
	add_links(a, &p.first, x.first, 0);
	add_links(a, &p.first, y.first, 0);
	p.last = new_links(a);
	add_links(a, &p.last, x.last, 0);
	add_links(a, &p.last, y.last, 0);
	p.empty = new_links(a);
	add_links(a, &p.empty, x.empty, 0);
	add_links(a, &p.empty, y.empty, 0);
	return p;
}

static struct piece build(struct automaton *a, pattern n, unsigned depth);

// x{2,4} is xx(x(x)?)?; x{2,} is xx+
static struct piece repeated(struct automaton *a, const struct node *n, unsigned depth)
{
	struct piece p = nothing(a, 0);
	bool endless = n->most >= AUTOMATON_NO_LIMIT;
	unsigned plain = n->least - (endless && n->least ? 1 : 0);
	if (endless) {
		p = build(a, n->a, depth);
		add_edges(a, p.last, p.first);
		if (!n->least)
			p = one_of(a, p, nothing(a, 0));
	}
	for (unsigned i = n->least; !endless && i < n->most && !a->full; i++)
		p = one_of(a, in_a_row(a, build(a, n->a, depth), p), nothing(a, 0));
	for (unsigned i = 0; i < plain && !a->full; i++)
		p = in_a_row(a, build(a, n->a, depth), p);
	return p;
}

static struct piece build(struct automaton *a, pattern at, unsigned depth)
{
	const struct node *n = &a->nodes[at];
	if (depth > DEPTH)
		a->full = true;
	if (a->full)
		return (struct piece){0};
	switch (n->kind) {
	case BYTE: return position(a, n->a);
	case CONDITION: return nothing(a, n->a);
	case REPEAT: return repeated(a, n, depth + 1);
	case BOTH: {
		struct piece x = build(a, n->a, depth + 1), y = build(a, n->b, depth + 1);
		return in_a_row(a, x, y);
	}
	case EITHER: {
		struct piece x = build(a, n->a, depth + 1), y = build(a, n->b, depth + 1);
		return one_of(a, x, y);
	}
	default: return nothing(a, 0);
	}
}

bool automaton_finish(struct automaton *a, pattern whole)
{
	struct piece p = build(a, whole, 0);
	a->first = p.first;
	a->last = p.last;
	a->empty = p.empty;
	return !a->full;
}

// --- text ------------------------------------------------------------------------------------------

struct subject subject_string(const char *text)
{
	struct subject s = {.text = text, .terminated = true, .string = model_string(text, SIZE_MAX)};
	s.length = s.string.length;
	return s;
}

struct subject subject_bytes(const char *text, uint64_t length)
{
	return (struct subject){.text = text, .length = length};
}

bool subject_is_symbolic(const struct subject *s)
{
	return rt_on && (s->terminated ? s->string.labelled : rt_any((uint64_t)s->text, s->length));
}

// Places: one before each byte and, when the length is fixed, one at the end.
static uint64_t places(const struct subject *s)
{
	return s->terminated ? s->string.bytes : s->length + 1;
}

static struct sym truth(bool value)
{
	return sym_constant(1, value);
}

// Behind the end of a text of fixed length: 0.
static struct sym byte_at(const struct subject *s, uint64_t i)
{
	if (s->terminated)
		return model_string_byte(&s->string, i);
	return i < s->length ? sym_byte(s->text + i) : sym_constant(8, 0);
}

static struct sym is_end(const struct subject *s, uint64_t i)
{
	return s->terminated ? sym_is(byte_at(s, i), 0) : truth(i == s->length);
}

// --- conditions, simplified where they can be ---------------------------------------------------

static struct sym both(struct sym a, struct sym b)
{
	if (!a.l || a.l == b.l)
		return a.l || a.value ? b : a;
	if (!b.l)
		return b.value ? a : b;
	return sym_and(a, b);
}

static struct sym either(struct sym a, struct sym b)
{
	if (!a.l || a.l == b.l)
		return a.l || !a.value ? b : a;
	if (!b.l)
		return b.value ? b : a;
	return sym_or(a, b);
}

static struct sym in_range(struct sym b, unsigned low, unsigned high)
{
	if (low == high)
		return sym_is(b, low);
	if (high == 255)
		return sym_binary(OP_ULE, sym_constant(8, low), b);
	if (low)
		b = sym_binary(OP_SUB, b, sym_constant(8, low));
	return sym_binary(OP_ULE, b, sym_constant(8, high - low));
}

static struct sym in_ranges(struct sym b, const struct byte_set *s)
{
	struct sym r = truth(false);
	for (unsigned low = 0; low < 256; low++) {
		unsigned high = low;
		if (!byte_set_has(s, low))
			continue;
		while (high < 255 && byte_set_has(s, high + 1))
			high++;
		r = either(r, in_range(b, low, high));
		low = high;
	}
	return r;
}

static struct sym in_set(struct sym b, const struct byte_set *s)
{
	struct byte_set other = *s;
	bool none = true, all = true;
	if (!b.l)
		return truth(byte_set_has(s, (unsigned)b.value));
	for (unsigned i = 0; i < 4; i++) {
		other.bits[i] = ~other.bits[i];
		none &= !s->bits[i];
		all &= !other.bits[i];
	}
	if (none || all)
		return truth(all);
	// Of two complements the one without the byte 255 has fewer or as many ranges.
	return byte_set_has(s, 255) ? sym_not(in_ranges(b, &other)) : in_ranges(b, s);
}

struct place {
	struct sym holds[CONDITIONS];
	struct sym member[CLASSES]; // the byte behind it
};

static struct sym next_is(const struct subject *s, uint64_t i, unsigned char c)
{
	struct sym r = i < places(s) ? sym_is(byte_at(s, i), c) : truth(false);
	return s->terminated ? r : both(r, truth(i < s->length));
}

static void look_around(const struct automaton *a, const struct subject *s, uint64_t i, struct place *p)
{
	struct sym yes = truth(true), no = truth(false), end = is_end(s, i), c = byte_at(s, i);
	struct sym word_before =
		i && a->conditions & (AFTER_WORD | AFTER_OTHER) ? in_set(byte_at(s, i - 1), &a->word) : no;
	struct sym word_next = a->conditions & (BEFORE_WORD | BEFORE_OTHER) ? in_set(c, &a->word) : no;
	struct sym line_before = i && s->newlines ? next_is(s, i - 1, '\n') : no;
	struct sym line_next = s->newlines ? next_is(s, i, '\n') : no;
	struct sym name_starts = i == 0 ? yes : s->components ? next_is(s, i - 1, '/') : no;
	struct sym holds[CONDITIONS] = {
		i == 0 ? truth(!s->no_line_start) : line_before,
		either(both(end, truth(!s->no_line_end)), line_next),
		truth(i == 0),
		end,
		word_before,
		sym_not(word_before),
		word_next,
		sym_not(word_next),
		a->conditions & NO_LEADING_PERIOD ? sym_not(both(name_starts, next_is(s, i, '.'))) : yes,
	};
	memcpy(p->holds, holds, sizeof holds);
	for (unsigned k = 0; k < a->n_classes; k++) {
		struct byte_set set = a->classes[k];
		if (s->terminated)
			set.bits[0] &= ~(uint64_t)1; // that is the end
		p->member[k] = s->terminated || i < s->length ? in_set(c, &set) : no;
	}
}

static struct sym hold(const struct place *p, unsigned conditions)
{
	struct sym r = truth(true);
	for (unsigned i = 0; conditions >> i; i++)
		if (conditions >> i & 1)
			r = both(r, p->holds[i]);
	return r;
}

// --- running ---------------------------------------------------------------------------------------

uint64_t automaton_work(const struct automaton *a, const struct subject *s)
{
	return places(s) * (a->n_edges + a->n_positions + 1);
}

static bool is_impossible(struct sym a)
{
	return !a.l && !a.value;
}

// From what may be reached under conditions; `member`: the byte behind the place has to fit.
static struct sym follow(const struct automaton *a, const struct place *p, struct links links, const struct sym *state,
                         bool member)
{
	struct sym r = truth(false);
	for (unsigned i = 0; i < links.n; i++) {
		const struct link *l = &links.at[i];
		struct sym fits = member ? p->member[a->class_of[l->position]] : truth(true);
		if (!is_impossible(state[l->position]))
			r = either(r, both(both(state[l->position], fits), hold(p, l->conditions)));
	}
	return r;
}

static struct sym empty_match(const struct automaton *a, const struct place *p)
{
	struct sym r = truth(false);
	for (unsigned i = 0; i < a->empty.n; i++)
		r = either(r, hold(p, a->empty.at[i].conditions));
	return r;
}

static void set_all(const struct automaton *a, struct sym *state, struct sym to)
{
	for (unsigned q = 0; q < a->n_positions; q++)
		state[q] = to;
}

// From the end of the text to its start. completes[q]: a match can be completed when what is
// before the place was matched by position q.
struct automaton_start automaton_start(const struct automaton *a, const struct subject *s, uint64_t from, uint64_t to)
{
	struct sym completes[POSITIONS], before[POSITIONS], none = sym_constant(32, UINT32_MAX);
	struct automaton_start r = {truth(false), none};
	struct place p;
	set_all(a, completes, truth(false));
	for (uint64_t i = places(s); i-- > from;) {
		look_around(a, s, i, &p);
		struct sym starts = either(empty_match(a, &p), follow(a, &p, a->first, completes, true));
		set_all(a, before, truth(false));
		for (unsigned k = 0; k < a->n_edges; k++) {
			const struct edge *e = &a->edges[k];
			struct sym next = both(completes[e->to], p.member[a->class_of[e->to]]);
			if (!is_impossible(next))
				before[e->from] = either(before[e->from], both(next, hold(&p, e->conditions)));
		}
		for (unsigned k = 0; k < a->last.n; k++) {
			const struct link *l = &a->last.at[k];
			before[l->position] = either(before[l->position], hold(&p, l->conditions));
		}
		memcpy(completes, before, sizeof completes);
		if (i > to)
			continue;
		struct sym end = p.holds[3]; // nothing starts behind it
		r.any = either(starts, both(r.any, sym_not(end)));
		r.place = sym_choose(starts, sym_constant(32, i), sym_choose(end, none, r.place));
	}
	return r;
}

// reached[q]: the byte before the place was matched by position q.
struct sym automaton_length(const struct automaton *a, const struct subject *s, uint64_t start)
{
	struct sym reached[POSITIONS], next[POSITIONS], r = sym_constant(32, UINT32_MAX);
	struct place p;
	set_all(a, reached, truth(false));
	for (uint64_t i = start; i < places(s); i++) {
		look_around(a, s, i, &p);
		struct sym ends = follow(a, &p, a->last, reached, false);
		if (i == start)
			ends = either(ends, empty_match(a, &p));
		r = sym_choose(ends, sym_constant(32, i - start), r);
		set_all(a, next, truth(false));
		for (unsigned k = 0; k < a->n_edges; k++) {
			const struct edge *e = &a->edges[k];
			if (!is_impossible(reached[e->from]))
				next[e->to] = either(next[e->to], both(reached[e->from], hold(&p, e->conditions)));
		}
		for (unsigned k = 0; i == start && k < a->first.n; k++) {
			const struct link *l = &a->first.at[k];
			next[l->position] = either(next[l->position], hold(&p, l->conditions));
		}
		for (unsigned q = 0; q < a->n_positions; q++)
			reached[q] = both(next[q], p.member[a->class_of[q]]);
	}
	return r;
}

struct sym automaton_kind(const struct automaton *a, const struct subject *s, uint64_t i)
{
	static const unsigned char single[] = {0, '\n', '.', '/'}; // that end something
	struct sym b = i < places(s) ? byte_at(s, i) : sym_constant(8, 0), r = sym_constant(64, 0);
	if (!b.l)
		return r;
	for (unsigned k = 0; k < a->n_classes + 1 + sizeof single; k++) {
		struct sym in = k < a->n_classes    ? in_set(b, &a->classes[k])
		                : k == a->n_classes ? in_set(b, &a->word)
		                                    : sym_is(b, single[k - a->n_classes - 1]);
		if (k >= a->n_classes && k != a->n_classes + 1 && !a->conditions)
			continue; // only conditions look at it
		r = sym_binary(OP_OR, sym_binary(OP_SHL, r, sym_constant(64, 1)), sym_extend(in, 64));
	}
	return r;
}

struct sym subject_is_ascii(const struct subject *s)
{
	struct sym r = truth(true);
	for (uint64_t i = 0; i < places(s); i++)
		r = both(r, in_range(byte_at(s, i), 0, 127));
	return r;
}
