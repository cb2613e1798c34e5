// Which variables of its environment a recorded program can have asked for.
//
// getenv() is no system call, so a native run does not show what it asks for. But a program asks by a name, and that
// name stands somewhere: in the program, in a library that it loads, in its arguments, or in what it reads (a script
// of an interpreter). A variable whose name stands nowhere there was not asked for. Words that occur for another reason
// make the set larger than it must be, never smaller. Two things escape this: who looks through `environ` sees all
// variables, and so do programs that are executed; then all are kept.
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "input/variables.h"
#include "object/elf.h"
#include "record/record_internal.h"

MAP_FUNCTIONS(sources, struct names_sources, struct hash, .key, .found, map_hash_digest, map_same_digest)

enum { SCANNERS = 3, FEW = 4 };

// Their place in the list of names is fixed.
static const char *const scanners[SCANNERS] = {"environ", "__environ", "_environ"};

static bool is_letter(unsigned char c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

// A name that can be looked for. Shells set "_" for each command, and it occurs everywhere.
static bool is_word(const char *name, size_t n)
{
	if (n == 1 && name[0] == '_')
		return false;
	for (size_t i = 0; i < n; i++)
		if (!is_letter((unsigned char)name[i]))
			return false;
	return n > 0;
}

static uint32_t add_name(struct names *t, const char *name, size_t n)
{
	for (uint32_t i = 0; i < t->list.n; i++)
		if (strncmp(t->list.v[i], name, n) == 0 && !t->list.v[i][n])
			return i;
	strv_take(&t->list, mem_copy(name, n));
	return (uint32_t)t->list.n - 1;
}

void names_release(struct names *t)
{
	struct names_source *s;
	for (size_t at = 0; (s = sources_next(&t->sources, &at));)
		mem_free(s->found);
	sources_release(&t->sources);
	strv_release(&t->list);
	*t = (struct names){0};
}

// --- looking for names --------------------------------------------------------------------------

// Names end where a word ends. They may begin anywhere in it: linkers let a string be the end of a longer one.
static void find_few(const struct names *t, size_t from, const char *data, size_t size, bool *found)
{
	for (size_t i = from; i < t->list.n; i++) {
		size_t n = strlen(t->list.v[i]);
		const char *p = data, *end = data + size;
		while (!found[i] && (p = memmem(p, (size_t)(end - p), t->list.v[i], n))) {
			p += n;
			found[i] = p == end || !is_letter((unsigned char)*p);
		}
	}
}

struct ends {
	uint32_t first[256], *next; // names by their last letter, from 1 on
};

static void at_end(const struct names *t, const struct ends *e, const char *word, size_t length, bool *found)
{
	for (uint32_t i = e->first[(unsigned char)word[length - 1]]; i; i = e->next[i - 1]) {
		const char *name = t->list.v[i - 1];
		size_t n = strlen(name);
		if (n <= length && memcmp(word + length - n, name, n) == 0)
			found[i - 1] = true;
	}
}

static void find_many(const struct names *t, size_t from, const char *data, size_t size, bool *found)
{
	struct ends e = {.next = mem_zero(t->list.n * sizeof *e.next)};
	for (size_t i = from; i < t->list.n; i++) {
		unsigned char last = (unsigned char)t->list.v[i][strlen(t->list.v[i]) - 1];
		e.next[i] = e.first[last];
		e.first[last] = (uint32_t)i + 1;
	}
	for (size_t i = 0, start; i < size; i++) {
		if (!is_letter((unsigned char)data[i]))
			continue;
		for (start = i; i < size && is_letter((unsigned char)data[i]);)
			i++;
		at_end(t, &e, data + start, i - start, found);
	}
	mem_free(e.next);
}

void names_find(const struct names *t, size_t from, const void *data, size_t size, bool *found)
{
	if (!size || from >= t->list.n)
		return;
	(t->list.n - from <= FEW ? find_few : find_many)(t, from, data, size, found);
}

// --- what was looked through before ---------------------------------------------------------------

// What of the names occurs in the file. A file that cannot be read has none, unless it is found later.
static const struct names_source *look_into(struct names *t, struct hash key, const char *path)
{
	struct file_map map;
	struct names_source *s = sources_put(&t->sources, key);
	if (s->found && s->looked == t->list.n)
		return s;
	vec_cover(s->found, s->looked, t->list.n);
	if (file_map(path, &map, NULL) == 0) {
		s->program = elf_is(map.data, map.size);
		names_find(t, s->looked, map.data, map.size, s->found);
		file_unmap(&map);
	}
	s->looked = t->list.n;
	return s;
}

// --- an execution -----------------------------------------------------------------------------------

struct asking {
	struct recorder *recorder;
	struct execution *execution;
	bool *asked; // by the number of the name
};

static void add_source(struct asking *a, struct hash key, const char *path, bool may_scan)
{
	const struct names *t = &a->recorder->names;
	const struct names_source *s = look_into(&a->recorder->names, key, path);
	for (size_t i = 0; i < t->list.n; i++)
		a->asked[i] |= s->found[i];
	for (size_t i = 0; i < SCANNERS && may_scan && s->program; i++)
		a->execution->snapshot.whole |= s->found[i];
}

static void add_files(struct asking *a)
{
	const struct snapshot *s = &a->execution->snapshot;
	for (size_t i = 0; i < s->n; i++) {
		char name[HASH_HEX];
		if (s->v[i].kind != SNAPSHOT_FILE || !s->v[i].known)
			continue;
		hash_hex(s->v[i].content, name);
		char *path = mem_printf("%s/%s", a->recorder->contents.folder, name);
		add_source(a, s->v[i].content, path, true);
		mem_free(path);
	}
}

static void add_all(struct asking *a)
{
	const struct names *t = &a->recorder->names;
	struct execution *e = a->execution;
	add_source(a, e->snapshot.id, e->snapshot.program, true);
	add_files(a);
	for (size_t i = 0; i < e->libraries.n; i++) {
		const char *path = e->libraries.v[i];
		add_source(a, hash_bytes(path, strlen(path)), path, false); // libc has `environ`
	}
	for (size_t i = 0; i < e->input.n; i++)
		names_find(t, 0, e->input.v[i].data.data, e->input.v[i].data.len, a->asked);
	names_find(t, 0, e->typed.data, e->typed.len, a->asked);
}

// Values of secrets never leave the tracer.
void names_begin(struct recorder *r, struct execution *e, struct strv *variables)
{
	struct snapshot *s = &e->snapshot;
	s->marks = mem_zero(variables->n + 1);
	for (size_t i = 0; i < variables->n; i++) {
		const char *text = variables->v[i];
		size_t n = strcspn(text, "=");
		char *name = mem_copy(text, n);
		const char *ours = getenv(name);
		s->marks[i] = !ours || strcmp(ours, text + n + 1) != 0 ? VARIABLE_SET : 0;
		mem_free(name);
	}
	s->variables = variables->v;
	s->n_variables = variables->n;
	snapshot_mask(s);
	for (size_t i = 0; i < SCANNERS; i++)
		add_name(&r->names, scanners[i], strlen(scanners[i]));
}

void names_end(struct recorder *r, struct execution *e)
{
	struct snapshot *s = &e->snapshot;
	uint32_t *numbers = mem_alloc((s->n_variables + 1) * sizeof *numbers);
	for (size_t i = 0; i < s->n_variables; i++) {
		size_t n = strcspn(s->variables[i], "=");
		numbers[i] = is_word(s->variables[i], n) ? add_name(&r->names, s->variables[i], n) : UINT32_MAX;
	}
	struct asking a = {r, e, mem_zero((r->names.list.n + 1) * sizeof *a.asked)};
	add_all(&a);
	size_t kept = 0;
	for (size_t i = 0; i < s->n_variables; i++) {
		bool asked = (numbers[i] != UINT32_MAX && a.asked[numbers[i]]) || variable_is_joined(s->variables[i]);
		if (!asked && !s->whole) {
			mem_free(s->variables[i]);
			continue;
		}
		s->marks[kept] = s->marks[i] | (asked ? VARIABLE_READ : 0);
		s->variables[kept++] = s->variables[i];
	}
	s->n_variables = kept;
	mem_free(a.asked);
	mem_free(numbers);
}
