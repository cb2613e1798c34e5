// Where the parts of a trace are.
#ifndef VEER_ABI_LAYOUT_H
#define VEER_ABI_LAYOUT_H

#include <string.h>

#include "abi/trace.h"

struct trace_sizes {
	uint32_t nodes, events, calls;
	uint64_t text;
};

// Bytes of a trace with room for that much, and its header written to `at`.
static inline uint64_t trace_layout(struct trace_sizes sizes, unsigned flags, struct trace_header *at)
{
	enum { PAGE = 4096 };
#define UP(x) (((x) + PAGE - 1) / PAGE * PAGE)
	memset(at, 0, sizeof *at);
	at->magic = TRACE_MAGIC;
	at->flags = flags;
	at->nodes_max = sizes.nodes;
	at->events_max = sizes.events;
	at->calls_max = sizes.calls;
	at->text_max = sizes.text;
	at->nodes_at = UP(sizeof *at);
	at->events_at = UP(at->nodes_at + (uint64_t)sizes.nodes * sizeof(struct trace_node));
	at->calls_at = UP(at->events_at + (uint64_t)sizes.events * sizeof(struct trace_event));
	at->text_at = UP(at->calls_at + (uint64_t)sizes.calls * sizeof(struct trace_call));
	at->size = UP(at->text_at + sizes.text);
#undef UP
	return at->size;
}

#endif
