#include "instrument/types.h"

#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "base/mem.h"
#include "instrument/dwarf.h"
#include "instrument/variables.h"

enum { LINES_MAX = 4096, DEPTH_MAX = 8, ARRAY_MAX = 64 };

struct lister {
	struct buf *out;
	const char *object;
	unsigned lines;
};

// --- debug information ----------------------------------------------------------------------------

static LLVMValueRef without_names(LLVMValueRef type)
{
	for (int i = 0; i < 32; i++) {
		unsigned t = dwarf_tag(type);
		if (t != TAG_TYPEDEF && t != TAG_CONST && t != TAG_VOLATILE)
			return type;
		type = dwarf_operand(type, NODE_BASE);
	}
	return NULL;
}

static uint64_t size_of(LLVMValueRef type)
{
	return type ? LLVMDITypeGetSizeInBits(LLVMValueAsMetadata(type)) / 8 : 0;
}

// A number of this type, as C calls it; NULL when it is none.
static const char *number_type(LLVMValueRef type, size_t *ret_length)
{
	static const char *const by_size[] = {"uint8_t", "uint16_t", NULL, "uint32_t"};
	uint64_t size = size_of(type);
	*ret_length = 0;
	switch (dwarf_tag(type)) {
	case TAG_BASE: return LLVMDITypeGetName(LLVMValueAsMetadata(type), ret_length);
	case TAG_ENUM:
		if (size != 1 && size != 2 && size != 4)
			return NULL;
		*ret_length = strlen(by_size[size - 1]);
		return by_size[size - 1];
	default: return NULL;
	}
}

// --- fields ---------------------------------------------------------------------------------------

static void list_type(struct lister *l, LLVMValueRef type, const char *name, uint64_t offset, unsigned depth);

static void list_members(struct lister *l, LLVMValueRef type, const char *name, uint64_t offset, unsigned depth)
{
	LLVMValueRef elements = dwarf_operand(type, NODE_ELEMENTS);
	unsigned n = dwarf_operands(elements);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef member = dwarf_operand(elements, i);
		if (dwarf_tag(member) != TAG_MEMBER)
			continue;
		size_t length = 0;
		uint64_t bits = LLVMDITypeGetOffsetInBits(LLVMValueAsMetadata(member)),
			 size = LLVMDITypeGetSizeInBits(LLVMValueAsMetadata(member));
		const char *own = LLVMDITypeGetName(LLVMValueAsMetadata(member), &length);
		LLVMValueRef of = without_names(dwarf_operand(member, NODE_BASE));
		if (bits % 8 || size / 8 != size_of(of)) // a field of bits
			continue;
		char *full = mem_printf("%s%s%.*s", name, *name ? "." : "", (int)length, own ? own : "");
		list_type(l, of, full, offset + bits / 8, depth + 1);
		mem_free(full);
	}
}

static void list_elements(struct lister *l, LLVMValueRef type, const char *name, uint64_t offset, unsigned depth)
{
	LLVMValueRef of = without_names(dwarf_operand(type, NODE_BASE)), ranges = dwarf_operand(type, NODE_ELEMENTS);
	uint64_t size = size_of(of), n = size ? size_of(type) / size : 0;
	bool is_flat = ranges && LLVMIsAMDNode(ranges) && LLVMGetMDNodeNumOperands(ranges) == 1;
	// Bytes are described one by one or as text, without types.
	for (uint64_t i = 0; is_flat && size > 1 && i < n && i < ARRAY_MAX; i++) {
		char *full = mem_printf("%s[%llu]", name, (unsigned long long)i);
		list_type(l, of, full, offset + i * size, depth + 1);
		mem_free(full);
	}
}

static void list_type(struct lister *l, LLVMValueRef type, const char *name, uint64_t offset, unsigned depth)
{
	size_t length;
	const char *number = number_type(type, &length);
	if (depth > DEPTH_MAX || l->lines > LINES_MAX)
		return;
	if (dwarf_tag(type) == TAG_STRUCT)
		list_members(l, type, name, offset, depth);
	else if (dwarf_tag(type) == TAG_ARRAY)
		list_elements(l, type, name, offset, depth);
	else if (number && length) {
		buf_printf(l->out, "%s\t%s\t%.*s\t%llu\n", l->object, name, (int)length, number,
		           (unsigned long long)offset);
		l->lines++;
	}
}

// --- variables ------------------------------------------------------------------------------------

struct local {
	LLVMValueRef place, type;
};

static void take_type(LLVMValueRef place, LLVMValueRef node, void *opaque)
{
	struct local *l = opaque;
	if (place == l->place && !l->type)
		l->type = dwarf_operand(node, NODE_VARIABLE_TYPE);
}

// The type of the variable that lives there; NULL: it is not known.
static LLVMValueRef local_type(LLVMModuleRef module, LLVMValueRef alloca)
{
	struct local l = {.place = alloca};
	variables_each(module, take_type, &l);
	return l.type;
}

static LLVMValueRef type_of(LLVMModuleRef module, LLVMValueRef address)
{
	if (LLVMIsAAllocaInst(address))
		return local_type(module, address);
	return LLVMIsAGlobalVariable(address)
	               ? dwarf_operand(dwarf_variable_of(LLVMGetModuleContext(module), address), NODE_VARIABLE_TYPE)
	               : NULL;
}

// The text that a constant address leads to; NULL when it is none.
static const char *text_at(LLVMValueRef address)
{
	size_t size;
	LLVMValueRef text = LLVMIsAGlobalVariable(address) ? LLVMGetInitializer(address) : NULL;
	return text && LLVMIsAConstantDataArray(text) && LLVMIsConstantString(text) ? LLVMGetAsString(text, &size)
	                                                                            : NULL;
}

static void list_call(struct module *m, LLVMValueRef call, struct buf *ret)
{
	if (!LLVMIsACallInst(call) || LLVMGetNumArgOperands(call) != 3)
		return;
	const char *name = text_at(LLVMGetOperand(call, 2));
	LLVMValueRef type = without_names(type_of(m->module, LLVMGetOperand(call, 0)));
	struct lister l = {.out = ret, .object = name};
	if (name && *name && !strpbrk(name, "\t\n") && type)
		list_type(&l, type, "", 0, 0);
}

void types_list(struct module *m, struct buf *ret)
{
	static const char *const functions[] = {"veer_make_symbolic", "klee_make_symbolic"};
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		LLVMValueRef f = LLVMGetNamedFunction(m->module, functions[i]);
		for (LLVMUseRef use = f ? LLVMGetFirstUse(f) : NULL; use; use = LLVMGetNextUse(use))
			list_call(m, LLVMGetUser(use), ret);
	}
}
