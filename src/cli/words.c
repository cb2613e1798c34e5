#include "cli/words.h"

#include <assert.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"

static const struct {
	const char *option;
	bool list;
	const char *words; // each with a blank behind it
} sets[] = {
	{
		"search",
		false,
#define STRATEGY(name, word, what) word " "
#include "search/strategies.def"
#undef STRATEGY
	},
	{
		"format",
		false,
#define FORMAT(name, file, needs, function, text) #name " "
#include "report/formats.def"
#undef FORMAT
#define DIFFERENCE_FORMAT(name, file, function, text)
#define DIFFERENCE_ONLY(name, file, function, text) #name " "
#include "report/difference_formats.def"
	},
	{
		"as",
		false,
#define EXPORT(name) #name " "
#include "export/exports.def"
#undef EXPORT
#define FORMAT(name) #name " "
#include "formats/formats.def"
#undef FORMAT
	},
	{
		"variant",
		false,
#define VARIANT(name, function, runtime, flag, object, text) name " "
#include "abi/variants.def"
#undef VARIANT
	},
	{
		"dont-care",
		false,
#define CARE(id, name, function, plain, limit, text) name " "
#include "solver/care.def"
#undef CARE
	},
	{
		"back-end",
		false,
#define CHAIN(name, stages) name " "
#define STAGE(name, function)
#include "solver/stages.def"
#undef STAGE
#undef CHAIN
	},
	{
		"checks",
		true,
#define CHECK_WORD(word, kinds) word " "
#include "findings/check_words.def"
	},
	{
		"float",
		false,
#define FLOATS(name, word, help) word " "
#include "solver/floats.def"
#undef FLOATS
	},
	{"sym", true, "argv stdin files "},
	{"sandbox", false, "namespaces landlock "},
	{"colour", false, "always never auto "},
	{"completion", false, "bash zsh fish "},
};

// Names of C have _ where users write -.
static char *spelled(const char *words)
{
	assert(*words);
	char *text = mem_copy(words, strlen(words) - 1);
	for (char *p = text; *p; p++)
		if (*p == '_')
			*p = '-';
	return text;
}

bool words_of_option(const char *name, char **ret_words, bool *ret_list)
{
	for (size_t i = 0; i < OPTIONS_COUNT(sets); i++)
		if (strcmp(name, sets[i].option) == 0) {
			*ret_words = spelled(sets[i].words);
			*ret_list = sets[i].list;
			return true;
		}
	return false;
}

char *words_listed(const char *name)
{
	struct buf out = {0};
	char *words = NULL;
	bool list, any = words_of_option(name, &words, &list);
	assert(any);
	(void)any;
	for (const char *p = words; *p; p++)
		buf_addstr(&out, *p == ' ' ? ", " : (char[]){*p, 0});
	mem_free(words);
	return out.data;
}

char *words_help(const struct option_spec *o)
{
	const char *gap = strstr(o->help, "{}");
	if (!gap)
		return mem_strdup(o->help);
	char *words = words_listed(o->name);
	char *text = mem_printf("%.*s%s%s", (int)(gap - o->help), o->help, words, gap + 2);
	mem_free(words);
	return text;
}
