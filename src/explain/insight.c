#include "explain/insight.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "explore/blame.h"
#include "explore/decide.h"

enum { CONDITION_BYTES = 600, STEP_BYTES = 240, VALUES_MAX = 12, WALK_MAX = 20000 };
enum { STEPS_FIRST = 20, STEPS_LAST = 20, STEPS_SAME_PATH = 8, DECISIONS_MAX = 20000 };

// --- words ----------------------------------------------------------------------------------------

// Values become wider without being told so in C, too: `s32(stdin[0])` is `stdin[0]`.
static char *drop_widening(const char *text)
{
	enum { DEEP = 256 };
	struct buf out = {0};
	bool dropped[DEEP]; // parentheses that are open
	size_t depth = 0;
	for (const char *p = text; *p; p++) {
		bool begins = p == text || !(isalnum((unsigned char)p[-1]) || p[-1] == '_');
		size_t digits = begins && strchr("su", *p) ? strspn(p + 1, "0123456789") : 0;
		bool widens = digits && p[1 + digits] == '(';
		if (widens)
			p += 1 + digits;
		if (*p == '(') {
			if (depth < DEEP)
				dropped[depth] = widens;
			depth++;
		} else if (*p == ')' && depth) {
			depth--;
			widens = depth < DEEP && dropped[depth];
		}
		if (!widens)
			buf_addch(&out, *p);
	}
	return out.data ? buf_steal(&out) : mem_strdup("");
}

// Is what ends before `end` a byte of input, "name[3]"?
static bool is_byte_before(const char *text, const char *end)
{
	return end > text && end[-1] == ']';
}

static bool is_byte_behind(const char *p)
{
	size_t n = strcspn(p, " ()");
	return n > 2 && p[n - 1] == ']';
}

// What a byte is compared with is a character: `stdin[0] == 45` is `stdin[0] == '-'`.
static char *name_characters(const char *text)
{
	static const char *const operators[] = {" == ", " <u ", " <=u ", " < ", " <= ", " - "};
	struct buf out = {0};
	for (const char *p = text; *p;) {
		char *end;
		unsigned long n = isdigit((unsigned char)*p) ? strtoul(p, &end, 10) : 0;
		bool is_character = n >= ' ' && n <= '~' && (p == text || !isalnum((unsigned char)p[-1]));
		bool compared = false;
		for (size_t i = 0; is_character && i < sizeof operators / sizeof *operators; i++) {
			size_t m = strlen(operators[i]);
			compared |= (size_t)(p - text) >= m && strncmp(p - m, operators[i], m) == 0 &&
			            is_byte_before(text, p - m) && strchr(") ", *end);
			compared |= strncmp(end, operators[i], m) == 0 && is_byte_behind(end + m) && p > text &&
			            p[-1] == '(';
		}
		if (compared) {
			explain_byte(&out, (uint8_t)n);
			p = end;
		} else {
			buf_addch(&out, *p++);
		}
	}
	return out.data ? buf_steal(&out) : mem_strdup("");
}

// Parentheses around all of it say nothing.
static void strip(char *text)
{
	size_t n = strlen(text);
	if (n < 2 || text[0] != '(' || text[n - 1] != ')')
		return;
	int depth = 0;
	for (size_t i = 0; i + 1 < n; i++) {
		depth += (text[i] == '(') - (text[i] == ')');
		if (depth == 0)
			return;
	}
	memmove(text, text + 1, n - 2);
	text[n - 2] = 0;
}

static char *print(const struct trace *t, uint32_t label, size_t limit)
{
	struct buf raw = {0};
	trace_print(t, label, limit, &raw);
	char *narrow = drop_widening(raw.data ? raw.data : "");
	strip(narrow);
	char *text = name_characters(narrow);
	mem_free(narrow);
	buf_release(&raw);
	return text;
}

static char *describe_object(const struct trace *t, const struct trace_event *e)
{
	static const char *const kinds[] = {"heap block", "local variable", "global variable", "mapping"};
	const struct trace_object *o = e->kind == EVENT_CHECK ? trace_object(t, e->check.object) : NULL;
	struct buf out = {0};
	if (!o)
		return NULL;
	const struct trace_site *site = trace_site(t, o->site);
	buf_printf(&out, "%s", o->kind < OBJECT_KINDS ? kinds[o->kind] : "object");
	if (o->kind == OBJECT_STACK || o->kind == OBJECT_GLOBAL)
		buf_printf(&out, " %s", trace_text(t, o->name));
	if (o->kind == OBJECT_STACK && o->function)
		buf_printf(&out, " of %s", trace_text(t, o->function));
	buf_printf(&out, ", %" PRIu64 " bytes", o->size);
	if (o->size_label) {
		char *size = print(t, o->size_label, STEP_BYTES);
		buf_printf(&out, " = %s", size);
		mem_free(size);
	}
	if (site)
		buf_printf(&out, ", allocated at %s:%u", trace_text(t, site->file), site->line);
	return buf_steal(&out);
}

// --- values ---------------------------------------------------------------------------------------

struct walk {
	const struct trace *t;
	uint8_t *seen; // labels, a bit each
	unsigned budget;
	uint64_t found[VALUES_MAX]; // input and offset
	size_t n;
};

static bool is_number(const struct trace *t, uint32_t input)
{
	uint32_t kind = trace_input_kind(t, input);
	return kind == INPUT_LENGTH || kind == INPUT_COUNT;
}

static void walk(struct walk *w, uint32_t label)
{
	if (!label || label >= w->t->n_nodes || !w->budget || (w->seen[label / 8] >> label % 8 & 1))
		return;
	w->budget--;
	w->seen[label / 8] |= (uint8_t)(1u << label % 8);
	const struct trace_node *n = &w->t->nodes[label];
	if (n->op == OP_INPUT) {
		uint64_t name = (uint64_t)n->a << 32 | (is_number(w->t, n->a) ? 0 : n->b);
		size_t i = 0;
		while (i < w->n && w->found[i] != name)
			i++;
		if (i == w->n && w->n < VALUES_MAX)
			w->found[w->n++] = name;
		return;
	}
	if (n->op == OP_CONST)
		return;
	walk(w, n->a);
	if (n->op == OP_LOOKUP || n->op == OP_EXTRACT) // the rest is no label
		return;
	walk(w, n->b);
	walk(w, n->c);
}

// What the byte, or number, was; NULL when the run had none.
static char *value_of(const struct trace *t, uint32_t input, uint32_t offset)
{
	uint32_t size = 0, number;
	const uint8_t *data = trace_input_data(t, input, &size);
	struct buf out = {0};
	if (data && is_number(t, input) && size >= 4) {
		memcpy(&number, data, 4);
		return mem_printf("%u", number);
	}
	if (!data || offset >= size)
		return NULL;
	explain_byte(&out, data[offset]);
	return buf_steal(&out);
}

static char *value_by_name(const struct trace *t, const char *name, uint32_t offset)
{
	for (uint32_t i = 0; t && i < t->n_inputs; i++)
		if (strcmp(trace_input_name(t, i), name) == 0)
			return value_of(t, i, offset);
	return NULL;
}

static int by_place(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;
	return *a < *b ? -1 : *a > *b;
}

static void take_values(struct explanation *x, const struct trace *of, const struct trace *now, const struct trace *was,
                        uint32_t label)
{
	struct walk w = {.t = of, .seen = mem_zero(of->n_nodes / 8 + 1), .budget = WALK_MAX};
	walk(&w, label);
	qsort(w.found, w.n, sizeof *w.found, by_place);
	x->values = mem_zero((w.n + 1) * sizeof *x->values);
	for (size_t i = 0; i < w.n; i++) {
		uint32_t input = (uint32_t)(w.found[i] >> 32), offset = (uint32_t)w.found[i];
		const char *name = trace_input_name(of, input);
		struct explained_value *v = &x->values[x->n_values];
		v->now = value_by_name(now, name, offset);
		if (!v->now)
			continue;
		v->was = value_by_name(was, name, offset);
		v->name = is_number(of, input) ? mem_strdup(name) : mem_printf("%s[%u]", name, offset);
		v->same = v->was && strcmp(v->was, v->now) == 0;
		x->n_values++;
	}
	mem_free(w.seen);
}

// --- bytes that matter ----------------------------------------------------------------------------

// The part of the input that an input of the trace is; NULL: none.
static struct explained_part *part_of(struct explanation *x, const struct trace *t, uint32_t input)
{
	const char *name = trace_input_name(t, input);
	uint32_t kind = trace_input_kind(t, input);
	size_t number = strncmp(name, "argv[", 5) == 0 ? strtoul(name + 5, NULL, 10) : 0, argument = 0;
	for (size_t i = 0; i < x->n_parts; i++) {
		const struct input_part *p = x->parts[i].now;
		bool same = false;
		if (!p)
			continue;
		if (p->kind == PART_ARGUMENT)
			same = kind == INPUT_STRING && number && argument == number;
		else if (p->kind == PART_VARIABLE)
			same = kind == INPUT_STRING && !number && p->name && strcmp(p->name, name) == 0;
		else if (p->kind == PART_STDIN)
			same = kind == INPUT_CONTENT && strcmp(name, "stdin") == 0;
		else if (p->kind == PART_FILE)
			same = kind == INPUT_CONTENT && p->name && strcmp(p->name, name) == 0;
		else
			same = kind == INPUT_OBJECT;
		if (same)
			return &x->parts[i];
		argument += p->kind == PART_ARGUMENT;
	}
	return NULL;
}

static void take_marks(struct explanation *x, const struct trace *t, struct blame blame)
{
	struct blamed_bytes b;
	size_t objects = 0;
	if (!blame_bytes(&b, t, blame))
		return;
	x->care = (int32_t)b.count;
	for (uint32_t i = 0; i < t->n_inputs; i++) {
		uint32_t size = 0;
		const uint8_t *data = trace_input_data(t, i, &size);
		bool object = trace_input_kind(t, i) == INPUT_OBJECT;
		struct explained_part *p = part_of(x, t, i);
		size_t from = object ? objects : 0;
		if (object)
			objects += size;
		if (!p || !data || is_number(t, i))
			continue;
		if (!p->marks)
			p->marks = mem_zero(p->now->data.len + 1);
		for (size_t k = 0; k < size && from + k < p->now->data.len; k++)
			p->marks[from + k] = b.masks[i] && k < b.sizes[i] && b.masks[i][k] ? BYTE_MATTERS : BYTE_ANY;
	}
	const struct input_part *name = input_argument(&x->input, 0);
	x->care_of = (int32_t)(input_size(&x->input) - (name ? name->data.len : 0));
	blamed_bytes_release(&b);
}

// --- the path -------------------------------------------------------------------------------------

// The first event at which the runs go different ways; `end` when there is none before it.
static uint32_t divergence(const struct trace *now, const struct trace *was, uint32_t end)
{
	struct decisions a = {0}, b = {0};
	decisions_read(&a, now, 0, DECISIONS_MAX);
	decisions_read(&b, was, 0, DECISIONS_MAX);
	uint32_t k = 0, found = end;
	for (uint32_t i = 0; i < a.n && found == end; i++) {
		if (a.v[i].check)
			continue;
		if (a.v[i].event >= end)
			break;
		while (k < b.n && b.v[k].check)
			k++;
		if (k == b.n || b.v[k].key != a.v[i].key)
			found = a.v[i].event;
		k++;
	}
	decisions_release(&a);
	decisions_release(&b);
	return found;
}

static bool is_step(const struct trace_event *e)
{
	return e->label && trace_is_condition(e) && e->kind != EVENT_CHECK;
}

static char *outcome(const struct trace *t, const struct trace_event *e)
{
	struct buf out = {0};
	if (e->kind == EVENT_CONCRETE)
		return NULL;
	if (e->kind != EVENT_SWITCH)
		return mem_strdup(trace_value(e) ? "true" : "false");
	if (trace_value(e) >= ' ' && trace_value(e) <= '~')
		explain_byte(&out, (uint8_t)trace_value(e));
	else
		trace_print_value(t, e->label, trace_value(e), &out);
	return buf_steal(&out);
}

static const char *const reasons[] = {
#define REASON(NAME, words) words,
#include "abi/reasons.def"
#undef REASON
};

// A value that the run went on with as it was: what it is for, and what of the input it comes from. The value itself
// is an address more often than not.
static char *describe_value(const struct trace *t, const struct trace_event *e)
{
	enum { NAMES = 4 };
	struct walk w = {.t = t, .seen = mem_zero(t->n_nodes / 8 + 1), .budget = WALK_MAX};
	struct buf out = {0};
	const char *reason = e->reason && e->reason < REASON_COUNT ? reasons[e->reason] : "value";
	walk(&w, e->label);
	qsort(w.found, w.n, sizeof *w.found, by_place);
	buf_printf(&out, "%s depends on ", reason);
	for (size_t i = 0; i < w.n && i < NAMES; i++) {
		uint32_t input = (uint32_t)(w.found[i] >> 32);
		buf_printf(&out, "%s%s", i ? ", " : "", trace_input_name(t, input));
		if (!is_number(t, input))
			buf_printf(&out, "[%u]", (uint32_t)w.found[i]);
	}
	buf_addstr(&out, w.n > NAMES ? " ..., and is taken as it is" : ", and is taken as it is");
	mem_free(w.seen);
	return buf_steal(&out);
}

static void add_step(struct explanation *x, const struct trace *t, uint32_t event, enum step_kind kind)
{
	const struct trace_event *e = &t->events[event];
	const struct trace_site *site = trace_site(t, e->site);
	if (!site)
		return;
	struct explained_step s = {.kind = kind,
	                           .file = mem_strdup(trace_text(t, site->file)),
	                           .function = mem_strdup(trace_text(t, site->function)),
	                           .line = site->line,
	                           .column = site->column,
	                           .condition = e->kind == EVENT_CONCRETE ? describe_value(t, e)
	                                                                  : print(t, e->label, STEP_BYTES),
	                           .outcome = outcome(t, e),
	                           .times = 1};
	x->steps = mem_resize(x->steps, (x->n_steps + 1) * sizeof *x->steps);
	x->steps[x->n_steps++] = s;
}

// Events of the path, those at one place in a row as one: the number of the first, and how many.
struct stretch {
	uint32_t event, times;
};

static size_t find_stretches(const struct trace *t, uint32_t from, uint32_t to, struct stretch **ret)
{
	size_t n = 0, cap = 0;
	struct stretch *v = NULL;
	for (uint32_t i = from; i < to; i++) {
		const struct trace_event *e = &t->events[i];
		if (!is_step(e) || !trace_site(t, e->site))
			continue;
		const struct trace_event *last = n ? &t->events[v[n - 1].event] : NULL;
		if (last && last->site == e->site && last->kind == e->kind && trace_value(last) == trace_value(e)) {
			v[n - 1].times++;
			continue;
		}
		if (n == cap) {
			cap = cap ? 2 * cap : 64;
			v = mem_resize(v, cap * sizeof *v);
		}
		v[n++] = (struct stretch){i, 1};
	}
	*ret = v;
	return n;
}

static void take_path(struct explanation *x, const struct trace *now, const struct trace *was, struct blame blame,
                      uint32_t failing)
{
	uint32_t end = blame.end;
	uint32_t from = was ? divergence(now, was, blame.begin) : end;
	struct stretch *v;
	x->diverges = was && from < blame.begin;
	size_t n = find_stretches(now, x->diverges ? from : 0, end, &v);
	size_t first = x->diverges ? STEPS_FIRST : 0, last = x->diverges ? STEPS_LAST : STEPS_SAME_PATH;
	for (size_t i = 0; i < n; i++) {
		if (i >= first && i + last < n) {
			x->steps_left_out++;
			continue;
		}
		add_step(x, now, v[i].event, STEP_WENT);
		x->steps[x->n_steps - 1].times = v[i].times;
	}
	mem_free(v);
	if (failing < now->n_events)
		add_step(x, now, failing, STEP_FAILS);
}

// --- all of it ------------------------------------------------------------------------------------

static bool is_failure(const struct trace_event *e)
{
	return e->kind == EVENT_CHECK && e->label && !trace_value(e);
}

static bool is_about_change(const struct trace *now, const struct trace *was, uint32_t label)
{
	struct walk w = {.t = now, .seen = mem_zero(now->n_nodes / 8 + 1), .budget = WALK_MAX};
	bool changed = false;
	walk(&w, label);
	for (size_t k = 0; k < w.n; k++) {
		uint32_t input = (uint32_t)(w.found[k] >> 32), offset = (uint32_t)w.found[k];
		char *a = value_of(now, input, offset);
		char *b = value_by_name(was, trace_input_name(now, input), offset);
		changed |= !a != !b || (a && strcmp(a, b) != 0);
		mem_free(a);
		mem_free(b);
	}
	mem_free(w.seen);
	return changed;
}

// Of checks that fail in one place, the first that is about what was changed.
static uint32_t choose_check(const struct trace *now, const struct trace *was, struct blame blame)
{
	for (uint32_t i = blame.event; was && i < blame.end; i++)
		if (is_failure(&now->events[i]) && is_about_change(now, was, now->events[i].label))
			return i;
	return blame.event;
}

// Takes the condition from whichever run has it; values are of both.
static void take_condition(struct explanation *x, const struct trace *of, uint32_t event, const struct trace *now,
                           const struct trace *was)
{
	const struct trace_event *e = &of->events[event];
	x->object = describe_object(of, e);
	if (!e->label)
		return;
	x->condition = print(of, e->label, CONDITION_BYTES);
	take_values(x, of, now, was, e->label);
}

void insight_take(struct explanation *x, const struct trace *now, const struct trace *was)
{
	const struct stored_finding *f = &x->finding;
	struct blame blame = blame_find(now, f->file, f->line, f->stack);
	uint32_t failing = blame.fails ? choose_check(now, was, blame) : now->n_events;
	take_path(x, now, was, blame, failing);
	if (blame.fails) {
		take_condition(x, now, failing, now, was);
	} else if (was && !x->diverges) {
		uint32_t violated = blame_violated(was, now, f->file, f->line, f->stack);
		if (violated < was->n_events) {
			take_condition(x, was, violated, now, was);
			add_step(x, was, violated, STEP_FAILS);
		}
	}
	for (uint32_t i = blame.begin; !x->condition && !x->depends && i < blame.end; i++)
		if (now->events[i].kind == EVENT_CONCRETE && now->events[i].label)
			x->depends = describe_value(now, &now->events[i]);
	take_marks(x, now, blame);
}
