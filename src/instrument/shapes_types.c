// Types of debug information as types of abi/shape.h. LLVM's C interface has no way to the encoding of a number, the
// value of an enumerator and the position of a parameter: they are read from what it prints for the node.
#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <llvm/Config/llvm-config.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "instrument/dwarf.h"
#include "instrument/shapes_internal.h"

enum { WORD = 8, ALIGN_MAX = 16 };
enum { FLAG_DECLARATION = 1 << 2, FLAG_BIT_FIELD = 1 << 19 }; // LLVMDIFlagFwdDecl, LLVMDIFlagBitField

// --- nodes ----------------------------------------------------------------------------------------

char *shapes_printed(LLVMValueRef node)
{
	return LLVMPrintValueToString(node);
}

static const char *name_of(LLVMValueRef type, size_t *ret_size)
{
	*ret_size = 0;
	return LLVMDITypeGetName(LLVMValueAsMetadata(type), ret_size);
}

static bool is_qualifier(unsigned t)
{
	return t == TAG_CONST || t == TAG_VOLATILE || t == TAG_RESTRICT || t == TAG_ATOMIC;
}

static uint16_t align_for(LLVMValueRef type, uint64_t natural)
{
	uint64_t own = type ? LLVMDITypeGetAlignInBits(LLVMValueAsMetadata(type)) / 8 : 0;
	uint64_t align = own ? own : natural;
	return (uint16_t)(align && align <= 32768 ? align : 1);
}

// The type of this key, made if it is the first of its kind.
static uint32_t intern(struct shapes *s, const struct buf *key, struct shape_type type, LLVMMetadataRef node,
                       bool *ret_new)
{
	uint64_t hash = hash_bytes(key->data, key->len).low;
	uint32_t known = shapes_map_get(&s->type_index, hash);
	*ret_new = known == SHAPES_NONE;
	if (!*ret_new)
		return known;
	known = shapes_push_type(s, type, node);
	shapes_map_set(&s->type_index, hash, known);
	return known;
}

static uint32_t intern_plain(struct shapes *s, struct shape_type type)
{
	struct buf key = {0};
	bool is_new;
	buf_u32(&key, type.kind);
	buf_u32(&key, type.flags);
	buf_u32(&key, type.of);
	buf_u32(&key, type.count);
	buf_u32(&key, type.name);
	buf_u64(&key, type.size);
	uint32_t number = intern(s, &key, type, NULL, &is_new);
	buf_release(&key);
	return number;
}

// --- numbers --------------------------------------------------------------------------------------

static uint32_t number(struct shapes *s, const char *name, uint64_t size, unsigned kind, unsigned flags)
{
	uint64_t align = size < ALIGN_MAX ? size : ALIGN_MAX;
	while (align & (align - 1))
		align &= align - 1;
	return intern_plain(s, (struct shape_type){.size = size,
	                                           .name = shapes_string(s, name, strlen(name)),
	                                           .align = (uint16_t)(align ? align : 1),
	                                           .kind = (uint8_t)kind,
	                                           .flags = (uint8_t)flags});
}

// _Complex: two numbers.
static uint32_t complex(struct shapes *s, uint64_t size)
{
	const char *part = size == 8 ? "float" : size == 16 ? "double" : "long double";
	char *name = mem_printf("_Complex %s", part);
	uint32_t of = number(s, part, size / 2, SHAPE_FLOAT, SHAPE_SIGNED);
	uint32_t result = intern_plain(s, (struct shape_type){.size = size,
	                                                      .name = shapes_string(s, name, strlen(name)),
	                                                      .of = of,
	                                                      .count = 2,
	                                                      .align = s->types[of].align,
	                                                      .kind = SHAPE_ARRAY});
	mem_free(name);
	return result;
}

static uint32_t base_type(struct shapes *s, LLVMValueRef node)
{
	static const struct {
		const char *encoding;
		uint8_t kind, flags;
	} known[] = {
		{"DW_ATE_signed_char", SHAPE_INTEGER, SHAPE_SIGNED | SHAPE_CHARACTER},
		{"DW_ATE_unsigned_char", SHAPE_INTEGER, SHAPE_CHARACTER},
		{"DW_ATE_UTF", SHAPE_INTEGER, 0},
		{"DW_ATE_boolean", SHAPE_INTEGER, SHAPE_BOOL},
		{"DW_ATE_float", SHAPE_FLOAT, SHAPE_SIGNED},
		{"DW_ATE_signed", SHAPE_INTEGER, SHAPE_SIGNED},
		{"DW_ATE_unsigned", SHAPE_INTEGER, 0},
	};
	size_t length;
	const char *given = name_of(node, &length);
	uint64_t size = LLVMDITypeGetSizeInBits(LLVMValueAsMetadata(node)) / 8;
	char *text = shapes_printed(node), *encoding = strstr(text, "encoding: "), *name = mem_copy(given, length);
	encoding = encoding ? encoding + strlen("encoding: ") : text;
	size_t n = strcspn(encoding, ",)"), i = 0;
	uint32_t result = 0;
	while (i < sizeof known / sizeof *known &&
	       (strlen(known[i].encoding) != n || strncmp(known[i].encoding, encoding, n) != 0))
		i++;
	if (i < sizeof known / sizeof *known)
		result = number(s, name, size, known[i].kind, known[i].flags);
	else if (strncmp(encoding, "DW_ATE_complex_float", n) == 0)
		result = complex(s, size);
	LLVMDisposeMessage(text);
	mem_free(name);
	return result;
}

uint32_t shapes_characters(struct shapes *s, uint64_t count)
{
	uint32_t of = number(s, "char", 1, SHAPE_INTEGER, SHAPE_SIGNED | SHAPE_CHARACTER);
	return intern_plain(
		s, (struct shape_type){
			   .size = count, .of = of, .count = (uint32_t)count, .align = 1, .kind = SHAPE_ARRAY});
}

// --- derived --------------------------------------------------------------------------------------

static uint32_t pointer_type(struct shapes *s, LLVMValueRef node)
{
	LLVMValueRef to = dwarf_operand(node, NODE_BASE);
	unsigned flags = 0;
	for (LLVMValueRef at = to; is_qualifier(dwarf_tag(at)) || dwarf_tag(at) == TAG_TYPEDEF;
	     at = dwarf_operand(at, NODE_BASE))
		flags |= dwarf_tag(at) == TAG_CONST ? SHAPE_CONST : 0;
	uint32_t of = shapes_type(s, to);
	return intern_plain(
		s, (struct shape_type){
			   .size = WORD, .of = of, .align = WORD, .kind = SHAPE_POINTER, .flags = (uint8_t)flags});
}

// How many elements a dimension has; 0: it is not fixed.
static uint64_t count_of(LLVMValueRef range)
{
	LLVMValueRef count = dwarf_operand(range, 0);
	long long n = count && LLVMIsAConstantInt(count) ? LLVMConstIntGetSExtValue(count) : 0;
	return n > 0 && n < UINT32_MAX ? (uint64_t)n : 0;
}

// Dimensions from the last to the first: int[2][3] is an array of 2 arrays of 3.
static uint32_t array_type(struct shapes *s, LLVMValueRef node)
{
	LLVMValueRef ranges = dwarf_operand(node, NODE_ELEMENTS);
	uint32_t of = shapes_type(s, dwarf_operand(node, NODE_BASE));
	for (unsigned i = dwarf_operands(ranges); i-- > 0;) {
		assert(of < s->n_types);
		uint64_t count = count_of(dwarf_operand(ranges, i));
		of = intern_plain(s, (struct shape_type){.size = count * s->types[of].size,
		                                         .of = of,
		                                         .count = (uint32_t)count,
		                                         .align = s->types[of].align,
		                                         .kind = SHAPE_ARRAY});
	}
	return of;
}

static uint32_t function_type(struct shapes *s, LLVMValueRef node)
{
	LLVMValueRef list = dwarf_operand(node, NODE_BASE);
	unsigned n = dwarf_operands(list), flags = 0;
	struct shape_field *own = NULL;
	uint32_t n_own = 0;
	struct buf key = {0};
	uint32_t result = shapes_type(s, dwarf_operand(list, 0));
	for (unsigned i = 1; i < n; i++) {
		LLVMValueRef parameter = dwarf_operand(list, i);
		if (parameter)
			shapes_push_field(&own, &n_own, shapes_field(s, NULL, parameter));
		else
			flags = SHAPE_VARIADIC;
	}
	buf_u32(&key, SHAPE_FUNCTION);
	buf_u32(&key, flags);
	buf_u32(&key, result);
	for (uint32_t i = 0; i < n_own; i++)
		buf_u32(&key, own[i].type);
	bool is_new;
	struct shape_type type = {.of = result, .align = 1, .kind = SHAPE_FUNCTION, .flags = (uint8_t)flags};
	uint32_t made = intern(s, &key, type, NULL, &is_new);
	buf_release(&key);
	if (is_new)
		shapes_take_fields(s, made, own, n_own);
	else
		mem_free(own);
	return made;
}

// --- tags -----------------------------------------------------------------------------------------

static uint32_t tag_name(struct shapes *s, LLVMValueRef node)
{
	unsigned t = dwarf_tag(node);
	size_t size;
	const char *name = name_of(node, &size);
	if (!size)
		return 0;
	char *full = mem_printf("%s %.*s",
	                        t == TAG_STRUCT  ? "struct"
	                        : t == TAG_UNION ? "union"
	                                         : "enum",
	                        (int)size, name);
	uint32_t result = shapes_string(s, full, strlen(full));
	mem_free(full);
	return result;
}

static void add_enumerators(struct shapes *s, uint32_t type, LLVMValueRef node)
{
	LLVMValueRef list = dwarf_operand(node, NODE_ELEMENTS);
	struct shape_field *own = NULL;
	uint32_t n_own = 0;
	for (unsigned i = 0; i < dwarf_operands(list); i++) {
		LLVMValueRef each = dwarf_operand(list, i), name = dwarf_operand(each, 0);
		unsigned size = 0;
		const char *text = name && LLVMIsAMDString(name) ? LLVMGetMDString(name, &size) : NULL;
		char *printed = shapes_printed(each), *value = strstr(printed, "value: ");
		bool is_unsigned = strstr(printed, "isUnsigned: true") != NULL;
		struct shape_field field = {.name = shapes_string(s, text, size)};
		if (value)
			field.offset = is_unsigned ? (int64_t)strtoull(value + strlen("value: "), NULL, 10)
			                           : strtoll(value + strlen("value: "), NULL, 10);
		LLVMDisposeMessage(printed);
		if (value)
			shapes_push_field(&own, &n_own, field);
	}
	shapes_take_fields(s, type, own, n_own);
}

// A structure, union or enumeration: named at once, so that pointers to it can be made; its members come later.
static uint32_t tagged_type(struct shapes *s, LLVMValueRef node)
{
	LLVMMetadataRef own = LLVMValueAsMetadata(node);
	uint32_t known = shapes_map_get(&s->type_index, shapes_key(own));
	if (known != SHAPES_NONE)
		return known;
	unsigned t = dwarf_tag(node);
	bool is_declared = LLVMDITypeGetFlags(own) & FLAG_DECLARATION;
	struct shape_type type = {
		.size = LLVMDITypeGetSizeInBits(own) / 8,
		.name = tag_name(s, node),
		.align = align_for(node, 1),
		.kind = is_declared       ? SHAPE_VOID
	                : t == TAG_STRUCT ? SHAPE_STRUCT
	                : t == TAG_UNION  ? SHAPE_UNION
	                                  : SHAPE_ENUM,
	};
	if (is_declared && !type.name)
		return 0;
	uint32_t made = shapes_push_type(s, type, own);
	shapes_map_set(&s->type_index, shapes_key(own), made);
	if (type.kind == SHAPE_ENUM) {
		uint32_t base = shapes_type(s, dwarf_operand(node, NODE_BASE));
		s->types[made].of = base;
		s->types[made].flags = s->types[base].flags & SHAPE_SIGNED;
		s->types[made].align = align_for(node, type.size);
		add_enumerators(s, made, node);
	} else if (type.kind != SHAPE_VOID) {
		shapes_list_push(&s->pending, made);
	}
	return made;
}

// `typedef struct { ... } point`: the structure is called so.
static uint32_t typedef_type(struct shapes *s, LLVMValueRef node)
{
	uint32_t of = shapes_type(s, dwarf_operand(node, NODE_BASE));
	struct shape_type *type = &s->types[of];
	bool is_tagged = type->kind == SHAPE_STRUCT || type->kind == SHAPE_UNION || type->kind == SHAPE_ENUM;
	size_t size;
	const char *name = name_of(node, &size);
	if (of && is_tagged && !type->name &&
	    dwarf_tag(dwarf_operand(node, NODE_BASE)) == dwarf_tag(LLVMMetadataAsValue(s->m->context, s->nodes[of])))
		s->types[of].name = shapes_string(s, name, size);
	return of;
}

uint32_t shapes_type(struct shapes *s, LLVMValueRef node)
{
	while (is_qualifier(dwarf_tag(node)))
		node = dwarf_operand(node, NODE_BASE);
	switch (dwarf_tag(node)) {
	case TAG_BASE: return base_type(s, node);
	case TAG_POINTER: return pointer_type(s, node);
	case TAG_TYPEDEF: return typedef_type(s, node);
	case TAG_ARRAY: return array_type(s, node);
	case TAG_SUBROUTINE: return function_type(s, node);
	case TAG_STRUCT:
	case TAG_UNION:
	case TAG_ENUM: return tagged_type(s, node);
	default: return 0;
	}
}

// --- members --------------------------------------------------------------------------------------

struct shape_field shapes_field(struct shapes *s, LLVMValueRef name, LLVMValueRef type)
{
	unsigned size = 0;
	const char *text = name && LLVMIsAMDString(name) ? LLVMGetMDString(name, &size) : NULL;
	struct shape_field field = {.name = shapes_string(s, text, size), .type = shapes_type(s, type)};
	field.spelling = shapes_spelling(s, type);
	field.flags = s->types[field.type].flags & SHAPE_CONST;
	return field;
}

static void add_members(struct shapes *s, uint32_t type)
{
	LLVMValueRef node = LLVMMetadataAsValue(s->m->context, s->nodes[type]),
		     list = dwarf_operand(node, NODE_ELEMENTS);
	struct shape_field *own = NULL;
	uint32_t n_own = 0;
	for (unsigned i = 0; i < dwarf_operands(list); i++) {
		LLVMValueRef member = dwarf_operand(list, i);
		if (dwarf_tag(member) != TAG_MEMBER)
			continue;
		LLVMMetadataRef m = LLVMValueAsMetadata(member);
		struct shape_field field =
			shapes_field(s, dwarf_operand(member, NODE_NAME), dwarf_operand(member, NODE_BASE));
		uint64_t bits = LLVMDITypeGetOffsetInBits(m);
		field.offset = (int64_t)(bits / 8);
		if (LLVMDITypeGetFlags(m) & FLAG_BIT_FIELD) {
			field.bit = (uint8_t)(bits % 8);
			field.bits = (uint8_t)LLVMDITypeGetSizeInBits(m);
		}
		shapes_push_field(&own, &n_own, field);
	}
	shapes_take_fields(s, type, own, n_own);
}

// The alignment of a structure follows from where its members lie: debug information has it only when the source
// says so.
static uint64_t align_of(struct shapes *s, uint32_t type)
{
	const struct shape_type *t = &s->types[type];
	if ((t->kind != SHAPE_STRUCT && t->kind != SHAPE_UNION) || t->align > 1)
		return t->kind == SHAPE_ARRAY ? align_of(s, t->of) : t->align;
	uint64_t align = 1;
	for (uint32_t i = 0; i < t->n; i++) {
		const struct shape_field *f = &s->fields[t->first + i];
		uint64_t own = align_of(s, f->type), at = (uint64_t)f->offset;
		while (!f->bits && own > 1 && at % own)
			own /= 2;
		align = own > align ? own : align;
	}
	while (align > 1 && t->size % align)
		align /= 2;
	s->types[type].align = (uint16_t)align;
	return align;
}

void shapes_complete(struct shapes *s)
{
	for (uint32_t i = 0; i < s->pending.n; i++)
		add_members(s, s->pending.v[i]);
	s->pending.n = 0;
	for (uint32_t i = 0; i < s->n_types; i++)
		s->types[i].align = (uint16_t)align_of(s, i);
}
