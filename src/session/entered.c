#include "session/entered.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "findings/oracle.h"

enum { ENTRIES_MOST = 200, NOBODY = UINT32_MAX };

// --- which functions ------------------------------------------------------------------------------

static bool ends_alike(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b), k = n < m ? n : m;
	return strcmp(a + n - k, b + m - k) == 0 && (n == m || (n > m ? a[n - k - 1] : b[m - k - 1]) == '/');
}

static struct shape_ref find(const struct shape_program *p, const struct fact_function *f)
{
	struct shape_ref found = SHAPE_NOWHERE;
	for (uint32_t u = 0; u < p->n_units; u++)
		for (uint32_t i = 0; i < p->units[u].head->n_functions; i++) {
			const struct shape_table *t = &p->units[u];
			const struct shape_function *x = &t->functions[i];
			if ((x->flags & SHAPE_BORROWED) || strcmp(shape_text(t, x->name), f->name) != 0)
				continue;
			char *tidy = path_tidy(shape_text(t, x->file));
			bool same =
				ends_alike(tidy, f->file) || strcmp(path_basename(tidy), path_basename(f->file)) == 0;
			mem_free(tidy);
			if (same && !shape_is_somewhere(found))
				found = (struct shape_ref){u, i};
		}
	return found;
}

static void add_entry(struct entered *e, uint32_t number)
{
	const struct changed_function *f = &e->changes->functions[number];
	struct twin pair = {{SHAPE_NOWHERE, SHAPE_NOWHERE}};
	const char *why = NULL;
	for (int side = 0; side < CHANGE_SIDES && !why; side++) {
		if (f->side[side])
			pair.side[side] = find(&e->shapes[side], f->side[side]);
		why = !f->side[side]                         ? "only one version has it"
		      : !shape_is_somewhere(pair.side[side]) ? "nothing is known of its types"
		                                             : NULL;
	}
	const struct convert c = {&e->shapes[0], &e->shapes[1], pair.side[0], pair.side[1]};
	if (!why && strcmp(change_function(f)->name, "main") == 0)
		why = "whole runs do";
	if (why || !convert_fits(&c, &why)) {
		e->unfit[number] = why;
		return;
	}
	const uint32_t any = f->side[0]->flags | f->side[1]->flags;
	e->v = mem_resize(e->v, (e->n + 1) * sizeof *e->v);
	e->pairs = mem_resize(e->pairs, (e->n + 1) * sizeof *e->pairs);
	e->pairs[e->n] = pair;
	e->v[e->n++] =
		(struct entered_function){.function = number, .distance = f->calls, .hidden = !(any & SHAPE_ADDRESS)};
}

// Does a function call itself, if only through others?
static bool is_recursive(const struct shape_program *p, struct shape_ref function)
{
	struct shape_list all = {0};
	bool is = false;
	shape_reach(p, function, &all);
	for (uint32_t i = 0; i < all.n && !is; i++) {
		struct shape_list called = {0};
		shape_callees(p, all.v[i], &called);
		for (uint32_t k = 0; k < called.n; k++)
			is |= shape_is(called.v[k], function);
		shape_list_release(&called);
	}
	shape_list_release(&all);
	return is;
}

// No loop, no recursion and no call through a pointer, in all that is called, either: then paths are few, and what veer
// makes up is all that there can be.
static bool is_straight(const struct shape_program *p, struct shape_ref function)
{
	enum { MOST = 16 };
	struct shape_list all = {0};
	shape_reach(p, function, &all);
	bool straight = all.n <= MOST;
	for (uint32_t i = 0; i < all.n && straight; i++) {
		const struct shape_function *f = &p->units[all.v[i].unit].functions[all.v[i].number];
		straight = f->markers == 1 && !f->n_calls && !(f->flags & SHAPE_NEVER) && !is_recursive(p, all.v[i]);
	}
	shape_list_release(&all);
	return straight;
}

// A proof that both versions are the same is worth trying, and is one.
static bool is_small(const struct entered *e, uint32_t entry)
{
	enum { BLOCKS = 64 };
	const struct changed_function *f = &e->changes->functions[e->v[entry].function];
	bool small = !e->v[entry].distance && f->kind == CHANGE_CODE && twins_makes_up_all(&e->twins, entry);
	for (int side = 0; side < CHANGE_SIDES && small; side++)
		small = f->side[side]->n_blocks <= BLOCKS && is_straight(&e->shapes[side], e->pairs[entry].side[side]);
	return small;
}

void entered_init(struct entered *e, const struct code_changes *changes, uint32_t distance)
{
	e->changes = changes;
	e->unfit = mem_zero((changes->n_functions + 1) * sizeof *e->unfit);
	for (uint32_t calls = 0; calls <= distance; calls++)
		for (uint32_t i = 0; i < changes->n_functions && e->n < ENTRIES_MOST; i++)
			if (changes->functions[i].calls == calls)
				add_entry(e, i);
	e->entries = mem_zero((e->n + 1) * sizeof *e->entries);
	e->twins = (struct twins){.shapes = {&e->shapes[0], &e->shapes[1]}, .v = e->pairs, .n = e->n};
	for (uint32_t i = 0; i < e->n; i++)
		e->entries[i] = (struct differ_entry){.distance = e->v[i].distance, .small = is_small(e, i)};
	for (uint32_t i = 0; i < changes->n_functions; i++)
		e->n_changes += change_runs(changes->functions[i].kind);
}

void entered_release(struct entered *e)
{
	for (int side = 0; side < CHANGE_SIDES; side++)
		shape_free(&e->shapes[side]);
	mem_free(e->pairs);
	mem_free(e->v);
	mem_free(e->entries);
	mem_free(e->unfit);
	*e = (struct entered){0};
}

// --- for the driver -------------------------------------------------------------------------------

void entered_first(void *entered, uint32_t entry, uint32_t version, struct input *ret)
{
	const struct entered *e = entered;
	twins_first(&e->twins, entry, version, ret);
}

uint32_t entered_of(void *entered, const struct input *in, uint32_t *ret_version)
{
	const struct entered *e = entered;
	struct convert ignored;
	uint32_t number;
	*ret_version = twins_side(in);
	return twins_find(&e->twins, *ret_version, in, &number, &ignored) ? number : NOBODY;
}

static bool is_set(const uint8_t *bits, uint32_t n_bytes, uint32_t bit)
{
	return bit / 8 < n_bytes && bits[bit / 8] >> bit % 8 & 1;
}

static bool shows(const struct entered *e, uint32_t function, const uint8_t *goals, uint32_t n)
{
	for (uint32_t goal = 0; goal < goals_count(e->goals->goals); goal++)
		if (e->goals->function[goal] == function && is_set(goals, n, goal))
			return true;
	return false;
}

// Whole runs show of the function itself, or of everything that changed, that it behaves differently.
bool entered_wanted(void *entered, uint32_t entry, const uint8_t *shown, uint32_t n)
{
	const struct entered *e = entered;
	if (!e->v[entry].distance)
		return !shows(e, e->v[entry].function, shown, n);
	for (uint32_t i = 0; i < e->changes->n_functions; i++)
		if (change_runs(e->changes->functions[i].kind) && !shows(e, i, shown, n))
			return true;
	return false;
}

void entered_ended(void *entered, uint32_t entry, uint32_t version, const struct differ_outcome *o)
{
	struct entered *e = entered;
	e->v[entry].outcome[version] = *o;
}

// --- identifiers ----------------------------------------------------------------------------------

// What one or more rows of an entry show.
struct shown_place {
	char *name; // the place with [] for indices, a tab, the kind
	uint32_t *rows, n_rows, cap;
	uint32_t example; // of them; the smallest
	bool depends;
};

struct shown_places {
	struct shown_place *v;
	size_t n, cap;
};

static char *without_indices(const char *line, size_t n)
{
	struct buf out = {0};
	for (size_t i = 0; i < n; i++) {
		buf_addch(&out, line[i]);
		if (line[i] == '[')
			while (i + 1 < n && line[i + 1] != ']')
				i++;
	}
	return buf_steal(&out);
}

static const char *field_end(const char *p)
{
	return p + strcspn(p, "\t\n");
}

// The place and the kind.
static size_t name_length(const char *line)
{
	const char *end = field_end(line);
	return (size_t)((*end == '\t' ? field_end(end + 1) : end) - line);
}

static struct shown_place *place_named(struct shown_places *all, char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->v[i].name, name) == 0) {
			mem_free(name);
			return &all->v[i];
		}
	vec_push(all, ((struct shown_place){.name = name}));
	return &all->v[all->n - 1];
}

// The whole run that calls the function with this state; 0: nobody knows of one.
static int64_t whole_of(const struct entered_row *row)
{
	const char *line = strstr(row->report, ORACLE_WHOLE "\t");
	return line ? strtoll(line + strlen(ORACLE_WHOLE "\t"), NULL, 10) : 0;
}

static bool is_better(const struct entered_row *a, const struct entered_row *than)
{
	if (!whole_of(a) != !whole_of(than))
		return whole_of(a) != 0;
	return a->size < than->size;
}

static void take_row(struct shown_places *all, const struct entered_row *rows, uint32_t number)
{
	for (const char *line = rows[number].report; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (strncmp(line, ORACLE_WHOLE, strlen(ORACLE_WHOLE)) == 0)
			continue;
		struct shown_place *x = place_named(all, without_indices(line, name_length(line)));
		if (x->n_rows && x->rows[x->n_rows - 1] == number)
			continue;
		vec_room(x->rows, x->n_rows + 1, x->cap);
		if (!x->n_rows || is_better(&rows[number], &rows[x->example]))
			x->example = number;
		x->rows[x->n_rows++] = number;
	}
}

static bool has_row(const struct shown_place *x, uint32_t row)
{
	for (uint32_t i = 0; i < x->n_rows; i++)
		if (x->rows[i] == row)
			return true;
	return false;
}

// Every input that shows x shows y, too: x follows from y. Where both always come together, from the first.
static bool follows(const struct shown_place *x, const struct shown_place *y)
{
	for (uint32_t i = 0; i < x->n_rows; i++)
		if (!has_row(y, x->rows[i]))
			return false;
	return x->n_rows < y->n_rows || x > y;
}

static void find_roots(struct shown_places *all)
{
	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->n && !all->v[i].depends; k++)
			all->v[i].depends = k != i && follows(&all->v[i], &all->v[k]);
}

// --- differences ----------------------------------------------------------------------------------

// The line of a row that shows the place: its fields.
static bool line_of(const char *report, const char *name, char *fields[4])
{
	for (const char *line = report; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		char *own = without_indices(line, name_length(line));
		bool same = strcmp(own, name) == 0;
		mem_free(own);
		for (unsigned i = 0; same && i < 4; i++) {
			const char *end = field_end(line);
			fields[i] = mem_copy(line, (size_t)(end - line));
			line = *end == '\t' ? end + 1 : end;
		}
		if (same)
			return true;
	}
	return false;
}

static void report_one(const struct entered *e, const struct entered_row *rows, const struct shown_place *x,
                       uint32_t function, void (*add)(void *opaque, const struct difference *x), void *opaque)
{
	const struct entered_row *row = &rows[x->example];
	const struct entered_function *at = &e->v[row->entry];
	char *fields[4];
	if (!line_of(row->report, x->name, fields))
		return;
	const int64_t whole = whole_of(row);
	char *why = mem_printf("%s: %s in the old version, %s in the new one%s", fields[0], fields[2], fields[3],
	                       whole ? ", in a state that a run of the program has" : "");
	const struct difference d = {.goal = NOBODY,
	                             .function = function,
	                             .kind = difference_of_word(fields[1]),
	                             .class = whole ? DIFFERENCE_LIFTED : DIFFERENCE_POSSIBLE,
	                             .whole = whole,
	                             .identifier = fields[0],
	                             .old = fields[2],
	                             .new = fields[3],
	                             .entry = at->function,
	                             .distance = at->distance,
	                             .side = row->side,
	                             .example = row->input,
	                             .why = why,
	                             .inputs = x->n_rows};
	if (d.kind != DIFFERENCE_KINDS)
		add(opaque, &d);
	for (int i = 0; i < 4; i++)
		mem_free(fields[i]);
	mem_free(why);
}

static bool is_different(const struct entered_row *r)
{
	return !r->absorbed && *r->kind && strcmp(r->kind, ORACLE_NOISE) != 0 && strcmp(r->kind, ORACLE_SILENT) != 0;
}

// Does it execute changes, and none that the whole runs which agree do not execute?
static bool is_covered(const struct entered_row *r, const uint8_t *agreed)
{
	bool any = false;
	for (uint32_t k = 0; k < r->n_goals; k++) {
		any |= r->goals[k] != 0;
		if (r->goals[k] & ~agreed[k])
			return false;
	}
	return any;
}

static void count(struct entered *e, struct entered_row *rows, uint32_t n, const uint8_t *agreed)
{
	for (uint32_t i = 0; i < e->n; i++)
		e->v[i].agree = e->v[i].differ = e->v[i].silent = e->v[i].reaching = e->v[i].absorbed = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct entered_function *f = &e->v[rows[i].entry];
		if (is_different(&rows[i]) && f->hidden && is_covered(&rows[i], agreed)) {
			rows[i].absorbed = true;
			f->absorbed++;
			continue;
		}
		bool reaches = false;
		for (uint32_t k = 0; k < rows[i].n_goals && !reaches; k++)
			reaches = rows[i].goals[k] != 0;
		f->differ += is_different(&rows[i]);
		f->agree += !*rows[i].kind;
		f->reaching += !*rows[i].kind && (reaches || !f->distance);
		f->silent += strcmp(rows[i].kind, ORACLE_SILENT) == 0;
	}
}

// A function differs, and everybody who calls it was entered, came by a change and leaves the same: what it does
// differently, its callers make up for.
static bool is_absorbed(const struct entered *e, uint32_t entry)
{
	const struct entered_function *f = &e->v[entry];
	uint32_t callers = 0;
	if (!f->hidden || f->distance)
		return false;
	for (int side = 0; side < CHANGE_SIDES; side++)
		for (uint32_t u = 0; u < e->shapes[side].n_units; u++)
			for (uint32_t i = 0; i < e->shapes[side].units[u].head->n_functions; i++) {
				const struct shape_ref own = {u, i};
				struct shape_list called = {0};
				bool calls = false;
				shape_callees(&e->shapes[side], own, &called);
				for (uint32_t k = 0; k < called.n; k++)
					calls |= shape_is(called.v[k], e->pairs[entry].side[side]);
				shape_list_release(&called);
				if (!calls || shape_is(own, e->pairs[entry].side[side]))
					continue;
				uint32_t k = 0;
				while (k < e->n && !shape_is(e->pairs[k].side[side], own))
					k++;
				if (k == e->n || e->v[k].differ || !e->v[k].reaching)
					return false;
				callers++;
			}
	return callers > 0;
}

// Which change the runs of an entry come by, when the entry itself is none.
static uint32_t change_reached(const struct entered *e, const struct entered_row *row)
{
	for (uint32_t goal = 0; goal < goals_count(e->goals->goals); goal++)
		if (is_set(row->goals, row->n_goals, goal))
			return e->goals->function[goal];
	return NOBODY;
}

static bool differs_itself(const struct entered *e, uint32_t function)
{
	for (uint32_t i = 0; i < e->n; i++)
		if (e->v[i].function == function && !e->v[i].distance)
			return e->v[i].differ > 0;
	return false;
}

static void find_of_entry(struct entered *e, const struct entered_row *rows, uint32_t n, uint32_t entry,
                          void (*add)(void *opaque, const struct difference *x), void *opaque)
{
	enum { ROOTS = 5 };
	struct shown_places all = {0};
	unsigned reported = 0;
	for (uint32_t i = 0; i < n; i++)
		if (rows[i].entry == entry && is_different(&rows[i]))
			take_row(&all, rows, i);
	find_roots(&all);
	for (size_t i = 0; i < all.n && reported < ROOTS; i++) {
		uint32_t function =
			e->v[entry].distance ? change_reached(e, &rows[all.v[i].example]) : e->v[entry].function;
		// What a function does differently shows in its callers, too.
		if (all.v[i].depends || (e->v[entry].distance && function != NOBODY && differs_itself(e, function)))
			continue;
		report_one(e, rows, &all.v[i], function, add, opaque);
		reported++;
	}
	for (size_t i = 0; i < all.n; i++) {
		mem_free(all.v[i].name);
		mem_free(all.v[i].rows);
	}
	vec_release(&all);
}

void entered_find(struct entered *e, struct entered_row *rows, uint32_t n, const uint8_t *agreed,
                  void (*add)(void *opaque, const struct difference *x), void *opaque)
{
	count(e, rows, n, agreed);
	for (uint32_t i = 0; i < e->n; i++)
		if (e->v[i].differ && !is_absorbed(e, i))
			find_of_entry(e, rows, n, i, add, opaque);
}

// --- verdicts -------------------------------------------------------------------------------------

bool entered_verdict(const struct entered *e, uint32_t function, struct buf *reason)
{
	uint32_t i = 0;
	while (i < e->n && (e->v[i].function != function || e->v[i].distance))
		i++;
	if (i == e->n) {
		if (e->unfit && e->unfit[function])
			buf_printf(reason, "; no run with made-up state enters it: %s", e->unfit[function]);
		return false;
	}
	const struct entered_function *f = &e->v[i];
	if (f->outcome[0].proved && !f->differ) {
		buf_clear(reason);
		buf_printf(
			reason,
			"the solver proves that both versions leave the same, on all %llu pairs of paths with made-up "
			"state",
			(unsigned long long)f->outcome[0].pairs);
		return true;
	}
	bool complete = f->outcome[0].complete && f->outcome[1].complete;
	if (f->absorbed) {
		buf_printf(reason,
		           "; with made-up state %u of %u inputs differ, but whole runs that execute the same changes "
		           "do not",
		           f->absorbed, f->absorbed + f->agree);
		return false;
	}
	if (f->differ) {
		buf_printf(reason, "; with made-up state %u of %u inputs differ, but all that call it leave the same",
		           f->differ, f->differ + f->agree);
		return false;
	}
	if (!f->agree) {
		buf_addstr(reason, f->silent ? "; with made-up state the old version faults, or more would have to be "
		                               "made up"
		                             : "");
		return false;
	}
	buf_printf(reason, "; with made-up state %u inputs agree%s", f->agree,
	           complete ? "" : ", and not all paths were run");
	return false;
}
