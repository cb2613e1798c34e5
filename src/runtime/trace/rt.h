// Inside of the traced variant's runtime: one shared object per process. Depends
// on libc and abi only.
//
// A label is the index of a node in the trace; 0 means that a value is concrete.
// Functions that instrumented code calls are declared in calls.h.
#ifndef VEER_RUNTIME_TRACE_RT_H
#define VEER_RUNTIME_TRACE_RT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/eval.h"
#include "abi/trace.h"

typedef uint32_t label;

// --- start.c: the trace and its life -------------------------------------------

extern struct trace_header *rt_trace; // NULL when nothing is recorded
extern struct trace_node *rt_nodes;
extern bool rt_on; // labels are being made; false before the start and after a limit
extern bool rt_self_check;

// Makes the caller the only one in the runtime's tables. Returns false when this very
// thread is in there already (a signal handler): then nothing can be recorded.
bool rt_enter(void);
void rt_leave(void);

// Copies bytes into the text area; returns their offset in units of 8, 0 when full.
uint32_t rt_text(const void *data, size_t size);
uint32_t rt_text_reserve(const void *data, size_t size, size_t room); // with room for more

// Offset of the site in the text area; 0 for NULL.
uint32_t rt_site(struct site *site);

// Fresh zeroed memory; NULL when there is none. Leaves errno alone, as all of the runtime must.
void *rt_map(size_t size);
void *rt_map_dense(size_t size); // all of it will be used: large pages save faults
void rt_unmap(void *p, size_t size);

// An array in the trace that is filled from its start: how far it is known to be there.
struct rt_room {
	uint32_t ready;
};
bool rt_make_room(struct rt_room *room, uint32_t used, void *array, size_t each, uint32_t max);

// Is there room for one more?
static inline bool rt_have_room(struct rt_room *room, uint32_t used, void *array, size_t each, uint32_t max)
{
	return used < room->ready || rt_make_room(room, used, array, each, max);
}

// Ends the recording: from here on everything is concrete.
void rt_stop(unsigned full_bit);

void rt_note_mismatch(void);
void rt_note_unmodelled(const char *name);

extern char rt_program[]; // path of the program, as it is without veer

// Of large static arrays: they stand together, apart from the small variables, which then fill
// few pages. Every page that a child of a fork server writes to is copied.
#define RT_LARGE __attribute__((section(".bss.veer_large")))

// --- serving (runtime/serve/serve.h) ------------------------------------------------

// What a server does beforehand, for all of its children.
void rt_nodes_prepare(const struct trace_header *trace);
void rt_memory_prepare(void);
void rt_objects_prepare(void);
void rt_events_prepare(const struct trace_header *trace);
void rt_stack_prepare(void);

// Makes a page of fresh memory be there. Of mappings with such a page, children get all pages
// that are there; of others none, and then reading is a fault, and writing later another.
static inline void rt_touch(void *p)
{
	*(volatile char *)p = 0;
}

// --- stack.c: calls that led to an event -----------------------------------------

uint32_t rt_stack(unsigned skip); // skip: innermost functions to leave out
bool rt_is_own_code(uint64_t address);
// The module that has code at the address, "" for the program; false: none has.
bool rt_stack_module(uint64_t address, const char **ret_name, uint64_t *ret_base);

// --- where.c: where a signal ended the run -----------------------------------------

void rt_where_prepare(const char *run); // in the server
int rt_report_open(const char *file);   // RUN/reports/FILE, to be written; -1: it cannot be
void rt_where_start(void);

// --- node.c: expressions -------------------------------------------------------

label rt_constant(unsigned width, eval_value value);
// A constant of at most 64 bits that nobody shares, and another value for it.
label rt_constant_own(unsigned width, uint64_t value);
void rt_constant_change(label own, uint64_t value);
label rt_node(unsigned op, unsigned width, label a, label b, label c);
label rt_input_byte(uint32_t source, uint32_t offset, uint8_t value);
label rt_unary(unsigned op, unsigned width, label a);
// Of abi/libm.h, FMA being LIBM_COUNT: with labels and values of its n operands, all of that width.
label rt_function(unsigned function, unsigned width, unsigned n, const label *l, const eval_value *v);
label rt_binary(unsigned op, unsigned width, label a, label b); // both are labels
label rt_extract(label a, unsigned low, unsigned width);
label rt_concat(label high, label low);
label rt_resize(label a, unsigned width); // zero-extends or cuts
label rt_lookup(label offset, uint32_t table, unsigned width, eval_value value);

static inline unsigned rt_width(label l)
{
	return rt_nodes[l].width;
}

// Self-check: the node must have this value, else the run ends with a message.
void rt_compare(label l, eval_value value, const char *where);

static inline void rt_expect(label l, eval_value value, const char *where)
{
	if (rt_self_check)
		rt_compare(l, value, where);
}

// --- range.c: what values an expression can have, by its form alone ------------------

struct rt_range {
	int64_t low, high; // as a signed number
};
struct rt_range rt_range(label l); // of at most 64 bits
bool rt_lies_in(label l, int64_t low, int64_t high);

// --- input.c: what is symbolic ------------------------------------------------------

// A new input of `size` bytes, with room for more of them; its number, or RT_NO_INPUT.
enum { RT_NO_INPUT = TRACE_INPUTS };
uint32_t rt_input(struct input_source source, const void *data, size_t size, size_t room);
void rt_input_append(uint32_t input, const void *data, size_t size);
void rt_input_memory(uint32_t input, void *data, size_t size); // labels it as the input's bytes
// The value of an input of 4 bytes, 64 bits wide.
label rt_input_number(uint32_t input, uint32_t value);

// --- source.c: arguments, environment, files ---------------------------------------------

struct rt_source { // a file or stream that is input
	uint64_t device, inode;
	uint32_t content, length; // inputs; length: RT_NO_INPUT while it is not known
	uint32_t now;             // the length; of a stream, when it is known
	bool seekable;
	uint64_t limit;    // bytes of content that can be symbolic
	uint64_t from, to; // those that are: see launch_window
	uint64_t position; // of a stream: bytes that were read
	uint64_t size;     // bytes of content that are known
	const uint8_t *data;
	label length_label;
	label end_label;   // a position that was set from the end of the file on: what it is, 0: none
	uint64_t end_at;   // and where that was
	label short_label; // a position behind a read that met the end: what it is, 0: none
	uint64_t short_at; // and where that was
};

void rt_sources_prepare(const char *list); // as after --sym; must stay
void rt_sources_set(void);                 // in the process that runs, which has its standard input
void rt_sources_start(int argc, char **argv, char **env);
void rt_input_string(enum input_kind kind, uint32_t ordinal, const char *name,
                     char *string); // one that ends with a NUL, where it is
extern label rt_argc;
extern bool rt_sources_read; // something that is read may be input

// --- variables.c: those of the environment ---
void rt_variables_prepare(const char *words);
void rt_variables_start(char **env);
void rt_variable_asked(char *value); // the program has asked for a variable; NULL: there is none

// What descriptor fd reads from; NULL when that is no input.
struct rt_source *rt_source_of(int fd);
// The same for a file that may not be open: one that was read before, or that --sym names.
struct stat;
struct rt_source *rt_source_with(const struct stat *st);
// The file is an input already, as long as this: its bytes are input number `content` of the trace.
void rt_source_add(int fd, uint32_t content, uint64_t size);
// Before a file is opened for writing: whether it was there before the run and keeps its content, in which case *ret is
// what it is; and after it was opened (fd may be -1). What it holds then is input, though its time says that it has
// just changed.
bool rt_source_opening(int folder, const char *path, int flags, struct stat *ret);
void rt_source_opened(int fd, const struct stat *was);
// Label of the byte at an offset that has this value now; 0 when it had another.
label rt_source_byte(struct rt_source *s, uint64_t offset, uint8_t value);
// Label of a byte behind the end: it has the value 0.
label rt_source_behind(struct rt_source *s, uint64_t offset);
label rt_source_length(struct rt_source *s); // 64 bits wide; 0 when it is not known
// Memory gets the labels of the `n` bytes at `offset`.
void rt_source_label(struct rt_source *s, uint64_t offset, void *to, uint64_t n);
// A stream: these bytes came, the first of them at `offset`; it has ended.
void rt_source_arrived(struct rt_source *s, uint64_t offset, const void *data, uint64_t n);
void rt_source_ended(struct rt_source *s);

// --- object.c: which object an address lies in --------------------------------------

struct rt_block { // on the heap
	uint64_t base, size;
	label size_label;
	uint32_t sized;    // number of its size, when that is input (sized.c), or 0
	struct site *site; // where it was allocated; may be NULL
};

struct rt_object {
	enum trace_object_kind kind;
	uint64_t base, size;
	label size_label;
	uint32_t sized;
	const char *name, *function; // function: of a local variable
	struct site *site;           // of a heap block or mapping
};

void rt_block_add(uint64_t base, uint64_t size, label size_label, struct site *site);
uint64_t rt_block_remove(uint64_t base); // its size; 0 when it is not known
// A block of this size has it from input; one of another size is left as it is.
void rt_block_sized(uint64_t base, uint64_t size, label size_label);
bool rt_mapping_find(uint64_t address, struct rt_object *ret); // mapping.c
bool rt_object_find(uint64_t address, struct rt_object *ret);
// The heap block that ends right before the address: an access there has gone one step too far.
bool rt_block_before(uint64_t address, struct rt_object *ret);
uint32_t rt_object_record(const struct rt_object *o); // its offset in the trace's text, 0 when full

// Tables of the character classes of a locale, which the macros of <ctype.h> read.
void rt_object_locale(const void *locale); // a locale_t

// --- sized.c: objects whose size is input ----------------------------------------------

extern bool rt_sized; // there is one, or was

// A new object, and one that is gone; the caller is alone in the tables. Returns the number of the size, 0 when it is
// no input.
uint32_t rt_sized_add(uint64_t base, uint64_t size, label size_label);
void rt_sized_remove(uint32_t number, uint64_t base, uint64_t size);

// An access at a concrete address: if it lies in such an object, that must be large enough.
void rt_sized_access(struct site *site, uint64_t address, uint64_t size);

// That the object has its first `end` bytes was checked in another way, and this end is a condition of the path.
void rt_sized_reached(const struct rt_object *o, uint64_t end);
// All `size` bytes from `to` on were written: makes the size concrete, and returns false. An object that has just this
// size is written as a whole whatever the size is: then nothing follows for it.
bool rt_whole(struct site *site, label size_label, uint64_t size, uint64_t to);

static inline void rt_accessed(struct site *site, uint64_t address, uint64_t size)
{
	if (rt_sized)
		rt_sized_access(site, address, size);
}

// --- memory.c: labels of memory ------------------------------------------------

label rt_load(uint64_t address, unsigned size);
void rt_store(uint64_t address, unsigned size, label l);
// The label of a pointer that libc changes without telling: it is gone when the value is another.
void rt_store_borrowed(uint64_t address, label l);
void rt_clear(uint64_t address, uint64_t size);
void rt_copy(uint64_t to, uint64_t from, uint64_t size); // overlapping is fine
void rt_forget_memory(void);
bool rt_any(uint64_t address, uint64_t size); // is one of the bytes symbolic
// Marks of granules of 16 bytes, for sized.c; the caller is alone in the tables. Of large memory, the first 64 MiB
// and the last 4 KiB.
void rt_mark(uint64_t address, uint64_t size, bool set);
bool rt_is_marked(uint64_t address);
void rt_list(uint64_t address, uint64_t size); // there will be labels

// --- made-up state (runtime/fragment) ---------------------------------------------------

extern bool rt_past_marker;                                 // the function that the run entered came to one
extern bool rt_cells;                                       // there are some
bool rt_is_cell(uint64_t address);                          // in or near one
bool rt_cell_find(uint64_t address, struct rt_object *ret); // the one that it lies in
void rt_cell_make(uint64_t address);                        // gives it its content
uint32_t rt_cell_input(uint64_t address);                   // its number in the trace
// How large it must be for more than it has, and at least so many bytes; 0: it cannot grow.
uint32_t rt_cell_growth(uint64_t address, uint64_t at_least);

// Somebody is about to touch what may be a cell, and must find its labels; or it is a system call, which would not make
// it but fail.
static inline void rt_touch_cell(uint64_t address)
{
	if (rt_cells)
		rt_cell_make(address);
}

// The first access through a pointer of a cell: where it leads is a decision of the path.
void rt_choose(struct site *site, label pointer);
uint64_t rt_chosen(label pointer); // where it leads
// The byte that says where the pointer leads, and the other way round; 0: there is none.
label rt_target_of(label pointer);
label rt_choice_of(label byte);
// The pointer is an expression over the byte that says where it leads (event.c).
void rt_note_choice(label pointer, label byte);

// --- cover.c: which parts of the program ran -------------------------------------------

void rt_cover_start(void *shared, uint64_t size); // `shared`: RUN/cover, mapped

// --- foreign.c: calls that labels are lost in ---------------------------------------

void rt_unmodelled(struct site *site, const char *name);
void rt_not_foreign(const void *callee); // it is instrumented, although a header of the system declares it

// --- given.c: what goes into such calls ----------------------------------------------

void rt_passed_back(const void *callee); // it is instrumented: nothing is lost

// --- event.c -------------------------------------------------------------------

void rt_event(unsigned kind, struct site *site, label l, uint64_t value);
void rt_select(struct site *site, label condition, bool taken);
extern uint32_t rt_conditions; // how many events there were that are conditions of the path
// A check (abi/checks.def): `fine`, which is 1 when it holds.
void rt_check(enum check_kind kind, struct site *site, label fine, bool holds);
// One that is about an object; its number.
uint32_t rt_check_object(enum check_kind kind, struct site *site, label fine, bool holds, const struct rt_object *o);
// That check is about another place and object from now on. False: it is no longer there.
bool rt_check_moved(uint32_t event, label fine, struct site *site, const struct rt_object *o);
bool rt_is_known(label l);    // the path says what it is, by what it said of a position
bool rt_is_position(label l); // a position decides what it is
// The label of the address of an access, without pointers of cells: where they lead is known from then on.
label rt_used(struct site *site, label l, uint64_t address);
// The object that an access means: what the unit knows of it (base, base_size), or what is registered.
bool rt_object_of(uint64_t address, uint64_t base, uint64_t base_size, struct rt_object *ret);
// Events from `from` on are forgotten, provided that there are none from `to` on.
void rt_forget_events(uint32_t from, uint32_t to);
void rt_concrete(struct site *site, label l, uint64_t value, enum trace_reason reason); // it is used as it is
// An access through a labelled address must lie in its object, which is an event unless it
// always does. Returns the label of the offset.
label rt_check_bounds(struct site *site, label address, uint64_t value, uint64_t size, const struct rt_object *o);

// Memory from `address` on is used, as many bytes as `size` says (or, without a label,
// `value`): that must be in its object.
void rt_check_room(struct site *site, label size, uint64_t value, uint64_t address);

// The label is a place in symbolic text, or a length of it. It is exact in arithmetic and
// comparisons; when it is used as an address, it is concretised, once for the path.
void rt_position(label l);

// What the label stands for was reported (EVENT_PASSED).
bool rt_is_passed(label l);
void rt_note_passed(label l, bool passed);

#endif
