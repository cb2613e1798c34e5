#include <assert.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "instrument/shapes_internal.h"

MAP_FUNCTIONS(slots, struct shapes_map, uint64_t, .key, .value, map_hash_number, map_same_number)

uint32_t shapes_map_get(const struct shapes_map *m, uint64_t key)
{
	const struct shapes_slot *slot = slots_get(m, key);
	return slot ? slot->value - 1 : SHAPES_NONE;
}

void shapes_map_set(struct shapes_map *m, uint64_t key, uint32_t value)
{
	assert(value != SHAPES_NONE);
	slots_put(m, key)->value = value + 1;
}

uint64_t shapes_key(const void *pointer)
{
	return hash_bytes(&pointer, sizeof pointer).low;
}

void shapes_list_push(struct shapes_list *l, uint32_t v)
{
	vec_push(l, v);
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

void shapes_push_field(struct shape_field **own, uint32_t *n, struct shape_field field)
{
	vec_more(*own, *n);
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
	vec_more(s->types, s->n_types);
	vec_more(s->nodes, s->n_types);
	s->types[s->n_types] = type;
	s->nodes[s->n_types] = node;
	return s->n_types++;
}
