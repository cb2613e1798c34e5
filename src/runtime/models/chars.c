#include "runtime/models/chars.h"

#include <string.h>

struct sym chars_argument(label l, unsigned width, uint64_t value)
{
	if (!rt_on || (l && rt_width(l) < width))
		l = 0;
	return sym_of(l && rt_width(l) > width ? rt_extract(l, 0, width) : l, width, value);
}

bool chars_branch(struct site *site, struct sym condition)
{
	if (condition.l && rt_on)
		__veer_t_branch(site, condition.l, condition.value != 0);
	return condition.value;
}

void chars_keep(struct site *site, struct sym condition, enum trace_reason reason)
{
	rt_concrete(site, condition.l, condition.value, reason);
}

void chars_concrete(struct site *site, const void *from, size_t size, enum trace_reason reason)
{
	const uint8_t *p = from;
	if (!rt_on || !rt_any((uint64_t)p, size))
		return;
	for (size_t i = 0; i < size; i++)
		rt_concrete(site, rt_load((uint64_t)(p + i), 1), p[i], reason);
}

void chars_concrete_string(struct site *site, const char *s)
{
	chars_concrete(site, s, strlen(s) + 1, REASON_ARGUMENT);
}

struct sym chars_within(struct sym x, uint64_t low, uint64_t high)
{
	if (low == high)
		return sym_is(x, low);
	struct sym from_low = sym_binary(OP_SUB, x, sym_constant(x.width, low));
	return sym_binary(OP_ULE, from_low, sym_constant(x.width, high - low));
}

// --- functions that are given by their values ------------------------------------------------

enum { RUNS = 24 }; // with more of them, a table is looked up

struct run {
	uint32_t from, to, key; // key: the value, or what is added to x
};

struct values {
	struct sym x;
	uint32_t first, n;
	const uint32_t *value;
	bool shifts;
};

static uint32_t key_of(const struct values *v, uint32_t i)
{
	return v->value[i] - (v->shifts ? v->first + i : 0);
}

// Stretches with the same key. Returns how many; more than RUNS when there are too many.
static unsigned find_runs(const struct values *v, struct run runs[RUNS])
{
	unsigned n = 0;
	for (uint32_t i = 0, end; i < v->n; i = end) {
		for (end = i + 1; end < v->n && key_of(v, end) == key_of(v, i);)
			end++;
		if (n < RUNS)
			runs[n] = (struct run){v->first + i, v->first + end - 1, key_of(v, i)};
		n++;
	}
	return n;
}

// The key with the most runs: all others are described relative to it.
static uint32_t usual_key(const struct run *runs, unsigned n)
{
	unsigned best = 0, best_count = 0;
	for (unsigned i = 0; i < n; i++) {
		unsigned count = 0;
		for (unsigned k = 0; k < n; k++)
			count += runs[k].key == runs[i].key;
		if (count > best_count) {
			best = i;
			best_count = count;
		}
	}
	return runs[best].key;
}

static struct sym with_key(const struct values *v, uint32_t key)
{
	struct sym k = sym_constant(32, key);
	return v->shifts && key ? sym_binary(OP_ADD, v->x, k) : v->shifts ? v->x : k;
}

static struct sym by_runs(const struct values *v, const struct run *runs, unsigned n)
{
	uint32_t usual = usual_key(runs, n);
	struct sym result = with_key(v, usual);
	for (unsigned i = 0; i < n; i++) {
		bool again = runs[i].key == usual;
		for (unsigned k = 0; k < i; k++)
			again |= runs[k].key == runs[i].key;
		if (again)
			continue;
		struct sym any = sym_constant(1, 0);
		for (unsigned k = i; k < n; k++)
			if (runs[k].key == runs[i].key)
				any = sym_or(any, chars_within(v->x, runs[k].from, runs[k].to));
		result = sym_choose(any, with_key(v, runs[i].key), result);
	}
	return result;
}

// The values as a table in the trace; the same values make the same table.
static uint32_t table_of(const struct values *v)
{
	static uint32_t last[64];
	struct {
		struct trace_table head;
		uint32_t value[CHARS_VALUES];
	} t = {.head = {.size = v->n * sizeof *v->value}};
	memcpy(t.value, v->value, t.head.size);
	size_t size = sizeof t.head + t.head.size;
	uint32_t hash = v->n;
	for (uint32_t i = 0; i < v->n; i++)
		hash = hash * 31 + v->value[i];
	uint32_t *slot = &last[hash % 64], known = *slot;
	if (known && memcmp((char *)rt_trace + rt_trace->text_at + 8 * (uint64_t)known, &t, size) == 0)
		return known;
	return *slot = rt_text(&t, size);
}

static struct sym by_table(const struct values *v)
{
	struct sym index = sym_binary(OP_SUB, v->x, sym_constant(32, v->first));
	struct sym offset = sym_binary(OP_MUL, sym_extend(index, 64), sym_constant(64, 4));
	uint32_t value = v->value[index.value], table = offset.l ? table_of(v) : 0;
	return sym_of(table ? rt_lookup(offset.l, table, 32, value) : 0, 32, value);
}

struct sym chars_function(struct sym x, uint32_t first, uint32_t n, const uint32_t *value, bool shifts)
{
	struct values v = {x, first, n, value, shifts};
	struct run runs[RUNS];
	if (!x.l || !rt_on)
		return sym_constant(32, value[(uint32_t)x.value - first]);
	unsigned n_runs = find_runs(&v, runs);
	return n_runs <= RUNS ? by_runs(&v, runs, n_runs) : by_table(&v);
}

// --- wide characters ---------------------------------------------------------------------------

uint64_t chars_span(const wchar_t *s, uint64_t seen, uint64_t limit)
{
	struct rt_object o;
	uint64_t bound = seen < limit ? seen : limit;
	if (bound < limit && rt_object_find((uint64_t)s, &o)) {
		uint64_t rest = (o.base + o.size - (uint64_t)s) / sizeof *s;
		bound = rest > limit ? limit : rest > bound ? rest : bound;
	}
	uint64_t length = wcsnlen(s, bound);
	return length < bound ? length + 1 : bound;
}

struct sym chars_wide(const wchar_t *s)
{
	return sym_load(s, sizeof *s);
}

// Characters below are one function; those above are one for each block of 256, and the
// path keeps which block it is.
enum { NEAR = CHARS_VALUES, BLOCK_BITS = 8 };

struct sym chars_of_wide(struct site *site, struct sym wc, chars_wide_function *f, uint64_t context, bool shifts)
{
	uint32_t value[CHARS_VALUES];
	if (!wc.l || !rt_on)
		return sym_constant(32, f((wint_t)wc.value, context));
	struct rt_range r = rt_range(wc.l);
	if (r.low < 0 || r.high >= NEAR) {
		if (chars_branch(site, sym_binary(OP_ULT, wc, sym_constant(32, NEAR)))) {
			r.low = r.low < 0 ? 0 : r.low;
			r.high = r.high >= NEAR ? NEAR - 1 : r.high;
		} else {
			struct sym block = sym_binary(OP_LSHR, wc, sym_constant(32, BLOCK_BITS));
			chars_keep(site, block, REASON_BLOCK);
			r.low = (int64_t)(block.value << BLOCK_BITS);
			r.high = r.low + (1 << BLOCK_BITS) - 1;
		}
	}
	uint32_t first = (uint32_t)r.low, n = (uint32_t)(r.high - r.low + 1);
	for (uint32_t i = 0; i < n; i++)
		value[i] = f((wint_t)(first + i), context);
	return chars_function(wc, first, n, value, shifts);
}
