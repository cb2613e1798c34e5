// What instrumented code calls and reads. The inline helpers (inline.c) test for
// labels and call the rest of the runtime only when there are some, so these are
// cold; with preserve_most a call leaves the caller's registers alone.
#ifndef VEER_RUNTIME_TRACE_CALLS_H
#define VEER_RUNTIME_TRACE_CALLS_H

#include <stdint.h>

#include "abi/site.h"

// Cold where it is called, not where it is defined.
#ifndef RT_COLD
#define RT_COLD
#endif
#define RT_SLOW __attribute__((preserve_most, RT_COLD visibility("default")))

// Labels of memory, per byte: a chunk of entries for every 4 KiB that has some. An entry
// is label << 4 | byte of the label's value. Chunks are listed in a hash table by the low
// bits of their number, address >> 12. One without labels is not listed, or has no
// entries: the one before a chunk with labels is always listed. So up to 4 KiB that start
// where the table has nothing have no labels. Chunks of objects whose size is input are listed likewise.
enum { RT_CHUNK_BITS = 12, RT_CHUNK = 1 << RT_CHUNK_BITS, RT_CHUNK_LISTS = 1 << 22 };
struct rt_chunk {
	uint64_t number;
	struct rt_chunk *next;               // of the same list
	struct rt_chunk *older;              // of all
	uint32_t *entries;                   // or NULL
	uint64_t marked[RT_CHUNK / 16 / 64]; // granules of objects whose size is input, a bit each
};
extern __attribute__((visibility("default"))) struct rt_chunk *__veer_t_chunks[RT_CHUNK_LISTS];

// Passing labels to a callee and back. `target` names the function that the
// argument labels are for, `source` the one that the result's labels are from: a
// function that is not instrumented takes and leaves none, and what it calls
// back must not find labels that were meant for it.
enum { RT_ARGS = 32, RT_RESULTS = 4, RT_BYVAL = 8, RT_VARIADIC = 176 + 512 };

struct rt_passing {
	const void *target, *source;
	uint32_t args[RT_ARGS];
	uint32_t results[RT_RESULTS];
	uint64_t byval[RT_BYVAL];   // addresses of structures passed by value
	struct site *place;         // where the program calls veer, as long as it does
	uint32_t leap;              // label of what longjmp was given, on the way to setjmp
	struct site *site;          // where a function of the runtime or a model is called
	const void *on_stack;       // function whose variadic arguments are on the stack, `overflow` bytes of them
	const void *variadic;       // function that `area` is for
	uint32_t overflow;          // bytes of area used behind the registers
	uint32_t area[RT_VARIADIC]; // entries as in memory, laid out as the ABI lays out va_list's areas
};
extern __thread __attribute__((tls_model("initial-exec"), visibility("default"))) struct rt_passing __veer_passing;

// Local variables whose address leaves their function or whose size is not fixed: a frame
// for each call of such a function, linked while it runs. Laid out by the instrumenter.
struct rt_variable {
	const char *name;
	uint64_t size;
};
struct rt_frame_info {
	const char *function;
	uint32_t n;
	uint32_t dynamic; // 1: objects[n] is the head of a list of struct rt_dynamic
	struct rt_variable variables[];
};
struct rt_dynamic { // of a size that is not fixed
	struct rt_dynamic *next;
	uint64_t base, size;
	const char *name;
	uint32_t size_label;
	uint32_t sized; // as in struct rt_block
};
struct rt_frame {
	struct rt_frame *parent;
	const struct rt_frame_info *info;
	uint64_t objects[]; // addresses
};
extern __thread __attribute__((tls_model("initial-exec"), visibility("default"))) struct rt_frame *__veer_frames;

// The stack goes back to `stack`: what lies below is gone.
__attribute__((visibility("default"))) void __veer_t_unwind(struct rt_dynamic **head, const void *stack);

// The global variables of a unit; each unit tells its own when it is loaded.
struct rt_global {
	const void *address;
	uint64_t size;
	const char *name;
};
struct rt_globals {
	struct rt_globals *next; // kept by the runtime
	uint64_t n;
	const struct rt_global *variables;
};
__attribute__((visibility("default"))) void __veer_t_globals(struct rt_globals *g);
__attribute__((visibility("default"))) void __veer_t_globals_gone(struct rt_globals *g); // the unit is unloaded

// The section with the counters of the module that the unit is in; each unit of the explored variant tells it.
__attribute__((visibility("default"))) void __veer_t_cover(char *start, char *stop);

// Number of the current segment: the stretch between two symbolic branches.
extern __attribute__((visibility("default"))) uint32_t __veer_t_segment;

// Whether operations on floats are checked (LAUNCH_FLOATS).
extern __attribute__((visibility("default"))) uint32_t __veer_t_float_checks;

// op: operator | operand width << 8 | negate the result << 31. r is the value that
// the program computed, for the self-check.
RT_SLOW uint32_t __veer_t_binary(uint32_t op, uint32_t la, uint32_t lb, uint64_t a, uint64_t b, uint64_t r);
RT_SLOW uint32_t __veer_t_binary_wide(uint32_t op, uint32_t la, uint32_t lb, uint64_t a, uint64_t a_high, uint64_t b,
                                      uint64_t b_high, uint64_t r, uint64_t r_high);
// op: operator | operand width << 8 | result width << 16
RT_SLOW uint32_t __veer_t_unary(uint32_t op, uint32_t la, uint64_t r_low, uint64_t r_high);
// code: function of abi/libm.h, FMA being LIBM_COUNT | operand width << 8 | operands << 16
RT_SLOW uint32_t __veer_t_function(uint32_t code, uint32_t la, uint32_t lb, uint32_t lc, uint64_t a, uint64_t a_high,
                                   uint64_t b, uint64_t b_high, uint64_t c, uint64_t c_high, uint64_t r,
                                   uint64_t r_high);
RT_SLOW uint32_t __veer_t_extract(uint32_t la, uint32_t low, uint32_t width, uint64_t r_low, uint64_t r_high);
RT_SLOW uint32_t __veer_t_insert(uint32_t whole, uint32_t part, uint32_t low, uint32_t widths, uint64_t whole_low,
                                 uint64_t whole_high, uint64_t part_value);
RT_SLOW uint32_t __veer_t_select(struct site *site, uint32_t condition, uint32_t la, uint32_t lb, uint32_t width,
                                 uint32_t taken, uint64_t a, uint64_t a_high, uint64_t b, uint64_t b_high);
RT_SLOW uint32_t __veer_t_address(uint32_t base, uint32_t index, uint64_t base_value, uint64_t index_value,
                                  uint64_t scale);
RT_SLOW uint32_t __veer_t_offset(uint32_t l, uint64_t value, uint64_t offset); // value + offset
RT_SLOW uint32_t __veer_t_load(uint64_t mark, uint64_t address, uint32_t size);
RT_SLOW void __veer_t_store(uint64_t mark, uint64_t address, uint32_t size, uint32_t l);
RT_SLOW void __veer_t_clear(uint32_t mark, uint64_t address, uint64_t size);
RT_SLOW void __veer_t_copy(uint32_t mark, uint64_t to, uint64_t from, uint64_t size, struct site *site);
RT_SLOW void __veer_t_fill(uint32_t mark, uint64_t to, uint32_t l, uint64_t size, struct site *site);
// A value without labels of its own is read or written; a variable whose size is input is there.
RT_SLOW void __veer_t_touch(uint64_t mark, struct site *site, uint64_t address, uint32_t size);
RT_SLOW void __veer_t_sized(uint32_t size_label, struct rt_dynamic *d);
// Before `size` bytes at an address are copied or filled.
RT_SLOW void __veer_t_extent(struct site *site, uint32_t l, uint32_t size_label, uint64_t address, uint64_t size,
                             uint64_t base, uint64_t base_size);
// After these: the size has the value of this run from now on, and the objects are as large. Returns 1, and leaves it
// as it is, when `to` is an object of just that size.
RT_SLOW uint32_t __veer_t_size(struct site *site, uint32_t size_label, uint64_t size, uint64_t to, uint64_t from);
// Before a library function goes to an address.
RT_SLOW void __veer_t_points(struct site *site, uint32_t l, uint64_t address);
// Accesses through a computed or labelled address: `stale` when the place was not
// logged in this segment, `l` the address' label. _in: into an object that is known.
RT_SLOW uint32_t __veer_t_load_at(uint64_t mark, uint32_t stale, struct site *site, uint32_t l, uint64_t address,
                                  uint32_t size);
RT_SLOW uint32_t __veer_t_load_in(uint64_t mark, uint32_t stale, struct site *site, uint32_t l, uint64_t address,
                                  uint32_t size, uint64_t base, uint64_t base_size);
RT_SLOW void __veer_t_store_at(uint64_t mark, uint32_t stale, struct site *site, uint32_t l, uint64_t address,
                               uint32_t size, uint32_t stored);
RT_SLOW void __veer_t_store_in(uint64_t mark, uint32_t stale, struct site *site, uint32_t l, uint64_t address,
                               uint32_t size, uint32_t stored, uint64_t base, uint64_t base_size);
RT_SLOW void __veer_t_branch(struct site *site, uint32_t l, uint32_t value);
RT_SLOW void __veer_t_check(struct site *site, uint32_t l, uint32_t value);
RT_SLOW void __veer_t_switch(struct site *site, uint32_t l, uint64_t value);
RT_SLOW void __veer_t_concrete(struct site *site, uint32_t l, uint64_t value, uint32_t reason);
RT_SLOW void __veer_t_access(uint32_t stale, struct site *site, uint64_t address);
// The first segment of the run ends: where its counter is, from the unit's header on.
RT_SLOW void __veer_t_marker(uint64_t place);
RT_SLOW void __veer_t_unknown(struct site *site, uint32_t l);

// Before a call: `any` is nonzero when one of the argument labels is.
RT_SLOW void __veer_t_pass(uint32_t any, const void *callee, uint32_t l0, uint32_t l1, uint32_t l2, uint32_t l3);
RT_SLOW void __veer_t_pass_more(uint32_t any, uint32_t from, uint32_t l0, uint32_t l1, uint32_t l2, uint32_t l3);
RT_SLOW void __veer_t_pass_byval(uint32_t any, uint32_t index, uint64_t address);
// Variadic arguments: `at` is the offset that the ABI gives them in va_list's areas.
RT_SLOW void __veer_t_variadic(uint32_t any, const void *callee, uint32_t overflow);
RT_SLOW void __veer_t_variadic_argument(uint32_t any, uint32_t at, uint32_t size, uint32_t l);
RT_SLOW void __veer_t_variadic_byval(uint32_t any, uint32_t at, uint32_t size, uint64_t address);
// Around a call of a function that may not be instrumented. Then it left the labels, and
// may have written what it had pointers to.
RT_SLOW void __veer_t_foreign(uint32_t mark, const void *callee, uint64_t p0, uint64_t p1, uint64_t p2, uint64_t p3);
// Before it: what it is given, by pointer and by value. A function that takes labels gives it back.
RT_SLOW void __veer_t_passed(struct site *site, uint32_t mark, const void *callee, uint64_t address);
RT_SLOW void __veer_t_passed_value(struct site *site, uint32_t l, const void *callee, uint64_t low, uint64_t high);
RT_SLOW void __veer_t_after_call(struct site *site, uint32_t any, const void *callee, const char *name);
// Entry of a function that was passed labels; a structure passed by value has some, or
// lies where old ones may be. place: number of the argument or result | width << 8.
RT_SLOW void __veer_t_enter(uint32_t entered);
RT_SLOW uint32_t __veer_t_argument(uint32_t entered, uint32_t place);
RT_SLOW void __veer_t_byval(uint32_t mark, uint32_t entered, uint32_t index, uint64_t address, uint64_t size);
RT_SLOW void __veer_t_return(const void *self, uint32_t l0, uint32_t l1, uint32_t l2, uint32_t l3);
RT_SLOW uint32_t __veer_t_result(uint32_t returned, uint32_t place);
// After setjmp returned `value`: its label, when longjmp brought one.
RT_SLOW uint32_t __veer_t_landed(uint32_t leapt, uint32_t value);

// Entry of a variadic function: keeps what was passed in `saved` (RT_VARIADIC + 1 entries).
__attribute__((visibility("default"))) void __veer_t_variadic_save(const void *self, uint32_t *saved);
__attribute__((visibility("default"))) void __veer_t_variadic_start(const uint32_t *saved, void *list);
__attribute__((visibility("default"))) _Noreturn void __veer_t_fatal(struct site *site);

#endif
