// Inside of fragment_case.c and its neighbours: a case while it is written.
#ifndef VEER_EXPORT_FRAGMENT_WRITER_H
#define VEER_EXPORT_FRAGMENT_WRITER_H

#include <stdarg.h>
#include <stdio.h>

#include "export/fragment_internal.h"

enum object_form {
	FORM_PLAIN, // T id_k, or T id_k[n]
	FORM_UNION, // of that and bytes: there is more than T has room for, or than an initialiser can say
	FORM_BYTES, // of no type that the unit knows
};

struct object {
	enum object_form form;
	uint32_t type; // of the unit; 0: none
	uint64_t count;
	bool is_forward, is_used;
};

struct writer {
	struct fragment_unit_file *f;
	const struct fragment_case *c;
	const struct fragment_seen *seen; // NULL: the test reports
	uint32_t cut;                     // where it ends (fragment_internal.h)
	struct state s;
	const struct shape_table *t; // of the unit
	const struct shape_function *fn;
	struct object *objects; // of the cells
	struct buf early;       // what must stand before the definition that is being made
	struct buf definitions; // of the file
	struct buf variables, setup, before, call, after, checks;
	const char *rest; // what bytes are set in
	uint64_t rest_offset;
	unsigned untouched;
	unsigned expectations;
	bool has_result;    // the result is looked at
	const char *result; // its variable
	bool more;          // a cell was found to be needed
	bool in_field;      // it runs in a firmware, whose functions and variables are where they are
	char *reason;       // why it cannot be written; NULL: it can
};

void writer_fail(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
uint32_t writer_local_type(const struct writer *w, struct shape_ref type); // 0: the unit does not know it
bool writer_address(struct writer *w, uint32_t cell, struct buf *out);
const char *writer_global(struct writer *w, uint32_t cell); // of a cell that cannot be named: the case fails
bool writer_can_name(const struct writer *w, uint32_t cell);
bool writer_knows_global(const struct writer *w, const char *symbol);
bool writer_must_set(const struct writer *w,
                     uint32_t cell); // something in it matters, and is not what it is initialised with
void writer_variable(struct writer *w, const char *prefix, const struct shape_field *field, const char *name);
// Statements that set what is relevant of a cell, whose object is `base`.
void writer_set_leaves(struct writer *w, uint32_t cell, const char *base);

// The address that a pointer has. False: it is left out.
bool writer_target(struct writer *w, const struct state_leaf *pointer, uint32_t target, struct buf *out);

// --- fragment_system.c ------------------------------------------------------------------------------

// Functions of the system that the entered one may call, in whose place the test's own ones stand while it runs.
void writer_system(struct writer *w);

// --- fragment_enter.c -------------------------------------------------------------------------------

// What the test calls: the function, or a copy of it that has stubs or starts elsewhere. The caller frees.
char *writer_callee(struct writer *w);

// --- fragment_device.c -------------------------------------------------------------------------------

// Of a case in a firmware: the word for its function or variable. NULL: it has none, and the case fails.
const char *writer_field(struct writer *w, const char *name, const char *file, bool function);
// What the case calls: the function, or a copy in which calls of the stubs, at these addresses, go to the case's own.
char *writer_field_callee(struct writer *w, const struct fragment_call *calls, size_t n);
// The base name of the unit's source when `is_static`, else NULL.
const char *writer_file(const struct writer *w, uint32_t unit, bool is_static);
// What stands before the definition of an object: on a device the objects of all cases lie at the same place.
void writer_static(const struct writer *w, struct buf *out);
// Sets a text of an object by the name of its member: its offset is another one on the device.
void writer_field_text(struct writer *w, const struct state_leaf *leaf, const char *base);
// The call, between triggers.
void writer_trigger(struct writer *w);

// --- fragment_expect.c ------------------------------------------------------------------------------

// What the test expects, or reports.
void writer_expect(struct writer *w);

#endif
