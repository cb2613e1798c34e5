#include "findings/left.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/launch.h"
#include "abi/left.h"
#include "base/mem.h"
#include "base/vec.h"
#include "findings/align.h"
#include "findings/hostile.h"

// --- reading --------------------------------------------------------------------------------------

enum { FIELDS = 5 };

static void take_value(struct left *l, char *const fields[FIELDS])
{
	vec_push(l, ((struct left_value){mem_strdup(fields[1]), mem_strdup(fields[2]), mem_strdup(fields[3]),
	                                 mem_strdup(fields[4])}));
}

static void take_lead(struct left *l, char *const fields[FIELDS])
{
	vec_room(l->leads, l->n_leads + 1, l->cap_leads);
	l->leads[l->n_leads++] =
		(struct left_value){mem_strdup(fields[1]), mem_strdup(""), mem_strdup(fields[2]), mem_strdup("")};
}

static void take_call(struct left *l, char *const fields[FIELDS], const char *arguments)
{
	static const char *const silent[] = {
#define SILENT(name) name,
#include "findings/silent_calls.def"
#undef SILENT
	};
	for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
		if (strcmp(silent[i], fields[1]) == 0)
			return;
	vec_room(l->calls, l->n_calls + 1, l->cap_calls);
	l->calls[l->n_calls++] = (struct left_call){mem_strdup(fields[1]), mem_strdup(arguments)};
}

static void take_line(struct left *l, char *line)
{
	char *fields[FIELDS] = {line, "", "", "", ""}, *rest = strchr(line, '\t');
	rest = rest ? strchr(rest + 1, '\t') : NULL;
	char *arguments = mem_strdup(rest ? rest + 1 : "");
	for (unsigned i = 0; i + 1 < FIELDS && (rest = strchr(fields[i], '\t')); i++) {
		*rest = 0;
		fields[i + 1] = rest + 1;
	}
	if (strcmp(line, LEFT_VALUE) == 0)
		take_value(l, fields);
	else if (strcmp(line, LEFT_LEADS) == 0)
		take_lead(l, fields);
	else if (strcmp(line, LEFT_CALL) == 0)
		take_call(l, fields, arguments);
	else if (strcmp(line, LEFT_FULL) == 0)
		l->full = true;
	else if (strcmp(line, LEFT_END) == 0)
		l->end = strcmp(fields[1], LEFT_RETURNED) == 0 ? LEFT_BY_RETURN
		         : strcmp(fields[1], LEFT_EXITED) == 0 ? LEFT_BY_EXIT
		                                               : LEFT_BY_CUT;
	mem_free(arguments);
}

void left_read(struct left *ret, const struct executor *e)
{
	struct buf text = {0};
	*ret = (struct left){0};
	DIR *folder = hostile_list(e->reports);
	int fd = folder ? hostile_open(dirfd(folder), LAUNCH_LEFT_FILE) : -1;
	if (fd >= 0)
		hostile_read(fd, LEFT_MOST + 4096, &text);
	for (char *line = text.data, *end; line && (end = strchr(line, '\n')); line = end + 1) {
		*end = 0;
		take_line(ret, line);
	}
	if (fd >= 0)
		close(fd);
	if (folder)
		closedir(folder);
	buf_release(&text);
}

static void release_values(struct left_value *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		mem_free(v[i].place);
		mem_free(v[i].type);
		mem_free(v[i].value);
		mem_free(v[i].before);
	}
	mem_free(v);
}

void left_release(struct left *l)
{
	release_values(l->v, l->n);
	release_values(l->leads, l->n_leads);
	for (size_t i = 0; i < l->n_calls; i++) {
		mem_free(l->calls[i].name);
		mem_free(l->calls[i].arguments);
	}
	mem_free(l->calls);
	*l = (struct left){0};
}

// --- comparing ------------------------------------------------------------------------------------

static void add(struct left_differences *d, enum difference_kind kind, const char *place, const char *old,
                const char *new)
{
	vec_push(d, ((struct left_difference){kind, mem_strdup(place), mem_strdup(old), mem_strdup(new)}));
}

// The value in the new version's words: it may name a place.
static char *value_of(const struct convert *c, const char *value)
{
	struct buf out = {0};
	if (*value != '@' && *value != '=')
		return mem_strdup(value);
	buf_addch(&out, *value);
	if (!convert_place(c, value + 1, &out)) {
		buf_release(&out);
		return mem_strdup("?");
	}
	return buf_steal(&out);
}

// Of the same width, with and without sign: by their bits. Of another one: by value, as they stand there.
static bool is_equal(const char *type, const char *value, const char *other_type, const char *other)
{
	if (strcmp(value, other) == 0 || strcmp(value, "?") == 0 || strcmp(other, "?") == 0)
		return true;
	bool numbers = strchr("iu", *type) && strchr("iu", *other_type);
	if (!numbers || *type == *other_type || strcmp(type + 1, other_type + 1) != 0)
		return *type != *other_type && !numbers; // of another kind: not compared
	unsigned bits = 8 * (unsigned)atoi(type + 1);
	uint64_t mask = bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
	uint64_t a = *type == 'i' ? (uint64_t)strtoll(value, NULL, 10) : strtoull(value, NULL, 10),
		 b = *other_type == 'i' ? (uint64_t)strtoll(other, NULL, 10) : strtoull(other, NULL, 10);
	return (a & mask) == (b & mask);
}

static const struct left_value *find(const struct left_value *v, size_t n, const char *place, const bool *seen)
{
	for (size_t i = 0; i < n; i++)
		if ((!seen || !seen[i]) && strcmp(v[i].place, place) == 0)
			return &v[i];
	return NULL;
}

// What only one of them has changed is in the other what it was before; of a new object nothing is known then.
static void compare_values(const struct left *old, const struct left *new, const struct convert *c,
                           struct left_differences *ret)
{
	const struct convert back = {c->to, c->from, c->to_function, c->from_function};
	bool whole = !old->full && !new->full, *seen = mem_zero(new->n + 1);
	for (size_t i = 0; i < old->n; i++) {
		const struct left_value *a = &old->v[i];
		struct buf place = {0};
		if (convert_place(c, a->place, &place)) {
			const struct left_value *b = find(new->v, new->n, place.data, seen);
			char *value = value_of(c, a->value);
			if (b)
				seen[b - new->v] = true;
			if (b && !is_equal(a->type, value, b->type, b->value))
				add(ret, DIFFERENCE_VALUE, place.data, value, b->value);
			else if (!b && *a->before && whole && strcmp(a->before, "?") != 0 && strcmp(value, "?") != 0)
				add(ret, DIFFERENCE_VALUE, place.data, value, a->before);
			mem_free(value);
		}
		buf_release(&place);
	}
	for (size_t i = 0; i < new->n; i++) {
		const struct left_value *b = &new->v[i];
		struct buf place = {0};
		if (!seen[i] && *b->before && whole && strcmp(b->before, "?") != 0 && strcmp(b->value, "?") != 0 &&
		    convert_place(&back, b->place, &place))
			add(ret, DIFFERENCE_VALUE, b->place, b->before, b->value);
		buf_release(&place);
	}
	mem_free(seen);
}

static bool leads_differ(const struct left *old, const struct left *new, const struct convert *c)
{
	bool differ = false;
	for (size_t i = 0; i < old->n_leads && !differ; i++) {
		struct buf place = {0};
		const struct left_value *b = convert_place(c, old->leads[i].place, &place)
		                                     ? find(new->leads, new->n_leads, place.data, NULL)
		                                     : NULL;
		differ = b && strcmp(old->leads[i].value, b->value) != 0;
		buf_release(&place);
	}
	return differ;
}

// Each argument by itself, since they may name places.
static char *arguments_of(const struct convert *c, const struct left_call *call)
{
	struct buf out = {0};
	const char *p = call->arguments;
	for (bool first = true;; first = false) {
		size_t n = strcspn(p, "\t");
		char *one = mem_copy(p, n), *value = c ? value_of(c, one) : mem_strdup(one);
		buf_printf(&out, "%s%s", first ? "" : ", ", value);
		mem_free(one);
		mem_free(value);
		if (!p[n])
			break;
		p += n + 1;
	}
	// Arguments that the function does not have are 0.
	while (out.len > 3 && strcmp(out.data + out.len - 3, ", 0") == 0)
		buf_cut(&out, out.len - 3);
	return buf_steal(&out);
}

// Calls of both, the arguments in the new version's words.
struct calls {
	const struct left *side[2];
	char **arguments[2];
};

static bool is_same_call(const struct calls *c, size_t i, size_t k)
{
	const char *a = c->arguments[0][i], *b = c->arguments[1][k];
	return strcmp(a, b) == 0 || strchr(a, '?') || strchr(b, '?');
}

static unsigned score_of_calls(void *opaque, uint32_t i, uint32_t k)
{
	const struct calls *c = opaque;
	if (strcmp(c->side[0]->calls[i].name, c->side[1]->calls[k].name) != 0)
		return 0;
	return is_same_call(c, i, k) ? 3 : 2;
}

static void add_call(const struct calls *c, uint32_t i, uint32_t k, struct left_differences *ret)
{
	const struct left_call *a = i == ALIGN_NONE ? NULL : &c->side[0]->calls[i],
			       *b = k == ALIGN_NONE ? NULL : &c->side[1]->calls[k];
	const char *name = a ? a->name : b->name;
	for (size_t d = 0; d < ret->n; d++) // of calls of one function the first that differs
		if (ret->v[d].kind == DIFFERENCE_CALL && strcmp(ret->v[d].place, name) == 0)
			return;
	char *was = a ? mem_printf("%s(%s)", a->name, c->arguments[0][i]) : mem_strdup("no call"),
	     *is = b ? mem_printf("%s(%s)", b->name, c->arguments[1][k]) : mem_strdup("no call");
	add(ret, DIFFERENCE_CALL, name, was, is);
	mem_free(was);
	mem_free(is);
}

// Calls that both versions make, in the same order, are compared; the others are made by one version only.
static void compare_calls(const struct left *old, const struct left *new, const struct convert *c,
                          struct left_differences *ret)
{
	struct calls calls = {.side = {old, new}};
	for (int s = 0; s < 2; s++) {
		calls.arguments[s] = mem_zero((calls.side[s]->n_calls + 1) * sizeof(char *));
		for (size_t i = 0; i < calls.side[s]->n_calls; i++)
			calls.arguments[s][i] = arguments_of(s ? NULL : c, &calls.side[s]->calls[i]);
	}
	uint32_t *other = mem_zero((old->n_calls + 1) * sizeof *other), k = 0;
	align((uint32_t)old->n_calls, (uint32_t)new->n_calls, score_of_calls, &calls, other);
	for (uint32_t i = 0; i < old->n_calls; i++) {
		for (; other[i] != ALIGN_NONE && k < other[i]; k++)
			add_call(&calls, ALIGN_NONE, k, ret);
		if (other[i] == ALIGN_NONE || !is_same_call(&calls, i, other[i]))
			add_call(&calls, i, other[i], ret);
		k = other[i] == ALIGN_NONE ? k : other[i] + 1;
	}
	for (; k < new->n_calls; k++)
		add_call(&calls, ALIGN_NONE, k, ret);
	mem_free(other);
	for (int s = 0; s < 2; s++) {
		for (size_t i = 0; i < calls.side[s]->n_calls; i++)
			mem_free(calls.arguments[s][i]);
		mem_free(calls.arguments[s]);
	}
}

void left_compare(const struct left *old, const struct left *new, const struct convert *c, struct left_differences *ret)
{
	ret->unclear |= leads_differ(old, new, c);
	if (ret->unclear)
		return;
	if (!old->full && !new->full)
		compare_calls(old, new, c, ret);
	if (old->end == LEFT_BY_RETURN && new->end == LEFT_BY_RETURN)
		compare_values(old, new, c, ret);
}

void left_keep_common(struct left_differences *d, const struct left_differences *other)
{
	size_t kept = 0;
	for (size_t i = 0; i < d->n; i++) {
		struct left_difference x = d->v[i];
		bool common = false;
		for (size_t k = 0; k < other->n && !common; k++)
			common = other->v[k].kind == x.kind && strcmp(other->v[k].place, x.place) == 0 &&
			         strcmp(other->v[k].old, x.old) == 0 && strcmp(other->v[k].new, x.new) == 0;
		if (common) {
			d->v[kept++] = x;
			continue;
		}
		mem_free(x.place);
		mem_free(x.old);
		mem_free(x.new);
	}
	d->n = kept;
}

void left_differences_release(struct left_differences *d)
{
	for (size_t i = 0; i < d->n; i++) {
		mem_free(d->v[i].place);
		mem_free(d->v[i].old);
		mem_free(d->v[i].new);
	}
	vec_release(d);
	*d = (struct left_differences){0};
}
