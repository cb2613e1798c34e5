// Regular expressions over symbolic text. Whether there is a match is one expression; where
// it is, when that is asked for, a few conditions of the path. The pattern is taken as it is.
#include "runtime/models/regex.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { WORK_MAX = 1 << 18 };

// --- patterns that libc has compiled --------------------------------------------------------

struct compiled {
	const void *buffer; // libc's, which names it
	char *text;
	size_t length;
	bool parsed;
	struct automaton *automaton; // NULL: it has parts that are not known
	struct compiled *next;
};

static struct compiled *table[256] RT_LARGE;
static atomic_flag busy = ATOMIC_FLAG_INIT;

static struct compiled **slot_of(const void *buffer)
{
	return &table[((uint64_t)buffer >> 4) % 256];
}

static void lock(void)
{
	while (atomic_flag_test_and_set(&busy))
		;
}

static void unlock(void)
{
	atomic_flag_clear(&busy);
}

static void forget(const void *buffer)
{
	struct compiled *found = NULL;
	lock();
	for (struct compiled **c = slot_of(buffer); *c; c = &(*c)->next) {
		if ((*c)->buffer != buffer)
			continue;
		found = *c;
		*c = found->next;
		break;
	}
	unlock();
	if (found && found->automaton)
		automaton_free(found->automaton);
	if (found)
		free(found->text);
	free(found);
}

static void remember(const void *buffer, const char *text, size_t length)
{
	struct compiled *c = calloc(1, sizeof *c);
	char *copy = malloc(length + 1);
	forget(buffer);
	if (!c || !copy) {
		free(c);
		free(copy);
		return;
	}
	memcpy(copy, text, length);
	*c = (struct compiled){.buffer = buffer, .text = copy, .length = length};
	lock();
	c->next = *slot_of(buffer);
	*slot_of(buffer) = c;
	unlock();
}

// NULL when it is none that is known here.
static const struct automaton *automaton_of(const regex_t *r)
{
	struct compiled *c;
	if (r->translate)
		return NULL;
	lock();
	for (c = *slot_of(r->buffer); c && c->buffer != r->buffer;)
		c = c->next;
	unlock();
	if (c && !c->parsed) {
		int error = errno;
		c->automaton = regex_parse(c->text, c->length, r->syntax);
		c->parsed = true;
		errno = error;
	}
	return c ? c->automaton : NULL;
}

// --- what the path has to say about a match ------------------------------------------------------

struct search {
	struct site *site;
	const regex_t *regex;
	struct subject subject;
	uint64_t from, to; // where it may start
	bool matched;
	uint64_t start, end; // of the match
};

struct found {
	bool known; // else the text has become concrete, and there are no labels
	struct sym any;
	struct sym start, length; // -1: no match
};

static void concrete_text(struct site *site, const char *text, uint64_t length, enum trace_reason reason)
{
	if (rt_on && rt_any((uint64_t)text, length))
		for (uint64_t i = 0; i < length; i++)
			rt_concrete(site, rt_load((uint64_t)text + i, 1), (uint8_t)text[i], reason);
}

static void concrete(const struct search *s, struct sym value)
{
	rt_concrete(s->site, value.l, value.value, REASON_MATCH);
}

static struct found unknown(const struct search *s)
{
	concrete_text(s->site, s->subject.text, s->subject.length + s->subject.terminated, REASON_SUBJECT);
	return (struct found){0};
}

// All that the pattern can see of these bytes stays as it is.
static void keep_kinds(const struct search *s, const struct automaton *a, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++)
		concrete(s, automaton_kind(a, &s->subject, i));
}

// The automaton, and what the path has to say before it can be used; NULL when it cannot.
static const struct automaton *prepare(const struct search *s)
{
	const struct automaton *a = automaton_of(s->regex);
	struct sym ascii = MB_CUR_MAX == 1 ? sym_constant(1, 1) : subject_is_ascii(&s->subject);
	if (a && MB_CUR_MAX > 1)
		__veer_t_branch(s->site, ascii.l, (uint32_t)ascii.value);
	return ascii.value ? a : NULL;
}

// What is too much work, or not as libc found it, is left to libc.
static struct found find(const struct search *s)
{
	const struct automaton *a = prepare(s);
	if (!a)
		return unknown(s);
	if (automaton_work(a, &s->subject) > WORK_MAX) {
		keep_kinds(s, a, 0, s->subject.length + s->subject.terminated);
		return (struct found){0};
	}
	struct automaton_start at = automaton_start(a, &s->subject, s->from, s->to);
	if (at.any.value != s->matched)
		return unknown(s);
	return (struct found){.known = true, .any = at.any, .start = at.place};
}

// When the place of the match is wanted: whether there is one is a branch, and its start
// concrete; so is its end when there are groups.
static struct found find_place(const struct search *s, bool groups)
{
	struct found f = find(s);
	if (!f.known)
		return f;
	const struct automaton *a = automaton_of(s->regex);
	if (s->matched) {
		f.length = automaton_length(a, &s->subject, s->start);
		if (f.start.value != s->start || f.length.value != s->end - s->start)
			return unknown(s);
	}
	__veer_t_branch(s->site, f.any.l, (uint32_t)f.any.value);
	if (!s->matched)
		return f;
	concrete(s, f.start);
	if (groups) {
		concrete(s, f.length);
		keep_kinds(s, a, s->start ? s->start - 1 : 0, s->end + 1);
		f.length.l = 0;
	}
	return f;
}

// --- POSIX ------------------------------------------------------------------------------------------

MODEL(int, regcomp, regex_t *regex, const char *pattern_text, int flags)
{
	ENTER(regcomp, 3);
	int r = regcomp(regex, pattern_text, flags);
	if (!rt_on)
		return r;
	size_t length = strlen(pattern_text);
	rt_concrete(site, arg[2], (uint64_t)flags, REASON_ARGUMENT);
	concrete_text(site, pattern_text, length + 1, REASON_PATTERN);
	rt_clear((uint64_t)regex, sizeof *regex);
	if (r == 0)
		remember(regex->buffer, pattern_text, length);
	return r;
}

MODEL(void, regfree, regex_t *regex)
{
	if (rt_on && regex->buffer)
		forget(regex->buffer);
	regfree(regex);
}

// The end of a match whose start is concrete.
static void label_end(const struct found *f, uint64_t start, regoff_t *end)
{
	if (f->known && f->length.l)
		rt_store((uint64_t)end, sizeof *end, sym_binary(OP_ADD, f->length, sym_constant(32, start)).l);
}

// The result, 0 or REG_NOMATCH.
static label result_of(label any, int r)
{
	struct sym found = {r == 0, any, 1};
	return sym_choose(found, sym_constant(32, 0), sym_constant(32, REG_NOMATCH)).l;
}

MODEL(int, regexec, const regex_t *regex, const char *text, size_t n, regmatch_t *matches, int flags)
{
	ENTER(regexec, 5);
	bool part = flags & REG_STARTEND;
	regmatch_t bounds = part ? matches[0] : (regmatch_t){0};
	label l_start = part ? rt_load((uint64_t)&matches->rm_so, sizeof bounds.rm_so) : 0;
	label l_end = part ? rt_load((uint64_t)&matches->rm_eo, sizeof bounds.rm_eo) : 0;
	int r = regexec(regex, text, n, matches, flags);
	rt_concrete(site, arg[2], n, REASON_LENGTH);
	rt_concrete(site, arg[4], (uint64_t)flags, REASON_ARGUMENT);
	rt_concrete(site, l_start, (uint64_t)bounds.rm_so, REASON_LENGTH);
	rt_concrete(site, l_end, (uint64_t)bounds.rm_eo, REASON_LENGTH);
	n = regex->no_sub ? 0 : n;
	if (r == 0 && n)
		rt_clear((uint64_t)matches, n * sizeof *matches);
	struct search s = {.site = site, .regex = regex, .to = UINT64_MAX, .matched = r == 0};
	if (!rt_on || (r != 0 && r != REG_NOMATCH))
		return r;
	s.subject = part ? subject_bytes(text, (uint64_t)bounds.rm_eo) : subject_string(text);
	if (!subject_is_symbolic(&s.subject))
		return r;
	s.from = (uint64_t)bounds.rm_so;
	s.subject.no_line_start = flags & REG_NOTBOL;
	s.subject.no_line_end = flags & REG_NOTEOL;
	s.subject.newlines = regex->newline_anchor;
	if (n == 0)
		return GIVE(regexec, r, result_of(find(&s).any.l, r));
	if (r == 0) {
		s.start = (uint64_t)matches->rm_so;
		s.end = (uint64_t)matches->rm_eo;
	}
	struct found f = find_place(&s, n > 1 && regex->re_nsub);
	if (r == 0)
		label_end(&f, s.start, &matches->rm_eo);
	return r;
}

// --- GNU ----------------------------------------------------------------------------------------------

MODEL(const char *, re_compile_pattern, const char *text, size_t length, struct re_pattern_buffer *buffer)
{
	ENTER(re_compile_pattern, 3);
	const char *r = re_compile_pattern(text, length, buffer);
	if (!rt_on)
		return r;
	rt_concrete(site, arg[1], length, REASON_LENGTH);
	concrete_text(site, text, length, REASON_PATTERN);
	rt_clear((uint64_t)buffer, sizeof *buffer);
	if (!r)
		remember(buffer->buffer, text, length);
	return r;
}

static void clear_registers(const struct re_pattern_buffer *buffer, struct re_registers *registers)
{
	if (!registers || buffer->no_sub)
		return;
	rt_clear((uint64_t)registers, sizeof *registers);
	rt_clear((uint64_t)registers->start, registers->num_regs * sizeof *registers->start);
	rt_clear((uint64_t)registers->end, registers->num_regs * sizeof *registers->end);
}

static struct search gnu_search(struct site *site, const struct re_pattern_buffer *buffer, const char *text, int length)
{
	struct search s = {.site = site, .regex = buffer, .subject = subject_bytes(text, (uint64_t)length)};
	s.subject.no_line_start = buffer->not_bol;
	s.subject.no_line_end = buffer->not_eol;
	s.subject.newlines = buffer->newline_anchor;
	return s;
}

// With registers, the place is concrete; without, the result is an expression.
MODEL(regoff_t, re_search, struct re_pattern_buffer *buffer, const char *text, regoff_t length, regoff_t start,
      regoff_t range, struct re_registers *registers)
{
	ENTER(re_search, 6);
	regoff_t r = re_search(buffer, text, length, start, range, registers);
	rt_concrete(site, arg[2], (uint32_t)length, REASON_LENGTH);
	rt_concrete(site, arg[3], (uint32_t)start, REASON_ARGUMENT);
	rt_concrete(site, arg[4], (uint32_t)range, REASON_ARGUMENT);
	if (!rt_on || r < -1 || start < 0 || start > length)
		return r;
	struct search s = gnu_search(site, buffer, text, length);
	bool wants_place = registers && !buffer->no_sub;
	if (r >= 0)
		clear_registers(buffer, registers);
	if (!subject_is_symbolic(&s.subject))
		return r;
	s.from = (uint64_t)start;
	s.to = (uint64_t)start + (uint64_t)range;
	s.matched = r >= 0;
	if (range < 0) // from the end to the start
		unknown(&s);
	if (range < 0)
		return r;
	if (wants_place && r >= 0) {
		s.start = (uint64_t)r;
		s.end = (uint64_t)registers->end[0];
	}
	struct found f = wants_place ? find_place(&s, buffer->re_nsub) : find(&s);
	if (wants_place && r >= 0)
		label_end(&f, s.start, &registers->end[0]);
	bool exact = f.known && !wants_place && f.start.value == (uint32_t)r;
	if (f.known && !wants_place && !exact)
		unknown(&s);
	return GIVE(re_search, r, exact ? f.start.l : 0);
}

MODEL(regoff_t, re_match, struct re_pattern_buffer *buffer, const char *text, regoff_t length, regoff_t start,
      struct re_registers *registers)
{
	ENTER(re_match, 5);
	regoff_t r = re_match(buffer, text, length, start, registers);
	rt_concrete(site, arg[2], (uint32_t)length, REASON_LENGTH);
	rt_concrete(site, arg[3], (uint32_t)start, REASON_ARGUMENT);
	if (!rt_on || r < -1 || start < 0 || start > length)
		return r;
	struct search s = gnu_search(site, buffer, text, length);
	if (r >= 0)
		clear_registers(buffer, registers);
	if (!subject_is_symbolic(&s.subject))
		return r;
	s.from = s.to = s.start = (uint64_t)start;
	s.matched = r >= 0;
	s.end = s.matched ? s.start + (uint64_t)r : 0;
	if (registers && !buffer->no_sub) {
		struct found f = find_place(&s, buffer->re_nsub);
		if (r >= 0)
			label_end(&f, s.start, &registers->end[0]);
		return GIVE(re_match, r, f.length.l);
	}
	if (!find(&s).known)
		return r;
	struct sym l = automaton_length(automaton_of(buffer), &s.subject, s.start);
	if (l.value != (uint32_t)r)
		unknown(&s);
	return GIVE(re_match, r, l.value == (uint32_t)r ? l.l : 0);
}
