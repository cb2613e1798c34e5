#include <string.h>

#include "base/mem.h"
#include "cli/completion.h"
#include "cli/words.h"

// Inside of single quotes, in a place where colons and brackets end something.
static void add_text(struct buf *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '\'')
			buf_addstr(out, "'\\''");
		else if (strchr("[]:\\", *s))
			buf_printf(out, "\\%c", *s);
		else
			buf_addch(out, *s);
	}
}

static void add_action(struct buf *out, enum completion_kind kind, const char *words)
{
	switch (kind) {
	case COMPLETE_NOTHING: buf_addstr(out, " "); break;
	case COMPLETE_FILE: buf_addstr(out, "_files"); break;
	case COMPLETE_FOLDER: buf_addstr(out, "_files -/"); break;
	case COMPLETE_WORD: buf_printf(out, "(%s)", words); break;
	case COMPLETE_LIST: buf_printf(out, "_values -s , word %s", words); break;
	case COMPLETE_FINDING: buf_addstr(out, "_veer_findings"); break;
	case COMPLETE_COMMAND: buf_addstr(out, "_veer_commands"); break;
	}
}

static void add_option(struct buf *out, const struct option_spec *o)
{
	buf_addstr(out, "\t\t\t'");
	if (o->letter)
		buf_printf(out, "(-%c --%s)'{-%c%s,--%s%s}'", o->letter, o->name, o->letter,
		           o->type == OPTION_FLAG ? "" : "+", o->name, o->type == OPTION_FLAG ? "" : "=");
	else
		buf_printf(out, "--%s%s", o->name, o->type == OPTION_FLAG ? "" : "=");
	buf_addch(out, '[');
	char *help = words_help(o);
	add_text(out, help);
	mem_free(help);
	buf_addch(out, ']');
	if (o->type != OPTION_FLAG) {
		struct completion value = completion_of_option(o);
		buf_addch(out, ':');
		add_text(out, o->argument);
		buf_addch(out, ':');
		add_action(out, value.kind, value.words);
		mem_free(value.words);
	}
	buf_addstr(out, "' \\\n");
}

static void add_command(struct buf *out, const struct command *c)
{
	buf_printf(out, "\t%s)\n\t\t_arguments -s -S \\\n", c->name);
	for (size_t i = 0; i < c->n_options; i++)
		add_option(out, &c->options[i]);
	buf_addstr(out, "\t\t\t'(- *)--help[print the help]' \\\n\t\t\t'*:argument:");
	add_action(out, completion_of_rest(c), NULL);
	buf_addstr(out, "'\n\t\t;;\n");
}

void completion_zsh(struct buf *out)
{
	buf_addstr(out, "#compdef veer\n"
	                "# Completion of veer's command lines in zsh. Written by `veer help --completion zsh`.\n"
	                "\n"
	                "_veer_findings() {\n"
	                "\tlocal folder=${${opt_args[-o]:-$opt_args[--output]}:-veer-out}\n"
	                "\tlocal -a findings=($folder/findings/F*(N:t))\n"
	                "\t_describe finding findings\n"
	                "}\n"
	                "\n"
	                "_veer_commands() {\n"
	                "\tlocal -a commands=(\n");
	for (size_t i = 0; i < n_commands; i++) {
		buf_printf(out, "\t\t'%s:", commands[i]->name);
		add_text(out, commands[i]->summary);
		buf_addstr(out, "'\n");
	}
	buf_addstr(out, "\t)\n"
	                "\t_describe command commands\n"
	                "}\n"
	                "\n"
	                "_veer() {\n"
	                "\tlocal curcontext=$curcontext state line separator\n"
	                "\ttypeset -A opt_args\n"
	                "\tseparator=${words[(i)--]}\n"
	                "\tif ((separator > 1 && separator < CURRENT)); then # a command and its arguments\n"
	                "\t\tshift $separator words\n"
	                "\t\t((CURRENT -= separator))\n"
	                "\t\tif ((CURRENT == 1)); then\n"
	                "\t\t\t_alternative 'commands:command:_command_names -e' 'files:file:_files'\n"
	                "\t\telse\n"
	                "\t\t\t_normal\n"
	                "\t\tfi\n"
	                "\t\treturn\n"
	                "\tfi\n"
	                "\t_arguments -C '(- *)--help[print the help]' '(- *)--version[print the version]' \\\n"
	                "\t\t'1:command:_veer_commands' '*::argument:->rest'\n"
	                "\t[[ $state == rest ]] || return\n"
	                "\tcase $words[1] in\n");
	for (size_t i = 0; i < n_commands; i++)
		add_command(out, commands[i]);
	buf_addstr(out, "\tesac\n"
	                "}\n"
	                "\n"
	                "if [[ $funcstack[1] == _veer ]]; then _veer \"$@\"; else compdef _veer veer; fi\n");
}
