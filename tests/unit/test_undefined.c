// undefined.def has a row for every attribute and every kind of metadata that this version of LLVM knows.
#include <llvm-c/Core.h>
#include <string.h>

#include "base/mem.h"
#include "test.h"

static void attributes(void)
{
	static const char *const names[] = {
#define UNDEFINED_ATTRIBUTE(name, decision, why) name,
#include "instrument/undefined.def"
	};
	unsigned end = LLVMGetLastEnumAttributeKind(), missing = 0; // one behind the last
	bool *decided = mem_zero((end + 1) * sizeof *decided);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		decided[LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]))] = true; // 0: of another version
	for (unsigned kind = 1; kind < end; kind++)
		missing += !decided[kind];
	mem_free(decided);
	CHECK_INT(0, missing);
}

static void metadata(void)
{
	static const char *const names[] = {
#define UNDEFINED_METADATA(name, decision, why) name,
#include "instrument/undefined.def"
	};
	LLVMContextRef context = LLVMContextCreate();
	unsigned fixed = LLVMGetMDKindIDInContext(context, "veer.none", 9), found = 0;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		found += LLVMGetMDKindIDInContext(context, names[i], (unsigned)strlen(names[i])) < fixed;
	LLVMContextDispose(context);
	CHECK_INT(fixed, found);
}

static const struct test tests[] = {
	TEST(attributes),
	TEST(metadata),
};
TEST_MAIN("undefined")
