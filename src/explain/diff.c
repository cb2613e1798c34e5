#include "explain/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

enum { LINES_MAX = 2000, BYTES_MAX = 2000, AROUND = 1, LINE_BYTES = 200 };

// --- text or not ----------------------------------------------------------------------------------

// Bytes other than ASCII that can be printed, blanks and newlines.
static size_t count_odd(const struct input_part *p)
{
	size_t n = 0;
	for (size_t i = 0; p && i < p->data.len; i++) {
		uint8_t c = (uint8_t)p->data.data[i];
		n += c > '~' || (c < ' ' && c != '\n' && c != '\t');
	}
	return n;
}

// A text stays one when some bytes in it are odd: these are spelled out. In hex nobody could read the others.
static bool is_text(const struct input_part *now, const struct input_part *was)
{
	enum { FEW = 4, SHARE = 8 };
	size_t odd_now = count_odd(now), odd_was = count_odd(was);
	bool now_is = !now || odd_now * SHARE <= now->data.len || (was && !odd_was && odd_now <= FEW);
	return now_is && (!was || odd_was * SHARE <= was->data.len);
}

void diff_spell(struct buf *out, uint8_t byte)
{
	if (byte == '\n')
		buf_addstr(out, "\\n");
	else if (byte == '\t')
		buf_addstr(out, "\\t");
	else if (byte == '\\')
		buf_addstr(out, "\\\\");
	else if (byte < ' ' || byte > '~')
		buf_printf(out, "\\x%02x", byte);
	else
		buf_addch(out, (char)byte);
}

// --- rows -----------------------------------------------------------------------------------------

struct piece {
	size_t at, n;
};

struct pieces {
	struct piece *v;
	size_t n, cap;
};

// Lines, long ones in several pieces; or sixteen bytes each.
static void split(struct pieces *ret, const struct input_part *p, bool text)
{
	size_t size = p ? p->data.len : 0;
	for (size_t at = 0; at < size;) {
		const char *from = p->data.data + at;
		size_t left = size - at, most = text ? LINE_BYTES : DIFF_HEX, n = left < most ? left : most;
		const char *end = text ? memchr(from, '\n', n) : NULL;
		if (end)
			n = (size_t)(end - from) + 1;
		vec_push(ret, (struct piece){at, n});
		at += n;
	}
}

struct making {
	const struct explained_part *part;
	struct diff *diff;
	struct pieces now, was;
};

static const uint8_t *bytes_of(const struct input_part *p, const struct piece *x)
{
	return (const uint8_t *)p->data.data + x->at;
}

static bool is_same(const struct making *m, size_t was, size_t now)
{
	const struct piece *a = &m->was.v[was], *b = &m->now.v[now];
	return a->n == b->n && memcmp(bytes_of(m->part->was, a), bytes_of(m->part->now, b), a->n) == 0;
}

static struct diff_row *add_row(struct diff *d, struct diff_row row)
{
	vec_room(d->v, d->n + 1, d->cap);
	d->v[d->n] = row;
	return &d->v[d->n++];
}

static struct diff_row row_of(const struct making *m, enum diff_sign sign, size_t i)
{
	bool was = sign == DIFF_WAS;
	const struct piece *p = was ? &m->was.v[i] : &m->now.v[i];
	const uint8_t *marks = was || !m->part->marks ? NULL : m->part->marks + p->at;
	return (struct diff_row){.sign = sign,
	                         .bytes = bytes_of(was ? m->part->was : m->part->now, p),
	                         .marks = marks,
	                         .n = p->n,
	                         .offset = p->at};
}

// --- what changed in a row ------------------------------------------------------------------------

// lengths[i * (m + 1) + j]: of the longest common part of what follows. The caller frees; NULL: too large.
static uint16_t *common_parts(size_t n, size_t m, size_t most, bool (*same)(const void *of, size_t i, size_t j),
                              const void *of)
{
	if (n > most || m > most)
		return NULL;
	uint16_t *lengths = mem_zero((n + 1) * (m + 1) * sizeof *lengths);
	for (size_t i = n; i-- > 0;)
		for (size_t j = m; j-- > 0;) {
			uint16_t down = lengths[(i + 1) * (m + 1) + j], right = lengths[i * (m + 1) + j + 1];
			uint16_t both = (uint16_t)(lengths[(i + 1) * (m + 1) + j + 1] + 1);
			lengths[i * (m + 1) + j] = same(of, i, j) ? both : down > right ? down : right;
		}
	return lengths;
}

struct two_rows {
	const struct diff_row *was, *now;
};

static bool same_byte(const void *of, size_t i, size_t j)
{
	const struct two_rows *r = of;
	return r->was->bytes[i] == r->now->bytes[j];
}

static void mark_changes(struct diff_row *was, struct diff_row *now)
{
	const struct two_rows two = {was, now};
	was->changed = mem_zero(was->n + 1);
	now->changed = mem_zero(now->n + 1);
	uint16_t *lengths = was->n == now->n ? NULL : common_parts(was->n, now->n, LINE_BYTES + 1, same_byte, &two);
	if (!lengths) { // byte for byte
		for (size_t i = 0; i < was->n || i < now->n; i++) {
			bool differs = i >= was->n || i >= now->n || was->bytes[i] != now->bytes[i];
			if (i < was->n)
				was->changed[i] = differs;
			if (i < now->n)
				now->changed[i] = differs;
		}
		return;
	}
	for (size_t i = 0, j = 0, m = now->n + 1; i < was->n || j < now->n;) {
		if (i < was->n && j < now->n && same_byte(&two, i, j)) {
			i++;
			j++;
		} else if (j == now->n || (i < was->n && lengths[(i + 1) * m + j] >= lengths[i * m + j + 1])) {
			was->changed[i++] = 1;
		} else {
			now->changed[j++] = 1;
		}
	}
	mem_free(lengths);
}

// Rows of the test and rows in their place; the first of each belong together, and so on.
static void add_changed(struct making *m, size_t was, size_t n_was, size_t now, size_t n_now)
{
	for (size_t k = 0; k < n_was || k < n_now; k++) {
		struct diff_row a = {0}, b = {0};
		if (k < n_was)
			a = row_of(m, DIFF_WAS, was + k);
		if (k < n_now)
			b = row_of(m, DIFF_NOW, now + k);
		mark_changes(&a, &b);
		if (k < n_was)
			add_row(m->diff, a);
		else
			mem_free(a.changed);
		if (k < n_now)
			add_row(m->diff, b);
		else
			mem_free(b.changed);
	}
}

static bool same_piece(const void *of, size_t i, size_t j)
{
	return is_same(of, i, j);
}

// Lines are found again wherever they are now, rows of sixteen bytes at their place only.
static void align(struct making *m)
{
	size_t n = m->was.n, k = m->now.n, i = 0, j = 0;
	uint16_t *lengths = m->diff->text ? common_parts(n, k, LINES_MAX, same_piece, m) : NULL;
	while (i < n || j < k) {
		if (i < n && j < k && is_same(m, i, j)) {
			add_row(m->diff, row_of(m, DIFF_SAME, j));
			i++;
			j++;
			continue;
		}
		size_t a = i, b = j;
		while ((i < n || j < k) && !(i < n && j < k && is_same(m, i, j))) {
			if (!lengths) {
				i += i < n;
				j += j < k;
			} else if (j == k ||
			           (i < n && lengths[(i + 1) * (k + 1) + j] >= lengths[i * (k + 1) + j + 1])) {
				i++;
			} else {
				j++;
			}
		}
		add_changed(m, a, i - a, b, j - b);
	}
	mem_free(lengths);
}

// --- what is shown --------------------------------------------------------------------------------

static bool is_changed(const struct diff_row *r)
{
	return r->sign == DIFF_WAS || r->sign == DIFF_NOW;
}

static size_t count_relevant(const struct diff_row *r)
{
	size_t n = 0;
	for (size_t i = 0; r->marks && i < r->n; i++)
		n += r->marks[i] == BYTE_RELEVANT;
	return n;
}

static int by_size(const void *x, const void *y)
{
	const size_t *a = x, *b = y;
	return *a < *b ? -1 : *a > *b;
}

// How far each row is from the next one that is changed; when none is, from the first.
static size_t *find_distances(const struct diff *d)
{
	size_t *far = mem_zero((d->n + 1) * sizeof *far), last = d->n;
	for (size_t i = 0; i < d->n; i++) {
		last = is_changed(&d->v[i]) ? i : last;
		far[i] = last < d->n ? i - last : d->n;
	}
	for (size_t i = d->n; i-- > 0;) {
		last = is_changed(&d->v[i]) ? i : last;
		if (last >= i && last < d->n && last - i < far[i])
			far[i] = last - i;
	}
	for (size_t i = 0; i < d->n && last == d->n; i++)
		far[i] = i;
	return far;
}

// Of the rows in which something is only relevant, `most` are shown: how far from a change they may be.
static size_t find_reach(const struct diff *d, const size_t *far, size_t most)
{
	size_t *v = mem_alloc((d->n + 1) * sizeof *v), n = 0;
	for (size_t i = 0; i < d->n; i++)
		if (!is_changed(&d->v[i]) && count_relevant(&d->v[i]))
			v[n++] = far[i];
	qsort(v, n, sizeof *v, by_size);
	size_t reach = n > most ? v[most] : d->n;
	mem_free(v);
	return reach;
}

// What is changed comes first; what is relevant as far as there is room, the nearest before others.
static bool *choose(const struct diff *d, size_t most)
{
	bool *shown = mem_zero(d->n + 1), any = false;
	size_t *far = find_distances(d), reach = find_reach(d, far, most / 5);
	for (size_t i = 0; i < d->n; i++) {
		if (!is_changed(&d->v[i]) && !(count_relevant(&d->v[i]) && far[i] <= reach))
			continue;
		any = true;
		for (size_t k = i > AROUND ? i - AROUND : 0; k <= i + AROUND && k < d->n; k++)
			shown[k] = true;
	}
	for (size_t i = 0; i < d->n && i < 4 && !any; i++)
		shown[i] = true;
	mem_free(far);
	return shown;
}

static void leave_out(struct diff *d, size_t most)
{
	bool *shown = choose(d, most);
	size_t kept = 0, n = 0;
	for (size_t i = 0; i < d->n; i++) {
		bool show = shown[i] && n < most;
		n += show;
		if (show) {
			d->v[kept++] = d->v[i];
			continue;
		}
		const struct diff_row row = d->v[i];
		mem_free(row.changed);
		if (!kept || d->v[kept - 1].sign != DIFF_GAP)
			d->v[kept++] = (struct diff_row){.sign = DIFF_GAP};
		d->v[kept - 1].skipped += row.sign == DIFF_WAS ? 0 : row.n;
		d->v[kept - 1].relevant += row.sign == DIFF_WAS ? 0 : count_relevant(&row);
	}
	d->n = kept;
	mem_free(shown);
}

void diff_make(struct diff *ret, const struct explained_part *p, bool has_seed, size_t most)
{
	const struct input_part *was = has_seed ? p->was : p->now; // without a test there is nothing to compare with
	const struct explained_part part = {.now = p->now, .was = was, .marks = p->marks};
	struct making m = {.part = &part, .diff = ret};
	*ret = (struct diff){.text = is_text(p->now, was)};
	split(&m.now, p->now, ret->text);
	split(&m.was, was, ret->text);
	align(&m);
	leave_out(ret, most);
	mem_free(m.now.v);
	mem_free(m.was.v);
}

void diff_release(struct diff *d)
{
	for (size_t i = 0; i < d->n; i++)
		mem_free(d->v[i].changed);
	mem_free(d->v);
	*d = (struct diff){0};
}
