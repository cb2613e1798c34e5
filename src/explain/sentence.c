// What a finding is, in words: from its kind, and from what the sanitizer said, which may be anybody's text.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "explain/explain.h"

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
	};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(kinds[i].kind, kind) == 0)
			return kinds[i].words;
	return (struct kind_words){"Memory error", "AddressSanitizer reports an error of this kind.",
	                           "See what the sanitizer reported, and the documentation of AddressSanitizer."};
}

// The line of the report that has `part`, as a string; NULL: none. The caller frees.
static char *line_with(const char *report, const char *part)
{
	const char *at = strstr(report, part);
	if (!at)
		return NULL;
	while (at > report && at[-1] != '\n')
		at--;
	return mem_copy(at, strcspn(at, "\n"));
}

// "reads 4 bytes" or "writes 1 byte", or "accesses memory".
static void add_access(struct buf *out, const char *report)
{
	unsigned long n = 0;
	const char *read = strstr(report, "READ of size "), *write = strstr(report, "WRITE of size ");
	if (read)
		n = strtoul(read + 13, NULL, 10);
	else if (write)
		n = strtoul(write + 14, NULL, 10);
	if (n)
		buf_printf(out, "%s %lu byte%s", read ? "reads" : "writes", n, n == 1 ? "" : "s");
	else
		buf_addstr(out, "accesses memory");
}

// "just behind", "3 bytes behind", "2 bytes before", "inside".
static void add_where(struct buf *out, unsigned long bytes, const char *side)
{
	bool after = strncmp(side, "after", 5) == 0 || strncmp(side, "to the right", 12) == 0;
	bool before = strncmp(side, "before", 6) == 0 || strncmp(side, "to the left", 11) == 0;
	if (!after && !before)
		buf_addstr(out, " inside");
	else if (after && bytes == 0)
		buf_addstr(out, " just behind the end of");
	else
		buf_printf(out, " %lu byte%s %s", bytes, bytes == 1 ? "" : "s", after ? "behind the end of" : "before");
}

// Of a heap block: "0x... is located 0 bytes after 10-byte region [...)".
static bool add_region(struct buf *out, const char *report)
{
	char *line = line_with(report, "-byte region");
	char side[32];
	unsigned long bytes, size;
	bool known = line && strstr(line, "is located ") &&
	             sscanf(strstr(line, "is located "), "is located %lu bytes %31[a-z ] %lu-byte region", &bytes, side,
	                    &size) == 3;
	if (known) {
		add_where(out, bytes, side);
		buf_printf(out, " a heap block of %lu byte%s", size, size == 1 ? "" : "s");
		if (strstr(report, "freed by thread"))
			buf_addstr(out, ", which was freed");
	}
	mem_free(line);
	return known;
}

// "0x... is located 0 bytes after global variable 'x' defined in 'x.c:3' (0x...) of size 40"
static bool add_global(struct buf *out, const char *report)
{
	char *line = line_with(report, " global variable '"), side[32], name[64];
	unsigned long bytes, size = 0;
	const char *located = line ? strstr(line, "is located ") : NULL, *of = line ? strstr(line, "of size ") : NULL;
	const char *variable = line ? strstr(line, "global variable '") : NULL;
	bool known = located && variable && sscanf(located, "is located %lu bytes %31[a-z ]", &bytes, side) == 2 &&
	             sscanf(variable, "global variable '%63[^']'", name) == 1;
	if (known) {
		size = of ? strtoul(of + 8, NULL, 10) : 0;
		add_where(out, bytes, side);
		buf_printf(out, " the global variable %s", name);
		if (size)
			buf_printf(out, " of %lu byte%s", size, size == 1 ? "" : "s");
	}
	mem_free(line);
	return known;
}

// "    [32, 42) 'buf' (line 5) <== Memory access at offset 42 overflows this variable"
static bool add_local(struct buf *out, const char *report)
{
	char *line = line_with(report, "<== Memory access at offset "), name[64];
	unsigned long from, to, at;
	bool known = line && sscanf(line, " [%lu, %lu) '%63[^']'", &from, &to, name) == 3 && to >= from;
	const char *offset = known ? strstr(line, "at offset ") : NULL;
	if (offset) {
		at = strtoul(offset + 10, NULL, 10);
		add_where(out, at >= to ? at - to : from - at, at >= to ? "after" : at < from ? "before" : "inside");
		buf_printf(out, " the local variable %s of %lu byte%s", name, to - from, to - from == 1 ? "" : "s");
	}
	mem_free(line);
	return offset;
}

// True when *out has a predicate then.
static bool add_memory_error(struct buf *out, const char *kind, const char *report)
{
	size_t from = out->len;
	if (!strstr(kind, "overflow") && !strstr(kind, "underflow") && !strstr(kind, "use-after"))
		return false;
	if (strcmp(kind, "stack-overflow") == 0)
		return false;
	add_access(out, report);
	if (add_region(out, report) || add_global(out, report) || add_local(out, report))
		return true;
	out->len = from;
	if (out->data)
		out->data[from] = 0;
	return false;
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
	};
	if (add_memory_error(out, f->kind, f->report))
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
	buf_printf(out, "does what the sanitizer calls %s", f->kind);
}

enum { QUOTED = 32, PARTS = 3 };

static void add_quoted(struct buf *out, const struct input_part *p)
{
	if (p && p->data.len)
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
		buf_addstr(out, " on the test as it is");
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
		add_quoted(out, one->now);
		buf_addstr(out, " instead of ");
		add_quoted(out, one->was);
	} else if (parts <= PARTS && all_short) {
		const char *between = " when ";
		for (size_t i = 0; i < x->n_parts; i++)
			if (is_changed(&x->parts[i])) {
				buf_printf(out, "%s%s is ", between, x->parts[i].name);
				add_quoted(out, x->parts[i].now);
				between = " and ";
			}
	} else {
		buf_printf(out, " when %zu byte%s of the test %s changed", bytes, bytes == 1 ? "" : "s",
		           bytes == 1 ? "is" : "are");
	}
}

char *explain_sentence(const struct explanation *x)
{
	const struct stored_finding *f = &x->finding;
	struct buf out = {0};
	buf_printf(&out, "%s, in %s (%s:%u), ", path_basename(f->program), *f->function ? f->function : "?",
	           path_basename(f->file), f->line);
	add_predicate(&out, f);
	add_change(&out, x);
	buf_addch(&out, '.');
	return buf_steal(&out);
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
		buf_printf(&out, "; %d of %d bytes matter", x->care, x->care_of);
	else if (x->care >= 0)
		buf_printf(&out, "; %d byte%s matter%s", x->care, x->care == 1 ? "" : "s", x->care == 1 ? "s" : "");
	return buf_steal(&out);
}
