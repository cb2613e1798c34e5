// What a finding is, in words: from its kind, and from what the sanitizer said, which may be anybody's text.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "explain/explain.h"
#include "findings/accessed.h"

struct kind_words explain_kind(const char *kind)
{
	static const struct {
		const char *kind;
		struct kind_words words;
	} kinds[] = {
#define KIND(kind, title, what, help) {kind, {title, what, help}},
#include "explain/kinds.def"
#define UBSAN_TRAP(number, NAME, id, text)                                                                             \
	{id,                                                                                                           \
	 {text, "This is undefined in C: " text ".",                                                                   \
	  "Check the operands before the operation, or use a type for which it is defined."}},
#include "abi/ubsan.def"
#define FLOAT_CHECK(number, NAME, id, text)                                                                            \
	{id,                                                                                                           \
	 {text, "IEEE 754 defines this, and the program goes on: " text ".", "See whether what follows expects it."}},
#include "abi/checks.def"
	};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(kinds[i].kind, kind) == 0)
			return kinds[i].words;
	return (struct kind_words){"Memory error", "AddressSanitizer reports an error of this kind.",
	                           "See what the sanitizer reported, and the documentation of AddressSanitizer."};
}

static void add_count(struct buf *out, unsigned long n)
{
	buf_printf(out, "%lu byte%s", n, n == 1 ? "" : "s");
}

// "reads 4 bytes", "writes 20 bytes with memcpy", or "accesses memory".
static void add_access(struct buf *out, const struct accessed *a)
{
	if (a->bytes) {
		buf_addstr(out, a->reads ? "reads " : "writes ");
		add_count(out, a->bytes);
	} else {
		buf_addstr(out, "accesses memory");
	}
	if (a->by)
		buf_printf(out, " with %s", a->by);
}

// " just behind the end of", ", past the end of", " 2 bytes before", " inside".
static void add_side(struct buf *out, const struct accessed *a)
{
	if (a->side == SIDE_INSIDE) {
		buf_addstr(out, " inside");
	} else if (a->side == SIDE_ACROSS) {
		buf_addstr(out, ", past the end of");
	} else if (a->side == SIDE_BEHIND && !a->distance) {
		buf_addstr(out, " just behind the end of");
	} else {
		buf_addch(out, ' ');
		add_count(out, a->distance);
		buf_addstr(out, a->side == SIDE_BEHIND ? " behind the end of" : " before");
	}
}

static void add_object(struct buf *out, const struct accessed *a)
{
	enum { TEXT = 40 };
	static const char *const words[] = {[OBJECT_HEAP] = "a heap block",
	                                    [OBJECT_GLOBAL] = "the global variable",
	                                    [OBJECT_STATIC] = "the static variable",
	                                    [OBJECT_LITERAL] = "a string literal",
	                                    [OBJECT_LOCAL] = "the local variable"};
	if (a->kind == OBJECT_LITERAL && a->name) {
		buf_addstr(out, " the string literal ");
		explain_bytes(out, a->name, strlen(a->name), TEXT);
	} else {
		buf_printf(out, " %s", words[a->kind]);
		if (a->name)
			buf_printf(out, " %s", a->name);
	}
	if (a->size) {
		buf_addstr(out, " of ");
		add_count(out, a->size);
	}
	if (a->freed)
		buf_addstr(out, ", which was freed");
}

// True when *out has a predicate then.
static bool add_memory_error(struct buf *out, const char *kind, const char *report)
{
	if (!strstr(kind, "overflow") && !strstr(kind, "underflow") && !strstr(kind, "use-after"))
		return false;
	if (strcmp(kind, "stack-overflow") == 0)
		return false;
	struct accessed a;
	accessed_read(&a, report);
	bool known = a.kind;
	if (known) {
		add_access(out, &a);
		add_side(out, &a);
		add_object(out, &a);
	}
	accessed_release(&a);
	return known;
}

// Of a call that the sanitizer does not like, whatever memory it is about.
static bool add_call(struct buf *out, const char *kind, const char *report)
{
	static const char overlap[] = "-param-overlap";
	size_t n = strlen(kind), end = strlen(overlap);
	if (n > end && strcmp(kind + n - end, overlap) == 0) {
		buf_printf(out, "calls %.*s with source and destination that overlap", (int)(n - end), kind);
		return true;
	}
	if (strcmp(kind, "negative-size-param") != 0)
		return false;
	char *function = accessed_function(report);
	const char *size = strstr(report, "(size=-");
	buf_printf(out, "calls %s with a negative size", function ? function : "a function of the C library");
	if (size)
		buf_printf(out, " (%ld as size_t)", strtol(size + strlen("(size="), NULL, 10));
	mem_free(function);
	return true;
}

static void add_predicate(struct buf *out, const struct stored_finding *f)
{
	static const struct {
		const char *kind, *words;
	} plain[] = {
		{"assertion", "breaks an assertion"},
		{"abort", "calls abort"},
		{"hang", "does not end"},
		{"memory-exhaustion", "takes more memory than it may"},
		{"stack-overflow", "calls itself until the stack is used up"},
		{"segv", "accesses an address at which there is no memory"},
		{"fpe", "divides, which faults"},
		{"division-by-zero", "divides by zero"},
		{"division-overflow", "divides the smallest integer by -1"},
		{"double-free", "frees a block that was freed before"},
		{"bad-free", "frees what malloc did not return"},
		{"null-pointer", "accesses memory through a null pointer"},
		{"index-out-of-bounds", "uses an index that is beyond its array"},
		{"bus", "accesses memory behind the end of a mapped file"},
		{"ill", "executes an illegal instruction"},
		{"trap", "executes a trap"},
		{"alloc-dealloc-mismatch", "frees a block by another function than the one for its allocation"},
		{"calloc-overflow", "calls calloc with a product that does not fit a size_t"},
		{"reallocarray-overflow", "calls reallocarray with a product that does not fit a size_t"},
		{"allocation-size-too-big", "allocates more memory than there are addresses for"},
		{"bad-malloc_usable_size", "asks for the size of what malloc did not return"},
	};
	if (add_memory_error(out, f->kind, f->report) || add_call(out, f->kind, f->report))
		return;
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		if (strcmp(plain[i].kind, f->kind) == 0) {
			buf_addstr(out, plain[i].words);
			return;
		}
	static const struct {
		const char *kind, *words;
	} undefined[] = {
#define UBSAN_TRAP(number, NAME, id, text) {id, text},
#include "abi/ubsan.def"
	};
	for (size_t i = 0; i < sizeof undefined / sizeof *undefined; i++)
		if (strcmp(undefined[i].kind, f->kind) == 0) {
			buf_printf(out, "has undefined behaviour (%s)", undefined[i].words);
			return;
		}
	static const struct {
		const char *kind, *words;
	} floats[] = {
#define FLOAT_CHECK(number, NAME, id, text) {id, text},
#include "abi/checks.def"
	};
	for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
		if (strcmp(floats[i].kind, f->kind) == 0) {
			buf_printf(out, "computes with floats what it may not expect (%s)", floats[i].words);
			return;
		}
	buf_printf(out, "does what the sanitizer calls %s", f->kind);
}

enum { QUOTED = 32, PARTS = 3, FLOATS = 4 };

// Whether floats are all that it is; of a long double 10 of 16 bytes count.
static bool is_floats(const struct explained_part *part, const struct input_part *p)
{
	size_t at = 0;
	for (size_t i = 0; i < part->n_floats && part->floats[i].offset == at; i++)
		at += part->floats[i].bytes == 10 ? 16 : part->floats[i].bytes;
	return at && part->n_floats <= FLOATS && at == p->data.len;
}

static void add_floats(struct buf *out, const struct explained_part *part, const struct input_part *p)
{
	buf_addstr(out, part->n_floats > 1 ? "{" : "");
	for (size_t i = 0; i < part->n_floats; i++) {
		buf_addstr(out, i ? ", " : "");
		explain_float(out, p, &part->floats[i]);
	}
	buf_addstr(out, part->n_floats > 1 ? "}" : "");
}

static void add_quoted(struct buf *out, const struct explained_part *part, const struct input_part *p)
{
	if (p && is_floats(part, p))
		add_floats(out, part, p);
	else if (p && p->data.len)
		explain_bytes(out, p->data.data, p->data.len, QUOTED);
	else
		buf_addstr(out, p ? "empty" : "not there");
}

static bool is_changed(const struct explained_part *p)
{
	return p->changed || !p->was != !p->now;
}

static bool is_short(const struct input_part *p)
{
	return !p || p->data.len <= QUOTED;
}

// What of the test is to be changed for that.
static void add_change(struct buf *out, const struct explanation *x)
{
	const struct explained_part *one = NULL;
	size_t parts = 0, bytes = 0, at = 0;
	bool all_short = true;
	for (size_t i = 0; i < x->n_parts; i++)
		if (is_changed(&x->parts[i])) {
			one = &x->parts[i];
			bytes += one->changed;
			all_short &= is_short(one->now);
			parts++;
		}
	if (!x->has_seed)
		return;
	if (!parts) {
		buf_addstr(out, x->of_suite ? "" : " on the seed as it is");
	} else if (parts == 1 && one->now && one->was && bytes == 1 && one->now->data.len == one->was->data.len &&
	           one->now->data.len > 12) {
		while (one->now->data.data[at] == one->was->data.data[at])
			at++;
		buf_printf(out, " when byte %zu of %s is ", at, one->name);
		explain_byte(out, (uint8_t)one->now->data.data[at]);
		buf_addstr(out, " instead of ");
		explain_byte(out, (uint8_t)one->was->data.data[at]);
	} else if (parts == 1 && all_short && is_short(one->was)) {
		buf_printf(out, " when %s is ", one->name);
		add_quoted(out, one, one->now);
		buf_addstr(out, " instead of ");
		add_quoted(out, one, one->was);
	} else if (parts <= PARTS && all_short) {
		const char *between = " when ";
		for (size_t i = 0; i < x->n_parts; i++)
			if (is_changed(&x->parts[i])) {
				buf_printf(out, "%s%s is ", between, x->parts[i].name);
				add_quoted(out, &x->parts[i], x->parts[i].now);
				between = " and ";
			}
	} else {
		buf_printf(out, " when %zu byte%s of the test %s changed", bytes, bytes == 1 ? "" : "s",
		           bytes == 1 ? "is" : "are");
	}
}

const char *explain_input(const struct explanation *x)
{
	if (!x->has_seed)
		return "The input";
	for (size_t i = 0; i < x->n_parts; i++)
		if (is_changed(&x->parts[i]))
			return "What differs from the test";
	return "The input: that of the test, as it is";
}

void explain_change(struct buf *out, const struct explained_part *p)
{
	if (p->now->data.len != p->was->data.len)
		buf_printf(out, " (%zu in the test)", p->was->data.len);
	buf_printf(out, p->changed ? ", %zu changed" : ", as in the test", p->changed);
}

// --- how it was found -----------------------------------------------------------------------------

// "cut -c3,5- ..."
static void add_command(struct buf *out, const struct input *in)
{
	enum { SHOWN = 70, WORD = 40 };
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=,:+-@%";
	const struct input_part *p = input_argument(in, 0);
	size_t from = out->len;
	buf_addstr(out, p && p->data.len ? path_basename(p->data.data) : "?");
	for (size_t i = 1; (p = input_argument(in, i)); i++) {
		bool simple = p->data.len && p->data.len <= WORD && strspn(p->data.data, plain) == p->data.len;
		buf_addch(out, ' ');
		if (out->len - from > SHOWN) {
			buf_addstr(out, "...");
			return;
		}
		if (simple)
			buf_addstr(out, p->data.data);
		else
			explain_bytes(out, p->data.data, p->data.len, WORD);
	}
}

static void add_way(struct buf *out, const struct explanation *x)
{
	const struct stored_finding *f = &x->finding;
	if (!x->of_suite)
		buf_printf(out, ", by exploring, %u solution%s later", x->generations, x->generations == 1 ? "" : "s");
	else if (f->distance == FINDING_SEARCHED)
		buf_printf(out, ", by the search from all tests (depth %u)", f->depth);
	else if (f->distance == 0)
		buf_printf(out, ", on the test's own path (distance 0, depth %u)", f->depth);
	else
		buf_printf(out, ", %u decision%s off the test's path (distance %u, depth %u)", f->distance,
		           f->distance == 1 ? "" : "s", f->distance, f->depth);
}

char *explain_origin(const struct explanation *x)
{
	const struct stored_finding *f = &x->finding;
	struct buf out = {0};
	buf_printf(&out, "from %s S%lld", x->of_suite ? "test" : "seed", (long long)f->seed);
	if (x->has_seed) {
		buf_addstr(&out, " (");
		add_command(&out, &x->seed);
		buf_addch(&out, ')');
	}
	add_way(&out, x);
	if (f->changed >= 0)
		buf_printf(&out, "; %d byte%s changed", f->changed, f->changed == 1 ? "" : "s");
	if (x->care >= 0 && x->care_of >= 0)
		buf_printf(&out, "; %d of %d bytes relevant", x->care, x->care_of);
	else if (x->care >= 0)
		buf_printf(&out, "; %d byte%s relevant", x->care, x->care == 1 ? "" : "s");
	return buf_steal(&out);
}

// --- the sentence ---------------------------------------------------------------------------------

const char *explain_sanitizer(const char *kind)
{
	static const char *const undefined[] = {
#define UBSAN_TRAP(number, NAME, id, text) id,
#include "abi/ubsan.def"
	};
	static const char *const none[] = {
		"assertion",
		"abort",
		"hang",
		"memory-exhaustion",
#define FLOAT_CHECK(number, NAME, id, text) id,
#include "abi/checks.def"
	};
	for (size_t i = 0; i < sizeof undefined / sizeof *undefined; i++)
		if (strcmp(undefined[i], kind) == 0)
			return "UndefinedBehaviorSanitizer";
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
		if (strcmp(none[i], kind) == 0)
			return NULL;
	return "AddressSanitizer";
}

// Whether a recorded test shows it by itself.
static bool is_unchanged(const struct explanation *x)
{
	bool changed = !x->has_seed || !x->of_suite;
	for (size_t i = 0; i < x->n_parts; i++)
		changed |= is_changed(&x->parts[i]);
	return !changed;
}

static void add_already(struct buf *out, const struct explanation *x)
{
	const char *sanitizer = explain_sanitizer(x->finding.kind);
	buf_printf(out, "Your test S%lld (", (long long)x->finding.seed);
	add_command(out, &x->seed);
	buf_printf(out, ") already does this%s%s: ", sanitizer ? " under " : "", sanitizer ? sanitizer : "");
}

char *explain_sentence(const struct explanation *x)
{
	const struct stored_finding *f = &x->finding;
	struct buf out = {0};
	if (is_unchanged(x))
		add_already(&out, x);
	buf_printf(&out, "%s, in %s (%s:%u), ", path_basename(f->program), *f->function ? f->function : "?",
	           path_basename(f->file), f->line);
	add_predicate(&out, f);
	add_change(&out, x);
	buf_addch(&out, '.');
	return buf_steal(&out);
}
