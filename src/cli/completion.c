// What can be completed, whatever the shell.
#include "cli/completion.h"

#include <string.h>

#include "base/mem.h"
#include "cli/words.h"

struct completion completion_of_option(const struct option_spec *o)
{
	char *words;
	bool list;
	if (words_of_option(o->name, &words, &list))
		return (struct completion){list ? COMPLETE_LIST : COMPLETE_WORD, words};
	static const struct {
		const char *argument;
		enum completion_kind kind;
	} kinds[] = {{"DIR", COMPLETE_FOLDER},
	             {"FOLDER", COMPLETE_FOLDER},
	             {"FILE", COMPLETE_FILE},
	             {"PATH", COMPLETE_FILE}};
	for (size_t i = 0; o->argument && i < OPTIONS_COUNT(kinds); i++)
		if (strcmp(o->argument, kinds[i].argument) == 0)
			return (struct completion){.kind = kinds[i].kind};
	return (struct completion){.kind = COMPLETE_NOTHING};
}

enum completion_kind completion_of_rest(const struct command *c)
{
	static const struct {
		const char *usage;
		enum completion_kind kind;
	} kinds[] = {{" ID", COMPLETE_FINDING},       {"[ID...]", COMPLETE_FINDING}, {"DIR", COMPLETE_FOLDER},
	             {"[COMMAND]", COMPLETE_COMMAND}, {"-- PROGRAM", COMPLETE_FILE}, {"-- COMMAND", COMPLETE_FILE},
	             {"PROGRAM", COMPLETE_FILE},      {"TRACE", COMPLETE_FILE}};
	for (size_t i = 0; i < OPTIONS_COUNT(kinds); i++)
		if (strstr(c->usage, kinds[i].usage))
			return kinds[i].kind;
	return COMPLETE_NOTHING;
}

int completion_write(const char *shell, struct buf *out, struct err *err)
{
	static const struct {
		const char *shell;
		void (*write)(struct buf *out);
	} shells[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};
	for (size_t i = 0; i < OPTIONS_COUNT(shells); i++)
		if (strcmp(shell, shells[i].shell) == 0) {
			shells[i].write(out);
			return 0;
		}
	char *words = words_listed("completion");
	err_set(err, "--completion: there is no shell '%s'; there are %s", shell, words);
	mem_free(words);
	return -1;
}
