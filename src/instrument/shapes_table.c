#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "instrument/shapes_internal.h"

uint32_t shapes_map_get(const struct shapes_map *m, uint64_t key)
{
	for (size_t at = key; m->cap; at++) {
		const struct shapes_slot *slot = &m->slots[at % m->cap];
		if (!slot->value)
			break;
		if (slot->key == key)
			return slot->value - 1;
	}
	return SHAPES_NONE;
}

static void put(struct shapes_map *m, uint64_t key, uint32_t value)
{
	size_t at = key % m->cap;
	while (m->slots[at].value && m->slots[at].key != key)
		at = (at + 1) % m->cap;
	m->used += !m->slots[at].value;
	m->slots[at] = (struct shapes_slot){key, value};
}

void shapes_map_set(struct shapes_map *m, uint64_t key, uint32_t value)
{
	assert(value != SHAPES_NONE);
	if (2 * m->used >= m->cap) {
		struct shapes_map old = *m;
		*m = (struct shapes_map){.cap = old.cap ? 2 * old.cap : 64};
		m->slots = mem_zero(m->cap * sizeof *m->slots);
		for (size_t i = 0; i < old.cap; i++)
			if (old.slots[i].value)
				put(m, old.slots[i].key, old.slots[i].value);
		mem_free(old.slots);
	}
	put(m, key, value + 1);
}

uint64_t shapes_key(const void *pointer)
{
	return hash_bytes(&pointer, sizeof pointer).low;
}

void shapes_list_push(struct shapes_list *l, uint32_t v)
{
	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 16;
		l->v = mem_resize(l->v, l->cap * sizeof *l->v);
	}
	l->v[l->n++] = v;
}

void shapes_list_push_once(struct shapes_list *l, uint32_t v)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->v[i] == v)
			return;
	shapes_list_push(l, v);
}

uint32_t shapes_string(struct shapes *s, const char *text, size_t size)
{
	if (!text || !size || !*text)
		return 0;
	size = strnlen(text, size);
	uint64_t key = hash_bytes(text, size).low;
	uint32_t known = shapes_map_get(&s->string_index, key);
	if (known != SHAPES_NONE)
		return known;
	known = (uint32_t)s->strings.len;
	buf_add(&s->strings, text, size);
	buf_addch(&s->strings, 0);
	shapes_map_set(&s->string_index, key, known);
	return known;
}

const char *shapes_text(const struct shapes *s, uint32_t string)
{
	assert(string < s->strings.len);
	return s->strings.data + string;
}

// Room for one more in a table whose number of elements is known, and nothing else.
static void *grown(void *table, uint32_t n, size_t size)
{
	return n & (n - 1) ? table : mem_resize(table, (n ? 2 * (size_t)n : 1) * size);
}

void shapes_push_field(struct shape_field **own, uint32_t *n, struct shape_field field)
{
	*own = grown(*own, *n, sizeof field);
	(*own)[(*n)++] = field;
}

void shapes_take_fields(struct shapes *s, uint32_t type, struct shape_field *own, uint32_t n)
{
	s->types[type].first = s->n_fields;
	s->types[type].n = n;
	for (uint32_t i = 0; i < n; i++)
		shapes_push_field(&s->fields, &s->n_fields, own[i]);
	mem_free(own);
}

uint32_t shapes_push_type(struct shapes *s, struct shape_type type, LLVMMetadataRef node)
{
	s->types = grown(s->types, s->n_types, sizeof type);
	s->nodes = grown(s->nodes, s->n_types, sizeof(LLVMMetadataRef));
	s->types[s->n_types] = type;
	s->nodes[s->n_types] = node;
	return s->n_types++;
}
