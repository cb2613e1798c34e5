// What can be completed, whatever the shell. The words come from where they are defined.
#include "cli/completion.h"

#include <string.h>

#include "base/mem.h"

static const struct {
	const char *option;
	enum completion_kind kind;
	const char *words;
} choices[] = {
	{
		"search",
		COMPLETE_WORD,
#define STRATEGY(name, word, what) word " "
#include "explore/strategies.def"
#undef STRATEGY
	},
	{
		"format",
		COMPLETE_WORD,
#define FORMAT(name, file, needs, function, text) #name " "
#include "report/formats.def"
#undef FORMAT
	},
	{
		"as",
		COMPLETE_WORD,
#define EXPORT(name) #name " "
#include "export/exports.def"
#undef EXPORT
#define FORMAT(name) #name " "
#include "formats/formats.def"
#undef FORMAT
	},
	{
		"variant",
		COMPLETE_WORD,
#define VARIANT(name, function, runtime, flag, object, text) name " "
#include "instrument/variants.def"
#undef VARIANT
	},
	{
		"dont-care",
		COMPLETE_WORD,
#define CARE(id, name, function, plain, limit, text) name " "
#include "solver/care.def"
#undef CARE
	},
	{
		"checks",
		COMPLETE_LIST,
#define CHECK_WORD(word, kinds) word " "
#include "findings/checks.def"
	},
	{"sym", COMPLETE_LIST, "argv stdin files "},
	{"sandbox", COMPLETE_WORD, "namespaces landlock "},
	{"colour", COMPLETE_WORD, "always never auto "},
	{"completion", COMPLETE_WORD, "bash zsh fish "},
};

// Names of C have _ where users write -.
static char *spelled(const char *words)
{
	char *text = mem_copy(words, strlen(words) - 1);
	for (char *p = text; *p; p++)
		if (*p == '_')
			*p = '-';
	return text;
}

struct completion completion_of_option(const struct option_spec *o)
{
	for (size_t i = 0; i < OPTIONS_COUNT(choices); i++)
		if (strcmp(o->name, choices[i].option) == 0)
			return (struct completion){choices[i].kind, spelled(choices[i].words)};
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
	return err_set(err, "there is no completion for '%s', only for bash, zsh and fish", shell);
}
