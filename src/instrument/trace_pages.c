// The pages of a unit's counters, and what else abi/cover.h has a unit keep.
#include <assert.h>
#include <string.h>

#include "abi/cover.h"
#include "abi/graph.h"
#include "abi/words.h"
#include "base/buf.h"
#include "base/mem.h"
#include "instrument/tracer.h"

enum { PAGE = 4096 };

static uint64_t up(uint64_t size)
{
	return (size + PAGE - 1) / PAGE * PAGE;
}

LLVMValueRef trace_pages_make(struct module *m, uint32_t count, bool segments)
{
	LLVMTypeRef i8 = LLVMInt8TypeInContext(m->context), i32 = LLVMInt32TypeInContext(m->context),
		    i64 = LLVMInt64TypeInContext(m->context);
	uint64_t behind = segments ? sizeof(struct cover_segments) - sizeof(struct cover_unit) : 0;
	uint64_t counters = up(sizeof(struct cover_unit) + behind + count) - sizeof(struct cover_unit);
	LLVMValueRef fields[] = {LLVMConstInt(i64, segments ? COVER_MAGIC_SEGMENTS : COVER_MAGIC, 0),
	                         LLVMConstInt(i64, m->hash.low, 0), LLVMConstInt(i32, count, 0),
	                         LLVMConstInt(i32, 0, 0), LLVMConstNull(LLVMArrayType2(i8, counters))};
	LLVMValueRef value = LLVMConstStructInContext(m->context, fields, 5, 0);
	LLVMValueRef pages = LLVMAddGlobal(m->module, LLVMTypeOf(value), "veer.cover");
	LLVMSetInitializer(pages, value);
	LLVMSetLinkage(pages, LLVMPrivateLinkage);
	LLVMSetSection(pages, COVER_SECTION);
	LLVMSetAlignment(pages, PAGE);
	return pages;
}

static void add_bytes(struct buf *text, const void *data, size_t size)
{
	const uint8_t *bytes = data;
	for (size_t i = 0; i < size; i++)
		buf_printf(text, "%s%u", i % 64 ? "," : "\n.byte ", bytes[i]);
	buf_addstr(text, "\n");
}

// What LLVM's globals cannot be: a section that is not loaded with the table, and a note that leads to the pages of
// the module that this unit is linked into (runtime/trace/cover.c).
void trace_pages_describe(struct module *m, LLVMValueRef pages, uint32_t count, const struct buf *table,
                          const struct graph_plan *graph, const struct strv *words)
{
	struct buf text = {0}, record = {0};
	const struct cover_sites head = {
		.magic = COVER_MAGIC, .unit = m->hash.low, .count = count, .size = (uint32_t)table->len};
	assert(head.size == table->len);
	// They stay, whatever becomes of the functions: the note below names their section.
	LLVMSetSection(module_append(m->module, "llvm.used", pages), "llvm.metadata");
	buf_add(&record, &head, sizeof head);
	buf_add(&record, table->data, table->len);
	buf_addstr(&text, ".pushsection " COVER_SITES_SECTION ",\"\",@progbits\n");
	add_bytes(&text, record.data, record.len);
	buf_addstr(&text, ".popsection\n.pushsection " GRAPH_SECTION ",\"\",@progbits\n");
	buf_clear(&record);
	trace_graph_record(graph, &record);
	add_bytes(&text, record.data, record.len);
	buf_addstr(&text, ".popsection\n.pushsection " WORDS_SECTION ",\"\",@progbits\n");
	buf_clear(&record);
	trace_words_record(m, words, &record);
	add_bytes(&text, record.data, record.len);
	buf_addstr(&text, ".popsection\n"
	                  ".pushsection " COVER_NOTE_SECTION ",\"a\",@note\n"
	                  ".balign 4\n");
	buf_printf(&text, ".long %zu, 16, %d\n.asciz \"%s\"\n.balign 4\n", sizeof COVER_NOTE_NAME, COVER_NOTE_TYPE,
	           COVER_NOTE_NAME);
	buf_addstr(&text, ".hidden __start_" COVER_SECTION "\n"
	                  ".hidden __stop_" COVER_SECTION "\n"
	                  ".quad __start_" COVER_SECTION " - .\n"
	                  ".quad __stop_" COVER_SECTION " - .\n"
	                  ".popsection\n");
	LLVMAppendModuleInlineAsm(m->module, text.data, text.len);
	buf_release(&text);
	buf_release(&record);
}
