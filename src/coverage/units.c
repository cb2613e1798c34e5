#include "coverage/units.h"

#include <string.h>

bool units_take(struct cursor *in, uint64_t magic, struct cover_sites *ret_head, struct cursor *ret)
{
	struct cover_sites head = {0};
	const uint8_t *start = cursor_bytes(in, sizeof head);
	if (start)
		memcpy(&head, start, sizeof head);
	const uint8_t *rest = start ? cursor_bytes(in, head.size) : NULL;
	if (!rest || head.magic != magic)
		return false;
	*ret_head = head;
	*ret = (struct cursor){rest, rest + head.size, false};
	return true;
}
