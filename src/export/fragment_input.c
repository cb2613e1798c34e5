#include "base/mem.h"
#include "export/fragment_c.h"

bool fragment_case_of(struct fragment_case *ret, const char *id, const struct input *in, const struct input *masks)
{
	const struct input_part *entry = input_find(in, INPUT_FRAGMENT, NULL);
	if (!entry)
		return false;
	struct state_part *parts = mem_zero((in->n + 1) * sizeof *parts);
	*ret = (struct fragment_case){
		.id = id, .entry = entry->data.data, .entry_size = entry->data.len, .parts = parts};
	for (size_t i = 0; i < in->n; i++) {
		const struct input_part *p = &in->v[i];
		const struct buf *mask = masks && i < masks->n ? &masks->v[i].data : NULL;
		if (p->kind != INPUT_CELL)
			continue;
		parts[ret->n++] = (struct state_part){
			.name = p->name ? p->name : "",
			.data = (const uint8_t *)buf_str(&p->data),
			.mask = mask && mask->len == p->data.len && mask->len ? (const uint8_t *)mask->data : NULL,
			.size = p->data.len};
	}
	return true;
}
