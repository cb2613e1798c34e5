// Traces as a damaged or hostile program leaves them: refused, or cut off with a note.
#include <stdalign.h>
#include <stdio.h>

#include "expr/trace.h"
#include "test.h"

// --- a small trace, made by hand -----------------------------------------------------------

enum { PAGE = 4096 };

// Where things are in the text area, in units of 8.
struct places {
	uint32_t name, file, function, site, cases, module, object, data, table, labelled;
};

// Labels of its nodes.
enum { INPUT = 1, FIVE, SUM, EQUAL, WIDE, LOOKUP, HIGH, FLOAT, MIXED, NODES };

static struct trace_header *sample;
static size_t sample_size;
static struct places at;

static struct trace_node *nodes(void)
{
	return (struct trace_node *)((char *)sample + sample->nodes_at);
}

static struct trace_event *events(void)
{
	return (struct trace_event *)((char *)sample + sample->events_at);
}

static struct trace_call *calls(void)
{
	return (struct trace_call *)((char *)sample + sample->calls_at);
}

static void *text(uint32_t offset)
{
	return (char *)sample + sample->text_at + 8 * (size_t)offset;
}

static uint32_t put(const void *data, size_t size)
{
	uint32_t offset = (uint32_t)(sample->text / 8);
	memcpy(text(offset), data, size);
	sample->text += (size + 7) & ~(size_t)7;
	return offset;
}

static uint32_t put_string(const char *s)
{
	return put(s, strlen(s) + 1);
}

static void put_tables(void)
{
	struct {
		struct trace_table head;
		uint8_t bytes[4];
		uint8_t gap[4];
		uint32_t labels[4];
	} table = {.head = {.size = 4}, .bytes = {1, 2, 3, 4}, .labels = {0, INPUT, 0, 0}};
	at.table = put(&table, sizeof table.head + 4);
	table.head.labelled = 1;
	at.labelled = put(&table, sizeof table);
}

static void make_sample(void)
{
	const struct trace_sizes sizes = {.nodes = 16, .events = 8, .calls = 8, .text = PAGE};
	struct trace_header header;
	static alignas(PAGE) char memory[1 << 17];
	sample_size = trace_layout(sizes, 0, &header);
	CHECK(sample_size <= sizeof memory);
	memset(memory, 0, sizeof memory);
	sample = (struct trace_header *)memory;
	*sample = header;
	sample->state = TRACE_ENDED;
	sample->text = 8;
	at.name = put_string("x");
	at.file = put_string("/src/a.c");
	at.function = put_string("main");
	at.cases = put((const uint64_t[]){3, 9}, 16);
	at.data = put("\7", 1);
	struct trace_site site = {
		.line = 7, .column = 3, .file = at.file, .function = at.function, .extra = at.cases, .extra_size = 2};
	at.site = put(&site, sizeof site);
	struct trace_module module = {.base = 0x1000, .name = at.file};
	at.module = put(&module, sizeof module);
	put_tables();
	struct trace_object object = {
		.size = 40, .kind = OBJECT_HEAP, .size_label = WIDE, .name = at.name, .site = at.site};
	at.object = put(&object, sizeof object);
	const struct trace_node all[NODES] = {
		[INPUT] = {.op = OP_INPUT, .width = 8},
		[FIVE] = {.op = OP_CONST, .width = 8, .b = 5},
		[SUM] = {.op = OP_ADD, .width = 8, .a = INPUT, .b = FIVE},
		[EQUAL] = {.op = OP_EQ, .width = 1, .a = SUM, .b = FIVE},
		[WIDE] = {.op = OP_ZEXT, .width = 64, .a = SUM},
		[LOOKUP] = {.op = OP_LOOKUP, .width = 16, .a = WIDE, .b = at.table},
		[HIGH] = {.op = OP_EXTRACT, .width = 8, .a = LOOKUP, .b = 8},
		[FLOAT] = {.op = OP_FADD, .width = 64, .a = WIDE, .b = WIDE},
		[MIXED] = {.op = OP_LOOKUP, .width = 16, .a = WIDE, .b = at.labelled},
	};
	memcpy(nodes(), all, sizeof all);
	sample->nodes = NODES;
	const struct trace_event log[] = {
		{.kind = EVENT_INPUT, .label = 0, .value = 1},
		{.kind = EVENT_BRANCH, .site = at.site, .label = EQUAL, .stack = 3, .value = 1},
		{.kind = EVENT_SWITCH, .site = at.site, .label = HIGH, .value = 9},
		{.kind = EVENT_CHECK, .site = at.site, .label = EQUAL, .check = {.holds = 1, .object = at.object}},
		{.kind = EVENT_CONCRETE, .site = at.site, .label = MIXED, .value = 2},
	};
	memcpy(events(), log, sizeof log);
	sample->events = 5;
	for (uint32_t i = 1; i < 5; i++)
		calls()[i] = (struct trace_call){.address = 0x1100 + i, .parent = i - 1, .module = at.module};
	sample->calls = 5;
	sample->inputs = 1;
	sample->input[0] = (struct trace_input){
		.label = at.name, .name = at.name, .type = {INPUT_OBJECT, INPUT_BYTES}, .size = 1, .data = at.data};
}

// Reads it from a copy behind which nothing can be read.
static int read_sample(struct trace *ret, struct err *err)
{
	return trace_read(test_guarded(sample, sample_size), sample_size, ret, err);
}

static struct trace good(void)
{
	struct trace t;
	struct err err;
	CHECK_INT(0, read_sample(&t, &err));
	return t;
}

static const char *printed(const struct trace *t, uint32_t label)
{
	struct buf out = {0};
	trace_print(t, label, 2000, &out);
	const char *copy = test_printf("%s", out.data);
	buf_release(&out);
	return copy;
}

// Touches all that can be reached.
static void use_all(const struct trace *t)
{
	for (uint32_t i = 0; i < t->n_events; i++) {
		const struct trace_event *e = &t->events[i];
		const struct trace_site *site = trace_site(t, e->site);
		if (site)
			CHECK(strlen(trace_text(t, site->file)) + strlen(trace_text(t, site->function)) < PAGE);
		const struct trace_object *o = trace_object(t, e->kind == EVENT_CHECK ? e->check.object : 0);
		if (o)
			CHECK(strlen(trace_text(t, o->name)) < PAGE && printed(t, o->size_label));
		uint32_t steps = 0;
		for (uint32_t call = e->stack; trace_call(t, call); call = trace_call(t, call)->parent) {
			const struct trace_module *m = trace_module(t, trace_call(t, call)->module);
			CHECK(!m || strlen(trace_text(t, m->name)) < PAGE);
			CHECK(++steps < t->n_calls);
		}
		if (e->kind != EVENT_INPUT && e->label)
			CHECK(*printed(t, e->label));
		struct buf out = {0};
		trace_print_smt(t, i, true, &out);
		CHECK(out.len > 10);
		buf_release(&out);
	}
	for (uint32_t i = 0; i < t->n_inputs; i++) {
		uint32_t size;
		const uint8_t *bytes = trace_input_data(t, i, &size);
		unsigned sum = 0;
		for (uint32_t k = 0; bytes && k < size; k++)
			sum += bytes[k];
		CHECK(sum <= 255u * PAGE);
	}
}

// --- tests -------------------------------------------------------------------------------

static void whole(void)
{
	make_sample();
	struct trace t = good();
	CHECK(!t.damaged);
	CHECK_INT(NODES, t.n_nodes);
	CHECK_INT(5, t.n_events);
	CHECK_INT(5, t.n_calls);
	CHECK_STR("((x[0] + 5) == 5)", printed(&t, EQUAL));
	CHECK_STR("{513, 1027}[u64((x[0] + 5))]", printed(&t, LOOKUP));
	CHECK_STR("{x[0]:1, 1027}[u64((x[0] + 5))]", printed(&t, MIXED));
	CHECK_STR("/src/a.c", trace_text(&t, trace_module(&t, at.module)->name));
	CHECK_INT(7, trace_site(&t, at.site)->line);
	CHECK_INT(40, trace_object(&t, at.object)->size);
	CHECK_STR("x", trace_input_label(&t, 0));
	CHECK_STR("?", trace_input_label(&t, 1));
	use_all(&t);
}

static void headers(void)
{
	static const struct {
		size_t offset;
		unsigned size;
		uint64_t value;
		const char *says;
	} cases[] = {
#define FIELD(name) offsetof(struct trace_header, name), sizeof((struct trace_header *)0)->name
		{FIELD(magic), TRACE_MAGIC + 1, "not a trace"},
		{FIELD(size), UINT64_MAX, "not a trace"},
		{FIELD(nodes_at), UINT64_MAX - 7, "damaged trace"},
		{FIELD(nodes_at), 4, "damaged trace"}, // not aligned
		{FIELD(nodes_at), 1 << 20, "damaged trace"},
		{FIELD(nodes_max), UINT32_MAX, "damaged trace"},
		{FIELD(events_at), UINT64_MAX - 7, "damaged trace"},
		{FIELD(events_at), PAGE + 1, "damaged trace"},
		{FIELD(events_max), UINT32_MAX, "damaged trace"},
		{FIELD(calls_at), UINT64_MAX - 7, "damaged trace"},
		{FIELD(calls_at), PAGE + 12, "damaged trace"},
		{FIELD(calls_at), 1 << 20, "damaged trace"},
		{FIELD(calls_max), UINT32_MAX, "damaged trace"},
		{FIELD(text_at), UINT64_MAX - 7, "damaged trace"},
		{FIELD(text_at), PAGE + 4, "damaged trace"},
		{FIELD(text_max), UINT64_MAX, "damaged trace"},
		{FIELD(text_max), PAGE + 1, "damaged trace"},
		{FIELD(state), TRACE_FREE, "no program recorded a trace"},
#undef FIELD
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct trace t;
		struct err err;
		make_sample();
		memcpy((char *)sample + cases[i].offset, &cases[i].value, cases[i].size);
		CHECK_THAT(read_sample(&t, &err) < 0, "case %zu", i);
		CHECK_THAT(strncmp(err.text, cases[i].says, strlen(cases[i].says)) == 0, "case %zu says: %s", i,
		           err.text);
	}
}

static void cut_short(void)
{
	make_sample();
	for (size_t size = 0; size < sample_size; size += 56) {
		struct trace t;
		struct err err;
		CHECK_THAT(trace_read(test_guarded(sample, size), size, &t, &err) < 0, "of %zu bytes", size);
		sample->size = size; // a header that agrees
		if (trace_read(test_guarded(sample, size), size, &t, &err) == 0)
			use_all(&t);
		sample->size = sample_size;
	}
}

static void counts(void)
{
	make_sample();
	sample->nodes = sample->events = sample->calls = sample->inputs = UINT32_MAX;
	sample->text = UINT64_MAX;
	struct trace t = good();
	CHECK(t.damaged);
	CHECK(t.n_nodes <= 16 && t.n_events <= 8 && t.n_calls <= 8 && t.n_inputs <= TRACE_INPUTS);
	CHECK_INT(PAGE, t.text_size);
	use_all(&t);
	make_sample();
	sample->nodes_max = sample->events_max = sample->calls_max = 0;
	sample->text_max = 0;
	t = good();
	CHECK(t.damaged);
	CHECK(t.n_nodes == 1 && t.n_events == 0 && t.n_calls == 1);
	CHECK_STR("?", trace_text(&t, at.file));
	CHECK(!trace_call(&t, 1) && !trace_module(&t, at.module) && !trace_object(&t, at.object));
	use_all(&t);
}

static void bad_nodes(void)
{
	static const struct trace_node cases[] = {
		{.op = OP_COUNT, .width = 8},
		{.op = 255, .width = 8},
		{.op = OP_CONST, .width = 0},
		{.op = OP_CONST, .width = 65},
		{.op = OP_INPUT, .width = 16},
		{.op = OP_ADD, .width = 8, .a = INPUT},             // label 0
		{.op = OP_ADD, .width = 8, .a = INPUT, .b = HIGH},  // itself
		{.op = OP_ADD, .width = 8, .a = MIXED, .b = INPUT}, // a later one
		{.op = OP_ADD, .width = 8, .a = INPUT, .b = UINT32_MAX},
		{.op = OP_ADD, .width = 8, .a = INPUT, .b = WIDE},
		{.op = OP_ADD, .width = 16, .a = INPUT, .b = FIVE},
		{.op = OP_EQ, .width = 8, .a = INPUT, .b = FIVE},
		{.op = OP_NOT, .width = 1, .a = INPUT},
		{.op = OP_ZEXT, .width = 8, .a = INPUT},
		{.op = OP_SEXT, .width = 200, .a = INPUT},
		{.op = OP_EXTRACT, .width = 8, .a = INPUT, .b = 1},
		{.op = OP_EXTRACT, .width = 8, .a = INPUT, .b = UINT32_MAX},
		{.op = OP_CONCAT, .width = 8, .a = INPUT, .b = INPUT},
		{.op = OP_CONCAT, .width = 72, .a = INPUT, .b = FIVE},
		{.op = OP_ITE, .width = 8, .a = INPUT, .b = INPUT, .c = FIVE},
		{.op = OP_ITE, .width = 8, .a = EQUAL, .b = INPUT, .c = WIDE},
		{.op = OP_ITE, .width = 8, .a = EQUAL, .b = INPUT, .c = 0},
		{.op = OP_LOOKUP, .width = 16, .a = INPUT},
		{.op = OP_LOOKUP, .width = 12, .a = WIDE},
		{.op = OP_LOOKUP, .width = 128, .a = WIDE},
		{.op = OP_FADD, .width = 8, .a = INPUT, .b = FIVE},
		{.op = OP_FNEG, .width = 8, .a = INPUT},
		{.op = OP_FTOF, .width = 24, .a = WIDE},
		{.op = OP_FCALL, .width = 64, .a = WIDE, .b = LIBM_fmod},
		{.op = OP_FCALL, .width = 64, .a = WIDE, .b = LIBM_COUNT},
		{.op = OP_FCALL2, .width = 64, .a = WIDE, .b = WIDE, .c = LIBM_floor},
		{.op = OP_FMA, .width = 64, .a = WIDE, .b = WIDE, .c = INPUT},
		{.op = OP_FTOSI, .width = 32, .a = INPUT},
		{.op = OP_SITOF, .width = 48, .a = WIDE},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		make_sample();
		nodes()[HIGH] = cases[i];
		struct trace t = good();
		CHECK_THAT(t.damaged && t.n_nodes == HIGH, "node %zu", i);
		CHECK_INT(2, t.n_events); // up to the first that needs it
		CHECK_STR("...", printed(&t, HIGH));
		use_all(&t);
	}
}

static void bad_events(void)
{
	static const struct trace_event cases[] = {
		{.kind = EVENT_COUNT},
		{.kind = 255},
		{.kind = EVENT_BRANCH, .label = NODES},
		{.kind = EVENT_BRANCH, .label = UINT32_MAX},
		{.kind = EVENT_BRANCH, .label = SUM}, // not a truth value
		{.kind = EVENT_CHECK, .label = WIDE},
		{.kind = EVENT_SWITCH, .label = NODES + 1},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		make_sample();
		events()[3] = cases[i];
		struct trace t = good();
		CHECK_THAT(t.damaged && t.n_events == 3, "event %zu", i);
		use_all(&t);
	}
	// What an event refers to beside its label is looked up when it is needed.
	static const uint32_t offsets[] = {1, 3, 511, 512, 1 << 20, UINT32_MAX / 8, UINT32_MAX};
	for (size_t i = 0; i < COUNT(offsets); i++) {
		make_sample();
		events()[0] = (struct trace_event){.kind = EVENT_INPUT, .label = offsets[i]};
		events()[3].site = events()[3].check.object = events()[3].stack = offsets[i];
		struct trace t = good();
		CHECK_INT(5, t.n_events);
		CHECK(!t.damaged && (i < 3 || (!trace_site(&t, offsets[i]) && !trace_object(&t, offsets[i]))));
		CHECK_STR("?", trace_input_label(&t, offsets[i]));
		use_all(&t);
	}
}

static void switch_cases(void)
{
	static const struct {
		uint32_t extra, size;
	} cases[] = {{0, 2}, {1, UINT32_MAX}, {UINT32_MAX, 1}, {511, 2}, {UINT32_MAX, UINT32_MAX}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		make_sample();
		struct trace_site *site = text(at.site);
		site->extra = cases[i].extra;
		site->extra_size = cases[i].size;
		struct trace t = good();
		use_all(&t);
	}
}

static void bad_calls(void)
{
	static const uint32_t parents[] = {3, 4, 7, 8, UINT32_MAX}; // itself, a cycle, unused, none
	for (size_t i = 0; i < COUNT(parents); i++) {
		make_sample();
		calls()[3].parent = parents[i];
		struct trace t = good();
		CHECK_THAT(t.damaged && t.n_calls == 3, "parent %u", parents[i]);
		CHECK(!trace_call(&t, 3) && trace_call(&t, 2) && !trace_call(&t, 0) && !trace_call(&t, UINT32_MAX));
		CHECK_INT(5, t.n_events);
		use_all(&t);
	}
	make_sample();
	calls()[1].parent = 1;
	struct trace t = good();
	CHECK(t.damaged && t.n_calls == 1 && !trace_call(&t, 1));
	use_all(&t);
}

static void bad_modules(void)
{
	make_sample();
	uint32_t end = (uint32_t)(sample->text / 8);
	const uint32_t offsets[] = {0, end - 1, end, end + 1, 511, 512, UINT32_MAX / 8, UINT32_MAX};
	for (size_t i = 0; i < COUNT(offsets); i++) {
		make_sample();
		calls()[2].module = offsets[i];
		struct trace t = good();
		CHECK_THAT(!trace_module(&t, offsets[i]), "module at %u", offsets[i]);
		use_all(&t);
		struct trace_module *m = text(at.module);
		m->name = offsets[i];
		t = good();
		CHECK(strcmp(trace_text(&t, offsets[i]), "?") == 0 || offsets[i] == end - 1);
		use_all(&t);
	}
}

static void bad_objects(void)
{
	make_sample();
	uint32_t end = (uint32_t)(sample->text / 8);
	const uint32_t offsets[] = {0, end - 4, end, end + 1, 512, UINT32_MAX / 8, UINT32_MAX};
	for (size_t i = 0; i < COUNT(offsets); i++) {
		make_sample();
		events()[3].check.object = offsets[i];
		struct trace t = good();
		CHECK_THAT(!trace_object(&t, offsets[i]), "object at %u", offsets[i]);
		use_all(&t);
		struct trace_object *o = text(at.object);
		o->name = o->function = o->site = offsets[i];
		events()[3].check.object = at.object;
		t = good();
		CHECK(trace_object(&t, at.object));
		use_all(&t);
	}
	make_sample();
	((struct trace_object *)text(at.object))->kind = OBJECT_KINDS;
	struct trace t = good();
	CHECK(!trace_object(&t, at.object));
	make_sample();
	((struct trace_object *)text(at.object))->size_label = NODES;
	t = good();
	CHECK(!trace_object(&t, at.object));
	use_all(&t);
}

static void strings(void)
{
	make_sample();
	uint32_t last = put("unfinished.....!", 16) + 1;
	struct trace t = good();
	CHECK_STR("?", trace_text(&t, last - 1));
	CHECK_STR("?", trace_text(&t, last));
	CHECK_STR("?", trace_text(&t, last + 1));
	CHECK_STR("?", trace_text(&t, 0));
	CHECK_STR("?", trace_text(&t, UINT32_MAX));
	CHECK_STR("/src/a.c", trace_text(&t, at.file));
	memset(text(1), 'x', (size_t)sample->text - 8); // not one NUL is left
	t = good();
	CHECK_STR("?", trace_text(&t, at.file));
	CHECK_STR("?", trace_input_label(&t, 0));
	use_all(&t);
}

static void tables(void)
{
	const uint8_t *bytes;
	const uint32_t *labels;
	static const uint64_t sizes[] = {TRACE_TABLE_MAX + 1, PAGE, 1 << 20, UINT32_MAX, UINT64_MAX, UINT64_MAX - 31};
	for (size_t i = 0; i < COUNT(sizes); i++) {
		make_sample();
		((struct trace_table *)text(at.table))->size = sizes[i];
		((struct trace_table *)text(at.labelled))->size = sizes[i];
		struct trace t = good();
		CHECK(!trace_table(&t, at.table, &bytes, &labels) && !trace_table(&t, at.labelled, &bytes, &labels));
		CHECK_STR("{...}[u64((x[0] + 5))]", printed(&t, LOOKUP));
		use_all(&t);
	}
	make_sample();
	((struct trace_table *)text(at.table))->size = 0;
	nodes()[LOOKUP].b = UINT32_MAX;
	struct trace t = good();
	CHECK_STR("{...}[u64((x[0] + 5))]", printed(&t, LOOKUP));
	use_all(&t);
	// Labels of the bytes: none, of another width, the look-up itself, a later one.
	static const uint32_t bad[] = {WIDE, EQUAL, MIXED, NODES, UINT32_MAX};
	for (size_t i = 0; i < COUNT(bad); i++) {
		make_sample();
		uint32_t *label = (uint32_t *)((char *)text(at.labelled) + sizeof(struct trace_table) + 8);
		label[1] = bad[i];
		t = good();
		CHECK_STR("{513, 1027}[u64((x[0] + 5))]", printed(&t, MIXED));
		use_all(&t);
	}
}

static void inputs(void)
{
	static const struct trace_input cases[] = {
		{.size = UINT32_MAX}, {.size = PAGE}, {.data = UINT32_MAX, .size = 1}, {.data = 511, .size = 9}, {0}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		make_sample();
		uint32_t data = sample->input[0].data, size;
		sample->input[0] = cases[i];
		if (!cases[i].data && cases[i].size)
			sample->input[0].data = data;
		struct trace t = good();
		CHECK_THAT(!trace_input_data(&t, 0, &size), "input %zu", i);
		CHECK(!trace_input_data(&t, 1, &size) && !trace_input_data(&t, UINT32_MAX, &size));
		use_all(&t);
	}
}

// Expressions as deep as the table is long.
static void deep(void)
{
	enum { DEPTH = 1 << 20 };
	static const unsigned kinds[] = {OP_EXTRACT, OP_CONCAT, OP_NOT, OP_ADD, OP_LOOKUP};
	const struct trace_sizes sizes = {.nodes = DEPTH, .events = 1, .calls = 1, .text = PAGE};
	struct trace_header header;
	size_t size = trace_layout(sizes, 0, &header);
	for (size_t k = 0; k < COUNT(kinds); k++) {
		sample = test_alloc(size);
		*sample = header;
		sample->state = TRACE_ENDED;
		sample->nodes = DEPTH;
		sample->text = 8;
		put_tables();
		nodes()[1] = (struct trace_node){.op = OP_CONST, .width = 64};
		for (uint32_t i = 2; i < DEPTH; i++)
			nodes()[i] = kinds[k] != OP_CONCAT ? (struct trace_node){.op = (uint8_t)kinds[k],
			                                                         .width = 64,
			                                                         .a = i - 1,
			                                                         .b = kinds[k] == OP_ADD      ? i - 1
			                                                              : kinds[k] == OP_LOOKUP ? at.table
			                                                                                      : 0}
			             // halves that are put together again
			             : i % 2 ? (struct trace_node){.op = OP_CONCAT, .width = 64, .a = i - 1, .b = i - 1}
			                     : (struct trace_node){.op = OP_EXTRACT, .width = 32, .a = i - 1};
		struct trace t;
		struct err err;
		CHECK_INT(0, trace_read(sample, size, &t, &err));
		CHECK_THAT(!t.damaged && t.n_nodes == DEPTH, "kind %zu", k);
		CHECK(strlen(printed(&t, DEPTH - 1)) < 20000);
	}
}

static void random_damage(void)
{
	unsigned read = 0, damaged = 0;
	for (int i = 0; i < 6000; i++) {
		make_sample();
		const struct {
			size_t from, size;
		} parts[] =
			{
				{0, offsetof(struct trace_header, input) + 16},
				{sample->nodes_at, NODES * sizeof(struct trace_node)},
				{sample->events_at, 5 * sizeof(struct trace_event)},
				{sample->calls_at, 5 * sizeof(struct trace_call)},
				{sample->text_at, sample->text},
			},
		  *part = &parts[i % COUNT(parts)];
		test_mutate((uint8_t *)sample, part->from, part->from + part->size);
		struct trace t;
		struct err err;
		if (read_sample(&t, &err) < 0)
			continue;
		use_all(&t);
		read++;
		damaged += t.damaged;
	}
	CHECK(read > 3000 && damaged > 500); // it is not the header that refuses them all
}

// --- saving --------------------------------------------------------------------------------

// Reads a file as `veer solve` does, from pages behind which nothing can be read.
static struct trace read_saved(const char *path)
{
	struct trace t;
	struct err err;
	struct bytes file = test_read(path);
	CHECK_INT(0, trace_read(test_guarded(file.data, file.size), file.size, &t, &err));
	return t;
}

static void check_same(const struct trace *t, const struct trace *u)
{
	CHECK(t->n_nodes == u->n_nodes && t->n_events == u->n_events && t->n_calls == u->n_calls);
	CHECK(t->text_size == u->text_size && t->n_inputs == u->n_inputs && !u->damaged);
	CHECK(memcmp(t->nodes, u->nodes, t->n_nodes * sizeof *t->nodes) == 0);
	CHECK(memcmp(t->events, u->events, t->n_events * sizeof *t->events) == 0);
	CHECK(memcmp(t->calls, u->calls, t->n_calls * sizeof *t->calls) == 0);
	CHECK(memcmp(t->text, u->text, t->text_size) == 0);
	CHECK(memcmp(t->header->input, u->header->input, t->n_inputs * sizeof *t->header->input) == 0);
}

// The sample as it was saved: test_guarded has one copy at a time, so this is not from there.
static struct trace plain(void)
{
	struct trace t;
	struct err err;
	CHECK_INT(0, trace_read(sample, sample_size, &t, &err));
	return t;
}

static void saved(void)
{
	struct err err;
	char *path = test_path("trace");
	make_sample();
	sample->full = 4;
	sample->checked = 77;
	sample->mismatches = 3;
	struct trace t = plain();
	CHECK_INT(0, trace_save(&t, path, &err));
	struct trace u = read_saved(path);
	check_same(&t, &u);
	CHECK(u.header->full == 4 && u.header->checked == 77 && u.header->mismatches == 3);
	use_all(&u);
	// What was cut off is not saved, so the rest is whole.
	nodes()[FLOAT].op = OP_COUNT;
	t = plain();
	CHECK(t.damaged && t.n_nodes == FLOAT && t.n_events == 4);
	CHECK_INT(0, trace_save(&t, path, &err)); // in place of the first one
	u = read_saved(path);
	check_same(&t, &u);
	use_all(&u);
}

// A trace with hardly anything in it, and one that fills pages exactly.
static void saved_sizes(void)
{
	struct err err;
	char *path = test_path("trace");
	make_sample();
	sample->nodes = sample->calls = 1;
	sample->events = sample->inputs = 0;
	sample->text = 0;
	struct trace t = plain();
	CHECK_INT(0, trace_save(&t, path, &err));
	struct trace u = read_saved(path);
	check_same(&t, &u);
	const struct trace_sizes sizes = {
		.nodes = 2 * PAGE / sizeof(struct trace_node), .events = 1, .calls = 1, .text = PAGE};
	struct trace_header header;
	size_t size = trace_layout(sizes, 0, &header);
	struct trace_header *large = test_alloc(size);
	memset(large, 0, size);
	*large = header;
	large->state = TRACE_ENDED;
	large->nodes = sizes.nodes;
	large->text = PAGE;
	struct trace_node *list = (struct trace_node *)((char *)large + large->nodes_at);
	for (uint32_t i = 1; i < sizes.nodes; i++)
		list[i] = (struct trace_node){.op = OP_CONST, .width = 64, .b = i};
	memset((char *)large + large->text_at, 'x', PAGE);
	CHECK_INT(0, trace_read(large, size, &t, &err));
	CHECK_INT(0, trace_save(&t, path, &err));
	u = read_saved(path);
	check_same(&t, &u);
	CHECK_INT(sizes.nodes, u.n_nodes);
}

static int save_as_nobody(void *opaque)
{
	struct err err;
	struct trace t = plain();
	test_drop_root();
	CHECK(trace_save(&t, opaque, &err) < 0);
	CHECK(strstr(err.text, "trace") && !strchr(err.text, '\n'));
	return 0;
}

static void not_saved(void)
{
	struct err err;
	make_sample();
	struct trace t = plain();
	static const char *const bad[] = {"/proc/no/trace", "/dev/null/trace", "/"};
	for (size_t i = 0; i < COUNT(bad); i++) {
		CHECK_THAT(trace_save(&t, bad[i], &err) < 0, "%s", bad[i]);
		CHECK_THAT(strstr(err.text, bad[i]) && !strchr(err.text, '\n'), "%s: %s", bad[i], err.text);
	}
	test_child(save_as_nobody, test_printf("/trace-of-nobody"), 0);
}

// A copy holds nothing of the original: whoever still writes there changes nothing.
static void taken(void)
{
	struct trace t, copy;
	struct buf memory = {0};
	struct err err;
	make_sample();
	CHECK(trace_read(sample, sample_size, &t, &err) == 0);
	CHECK(trace_take(sample, sample_size, &memory, &copy, &err) == 0);
	CHECK_INT(t.n_nodes, copy.n_nodes);
	CHECK_INT(t.n_events, copy.n_events);
	CHECK_INT(t.n_calls, copy.n_calls);
	CHECK_INT(t.text_size, copy.text_size);
	CHECK(!copy.damaged && memcmp(t.nodes, copy.nodes, t.n_nodes * sizeof *t.nodes) == 0);
	memset(sample, 0xff, sample_size);
	for (uint32_t i = 1; i < copy.n_nodes; i++)
		CHECK(copy.nodes[i].op < OP_COUNT);
	CHECK_STR("x", trace_input_label(&copy, 0));
	CHECK(trace_take(sample, sample_size, &memory, &copy, &err) < 0);
	make_sample();
	sample->nodes = sample->calls = sample->events = 0;
	CHECK(trace_take(sample, sample_size, &memory, &copy, &err) == 0);
	CHECK_INT(1, copy.n_nodes);
	make_sample();
	sample->nodes = sample->calls = sample->events = sample->inputs = UINT32_MAX;
	sample->text = UINT64_MAX;
	CHECK(trace_take(sample, sample_size, &memory, &copy, &err) == 0);
	CHECK(copy.damaged && copy.n_inputs == TRACE_INPUTS && copy.text_size == sample->text_max);
	buf_release(&memory);
}

static const struct test tests[] = {
	TEST(whole),      TEST(headers),      TEST(cut_short), TEST(counts),      TEST(bad_nodes),
	TEST(bad_events), TEST(switch_cases), TEST(bad_calls), TEST(bad_modules), TEST(bad_objects),
	TEST(strings),    TEST(tables),       TEST(inputs),    TEST(deep),        TEST(random_damage),
	TEST(saved),      TEST(saved_sizes),  TEST(not_saved), TEST(taken),
};

TEST_MAIN("trace")
