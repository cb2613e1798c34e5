// Labels of memory. See calls.h for the table; an entry is label << 4 | byte, so a
// value that is stored and loaded again costs no node.
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/trace/calls.h"
#include "runtime/trace/rt.h"

enum { CHUNK = RT_CHUNK };

struct rt_chunk *__veer_t_chunks[RT_CHUNK_LISTS] RT_LARGE;
static struct rt_chunk *newest;

static struct rt_chunk *find_chunk(uint64_t number)
{
	struct rt_chunk *c = __veer_t_chunks[number & (RT_CHUNK_LISTS - 1)];
	while (c && c->number != number)
		c = c->next;
	return c;
}

static uint32_t *chunk_of(uint64_t address)
{
	const struct rt_chunk *c = find_chunk(address >> RT_CHUNK_BITS);
	return c ? c->entries : NULL;
}

// Memory is mapped for several at once: a mapping costs more than what is in it. NULL when
// it runs out: then the run goes on concretely.
enum { AT_ONCE = 16 };
static struct rt_chunk first_chunks[AT_ONCE]; // static, so that short runs have few pages to write to
static struct pool {
	const size_t size; // of one
	char *free;
	size_t n;
} for_chunks = {.size = sizeof(struct rt_chunk)}, for_entries = {.size = CHUNK * sizeof(uint32_t)};

static bool fill(struct pool *pool)
{
	pool->free = rt_map(AT_ONCE * pool->size);
	pool->n = pool->free ? AT_ONCE : 0;
	return pool->n;
}

static void *take(struct pool *pool)
{
	if (!pool->n && !fill(pool)) {
		rt_stop(0);
		return NULL;
	}
	return pool->free + --pool->n * pool->size;
}

void *__libc_malloc(size_t size);
void __libc_free(void *p);

// Programs have labels on the stack, on the heap, and in variables of their own. The heap is made, with nothing in it.
void rt_memory_prepare(void)
{
	__libc_free(__libc_malloc(2048));
	const uint64_t places[] = {(uint64_t)__builtin_frame_address(0), (uint64_t)sbrk(0), getauxval(AT_PHDR)};
	for_chunks.free = (char *)first_chunks;
	for_chunks.n = AT_ONCE;
	fill(&for_entries);
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		rt_touch(&__veer_t_chunks[places[i] >> RT_CHUNK_BITS & (RT_CHUNK_LISTS - 1)]);
}

static struct rt_chunk *list_chunk(uint64_t number)
{
	struct rt_chunk *c = find_chunk(number), **list = &__veer_t_chunks[number & (RT_CHUNK_LISTS - 1)];
	if (!c && (c = take(&for_chunks))) {
		*c = (struct rt_chunk){.number = number, .next = *list, .older = newest};
		__atomic_store_n(list, c, __ATOMIC_RELEASE);
		newest = c;
	}
	return c;
}

static uint32_t *make_chunk(uint64_t number)
{
	struct rt_chunk *before = list_chunk(number - 1), *c = before ? list_chunk(number) : NULL;
	if (c && !c->entries) // another thread may have been faster
		c->entries = take(&for_entries);
	return c ? c->entries : NULL;
}

void rt_list(uint64_t address, uint64_t size)
{
	if (!rt_enter())
		return;
	for (uint64_t n = (address >> RT_CHUNK_BITS) - 1; n <= (address + size) >> RT_CHUNK_BITS; n++)
		list_chunk(n);
	rt_leave();
}

// Nothing has labels any more, and code that looks for marks finds none: it is as fast as
// ever. The table's pages are given back, which empties them.
void rt_forget_memory(void)
{
	enum { PAGE = 4096 };
	char *from = (char *)__veer_t_chunks, *to = from + sizeof __veer_t_chunks;
	char *first = (char *)(((uint64_t)from + PAGE - 1) / PAGE * PAGE), *last = (char *)((uint64_t)to / PAGE * PAGE);
	int saved = errno;
	memset(from, 0, (size_t)(first - from));
	memset(last, 0, (size_t)(to - last));
	syscall(SYS_madvise, first, last - first, MADV_DONTNEED);
	errno = saved;
}

// The chunk, made when it is absent.
static uint32_t *need_chunk(uint64_t address)
{
	uint32_t *chunk = chunk_of(address);
	if (chunk || !rt_enter())
		return chunk;
	chunk = make_chunk(address >> RT_CHUNK_BITS);
	rt_leave();
	return chunk;
}

// --- marks of granules --------------------------------------------------------------

enum { GRANULE_BITS = 4, MARKS_MAX = 64 << 20 };

// The granules of a chunk from the first to the last.
static void mark_chunk(struct rt_chunk *c, unsigned first, unsigned last, bool set)
{
	for (unsigned i = first / 64; i <= last / 64; i++) {
		uint64_t bits = ~0ull;
		if (i == first / 64)
			bits &= ~0ull << first % 64;
		if (i == last / 64)
			bits &= ~0ull >> (63 - last % 64);
		c->marked[i] = set ? c->marked[i] | bits : c->marked[i] & ~bits;
	}
}

void rt_mark(uint64_t address, uint64_t size, bool set)
{
	const uint64_t from = address >> GRANULE_BITS, to = (address + size - 1) >> GRANULE_BITS;
	enum { SHIFT = RT_CHUNK_BITS - GRANULE_BITS, LAST = (1 << SHIFT) - 1 };
	const uint64_t many = (from >> SHIFT) + (MARKS_MAX >> RT_CHUNK_BITS);
	if (set)
		list_chunk((from >> SHIFT) - 1);
	for (uint64_t n = from >> SHIFT; n <= to >> SHIFT; n++) {
		if (n == many && n < (to >> SHIFT) - 1)
			n = (to >> SHIFT) - 1; // an access of the last chunk asks for the mark of this one
		struct rt_chunk *c = set ? list_chunk(n) : find_chunk(n);
		if (c)
			mark_chunk(c, n == from >> SHIFT ? from & LAST : 0, n == to >> SHIFT ? to & LAST : LAST, set);
	}
}

bool rt_is_marked(uint64_t address)
{
	const struct rt_chunk *c = find_chunk(address >> RT_CHUNK_BITS);
	unsigned granule = (address & (CHUNK - 1)) >> GRANULE_BITS;
	return c && c->marked[granule / 64] >> granule % 64 & 1;
}

// --- entries -----------------------------------------------------------------------

static uint32_t entry(uint64_t address)
{
	const uint32_t *chunk = chunk_of(address);
	return chunk ? chunk[address & (CHUNK - 1)] : 0;
}

static label piece(uint32_t e, unsigned bytes)
{
	return rt_extract(e >> 4, 8 * (e & 15), 8 * bytes);
}

static label read_constant(uint64_t address, unsigned bytes)
{
	eval_value v = 0;
	memcpy(&v, (const void *)address, bytes);
	return rt_constant(8 * bytes, v);
}

// Pointers of libc's that have labels, with the values that these are for. Few of them are
// in use at once; one that has no place loses its labels.
enum { BORROWED = 64 };
static struct borrowed {
	uint64_t address, value;
} borrowed[BORROWED];

static struct borrowed *borrowed_at(uint64_t address)
{
	return &borrowed[address / 16 % BORROWED];
}

void rt_store_borrowed(uint64_t address, label l)
{
	struct borrowed *b = borrowed_at(address);
	if (l && b->address && b->address != address)
		rt_clear(b->address, sizeof b->value);
	if (l) {
		b->address = address;
		memcpy(&b->value, (const void *)address, sizeof b->value);
	} else if (b->address == address) {
		b->address = 0;
	}
	rt_store(address, sizeof b->value, l);
}

static bool is_outdated(uint64_t address)
{
	const struct borrowed *b = borrowed_at(address);
	return b->address == address && memcmp((const void *)address, &b->value, sizeof b->value) != 0;
}

label rt_load(uint64_t address, unsigned size)
{
	uint32_t e[16], any = 0;
	for (unsigned i = 0; i < size; i++)
		any |= e[i] = entry(address + i);
	if (!any || !rt_on)
		return 0;
	if (is_outdated(address)) {
		rt_store_borrowed(address, 0);
		return 0;
	}
	label result = 0;
	for (unsigned i = 0; i < size;) { // runs of concrete bytes, and of neighbouring bytes of a label
		unsigned n = 1;
		while (i + n < size && (e[i] ? e[i + n] == e[i] + n && (e[i] & 15) + n < 16 : !e[i + n]))
			n++;
		label part = e[i] ? piece(e[i], n) : read_constant(address + i, n);
		if (!part)
			return 0;
		result = i ? rt_concat(part, result) : part;
		i += n;
	}
	return result;
}

void rt_store(uint64_t address, unsigned size, label l)
{
	if (!l) {
		rt_clear(address, size);
		return;
	}
	if (rt_width(l) != 8 * size)
		l = rt_resize(l, 8 * size);
	for (unsigned i = 0; i < size; i++) {
		uint32_t *chunk = l ? need_chunk(address + i) : chunk_of(address + i);
		if (chunk)
			chunk[(address + i) & (CHUNK - 1)] = l ? l << 4 | i : 0;
	}
}

// Programs map and unmap terabytes: there it is better to look at what has labels.
enum { FEW = 1 << 30 };

static bool touches(const struct rt_chunk *c, uint64_t address, uint64_t size)
{
	return c->number >= address >> RT_CHUNK_BITS && c->number <= (address + size - 1) >> RT_CHUNK_BITS;
}

void rt_clear(uint64_t address, uint64_t size)
{
	for (const struct rt_chunk *c = size > FEW ? newest : NULL; c; c = c->older)
		if (c->entries && touches(c, address, size)) {
			uint64_t base = c->number << RT_CHUNK_BITS, from = base < address ? address : base,
				 end = base + CHUNK < address + size ? base + CHUNK : address + size;
			memset(c->entries + (from - base), 0, (end - from) * sizeof *c->entries);
		}
	if (size > FEW)
		return;
	while (size) {
		uint64_t n = CHUNK - (address & (CHUNK - 1));
		if (n > size)
			n = size;
		uint32_t *chunk = chunk_of(address);
		if (chunk)
			memset(chunk + (address & (CHUNK - 1)), 0, n * sizeof *chunk);
		address += n;
		size -= n;
	}
}

bool rt_any(uint64_t address, uint64_t size)
{
	if (size > FEW) {
		const struct rt_chunk *c = newest;
		while (c && !(c->entries && touches(c, address, size)))
			c = c->older;
		return c; // there may be some
	}
	while (size) {
		uint64_t n = CHUNK - (address & (CHUNK - 1));
		if (n > size)
			n = size;
		const uint32_t *chunk = chunk_of(address);
		for (uint64_t i = 0; chunk && i < n; i++)
			if (chunk[(address & (CHUNK - 1)) + i])
				return true;
		address += n;
		size -= n;
	}
	return false;
}

static void copy_entry(uint64_t to, uint64_t from)
{
	uint32_t e = entry(from);
	uint32_t *chunk = e ? need_chunk(to) : chunk_of(to);
	if (chunk)
		chunk[to & (CHUNK - 1)] = e;
}

void rt_copy(uint64_t to, uint64_t from, uint64_t size)
{
	if (!rt_any(from, size)) {
		rt_clear(to, size);
		return;
	}
	if (to <= from)
		for (uint64_t i = 0; i < size; i++)
			copy_entry(to + i, from + i);
	else
		for (uint64_t i = size; i-- > 0;)
			copy_entry(to + i, from + i);
}

// --- entries from instrumented code ----------------------------------------------

RT_SLOW uint32_t __veer_t_load(uint64_t mark, uint64_t address, uint32_t size)
{
	return mark ? rt_load(address, size) : 0;
}

// What is written to has its own labels first: who writes comes here before, and would have them back afterwards.
RT_SLOW void __veer_t_store(uint64_t mark, uint64_t address, uint32_t size, uint32_t l)
{
	rt_touch_cell(address);
	if (mark || l)
		rt_store(address, size, rt_on ? l : 0);
}

RT_SLOW void __veer_t_clear(uint32_t mark, uint64_t address, uint64_t size)
{
	rt_touch_cell(address);
	if (mark)
		rt_clear(address, size);
}

RT_SLOW void __veer_t_copy(uint32_t mark, uint64_t to, uint64_t from, uint64_t size, struct site *site)
{
	if (!mark)
		return;
	rt_touch_cell(from);
	rt_touch_cell(to);
	rt_accessed(site, from, size);
	rt_accessed(site, to, size);
	rt_copy(to, from, size);
}

RT_SLOW void __veer_t_touch(uint64_t mark, struct site *site, uint64_t address, uint32_t size)
{
	if (mark)
		rt_accessed(site, address, size);
}

RT_SLOW void __veer_t_fill(uint32_t mark, uint64_t to, uint32_t l, uint64_t size, struct site *site)
{
	rt_touch_cell(to);
	if (mark)
		rt_accessed(site, to, size);
	if (!l && mark)
		rt_clear(to, size);
	for (uint64_t i = 0; l && i < size; i++)
		rt_store(to + i, 1, l);
}
