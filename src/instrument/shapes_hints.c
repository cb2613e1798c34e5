// What a `void *` points to, as the function's own code shows: it copies the pointer to a variable of another type, or
// takes members of a structure of it,
//
//     struct file *f = opaque;        ((struct file *)opaque)->size
//
// which in LLVM's code is a store of what was loaded from the parameter, or a step into %struct.file. Casts keep the
// structure's type among those that debug information retains.
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "base/text.h"
#include "instrument/dwarf.h"
#include "instrument/shapes_internal.h"

enum { NODE_UNIT = 5, NODE_RETAINED_TYPES = 5 }; // of subprograms; of units

// Behind typedefs and qualifiers; NULL is void.
static LLVMValueRef plain_type(LLVMValueRef type)
{
	for (;;) {
		switch (dwarf_tag(type)) {
		case TAG_TYPEDEF:
		case TAG_CONST:
		case TAG_VOLATILE:
		case TAG_RESTRICT: type = dwarf_operand(type, NODE_BASE); continue;
		default: return type;
		}
	}
}

static bool is_pointer(LLVMValueRef type)
{
	return dwarf_tag(plain_type(type)) == TAG_POINTER;
}

static LLVMValueRef pointee(LLVMValueRef pointer)
{
	return dwarf_operand(plain_type(pointer), NODE_BASE);
}

static bool is_structure(LLVMValueRef type)
{
	return dwarf_tag(plain_type(type)) == TAG_STRUCT && dwarf_operand(plain_type(type), NODE_ELEMENTS);
}

static bool has_name(LLVMValueRef type, const char *name, size_t n)
{
	size_t size = 0;
	const char *own = LLVMDITypeGetName(LLVMValueAsMetadata(type), &size);
	return size == n && memcmp(own, name, n) == 0;
}

// A structure without a tag is called in LLVM's code what its typedef is.
static bool points_to(LLVMValueRef type, const char *name, size_t n)
{
	if (!is_pointer(type) || !is_structure(pointee(type)))
		return false;
	for (LLVMValueRef at = pointee(type);; at = dwarf_operand(at, NODE_BASE)) {
		unsigned tag = dwarf_tag(at);
		if ((tag == TAG_TYPEDEF || tag == TAG_STRUCT) && has_name(at, name, n))
			return true;
		if (tag != TAG_TYPEDEF && tag != TAG_CONST && tag != TAG_VOLATILE)
			return false;
	}
}

// "struct.file" and "struct.file.7", which another unit's linking or LLVM made of it.
static LLVMValueRef retained(struct shapes *s, LLVMValueRef function, LLVMTypeRef type)
{
	const char *name = LLVMGetTypeKind(type) == LLVMStructTypeKind ? LLVMGetStructName(type) : NULL;
	LLVMMetadataRef own = LLVMGetSubprogram(function);
	if (!name || !own || !text_starts(name, "struct."))
		return NULL;
	name += strlen("struct.");
	LLVMValueRef unit = dwarf_operand(LLVMMetadataAsValue(s->m->context, own), NODE_UNIT),
		     list = dwarf_operand(unit, NODE_RETAINED_TYPES);
	for (unsigned i = 0; i < dwarf_operands(list); i++)
		if (points_to(dwarf_operand(list, i), name, strcspn(name, ".")))
			return dwarf_operand(list, i);
	return NULL;
}

// What the use of a pointer shows of its type.
static LLVMValueRef shown_by(struct shapes *s, const struct shapes_hints *h, LLVMValueRef user, LLVMValueRef pointer)
{
	if (LLVMIsAGetElementPtrInst(user) && LLVMGetOperand(user, 0) == pointer)
		return retained(s, h->function, LLVMGetGEPSourceElementType(user));
	if (!LLVMIsAStoreInst(user) || LLVMGetOperand(user, 0) != pointer)
		return NULL;
	LLVMValueRef type = h->type_of(h->opaque, LLVMGetOperand(user, 1));
	return type && is_pointer(type) && is_structure(pointee(type)) ? type : NULL;
}

LLVMValueRef shapes_hinted(struct shapes *s, const struct shapes_hints *h, LLVMValueRef place, LLVMValueRef type)
{
	if (!place || !LLVMIsAAllocaInst(place) || !is_pointer(type) || plain_type(pointee(type)))
		return type;
	for (LLVMUseRef use = LLVMGetFirstUse(place); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef load = LLVMGetUser(use);
		for (LLVMUseRef of = LLVMIsALoadInst(load) ? LLVMGetFirstUse(load) : NULL; of;
		     of = LLVMGetNextUse(of)) {
			LLVMValueRef shown = shown_by(s, h, LLVMGetUser(of), load);
			if (shown)
				return shown;
		}
	}
	return type;
}
