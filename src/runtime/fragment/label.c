// The labels of cells. A byte of the input that says where a pointer leads is a choice; the pointer itself is an
// expression over it, and the first access through it makes it a decision of the path.
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/fragment/fragment.h"
#include "runtime/fragment/left.h"
#include "runtime/serve/serve.h"
#include "runtime/trace/calls.h"
#include "runtime/trace/rt.h"

enum { CHOICES = 1024, CASES = 8 };

static struct choice {
	label pointer, byte;
	uint64_t address; // where it leads
	uint8_t value;
	unsigned n; // of what it can be
	uint64_t cases[2 * CASES];
	struct site site; // of the first access
} choices[CHOICES] RT_LARGE;
static uint32_t n_choices;

uint32_t label_input(const struct cell *c, const uint8_t *bytes)
{
	static const uint8_t zeros[4096];
	char *fresh = bytes ? NULL : c->size > sizeof zeros ? rt_map(c->size) : (char *)zeros;
	if (c->kind == CELL_GLOBAL && !bytes)
		fresh = (char *)c->at;
	if (!rt_on || launch_left || (!bytes && !fresh))
		return CELL_NONE;
	return rt_input(input_source(INPUT_CELL, INPUT_BYTES, 0, c->name), bytes ? bytes : (uint8_t *)fresh, c->size,
	                0);
}

static bool has_input(const struct cell *c)
{
	return rt_on && c->input < RT_NO_INPUT;
}

void label_bytes(const struct cell *c, uint64_t offset, uint64_t size)
{
	const uint8_t *at = (const uint8_t *)c->at + offset;
	for (uint64_t i = 0; i < size && has_input(c) && offset + i < c->size; i++)
		rt_store((uint64_t)at + i, 1, rt_input_byte(c->input, (uint32_t)(offset + i), at[i]));
}

bool label_range(const struct cell *c, int64_t low, int64_t high)
{
	uint64_t width = 8 * c->size, value = 0;
	memcpy(&value, (const void *)c->at, c->size);
	int64_t now = (int64_t)(value << (64 - width)) >> (64 - width);
	bool holds = now >= low && now <= high;
	label l = has_input(c) ? rt_load(c->at, (unsigned)c->size) : 0, from = rt_constant(64, (uint64_t)low);
	if (l && width < 64)
		l = rt_node(OP_SEXT, 64, l, 0, 0);
	l = l && from ? rt_binary(OP_SUB, 64, l, from) : 0;
	label most = l ? rt_constant(64, (uint64_t)(high - low)) : 0;
	l = most ? rt_binary(OP_ULE, 64, l, most) : 0;
	if (l)
		rt_event(EVENT_ASSUME, NULL, l, holds);
	return holds;
}

void label_given(const struct cell *c, uint64_t offset, uint8_t byte)
{
	if (!has_input(c))
		return;
	uint8_t *data = (uint8_t *)rt_trace + rt_trace->text_at + 8 * (uint64_t)rt_trace->input[c->input].data;
	data[offset] = byte;
}

// Every value is one of the two that the type has.
void label_bool(const struct cell *c, uint64_t offset)
{
	uint8_t *at = (uint8_t *)c->at + offset, given = *at;
	*at = given & 1;
	label l = has_input(c) ? rt_input_byte(c->input, (uint32_t)offset, given) : 0, one = l ? rt_constant(8, 1) : 0;
	rt_store((uint64_t)at, 1, one ? rt_binary(OP_AND, 8, l, one) : 0);
}

void label_stream(const struct cell *c, int fd)
{
	if (has_input(c))
		rt_source_add(fd, c->input, c->size);
}

// --- unions -----------------------------------------------------------------------------------------

void label_union(const struct cell *c, uint64_t offset, unsigned n, const char *place)
{
	enum { UNIONS = 64 };
	static struct {
		struct site site;
		uint64_t cases[2 * CASES];
		char place[CELL_NAME];
	} unions[UNIONS] RT_LARGE;
	static unsigned used;
	uint8_t value = *(const uint8_t *)(c->at + offset);
	label byte = has_input(c) && used < UNIONS ? rt_input_byte(c->input, (uint32_t)offset, value) : 0;
	if (!byte)
		return;
	struct site *site = &unions[used].site;
	for (unsigned i = 0; i < n; i++) {
		unions[used].cases[2 * i] = i + 1;
		unions[used].cases[2 * i + 1] = i + 1;
	}
	snprintf(unions[used].place, sizeof unions[used].place, "%s", place);
	*site = (struct site){.file = "",
	                      .function = unions[used].place,
	                      .kind = SITE_PLACE,
	                      .n_cases = n,
	                      .cases = unions[used].cases};
	used++;
	rt_event(EVENT_SWITCH, site, byte, value);
}

// --- pointers ---------------------------------------------------------------------------------------

// Names an option on every path alike, whatever number its cell has in this input.
static uint64_t target_of(const struct option *o)
{
	uint64_t hash = 14695981039346656037u;
	for (const char *p = o->name; *p; p++)
		hash = (hash ^ (uint8_t)*p) * 1099511628211u;
	return *o->name ? hash | 1ull << 63 : 1;
}

static label choose(label byte, const struct option *o, label otherwise)
{
	label is = rt_binary(OP_EQ, 8, byte, rt_constant(8, o->value)), address = rt_constant(64, o->address);
	return is && address && otherwise ? rt_node(OP_ITE, 64, is, address, otherwise) : 0;
}

// The outermost choice is null or not: programs test that first.
static label expression(label byte, const struct option *options, unsigned n)
{
	label l = rt_constant(64, options[0].address);
	for (unsigned i = n; i-- > 1;)
		if (options[i].value != FRAGMENT_NULL)
			l = choose(byte, &options[i], l);
	for (unsigned i = 1; i < n; i++)
		if (options[i].value == FRAGMENT_NULL)
			l = choose(byte, &options[i], l);
	return l;
}

void label_pointer(const struct pointer *p, const struct option *options, unsigned n, uint8_t chosen)
{
	const uint64_t at = p->in->at + p->offset;
	rt_clear(at, 8);
	if (n_choices == CHOICES)
		place_partial();
	if (n < 2 || !has_input(p->in) || n_choices == CHOICES)
		return;
	label byte = rt_input_byte(p->in->input, (uint32_t)p->offset, options[chosen].value);
	label pointer = byte ? expression(byte, options, n) : 0;
	if (!pointer)
		return;
	rt_expect(pointer, options[chosen].address, "in a pointer that is made up");
	struct choice *c = &choices[n_choices++];
	*c = (struct choice){
		.pointer = pointer, .byte = byte, .address = options[chosen].address, .value = options[chosen].value};
	for (unsigned i = 0; i < n && c->n < CASES; i++) {
		if (options[i].value == FRAGMENT_NULL)
			continue;
		c->cases[2 * c->n] = options[i].value;
		c->cases[2 * c->n++ + 1] = target_of(&options[i]);
	}
	rt_store(at, 8, pointer);
	rt_note_choice(pointer, byte);
}

// --- first access -----------------------------------------------------------------------------------

static struct choice *find(label pointer)
{
	for (uint32_t i = n_choices; i-- > 0;)
		if (choices[i].pointer == pointer)
			return &choices[i];
	return NULL;
}

// Where there is only one thing to access, nothing is decided but that it is not null.
void rt_choose(struct site *site, label pointer)
{
	struct choice *c = find(pointer);
	if (!c || c->site.n_cases)
		return;
	c->site = (struct site){.file = site ? site->file : "",
	                        .function = site ? site->function : "",
	                        .line = site ? site->line : 0,
	                        .column = site ? site->column : 0,
	                        .kind = SITE_CHOICE,
	                        .n_cases = c->n,
	                        .cases = c->cases};
	rt_event(EVENT_SWITCH, &c->site, c->byte, c->value);
	__veer_t_segment++;
}

label rt_target_of(label pointer)
{
	const struct choice *c = pointer ? find(pointer) : NULL;
	return c ? c->byte : 0;
}

label rt_choice_of(label byte)
{
	for (uint32_t i = 0; byte && i < n_choices; i++)
		if (choices[i].byte == byte)
			return choices[i].pointer;
	return 0;
}

uint64_t rt_chosen(label pointer)
{
	const struct choice *c = find(pointer);
	return c ? c->address : 0;
}

// --- the end ----------------------------------------------------------------------------------------

// What handlers of exit would do is not part of the path.
void fragment_end(void)
{
	left_ended(LEFT_CUT);
	if (rt_trace)
		rt_trace->state = TRACE_ENDED;
	for (;;)
		syscall(SYS_exit_group, 0);
}
