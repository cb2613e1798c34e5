// A trace as the engine sees it: checked, then read in place (or in a copy, where its writer may still be there). The
// program that wrote it is not trusted: nothing outside the bounds is touched, and what does not make sense ends the
// trace there, with a note.
#ifndef VEER_EXPR_TRACE_H
#define VEER_EXPR_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/eval.h"
#include "abi/layout.h"
#include "abi/trace.h"
#include "base/buf.h"
#include "base/err.h"

struct trace {
	const struct trace_header *header; // sizes may be nonsense; use the counts below
	const struct trace_node *nodes;
	uint32_t n_nodes; // labels below this are good
	const struct trace_event *events;
	uint32_t n_events;
	const struct trace_call *calls; // parents come before their children
	uint32_t n_calls;
	const uint8_t *text;
	uint64_t text_size;
	uint32_t n_inputs;
	bool damaged; // something was cut off
};

// Makes the trace ready for another program. Nothing may be writing to it.
void trace_reset(struct trace_header *at, uint64_t given);

int trace_read(const void *data, size_t size, struct trace *ret, struct err *err);

// The same for memory that others may write to meanwhile: of a copy, in *memory, which replaces what that held and has
// to outlive the trace.
int trace_take(const void *data, size_t size, struct buf *memory, struct trace *ret, struct err *err);

// A copy of what the trace holds, which needs nothing else. Returns its memory, which the caller gives back to
// mem_free, and how much that is.
void *trace_copy(const struct trace *t, struct trace *ret, size_t *ret_size);

// What the trace holds, as bytes that trace_read reads again; added to *out, which must be empty.
void trace_encode(const struct trace *t, struct buf *out);

// Writes that to a file.
int trace_save(const struct trace *t, const char *path, struct err *err);

const char *trace_text(const struct trace *t, uint32_t offset);              // "?" when it is not a string
const struct trace_site *trace_site(const struct trace *t, uint32_t offset); // NULL when there is none
const struct trace_table *trace_table(const struct trace *t, uint32_t offset, const uint8_t **ret_bytes,
                                      const uint32_t **ret_labels); // labels: NULL when it has none
// The label of byte i of the table that node `lookup` reads: of an older node, 8 bits wide; 0 when it
// has none. `labels` from trace_table.
uint32_t trace_table_label(const struct trace *t, const uint32_t *labels, uint64_t i, uint32_t lookup);
const struct trace_call *trace_call(const struct trace *t, uint32_t index);      // NULL when there is none
const struct trace_module *trace_module(const struct trace *t, uint32_t offset); // NULL when there is none
const struct trace_object *trace_object(const struct trace *t, uint32_t offset); // NULL when there is none
const char *trace_input_label(const struct trace *t, uint32_t source);
struct input_type trace_input_type(const struct trace *t, uint32_t source);     // of a kind and role that there are
struct input_source trace_input_source(const struct trace *t, uint32_t source); // its name lies in the trace
// The bytes the input had; NULL when damaged.
const uint8_t *trace_input_data(const struct trace *t, uint32_t source, uint32_t *ret_size);

// The cases of a switch (NULL: none), whether the event's value is one of them, and where it goes: the case's target,
// or 0.
const struct trace_case *trace_cases(const struct trace *t, const struct trace_event *e, uint32_t *ret_n);
bool trace_is_case(const struct trace *t, const struct trace_event *e);
uint64_t trace_target(const struct trace *t, const struct trace_event *e);

// A condition of the path: the event's label, and the value that it had.
// A switch counts as its operand being one of the values that go to the same place.
// Which check it is: of abi/ubsan.def or abi/checks.def. An access is one that nothing had to be asked for.
uint32_t trace_check_kind(const struct trace *t, const struct trace_event *e);
bool trace_is_condition(const struct trace_event *e);

// Which way it went, or what the value was.
uint64_t trace_value(const struct trace_event *e);

// Prints an expression as C would write it, at most `limit` bytes.
void trace_print(const struct trace *t, uint32_t label, size_t limit, struct buf *out);

// Prints a value that the expression has, as its constants are printed.
void trace_print_value(const struct trace *t, uint32_t label, uint64_t value, struct buf *out);

// Prints the path up to event `last` as SMT-LIB 2. With `negate`, the condition of
// event `last` is negated; the script then asks for a model of the inputs.
void trace_print_smt(const struct trace *t, uint32_t last, bool negate, struct buf *out);

#endif
