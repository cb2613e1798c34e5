// Facts of a program (abi/facts.h), all of its units together: what two versions are compared by.
#ifndef VEER_COMPARE_FACTS_H
#define VEER_COMPARE_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/facts.h"
#include "abi/shape.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"

struct fact_block {
	uint64_t own, around; // around: with the blocks that come next
	uint32_t *lines, n_lines;
};

struct fact_function {
	uint32_t unit;
	char *name, *symbol, *file, *signature; // file: below facts.root, if it lies there
	uint32_t line, flags;                   // enum shape_function_flag
	uint64_t type, hashes[FACTS_HASHES];
	struct strv symbols, callees, calls, globals, addresses;
	struct fact_block *blocks;
	uint32_t n_blocks;
};

struct fact_global {
	uint32_t unit;
	char *name, *symbol, *function, *file;
	uint32_t line, flags; // enum shape_global_flag
	uint64_t type, plain, named;
	struct strv symbols, addresses, names;
};

struct fact_field {
	char *name, *spelling;
	uint64_t offset, type;
};

struct fact_type {
	char *name;
	uint64_t hash, size;
	uint32_t kind; // enum shape_kind
	struct fact_field *fields;
	uint32_t n_fields;
};

struct fact_unit {
	char *source, *folder; // source: absolute
	struct hash native;    // of a unit without bitcode: its code
	bool is_native;
};

struct facts {
	struct fact_unit *units;
	struct fact_function *functions;
	struct fact_global *globals;
	struct fact_type *types;
	uint32_t n_units, n_functions, n_globals, n_types, cap_units, cap_functions, cap_globals, cap_types;
	char *root; // the folder that all units were compiled below
};

// Adds a unit. -1 with *err filled, and nothing is added, when that is damaged.
int facts_add(struct facts *f, const void *data, size_t size, struct err *err);
// Adds what a unit says that facts_add has had already: of its functions, only FACTS_REDUCED.
int facts_add_reduced(struct facts *f, const void *data, size_t size, struct err *err);
// Adds a unit of which there is native code only.
void facts_add_native(struct facts *f, const char *source, const char *folder, struct hash code);
// Once all are there: files get their names below the root, and what units have in common is there once.
void facts_finish(struct facts *f);
void facts_release(struct facts *f);

#endif
