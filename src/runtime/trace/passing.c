// Labels of arguments and results on their way between functions.
#include "runtime/trace/calls.h"
#include "runtime/trace/rt.h"

__thread struct rt_passing __veer_passing;

RT_SLOW void __veer_t_pass(uint32_t any, const void *callee, uint32_t l0, uint32_t l1, uint32_t l2, uint32_t l3)
{
	if (!any)
		return;
	__veer_passing.target = callee;
	__veer_t_pass_more(any, 0, l0, l1, l2, l3);
}

RT_SLOW void __veer_t_pass_more(uint32_t any, uint32_t from, uint32_t l0, uint32_t l1, uint32_t l2, uint32_t l3)
{
	if (!any)
		return;
	__veer_passing.args[from] = l0;
	__veer_passing.args[from + 1] = l1;
	__veer_passing.args[from + 2] = l2;
	__veer_passing.args[from + 3] = l3;
}

RT_SLOW void __veer_t_pass_byval(uint32_t any, uint32_t index, uint64_t address)
{
	if (any)
		__veer_passing.byval[index] = address;
}

RT_SLOW void __veer_t_return(const void *self, uint32_t l0, uint32_t l1, uint32_t l2, uint32_t l3)
{
	if (!(l0 | l1 | l2 | l3))
		return;
	__veer_passing.results[0] = l0;
	__veer_passing.results[1] = l1;
	__veer_passing.results[2] = l2;
	__veer_passing.results[3] = l3;
	__veer_passing.source = self;
}

// Caller and callee may disagree about a type: `int f();` for what is defined as `char f(void)`
// happens, and works. What a label does not cover is not known, but for a truth value.
static label of_width(label l, unsigned width)
{
	if (!l || !width || rt_width(l) == width)
		return l;
	if (rt_width(l) > width || rt_width(l) == 1)
		return rt_on ? rt_resize(l, width) : 0;
	rt_unmodelled(NULL, NULL);
	return 0;
}

RT_SLOW uint32_t __veer_t_result(uint32_t returned, uint32_t place)
{
	return returned ? of_width(__veer_passing.results[place & 0xff], place >> 8) : 0;
}

RT_SLOW void __veer_t_enter(uint32_t entered)
{
	if (!entered)
		return;
	rt_not_foreign(__veer_passing.target);
	__veer_passing.target = NULL;
}

RT_SLOW uint32_t __veer_t_argument(uint32_t entered, uint32_t place)
{
	return entered ? of_width(__veer_passing.args[place & 0xff], place >> 8) : 0;
}

RT_SLOW void __veer_t_byval(uint32_t mark, uint32_t entered, uint32_t index, uint64_t address, uint64_t size)
{
	(void)mark;
	if (entered)
		rt_copy(address, __veer_passing.byval[index], size);
	else
		rt_clear(address, size);
}

// longjmp(env, 0) makes setjmp return 1. A value of 0 is the first return: what is left over
// then was for a setjmp that is not instrumented.
RT_SLOW uint32_t __veer_t_landed(uint32_t leapt, uint32_t value)
{
	if (!leapt)
		return 0;
	__veer_passing.leap = 0;
	if (!value || !rt_on)
		return 0;
	label zero = rt_constant(32, 0), one = rt_constant(32, 1),
	      is_zero = zero ? rt_binary(OP_EQ, 32, leapt, zero) : 0;
	label l = is_zero && one ? rt_node(OP_ITE, 32, is_zero, one, leapt) : 0;
	rt_expect(l, value, "after setjmp");
	return l;
}
