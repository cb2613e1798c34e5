#include "worker/traces.h"

#include <string.h>

#include "test.h"

enum { NODES = 100, TEXT = 20 };

// A trace of a run whose every node is `mark`, in memory that the next one is in, too.
static struct trace made(uint32_t mark)
{
	static struct trace_header header;
	static struct trace_node nodes[NODES];
	static struct trace_event events[2];
	static char text[TEXT];
	for (uint32_t i = 0; i < NODES; i++)
		nodes[i] = (struct trace_node){.op = OP_CONST, .width = 32, .b = mark};
	header.full = mark;
	header.inputs = 1;
	header.input[0] = (struct trace_input){.label = 1, .size = mark};
	events[1].value = mark;
	memset(text, 0, sizeof text);
	text[8] = (char)('a' + mark % 26);
	return (struct trace){.header = &header,
	                      .nodes = nodes,
	                      .n_nodes = NODES,
	                      .events = events,
	                      .n_events = 2,
	                      .n_calls = 1,
	                      .text = (const uint8_t *)text,
	                      .text_size = sizeof text,
	                      .n_inputs = 1};
}

static void keep(struct traces *t, uint64_t number, uint32_t mark)
{
	const struct trace trace = made(mark);
	traces_add(t, number, &trace);
}

static bool has(struct traces *t, uint64_t number, uint32_t mark)
{
	const struct trace *k = traces_find(t, number);
	const char name[] = {(char)('a' + mark % 26), 0};
	return k && k->n_nodes == NODES && k->nodes[NODES - 1].b == mark && k->events[1].value == mark &&
	       k->header->full == mark && k->header->input[0].size == mark &&
	       strcmp(trace_input_label(k, 0), name) == 0;
}

static void copies(void)
{
	struct traces t;
	traces_init(&t, 1 << 20);
	CHECK(!traces_find(&t, 1));
	keep(&t, 1, 11);
	keep(&t, 1025, 12); // of the same list
	CHECK(has(&t, 1, 11) && has(&t, 1025, 12) && !traces_find(&t, 2));
	keep(&t, 1, 13); // it ran again
	CHECK(has(&t, 1, 13) && t.n == 2);
	traces_release(&t);
}

static void the_oldest_go(void)
{
	struct traces t;
	traces_init(&t, 1 << 20);
	keep(&t, 1, 1);
	const size_t each = t.bytes;
	traces_release(&t);
	traces_init(&t, 10 * each);
	for (uint32_t i = 1; i <= 10; i++)
		keep(&t, i, i);
	CHECK(has(&t, 1, 1)); // so 2 is the oldest
	keep(&t, 11, 11);
	CHECK(has(&t, 1, 1) && !traces_find(&t, 2) && has(&t, 3, 3) && has(&t, 11, 11));
	CHECK(t.n == 10 && t.bytes == 10 * each);
	traces_release(&t);
}

static void many(void)
{
	struct traces t;
	traces_init(&t, 64 << 20);
	for (uint32_t i = 0; i < 5000; i++)
		keep(&t, i, i);
	for (uint32_t i = 0; i < 5000; i++)
		CHECK(has(&t, i, i));
	traces_release(&t);
}

static void too_large(void)
{
	struct traces t;
	traces_init(&t, 100);
	keep(&t, 1, 1);
	CHECK(!traces_find(&t, 1) && t.n == 0 && t.bytes == 0);
	traces_release(&t);
	// A run that ended before there was a trace.
	static const struct trace_header nothing;
	const struct trace none = {.header = &nothing, .n_nodes = 1};
	traces_init(&t, 1 << 20);
	traces_add(&t, 2, &none);
	CHECK(traces_find(&t, 2) && traces_find(&t, 2)->n_events == 0);
	traces_release(&t);
}

static const struct test tests[] = {TEST(copies), TEST(the_oldest_go), TEST(many), TEST(too_large)};

TEST_MAIN("traces")
