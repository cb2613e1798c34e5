#include "findings/filter.h"

#include <fnmatch.h>
#include <string.h>

#include "abi/site.h"
#include "base/mem.h"

// --- kinds of checks --------------------------------------------------------------------------------

// A bit for each kind: first of undefined behaviour, then of the others.
enum check_bit {
#define UBSAN_TRAP(number, NAME, id, text) BIT_##NAME,
#include "abi/ubsan.def"
	BIT_OTHERS,
	BIT_BEFORE_OTHERS = BIT_OTHERS - 1, // the next one is the first of them
#define CHECK_KIND(number, NAME, id, text) BIT_##NAME,
#include "abi/checks.def"
	BIT_FLOATS,
	BIT_BEFORE_FLOATS = BIT_FLOATS - 1,
#define FLOAT_CHECK(number, NAME, id, text) BIT_##NAME,
#include "abi/checks.def"
	BIT_COUNT
};

#define BIT(NAME) (UINT64_C(1) << BIT_##NAME)
#define CHECK_ALL (BIT(FLOATS) - 1)
#define CHECK_FLOATS ((UINT64_C(1) << BIT_COUNT) - BIT(FLOATS))
#define CHECK_BOUNDS (CHECK_ALL & ~(BIT(OTHERS) - 1))

_Static_assert(BIT_COUNT < 64, "kinds have a bit each");

struct check_word {
	const char *word;
	uint64_t kinds;
};

// Words that mean more than the id they are come first.
static const struct check_word words[] = {
#define CHECK_WORD(word, kinds) {word, kinds},
#include "findings/check_words.def"
#define UBSAN_TRAP(number, NAME, id, text) {id, BIT(NAME)},
#include "abi/ubsan.def"
#define CHECK_KIND(number, NAME, id, text) {id, BIT(NAME)},
#define FLOAT_CHECK(number, NAME, id, text) {id, BIT(NAME)},
#include "abi/checks.def"
};

enum { WORDS = sizeof words / sizeof *words };

// By their bits.
static const struct {
	uint32_t number;
	const char *id;
} kinds[BIT_COUNT] = {
#define UBSAN_TRAP(number, NAME, id, text) {number, id},
#include "abi/ubsan.def"
#define CHECK_KIND(number, NAME, id, text) {number, id},
#include "abi/checks.def"
#define FLOAT_CHECK(number, NAME, id, text) {number, id},
#include "abi/checks.def"
};

static uint64_t kind_bit(uint32_t kind)
{
	for (int i = 0; i < BIT_COUNT; i++)
		if (kinds[i].number == kind)
			return UINT64_C(1) << i;
	return CHECK_BOUNDS;
}

static bool is_word(const char *word, const char *text, size_t size)
{
	return strlen(word) == size && memcmp(word, text, size) == 0;
}

static int unknown_word(const char *text, size_t size, struct err *err)
{
	struct buf known = {0};
	for (size_t i = 0; i < WORDS; i++) {
		bool again = false;
		for (size_t k = 0; k < i; k++)
			again |= strcmp(words[k].word, words[i].word) == 0;
		if (!again)
			buf_printf(&known, "%s%s", i ? ", " : "", words[i].word);
	}
	err_set(err, "--checks: there is no kind '%.*s'; there are %s", (int)size, text, known.data);
	buf_release(&known);
	return -1;
}

static int parse_checks(struct filter *f, const char *list, struct err *err)
{
	uint64_t wanted = 0;
	if (!list)
		return 0;
	for (const char *p = list; p;) {
		size_t size = strcspn(p, ","), i = 0;
		while (i < WORDS && !is_word(words[i].word, p, size))
			i++;
		if (i == WORDS)
			return unknown_word(p, size, err);
		wanted |= words[i].kinds;
		p = p[size] ? p + size + 1 : NULL;
	}
	// The traced variant has one check for both ways in which a division fails.
	if (wanted & (BIT(DIVISION_BY_ZERO) | BIT(DIVISION_OVERFLOW)))
		wanted |= BIT(DIVISION);
	f->unwanted = (CHECK_ALL | CHECK_FLOATS) & ~wanted;
	f->asked = wanted & CHECK_FLOATS;
	return 0;
}

bool filter_wants_check(const struct filter *f, uint32_t kind)
{
	return !(f->unwanted & kind_bit(kind));
}

bool filter_wants_kind(const struct filter *f, const char *kind)
{
	for (int i = 0; i < BIT_COUNT; i++)
		if ((i < BIT_OTHERS || i >= BIT_FLOATS) && strcmp(kind, kinds[i].id) == 0)
			return !(f->unwanted >> i & 1);
	return true;
}

// --- places ---------------------------------------------------------------------------------------

bool glob_path(const char *glob, const char *path)
{
	if (fnmatch(glob, path, 0) == 0)
		return true;
	if (*glob == '/')
		return false;
	for (const char *p = strchr(path, '/'); p; p = strchr(p + 1, '/'))
		if (fnmatch(glob, p + 1, 0) == 0)
			return true;
	return false;
}

static int add_item(struct filter *f, bool exclude, const char *text, size_t size, struct err *err)
{
	static const char *const prefixes[] = {"file:", "function:", "program:"};
	const char *option = exclude ? "--exclude" : "--include";
	size_t kind = 0, skip = 0;
	while (kind < 3 && strncmp(text, prefixes[kind], strlen(prefixes[kind])) != 0)
		kind++;
	if (kind < 3)
		skip = strlen(prefixes[kind]);
	if (size <= skip)
		return err_set(err, "%s wants names, with commas between them: '%.*s' is none", option, (int)size,
		               text);
	f->v = mem_resize(f->v, (f->n + 1) * sizeof *f->v);
	f->v[f->n++] = (struct filter_item){.glob = mem_copy(text + skip, size - skip),
	                                    .exclude = exclude,
	                                    .file = kind == 0 || kind == 3,
	                                    .function = kind == 1,
	                                    .program = kind == 2 || kind == 3};
	return 0;
}

static int parse_items(struct filter *f, bool exclude, const char *list, struct err *err)
{
	for (const char *p = list; p;) {
		size_t size = strcspn(p, ",");
		if (add_item(f, exclude, p, size, err) < 0)
			return -1;
		p = p[size] ? p + size + 1 : NULL;
	}
	return 0;
}

int filter_parse(struct filter *ret, const char *include, const char *exclude, const char *checks, struct err *err)
{
	*ret = (struct filter){0};
	if (parse_items(ret, false, include, err) == 0 && parse_items(ret, true, exclude, err) == 0 &&
	    parse_checks(ret, checks, err) == 0)
		return 0;
	filter_release(ret);
	return -1;
}

void filter_release(struct filter *f)
{
	for (size_t i = 0; i < f->n; i++)
		mem_free(f->v[i].glob);
	mem_free(f->v);
	*f = (struct filter){0};
}

bool filter_wants_all(const struct filter *f)
{
	return !f->n && !(f->unwanted & CHECK_ALL) && (!f->asked || f->asked == CHECK_FLOATS);
}

bool filter_asks_floats(const struct filter *f)
{
	return f->asked;
}

static bool is_program(const struct filter_item *x, const char *program)
{
	return x->program && glob_path(x->glob, program);
}

void filter_know_program(struct filter *f, const char *path)
{
	for (size_t i = 0; i < f->n; i++)
		f->v[i].known |= is_program(&f->v[i], path);
}

// Items of --include that may be about places in any program keep all of them.
const char *filter_leaves_out(const struct filter *f, const char *program)
{
	bool includes = false, wanted = false;
	for (size_t i = 0; i < f->n; i++) {
		const struct filter_item *x = &f->v[i];
		bool matches = is_program(x, program);
		if (x->exclude && matches)
			return "its program is left out by --exclude";
		includes |= !x->exclude;
		wanted |= !x->exclude && (matches || x->function || (x->file && !x->known));
	}
	return includes && !wanted ? "its program is not in --include" : NULL;
}

bool filter_wants_place(const struct filter *f, const char *program, const char *file, const char *function)
{
	bool includes = false, wanted = false;
	for (size_t i = 0; i < f->n; i++) {
		const struct filter_item *x = &f->v[i];
		bool matches = is_program(x, program) || (x->file && glob_path(x->glob, file)) ||
		               (x->function && fnmatch(x->glob, function, 0) == 0);
		if (x->exclude && matches)
			return false;
		includes |= !x->exclude;
		wanted |= matches;
	}
	return wanted || !includes;
}

void filter_text(const struct filter *f, struct buf *ret)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct filter_item *x = &f->v[i];
		const char *kind = x->function             ? "function:"
		                   : x->file && x->program ? ""
		                   : x->file               ? "file:"
		                                           : "program:";
		buf_printf(ret, "%s %s%s\n", x->exclude ? "exclude" : "include", kind, x->glob);
	}
	bool none = (f->unwanted & CHECK_BOUNDS) == CHECK_BOUNDS;
	if (none)
		buf_addstr(ret, "no checks of accesses\n");
	for (int i = 0; i < BIT_FLOATS; i++)
		if ((f->unwanted >> i & 1) && !(none && i >= BIT_OTHERS))
			buf_printf(ret, "no checks of %s\n", kinds[i].id);
	for (int i = BIT_FLOATS; i < BIT_COUNT; i++)
		if (f->asked >> i & 1)
			buf_printf(ret, "checks of %s\n", kinds[i].id);
}
