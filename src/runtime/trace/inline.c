// What instrumented code does even when there are no labels: compiled to bitcode,
// linked into every instrumented unit and inlined there. No branches: most of these
// compute a *mark*, which is not 0 when an entry of the runtime must be called; the
// instrumenter puts many calls behind one test of their marks and labels
// (instrument/trace_batch.c). Arguments that are constants in a call vanish.
#define RT_COLD cold,
#include "runtime/trace/calls.h"

#define HELPER __attribute__((always_inline))

typedef uint32_t u32;
typedef uint64_t u64;

// So that the entries are declared wherever this is linked in.
const void *const __veer_h_entries[] = {
#define ENTRY(name, labels, writes) (const void *)__veer_t_##name,
#include "abi/entries.def"
#undef ENTRY
};

// May there be labels in the 4 KiB from this address on?
HELPER u64 __veer_h_mark(u64 address)
{
	return (u64)__veer_t_chunks[address >> RT_CHUNK_BITS & (RT_CHUNK_LISTS - 1)];
}

// The same for sizes that are large or not known.
HELPER u32 __veer_h_present(u64 address, u64 size)
{
	return (u32)(size > RT_CHUNK) | (u32)(__veer_h_mark(address) != 0);
}

// A sensitive operation with a concrete address is logged once in a segment.
HELPER u32 __veer_h_stale(const struct site *site)
{
	return site->segment ^ __veer_t_segment;
}

// In the variant that is entered at markers: the register of segments (instrument/trace_paths.c), where one ends.
HELPER void __veer_h_passed(u64 r)
{
	if (r >> 32 & 1)
		__veer_t_marker((u32)r);
}

// Entry of a function: are the argument labels for it?
HELPER u32 __veer_h_entered(const void *self)
{
	return __veer_passing.target == self;
}

HELPER void __veer_h_before_result(void)
{
	__veer_passing.source = 0;
}

HELPER u32 __veer_h_returned(const void *callee)
{
	return __veer_passing.source == callee;
}

HELPER void __veer_h_push_frame(struct rt_frame *frame, const struct rt_frame_info *info)
{
	frame->parent = __veer_frames;
	frame->info = info;
	__veer_frames = frame;
}

HELPER void __veer_h_pop_frame(struct rt_frame *frame)
{
	__veer_frames = frame->parent;
}

HELPER void __veer_h_push_dynamic(struct rt_dynamic **head, struct rt_dynamic *d, u64 base, u64 size, u32 size_label,
                                  const char *name)
{
	d->next = *head;
	d->base = base;
	d->size = size;
	d->name = name;
	d->size_label = size_label;
	d->sized = 0;
	*head = d;
}

// Around setjmp: when it returns again, the frames since then are gone.
HELPER void __veer_h_keep_frames(struct rt_frame **kept)
{
	*kept = __veer_frames;
}

HELPER void __veer_h_restore_frames(struct rt_frame **kept)
{
	__veer_frames = *kept;
}

HELPER void __veer_h_place(struct site *site)
{
	__veer_passing.place = site;
}

HELPER void __veer_h_leap(u32 l)
{
	__veer_passing.leap = l;
}

HELPER u32 __veer_h_leapt(void)
{
	return __veer_passing.leap;
}

HELPER void __veer_h_on_stack(const void *callee, u32 overflow)
{
	__veer_passing.on_stack = callee;
	__veer_passing.overflow = overflow;
}

HELPER void __veer_h_calls_from(struct site *site)
{
	__veer_passing.site = site;
}

// --- always worth a call ----------------------------------------------------------------

HELPER void __veer_h_variadic_save(const void *self, u32 *saved)
{
	__veer_t_variadic_save(self, saved);
}

HELPER void __veer_h_variadic_start(const u32 *saved, void *list)
{
	__veer_t_variadic_start(saved, list);
}

HELPER void __veer_h_unwind(struct rt_dynamic **head, const void *stack)
{
	__veer_t_unwind(head, stack);
}

HELPER void __veer_h_fatal(struct site *site)
{
	__veer_t_fatal(site);
}
