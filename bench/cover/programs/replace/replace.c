// replace PATTERN REPLACEMENT: copies standard input to standard output, with what matches the pattern replaced.
//
// Patterns: characters, '.', [classes] with ranges and ^, \d \w \s and their capitals, \n \t, ^ and $, (groups),
// alternatives with |, repetition by * + ? and {n}, {n,}, {n,m}, lazy with a ? behind. In a replacement & is the match,
// \1 to \9 are groups, \U and \L change case up to \E.
//
// Options: -i ignores case, -g replaces all matches of a line, -n prints changed lines only, -c counts matches.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_NODES = 256,
	MAX_CLASSES = 32,
	MAX_GROUPS = 10,
	MAX_LINE = 1024,
	MAX_OUTPUT = 8192,
	MAX_STEPS = 100000,
	NO_LIMIT = 0x7fff,
};

enum node_kind {
	NODE_CHAR,
	NODE_ANY,
	NODE_CLASS,
	NODE_START,
	NODE_END,
	NODE_OPEN,
	NODE_CLOSE,
	NODE_SPLIT,
	NODE_JUMP,
	NODE_LOOP,
	NODE_MATCH
};

struct node {
	enum node_kind kind;
	int value;       // character, class, group, counter
	int next, other; // other: of a split, tried second; of a loop, what is behind it
	int min, max;    // of a loop
	int lazy;
};

struct class
{
	unsigned char bits[32];
};

struct program {
	struct node nodes[MAX_NODES];
	int n_nodes;
	struct class classes[MAX_CLASSES];
	int n_classes;
	int n_groups;
	int n_loops;
	int ignore_case;
	const char *error;
};

struct parser {
	struct program *program;
	const char *at;
	int depth;
};

// --- the program -----------------------------------------------------------------------------

static int fail(struct parser *p, const char *why)
{
	if (!p->program->error)
		p->program->error = why;
	return -1;
}

static int add_node(struct parser *p, enum node_kind kind, int value)
{
	struct program *g = p->program;
	if (g->n_nodes == MAX_NODES)
		return fail(p, "pattern too long");
	struct node *n = &g->nodes[g->n_nodes];
	n->kind = kind;
	n->value = value;
	n->next = g->n_nodes + 1;
	n->other = -1;
	n->min = n->max = n->lazy = 0;
	return g->n_nodes++;
}

// Makes room for a node before `at`; whatever leads behind it moves along.
static int insert_node(struct parser *p, int at, enum node_kind kind)
{
	struct program *g = p->program;
	if (g->n_nodes == MAX_NODES)
		return fail(p, "pattern too long");
	memmove(&g->nodes[at + 1], &g->nodes[at], (size_t)(g->n_nodes - at) * sizeof g->nodes[0]);
	g->n_nodes++;
	for (int i = 0; i < g->n_nodes; i++) {
		if (i == at)
			continue;
		if (g->nodes[i].next > at || (i > at && g->nodes[i].next == at))
			g->nodes[i].next++;
		if (g->nodes[i].other > at || (i > at && g->nodes[i].other == at))
			g->nodes[i].other++;
	}
	struct node *n = &g->nodes[at];
	n->kind = kind;
	n->value = 0;
	n->next = at + 1;
	n->other = -1;
	n->min = n->max = n->lazy = 0;
	return at;
}

static void class_add(struct class *c, int ch)
{
	c->bits[(ch & 255) >> 3] |= (unsigned char)(1u << (ch & 7));
}

static int class_has(const struct class *c, int ch)
{
	return c->bits[(ch & 255) >> 3] >> (ch & 7) & 1;
}

static void class_invert(struct class *c)
{
	for (int i = 0; i < 32; i++)
		c->bits[i] = (unsigned char)~c->bits[i];
}

static int new_class(struct parser *p)
{
	struct program *g = p->program;
	if (g->n_classes == MAX_CLASSES)
		return fail(p, "too many classes");
	memset(&g->classes[g->n_classes], 0, sizeof g->classes[0]);
	return g->n_classes++;
}

// \d \w \s and their opposites; 0: not one of them.
static int add_named(struct class *c, int name)
{
	int found = 0;
	for (int ch = 0; ch < 256; ch++) {
		int in;
		switch (name) {
		case 'd':
		case 'D': in = ch >= '0' && ch <= '9'; break;
		case 'w':
		case 'W': in = ch == '_' || (ch < 128 && isalnum(ch)); break;
		case 's':
		case 'S': in = ch == ' ' || (ch >= '\t' && ch <= '\r'); break;
		default: return 0;
		}
		found = 1;
		if (in == (name >= 'a'))
			class_add(c, ch);
	}
	return found;
}

static int escaped(int ch)
{
	switch (ch) {
	case 'n': return '\n';
	case 't': return '\t';
	case 'r': return '\r';
	default: return ch;
	}
}

static int parse_class(struct parser *p)
{
	int number = new_class(p), negate = 0, first = 1;
	if (number < 0)
		return -1;
	struct class *c = &p->program->classes[number];
	if (*p->at == '^') {
		negate = 1;
		p->at++;
	}
	while (*p->at && (*p->at != ']' || first)) {
		int low = (unsigned char)*p->at++;
		first = 0;
		if (low == '\\' && *p->at) {
			int name = (unsigned char)*p->at++;
			if (add_named(c, name))
				continue;
			low = escaped(name);
		}
		int high = low;
		if (p->at[0] == '-' && p->at[1] && p->at[1] != ']') {
			high = (unsigned char)p->at[1];
			p->at += 2;
			if (high == '\\' && *p->at)
				high = escaped((unsigned char)*p->at++);
			if (high < low)
				return fail(p, "range out of order");
		}
		for (int ch = low; ch <= high; ch++) {
			class_add(c, ch);
			if (p->program->ignore_case && isalpha(ch))
				class_add(c, isupper(ch) ? tolower(ch) : toupper(ch));
		}
	}
	if (*p->at != ']')
		return fail(p, "no ] at the end of a class");
	p->at++;
	if (negate)
		class_invert(c);
	return add_node(p, NODE_CLASS, number);
}

static int parse_alternatives(struct parser *p);

static int parse_group(struct parser *p)
{
	int group = p->program->n_groups;
	if (p->at[0] == '?' && p->at[1] == ':') {
		p->at += 2;
		group = 0;
	} else if (group == MAX_GROUPS) {
		return fail(p, "too many groups");
	} else {
		p->program->n_groups++;
	}
	if (p->depth == 16)
		return fail(p, "groups too deep");
	p->depth++;
	if (group && add_node(p, NODE_OPEN, group) < 0)
		return -1;
	if (parse_alternatives(p) < 0)
		return -1;
	p->depth--;
	if (*p->at != ')')
		return fail(p, "no ) at the end of a group");
	p->at++;
	return group ? add_node(p, NODE_CLOSE, group) : 0;
}

static int parse_escape(struct parser *p)
{
	int name = (unsigned char)*p->at;
	if (!name)
		return fail(p, "nothing behind \\");
	p->at++;
	int number = strchr("dDwWsS", name) ? new_class(p) : -1;
	if (p->program->error)
		return -1;
	if (number >= 0) {
		add_named(&p->program->classes[number], name);
		return add_node(p, NODE_CLASS, number);
	}
	return add_node(p, NODE_CHAR, escaped(name));
}

// One thing that can be repeated.
static int parse_atom(struct parser *p)
{
	int ch = (unsigned char)*p->at++;
	switch (ch) {
	case '.': return add_node(p, NODE_ANY, 0);
	case '^': return add_node(p, NODE_START, 0);
	case '$': return add_node(p, NODE_END, 0);
	case '[': return parse_class(p);
	case '(': return parse_group(p);
	case '\\': return parse_escape(p);
	case '*':
	case '+':
	case '?': return fail(p, "nothing to repeat");
	default: return add_node(p, NODE_CHAR, p->program->ignore_case ? tolower(ch) : ch);
	}
}

static int parse_number(struct parser *p)
{
	int n = 0;
	if (!isdigit((unsigned char)*p->at))
		return -1;
	while (isdigit((unsigned char)*p->at)) {
		n = n * 10 + (*p->at++ - '0');
		if (n > 1000)
			return -1;
	}
	return n;
}

// {n} {n,} {n,m}; false: it is none.
static int parse_counts(struct parser *p, int *min, int *max)
{
	p->at++;
	*min = parse_number(p);
	if (*min < 0)
		return fail(p, "bad repetition");
	*max = *min;
	if (*p->at == ',') {
		p->at++;
		*max = *p->at == '}' ? NO_LIMIT : parse_number(p);
	}
	if (*p->at != '}' || *max < *min)
		return fail(p, "bad repetition");
	p->at++;
	return 0;
}

// What stands from `start` on is repeated.
static int repeat(struct parser *p, int start, int min, int max)
{
	int lazy = 0;
	if (*p->at == '?') {
		lazy = 1;
		p->at++;
	}
	if (min == 0 && max == 1) {
		int split = insert_node(p, start, NODE_SPLIT);
		if (split < 0)
			return -1;
		p->program->nodes[split].other = p->program->n_nodes;
		p->program->nodes[split].lazy = lazy;
		return 0;
	}
	int loop = insert_node(p, start, NODE_LOOP);
	if (loop < 0)
		return -1;
	int back = add_node(p, NODE_JUMP, 0);
	if (back < 0)
		return -1;
	struct node *n = &p->program->nodes[loop];
	p->program->nodes[back].next = loop;
	n->value = p->program->n_loops++;
	n->other = p->program->n_nodes;
	n->min = min;
	n->max = max;
	n->lazy = lazy;
	return p->program->n_loops > MAX_GROUPS ? fail(p, "too many repetitions") : 0;
}

static int parse_sequence(struct parser *p)
{
	while (*p->at && *p->at != '|' && *p->at != ')') {
		int start = p->program->n_nodes, min = 1, max = 1, again = 0;
		if (parse_atom(p) < 0)
			return -1;
		switch (*p->at) {
		case '*':
			min = 0;
			max = NO_LIMIT;
			p->at++;
			again = 1;
			break;
		case '+':
			max = NO_LIMIT;
			p->at++;
			again = 1;
			break;
		case '?':
			min = 0;
			p->at++;
			again = 1;
			break;
		case '{':
			if (parse_counts(p, &min, &max) < 0)
				return -1;
			again = 1;
			break;
		}
		if (again && repeat(p, start, min, max) < 0)
			return -1;
	}
	return 0;
}

static int parse_alternatives(struct parser *p)
{
	int start = p->program->n_nodes;
	if (parse_sequence(p) < 0)
		return -1;
	while (*p->at == '|') {
		p->at++;
		int split = insert_node(p, start, NODE_SPLIT);
		int jump = split < 0 ? -1 : add_node(p, NODE_JUMP, 0);
		if (jump < 0)
			return -1;
		p->program->nodes[split].other = p->program->n_nodes;
		start = p->program->n_nodes;
		if (parse_sequence(p) < 0)
			return -1;
		p->program->nodes[jump].next = p->program->n_nodes;
	}
	return 0;
}

static int compile(struct program *g, const char *pattern)
{
	struct parser p = {g, pattern, 0};
	g->n_groups = 1;
	if (parse_alternatives(&p) < 0)
		return -1;
	if (*p.at == ')')
		return fail(&p, ") without (");
	return add_node(&p, NODE_MATCH, 0);
}

// --- matching --------------------------------------------------------------------------------

struct match {
	const struct program *program;
	const char *text, *end;
	const char *from[MAX_GROUPS], *to[MAX_GROUPS];
	int counts[MAX_GROUPS + 1];
	const char *last[MAX_GROUPS + 1]; // where a loop's body began
	long steps;
};

static int try_node(struct match *m, int at, const char *s);

static int try_loop(struct match *m, const struct node *n, const char *s)
{
	int count = m->counts[n->value];
	const char *last = m->last[n->value];
	int empty = count > 0 && last == s;
	int can_more = count < n->max && !empty, can_leave = count >= n->min || empty;
	for (int turn = 0; turn < 2; turn++) {
		int more = n->lazy ? turn == 1 : turn == 0;
		if (more && can_more) {
			m->counts[n->value] = count + 1;
			m->last[n->value] = s;
			if (try_node(m, n->next, s))
				return 1;
			m->counts[n->value] = count;
			m->last[n->value] = last;
		} else if (!more && can_leave) {
			m->counts[n->value] = 0;
			if (try_node(m, n->other, s))
				return 1;
			m->counts[n->value] = count;
		}
	}
	return 0;
}

static int try_group(struct match *m, const struct node *n, const char *s)
{
	const char **place = n->kind == NODE_OPEN ? &m->from[n->value] : &m->to[n->value];
	const char *old = *place;
	*place = s;
	if (try_node(m, n->next, s))
		return 1;
	*place = old;
	return 0;
}

// Whether a character fits; what is at the end of the text fits nothing.
static int fits(const struct match *m, const struct node *n, const char *s)
{
	if (s == m->end)
		return 0;
	int ch = (unsigned char)*s;
	switch (n->kind) {
	case NODE_ANY: return ch != '\n';
	case NODE_CLASS: return class_has(&m->program->classes[n->value], ch);
	default: return (m->program->ignore_case ? tolower(ch) : ch) == n->value;
	}
}

static int try_node(struct match *m, int at, const char *s)
{
	for (;;) {
		const struct node *n = &m->program->nodes[at];
		if (++m->steps > MAX_STEPS)
			return 0;
		switch (n->kind) {
		case NODE_MATCH: m->to[0] = s; return 1;
		case NODE_START:
			if (s != m->text)
				return 0;
			break;
		case NODE_END:
			if (s != m->end)
				return 0;
			break;
		case NODE_OPEN:
		case NODE_CLOSE: return try_group(m, n, s);
		case NODE_LOOP: return try_loop(m, n, s);
		case NODE_SPLIT:
			if (try_node(m, n->lazy ? n->other : n->next, s))
				return 1;
			at = n->lazy ? n->next : n->other;
			continue;
		case NODE_JUMP: break;
		case NODE_CHAR:
		case NODE_ANY:
		case NODE_CLASS:
			if (!fits(m, n, s))
				return 0;
			s++;
			break;
		}
		at = n->next;
	}
}

// The first match at or behind `s`.
static int search(struct match *m, const char *s)
{
	for (; s <= m->end; s++) {
		memset(m->from, 0, sizeof m->from);
		memset(m->to, 0, sizeof m->to);
		memset(m->counts, 0, sizeof m->counts);
		m->from[0] = s;
		if (try_node(m, 0, s))
			return 1;
	}
	return 0;
}

// --- replacing -------------------------------------------------------------------------------

struct output {
	char text[MAX_OUTPUT];
	size_t n;
	int overflow;
	int change; // 'U', 'L' or 0
};

static void put(struct output *out, int ch)
{
	if (out->n + 1 >= sizeof out->text) {
		out->overflow = 1;
		return;
	}
	if (out->change == 'U')
		ch = toupper(ch);
	else if (out->change == 'L')
		ch = tolower(ch);
	out->text[out->n++] = (char)ch;
}

static void put_group(struct output *out, const struct match *m, int group)
{
	if (group >= m->program->n_groups || !m->from[group] || !m->to[group])
		return;
	for (const char *s = m->from[group]; s < m->to[group]; s++)
		put(out, (unsigned char)*s);
}

static void put_replacement(struct output *out, const struct match *m, const char *r)
{
	for (; *r; r++) {
		if (*r == '&') {
			put_group(out, m, 0);
			continue;
		}
		if (*r != '\\' || !r[1]) {
			put(out, (unsigned char)*r);
			continue;
		}
		r++;
		if (isdigit((unsigned char)*r))
			put_group(out, m, *r - '0');
		else if (*r == 'U' || *r == 'L')
			out->change = *r;
		else if (*r == 'E')
			out->change = 0;
		else
			put(out, escaped((unsigned char)*r));
	}
	out->change = 0;
}

// Replaces in one line; returns how many matches there were.
static int replace_line(const struct program *g, const char *line, const char *r, int all, struct output *out)
{
	struct match m = {.program = g, .text = line, .end = line + strlen(line)};
	const char *s = line;
	int found = 0;
	out->n = 0;
	out->overflow = out->change = 0;
	while (s <= m.end && (all || !found) && search(&m, s)) {
		for (; s < m.from[0]; s++)
			put(out, (unsigned char)*s);
		put_replacement(out, &m, r);
		found++;
		if (m.to[0] == m.from[0]) { // nothing was matched: go on behind the next character
			if (s < m.end)
				put(out, (unsigned char)*s);
			s++;
		} else {
			s = m.to[0];
		}
	}
	while (s < m.end)
		put(out, (unsigned char)*s++);
	out->text[out->n] = 0;
	return found;
}

struct options {
	int ignore_case, all, only_changed, count;
};

static int parse_options(struct options *o, int argc, char **argv)
{
	int i = 1;
	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++)
		for (const char *s = argv[i] + 1; *s; s++)
			switch (*s) {
			case 'i': o->ignore_case = 1; break;
			case 'g': o->all = 1; break;
			case 'n': o->only_changed = 1; break;
			case 'c': o->count = 1; break;
			default: return -1;
			}
	return i;
}

int main(int argc, char **argv)
{
	static struct program program;
	static struct output out;
	static char line[MAX_LINE];
	struct options o = {0};
	long total = 0;
	int first = parse_options(&o, argc, argv);
	if (first < 0 || argc - first != 2) {
		fprintf(stderr, "usage: replace [-gicn] PATTERN REPLACEMENT\n");
		return 2;
	}
	program.ignore_case = o.ignore_case;
	if (compile(&program, argv[first]) < 0) {
		fprintf(stderr, "replace: %s: %s\n", argv[first], program.error);
		return 2;
	}
	while (fgets(line, sizeof line, stdin)) {
		size_t n = strlen(line);
		int ended = n > 0 && line[n - 1] == '\n';
		if (ended)
			line[n - 1] = 0;
		int found = replace_line(&program, line, argv[first + 1], o.all, &out);
		total += found;
		if (out.overflow) {
			fprintf(stderr, "replace: a line becomes too long\n");
			return 1;
		}
		if (!o.count && (found || !o.only_changed))
			printf("%s%s", out.text, ended ? "\n" : "");
	}
	if (o.count)
		printf("%ld\n", total);
	return total == 0;
}
