#include <stddef.h>

#include "base/mem.h"
#include "cli/completion.h"
#include "cli/words.h"

static void add_text(struct buf *out, const char *s)
{
	for (; *s; s++) {
		if (*s == '\'' || *s == '\\')
			buf_addch(out, '\\');
		buf_addch(out, *s);
	}
}

static void add_action(struct buf *out, enum completion_kind kind, const char *words)
{
	switch (kind) {
	case COMPLETE_NOTHING: break;
	case COMPLETE_FILE: buf_addstr(out, " -F"); break;
	case COMPLETE_FOLDER: buf_addstr(out, " -a '(__fish_complete_directories)'"); break;
	case COMPLETE_WORD: buf_printf(out, " -a '%s'", words); break;
	case COMPLETE_LIST: buf_printf(out, " -a '(__fish_append , %s)'", words); break;
	case COMPLETE_FINDING: buf_addstr(out, " -a '(__veer_findings)'"); break;
	case COMPLETE_COMMAND:
		buf_addstr(out, " -a '");
		for (size_t i = 0; i < n_commands; i++)
			buf_printf(out, "%s ", commands[i]->name);
		buf_addch(out, '\'');
		break;
	}
}

static void add_option(struct buf *out, const struct command *c, const struct option_spec *o)
{
	buf_printf(out, "complete -c veer -n '__veer_at %s' -l %s", c->name, o->name);
	if (o->letter)
		buf_printf(out, " -s %c", o->letter);
	if (o->type != OPTION_FLAG) {
		struct completion value = completion_of_option(o);
		buf_addstr(out, value.kind == COMPLETE_FILE ? " -r" : " -x");
		add_action(out, value.kind, value.words);
		mem_free(value.words);
	}
	buf_addstr(out, " -d '");
	char *help = words_help(o);
	add_text(out, help);
	mem_free(help);
	buf_addstr(out, "'\n");
}

static void add_command(struct buf *out, const struct command *c)
{
	buf_printf(out, "complete -c veer -n '__veer_at \"\"' -a %s -d '", c->name);
	add_text(out, c->summary);
	buf_addstr(out, "'\n");
	for (size_t i = 0; i < c->n_options; i++)
		add_option(out, c, &c->options[i]);
	buf_printf(out, "complete -c veer -n '__veer_at %s' -l help -d 'print the help'\n", c->name);
	enum completion_kind rest = completion_of_rest(c);
	if (rest != COMPLETE_NOTHING) {
		buf_printf(out, "complete -c veer -n '__veer_at %s'", c->name);
		add_action(out, rest, NULL);
		buf_addch(out, '\n');
	}
}

void completion_fish(struct buf *out)
{
	buf_addstr(out, "# Completion of veer's command lines in fish. Written by `veer help --completion fish`.\n"
	                "\n"
	                "# Whether the words so far are veer and this command (\"\": none yet), and not yet --.\n"
	                "function __veer_at\n"
	                "\tset -l words (commandline -opc)\n"
	                "\tif test -z \"$argv[1]\"\n"
	                "\t\ttest (count $words) -eq 1\n"
	                "\telse\n"
	                "\t\ttest (count $words) -gt 1 -a \"$words[2]\" = \"$argv[1]\"; and not contains -- -- $words\n"
	                "\tend\n"
	                "end\n"
	                "\n"
	                "function __veer_behind\n"
	                "\tcontains -- -- (commandline -opc)\n"
	                "end\n"
	                "\n"
	                "function __veer_findings\n"
	                "\tset -l folder veer-out\n"
	                "\tset -l words (commandline -opc)\n"
	                "\tif set -l at (contains -i -- -o $words; or contains -i -- --output $words)\n"
	                "\t\tset folder $words[(math $at + 1)]\n"
	                "\tend\n"
	                "\tfor path in $folder/findings/F*\n"
	                "\t\tstring replace -r '.*/' '' $path\n"
	                "\tend\n"
	                "end\n"
	                "\n"
	                "complete -c veer -f\n"
	                "complete -c veer -n '__veer_at \"\"' -l version -d 'print the version'\n"
	                "complete -c veer -n '__veer_at \"\"' -l help -d 'print the help'\n"
	                "complete -c veer -n __veer_behind -F -a '(__fish_complete_command)'\n");
	for (size_t i = 0; i < n_commands; i++)
		add_command(out, commands[i]);
}
