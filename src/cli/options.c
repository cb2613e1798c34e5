#include "cli/options.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "cli/words.h"

static const struct option_spec *find(const struct command *c, const char *word, const char **ret_value)
{
	*ret_value = NULL;
	for (size_t i = 0; i < c->n_options; i++) {
		const struct option_spec *o = &c->options[i];
		if (word[1] == '-') {
			size_t n = strlen(o->name);
			if (strncmp(word + 2, o->name, n) != 0)
				continue;
			if (word[2 + n] == 0)
				return o;
			if (word[2 + n] == '=' && o->type != OPTION_FLAG) {
				*ret_value = word + 2 + n + 1;
				return o;
			}
		} else if (o->letter && word[1] == o->letter) {
			if (word[2] && o->type == OPTION_FLAG)
				continue;
			*ret_value = word[2] ? word + 2 : NULL;
			return o;
		}
	}
	return NULL;
}

static int store(const struct option_spec *o, const char *value, void *values, struct err *err)
{
	char *at = (char *)values + o->offset;
	if (o->type == OPTION_FLAG) {
		*(bool *)at = true;
	} else if (o->type == OPTION_TEXT) {
		*(const char **)at = value;
	} else {
		char *end;
		long n = strtol(value, &end, 10);
		if (end == value || *end || n < 0 || n > 1000000000)
			return err_set(err, "--%s wants a number, not '%s'", o->name, value);
		long max = o->type == OPTION_EXIT_STATUS ? 255 : o->type == OPTION_WORKERS ? OPTION_WORKERS_MAX : 0;
		if (max && (n < 1 || n > max))
			return err_set(err, "--%s wants a number from 1 to %ld, not '%s'", o->name, max, value);
		*(int *)at = (int)n;
	}
	return 0;
}

int options_parse(const struct command *c, int argc, char **argv, void *values, struct err *err)
{
	int i = 1;
	for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		if (strcmp(argv[i], "--") == 0)
			return i + 1;
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			options_help(c);
			return -2;
		}
		const char *value;
		const struct option_spec *o = find(c, argv[i], &value);
		if (!o)
			return err_set(err, "%s has no option %s", c->name, argv[i]);
		if (o->type != OPTION_FLAG && !value) {
			if (i + 1 >= argc)
				return err_set(err, "--%s wants a value", o->name);
			value = argv[++i];
		}
		if (store(o, value, values, err) < 0)
			return -1;
	}
	return i;
}

// The help in a column of its own, in as many lines as it takes.
static void print_option(const char *left, const char *help)
{
	enum { COLUMN = 31, WIDTH = 100 - COLUMN };
	if (strlen(left) < COLUMN - 2)
		printf("  %-*s", COLUMN - 2, left);
	else
		printf("  %s\n%*s", left, COLUMN, "");
	for (size_t n; (n = strlen(help)) > WIDTH; help += n + 1) {
		n = WIDTH;
		while (n && help[n] != ' ')
			n--;
		if (!n)
			break; // a word without end
		printf("%.*s\n%*s", (int)n, help, COLUMN, "");
	}
	printf("%s\n", help);
}

void options_help(const struct command *c)
{
	printf("usage: veer %s%s%s\n\n%s.\n\n%s", c->name, *c->usage ? " " : "", c->usage, c->summary, c->details);
	printf("\nOptions:\n");
	for (size_t i = 0; i < c->n_options; i++) {
		const struct option_spec *o = &c->options[i];
		char left[64], letter[8] = "    ";
		if (o->letter)
			snprintf(letter, sizeof letter, "-%c, ", o->letter);
		snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->argument ? " " : "",
		         o->argument ? o->argument : "");
		char *help = words_help(o);
		print_option(left, help);
		mem_free(help);
	}
	print_option("-h, --help", "print this help");
}

static void print_clean(FILE *to, const char *end, const char *format, va_list arguments)
{
	struct buf clean = {0};
	utf8_part_of(&clean, format, arguments);
	fprintf(to, "%s%s", buf_str(&clean), end);
	buf_release(&clean);
}

void cli_line(FILE *to, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	print_clean(to, "\n", format, arguments);
	va_end(arguments);
}

void cli_part(FILE *to, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	print_clean(to, "", format, arguments);
	va_end(arguments);
}

int cli_usage_error(const struct command *c, const char *text)
{
	cli_line(stderr, "veer: %s; see veer %s --help", text, c->name);
	return EXIT_USAGE;
}

void cli_runs_natively(const char *path, const char *why)
{
	cli_line(stderr, "veer: %s runs natively: %s", path, why);
}

void cli_limit(const char *path, const char *what)
{
	cli_line(stderr, "veer: %s %s", path, what);
}

int cli_fail(const char *text)
{
	cli_line(stderr, "veer: %s", text);
	return EXIT_FAIL;
}

int cli_end_like(int status)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}
