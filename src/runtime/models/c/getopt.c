// Options of a command line, as glibc's getopt takes them. What is kept between two calls is
// kept here, whether or not the arguments are symbolic; optarg and its like are libc's.
#include <getopt.h>
#include <libintl.h>
#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "runtime/models/c/model_c.h"

enum order { PERMUTE, STOP, RETURN_ALL }; // what happens at an argument that is no option

static struct {
	bool started;
	enum order order;
	char *next;   // in the argument that is being looked at
	int from, to; // arguments that were skipped: from <= i < to
	char *optarg; // as last given to the program
	int optopt;
} state;

struct call {
	int argc;
	char **argv;
	const char *letters; // optstring behind its first sign
	const struct option *options;
	int *index;
	bool long_only, tell; // tell: print messages
};

// --- messages ------------------------------------------------------------------------------

__attribute__((format(printf, 2, 3))) static void tell(const struct call *c, const char *format, ...)
{
	va_list list;
	char *text;
	if (!c->tell)
		return;
	va_start(list, format);
	if (fwide(stderr, 0) <= 0) {
		vfprintf(stderr, format, list);
	} else if (vasprintf(&text, format, list) >= 0) {
		fwprintf(stderr, L"%s", text);
		free(text);
	}
	va_end(list);
}

#define TELL(c, message, ...) tell(c, dcgettext("libc", message, LC_MESSAGES), __VA_ARGS__)

// --- order of the arguments ---------------------------------------------------------------

// The skipped arguments change places with the options behind them.
static void put_options_first(char **argv)
{
	int skipped = state.to - state.from, options = optind - state.to;
	for (int i = 0; i < options; i++) {
		char *option = argv[state.to + i];
		for (int k = state.to + i; k > state.from + i; k--)
			argv[k] = argv[k - 1];
		argv[state.from + i] = option;
	}
	state.from += options;
	state.to = state.from + skipped;
}

static bool is_option(const char *argument)
{
	if (argument[0] != '-')
		return false;
	return argument[1] != 0;
}

// --- long options ------------------------------------------------------------------------------

// What the text up to '=' is to the name: 2 the same, 1 an abbreviation, 0 something else.
int veer_model_option(const char *name, const char *text);
int veer_model_strcmp(const char *a, const char *b);

struct found {
	const struct option *option; // NULL when there is none
	bool exact, ambiguous;
};

static bool is_same_option(const struct option *a, const struct option *b)
{
	return a->has_arg == b->has_arg && a->flag == b->flag && a->val == b->val;
}

// The options that could be meant; `first` is one of them.
static void tell_ambiguous(const struct call *c, const char *prefix, const struct option *first)
{
	if (!c->tell)
		return;
	flockfile(stderr);
	TELL(c, "%s: option '%s%s' is ambiguous; possibilities:", c->argv[0], prefix, state.next);
	for (const struct option *o = first; o->name; o++)
		if (o == first ||
		    (veer_model_option(o->name, state.next) && (c->long_only || !is_same_option(o, first))))
			tell(c, " '%s%s'", prefix, o->name);
	tell(c, "\n");
	funlockfile(stderr);
}

// The option that state.next names.
static struct found find_option(const struct call *c)
{
	struct found found = {0};
	for (const struct option *o = c->options; o->name; o++)
		if (veer_model_option(o->name, state.next) == 2)
			return (struct found){.option = o, .exact = true};
	for (const struct option *o = c->options; o->name; o++) {
		if (!veer_model_option(o->name, state.next))
			continue;
		if (!found.option)
			found.option = o;
		else if (c->long_only || !is_same_option(found.option, o))
			found.ambiguous = true;
	}
	return found;
}

// What is behind the name: its end, or '='.
static char *end_of_name(const struct found *f)
{
	char *end = state.next;
	if (f->exact)
		return end + strlen(f->option->name);
	while ((*end != 0) & (*end != '='))
		end++;
	return end;
}

// The option's argument. Returns 0, or what getopt is to return.
static int take_argument(const struct call *c, const char *prefix, const struct option *o, char *end)
{
	if (*end) {
		if (o->has_arg) {
			state.optarg = end + 1;
			return 0;
		}
		TELL(c, "%s: option '%s%s' doesn't allow an argument\n", c->argv[0], prefix, o->name);
		state.optopt = o->val;
		return '?';
	}
	if (o->has_arg != required_argument)
		return 0;
	if (optind < c->argc) {
		state.optarg = c->argv[optind++];
		return 0;
	}
	TELL(c, "%s: option '%s%s' requires an argument\n", c->argv[0], prefix, o->name);
	state.optopt = o->val;
	return c->letters[0] == ':' ? ':' : '?';
}

static const char *find_letter(const char *letters, char letter)
{
	for (const char *p = letters;; p++) {
		if (*p == letter)
			return p;
		if (!*p)
			return NULL;
	}
}

// state.next as a long option. Returns -1 when it is to be taken as short ones.
static int long_option(const struct call *c, bool long_only, const char *prefix)
{
	struct call own = *c;
	own.long_only = long_only;
	struct found f = find_option(&own);
	const struct option *o = f.option;
	if (f.ambiguous) {
		tell_ambiguous(&own, prefix, o);
		state.next += strlen(state.next);
		optind++;
		state.optopt = 0;
		return '?';
	}
	if (!o) {
		if (long_only && c->argv[optind][1] != '-' && find_letter(c->letters, *state.next))
			return -1;
		TELL(c, "%s: unrecognized option '%s%s'\n", c->argv[0], prefix, state.next);
		state.next = NULL;
		optind++;
		state.optopt = 0;
		return '?';
	}
	char *end = end_of_name(&f);
	optind++;
	state.next = NULL;
	int r = take_argument(c, prefix, o, end);
	if (r)
		return r;
	if (c->index)
		*c->index = (int)(o - c->options);
	if (!o->flag)
		return o->val;
	*o->flag = o->val;
	return 0;
}

// --- short options --------------------------------------------------------------------------

static int lacks_argument(const struct call *c, char letter)
{
	TELL(c, "%s: option requires an argument -- '%c'\n", c->argv[0], letter);
	state.optopt = letter;
	return c->letters[0] == ':' ? ':' : '?';
}

// -W name is --name
static int word_option(const struct call *c, char letter)
{
	if (!*state.next) {
		if (optind == c->argc)
			return lacks_argument(c, letter);
		state.next = c->argv[optind];
	}
	return long_option(c, false, "-W ");
}

static int short_option(const struct call *c)
{
	char given = *state.next++;
	const char *at = find_letter(c->letters, given);
	bool more = *state.next != 0;
	if (!more)
		optind++;
	if (!at || *at == ':' || *at == ';') {
		TELL(c, "%s: invalid option -- '%c'\n", c->argv[0], given);
		state.optopt = given;
		return '?';
	}
	char letter = *at; // the path knows that they are equal
	if (letter == 'W' && at[1] == ';' && c->options)
		return word_option(c, letter);
	if (at[1] != ':')
		return letter;
	if (more) {
		state.optarg = state.next;
		optind++;
	}
	state.next = NULL;
	if (more || at[2] == ':')
		return letter;
	if (optind == c->argc)
		return lacks_argument(c, letter);
	state.optarg = c->argv[optind++];
	return letter;
}

// --- the whole -------------------------------------------------------------------------------

static void start(const char *letters, bool posix)
{
	if (optind == 0)
		optind = 1;
	state.from = state.to = optind;
	state.next = NULL;
	if (letters[0] == '-')
		state.order = RETURN_ALL;
	else
		state.order = letters[0] == '+' || posix || getenv("POSIXLY_CORRECT") ? STOP : PERMUTE;
	state.started = true;
}

// The next argument that is an option; returns 0, or what getopt is to return.
static int next_argument(const struct call *c)
{
	if (state.to > optind) // the program went back
		state.to = optind;
	if (state.from > optind)
		state.from = optind;
	if (state.order == PERMUTE) {
		if (state.to != optind && state.from != state.to)
			put_options_first(c->argv);
		else if (state.to != optind)
			state.from = optind;
		while (optind < c->argc && !is_option(c->argv[optind]))
			optind++;
		state.to = optind;
	}
	if (optind != c->argc && veer_model_strcmp(c->argv[optind], "--") == 0) {
		optind++;
		if (state.from != state.to && state.to != optind)
			put_options_first(c->argv);
		else if (state.from == state.to)
			state.from = optind;
		state.to = c->argc;
		optind = c->argc;
	}
	if (optind == c->argc) {
		if (state.from != state.to)
			optind = state.from;
		return -1;
	}
	if (is_option(c->argv[optind]))
		return 0;
	if (state.order == STOP)
		return -1;
	state.optarg = c->argv[optind++];
	return 1;
}

static int next_option(const struct call *c)
{
	if (!state.next || !*state.next) {
		int r = next_argument(c);
		if (r)
			return r;
		char *argument = c->argv[optind];
		if (c->options && argument[1] == '-') {
			state.next = argument + 2;
			return long_option(c, c->long_only, "--");
		}
		if (c->options && c->long_only && (argument[2] || !find_letter(c->letters, argument[1]))) {
			state.next = argument + 1;
			r = long_option(c, true, "-");
			if (r != -1)
				return r;
		}
		state.next = argument + 1;
	}
	return short_option(c);
}

static int get(int argc, char *const *argv, const char *letters, const struct option *options, int *index,
               bool long_only, bool posix)
{
	int r = -1;
	if (argc >= 1) {
		state.optarg = NULL;
		if (optind == 0 || !state.started)
			start(letters, posix);
		if (letters[0] == '-' || letters[0] == '+')
			letters++;
		struct call c = {argc, (char **)argv, letters, options, index, long_only, opterr && letters[0] != ':'};
		r = next_option(&c);
	}
	optarg = state.optarg;
	optopt = state.optopt;
	return r;
}

MODEL(int, getopt, int argc, char *const *argv, const char *letters)
{
	return get(argc, argv, letters, NULL, NULL, false, false);
}

MODEL(int, __posix_getopt, int argc, char *const *argv, const char *letters)
{
	return get(argc, argv, letters, NULL, NULL, false, true);
}

MODEL(int, getopt_long, int argc, char *const *argv, const char *letters, const struct option *options, int *index)
{
	return get(argc, argv, letters, options, index, false, false);
}

MODEL(int, getopt_long_only, int argc, char *const *argv, const char *letters, const struct option *options, int *index)
{
	return get(argc, argv, letters, options, index, true, false);
}
