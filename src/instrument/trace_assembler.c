// Labels across inline assembler, of which only the empty one is understood.
#include <string.h>

#include "base/mem.h"
#include "instrument/tracer.h"

static bool is_blank(const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!strchr(" \t\n;", text[i]))
			return false;
	return true;
}

// Assembler without instructions, a barrier for the optimiser: an output that is tied to an
// input ("+r" in C; "=r,0" here) is that input. Nothing else changes.
static void on_barrier(struct tracer *t, LLVMValueRef i, const char *constraints)
{
	struct labels l = {{t->zero, t->zero, t->zero, t->zero}};
	unsigned output[16] = {0}, n_outputs = 0, operand = 0, number = 0;
	for (const char *c = constraints; *c; number++) {
		if (c[0] == '=' && c[1] != '*' && number < 16)
			output[number] = n_outputs++;
		else if (c[0] != '~' && c[0] != '!') {
			unsigned tied = (unsigned)(c[0] - '0');
			if (tied < 10 && output[tied] < LEAVES)
				l.leaf[output[tied]] = tracer_label(t, LLVMGetOperand(i, operand));
			operand++;
		}
		c += strcspn(c, ",");
		c += *c == ',';
	}
	tracer_set_labels(t, i, l);
}

// Other assembler: its outputs are concrete, also those in memory.
void trace_assembler(struct tracer *t, LLVMValueRef i)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("elementtype", 11);
	size_t size, constraints_size;
	const char *text = LLVMGetInlineAsmAsmString(LLVMGetCalledValue(i), &size);
	const char *constraints = LLVMGetInlineAsmConstraintString(LLVMGetCalledValue(i), &constraints_size);
	if (is_blank(text, size)) {
		char *copy = mem_copy(constraints, constraints_size);
		on_barrier(t, i, copy);
		mem_free(copy);
		return;
	}
	tracer_unknown(t, i);
	tracer_after(t, i);
	for (unsigned k = 0, n = LLVMGetNumArgOperands(i); k < n; k++) {
		LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(i, k + 1, kind);
		if (!a)
			continue;
		LLVMTypeRef type = LLVMGetTypeAttributeValue(a);
		LLVMValueRef address = tracer_low(t, LLVMGetOperand(i, k));
		unsigned long long bytes = LLVMABISizeOfType(t->layout, type);
		if (tracer_width(t, type)) {
			LLVMValueRef mark = tracer_mark(t, address);
			LLVMValueRef l = tracer_call(t, "load", mark, address, tracer_i32(t, (unsigned)bytes), NULL);
			tracer_call(t, "unknown", tracer_site(t, i), l, NULL);
		}
		tracer_clear(t, address, tracer_i64(t, bytes));
	}
}
