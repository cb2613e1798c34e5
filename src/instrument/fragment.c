#include "instrument/fragment.h"

#include <assert.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "abi/fragment.h"
#include "base/mem.h"
#include "instrument/variables.h"

struct fragments {
	struct module *m;
	struct shapes *shapes;
	const struct markers_table *markers;
	LLVMBuilderRef builder;
	LLVMTargetDataRef layout;
	LLVMTypeRef i8, i32, i64, pointer, nothing;
	LLVMValueRef places;      // of globals
	LLVMValueRef unit, modes; // struct fragment_unit; a byte for each function of the shapes
	LLVMValueRef read_mode, enter, stub, argument, result, probe, probed;
	bool probes;
};

static LLVMValueRef number32(const struct fragments *f, uint64_t n)
{
	return LLVMConstInt(f->i32, n, 0);
}

static LLVMValueRef number64(const struct fragments *f, uint64_t n)
{
	return LLVMConstInt(f->i64, n, 0);
}

static LLVMValueRef at_offset(struct fragments *f, LLVMValueRef base, uint64_t offset)
{
	LLVMValueRef index = number64(f, offset);
	return LLVMBuildInBoundsGEP2(f->builder, f->i8, base, &index, 1, "");
}

static bool has_attribute(LLVMValueRef function, unsigned index, const char *name)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
	return LLVMGetEnumAttributeAtIndex(function, index, kind);
}

static bool is_in_memory(LLVMValueRef function, unsigned parameter)
{
	return has_attribute(function, parameter + 1, "byval") || has_attribute(function, parameter + 1, "sret");
}

// --- where the body begins ------------------------------------------------------------------------

// The argument itself or something computed of it alone, on the way to its variable.
static bool is_of_argument(LLVMValueRef function, LLVMValueRef v)
{
	for (int i = 0; i < 4 && LLVMIsAInstruction(v); i++) {
		if (!LLVMIsACastInst(v) && !LLVMIsAExtractValueInst(v))
			return false;
		v = LLVMGetOperand(v, 0);
	}
	for (unsigned i = 0, n = LLVMCountParams(function); i < n; i++)
		if (LLVMGetParam(function, i) == v)
			return !is_in_memory(function, i);
	return false;
}

static bool stores_argument(LLVMValueRef function, LLVMValueRef i)
{
	for (unsigned k = 0, n = (unsigned)LLVMGetNumOperands(i); k < n; k++)
		if (is_of_argument(function, LLVMGetOperand(i, k)))
			return true;
	return false;
}

static bool has_place(LLVMValueRef i)
{
	return LLVMInstructionGetDebugLoc(i) && !LLVMIsAAllocaInst(i);
}

static bool is_debug(LLVMValueRef i)
{
	LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
	return callee && LLVMIsAFunction(callee) &&
	       strncmp(LLVMGetValueName2(callee, &(size_t){0}), "llvm.dbg.", 9) == 0;
}

// The first instruction of the body: what clang does before with parameters has no line. NULL: parameters are used
// elsewhere, so that the function cannot be entered.
static LLVMValueRef body_of(LLVMValueRef function)
{
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
	LLVMValueRef first = LLVMGetFirstInstruction(entry);
	while (!LLVMIsATerminatorInst(first) && (!has_place(first) || is_debug(first)))
		first = LLVMGetNextInstruction(first);
	for (LLVMValueRef i = first; i; i = LLVMGetNextInstruction(i))
		if (stores_argument(function, i))
			return NULL;
	for (LLVMBasicBlockRef b = LLVMGetNextBasicBlock(entry); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (stores_argument(function, i))
				return NULL;
	return first;
}

// Everything before `body` goes to a block of its own, which is the function's first; the old one keeps its name in
// all plans, and the body.
static LLVMBasicBlockRef split(struct fragments *f, LLVMValueRef function, LLVMValueRef body)
{
	LLVMBasicBlockRef old = LLVMGetEntryBasicBlock(function);
	assert(LLVMGetInstructionParent(body) == old);
	LLVMBasicBlockRef first = LLVMInsertBasicBlockInContext(f->m->context, old, "veer.entry");
	LLVMPositionBuilderAtEnd(f->builder, first);
	for (LLVMValueRef next, i = LLVMGetFirstInstruction(old); i != body; i = next) {
		next = LLVMGetNextInstruction(i);
		LLVMMetadataRef location = LLVMInstructionGetDebugLoc(i);
		LLVMInstructionRemoveFromParent(i);
		LLVMSetCurrentDebugLocation2(f->builder, location);
		LLVMInsertIntoBuilder(f->builder, i);
	}
	// Variables of blocks are behind the first line; all are to be there on every way.
	for (LLVMValueRef next, i = body; i; i = next) {
		next = LLVMGetNextInstruction(i);
		if (!LLVMIsAAllocaInst(i) || !LLVMIsConstant(LLVMGetOperand(i, 0)))
			continue;
		LLVMInstructionRemoveFromParent(i);
		LLVMSetCurrentDebugLocation2(f->builder, NULL);
		LLVMInsertIntoBuilder(f->builder, i);
	}
	LLVMSetCurrentDebugLocation2(f->builder, NULL);
	return first;
}

// --- what stands there ----------------------------------------------------------------------------

static LLVMValueRef call(struct fragments *f, LLVMValueRef callee, LLVMValueRef *args, unsigned n)
{
	return LLVMBuildCall2(f->builder, LLVMGlobalGetValueType(callee), callee, args, n, "");
}

// Calls in a function with debug information need a line; ours have none of the program's.
static void set_no_line(struct fragments *f, LLVMValueRef function)
{
	LLVMMetadataRef about = LLVMGetSubprogram(function);
	LLVMSetCurrentDebugLocation2(f->builder,
	                             about ? LLVMDIBuilderCreateDebugLocation(f->m->context, 0, 0, about, NULL) : NULL);
}

// Between a variable and its place in the frame.
static void copy_variable(struct fragments *f, const struct shapes_place *v, LLVMValueRef from, LLVMValueRef to)
{
	assert(v->place);
	LLVMTypeRef type = LLVMIsAAllocaInst(v->place) ? LLVMGetAllocatedType(v->place) : NULL;
	LLVMTypeKind kind = type ? LLVMGetTypeKind(type) : LLVMArrayTypeKind;
	bool whole = kind == LLVMArrayTypeKind || kind == LLVMStructTypeKind;
	if (!whole && LLVMStoreSizeOfType(f->layout, type) <= v->size) {
		LLVMValueRef value = LLVMBuildLoad2(f->builder, type, from, "");
		LLVMSetAlignment(value, 1);
		LLVMSetAlignment(LLVMBuildStore(f->builder, value, to), 1);
	} else {
		LLVMBuildMemCpy(f->builder, to, 1, from, 1, number64(f, v->size));
	}
}

// The fields of the frame that are live at a marker: of the entry, all parameters. False: one of them is none.
static bool find_live(struct fragments *f, unsigned number, const struct marker *m, struct shapes_place **ret,
                      uint32_t *ret_n)
{
	bool entry = !m || m->kind == SHAPE_AT_ENTRY, found = true;
	uint32_t n = entry ? shapes_parameters(f->shapes, number) : m->n_live;
	struct shapes_place *all = mem_zero((n + 1) * sizeof *all);
	for (uint32_t k = 0; k < n; k++)
		if (entry)
			all[k] = shapes_frame_field(f->shapes, number, k);
		else
			found &= shapes_place(f->shapes, m->live[k], &all[k]) && all[k].function == number;
	*ret = all;
	*ret_n = n;
	return found;
}

// The block that takes the variables that are live at a marker from the input, and goes there.
static LLVMBasicBlockRef make_entry(struct fragments *f, LLVMValueRef function, unsigned number, unsigned marker,
                                    const struct shapes_place *live, uint32_t n, LLVMBasicBlockRef to)
{
	LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(f->m->context, function, "veer.enter");
	LLVMPositionBuilderAtEnd(f->builder, block);
	set_no_line(f, function);
	LLVMValueRef args[] = {f->unit, number32(f, number), number32(f, marker)};
	LLVMValueRef frame = call(f, f->enter, args, 3);
	for (uint32_t k = 0; k < n; k++)
		if (live[k].place)
			copy_variable(f, &live[k], at_offset(f, frame, live[k].offset), live[k].place);
	LLVMBuildBr(f->builder, to);
	return block;
}

// What the result needs in memory: at least what is loaded.
static LLVMTypeRef result_type(LLVMValueRef function, LLVMValueRef *ret_room)
{
	*ret_room = NULL;
	unsigned kind = LLVMGetEnumAttributeKindForName("sret", 4);
	for (unsigned i = 0, n = LLVMCountParams(function); i < n; i++) {
		LLVMAttributeRef sret = LLVMGetEnumAttributeAtIndex(function, i + 1, kind);
		if (sret) {
			*ret_room = LLVMGetParam(function, i);
			return LLVMGetTypeAttributeValue(sret);
		}
	}
	return LLVMGetReturnType(LLVMGlobalGetValueType(function));
}

// Pointers that the caller passed: what they lead to may be written by the stub.
static void pass_arguments(struct fragments *f, unsigned number)
{
	for (uint32_t k = 0, n = shapes_parameters(f->shapes, number); k < n; k++) {
		struct shapes_place v = shapes_frame_field(f->shapes, number, k);
		LLVMTypeRef type = v.place && LLVMIsAAllocaInst(v.place) ? LLVMGetAllocatedType(v.place) : NULL;
		if (!type || LLVMGetTypeKind(type) != LLVMPointerTypeKind)
			continue;
		LLVMValueRef args[] = {number32(f, k), LLVMBuildLoad2(f->builder, f->pointer, v.place, "")};
		call(f, f->argument, args, 2);
	}
}

static LLVMBasicBlockRef make_stub(struct fragments *f, LLVMValueRef function, unsigned number)
{
	LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(f->m->context, function, "veer.stub");
	LLVMValueRef room;
	LLVMTypeRef type = result_type(function, &room);
	bool nothing = type == f->nothing;
	LLVMPositionBuilderAtEnd(f->builder, block);
	set_no_line(f, function);
	pass_arguments(f, number);
	uint64_t size = nothing ? 0 : LLVMABISizeOfType(f->layout, type);
	LLVMValueRef args[] = {f->unit, number32(f, number), number64(f, size)};
	LLVMValueRef from = call(f, f->stub, args, 3);
	assert(!room || LLVMGetReturnType(LLVMGlobalGetValueType(function)) == f->nothing);
	if (room)
		LLVMBuildMemCpy(f->builder, room, 1, from, 1, number64(f, size));
	if (room || nothing) {
		LLVMBuildRetVoid(f->builder);
	} else {
		LLVMValueRef value = LLVMBuildLoad2(f->builder, type, from, "");
		LLVMSetAlignment(value, 1);
		LLVMBuildRet(f->builder, value);
	}
	return block;
}

// Adds the ways to the markers of a function to the switch.
static void add_markers(struct fragments *f, LLVMValueRef function, unsigned number, LLVMValueRef chooser,
                        LLVMBasicBlockRef body)
{
	const struct markers *all = f->markers ? markers_of(f->markers, function) : NULL;
	for (uint32_t k = 0; k < (all ? all->n : 1) && k + FRAGMENT_ENTER <= UINT8_MAX; k++) {
		const struct marker *m = all ? &all->v[k] : NULL;
		struct shapes_place *live;
		uint32_t n;
		if (find_live(f, number, m, &live, &n) && (!k || m->enters))
			LLVMAddCase(chooser, LLVMConstInt(f->i8, FRAGMENT_ENTER + k, 0),
			            make_entry(f, function, number, k, live, n, k ? m->block : body));
		mem_free(live);
	}
}

// The block that shows the runtime what a call passes, and goes on with the body.
static LLVMBasicBlockRef make_probe(struct fragments *f, LLVMValueRef function, unsigned number, LLVMBasicBlockRef body)
{
	LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(f->m->context, function, "veer.probe");
	LLVMPositionBuilderAtEnd(f->builder, block);
	set_no_line(f, function);
	LLVMValueRef args[] = {f->unit, number32(f, number)}, frame = call(f, f->probe, args, 2);
	for (uint32_t k = 0, n = shapes_parameters(f->shapes, number); k < n; k++) {
		struct shapes_place v = shapes_frame_field(f->shapes, number, k);
		if (v.place)
			copy_variable(f, &v, v.place, at_offset(f, frame, v.offset));
	}
	call(f, f->probed, args, 2);
	LLVMBuildBr(f->builder, body);
	return block;
}

// Puts the switch into the function. False: it cannot be entered.
static bool insert_switch(struct fragments *f, LLVMValueRef function, unsigned number)
{
	uint32_t flags = shapes_function_flags(f->shapes, number);
	LLVMValueRef body = flags & (SHAPE_NEVER | SHAPE_BORROWED) ? NULL : body_of(function);
	if (!body)
		return false;
	LLVMBasicBlockRef old = LLVMGetEntryBasicBlock(function), first = split(f, function, body);
	LLVMValueRef at = number64(f, number), mode_at = LLVMConstInBoundsGEP2(f->i8, f->modes, &at, 1);
	set_no_line(f, function);
	LLVMPositionBuilderAtEnd(f->builder, first);
	LLVMValueRef mode = call(f, f->read_mode, &mode_at, 1);
	LLVMValueRef chooser = LLVMBuildSwitch(f->builder, mode, old, 2);
	add_markers(f, function, number, chooser, old);
	if (f->probes)
		LLVMAddCase(chooser, LLVMConstInt(f->i8, FRAGMENT_PROBE, 0), make_probe(f, function, number, old));
	if (!(flags & SHAPE_NO_STUB))
		LLVMAddCase(chooser, LLVMConstInt(f->i8, FRAGMENT_STUB, 0), make_stub(f, function, number));
	return true;
}

// --- thunks ---------------------------------------------------------------------------------------

// What a parameter in memory is passed as: zeros.
static LLVMValueRef make_room(struct fragments *f, LLVMTypeRef type)
{
	LLVMValueRef room = LLVMBuildAlloca(f->builder, type, "");
	if (LLVMGetAlignment(room) < 16)
		LLVMSetAlignment(room, 16);
	LLVMBuildMemSet(f->builder, room, LLVMConstInt(f->i8, 0, 0), number64(f, LLVMABISizeOfType(f->layout, type)),
	                16);
	return room;
}

static LLVMValueRef make_argument(struct fragments *f, LLVMValueRef function, unsigned i, LLVMValueRef *ret_result)
{
	static const char *const kinds[] = {"byval", "sret"};
	for (int k = 0; k < 2; k++) {
		LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(
			function, i + 1, LLVMGetEnumAttributeKindForName(kinds[k], strlen(kinds[k])));
		if (!a)
			continue;
		LLVMValueRef room = make_room(f, LLVMGetTypeAttributeValue(a));
		if (k == 1)
			*ret_result = room;
		return room;
	}
	return LLVMConstNull(LLVMTypeOf(LLVMGetParam(function, i)));
}

// Calls the function with zeros, and hands the runtime what it returns.
static LLVMValueRef make_thunk(struct fragments *f, LLVMValueRef function, unsigned number)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(function), returned = LLVMGetReturnType(type);
	LLVMValueRef thunk = LLVMAddFunction(f->m->module, "veer.thunk", LLVMFunctionType(f->nothing, NULL, 0, 0));
	unsigned n = LLVMCountParams(function), noinline = LLVMGetEnumAttributeKindForName("noinline", 8);
	LLVMValueRef *args = mem_zero((n + 1) * sizeof *args), result = NULL;
	LLVMSetLinkage(thunk, LLVMInternalLinkage);
	LLVMAddAttributeAtIndex(thunk, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(f->m->context, noinline, 0));
	LLVMPositionBuilderAtEnd(f->builder, LLVMAppendBasicBlockInContext(f->m->context, thunk, ""));
	LLVMSetCurrentDebugLocation2(f->builder, NULL);
	for (unsigned i = 0; i < n; i++)
		args[i] = make_argument(f, function, i, &result);
	if (returned != f->nothing)
		result = make_room(f, returned);
	LLVMValueRef call_of = LLVMBuildCall2(f->builder, type, function, args, n, "");
	LLVMSetInstructionCallConv(call_of, LLVMGetFunctionCallConv(function));
	for (unsigned i = 0; i <= n; i++)
		module_copy_attributes(call_of, function, i);
	if (returned != f->nothing)
		LLVMBuildStore(f->builder, call_of, result);
	LLVMValueRef args_of[] = {f->unit, number32(f, number), result ? result : LLVMConstNull(f->pointer)};
	call(f, f->result, args_of, 3);
	LLVMBuildRetVoid(f->builder);
	mem_free(args);
	return thunk;
}

// --- the unit -------------------------------------------------------------------------------------

// An always inlined function: what it does is no business of the instrumenter's.
static LLVMValueRef make_reader(struct fragments *f)
{
	LLVMTypeRef type = LLVMFunctionType(f->i8, &f->pointer, 1, 0);
	LLVMValueRef reader = LLVMAddFunction(f->m->module, "__veer_h_mode", type);
	unsigned always = LLVMGetEnumAttributeKindForName("alwaysinline", 12);
	LLVMAddAttributeAtIndex(reader, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(f->m->context, always, 0));
	LLVMSetLinkage(reader, LLVMLinkOnceODRLinkage); // as the helpers, which become internal later
	LLVMPositionBuilderAtEnd(f->builder, LLVMAppendBasicBlockInContext(f->m->context, reader, ""));
	LLVMSetCurrentDebugLocation2(f->builder, NULL);
	LLVMBuildRet(f->builder, LLVMBuildLoad2(f->builder, f->i8, LLVMGetParam(reader, 0), ""));
	return reader;
}

static LLVMValueRef declare(struct fragments *f, const char *name, LLVMTypeRef result, LLVMTypeRef a, LLVMTypeRef b,
                            LLVMTypeRef c)
{
	LLVMTypeRef params[] = {a, b, c};
	return LLVMAddFunction(f->m->module, name, LLVMFunctionType(result, params, c ? 3 : b ? 2 : 1, 0));
}

static LLVMValueRef make_table(struct fragments *f, LLVMTypeRef each, LLVMValueRef *v, unsigned n, const char *name)
{
	LLVMValueRef all = LLVMConstArray2(each, v, n), table = LLVMAddGlobal(f->m->module, LLVMTypeOf(all), name);
	LLVMSetInitializer(table, all);
	LLVMSetLinkage(table, LLVMPrivateLinkage);
	return table;
}

// Where the unit's globals are. Of those that each thread has, the constructor notes the first thread's.
static LLVMValueRef make_globals(struct fragments *f)
{
	unsigned n = shapes_globals(f->shapes);
	LLVMValueRef *v = mem_zero((n + 1) * sizeof *v);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef g = shapes_global_at(f->shapes, i);
		bool fixed = g && !LLVMIsThreadLocal(g) && LLVMGetLinkage(g) != LLVMAvailableExternallyLinkage;
		v[i] = fixed ? g : LLVMConstNull(f->pointer);
	}
	f->places = make_table(f, f->pointer, v, n, "veer.places");
	mem_free(v);
	return f->places;
}

static void note_thread_locals(struct fragments *f)
{
	unsigned n = shapes_globals(f->shapes), id = LLVMLookupIntrinsicID("llvm.threadlocal.address", 24);
	LLVMValueRef address = LLVMGetIntrinsicDeclaration(f->m->module, id, &f->pointer, 1);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef g = shapes_global_at(f->shapes, i), at = number64(f, i);
		if (!g || !LLVMIsThreadLocal(g) || LLVMIsDeclaration(g))
			continue;
		LLVMValueRef place = LLVMBuildInBoundsGEP2(f->builder, f->pointer, f->places, &at, 1, "");
		LLVMBuildStore(f->builder, call(f, address, &g, 1), place);
	}
}

// A constructor that tells the runtime of the unit, before the program's own.
static void make_registration(struct fragments *f)
{
	LLVMModuleRef module = f->m->module;
	LLVMValueRef tell = declare(f, FRAGMENT_REGISTER, f->nothing, f->pointer, NULL, NULL);
	LLVMValueRef function = LLVMAddFunction(module, "veer.unit", LLVMFunctionType(f->nothing, NULL, 0, 0));
	LLVMSetLinkage(function, LLVMInternalLinkage);
	LLVMPositionBuilderAtEnd(f->builder, LLVMAppendBasicBlockInContext(f->m->context, function, ""));
	LLVMSetCurrentDebugLocation2(f->builder, NULL);
	note_thread_locals(f);
	call(f, tell, &f->unit, 1);
	LLVMBuildRetVoid(f->builder);
	module_run_in(module, "llvm.global_ctors", function);
}

static void begin(struct fragments *f, unsigned n)
{
	LLVMContextRef context = f->m->context;
	f->layout = LLVMGetModuleDataLayout(f->m->module);
	f->i8 = LLVMInt8TypeInContext(context);
	f->i32 = LLVMInt32TypeInContext(context);
	f->i64 = LLVMInt64TypeInContext(context);
	f->pointer = LLVMPointerTypeInContext(context, 0);
	f->nothing = LLVMVoidTypeInContext(context);
	f->enter = declare(f, "__veer_f_enter", f->pointer, f->pointer, f->i32, f->i32);
	f->stub = declare(f, "__veer_f_stub", f->pointer, f->pointer, f->i32, f->i64);
	f->argument = declare(f, "__veer_f_argument", f->nothing, f->i32, f->pointer, NULL);
	f->result = declare(f, "__veer_f_result", f->nothing, f->pointer, f->i32, f->pointer);
	f->probe = f->probes ? declare(f, "__veer_f_probe", f->pointer, f->pointer, f->i32, NULL) : NULL;
	f->probed = f->probes ? declare(f, "__veer_f_probed", f->nothing, f->pointer, f->i32, NULL) : NULL;
	f->read_mode = make_reader(f);
	LLVMTypeRef modes = LLVMArrayType2(f->i8, n + 1), fields[] = {f->pointer, f->pointer, f->pointer, f->pointer};
	f->modes = LLVMAddGlobal(f->m->module, modes, "veer.modes");
	LLVMSetInitializer(f->modes, LLVMConstNull(modes));
	LLVMSetLinkage(f->modes, LLVMInternalLinkage);
	f->unit = LLVMAddGlobal(f->m->module, LLVMStructTypeInContext(context, fields, 4, 0), "veer.fragments");
	LLVMSetLinkage(f->unit, LLVMInternalLinkage);
}

void fragment_insert(struct module *m, struct shapes *shapes, const struct markers_table *markers, bool probes)
{
	struct fragments f = {.m = m,
	                      .shapes = shapes,
	                      .markers = markers,
	                      .probes = probes,
	                      .builder = LLVMCreateBuilderInContext(m->context)};
	unsigned n = shapes_functions(shapes);
	begin(&f, n);
	LLVMTypeRef fields[] = {f.pointer, f.pointer, f.pointer};
	LLVMTypeRef entry = LLVMStructTypeInContext(m->context, fields, 3, 0);
	LLVMValueRef *all = mem_zero((n + 1) * sizeof *all);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef function = shapes_function_at(shapes, i), at = number64(&f, i);
		if (has_attribute(function, (unsigned)LLVMAttributeFunctionIndex, "noreturn"))
			shapes_restrict(shapes, i, SHAPE_NO_STUB, NULL);
		bool enters = insert_switch(&f, function, i);
		if (!enters)
			shapes_restrict(shapes, i, SHAPE_NEVER | SHAPE_NO_STUB, "its parameters are not variables");
		uint32_t flags = shapes_function_flags(shapes, i); // of one that others see, they may take it
		bool taken = flags & SHAPE_ADDRESS || !(flags & (SHAPE_STATIC | SHAPE_BORROWED));
		LLVMValueRef own[] = {enters ? make_thunk(&f, function, i) : LLVMConstNull(f.pointer),
		                      LLVMConstInBoundsGEP2(f.i8, f.modes, &at, 1),
		                      taken ? function : LLVMConstNull(f.pointer)};
		all[i] = LLVMConstStructInContext(m->context, own, 3, 0);
	}
	LLVMValueRef values[] = {LLVMConstNull(f.pointer), shapes_emit(shapes),
	                         make_table(&f, entry, all, n, "veer.entries"), make_globals(&f)};
	LLVMSetInitializer(f.unit, LLVMConstStructInContext(m->context, values, 4, 0));
	make_registration(&f);
	fragment_redirect_outside(m);
	mem_free(all);
	LLVMDisposeBuilder(f.builder);
}
