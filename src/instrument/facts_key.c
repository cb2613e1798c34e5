// Types and constants as bytes of a key.
#include <ctype.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "instrument/facts_internal.h"
#include "instrument/shapes_internal.h"

enum { DEPTH_MAX = 64 };

// --- names ----------------------------------------------------------------------------------------

// Without the number that LLVM adds to a name that is there already.
static size_t without_number(const char *name, size_t size)
{
	size_t n = size;
	while (n && isdigit((unsigned char)name[n - 1]))
		n--;
	return n > 1 && n < size && name[n - 1] == '.' ? n - 1 : size;
}

static bool is_local(LLVMValueRef v)
{
	return LLVMGetLinkage(v) == LLVMInternalLinkage || LLVMGetLinkage(v) == LLVMPrivateLinkage;
}

char *facts_symbol(LLVMValueRef v)
{
	size_t size = 0;
	const char *name = LLVMGetValueName2(v, &size);
	if (size && name[0] == 1) // asm("name")
		return mem_copy(name + 1, size - 1);
	return mem_copy(name, is_local(v) ? without_number(name, size) : size);
}

static void add_symbol(struct facts_key *k, LLVMValueRef v)
{
	if (v == k->own) {
		buf_addstr(&k->bytes, "self;");
		return;
	}
	char *symbol = facts_symbol(v);
	if (k->symbols) {
		size_t i = 0;
		while (i < k->symbols->n && strcmp(k->symbols->v[i], symbol) != 0)
			i++;
		if (i == k->symbols->n)
			strv_push(k->symbols, symbol);
		buf_printf(&k->bytes, "symbol %zu;", i);
	} else {
		buf_printf(&k->bytes, "symbol %s;", symbol);
	}
	mem_free(symbol);
}

// --- types ----------------------------------------------------------------------------------------

static void add_structure(struct facts_key *k, LLVMTypeRef type)
{
	const char *name = LLVMGetStructName(type);
	if (k->by_name && name && strncmp(name, "struct.anon", 11) != 0 && strncmp(name, "union.anon", 10) != 0) {
		buf_printf(&k->bytes, "%.*s;", (int)without_number(name, strlen(name)), name);
		return;
	}
	unsigned n = LLVMIsOpaqueStruct(type) ? 0 : LLVMCountStructElementTypes(type);
	buf_printf(&k->bytes, "{%u%s", n, LLVMIsPackedStruct(type) ? "p" : "");
	for (unsigned i = 0; i < n; i++)
		facts_add_type(k, LLVMStructGetTypeAtIndex(type, i));
	buf_addch(&k->bytes, '}');
}

void facts_add_type(struct facts_key *k, LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind: buf_printf(&k->bytes, "i%u;", LLVMGetIntTypeWidth(type)); return;
	case LLVMPointerTypeKind: buf_printf(&k->bytes, "p%u;", LLVMGetPointerAddressSpace(type)); return;
	case LLVMArrayTypeKind:
		buf_printf(&k->bytes, "[%llu", (unsigned long long)LLVMGetArrayLength2(type));
		facts_add_type(k, LLVMGetElementType(type));
		return;
	case LLVMVectorTypeKind:
		buf_printf(&k->bytes, "<%u", LLVMGetVectorSize(type));
		facts_add_type(k, LLVMGetElementType(type));
		return;
	case LLVMStructTypeKind: add_structure(k, type); return;
	default: {
		char *text = LLVMPrintTypeToString(type);
		buf_printf(&k->bytes, "%s;", text);
		LLVMDisposeMessage(text);
	}
	}
}

// --- members --------------------------------------------------------------------------------------

// "struct.point.3" is `struct point`, or a structure without a tag whose typedef is `point`.
static const struct shape_type *find_structure(const struct facts_key *k, LLVMTypeRef structure)
{
	const char *name = LLVMGetStructName(structure), *dot = name ? strchr(name, '.') : NULL;
	if (!dot)
		return NULL;
	size_t kind = (size_t)(dot - name), size = without_number(dot + 1, strlen(dot + 1));
	uint64_t bytes = LLVMABISizeOfType(k->layout, structure);
	for (uint32_t i = 0; i < k->shapes->n_types; i++) {
		const struct shape_type *t = &k->shapes->types[i];
		const char *own = shapes_text(k->shapes, t->name);
		if ((t->kind != SHAPE_STRUCT && t->kind != SHAPE_UNION) || t->size != bytes)
			continue;
		if (strncmp(own, name, kind) == 0 && own[kind] == ' ')
			own += kind + 1;
		if (strlen(own) == size && strncmp(own, dot + 1, size) == 0)
			return t;
	}
	return NULL;
}

// Members of bits share a unit of storage: all of them name it.
static bool add_member_name(struct facts_key *k, LLVMTypeRef structure, unsigned member)
{
	const struct shape_type *t = find_structure(k, structure);
	uint64_t from = LLVMOffsetOfElement(k->layout, structure, member),
		 size = LLVMABISizeOfType(k->layout, LLVMStructGetTypeAtIndex(structure, member));
	bool found = false;
	for (uint32_t i = 0; t && i < t->n; i++) {
		const struct shape_field *f = &k->shapes->fields[t->first + i];
		uint64_t at = (uint64_t)f->offset;
		if (at != from && (!f->bits || at < from || at >= from + size))
			continue;
		buf_printf(&k->bytes, ".%s", shapes_text(k->shapes, f->name));
		found = true;
	}
	buf_addstr(&k->bytes, found ? ";" : "");
	return found;
}

void facts_add_member(struct facts_key *k, LLVMTypeRef structure, unsigned member)
{
	if (!k->by_name || !add_member_name(k, structure, member))
		buf_printf(&k->bytes, "#%u;", member);
}

// --- constants ------------------------------------------------------------------------------------

static void add_constant(struct facts_key *k, LLVMValueRef v, unsigned depth);

static bool starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

// A path that __FILE__ can be: the unit's source, or a header as it was found.
static bool is_path_of_file(struct facts_key *k, LLVMValueRef literal)
{
	size_t size = 0, own = 0;
	const char *text = LLVMGetAsString(literal, &size);
	const char *source = LLVMGetSourceFileName(LLVMGetGlobalParent(k->own), &own);
	size -= size && !text[size - 1];
	if (size == own && memcmp(text, source, own) == 0)
		return true;
	LLVMMetadataRef at = k->call ? LLVMInstructionGetDebugLoc(k->call) : NULL;
	LLVMMetadataRef file = at ? LLVMDIScopeGetFile(LLVMDILocationGetScope(at)) : NULL;
	unsigned length = 0;
	const char *name = file ? LLVMDIFileGetFilename(file, &length) : NULL;
	return name && length && size >= length && memcmp(text + size - length, name, length) == 0;
}

static bool is_text(LLVMValueRef v)
{
	return LLVMIsAConstantDataArray(v) && LLVMIsConstantString(v);
}

// Data without a name of the source: a literal, the initialiser of a local array.
static void add_anonymous(struct facts_key *k, LLVMValueRef v, unsigned depth)
{
	const char *name = LLVMGetValueName2(v, &(size_t){0});
	LLVMValueRef value = LLVMGetInitializer(v);
	if (starts_with(name, "__func__.") || starts_with(name, "__FUNCTION__.") ||
	    starts_with(name, "__PRETTY_FUNCTION__."))
		buf_addstr(&k->bytes, "function's name;");
	else if (k->call && k->silent && is_text(value))
		buf_addstr(&k->bytes, "text;");
	else if (k->call && k->own && is_text(value) && is_path_of_file(k, value))
		buf_addstr(&k->bytes, "file's name;");
	else
		add_constant(k, value, depth + 1);
}

static bool is_nothing(LLVMValueRef v)
{
	return LLVMIsNull(v) || LLVMIsUndef(v);
}

static int by_text(const void *x, const void *y)
{
	return strcmp(*(char *const *)x, *(char *const *)y);
}

// In the order of their names. A member that is zero is one that is not there.
static void add_named_members(struct facts_key *k, LLVMValueRef v, unsigned depth)
{
	struct buf whole = k->bytes;
	struct strv members = {0};
	for (int i = 0; i < LLVMGetNumOperands(v); i++) {
		LLVMValueRef each = LLVMGetOperand(v, (unsigned)i);
		if (is_nothing(each))
			continue;
		k->bytes = (struct buf){0};
		facts_add_member(k, LLVMTypeOf(v), (unsigned)i);
		size_t name = k->bytes.len;
		add_constant(k, each, depth + 1);
		struct hash value = hash_bytes(k->bytes.data + name, k->bytes.len - name);
		strv_pushf(&members, "%.*s%llx", (int)name, k->bytes.data, (unsigned long long)value.low);
		buf_release(&k->bytes);
	}
	k->bytes = whole;
	if (members.n)
		qsort(members.v, members.n, sizeof *members.v, by_text);
	for (size_t i = 0; i < members.n; i++)
		buf_printf(&k->bytes, "%s;", members.v[i]);
	strv_release(&members);
}

static void add_members(struct facts_key *k, LLVMValueRef v, unsigned depth)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	if (k->by_name && LLVMGetTypeKind(type) == LLVMStructTypeKind && LLVMGetStructName(type)) {
		add_named_members(k, v, depth);
		return;
	}
	buf_printf(&k->bytes, "(%d", LLVMGetNumOperands(v));
	for (int i = 0; i < LLVMGetNumOperands(v); i++)
		add_constant(k, LLVMGetOperand(v, (unsigned)i), depth + 1);
	buf_addch(&k->bytes, ')');
}

static void add_array(struct facts_key *k, LLVMValueRef v, unsigned depth)
{
	LLVMTypeRef type = LLVMTypeOf(v);
	bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
	size_t size = 0;
	facts_add_type(k, type);
	if (!is_vector && LLVMIsConstantString(v)) {
		const char *text = LLVMGetAsString(v, &size);
		buf_add(&k->bytes, text, size);
		return;
	}
	uint64_t n = is_vector ? LLVMGetVectorSize(type) : LLVMGetArrayLength2(type);
	for (uint64_t i = 0; i < n; i++)
		add_constant(k, LLVMGetAggregateElement(v, (unsigned)i), depth + 1);
}

static void add_expression(struct facts_key *k, LLVMValueRef v, unsigned depth)
{
	LLVMOpcode opcode = LLVMGetConstOpcode(v);
	buf_printf(&k->bytes, "op %d;", (int)opcode);
	facts_add_type(k, LLVMTypeOf(v));
	LLVMTypeRef within = opcode == LLVMGetElementPtr ? LLVMGetGEPSourceElementType(v) : NULL;
	if (within)
		facts_add_type(k, within);
	for (int i = 0; i < LLVMGetNumOperands(v); i++) {
		LLVMValueRef each = LLVMGetOperand(v, (unsigned)i);
		if (i > 1 && within && LLVMGetTypeKind(within) == LLVMStructTypeKind) {
			unsigned member = (unsigned)LLVMConstIntGetZExtValue(each);
			facts_add_member(k, within, member);
			within = LLVMStructGetTypeAtIndex(within, member);
			continue;
		}
		if (i > 1 && within)
			within = LLVMGetElementType(within);
		add_constant(k, each, depth + 1);
	}
}

static void add_printed(struct facts_key *k, LLVMValueRef v)
{
	char *text = LLVMPrintValueToString(v);
	buf_printf(&k->bytes, "%s;", text);
	LLVMDisposeMessage(text);
}

static void add_number(struct facts_key *k, LLVMValueRef v)
{
	unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(v));
	if (width <= 64)
		buf_printf(&k->bytes, "i%u %llu;", width, LLVMConstIntGetZExtValue(v));
	else
		add_printed(k, v);
}

static void add_constant(struct facts_key *k, LLVMValueRef v, unsigned depth)
{
	if (depth > DEPTH_MAX) {
		buf_addstr(&k->bytes, "...");
	} else if (LLVMIsAGlobalVariable(v) && LLVMGetLinkage(v) == LLVMPrivateLinkage && LLVMGetInitializer(v)) {
		add_anonymous(k, v, depth);
	} else if (LLVMIsAGlobalValue(v)) {
		add_symbol(k, v);
	} else if (LLVMIsAConstantInt(v)) {
		add_number(k, v);
	} else if (LLVMIsAConstantPointerNull(v) || LLVMIsAConstantAggregateZero(v)) {
		buf_addstr(&k->bytes, "zero;");
		if (!k->by_name)
			facts_add_type(k, LLVMTypeOf(v));
	} else if (LLVMIsUndef(v)) {
		buf_addstr(&k->bytes, "undef;");
	} else if (LLVMIsAConstantExpr(v)) {
		add_expression(k, v, depth);
	} else if (LLVMIsABlockAddress(v)) {
		buf_addstr(&k->bytes, "block;");
	} else if (LLVMIsAConstantDataArray(v) || LLVMIsAConstantDataVector(v)) {
		add_array(k, v, depth);
	} else if (LLVMIsAConstantStruct(v) || LLVMIsAConstantArray(v) || LLVMIsAConstantVector(v)) {
		add_members(k, v, depth);
	} else {
		add_printed(k, v);
	}
}

void facts_add_constant(struct facts_key *k, LLVMValueRef v)
{
	add_constant(k, v, 0);
}
