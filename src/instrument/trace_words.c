// The words of a unit (abi/words.h): made of the code as clang left it, before any pass.
#include "abi/words.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "abi/cover.h"
#include "base/buf.h"
#include "base/text.h"
#include "instrument/module.h"
#include "instrument/tracer.h"

static void add_text(struct strv *words, const char *text, size_t n)
{
	char word[WORDS_LONGEST + 1];
	if (!n || n > WORDS_LONGEST || words->n >= WORDS_MOST)
		return;
	memcpy(word, text, n);
	word[n] = 0;
	if (strlen(word) == n)
		strv_push_once(words, word);
}

static void add_number(struct strv *words, LLVMValueRef v)
{
	char text[32];
	unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(v));
	if (width < 8 || width > 64)
		return;
	long long value = LLVMConstIntGetSExtValue(v);
	if (value >= -1 && value <= 1) // random choice has these anyway
		return;
	add_text(words, text, (size_t)snprintf(text, sizeof text, "%lld", value));
	if (width == 8 && isgraph((int)(value & 0xff)))
		add_text(words, (const char[]){(char)value}, 1);
}

static void add_float(struct strv *words, LLVMValueRef v)
{
	char text[64];
	LLVMBool inexact;
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(v));
	if (kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind)
		return;
	add_text(words, text, (size_t)snprintf(text, sizeof text, "%.9g", LLVMConstRealGetDouble(v, &inexact)));
}

// A string constant, or a place in one.
static void add_string(struct strv *words, LLVMValueRef v)
{
	size_t n = 0;
	if (LLVMIsAConstantExpr(v) && LLVMGetNumOperands(v))
		v = LLVMGetOperand(v, 0);
	if (!LLVMIsAGlobalVariable(v) || !LLVMIsGlobalConstant(v))
		return;
	LLVMValueRef content = LLVMGetInitializer(v);
	if (!content || !LLVMIsAConstantDataArray(content) || !LLVMIsConstantString(content))
		return;
	const char *text = LLVMGetAsString(content, &n);
	add_text(words, text, n && !text[n - 1] ? n - 1 : n);
}

static void add_constant(struct strv *words, LLVMValueRef v)
{
	if (LLVMIsAConstantInt(v))
		add_number(words, v);
	else if (LLVMIsAConstantFP(v))
		add_float(words, v);
}

static bool compares_texts(LLVMValueRef call)
{
	static const char *const parts[] = {"cmp", "strstr", "strcasestr", "strpbrk", "strspn", "strcspn"};
	LLVMValueRef callee = LLVMGetCalledValue(call);
	if (!LLVMIsAFunction(callee))
		return false;
	const char *name = LLVMGetValueName2(callee, &(size_t){0});
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (strstr(name, parts[i]))
			return true;
	return false;
}

static void take_instruction(struct strv *words, LLVMValueRef i)
{
	if (LLVMIsAICmpInst(i) || LLVMIsAFCmpInst(i)) {
		for (unsigned k = 0; k < 2; k++)
			add_constant(words, LLVMGetOperand(i, k));
	} else if (LLVMIsASwitchInst(i)) {
		for (unsigned k = 1; k < LLVMGetNumSuccessors(i); k++)
			add_constant(words, module_case_value(i, k));
	} else if (LLVMIsACallInst(i) && compares_texts(i)) {
		for (unsigned k = 0; k < LLVMGetNumArgOperands(i); k++)
			add_string(words, LLVMGetOperand(i, k));
	}
}

// Texts of a table: names of commands, keywords.
static void take_table(struct strv *words, LLVMValueRef content, unsigned depth)
{
	enum { DEEPEST = 4 };
	if (depth > DEEPEST || words->n >= WORDS_MOST)
		return;
	if (!LLVMIsAConstantArray(content) && !LLVMIsAConstantStruct(content))
		return;
	for (int k = 0; k < LLVMGetNumOperands(content); k++) {
		LLVMValueRef v = LLVMGetOperand(content, (unsigned)k);
		add_string(words, v);
		take_table(words, v, depth + 1);
	}
}

void trace_words_find(const struct module *m, struct strv *words)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(m->module); f; f = LLVMGetNextFunction(f)) {
		if (!trace_cover_has(f))
			continue;
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
				take_instruction(words, i);
	}
	for (LLVMValueRef g = LLVMGetFirstGlobal(m->module); g; g = LLVMGetNextGlobal(g))
		if (LLVMGetInitializer(g))
			take_table(words, LLVMGetInitializer(g), 0);
}

void trace_words_record(const struct module *m, const struct strv *words, struct buf *out)
{
	struct buf rest = {0};
	for (size_t i = 0; i < words->n; i++)
		buf_text(&rest, words->v[i]);
	const struct cover_sites head = {
		.magic = WORDS_MAGIC, .unit = m->hash.low, .count = (uint32_t)words->n, .size = (uint32_t)rest.len};
	buf_add(out, &head, sizeof head);
	buf_add(out, rest.data, rest.len);
	buf_release(&rest);
}
