#include <stddef.h>

#include "base/mem.h"
#include "cli/completion.h"

static const char functions[] =
	"# Completion of veer's command lines in bash. Written by `veer help --completion bash`.\n"
	"\n"
	"_veer_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\"); }\n"
	"\n"
	"_veer_list() {\n"
	"\tlocal before=\n"
	"\tif [[ $cur == *,* ]]; then before=${cur%,*},; fi\n"
	"\tcompopt -o nospace 2>/dev/null\n"
	"\tmapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$1\" -- \"${cur##*,}\")\n"
	"}\n"
	"\n"
	"_veer_paths() { # -f or -d\n"
	"\tcompopt -o filenames 2>/dev/null\n"
	"\tmapfile -t COMPREPLY < <(compgen \"$1\" -- \"$cur\")\n"
	"}\n"
	"\n"
	"_veer_findings() {\n"
	"\tlocal folder=veer-out i\n"
	"\tfor ((i = 2; i < COMP_CWORD - 1; i++)); do\n"
	"\t\tcase ${COMP_WORDS[i]} in -o | --output) folder=${COMP_WORDS[i + 1]} ;; esac\n"
	"\tdone\n"
	"\t_veer_words \"$(cd \"$folder/findings\" 2>/dev/null && printf '%s ' F[0-9]*)\"\n"
	"}\n"
	"\n"
	"_veer() {\n"
	"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} i options rest\n"
	"\tCOMPREPLY=()\n"
	"\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
	"\t\tif [[ ${COMP_WORDS[i]} == -- ]]; then # a command and its arguments\n"
	"\t\t\t_veer_paths -f\n"
	"\t\t\tif ((COMP_CWORD == i + 1)) && [[ $cur != */* ]]; then\n"
	"\t\t\t\tmapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -c -- \"$cur\")\n"
	"\t\t\tfi\n"
	"\t\t\treturn\n"
	"\t\tfi\n"
	"\tdone\n"
	"\t# --option=value comes as three words.\n"
	"\tif [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD - 2]}; fi\n";

static void add_action(struct buf *out, enum completion_kind kind, const char *words)
{
	switch (kind) {
	case COMPLETE_NOTHING: buf_addstr(out, ":"); break;
	case COMPLETE_FILE: buf_addstr(out, "_veer_paths -f"); break;
	case COMPLETE_FOLDER: buf_addstr(out, "_veer_paths -d"); break;
	case COMPLETE_WORD: buf_printf(out, "_veer_words '%s'", words); break;
	case COMPLETE_LIST: buf_printf(out, "_veer_list '%s'", words); break;
	case COMPLETE_FINDING: buf_addstr(out, "_veer_findings"); break;
	case COMPLETE_COMMAND: buf_addstr(out, "_veer_words \"$commands\""); break;
	}
}

static void add_command(struct buf *out, const struct command *c)
{
	struct buf names = {0};
	buf_printf(out, "\t%s)\n\t\tcase $prev in\n", c->name);
	for (size_t i = 0; i < c->n_options; i++) {
		const struct option_spec *o = &c->options[i];
		buf_printf(&names, "--%s ", o->name);
		if (o->type == OPTION_FLAG)
			continue;
		buf_addstr(out, "\t\t");
		if (o->letter)
			buf_printf(out, "-%c | ", o->letter);
		buf_printf(out, "--%s) ", o->name);
		struct completion value = completion_of_option(o);
		add_action(out, value.kind, value.words);
		buf_addstr(out, "; return ;;\n");
		mem_free(value.words);
	}
	buf_printf(out, "\t\tesac\n\t\toptions='%s--help' rest='", names.len ? names.data : "");
	add_action(out, completion_of_rest(c), NULL);
	buf_addstr(out, "'\n\t\t;;\n");
	buf_release(&names);
}

void completion_bash(struct buf *out)
{
	buf_addstr(out, functions);
	buf_addstr(out, "\tlocal commands='");
	for (size_t i = 0; i < n_commands; i++)
		buf_printf(out, "%s%s", i ? " " : "", commands[i]->name);
	buf_addstr(out, "'\n"
	                "\tif ((COMP_CWORD == 1)); then\n"
	                "\t\t_veer_words \"$commands --help --version\"\n"
	                "\t\treturn\n"
	                "\tfi\n"
	                "\tcase ${COMP_WORDS[1]} in\n");
	for (size_t i = 0; i < n_commands; i++)
		add_command(out, commands[i]);
	buf_addstr(out, "\t*) return ;;\n"
	                "\tesac\n"
	                "\tif [[ $cur == -* ]]; then _veer_words \"$options\"; else eval \"$rest\"; fi\n"
	                "}\n"
	                "complete -F _veer veer\n");
}
