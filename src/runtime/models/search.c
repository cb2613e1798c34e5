// Searching in strings and memory. Results are the place as an expression, or NULL.
#include <string.h>
#include <strings.h>

#include "runtime/models/model.h"

static struct sym low_byte(label l, int c)
{
	return sym_of(rt_extract(l, 0, 8), 8, (uint8_t)c);
}

// --- a byte ----------------------------------------------------------------------------------

static struct sym is_byte(const struct model_search *s, uint64_t i)
{
	return sym_equal(model_string_byte(&s->text, i), s->byte);
}

static struct sym is_byte_or_end(const struct model_search *s, uint64_t i)
{
	struct sym b = model_string_byte(&s->text, i);
	return sym_or(sym_equal(b, s->byte), sym_is(b, 0));
}

static struct model_search for_byte(struct site *site, const char *name, const char *at, label l, int c, const void *r)
{
	return (struct model_search){.site = site,
	                             .name = name,
	                             .hit = is_byte,
	                             .base = (uint64_t)at,
	                             .byte = low_byte(l, c),
	                             .real = (uint64_t)r};
}

static bool needs_label(const struct model_search *s)
{
	return rt_on && (s->text.labelled || s->byte.l);
}

// Of a string; `hit` and `last` say how.
static label find_byte(struct site *site, const char *name, const char *s, label l, int c, const char *r,
                       struct sym (*hit)(const struct model_search *, uint64_t), bool last)
{
	struct model_search search = for_byte(site, name, s, l, c, r);
	if (!rt_on)
		return 0;
	search.text = model_string(s, SIZE_MAX);
	model_reads(site, s, r && !last ? (uint64_t)(r - s) + 1 : search.text.length + 1);
	search.hit = hit;
	search.stops = hit == is_byte;
	if (!needs_label(&search))
		return 0;
	return last ? model_last(&search).l : model_first(&search).l;
}

MODEL(char *, strchr, const char *s, int c)
{
	ENTER(strchr, 2);
	char *r = strchr(s, c);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	return GIVE(strchr, r, find_byte(site, "strchr", s, arg[1], c, r, is_byte, false));
}

MODEL(char *, strrchr, const char *s, int c)
{
	ENTER(strrchr, 2);
	char *r = strrchr(s, c);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	return GIVE(strrchr, r, find_byte(site, "strrchr", s, arg[1], c, r, is_byte, true));
}

MODEL(char *, strchrnul, const char *s, int c)
{
	ENTER(strchrnul, 2);
	char *r = strchrnul(s, c);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	return GIVE(strchrnul, r, find_byte(site, "strchrnul", s, arg[1], c, r, is_byte_or_end, false));
}

// Of memory.
static label find_in_memory(struct site *site, const char *name, const void *at, label l, int c, size_t n,
                            const void *r, bool last)
{
	struct model_search search = for_byte(site, name, at, l, c, r);
	if (!rt_on)
		return 0;
	search.text = model_memory(at, n);
	if (!needs_label(&search))
		return 0;
	return last ? model_last(&search).l : model_first(&search).l;
}

// memchr may get a size larger than the object, as long as the byte comes before.
static size_t to_end_of_object(const void *at, size_t n, const void *r)
{
	struct rt_object o;
	if (n <= 1 << 20 && !r)
		return n;
	uint64_t known = r ? (uint64_t)r - (uint64_t)at + 1 : n;
	if (!rt_object_find((uint64_t)at, &o) || (uint64_t)at < o.base || (uint64_t)at >= o.base + o.size)
		return known;
	uint64_t rest = o.base + o.size - (uint64_t)at;
	return rest < known ? known : rest < n ? rest : n;
}

MODEL(void *, memchr, const void *s, int c, size_t n)
{
	ENTER(memchr, 3);
	void *r = memchr(s, c, n);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	rt_check_room(site, r ? 0 : arg[2], r ? (uint64_t)r - (uint64_t)s + 1 : n, (uint64_t)s);
	rt_concrete(site, arg[2], n, REASON_LENGTH);
	if (!rt_on)
		return r;
	n = to_end_of_object(s, n, r);
	return GIVE(memchr, r, find_in_memory(site, "memchr", s, arg[1], c, n, r, false));
}

MODEL(void *, memrchr, const void *s, int c, size_t n)
{
	ENTER(memrchr, 3);
	void *r = memrchr(s, c, n);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	rt_check_room(site, arg[2], n, (uint64_t)s);
	rt_concrete(site, arg[2], n, REASON_LENGTH);
	return GIVE(memrchr, r, find_in_memory(site, "memrchr", s, arg[1], c, n, r, true));
}

MODEL(void *, rawmemchr, const void *s, int c)
{
	ENTER(rawmemchr, 2);
	void *r = rawmemchr(s, c);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	if (!rt_on)
		return r;
	size_t n = to_end_of_object(s, SIZE_MAX, r);
	return GIVE(rawmemchr, r, find_in_memory(site, "rawmemchr", s, arg[1], c, n, r, false));
}

// --- a string ----------------------------------------------------------------------------------

// needle[j] == 0 || text[i + j] == needle[j] && (needle[j + 1] == 0 || ...)
static struct sym is_string(const struct model_search *s, uint64_t i)
{
	const struct model_string *needle = &s->needle;
	struct sym r = sym_constant(1, i + needle->bytes <= s->text.bytes);
	uint64_t n = 0;
	while (n < needle->bytes && i + n < s->text.bytes) { // as far as it may matter
		struct sym a = model_string_byte(&s->text, i + n), b = model_string_byte(needle, n);
		struct sym same = model_same(a, b, s->fold);
		bool over = !b.l && !b.value;
		if (over || (!same.l && !same.value)) {
			r = sym_constant(1, over);
			break;
		}
		n++;
	}
	if (n == needle->bytes)
		r = sym_constant(1, 1);
	while (n-- > 0) {
		struct sym a = model_string_byte(&s->text, i + n), b = model_string_byte(needle, n);
		r = sym_or(sym_is(b, 0), sym_and(model_same(a, b, s->fold), r));
	}
	return r;
}

static label find_string(struct site *site, const char *name, const char *s, const char *needle, const char *r,
                         bool fold)
{
	struct model_search search = {
		.site = site, .name = name, .hit = is_string, .stops = true, .base = (uint64_t)s, .real = (uint64_t)r};
	if (!rt_on)
		return 0;
	search.text = model_string(s, SIZE_MAX);
	search.needle = model_string(needle, SIZE_MAX);
	model_reads(site, s, r ? (uint64_t)(r - s) + search.needle.length : search.text.length + 1);
	model_reads(site, needle, search.needle.length + 1);
	search.fold = fold;
	search.effort = (unsigned)search.needle.bytes;
	return search.text.labelled || search.needle.labelled ? model_first(&search).l : 0;
}

MODEL(char *, strstr, const char *s, const char *needle)
{
	ENTER(strstr, 2);
	char *r = strstr(s, needle);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)needle, REASON_ARGUMENT);
	return GIVE(strstr, r, find_string(site, "strstr", s, needle, r, false));
}

MODEL(char *, strcasestr, const char *s, const char *needle)
{
	ENTER(strcasestr, 2);
	char *r = strcasestr(s, needle);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)needle, REASON_ARGUMENT);
	if (!rt_on)
		return r;
	if (!model_folds_ascii()) {
		if (rt_any((uint64_t)s, strlen(s) + 1) || rt_any((uint64_t)needle, strlen(needle) + 1))
			rt_unmodelled(site, "strcasestr");
		return r;
	}
	return GIVE(strcasestr, r, find_string(site, "strcasestr", s, needle, r, true));
}

static struct sym is_memory(const struct model_search *s, uint64_t i)
{
	struct sym r = sym_constant(1, 1);
	for (uint64_t n = s->needle.bytes; n-- > 0;)
		r = sym_and(sym_equal(model_string_byte(&s->text, i + n), model_string_byte(&s->needle, n)), r);
	return r;
}

MODEL(void *, memmem, const void *s, size_t n, const void *needle, size_t m)
{
	ENTER(memmem, 4);
	void *r = memmem(s, n, needle, m);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	rt_check_room(site, arg[1], n, (uint64_t)s);
	rt_check_room(site, arg[3], m, (uint64_t)needle);
	rt_concrete(site, arg[1], n, REASON_LENGTH);
	rt_concrete(site, arg[2], (uint64_t)needle, REASON_ARGUMENT);
	rt_concrete(site, arg[3], m, REASON_LENGTH);
	if (!rt_on || m > n || m == 0)
		return r;
	struct model_search search = {
		.site = site, .name = "memmem", .hit = is_memory, .base = (uint64_t)s, .real = (uint64_t)r};
	search.text = model_memory(s, n);
	search.needle = model_memory(needle, m);
	search.effort = (unsigned)m;
	if (!search.text.labelled && !search.needle.labelled)
		return r;
	search.text.bytes = n - m + 1; // where it may start; the rest is in memory as well
	return GIVE(memmem, r, model_first(&search).l);
}

// --- a set of bytes --------------------------------------------------------------------------

struct model_set {
	unsigned n;
	uint8_t low[128], high[128]; // ranges
};

// The set is what it is in this run.
static struct model_set make_set(struct site *site, const char *bytes)
{
	struct model_set set = {0};
	bool in[257] = {0};
	for (; *bytes; bytes++) {
		rt_concrete(site, rt_load((uint64_t)bytes, 1), (uint8_t)*bytes, REASON_ARGUMENT);
		in[(uint8_t)*bytes] = true;
	}
	rt_concrete(site, rt_load((uint64_t)bytes, 1), 0, REASON_ARGUMENT);
	for (unsigned c = 1; c < 256; c++) {
		if (!in[c])
			continue;
		if (!in[c - 1])
			set.low[set.n++] = (uint8_t)c;
		set.high[set.n - 1] = (uint8_t)c;
	}
	return set;
}

static struct sym is_in(const struct model_set *set, struct sym b)
{
	struct sym r = sym_constant(1, 0);
	for (unsigned i = 0; i < set->n; i++) {
		unsigned low = set->low[i], size = set->high[i] - low + 1u;
		struct sym from = sym_binary(OP_SUB, b, sym_constant(8, low));
		r = sym_or(r, size == 1 ? sym_is(b, low) : sym_binary(OP_ULT, from, sym_constant(8, size)));
	}
	return r;
}

static struct sym is_set(const struct model_search *s, uint64_t i)
{
	return is_in(s->set, model_string_byte(&s->text, i));
}

static struct sym is_set_or_end(const struct model_search *s, uint64_t i)
{
	struct sym b = model_string_byte(&s->text, i);
	return sym_or(is_in(s->set, b), sym_is(b, 0));
}

static struct sym is_not_set(const struct model_search *s, uint64_t i)
{
	return sym_not(is_set(s, i));
}

struct sym model_in_set(struct site *site, const char *name, const char *s, const char *bytes, uint64_t base,
                        uint64_t real, enum model_in how)
{
	static struct sym (*const hits[])(const struct model_search *, uint64_t) = {is_set, is_set_or_end, is_not_set};
	struct model_search search = {
		.site = site, .name = name, .hit = hits[how], .stops = how == MODEL_IN, .base = base, .real = real};
	if (!rt_on)
		return sym_constant(64, real);
	struct model_set set = make_set(site, bytes);
	search.set = &set;
	search.text = model_string(s, SIZE_MAX);
	search.none = how == MODEL_IN ? 0 : base + search.text.bytes;
	model_reads(site, s, how == MODEL_IN && !real ? search.text.length + 1 : real - base + 1);
	return search.text.labelled ? model_first(&search) : sym_constant(64, real);
}

MODEL(size_t, strspn, const char *s, const char *accept)
{
	ENTER(strspn, 2);
	size_t r = strspn(s, accept);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)accept, REASON_ARGUMENT);
	return GIVE(strspn, r, model_in_set(site, "strspn", s, accept, 0, r, MODEL_OUT).l);
}

MODEL(size_t, strcspn, const char *s, const char *reject)
{
	ENTER(strcspn, 2);
	size_t r = strcspn(s, reject);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)reject, REASON_ARGUMENT);
	return GIVE(strcspn, r, model_in_set(site, "strcspn", s, reject, 0, r, MODEL_IN_OR_END).l);
}

MODEL(char *, strpbrk, const char *s, const char *accept)
{
	ENTER(strpbrk, 2);
	char *r = strpbrk(s, accept);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)accept, REASON_ARGUMENT);
	return GIVE(strpbrk, r, model_in_set(site, "strpbrk", s, accept, (uint64_t)s, (uint64_t)r, MODEL_IN).l);
}
