// How C spells types, and the hashes that name them in all programs.
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "instrument/dwarf.h"
#include "instrument/shapes_internal.h"

enum { DEPTH_MAX = 32 };

// --- as the source has it -------------------------------------------------------------------------

static const char *qualifier(unsigned t)
{
	return t == TAG_CONST ? "const" : t == TAG_VOLATILE ? "volatile" : t == TAG_RESTRICT ? "restrict" : NULL;
}

static bool is_suffixed(unsigned t)
{
	return t == TAG_ARRAY || t == TAG_SUBROUTINE;
}

// Appends `node declarator` as C writes it. False: there is no way to write it.
static bool spell(struct buf *out, LLVMValueRef node, const char *declarator, unsigned depth);

static bool spell_text(struct buf *out, const char *text, size_t size, const char *declarator)
{
	buf_add(out, text, size);
	if (*declarator)
		buf_printf(out, "%s%s", *declarator == '[' ? "" : " ", declarator);
	return size > 0;
}

static bool spell_parameters(struct buf *out, LLVMValueRef list, unsigned depth)
{
	unsigned n = dwarf_operands(list);
	buf_addch(out, '(');
	for (unsigned i = 1; i < n; i++) {
		LLVMValueRef each = dwarf_operand(list, i);
		buf_addstr(out, i > 1 ? ", " : "");
		if (!each && n == 2) // f(): nothing is known of its parameters
			continue;
		if (!each)
			buf_addstr(out, "...");
		else if (!spell(out, each, "", depth))
			return false;
	}
	buf_addstr(out, n < 2 ? "void)" : ")");
	return true;
}

static bool spell_derived(struct buf *out, LLVMValueRef node, const char *declarator, unsigned depth)
{
	LLVMValueRef base = dwarf_operand(node, NODE_BASE), list = dwarf_operand(node, NODE_ELEMENTS);
	struct buf inner = {0};
	bool done = true;
	switch (dwarf_tag(node)) {
	case TAG_POINTER: buf_printf(&inner, is_suffixed(dwarf_tag(base)) ? "(*%s)" : "*%s", declarator); break;
	case TAG_ARRAY:
		buf_addstr(&inner, declarator);
		for (unsigned i = 0; i < dwarf_operands(list); i++) {
			LLVMValueRef range = dwarf_operand(list, i), count = dwarf_operand(range, 0);
			long long n = count && LLVMIsAConstantInt(count) ? LLVMConstIntGetSExtValue(count) : -1;
			if (n < 0)
				buf_addstr(&inner, "[]");
			else
				buf_printf(&inner, "[%lld]", n);
		}
		break;
	default:
		buf_addstr(&inner, declarator);
		done = spell_parameters(&inner, base, depth);
		base = dwarf_operand(base, 0);
	}
	done = done && spell(out, base, buf_str(&inner), depth);
	buf_release(&inner);
	return done;
}

static bool spell_qualified(struct buf *out, LLVMValueRef node, const char *declarator, unsigned depth)
{
	LLVMValueRef base = dwarf_operand(node, NODE_BASE);
	const char *word = qualifier(dwarf_tag(node));
	if (dwarf_tag(base) != TAG_POINTER) {
		buf_printf(out, "%s ", word);
		return spell(out, base, declarator, depth);
	}
	char *inner = mem_printf("%s%s%s", word, *declarator ? " " : "", declarator);
	bool done = spell(out, base, inner, depth);
	mem_free(inner);
	return done;
}

static bool spell(struct buf *out, LLVMValueRef node, const char *declarator, unsigned depth)
{
	size_t size = 0;
	if (!node)
		return spell_text(out, "void", 4, declarator);
	unsigned t = dwarf_tag(node);
	const char *name = t ? LLVMDITypeGetName(LLVMValueAsMetadata(node), &size) : NULL;
	if (!t || depth > DEPTH_MAX)
		return false;
	switch (t) {
	case TAG_CONST:
	case TAG_VOLATILE:
	case TAG_RESTRICT: return spell_qualified(out, node, declarator, depth + 1);
	case TAG_POINTER:
	case TAG_ARRAY:
	case TAG_SUBROUTINE: return spell_derived(out, node, declarator, depth + 1);
	case TAG_STRUCT:
	case TAG_UNION:
	case TAG_ENUM:
		buf_addstr(out, size ? t == TAG_STRUCT ? "struct " : t == TAG_UNION ? "union " : "enum " : "");
		return spell_text(out, name, size, declarator);
	case TAG_TYPEDEF: return spell_text(out, name, size, declarator);
	case TAG_BASE:
		if (size == 7 && strncmp(name, "complex", 7) == 0) {
			uint64_t bits = LLVMDITypeGetSizeInBits(LLVMValueAsMetadata(node));
			name = bits == 64 ? "_Complex float" : bits == 128 ? "_Complex double" : "_Complex long double";
			size = strlen(name);
		}
		return spell_text(out, name, size, declarator);
	default: return false; // _Atomic and what is not of C
	}
}

uint32_t shapes_spelling(struct shapes *s, LLVMValueRef node)
{
	struct buf text = {0};
	bool done = spell(&text, node, "", 0);
	uint32_t string = done ? shapes_string(s, text.data, text.len) : 0;
	buf_release(&text);
	return string;
}

// --- names of types -------------------------------------------------------------------------------

static bool name_type(const struct shapes *s, struct buf *out, uint32_t type, const char *declarator, unsigned depth);

static bool name_function(const struct shapes *s, struct buf *out, const struct shape_type *t, unsigned depth)
{
	bool is_variadic = t->flags & SHAPE_VARIADIC;
	buf_addch(out, '(');
	for (uint32_t i = 0; i < t->n; i++) {
		buf_addstr(out, i ? ", " : "");
		if (!name_type(s, out, s->fields[t->first + i].type, "", depth))
			return false;
	}
	if (is_variadic && t->n)
		buf_addstr(out, ", ...");
	buf_addstr(out, t->n || is_variadic ? ")" : "void)");
	return true;
}

static bool name_type(const struct shapes *s, struct buf *out, uint32_t type, const char *declarator, unsigned depth)
{
	const struct shape_type *t = &s->types[type];
	struct buf inner = {0};
	bool done = depth < DEPTH_MAX;
	if (t->name || !type) {
		const char *name = type ? shapes_text(s, t->name) : "void";
		return spell_text(out, name, strlen(name), declarator);
	}
	switch (t->kind) {
	case SHAPE_POINTER:
		buf_printf(&inner,
		           s->types[t->of].kind == SHAPE_ARRAY || s->types[t->of].kind == SHAPE_FUNCTION ? "(*%s)"
		                                                                                         : "*%s",
		           declarator);
		buf_addstr(out, t->flags & SHAPE_CONST && s->types[t->of].kind != SHAPE_POINTER ? "const " : "");
		if (t->flags & SHAPE_CONST && s->types[t->of].kind == SHAPE_POINTER) {
			char *with = mem_printf("const %s", inner.data);
			buf_clear(&inner);
			buf_addstr(&inner, with);
			mem_free(with);
		}
		break;
	case SHAPE_ARRAY:
		buf_addstr(&inner, declarator);
		if (t->count)
			buf_printf(&inner, "[%u]", t->count);
		else
			buf_addstr(&inner, "[]");
		break;
	case SHAPE_FUNCTION:
		buf_addstr(&inner, declarator);
		done = done && name_function(s, &inner, t, depth + 1);
		break;
	default: done = false;
	}
	done = done && name_type(s, out, t->of, buf_str(&inner), depth + 1);
	buf_release(&inner);
	return done;
}

// --- hashes ---------------------------------------------------------------------------------------

struct hasher {
	const struct shapes *s;
	uint64_t *done;      // 0: not yet
	const uint32_t *own; // names that types have by themselves: tags, typedefs of tags, numbers
};

static uint64_t hash_type(struct hasher *h, uint32_t type, unsigned depth);

// What a pointer's hash knows of where it points: a tag's name and nothing behind it. So hashes terminate, and do not
// depend on whether the unit knows the members.
static uint64_t hash_pointee(struct hasher *h, uint32_t type, unsigned depth)
{
	const struct shape_type *t = &h->s->types[type];
	bool is_tag =
		t->kind == SHAPE_STRUCT || t->kind == SHAPE_UNION || t->kind == SHAPE_ENUM || t->kind == SHAPE_VOID;
	if (!is_tag || !h->own[type])
		return hash_type(h, type, depth);
	const char *name = shapes_text(h->s, h->own[type]);
	return hash_bytes(name, strlen(name)).low;
}

static void add_text(struct buf *key, const struct shapes *s, uint32_t string)
{
	const char *text = shapes_text(s, string);
	buf_add(key, text, strlen(text) + 1);
}

static uint64_t hash_type(struct hasher *h, uint32_t type, unsigned depth)
{
	const struct shape_type *t = &h->s->types[type];
	if (h->done[type] || depth > DEPTH_MAX)
		return h->done[type];
	struct buf key = {0};
	buf_u32(&key, t->kind);
	buf_u32(&key, t->flags);
	buf_u64(&key, t->size);
	buf_u32(&key, t->count);
	add_text(&key, h->s, h->own[type]);
	buf_u64(&key, t->kind == SHAPE_POINTER ? hash_pointee(h, t->of, depth + 1)
	              : t->of                  ? hash_type(h, t->of, depth + 1)
	                                       : 0);
	for (uint32_t i = 0; i < t->n; i++) {
		const struct shape_field *f = &h->s->fields[t->first + i];
		add_text(&key, h->s, f->name);
		buf_u64(&key, (uint64_t)f->offset);
		buf_u32(&key, f->bit | (uint32_t)f->bits << 8);
		buf_u64(&key, t->kind == SHAPE_ENUM ? 0 : hash_type(h, f->type, depth + 1));
	}
	uint64_t hash = hash_bytes(key.data, key.len).low;
	buf_release(&key);
	h->done[type] = hash ? hash : 1;
	return h->done[type];
}

// Two structures of one name and one form in different blocks of the source: hashes stay apart all the same.
static void hash_all(struct shapes *s, const uint32_t *own)
{
	struct hasher h = {.s = s, .done = mem_zero(s->n_types * sizeof(uint64_t)), .own = own};
	struct shapes_map seen = {0};
	for (uint32_t i = 0; i < s->n_types; i++) {
		uint64_t hash = hash_type(&h, i, 0);
		while (shapes_map_get(&seen, hash) != SHAPES_NONE)
			hash = hash_bytes(&hash, sizeof hash).low;
		shapes_map_set(&seen, hash, i);
		s->types[i].hash = hash;
	}
	mem_free(seen.slots);
	mem_free(h.done);
}

void shapes_name_types(struct shapes *s)
{
	uint32_t *own = mem_zero(s->n_types * sizeof *own), *full = mem_zero(s->n_types * sizeof *full);
	for (uint32_t i = 0; i < s->n_types; i++) {
		struct buf text = {0};
		own[i] = full[i] = s->types[i].name;
		if (i && !own[i] && name_type(s, &text, i, "", 0))
			full[i] = shapes_string(s, text.data, text.len);
		buf_release(&text);
	}
	hash_all(s, own);
	for (uint32_t i = 0; i < s->n_types; i++)
		s->types[i].name = full[i];
	mem_free(own);
	mem_free(full);
}
