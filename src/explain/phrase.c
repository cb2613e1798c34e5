#include "explain/phrase.h"

#include <string.h>

#include "base/decimal.h"
#include "base/mem.h"
#include "explain/explain.h"
#include "explain/names.h"
#include "explain/phrase_internal.h"
#include "expr/range.h"

enum { DEPTH_MAX = 200, TABLE_SHOWN = 4 };

// --- names ----------------------------------------------------------------------------------------

bool phrase_is_number(const struct expr_pool *p, uint32_t source)
{
	return input_is_number(p->sources[source].type);
}

static char *source_name(const struct expr_source *s, const struct strv *files)
{
	const char *name = s->type.kind == INPUT_FILE && !s->ordinal ? names_short(s->name, files->v, files->n) : NULL;
	if (name && s->type.role == INPUT_LENGTH)
		return mem_printf("length(%s)", name);
	bool variable = s->type.kind == INPUT_VARIABLE;
	return mem_printf("%s%s", variable ? "$" : "", name ? name : s->label);
}

void phrasing_init(struct phrasing *ret, const struct expr_pool *pool, const uint8_t *bytes)
{
	struct strv files = {0};
	*ret = (struct phrasing){.pool = pool, .bytes = bytes, .n_names = pool->n_sources};
	ret->scratch = mem_alloc(sizeof *ret->scratch);
	tape_init(ret->scratch, pool);
	ret->names = mem_zero((pool->n_sources + 1) * sizeof *ret->names);
	ret->sizes = mem_zero((pool->n_sources + 1) * sizeof *ret->sizes);
	for (uint32_t v = 0; v < pool->n_vars; v++)
		if (ret->sizes[pool->vars[v].source] <= pool->vars[v].offset)
			ret->sizes[pool->vars[v].source] = pool->vars[v].offset + 1;
	for (uint32_t i = 0; i < pool->n_sources; i++)
		if (pool->sources[i].type.kind == INPUT_FILE && pool->sources[i].type.role == INPUT_BYTES)
			strv_push(&files, pool->sources[i].name);
	for (uint32_t i = 0; i < pool->n_sources; i++)
		ret->names[i] = source_name(&pool->sources[i], &files);
	strv_release(&files);
}

void phrasing_release(struct phrasing *p)
{
	for (uint32_t i = 0; i < p->n_names; i++)
		mem_free(p->names[i]);
	mem_free(p->names);
	mem_free(p->sizes);
	tape_release(p->scratch);
	mem_free(p->scratch);
	*p = (struct phrasing){0};
}

void phrase_input(const struct phrasing *p, uint32_t source, uint32_t offset, uint32_t bytes, struct buf *out)
{
	const char *name = source < p->n_names ? p->names[source] : "?";
	bool number = phrase_is_number(p->pool, source);
	buf_addstr(out, name);
	if (number && !offset && bytes >= p->sizes[source])
		return; // all of it
	// Places in files are known by their hex numbers, when they have more than one digit.
	struct input_type type = p->pool->sources[source].type;
	bool hex = type.kind == INPUT_FILE && type.role == INPUT_BYTES && offset >= 16;
	buf_printf(out, hex ? "[0x%x" : "[%u", offset);
	if (bytes > 1)
		buf_printf(out, hex ? "..0x%x" : "..%u", offset + bytes - 1);
	buf_addch(out, ']');
}

// --- numbers --------------------------------------------------------------------------------------

// Large numbers are masks, marks of formats and addresses more often than not, unless they are counted with a sign.
void phrase_number(struct buf *out, eval_value value, unsigned width, bool is_signed)
{
	const eval_value decimal = is_signed ? (eval_value)1 << 40 : (eval_value)1 << 24;
	eval_signed s = eval_sign(value, width);
	if (is_signed && width > 1 && s < 0 && s >= INT64_MIN)
		buf_printf(out, "%lld", (long long)s);
	else if (value >> 64)
		buf_printf(out, "0x%llx%016llx", (unsigned long long)(value >> 64), (unsigned long long)value);
	else
		buf_printf(out, value < decimal ? "%llu" : "0x%llx", (unsigned long long)value);
}

bool print_float(struct buf *out, eval_value value, unsigned width)
{
	if (width != 16 && width != 32 && width != 64 && width != 80)
		return false;
	decimal_float(out, &value, width / 8);
	return true;
}

// --- values ---------------------------------------------------------------------------------------

bool print_is_full(struct writing *w)
{
	if (w->out->len < w->limit && w->depth < DEPTH_MAX)
		return false;
	w->cut = true;
	buf_addstr(w->out, "...");
	return true;
}

void print_group(struct writing *w, bool group, char parenthesis)
{
	if (group)
		buf_addch(w->out, parenthesis);
}

// Numbers of floating point are their bits.
static void print_operand(struct writing *w, uint32_t id, bool is_float, enum tightness needed)
{
	const struct expr_pool *p = w->p->pool;
	if (!is_float || !expr_is_const(p, id) || !print_float(w->out, expr_value(p, id), expr_width(p, id)))
		print(w, id, needed);
}

void print_infix(struct writing *w, const char *symbol, uint32_t a, uint32_t b, enum tightness own,
                 enum tightness needed)
{
	print_group(w, own < needed, '(');
	print(w, a, own);
	buf_printf(w->out, " %s ", symbol);
	print(w, b, own + 1);
	print_group(w, own < needed, ')');
}

static void print_with_number(struct writing *w, uint32_t a, const char *symbol, eval_value number, unsigned width,
                              enum tightness own, enum tightness needed)
{
	print_group(w, own < needed, '(');
	print(w, a, own);
	buf_printf(w->out, " %s ", symbol);
	phrase_number(w->out, number, width, false);
	print_group(w, own < needed, ')');
}

// Which byte comes first is printed once.
static bool needs_order(struct writing *w, const struct field *f)
{
	if (f->bytes == 1 || phrase_is_number(w->p->pool, f->source))
		return false;
	for (size_t i = 0; i < w->n_printed; i++)
		if (memcmp(&w->printed[i], f, sizeof *f) == 0)
			return false;
	if (w->n_printed < FIELDS_PRINTED)
		w->printed[w->n_printed++] = *f;
	return true;
}

static void print_field(struct writing *w, const struct field *f, enum tightness needed)
{
	bool group = f->above && needed > T_PRODUCT;
	print_group(w, group, '(');
	phrase_input(w->p, f->source, f->offset, f->bytes, w->out);
	if (needs_order(w, f))
		buf_addstr(w->out, f->big ? " (big endian)" : " (little endian)");
	if (f->above)
		buf_printf(w->out, " * 0x%llx", 1ull << 8 * (f->above < 8 ? f->above : 7));
	print_group(w, group, ')');
}

// In the run these are digits: otherwise the expression is no decimal number.
static bool are_digits(const struct phrasing *p, const struct field *f)
{
	for (uint32_t v = 0; v < p->pool->n_vars; v++) {
		const struct expr_var *x = &p->pool->vars[v];
		bool digit = p->bytes[v] >= '0' && p->bytes[v] < '0' + (f->base < 10 ? f->base : 10);
		if (x->source == f->source && x->offset >= f->offset && x->offset - f->offset < f->bytes && !digit)
			return false;
	}
	return true;
}

static bool print_form(struct writing *w, uint32_t id, enum tightness needed)
{
	const struct expr_pool *p = w->p->pool;
	struct field f;
	if (field_of(p, id, &f) && f.above < 8) {
		print_field(w, &f, needed);
		return true;
	}
	const char *form = NULL;
	if (field_number(w->p->scratch, id, &f) && are_digits(w->p, &f))
		form = f.base == 10 ? "number(" : f.base == 16 ? "hex(" : "octal(";
	else if (field_text_length(p, id, &f))
		form = "strlen(";
	if (!form)
		return false;
	buf_addstr(w->out, form);
	bool text = *form == 's';
	if (!text || f.offset) {
		phrase_input(w->p, f.source, f.offset, text ? 1 : f.bytes, w->out);
		if (text) { // from there on, however far
			w->out->data[--w->out->len] = 0;
			buf_addstr(w->out, "..]");
		}
	} else {
		buf_addstr(w->out, w->p->names[f.source]);
	}
	buf_addch(w->out, ')');
	return true;
}

static bool is_character(const struct expr_pool *p, uint32_t id, uint64_t value)
{
	struct field f;
	bool plain = (value >= '0' && value <= '9') || (value >= 'A' && value <= 'Z') || (value >= 'a' && value <= 'z');
	return plain && p->only[id] != EXPR_MANY && field_of(p, id, &f) && f.bytes == 1 && !f.above &&
	       !phrase_is_number(p, f.source);
}

static void print_sum(struct writing *w, uint32_t id, enum tightness needed)
{
	const struct expr_pool *p = w->p->pool;
	const struct expr_node n = p->nodes[id];
	bool minus = n.op == OP_SUB, group = T_SUM < needed;
	if (!expr_is_const(p, n.b)) {
		print_infix(w, minus ? "-" : "+", n.a, n.b, T_SUM, needed);
		return;
	}
	eval_signed by = eval_sign(expr_value(p, n.b), n.width);
	if (by < 0) {
		by = -by;
		minus = !minus;
	}
	uint32_t of = n.a;
	while (p->nodes[of].op == OP_ZEXT || p->nodes[of].op == OP_SEXT)
		of = p->nodes[of].a;
	print_group(w, group, '(');
	print(w, n.a, T_SUM);
	buf_addstr(w->out, minus ? " - " : " + ");
	if (by <= 255 && is_character(p, of, (uint64_t)by))
		explain_byte(w->out, (uint8_t)by);
	else
		phrase_number(w->out, (eval_value)by, n.width, false);
	print_group(w, group, ')');
}

static void print_extract(struct writing *w, const struct expr_node *n, enum tightness needed)
{
	const struct expr_pool *p = w->p->pool;
	unsigned whole = expr_width(p, n->a);
	eval_value most = range_of(p, n->a)->max, mask = ((eval_value)1 << n->width) - 1;
	bool rest = n->b + n->width < whole && most >> (n->b + n->width) != 0;
	if (!n->b && !rest) {
		print(w, n->a, needed);
		return;
	}
	bool group = (rest ? T_BITS : T_SHIFT) < needed;
	print_group(w, group, '(');
	if (n->b)
		print_with_number(w, n->a, ">>", n->b, 32, T_SHIFT, rest ? T_SHIFT + 1 : T_SHIFT);
	else
		print(w, n->a, T_SHIFT);
	if (rest) {
		buf_addstr(w->out, " & ");
		buf_printf(w->out, "0x%llx", (unsigned long long)mask);
	}
	print_group(w, group, ')');
}

// What is shifted by a number is printed as a product; two parts as a sum.
static void print_concat(struct writing *w, const struct expr_node *n, enum tightness needed)
{
	const struct expr_pool *p = w->p->pool;
	unsigned low = expr_width(p, n->b);
	const struct expr_node *high = &p->nodes[n->a];
	uint32_t x = high->op == OP_EXTRACT && high->b == 0 ? high->a : n->a;
	bool zeros = expr_is_const(p, n->b) && expr_value(p, n->b) == 0, group = !zeros && T_SUM < needed;
	if (low > 63) {
		print_infix(w, ":", n->a, n->b, T_BITS, needed);
		return;
	}
	print_group(w, group, '(');
	print_with_number(w, x, "*", (eval_value)1 << low, 64, T_PRODUCT, zeros ? needed : T_SUM);
	if (!zeros) {
		buf_addstr(w->out, " + ");
		print(w, n->b, T_PRODUCT);
	}
	print_group(w, group, ')');
}

// The index of an element, where the offset in bytes is that, times the element's size.
static uint32_t unscaled(const struct expr_pool *p, uint32_t offset, unsigned each)
{
	const struct expr_node *n = &p->nodes[offset];
	if (n->op == OP_MUL && expr_is_const(p, n->b) && expr_value(p, n->b) == each)
		return n->a;
	if (n->op == OP_SHL && expr_is_const(p, n->b) && expr_value(p, n->b) < 8 && 1u << expr_value(p, n->b) == each)
		return n->a;
	if (n->op != OP_CONCAT || !expr_is_const(p, n->b) || expr_value(p, n->b) != 0 || expr_width(p, n->b) > 7 ||
	    1u << expr_width(p, n->b) != each)
		return 0;
	const struct expr_node *high = &p->nodes[n->a];
	return high->op == OP_EXTRACT && high->b == 0 ? high->a : n->a;
}

static bool is_constant(const struct expr_table *t, uint32_t from, unsigned size)
{
	for (unsigned k = 0; k < size; k++)
		if (t->exprs && t->exprs[from + k])
			return false;
	return true;
}

// "{1, 2, 3, ...}[", or "table[" where its elements are no numbers
static void print_elements(struct writing *w, const struct expr_table *t, unsigned each, unsigned width)
{
	uint32_t elements = each ? t->size / each : 0, shown = elements < TABLE_SHOWN ? elements : TABLE_SHOWN;
	uint32_t constant = 0;
	for (uint32_t i = 0; i < shown; i++)
		constant += is_constant(t, i * each, each);
	if (!constant) {
		buf_addstr(w->out, "table[");
		return;
	}
	for (uint32_t i = 0; i < shown; i++) {
		uint64_t value = 0;
		for (unsigned k = 0; k < each && k < 8; k++)
			value |= (uint64_t)t->bytes[i * each + k] << 8 * k;
		buf_addstr(w->out, i ? ", " : "{");
		if (is_constant(t, i * each, each))
			phrase_number(w->out, value, width, false);
		else
			buf_addstr(w->out, "?");
	}
	buf_addstr(w->out, elements > shown ? ", ...}[" : "}[");
}

static void print_lookup(struct writing *w, const struct expr_node *n)
{
	const struct expr_pool *p = w->p->pool;
	const struct expr_table *t = &p->tables[n->b];
	unsigned each = n->width / 8;
	print_elements(w, t, each, n->width);
	uint32_t index = each > 1 ? unscaled(p, n->a, each) : n->a;
	print(w, index ? index : n->a, index ? T_ANY : T_PRODUCT);
	buf_printf(w->out, index ? "]" : " / %u]", each);
}

void print_choice(struct writing *w, const struct expr_node *n, enum tightness needed)
{
	if (w->taken) {
		uint32_t step = w->taken->step_of[n->a];
		w->chose = true;
		print(w, step && w->taken->values[step - 1] ? n->b : n->c, needed);
		return;
	}
	buf_addch(w->out, '(');
	print_condition(w, n->a, true, T_OR);
	buf_addstr(w->out, " ? ");
	print(w, n->b, T_OR);
	buf_addstr(w->out, " : ");
	print(w, n->c, T_OR);
	buf_addch(w->out, ')');
}

static void print_call(struct writing *w, const char *name, const struct expr_node *n)
{
	const uint32_t operands[] = {n->a, n->b, n->c};
	buf_printf(w->out, "%s(", name);
	for (unsigned i = 0; i < op_operands(n->op); i++) {
		buf_addstr(w->out, i ? ", " : "");
		if (op_class(n->op) == OP_CLASS_FLOAT)
			print_operand(w, operands[i], true, T_ANY);
		else
			print(w, operands[i], T_ANY);
	}
	buf_addch(w->out, ')');
}

void print_operator(struct writing *w, uint32_t id, enum tightness needed)
{
	static const struct {
		uint8_t op, tightness;
		const char *text;
	} infix[] = {
		{OP_MUL, T_PRODUCT, "*"},  {OP_UDIV, T_PRODUCT, "/"}, {OP_SDIV, T_PRODUCT, "/"},
		{OP_UREM, T_PRODUCT, "%"}, {OP_SREM, T_PRODUCT, "%"}, {OP_SHL, T_SHIFT, "<<"},
		{OP_LSHR, T_SHIFT, ">>"},  {OP_ASHR, T_SHIFT, ">>"},  {OP_AND, T_BITS, "&"},
		{OP_OR, T_BITS, "|"},      {OP_XOR, T_BITS, "^"},     {OP_FADD, T_SUM, "+"},
		{OP_FSUB, T_SUM, "-"},     {OP_FMUL, T_PRODUCT, "*"}, {OP_FDIV, T_PRODUCT, "/"},
	};
	static const struct {
		uint8_t op;
		const char *name;
	} calls[] = {
		{OP_CTPOP, "popcount"},   {OP_CTLZ, "clz"},      {OP_CTTZ, "ctz"},
		{OP_FNEG, "-"},           {OP_FABS, "fabs"},     {OP_FSQRT, "sqrt"},
		{OP_FTOUI, "(unsigned)"}, {OP_FTOSI, "(int)"},   {OP_UITOF, "(double)"},
		{OP_SITOF, "(double)"},   {OP_FTOF, ""},         {OP_FMA, "fma"},
		{OP_DECIMAL, "decimal"},  {OP_DIGITS, "digits"},
	};
	const struct expr_node n = w->p->pool->nodes[id];
	for (size_t i = 0; i < sizeof infix / sizeof *infix; i++)
		if (infix[i].op == n.op) {
			bool group = infix[i].tightness < needed, is_float = op_is_float(n.op);
			print_group(w, group, '(');
			bool shift = infix[i].tightness == T_SHIFT; // nobody knows how tightly these bind
			print_operand(w, n.a, is_float, shift ? T_UNARY : infix[i].tightness);
			buf_printf(w->out, " %s ", infix[i].text);
			print_operand(w, n.b, is_float, shift ? T_UNARY : infix[i].tightness + 1);
			print_group(w, group, ')');
			return;
		}
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (calls[i].op == n.op) {
			print_call(w, calls[i].name, &n);
			return;
		}
	if (n.op == OP_FCALL || n.op == OP_FCALL2) {
		print_call(w, libm_name(n.op == OP_FCALL ? n.b : n.c), &n);
		return;
	}
	buf_addstr(w->out, "...");
	w->cut = true;
}

// Whether the sign of a field makes a difference: its first bit can be set.
static bool can_be_negative(const struct phrasing *p, uint32_t id)
{
	struct field f;
	if (range_of(p->pool, id)->low >= 0 || !field_of(p->pool, id, &f))
		return false;
	for (uint32_t v = 0; p->possible && v < p->pool->n_vars; v++) {
		const struct expr_var *x = &p->pool->vars[v];
		if (x->source == f.source && x->offset == (f.big ? f.offset : f.offset + f.bytes - 1))
			return p->possible[v].bits[2] | p->possible[v].bits[3];
	}
	return true;
}

static void print_widened(struct writing *w, const struct expr_node *n, enum tightness needed)
{
	if (n->op == OP_SEXT && can_be_negative(w->p, n->a)) {
		buf_addstr(w->out, "(signed)");
		needed = T_UNARY;
	}
	print(w, n->a, needed);
}

void print(struct writing *w, uint32_t id, enum tightness needed)
{
	const struct expr_pool *p = w->p->pool;
	const struct expr_node n = p->nodes[id];
	if (print_is_full(w))
		return;
	w->depth++;
	if (n.op == OP_CONST)
		phrase_number(w->out, expr_value(p, id), n.width, true);
	else if (print_form(w, id, needed))
		;
	else if (n.width == 1)
		print_condition(w, id, true, needed);
	else if (n.op == OP_ADD || n.op == OP_SUB)
		print_sum(w, id, needed);
	else if (n.op == OP_ZEXT || n.op == OP_SEXT)
		print_widened(w, &n, needed);
	else if (n.op == OP_EXTRACT)
		print_extract(w, &n, needed);
	else if (n.op == OP_CONCAT)
		print_concat(w, &n, needed);
	else if (n.op == OP_LOOKUP)
		print_lookup(w, &n);
	else if (n.op == OP_ITE)
		print_choice(w, &n, needed);
	else if (n.op == OP_NOT)
		print_call(w, "~", &n);
	else
		print_operator(w, id, needed);
	w->depth--;
}
