// veer help: what there is, from the tables of all commands; for people, man and shells.
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "cli/man.h"

struct help_options {
	const char *completion;
	bool man;
};

static const struct option_spec options[] = {
	{"man", 0, OPTION_FLAG, offsetof(struct help_options, man), NULL,
         "print the manual page; to read it: veer help --man run | man -l -"},
	{"completion", 0, OPTION_TEXT, offsetof(struct help_options, completion), "SHELL",
         "print completion of veer's command lines for a shell: {}"},
};

void help_all(FILE *out)
{
	fprintf(out, "usage: veer COMMAND [OPTION...] [ARGUMENT...]\n\n"
	             "veer tests C programs. Build yours with CC=veer-cc, then:\n\n");
	for (size_t i = 0; i < n_commands; i++)
		fprintf(out, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
	fprintf(out, "\n`veer COMMAND --help` tells more; `veer --version` prints the version.\n");
}

static int print(struct buf *text)
{
	bool written = fwrite(text->data, 1, text->len, stdout) == text->len && fflush(stdout) == 0;
	buf_release(text);
	return written ? 0 : cli_fail("cannot write to standard output");
}

static int run(int argc, char **argv)
{
	struct help_options o = {0};
	struct err err;
	struct buf text = {0};
	int first = options_parse(&command_help, argc, argv, &o, &err);
	if (first == -2)
		return 0;
	if (first < 0)
		return cli_usage_error(&command_help, err.text);
	const char *name = first < argc ? argv[first++] : NULL;
	if (first < argc)
		return cli_usage_error(&command_help, "one command at a time");
	if (o.completion) {
		if (completion_write(o.completion, &text, &err) < 0)
			return cli_usage_error(&command_help, err.text);
		return print(&text);
	}
	const struct command *c = name ? command_find(name) : NULL;
	if (name && !c && strcmp(name, "veer") != 0) {
		err_set(&err, "there is no command '%s'", name);
		return cli_usage_error(&command_help, err.text);
	}
	if (o.man) {
		if (c)
			man_command(c, &text);
		else
			man_veer(&text);
		return print(&text);
	}
	if (!c)
		help_all(stdout);
	else if (command_is_program(c))
		printf("usage: %s %s\n\n%s.\n\n%s", c->name, c->usage, c->summary, c->details);
	else
		options_help(c);
	return 0;
}

const struct command command_help = {
	.name = "help",
	.usage = "[OPTION...] [COMMAND]",
	.summary = "print what a command does and its options",
	.details =
		"COMMAND is one of veer's, or veer-cc; without it, all commands are listed. The manual pages and the\n"
		"completion that are installed are what this prints.\n\n"
		"  veer help explore\n"
		"  . <(veer help --completion bash)\n",
	.options = options,
	.n_options = OPTIONS_COUNT(options),
	.run = run,
};
