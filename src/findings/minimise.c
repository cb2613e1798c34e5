// Changes are tried on ever smaller stretches of a part (all of it, halves, quarters ... single bytes), since most
// bytes of an input have nothing to do with the bug and go in large pieces:
//
//   1. take back what differs from the seed
//   2. leave out whole parts, then stretches
//   3. put bytes in place of others that say nothing to a reader
#include "findings/minimise.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "findings/oracle.h"

struct minimise {
	struct input *in; // the best so far
	const struct input *seed;
	int (*holds)(void *opaque, const struct input *in);
	void *opaque;
	unsigned left; // tries
};

// Takes over the candidate when it still holds. Releases it in any case.
static bool attempt(struct minimise *s, struct input *candidate)
{
	int r = 0;
	if (s->left && !input_equal(candidate, s->in)) {
		s->left--;
		r = s->holds(s->opaque, candidate);
		if (r < 0)
			s->left = 0;
	}
	if (r > 0) {
		struct input old = *s->in;
		*s->in = *candidate;
		*candidate = old;
	}
	input_release(candidate);
	return r > 0;
}

static void set_data(struct input_part *part, const void *data, size_t size)
{
	buf_clear(&part->data);
	buf_add(&part->data, data, size);
}

static size_t argument_number(const struct input *in, size_t part)
{
	size_t n = 0;
	for (size_t i = 0; i < part; i++)
		n += in->v[i].kind == INPUT_ARGUMENT;
	return n;
}

// The part of the seed that this one came from, or NULL.
static const struct input_part *origin(const struct minimise *s, size_t part)
{
	const struct input_part *p = &s->in->v[part];
	if (!s->seed)
		return NULL;
	if (p->kind == INPUT_ARGUMENT)
		return input_argument(s->seed, argument_number(s->in, part));
	return input_find(s->seed, p->kind, p->name);
}

static bool may_change(const struct minimise *s, size_t part)
{
	return s->in->v[part].kind != INPUT_ARGUMENT || argument_number(s->in, part) > 0;
}

// --- stretches ------------------------------------------------------------------------------

enum change { CHANGE_BACK, CHANGE_DROP, CHANGE_SET };

// Whether a byte says enough as it is: it is the seed's, or as plain as can be.
static bool is_plain(const struct input_part *part, const struct input_part *from, size_t i, char to)
{
	char c = part->data.data[i];
	return (from && i < from->data.len && from->data.data[i] == c) || c == to || c == 'a' || c == '0' || c == ' ' ||
	       c == '\n';
}

// What byte `i` of the part becomes.
static char changed_byte(const struct input_part *p, const struct input_part *seed, enum change change, char to,
                         size_t i)
{
	if (change == CHANGE_BACK)
		return seed && i < seed->data.len ? seed->data.data[i] : p->data.data[i];
	return is_plain(p, seed, i, to) ? p->data.data[i] : to;
}

static bool would_change(const struct minimise *s, size_t part, enum change change, char byte, size_t from, size_t to)
{
	const struct input_part *p = &s->in->v[part], *seed = origin(s, part);
	for (size_t i = from; i < to; i++)
		if (change == CHANGE_DROP || changed_byte(p, seed, change, byte, i) != p->data.data[i])
			return true;
	return false;
}

// Changes bytes [from, to) of the candidate's part.
static void apply(const struct minimise *s, struct input_part *p, size_t part, enum change change, char byte,
                  size_t from, size_t to)
{
	const struct input_part *seed = origin(s, part);
	if (change == CHANGE_DROP) {
		memmove(p->data.data + from, p->data.data + to, p->data.len - to);
		p->data.len -= to - from;
		p->data.data[p->data.len] = 0;
		return;
	}
	for (size_t i = from; i < to; i++)
		p->data.data[i] = changed_byte(p, seed, change, byte, i);
}

// Tries the change on stretches of `size`. True when one of them was taken over.
static bool try_stretches(struct minimise *s, size_t part, enum change change, char byte, size_t size)
{
	bool any = false;
	for (size_t at = 0; s->left && at < s->in->v[part].data.len;) {
		size_t length = s->in->v[part].data.len, end = length - at < size ? length : at + size;
		bool taken = false;
		if (would_change(s, part, change, byte, at, end)) {
			struct input candidate = {0};
			input_copy(&candidate, s->in);
			apply(s, &candidate.v[part], part, change, byte, at, end);
			taken = attempt(s, &candidate);
		}
		any |= taken;
		if (!taken || change != CHANGE_DROP)
			at = end;
	}
	return any;
}

static bool try_all_sizes(struct minimise *s, size_t part, enum change change, char byte)
{
	bool any = false;
	size_t size = 1;
	while (size < s->in->v[part].data.len)
		size *= 2;
	for (; size && s->left; size /= 2)
		any |= try_stretches(s, part, change, byte, size);
	return any;
}

// --- whole parts ----------------------------------------------------------------------------

static bool take_back_part(struct minimise *s, size_t part)
{
	const struct input_part *seed = origin(s, part);
	if (!seed)
		return false;
	struct input candidate = {0};
	input_copy(&candidate, s->in);
	set_data(&candidate.v[part], seed->data.data, seed->data.len);
	if (attempt(s, &candidate))
		return true;
	// Perhaps only the length matters, or all but the length.
	size_t now = s->in->v[part].data.len, was = seed->data.len;
	if (now != was) {
		input_copy(&candidate, s->in);
		struct buf *data = &candidate.v[part].data;
		if (now > was) {
			data->len = was;
			buf_addstr(data, "");
			data->data[was] = 0;
		} else {
			buf_add(data, seed->data.data + now, was - now);
		}
		attempt(s, &candidate);
	}
	return try_all_sizes(s, part, CHANGE_BACK, 0);
}

static bool drop_part(struct minimise *s, size_t part)
{
	struct input candidate = {0};
	for (size_t i = 0; i < s->in->n; i++)
		if (i != part)
			input_add(&candidate, s->in->v[i].kind, s->in->v[i].name, s->in->v[i].data.data,
			          s->in->v[i].data.len);
	return attempt(s, &candidate);
}

static bool drop_parts(struct minimise *s, bool cells)
{
	bool any = false;
	for (size_t i = s->in->n; i-- > 0 && s->left;)
		if (may_change(s, i) && (cells || s->in->v[i].kind != INPUT_CELL))
			any |= drop_part(s, i);
	return any;
}

void minimise_input(struct input *in, const struct input *seed, enum minimise_keep keep,
                    int (*holds)(void *opaque, const struct input *in), void *opaque, unsigned tries)
{
	struct minimise s = {in, seed, holds, opaque, tries};
	for (size_t i = 0; i < in->n; i++)
		if (may_change(&s, i))
			take_back_part(&s, i);
	if (keep == MINIMISE_STAY)
		return;
	for (bool any = true; any && s.left;) {
		any = drop_parts(&s, keep != MINIMISE_CELLS);
		for (size_t i = 0; i < in->n; i++)
			if (may_change(&s, i) && in->v[i].kind != INPUT_CELL) // whose size is that of an object
				any |= try_all_sizes(&s, i, CHANGE_DROP, 0);
	}
	static const char plain[] = {'a', '0', ' '};
	for (size_t i = 0; i < in->n; i++)
		if (in->v[i].kind == INPUT_CELL)
			try_all_sizes(&s, i, CHANGE_SET, 0);
		else
			for (size_t k = 0; may_change(&s, i) && k < sizeof plain; k++)
				try_all_sizes(&s, i, CHANGE_SET, plain[k]);
}

// --- with the oracle -------------------------------------------------------------------------

struct trial {
	const struct oracle *oracle;
	const struct oracle_case *confirmed;
	uint64_t key;
	bool crowded; // a run left more reports than are read, as each further one would
	struct err *err;
};

static int same_verdict(void *opaque, const struct input *in)
{
	struct trial *t = opaque;
	struct verdicts v;
	if (t->oracle->run(t->confirmed, in, &v, t->err) < 0)
		return -1;
	int found = verdicts_find(&v, t->key) != NULL;
	t->crowded = v.crowded;
	verdicts_release(&v);
	return t->crowded ? -1 : found;
}

int oracle_minimise(const struct oracle *oracle, const struct oracle_case *c, struct input *in,
                    const struct input *seed, bool stay, uint64_t key, unsigned runs, struct err *err)
{
	struct oracle_case quick = *c;
	struct trial t = {.oracle = oracle, .confirmed = &quick, .key = key, .err = err};
	assert(c->executors && c->target);
	quick.quick = true;
	// A verdict that takes more runs to confirm, of hangs and deep recursion, does not hold, and the input stays.
	int holds = runs ? same_verdict(&t, in) : 0;
	enum minimise_keep keep = stay ? MINIMISE_STAY : c->make_whole ? MINIMISE_CELLS : MINIMISE_ALL;
	if (holds > 0)
		minimise_input(in, seed, keep, same_verdict, &t, runs - 1);
	return holds < 0 && !t.crowded ? -1 : 0;
}
