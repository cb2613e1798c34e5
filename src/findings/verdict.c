// Keys: kind and the innermost frames, so that the same bug, reached in other ways, is one.
#include "findings/verdict.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"

enum {
	VERDICTS_MAX = 64, // of one run
	KEY_FRAMES = 3,    // what is further out says how the program got there, not what is wrong
	CYCLE_FRAMES = 24, // of a stack that overflowed
};

void verdict_release(struct verdict *v)
{
	mem_free(v->kind);
	mem_free(v->file);
	mem_free(v->function);
	mem_free(v->stack);
	mem_free(v->report);
}

void verdicts_release(struct verdicts *v)
{
	for (size_t i = 0; i < v->n; i++)
		verdict_release(&v->v[i]);
	mem_free(v->v);
	*v = (struct verdicts){0};
}

// --- a verdict ------------------------------------------------------------------------------

const char *stack_line_read(const char *text, struct stack_line *ret)
{
	size_t size = strcspn(text, "\n"), name = strcspn(text, " \n");
	const char *end = text + size, *colon = end;
	*ret = (struct stack_line){.function = text, .function_size = name, .file = text + name};
	if (name < size)
		ret->file++;
	while (colon > ret->file && *colon != ':')
		colon--;
	ret->file_size = (size_t)((colon > ret->file ? colon : end) - ret->file);
	if (colon > ret->file)
		ret->line = (unsigned)strtoul(colon + 1, NULL, 10);
	return *end ? end + 1 : end;
}

// Paths are left out but for the name: a program may be built in another folder.
static void add_to_key(struct buf *key, const struct stack_line *l, bool line)
{
	const char *name = memrchr(l->file, '/', l->file_size);
	name = name ? name + 1 : l->file;
	buf_add(key, l->function, l->function_size);
	buf_addch(key, ' ');
	if (line) {
		buf_add(key, name, l->file_size - (size_t)(name - l->file));
		buf_printf(key, ":%u", l->line);
	}
	buf_addch(key, '\n');
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

// A stack overflows anywhere in the cycle: what names it is the functions that come again.
static void add_cycle(struct buf *key, const char *stack)
{
	struct strv names = {0};
	struct stack_line l;
	for (const char *p = stack; *p && names.n < CYCLE_FRAMES;) {
		p = stack_line_read(p, &l);
		strv_take(&names, mem_copy(l.function, l.function_size));
	}
	if (names.n)
		qsort(names.v, names.n, sizeof *names.v, by_text);
	for (size_t i = 1; i < names.n; i++)
		if (strcmp(names.v[i], names.v[i - 1]) == 0 && (i == 1 || strcmp(names.v[i - 1], names.v[i - 2]) != 0))
			buf_printf(key, "%s\n", names.v[i]);
	strv_release(&names);
}

static uint64_t make_key(const char *kind, const char *stack)
{
	struct buf key = {0};
	buf_printf(&key, "%s\n", kind);
	struct stack_line l, last = {0};
	bool moves = strcmp(kind, "hang") == 0;
	if (strcmp(kind, "stack-overflow") == 0) {
		add_cycle(&key, stack);
	} else {
		size_t frames = 0;
		for (const char *p = stack; *p && frames < KEY_FRAMES;) {
			p = stack_line_read(p, &l);
			bool again = last.function && last.line == l.line && last.function_size == l.function_size &&
			             memcmp(last.function, l.function, l.function_size) == 0;
			if (!again) { // how deep a recursion went is no matter
				add_to_key(&key, &l, !moves);
				frames++;
			}
			last = l;
		}
	}
	uint64_t result = hash_bytes(key.data, key.len).low;
	buf_release(&key);
	return result;
}

bool stack_names_program(const char *stack)
{
	struct stack_line l;
	for (int frames = 0; *stack && frames < KEY_FRAMES; frames++) {
		stack = stack_line_read(stack, &l);
		if (l.function_size == 4 && memcmp(l.function, "main", 4) == 0)
			return true;
	}
	return false;
}

void verdicts_add(struct verdicts *ret, enum finding_level level, const char *kind, char *stack, char *report)
{
	assert(level > LEVEL_NONE && level < LEVELS);
	struct verdict v = {.level = level, .kind = mem_strdup(kind), .stack = stack, .report = report};
	if (!stack)
		v.stack = mem_strdup("");
	if (!report)
		v.report = mem_strdup("");
	struct stack_line l = {0};
	if (*v.stack)
		stack_line_read(v.stack, &l);
	v.function = l.function ? mem_copy(l.function, l.function_size) : mem_strdup("?");
	v.file = l.file ? mem_copy(l.file, l.file_size) : mem_strdup("?");
	v.line = l.line;
	v.key = make_key(kind, v.stack);
	for (size_t i = 0; i < ret->n; i++)
		if (ret->v[i].key == v.key || ret->n >= VERDICTS_MAX) {
			verdict_release(&v);
			return;
		}
	vec_push(ret, v);
}

void verdicts_remove(struct verdicts *v, size_t i)
{
	assert(i < v->n);
	verdict_release(&v->v[i]);
	memmove(&v->v[i], &v->v[i + 1], (--v->n - i) * sizeof *v->v);
}

void verdicts_sort(struct verdicts *v)
{
	for (size_t i = 1; i < v->n; i++)
		for (size_t k = i; k > 0 && v->v[k - 1].level < v->v[k].level; k--) {
			struct verdict x = v->v[k];
			v->v[k] = v->v[k - 1];
			v->v[k - 1] = x;
		}
	for (size_t i = 1; i < v->n; i++)
		assert(v->v[i - 1].level >= v->v[i].level);
}

const struct verdict *verdicts_find(const struct verdicts *v, uint64_t key)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->v[i].key == key)
			return &v->v[i];
	return NULL;
}
