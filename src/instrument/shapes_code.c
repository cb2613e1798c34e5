// Functions and globals: what they are, whom they call and name.
#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "instrument/dwarf.h"
#include "instrument/shapes_internal.h"

static uint32_t symbol_of(struct shapes *s, LLVMValueRef value)
{
	size_t size = 0;
	const char *name = LLVMGetValueName2(value, &size);
	return size && name[0] == 1 ? shapes_string(s, name + 1, size - 1)
	                            : shapes_string(s, name, size); // asm("name")
}

static bool is_intrinsic(LLVMValueRef function)
{
	return LLVMIsAFunction(function) && LLVMGetIntrinsicID(function) != 0;
}

static bool has_attribute(LLVMValueRef function, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
	return LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind) != NULL;
}

static bool is_static(LLVMValueRef value)
{
	LLVMLinkage linkage = LLVMGetLinkage(value);
	return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

// As coverage names files, which knows functions by these names.
static uint32_t path_of(struct shapes *s, LLVMMetadataRef file)
{
	unsigned folder_size = 0, name_size = 0;
	const char *folder = file ? LLVMDIFileGetDirectory(file, &folder_size) : "";
	const char *name = file ? LLVMDIFileGetFilename(file, &name_size) : "";
	bool whole = !folder_size || (name_size && name[0] == '/');
	if (!name_size)
		return shapes_string(s, name, 0);
	char *path = whole ? mem_copy(name, name_size)
	                   : mem_printf("%.*s/%.*s", (int)folder_size, folder, (int)name_size, name),
	     *tidy = path_tidy(path);
	uint32_t string = shapes_string(s, tidy, strlen(tidy));
	mem_free(path);
	mem_free(tidy);
	return string;
}

// --- what code and initialisers name --------------------------------------------------------------

struct named {
	struct shapes *s;
	struct shapes_list functions, globals; // symbols
	unsigned budget;                       // constants can be of any size, and share parts
};

static void name_constant(struct named *n, LLVMValueRef v)
{
	if (!LLVMIsAConstant(v) || !n->budget)
		return;
	n->budget--;
	if (LLVMIsAFunction(v)) {
		if (!is_intrinsic(v))
			shapes_list_push_once(&n->functions, symbol_of(n->s, v));
		return;
	}
	if (LLVMIsAGlobalValue(v)) {
		if (LLVMGetLinkage(v) != LLVMPrivateLinkage)
			shapes_list_push_once(&n->globals, symbol_of(n->s, v));
		return;
	}
	for (int i = 0; i < LLVMGetNumOperands(v); i++)
		name_constant(n, LLVMGetOperand(v, (unsigned)i));
}

static void take_list(struct shapes *s, struct shapes_list *list, uint32_t *ret_first, uint32_t *ret_n)
{
	*ret_first = s->numbers.n;
	*ret_n = list->n;
	for (uint32_t i = 0; i < list->n; i++)
		shapes_list_push(&s->numbers, list->v[i]);
	assert(s->numbers.n == *ret_first + *ret_n);
	mem_free(list->v);
}

// --- globals --------------------------------------------------------------------------------------

static bool is_literal(LLVMValueRef global)
{
	LLVMValueRef value = LLVMGetInitializer(global);
	return LLVMGetLinkage(global) == LLVMPrivateLinkage && LLVMIsGlobalConstant(global) && value &&
	       LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMArrayTypeKind &&
	       LLVMGetTypeKind(LLVMGetElementType(LLVMTypeOf(value))) == LLVMIntegerTypeKind &&
	       LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(value))) == 8;
}

// The function whose static variable it is: its scope, or what that is in.
static uint32_t owner_of(struct shapes *s, LLVMValueRef variable)
{
	LLVMValueRef scope = dwarf_operand(variable, NODE_SCOPE);
	for (int i = 0; scope && i < 64; i++) {
		LLVMMetadataKind kind = LLVMGetMetadataKind(LLVMValueAsMetadata(scope));
		if (kind == LLVMDISubprogramMetadataKind) {
			LLVMValueRef name = dwarf_operand(scope, NODE_NAME);
			unsigned size = 0;
			const char *text = name ? LLVMGetMDString(name, &size) : NULL;
			return shapes_string(s, text, size);
		}
		if (kind != LLVMDILexicalBlockMetadataKind && kind != LLVMDILexicalBlockFileMetadataKind)
			return 0;
		scope = dwarf_operand(scope, 1); // file, scope
	}
	return 0;
}

static void describe_variable(struct shapes *s, struct shape_global *g, LLVMValueRef variable)
{
	LLVMMetadataRef node = LLVMValueAsMetadata(variable), file = LLVMDIVariableGetFile(node);
	struct shape_field field = shapes_field(s, dwarf_operand(variable, NODE_VARIABLE_NAME),
	                                        dwarf_operand(variable, NODE_VARIABLE_TYPE));
	g->name = field.name;
	g->type = field.type;
	g->file = path_of(s, file);
	g->line = LLVMDIVariableGetLine(node);
	g->function = owner_of(s, variable);
	g->flags |= g->function ? SHAPE_GLOBAL_LOCAL : 0;
}

static struct shape_global describe_global(struct shapes *s, LLVMValueRef global)
{
	struct shape_global g = {.symbol = symbol_of(s, global)};
	LLVMValueRef variable = dwarf_variable_of(s->m->context, global), value = LLVMGetInitializer(global);
	struct named n = {.s = s, .budget = 1u << 20};
	g.name = g.symbol;
	g.flags = (is_static(global) ? SHAPE_GLOBAL_STATIC : 0) |
	          (LLVMIsGlobalConstant(global) ? SHAPE_GLOBAL_CONST : 0) |
	          (LLVMIsThreadLocal(global) ? SHAPE_GLOBAL_THREAD : 0);
	if (is_literal(global)) {
		g.flags |= SHAPE_GLOBAL_LITERAL;
		g.type = shapes_characters(s, LLVMGetArrayLength(LLVMTypeOf(value)));
	} else if (variable) {
		describe_variable(s, &g, variable);
	}
	if (value)
		name_constant(&n, value);
	g.flags |= n.functions.n ? SHAPE_GLOBAL_ADDRESSES : 0;
	take_list(s, &n.functions, &g.addresses, &g.n_addresses);
	take_list(s, &n.globals, &g.names, &g.n_names);
	return g;
}

static bool is_ours(LLVMValueRef value)
{
	size_t size;
	const char *name = LLVMGetValueName2(value, &size);
	return strncmp(name, "__veer_", 7) == 0 || strncmp(name, "llvm.", 5) == 0;
}

void shapes_collect_globals(struct shapes *s)
{
	for (LLVMValueRef g = LLVMGetFirstGlobal(s->m->module); g; g = LLVMGetNextGlobal(g)) {
		if (is_ours(g))
			continue;
		struct shape_global global = describe_global(s, g);
		vec_more(s->globals, s->n_globals);
		vec_more(s->global_values, s->n_globals);
		s->globals[s->n_globals] = global;
		s->global_values[s->n_globals] = g;
		shapes_map_set(&s->values, shapes_key(g), s->n_globals++);
	}
}

// --- functions ------------------------------------------------------------------------------------

struct code {
	struct named named;
	struct shapes_list callees, calls;
	uint32_t last_line, flags;
	const char *reason;
};

static void restrict_to(struct code *c, uint32_t flag, const char *reason)
{
	c->flags |= flag;
	if (!c->reason)
		c->reason = reason;
}

static uint32_t signature(struct shapes *s, LLVMTypeRef type)
{
	char *text = LLVMPrintTypeToString(type);
	uint32_t string = shapes_string(s, text, strlen(text));
	LLVMDisposeMessage(text);
	return string;
}

static void look_at_call(struct code *c, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	if (LLVMIsAInlineAsm(callee))
		return;
	if (LLVMIsAFunction(callee) || LLVMIsAGlobalAlias(callee) || LLVMIsAGlobalIFunc(callee)) {
		if (!is_intrinsic(callee))
			shapes_list_push_once(&c->callees, symbol_of(c->named.s, callee));
		if (LLVMIsAFunction(callee) && has_attribute(callee, "returns_twice"))
			restrict_to(c, SHAPE_ENTRY_ONLY, "it calls setjmp");
	} else {
		shapes_list_push_once(&c->calls, signature(c->named.s, LLVMGetCalledFunctionType(call)));
		name_constant(&c->named, callee);
	}
}

static void look_at(struct code *c, LLVMValueRef i, LLVMMetadataRef own)
{
	LLVMMetadataRef at = LLVMInstructionGetDebugLoc(i);
	if (at && !LLVMDILocationGetInlinedAt(at) && own &&
	    LLVMDIScopeGetFile(LLVMDILocationGetScope(at)) == LLVMDIScopeGetFile(own) &&
	    LLVMDILocationGetLine(at) > c->last_line)
		c->last_line = LLVMDILocationGetLine(at);
	bool is_call = LLVMIsACallInst(i);
	c->flags |= shapes_written(i);
	if (is_call)
		look_at_call(c, i);
	if (LLVMIsAIndirectBrInst(i))
		restrict_to(c, SHAPE_ENTRY_ONLY, "it has a computed goto");
	if (LLVMIsACallBrInst(i))
		restrict_to(c, SHAPE_ENTRY_ONLY, "it has assembler that jumps");
	if (LLVMIsAAllocaInst(i) && !LLVMIsAConstantInt(LLVMGetOperand(i, 0)))
		restrict_to(c, SHAPE_ENTRY_ONLY, "it has an array of variable size, or alloca");
	int n = is_call ? (int)LLVMGetNumArgOperands(i) : LLVMGetNumOperands(i);
	for (int k = 0; k < n; k++)
		name_constant(&c->named, LLVMGetOperand(i, (unsigned)k));
}

static void look_at_function(struct code *c, LLVMValueRef function)
{
	LLVMMetadataRef own = LLVMGetSubprogram(function);
	LLVMLinkage linkage = LLVMGetLinkage(function);
	c->named.budget = 1u << 20;
	c->last_line = own ? LLVMDISubprogramGetLine(own) : 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			look_at(c, i, own);
	c->flags |= is_static(function) ? SHAPE_STATIC : 0;
	c->flags |= linkage == LLVMAvailableExternallyLinkage ? SHAPE_BORROWED : 0;
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsABlockAddress(user) && (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != function))
			c->flags |= SHAPE_ADDRESS;
		for (unsigned k = 0; LLVMIsACallInst(user) && k < LLVMGetNumArgOperands(user); k++)
			c->flags |= LLVMGetOperand(user, k) == function ? SHAPE_ADDRESS : 0;
	}
	if (has_attribute(function, "noreturn") || has_attribute(function, "returns_twice"))
		c->flags |= SHAPE_NO_STUB;
	if (has_attribute(function, "naked"))
		restrict_to(c, SHAPE_NEVER | SHAPE_NO_STUB, "it is written in assembler");
	if (!own)
		restrict_to(c, SHAPE_NEVER | SHAPE_NO_STUB, "there is no debug information");
}

static void describe_subprogram(struct shapes *s, struct shape_function *f, LLVMMetadataRef own)
{
	LLVMValueRef node = LLVMMetadataAsValue(s->m->context, own), name = dwarf_operand(node, NODE_NAME);
	unsigned size = 0;
	const char *text = name && LLVMIsAMDString(name) ? LLVMGetMDString(name, &size) : NULL;
	if (size)
		f->name = shapes_string(s, text, size);
	f->file = path_of(s, LLVMDIScopeGetFile(own));
	f->line = LLVMDISubprogramGetLine(own);
	f->type = shapes_type(s, dwarf_operand(node, NODE_FUNCTION_TYPE));
}

static struct shape_function describe_function(struct shapes *s, LLVMValueRef function)
{
	struct shape_function f = {.symbol = symbol_of(s, function)};
	LLVMMetadataRef own = LLVMGetSubprogram(function);
	struct code c = {.named.s = s};
	f.name = f.symbol;
	if (own)
		describe_subprogram(s, &f, own);
	look_at_function(&c, function);
	f.last_line = c.last_line;
	f.flags = c.flags;
	f.reason = c.reason ? shapes_string(s, c.reason, strlen(c.reason)) : 0;
	f.signature = signature(s, LLVMGlobalGetValueType(function));
	take_list(s, &c.callees, &f.callees, &f.n_callees);
	take_list(s, &c.calls, &f.calls, &f.n_calls);
	take_list(s, &c.named.globals, &f.names, &f.n_names);
	take_list(s, &c.named.functions, &f.addresses, &f.n_addresses);
	char *key = mem_printf("%s\n%s", shapes_text(s, f.name), shapes_text(s, f.file));
	f.hash = hash_bytes(key, strlen(key)).low;
	mem_free(key);
	return f;
}

void shapes_collect_functions(struct shapes *s)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(s->m->module); f; f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f) || is_ours(f))
			continue;
		struct shape_function function = describe_function(s, f);
		vec_more(s->functions, s->n_functions);
		vec_more(s->bodies, s->n_functions);
		s->functions[s->n_functions] = function;
		s->bodies[s->n_functions] = (struct shapes_body){.function = f};
		shapes_map_set(&s->values, shapes_key(f), s->n_functions++);
	}
}
