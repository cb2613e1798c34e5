// Lengths of strings, and copies. A copy has the labels of what was copied, terminator
// included, and so is the same string for whatever input. Where it must be known how long a
// string is, its length is concretised.
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/models/model.h"

char *__strcpy_chk(char *to, const char *from, size_t room);
char *__stpcpy_chk(char *to, const char *from, size_t room);
char *__strncpy_chk(char *to, const char *from, size_t n, size_t room);
char *__stpncpy_chk(char *to, const char *from, size_t n, size_t room);
char *__strcat_chk(char *to, const char *from, size_t room);
char *__strncat_chk(char *to, const char *from, size_t n, size_t room);

// --- lengths ---------------------------------------------------------------------------------

MODEL(size_t, strlen, const char *s)
{
	ENTER(strlen, 1);
	size_t r = strlen(s);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	if (!rt_on)
		return r;
	struct model_string x = model_string(s, SIZE_MAX);
	return GIVE(strlen, r, model_length(site, "strlen", &x).l);
}

// Bytes from `s` on up to its end or that of its object.
static uint64_t known_length(const char *s)
{
	struct rt_object o;
	if (!rt_object_find((uint64_t)s, &o))
		return strlen(s);
	return strnlen(s, o.base + o.size - (uint64_t)s);
}

// At most `n` bytes of a text are read. When it has no end in its object, there have to be as many.
static void check_part(struct site *site, label n_l, size_t n, const char *s)
{
	struct rt_object o;
	if (!rt_on || !n_l || !rt_object_find((uint64_t)s, &o))
		return;
	if (known_length(s) == o.base + o.size - (uint64_t)s)
		rt_check_room(site, n_l, n, (uint64_t)s);
}

MODEL(size_t, strnlen, const char *s, size_t n)
{
	ENTER(strnlen, 2);
	size_t r = strnlen(s, n);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	check_part(site, arg[1], n, s);
	rt_concrete(site, arg[1], n, REASON_LENGTH);
	if (!rt_on)
		return r;
	struct model_string x = model_string(s, n);
	return GIVE(strnlen, r, model_length(site, "strnlen", &x).l);
}

// --- copies ------------------------------------------------------------------------------------

// A string is copied to a place: is there room for it?
static struct sym check_room(struct site *site, const char *name, const void *to, const struct model_string *s)
{
	struct sym n = model_length(site, name, s);
	struct sym size = sym_binary(OP_ADD, n, sym_constant(64, 1));
	rt_check_room(site, size.l, size.value, (uint64_t)to);
	return n;
}

// Behind the terminator is what was there; if that were another byte, what follows in the
// source.
static void copy_tail(char *to, const struct model_string *s)
{
	struct rt_object o;
	if (s->memory <= s->length + 1 || !rt_object_find((uint64_t)to, &o))
		return;
	uint64_t room = o.base + o.size - (uint64_t)to;
	struct sym alive = sym_constant(1, 1);
	for (uint64_t i = 0; i < s->memory && i < room; i++) {
		struct sym b = model_string_byte(s, i);
		if (i > s->length)
			rt_store((uint64_t)to + i, 1, sym_choose(alive, b, sym_byte(to + i)).l);
		alive = sym_and(alive, sym_not(sym_is(b, 0)));
	}
}

static void copy_whole(char *to, const struct model_string *s)
{
	rt_copy((uint64_t)to, (uint64_t)s->at, s->length + 1);
	copy_tail(to, s);
}

// Of a string that is cut at `most` bytes, and then gets a terminator. When it could reach
// that, its length is taken as it is.
static void copy_cut(struct site *site, const char *name, char *to, const struct model_string *s, uint64_t most)
{
	uint64_t n = s->length < most ? s->length : most;
	rt_copy((uint64_t)to, (uint64_t)s->at, n);
	if (n < most && s->bytes < most) {
		rt_copy((uint64_t)to + n, (uint64_t)s->at + n, 1);
		copy_tail(to, s);
		return;
	}
	rt_clear((uint64_t)to + n, 1);
	struct model_string part = *s;
	if (part.bytes > most)
		part.bytes = most;
	struct sym length = model_length(site, name, &part);
	rt_concrete(site, length.l, length.value, REASON_LENGTH);
}

// The length of what was copied.
static struct sym copied(struct site *site, const char *name, const label *arg, char *to, const char *from)
{
	rt_concrete(site, arg[0], (uint64_t)to, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)from, REASON_ARGUMENT);
	if (!rt_on)
		return sym_constant(64, 0);
	struct model_string s = model_string(from, SIZE_MAX);
	copy_whole(to, &s);
	return check_room(site, name, to, &s);
}

MODEL(char *, strcpy, char *to, const char *from)
{
	ENTER(strcpy, 2);
	strcpy(to, from);
	copied(site, "strcpy", arg, to, from);
	return to;
}

MODEL(char *, __strcpy_chk, char *to, const char *from, size_t room)
{
	ENTER(__strcpy_chk, 2);
	__strcpy_chk(to, from, room);
	copied(site, "strcpy", arg, to, from);
	return to;
}

static label end_of(const char *to, struct sym length)
{
	return sym_binary(OP_ADD, length, sym_constant(64, (uint64_t)to)).l;
}

MODEL(char *, stpcpy, char *to, const char *from)
{
	ENTER(stpcpy, 2);
	char *r = stpcpy(to, from);
	return GIVE(stpcpy, r, end_of(to, copied(site, "stpcpy", arg, to, from)));
}

MODEL(char *, __stpcpy_chk, char *to, const char *from, size_t room)
{
	ENTER(__stpcpy_chk, 2);
	char *r = __stpcpy_chk(to, from, room);
	return GIVE(__stpcpy_chk, r, end_of(to, copied(site, "stpcpy", arg, to, from)));
}

// Behind the terminator come zeros; if it were another byte, what follows there.
static void pad(char *to, const struct model_string *s, size_t n)
{
	struct sym zero = sym_constant(8, 0), alive = sym_constant(1, 1);
	rt_clear((uint64_t)to + s->length + 1, n - s->length - 1);
	if (s->bytes <= s->length + 1)
		return;
	for (uint64_t i = 0; i < s->bytes; i++) {
		struct sym b = model_string_byte(s, i);
		if (i > s->length)
			rt_store((uint64_t)to + i, 1, sym_choose(alive, b, zero).l);
		alive = sym_and(alive, sym_not(sym_is(b, 0)));
	}
}

static struct sym copied_part(struct site *site, const char *name, const label *arg, char *to, const char *from,
                              size_t n)
{
	rt_concrete(site, arg[0], (uint64_t)to, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)from, REASON_ARGUMENT);
	rt_check_room(site, arg[2], n, (uint64_t)to);
	check_part(site, arg[2], n, from);
	rt_concrete(site, arg[2], n, REASON_SIZE);
	if (!rt_on)
		return sym_constant(64, 0);
	struct model_string s = model_string(from, n);
	rt_copy((uint64_t)to, (uint64_t)from, s.length < n ? s.length + 1 : n);
	if (s.length + 1 < n)
		pad(to, &s, n);
	return model_length(site, name, &s);
}

MODEL(char *, strncpy, char *to, const char *from, size_t n)
{
	ENTER(strncpy, 3);
	strncpy(to, from, n);
	copied_part(site, "strncpy", arg, to, from, n);
	return to;
}

MODEL(char *, __strncpy_chk, char *to, const char *from, size_t n, size_t room)
{
	ENTER(__strncpy_chk, 3);
	__strncpy_chk(to, from, n, room);
	copied_part(site, "strncpy", arg, to, from, n);
	return to;
}

MODEL(char *, stpncpy, char *to, const char *from, size_t n)
{
	ENTER(stpncpy, 3);
	char *r = stpncpy(to, from, n);
	return GIVE(stpncpy, r, end_of(to, copied_part(site, "stpncpy", arg, to, from, n)));
}

MODEL(char *, __stpncpy_chk, char *to, const char *from, size_t n, size_t room)
{
	ENTER(__stpncpy_chk, 3);
	char *r = __stpncpy_chk(to, from, n, room);
	return GIVE(__stpncpy_chk, r, end_of(to, copied_part(site, "stpncpy", arg, to, from, n)));
}

// --- appending ---------------------------------------------------------------------------------

// What stood there before something is appended; its length is as it is in this run.
struct front {
	char *at;
	uint64_t length;
	struct sym l;
};

static struct front before(struct site *site, const char *name, char *to, label l, size_t limit)
{
	struct front f = {.at = to};
	rt_concrete(site, l, (uint64_t)to, REASON_ARGUMENT);
	if (!rt_on)
		return f;
	struct model_string s = model_string(to, limit);
	f.length = s.length;
	f.l = model_length(site, name, &s);
	return f;
}

static void appended(struct site *site, const char *name, struct front f, const char *from, label from_l, size_t n)
{
	rt_concrete(site, from_l, (uint64_t)from, REASON_ARGUMENT);
	if (!rt_on)
		return;
	struct model_string s = model_string(from, n);
	struct sym length = model_length(site, name, &s);
	struct sym size = sym_binary(OP_ADD, sym_binary(OP_ADD, f.l, length), sym_constant(64, 1));
	rt_check_room(site, size.l, size.value, (uint64_t)f.at);
	rt_concrete(site, f.l.l, f.length, REASON_LENGTH);
	if (n == SIZE_MAX)
		copy_whole(f.at + f.length, &s);
	else
		copy_cut(site, name, f.at + f.length, &s, n);
}

// At most `n` bytes are appended: as many must be in the source, or its end, and room for them.
static void cut_off(struct site *site, struct front f, const char *from, label n_l, size_t n)
{
	check_part(site, n_l, n, from);
	if (rt_on && n_l) {
		struct sym most = sym_of(n_l, 64, n), all = sym_constant(64, known_length(from));
		struct sym copied = sym_choose(sym_binary(OP_ULT, most, all), most, all);
		struct sym size = sym_binary(OP_ADD, sym_binary(OP_ADD, f.l, copied), sym_constant(64, 1));
		rt_check_room(site, size.l, size.value, (uint64_t)f.at);
	}
	rt_concrete(site, n_l, n, REASON_SIZE);
}

MODEL(char *, strcat, char *to, const char *from)
{
	ENTER(strcat, 2);
	struct front f = before(site, "strcat", to, arg[0], SIZE_MAX);
	strcat(to, from);
	appended(site, "strcat", f, from, arg[1], SIZE_MAX);
	return to;
}

MODEL(char *, __strcat_chk, char *to, const char *from, size_t room)
{
	ENTER(__strcat_chk, 2);
	struct front f = before(site, "strcat", to, arg[0], SIZE_MAX);
	__strcat_chk(to, from, room);
	appended(site, "strcat", f, from, arg[1], SIZE_MAX);
	return to;
}

MODEL(char *, strncat, char *to, const char *from, size_t n)
{
	ENTER(strncat, 3);
	struct front f = before(site, "strncat", to, arg[0], SIZE_MAX);
	strncat(to, from, n);
	cut_off(site, f, from, arg[2], n);
	appended(site, "strncat", f, from, arg[1], n);
	return to;
}

MODEL(char *, __strncat_chk, char *to, const char *from, size_t n, size_t room)
{
	ENTER(__strncat_chk, 3);
	struct front f = before(site, "strncat", to, arg[0], SIZE_MAX);
	__strncat_chk(to, from, n, room);
	cut_off(site, f, from, arg[2], n);
	appended(site, "strncat", f, from, arg[1], n);
	return to;
}

// --- strlcpy, strlcat: not in every libc ---------------------------------------------------------

MODEL(size_t, strlcpy, char *to, const char *from, size_t size)
{
	ENTER(strlcpy, 3);
	size_t length = strlen(from), n = length < size ? length : size - 1;
	if (size) {
		memcpy(to, from, n);
		to[n] = 0;
	}
	rt_concrete(site, arg[0], (uint64_t)to, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)from, REASON_ARGUMENT);
	rt_check_room(site, arg[2], size, (uint64_t)to);
	rt_concrete(site, arg[2], size, REASON_SIZE);
	if (!rt_on)
		return length;
	struct model_string s = model_string(from, SIZE_MAX);
	if (size)
		copy_cut(site, "strlcpy", to, &s, size - 1);
	return GIVE(strlcpy, length, model_length(site, "strlcpy", &s).l);
}

MODEL(size_t, strlcat, char *to, const char *from, size_t size)
{
	ENTER(strlcat, 3);
	rt_check_room(site, arg[2], size, (uint64_t)to);
	rt_concrete(site, arg[2], size, REASON_SIZE);
	rt_concrete(site, arg[1], (uint64_t)from, REASON_ARGUMENT);
	struct front f = before(site, "strlcat", to, arg[0], size);
	size_t had = strnlen(to, size), length = strlen(from), room = size - had;
	rt_concrete(site, f.l.l, had, REASON_LENGTH);
	if (room) {
		size_t n = length < room ? length : room - 1;
		memcpy(to + had, from, n);
		to[had + n] = 0;
	}
	if (!rt_on)
		return had + length;
	struct model_string s = model_string(from, SIZE_MAX);
	if (room)
		copy_cut(site, "strlcat", to + had, &s, room - 1);
	struct sym l = sym_binary(OP_ADD, model_length(site, "strlcat", &s), sym_constant(64, had));
	return GIVE(strlcat, had + length, l.l);
}

// --- copies on the heap ----------------------------------------------------------------------------

// libc's function calls malloc; that one gets the size's label.
static void pass_size(struct site *site, struct sym length)
{
	__veer_passing.target = (const void *)malloc;
	__veer_passing.args[0] = sym_binary(OP_ADD, length, sym_constant(64, 1)).l;
	__veer_passing.args[1] = 0;
	__veer_passing.site = site;
}

// A block that is as large as it must be in this run, for at most `most` bytes and a terminator. So what could follow
// in memory is none of its content: the string may become shorter, not longer. An argument that becomes longer is known
// by its terminator.
static void copy_to_heap(struct site *site, char *to, const struct model_string *s, uint64_t most)
{
	const char *end = s->at + s->length;
	rt_copy((uint64_t)to, (uint64_t)s->at, s->length);
	if (s->length == most)
		return;
	if (s->memory <= s->length + 1 && s->bytes < most)
		rt_copy((uint64_t)to + s->length, (uint64_t)end, 1);
	else
		rt_concrete(site, rt_load((uint64_t)end, 1), 0, REASON_LENGTH);
}

MODEL(char *, strdup, const char *s)
{
	ENTER(strdup, 1);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	if (!rt_on)
		return strdup(s);
	struct model_string x = model_string(s, SIZE_MAX);
	pass_size(site, model_length(site, "strdup", &x));
	char *r = strdup(s);
	__veer_passing.target = NULL;
	if (r)
		copy_to_heap(site, r, &x, SIZE_MAX);
	return r;
}

MODEL(char *, strndup, const char *s, size_t n)
{
	ENTER(strndup, 2);
	rt_concrete(site, arg[0], (uint64_t)s, REASON_ARGUMENT);
	check_part(site, arg[1], n, s);
	rt_concrete(site, arg[1], n, REASON_LENGTH);
	if (!rt_on)
		return strndup(s, n);
	struct model_string x = model_string(s, n);
	pass_size(site, model_length(site, "strndup", &x));
	char *r = strndup(s, n);
	__veer_passing.target = NULL;
	if (r)
		copy_to_heap(site, r, &x, n);
	return r;
}

// --- order of a locale -----------------------------------------------------------------------------

bool model_collates_bytes(void)
{
	const char *name = nl_langinfo(NL_LOCALE_NAME(LC_COLLATE));
	return strcmp(name, "C") == 0 || strcmp(name, "POSIX") == 0 || strncmp(name, "C.", 2) == 0;
}

// glibc may write more than the result says, up to n bytes.
static void clear_transformed(const char *to, size_t r, size_t n)
{
	struct rt_object o;
	uint64_t most = r + 1;
	if (rt_object_find((uint64_t)to, &o))
		most = o.base + o.size - (uint64_t)to;
	rt_clear((uint64_t)to, most < n ? most : n);
}

MODEL(size_t, strxfrm, char *to, const char *from, size_t n)
{
	ENTER(strxfrm, 3);
	size_t r = strxfrm(to, from, n);
	rt_concrete(site, arg[0], (uint64_t)to, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)from, REASON_ARGUMENT);
	rt_concrete(site, arg[2], n, REASON_SIZE);
	if (!rt_on)
		return r;
	struct model_string s = model_string(from, SIZE_MAX);
	if (!model_collates_bytes()) {
		clear_transformed(to, r, n);
		if (s.labelled)
			rt_unmodelled(site, "strxfrm");
		return r;
	}
	rt_accessed(site, (uint64_t)to, r < n ? r + 1 : n);
	rt_copy((uint64_t)to, (uint64_t)from, r < n ? r + 1 : n);
	return GIVE(strxfrm, r, model_length(site, "strxfrm", &s).l);
}
