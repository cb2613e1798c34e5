#include "explain/byteset.h"

#include "explain/explain.h"

enum { VALUES = 256, TAPE_MAX = 4096, RANGES_SHOWN = 5 };

struct byteset byteset_all(void)
{
	return byteset_not((struct byteset){0});
}

bool byteset_has(const struct byteset *s, unsigned value)
{
	return s->bits[value / 64] >> value % 64 & 1;
}

void byteset_add(struct byteset *s, unsigned value)
{
	s->bits[value / 64] |= (uint64_t)1 << value % 64;
}

struct byteset byteset_and(struct byteset a, struct byteset b)
{
	for (unsigned i = 0; i < 4; i++)
		a.bits[i] &= b.bits[i];
	return a;
}

struct byteset byteset_not(struct byteset a)
{
	for (unsigned i = 0; i < 4; i++)
		a.bits[i] = ~a.bits[i];
	return a;
}

unsigned byteset_count(const struct byteset *s)
{
	unsigned n = 0;
	for (unsigned i = 0; i < 4; i++)
		n += (unsigned)__builtin_popcountll(s->bits[i]);
	return n;
}

bool byteset_same(const struct byteset *a, const struct byteset *b)
{
	bool same = true;
	for (unsigned i = 0; i < 4; i++)
		same &= a->bits[i] == b->bits[i];
	return same;
}

bool byteset_of(struct byteset *ret, struct tape *scratch, uint32_t condition)
{
	const struct expr_pool *p = scratch->pool;
	uint32_t var = p->only[condition];
	if (var == EXPR_MANY || expr_width(p, condition) != 1)
		return false;
	uint32_t step = tape_add(scratch, condition);
	bool small = scratch->n <= TAPE_MAX && scratch->n_vars == 1;
	*ret = (struct byteset){0};
	for (unsigned value = 0; small && value < VALUES; value++) {
		tape_set(scratch, var, (uint8_t)value);
		tape_run(scratch);
		if (scratch->values[step])
			byteset_add(ret, value);
	}
	tape_clear(scratch);
	return small;
}

// --- words ----------------------------------------------------------------------------------------

static void print_value(struct buf *out, unsigned value, bool number)
{
	if (number)
		buf_printf(out, "%u", value);
	else
		explain_byte(out, (uint8_t)value);
}

static unsigned first_of(const struct byteset *s, unsigned from)
{
	while (from < VALUES && !byteset_has(s, from))
		from++;
	return from;
}

static unsigned end_of(const struct byteset *s, unsigned from)
{
	while (from < VALUES && byteset_has(s, from))
		from++;
	return from;
}

static unsigned count_ranges(const struct byteset *s)
{
	unsigned n = 0;
	for (unsigned at = first_of(s, 0); at < VALUES; at = first_of(s, end_of(s, at)))
		n++;
	return n;
}

// "'0'..'9', 'x'"
static void print_ranges(const struct byteset *s, bool number, struct buf *out)
{
	unsigned n = 0;
	for (unsigned at = first_of(s, 0); at < VALUES; n++) {
		unsigned end = end_of(s, at);
		if (n == RANGES_SHOWN) {
			buf_addstr(out, ", ...");
			return;
		}
		if (n)
			buf_addstr(out, ", ");
		print_value(out, at, number);
		if (end - at > 2)
			buf_addstr(out, "..");
		else if (end - at == 2)
			buf_addstr(out, ", ");
		if (end - at > 1)
			print_value(out, end - 1, number);
		at = first_of(s, end);
	}
}

// As isspace() has it.
static bool is_white(const struct byteset *s)
{
	struct byteset white = {{0}};
	for (unsigned value = '\t'; value <= '\r'; value++)
		byteset_add(&white, value);
	byteset_add(&white, ' ');
	return byteset_same(s, &white);
}

static void print_in(const struct byteset *s, const char *word, bool number, struct buf *out)
{
	bool several = count_ranges(s) > 1 || byteset_count(s) == 2;
	buf_printf(out, " %s %s", word, several ? "{" : "");
	print_ranges(s, number, out);
	if (several)
		buf_addch(out, '}');
}

// One value, or of those that are possible all up to one, or all from one on.
static bool print_comparison(const struct byteset *yes, const struct byteset *no, bool number, struct buf *out)
{
	unsigned first = first_of(yes, 0), last = VALUES - 1, first_no = first_of(no, 0), last_no = VALUES - 1;
	while (!byteset_has(yes, last))
		last--;
	while (!byteset_has(no, last_no))
		last_no--;
	if (first != last && last > first_no && first < last_no)
		return false;
	buf_addstr(out, first == last ? " == " : last < first_no ? " <= " : " >= ");
	print_value(out, last < first_no ? last : first, number);
	return true;
}

// As a comparison of signed characters leaves it: below `k`, or from there on.
static bool print_signed(const struct byteset *s, const char *name, struct buf *out)
{
	struct byteset above = byteset_has(s, 128) ? byteset_not(*s) : *s;
	unsigned first = first_of(&above, 0);
	if (!first || first >= 127 || end_of(&above, first) != 128 || count_ranges(&above) != 1)
		return false;
	buf_printf(out, "(signed)%s %s ", name, byteset_has(s, 128) ? "<" : ">=");
	explain_byte(out, (uint8_t)first);
	return true;
}

void byteset_print(const struct byteset *s, const struct byteset *possible, const char *name, bool number,
                   struct buf *out)
{
	struct byteset yes = byteset_and(*s, *possible), no = byteset_and(byteset_not(*s), *possible);
	bool many = byteset_count(&yes) > 1 && byteset_count(&no) > 1;
	if (many && !number && print_signed(s, name, out))
		return;
	buf_addstr(out, name);
	if (!byteset_count(&yes)) {
		buf_addstr(out, " is impossible");
	} else if (!byteset_count(&no)) {
		buf_addstr(out, " may have any value");
	} else if (byteset_count(&no) == 1 && byteset_count(&yes) > 1) {
		buf_addstr(out, " != ");
		print_value(out, first_of(&no, 0), number);
	} else if (!print_comparison(&yes, &no, number, out)) {
		struct byteset all_no = byteset_not(*s);
		if (!number && (is_white(s) || is_white(&all_no))) {
			buf_addstr(out, is_white(s) ? " is white space" : " is no white space");
			return;
		}
		bool negated = count_ranges(&all_no) < count_ranges(s);
		print_in(negated ? &all_no : s, negated ? "not in" : "in", number, out);
	}
}
