// Symbolic input that the program asks for itself (include/veer.h). KLEE's interface and
// that of the verification competitions are written in these terms, in src/support.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/objects.h"
#include "runtime/serve/serve.h"
#include "runtime/trace/calls.h"
#include "runtime/trace/rt.h"

#define API __attribute__((visibility("default")))

API void veer_make_symbolic(void *data, size_t size, const char *name);
API void veer_make_concrete(void *data, size_t size);
API int veer_is_symbolic(const void *data, size_t size);
API void veer_assume(uintptr_t condition);
API void veer_prefer(uintptr_t condition);
API size_t veer_object_size(const void *start);

// The engine may give the values; they stand at the end of the text area.
static void take_launch(void *data, size_t size, const char *name)
{
	if (rt_trace->input_bytes && rt_trace->input_bytes <= rt_trace->text_max)
		objects_take((char *)rt_trace + rt_trace->text_at + rt_trace->text_max - rt_trace->input_bytes,
		             rt_trace->input_bytes, name, data, size);
}

// How many inputs of this type and name there were before; argument numbers and lengths are the caller's.
static uint32_t ordinal_of(uint32_t number, struct input_source s)
{
	enum { FEW = 16 }; // most programs have no more
	static uint64_t of_few[FEW], of_more[TRACE_INPUTS - FEW] RT_LARGE;
	uint64_t hash = 14695981039346656037u ^ s.type.kind;
	for (const char *p = s.name; *p; p++)
		hash = (hash ^ (uint8_t)*p) * 1099511628211u;
	if (s.type.kind == INPUT_ARGUMENT || s.type.role == INPUT_LENGTH)
		return s.ordinal;
	uint32_t same = 0;
	for (uint32_t i = 0; i < number; i++)
		same += (i < FEW ? of_few[i] : of_more[i - FEW]) == hash;
	*(number < FEW ? &of_few[number] : &of_more[number - FEW]) = hash;
	return same;
}

uint32_t rt_input(struct input_source source, const void *data, size_t size, size_t room)
{
	if (!rt_on || rt_trace->inputs >= TRACE_INPUTS || size > UINT32_MAX) {
		rt_stop(2);
		return RT_NO_INPUT;
	}
	uint32_t number = rt_trace->inputs++;
	struct trace_input *in = &rt_trace->input[number];
	size_t length = strlen(source.name);
	char label[length + INPUT_LABEL_MORE];
	source.ordinal = ordinal_of(number, source);
	input_label(source, label, sizeof label);
	in->type = source.type;
	in->ordinal = source.ordinal;
	in->name = length ? rt_text(source.name, length + 1) : 0;
	in->label = length && strcmp(label, source.name) == 0 ? in->name : rt_text(label, strlen(label) + 1);
	in->data = rt_text_reserve(data, size, size + room);
	in->size = (uint32_t)size;
	rt_event(EVENT_INPUT, NULL, number, size);
	return number;
}

void rt_input_append(uint32_t input, const void *data, size_t size)
{
	struct trace_input *in = &rt_trace->input[input];
	memcpy((char *)rt_trace + rt_trace->text_at + 8 * (uint64_t)in->data + in->size, data, size);
	in->size += (uint32_t)size;
}

void rt_input_memory(uint32_t input, void *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		rt_store((uint64_t)data + i, 1, rt_input_byte(input, (uint32_t)i, ((uint8_t *)data)[i]));
}

label rt_input_number(uint32_t input, uint32_t value)
{
	label l = rt_input_byte(input, 0, (uint8_t)value);
	for (unsigned i = 1; i < 4 && l; i++) {
		label high = rt_input_byte(input, i, (uint8_t)(value >> 8 * i));
		l = high ? rt_concat(high, l) : 0;
	}
	return l ? rt_resize(l, 64) : 0;
}

API void veer_make_symbolic(void *data, size_t size, const char *name)
{
	if (!rt_on || size == 0)
		return;
	name = name && *name ? name : "input";
	take_launch(data, size, name);
	if (launch_concrete)
		return;
	uint32_t input = rt_input(input_source(INPUT_OBJECT, INPUT_BYTES, 0, name), data, size, 0);
	if (input != RT_NO_INPUT)
		rt_input_memory(input, data, size);
}

API int veer_is_symbolic(const void *data, size_t size)
{
	return rt_on && rt_any((uint64_t)data, size);
}

API void veer_make_concrete(void *data, size_t size)
{
	rt_clear((uint64_t)data, size);
}

// The label of the argument of `self`, one of the functions here that take one: they are
// not instrumented, so they look themselves whether the caller left a label for them.
static label passed(const void *self)
{
	if (__veer_passing.target != self)
		return 0;
	__veer_passing.target = NULL;
	return rt_on ? __veer_passing.args[0] : 0;
}

// The label of (value != 0), one bit wide.
static label truth(label l, uint64_t value)
{
	if (!l)
		return 0;
	rt_expect(l, value, "in a condition");
	while (rt_nodes[l].op == OP_ZEXT || rt_nodes[l].op == OP_SEXT)
		l = rt_nodes[l].a;
	unsigned width = rt_width(l);
	if (width == 1)
		return l;
	label zero = rt_constant(width, 0);
	label is_zero = zero ? rt_binary(OP_EQ, width, l, zero) : 0;
	return is_zero ? rt_unary(OP_NOT, 1, is_zero) : 0;
}

// A condition that is concrete and holds says nothing. After one that does not hold, what
// handlers of exit do is not part of the path.
API void veer_assume(uintptr_t condition)
{
	label l = truth(passed(veer_assume), condition);
	if (l || !condition)
		rt_event(EVENT_ASSUME, __veer_passing.place, l, condition != 0);
	if (l)
		__veer_t_segment++;
	if (condition)
		return;
	rt_on = false;
	exit(0);
}

API void veer_prefer(uintptr_t condition)
{
	label l = truth(passed(veer_prefer), condition);
	if (l)
		rt_event(EVENT_PREFER, __veer_passing.place, l, condition != 0);
}

API size_t veer_object_size(const void *start)
{
	struct rt_object o;
	passed((const void *)veer_object_size); // the address is as good as concrete
	if (!rt_object_find((uint64_t)start, &o))
		return rt_on ? 0 : (size_t)-1; // VEER_UNKNOWN
	if (o.base != (uint64_t)start)
		return 0;
	__veer_t_return((const void *)veer_object_size, rt_on ? o.size_label : 0, 0, 0, 0);
	return o.size;
}
