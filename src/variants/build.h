// Building a variant of a program or shared library: instrument the units that
// are not in the cache, then run the recorded link line on them.
#ifndef VEER_VARIANTS_BUILD_H
#define VEER_VARIANTS_BUILD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/hash.h"
#include "object/frame.h"
#include "variants/cache.h"

enum build_result {
	BUILD_OK = 0,
	BUILD_FAILED = -1,  // *err says why
	BUILD_FOREIGN = -2, // not built by veer-cc: there is nothing to build from; *err says so
};

// Where the parts of veer are that a variant needs.
struct toolchain {
	char *folder; // of the parts of veer: the worker, runtimes
	char *worker; // veer-instrument
	char *clang, *clangxx;
	struct hash id;      // changes when one of the parts changes: goes into the keys of units
	struct hash link_id; // changes with veer itself, too, which does the linking: of programs
};

int toolchain_find(struct toolchain *ret, struct err *err);
void toolchain_release(struct toolchain *tools);

struct builder {
	struct cache *cache;
	const struct toolchain *tools;
	const char *variant;
	// Called as units get done, when not NULL; total is what had to be instrumented.
	void (*progress)(void *opaque, const char *program, size_t done, size_t total);
	void *opaque;
};

bool variant_exists(const char *name);
const char *variant_names(void); // for messages: "a, b, c"

// Finds the variant of `path` in the cache without building anything; *ret_path
// (caller frees) is NULL when it is not there.
enum build_result build_lookup(const struct builder *b, const char *path, char **ret_path, struct err *err);

// Builds it if need be. Safe when several processes build the same.
enum build_result build_program(const struct builder *b, const char *path, char **ret_path, struct err *err);

// Writes the linked bitcode of all units of `path` to `output`.
enum build_result build_bitcode(const struct builder *b, const char *path, const char *output, struct err *err);

// Has veer-instrument make a file of files of bitcode, one a line of `inputs` (what: "--link", "--types";
// instrument/worker.c). All of them lie in `folder`, and nothing else is written. -1 with *err filled: why not;
// *ret_input: over which of them.
int build_ask(const struct builder *b, const char *what, const char *output, const struct buf *inputs,
              const char *folder, size_t *ret_input, struct err *err);

// What is made of a program's units beside objects: facts of them (instrument/facts.h), in files of the cache. `wants`:
// whether those of a unit are wanted; NULL: of all. `take`: gets each, or NULL for a unit without bitcode.
struct build_facts {
	bool reduced;
	bool (*wants)(void *opaque, const struct frame *unit);
	int (*take)(void *opaque, const struct frame *unit, const char *facts, struct err *err);
	void *opaque;
};

// The builder's variant does not count.
enum build_result build_facts(const struct builder *b, const char *path, const struct build_facts *how,
                              struct err *err);

// Adds what the compiler said of the program: the files that were compiled, their folders, and those that it ran in.
// Nothing when the program is gone or was not built by veer-cc.
void build_sources(const char *path, struct strv *ret);

#endif
