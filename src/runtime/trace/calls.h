// What instrumented code calls and reads. The inline helpers (inline.c) test for
// labels and call the rest of the runtime only when there are some, so these are
// cold; with preserve_most a call leaves the caller's registers alone.
#ifndef VEER_RUNTIME_TRACE_CALLS_H
#define VEER_RUNTIME_TRACE_CALLS_H

#include <stdint.h>

#include "abi/site.h"

#define RT_SLOW __attribute__((preserve_most, cold, visibility("default")))

// Labels of memory, per byte, in three levels: 2^16 regions of 2 GiB, 2^15 chunks
// of 64 KiB each, 2^16 entries. An entry is label << 4 | byte of the label's
// value. Regions without labels share one table of absent chunks.
enum { RT_CHUNK_BITS = 16, RT_REGION_BITS = 31 };
typedef uint32_t *rt_region[1 << (RT_REGION_BITS - RT_CHUNK_BITS)];
extern __attribute__((visibility("default"))) rt_region *__veer_t_regions[1 << (47 - RT_REGION_BITS)];

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
	const void *variadic;       // function that `area` is for
	uint32_t overflow;          // bytes of area used behind the registers
	uint32_t area[RT_VARIADIC]; // entries as in memory, laid out as the ABI lays out va_list's areas
};
extern __thread __attribute__((tls_model("initial-exec"), visibility("default"))) struct rt_passing __veer_t_pass;

// Number of the current segment: the stretch between two symbolic branches.
extern __attribute__((visibility("default"))) uint32_t __veer_t_segment;

// op: operator | operand width << 8 | negate the result << 31. r is the value that
// the program computed, for the self-check.
RT_SLOW uint32_t __veer_t_binary(uint32_t op, uint32_t la, uint32_t lb, uint64_t a, uint64_t b, uint64_t r);
RT_SLOW uint32_t __veer_t_binary_wide(uint32_t op, uint32_t la, uint32_t lb, unsigned __int128 a, unsigned __int128 b,
                                      unsigned __int128 r);
// op: operator | operand width << 8 | result width << 16
RT_SLOW uint32_t __veer_t_unary(uint32_t op, uint32_t la, uint64_t r_low, uint64_t r_high);
RT_SLOW uint32_t __veer_t_extract(uint32_t la, uint32_t low, uint32_t width, uint64_t r_low, uint64_t r_high);
RT_SLOW uint32_t __veer_t_insert(uint32_t whole, uint32_t part, uint32_t low, uint32_t widths, uint64_t whole_low,
                                 uint64_t whole_high, uint64_t part_value);
RT_SLOW uint32_t __veer_t_select(struct site *site, uint32_t condition, uint32_t la, uint32_t lb, uint32_t width,
                                 uint32_t taken, uint64_t a, uint64_t a_high, uint64_t b, uint64_t b_high);
RT_SLOW uint32_t __veer_t_address(uint32_t base, uint32_t index, uint64_t base_value, uint64_t index_value,
                                  uint64_t scale);
RT_SLOW uint32_t __veer_t_load(uint64_t address, uint32_t size);
RT_SLOW void __veer_t_store(uint64_t address, uint32_t size, uint32_t l);
RT_SLOW uint32_t __veer_t_load_symbolic(struct site *site, uint32_t l, uint64_t address, uint32_t size, uint64_t base,
                                        uint64_t base_size);
RT_SLOW void __veer_t_store_symbolic(struct site *site, uint32_t l, uint64_t address, uint32_t size, uint64_t base,
                                     uint64_t base_size);
RT_SLOW void __veer_t_branch(struct site *site, uint32_t l, uint32_t value);
RT_SLOW void __veer_t_check(struct site *site, uint32_t l, uint32_t value);
RT_SLOW void __veer_t_switch(struct site *site, uint32_t l, uint64_t value);
RT_SLOW void __veer_t_concrete(struct site *site, uint32_t l, uint64_t value);
RT_SLOW void __veer_t_access(struct site *site, uint64_t address);
RT_SLOW void __veer_t_unknown(struct site *site, uint32_t l);
RT_SLOW void __veer_t_expect(struct site *site, uint32_t l, uint64_t low, uint64_t high);
RT_SLOW void __veer_t_unmodelled(struct site *site);

// Not cold.
__attribute__((visibility("default"))) void __veer_t_copy(uint64_t to, uint64_t from, uint64_t size);
__attribute__((visibility("default"))) void __veer_t_fill(uint64_t to, uint32_t l, uint64_t size);
RT_SLOW void __veer_t_variadic(const void *callee, uint32_t overflow);
RT_SLOW void __veer_t_variadic_argument(uint32_t at, uint32_t size, uint32_t l);
RT_SLOW void __veer_t_variadic_byval(uint32_t at, uint32_t size, uint64_t address);
// Entry of a variadic function: keeps what was passed in `saved` (RT_VARIADIC + 1 entries).
__attribute__((visibility("default"))) void __veer_t_variadic_save(const void *self, uint32_t *saved);
__attribute__((visibility("default"))) void __veer_t_variadic_start(const uint32_t *saved, void *list);
__attribute__((visibility("default"))) _Noreturn void __veer_t_fatal(struct site *site);

#endif
