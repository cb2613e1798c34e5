// Symbolic input that the program asks for itself: veer.h, KLEE's klee/klee.h,
// and the functions of the verification competitions.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/trace/calls.h"
#include "runtime/trace/rt.h"

#define API __attribute__((visibility("default")))

API void veer_make_symbolic(void *data, size_t size, const char *name);
API int veer_is_symbolic(const void *data, size_t size);

// The engine may give the values; they stand at the end of the text area, one
// input after the other.
static void take_given(void *data, size_t size)
{
	static uint64_t taken;
	uint64_t left = rt_trace->given > taken ? rt_trace->given - taken : 0;
	if (rt_trace->given > rt_trace->text_max)
		return;
	if (size > left)
		size = left;
	memcpy(data, (char *)rt_trace + rt_trace->text_at + rt_trace->text_max - rt_trace->given + taken, size);
	taken += size;
}

API void veer_make_symbolic(void *data, size_t size, const char *name)
{
	if (!rt_on || size == 0)
		return;
	if (rt_trace->inputs >= TRACE_INPUTS || size > UINT32_MAX) {
		rt_stop(2);
		return;
	}
	take_given(data, size);
	uint32_t source = rt_trace->inputs++;
	struct trace_input *in = &rt_trace->input[source];
	in->name = rt_text(name ? name : "input", strlen(name ? name : "input") + 1);
	in->data = rt_text(data, size);
	in->size = (uint32_t)size;
	rt_event(EVENT_INPUT, NULL, source, size);
	for (size_t i = 0; i < size; i++)
		rt_store((uint64_t)data + i, 1, rt_input_byte(source, (uint32_t)i, ((uint8_t *)data)[i]));
}

API int veer_is_symbolic(const void *data, size_t size)
{
	return rt_on && rt_any((uint64_t)data, size);
}
