// Copying and filling memory. Most calls are instructions of LLVM's, not calls; what is
// here is for calls by pointer, with -fno-builtin, and of those that LLVM does not know.
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "runtime/models/model.h"

void *__memcpy_chk(void *to, const void *from, size_t n, size_t room);
void *__memmove_chk(void *to, const void *from, size_t n, size_t room);
void *__mempcpy_chk(void *to, const void *from, size_t n, size_t room);
void *__memset_chk(void *to, int c, size_t n, size_t room);
void __explicit_bzero_chk(void *to, size_t n, size_t room);

// --- copying -------------------------------------------------------------------------------

static void copied(struct site *site, const void *to, const void *from, size_t n, label to_l, label from_l, label n_l)
{
	rt_concrete(site, to_l, (uint64_t)to, REASON_ARGUMENT);
	rt_concrete(site, from_l, (uint64_t)from, REASON_ARGUMENT);
	rt_check_room(site, n_l, n, (uint64_t)from);
	rt_check_room(site, n_l, n, (uint64_t)to);
	rt_whole(site, n_l, n, (uint64_t)to);
	rt_copy((uint64_t)to, (uint64_t)from, n);
}

#define COPY(name, ...)                                                                                                \
	ENTER(name, 3);                                                                                                \
	void *r = name(__VA_ARGS__);                                                                                   \
	copied(site, to, from, n, arg[0], arg[1], arg[2]);                                                             \
	return r

MODEL(void *, memcpy, void *to, const void *from, size_t n)
{
	COPY(memcpy, to, from, n);
}

MODEL(void *, memmove, void *to, const void *from, size_t n)
{
	COPY(memmove, to, from, n);
}

MODEL(void *, mempcpy, void *to, const void *from, size_t n)
{
	COPY(mempcpy, to, from, n);
}

MODEL(void *, __memcpy_chk, void *to, const void *from, size_t n, size_t room)
{
	COPY(__memcpy_chk, to, from, n, room);
}

MODEL(void *, __memmove_chk, void *to, const void *from, size_t n, size_t room)
{
	COPY(__memmove_chk, to, from, n, room);
}

MODEL(void *, __mempcpy_chk, void *to, const void *from, size_t n, size_t room)
{
	COPY(__mempcpy_chk, to, from, n, room);
}

MODEL(void, bcopy, const void *from, void *to, size_t n)
{
	ENTER(bcopy, 3);
	memmove(to, from, n);
	copied(site, to, from, n, arg[1], arg[0], arg[2]);
}

static struct sym is_byte(const struct model_search *s, uint64_t i)
{
	return sym_equal(model_string_byte(&s->text, i), s->byte);
}

// Where it ends is where it ended in this run.
static void ends_here(struct site *site, const void *to, const void *from, struct sym c, size_t n, const void *r)
{
	struct model_search search = {.site = site,
	                              .name = "memccpy",
	                              .text = model_memory(from, n),
	                              .hit = is_byte,
	                              .base = (uint64_t)to + 1,
	                              .real = (uint64_t)r,
	                              .byte = c};
	if (!search.text.labelled && !c.l)
		return;
	struct sym end = model_first(&search);
	rt_concrete(site, end.l, end.value, REASON_LENGTH);
}

MODEL(void *, memccpy, void *to, const void *from, int c, size_t n)
{
	ENTER(memccpy, 4);
	void *r = memccpy(to, from, c, n);
	size_t count = r ? (size_t)((char *)r - (char *)to) : n;
	if (rt_on)
		ends_here(site, to, from, sym_of(rt_extract(arg[2], 0, 8), 8, (uint8_t)c), count, r);
	rt_concrete(site, arg[3], n, REASON_SIZE);
	copied(site, to, from, count, arg[0], arg[1], 0);
	return r;
}

MODEL(void, swab, const void *from, void *to, ssize_t n)
{
	ENTER(swab, 3);
	swab(from, to, n);
	rt_concrete(site, arg[0], (uint64_t)from, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)to, REASON_ARGUMENT);
	rt_concrete(site, arg[2], (uint64_t)n, REASON_SIZE);
	if (n > 1) {
		rt_accessed(site, (uint64_t)from, (uint64_t)n & ~1ull);
		rt_accessed(site, (uint64_t)to, (uint64_t)n & ~1ull);
	}
	for (ssize_t i = 0; i + 1 < n; i += 2) {
		label first = rt_load((uint64_t)from + (uint64_t)i, 1);
		label second = rt_load((uint64_t)from + (uint64_t)i + 1, 1);
		rt_store((uint64_t)to + (uint64_t)i, 1, second);
		rt_store((uint64_t)to + (uint64_t)i + 1, 1, first);
	}
}

// --- filling -----------------------------------------------------------------------------------

static void filled(struct site *site, const void *to, size_t n, label to_l, label c, label n_l)
{
	rt_concrete(site, to_l, (uint64_t)to, REASON_ARGUMENT);
	rt_check_room(site, n_l, n, (uint64_t)to);
	rt_whole(site, n_l, n, (uint64_t)to);
	label byte = rt_on ? rt_extract(c, 0, 8) : 0;
	if (!byte)
		rt_clear((uint64_t)to, n);
	for (size_t i = 0; byte && i < n; i++)
		rt_store((uint64_t)to + i, 1, byte);
}

MODEL(void *, memset, void *to, int c, size_t n)
{
	ENTER(memset, 3);
	void *r = memset(to, c, n);
	filled(site, to, n, arg[0], arg[1], arg[2]);
	return r;
}

MODEL(void *, __memset_chk, void *to, int c, size_t n, size_t room)
{
	ENTER(__memset_chk, 3);
	void *r = __memset_chk(to, c, n, room);
	filled(site, to, n, arg[0], arg[1], arg[2]);
	return r;
}

MODEL(void, bzero, void *to, size_t n)
{
	ENTER(bzero, 2);
	memset(to, 0, n);
	filled(site, to, n, arg[0], 0, arg[1]);
}

MODEL(void, explicit_bzero, void *to, size_t n)
{
	ENTER(explicit_bzero, 2);
	explicit_bzero(to, n);
	filled(site, to, n, arg[0], 0, arg[1]);
}

MODEL(void, __explicit_bzero_chk, void *to, size_t n, size_t room)
{
	ENTER(__explicit_bzero_chk, 2);
	__explicit_bzero_chk(to, n, room);
	filled(site, to, n, arg[0], 0, arg[1]);
}
