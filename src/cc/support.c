#include "cc/support.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"

void support_find(struct support *ret)
{
	char *self = path_of_self();
	char *folders[] = {mem_strdup(self), mem_printf("%s/../lib/veer", self)};
	*ret = (struct support){0};
	for (size_t i = 0; i < 2; i++) {
		char *archive = mem_printf("%s/libveer-input.a", folders[i]);
		char *header = mem_printf("%s/include/veer.h", folders[i]);
		if (!ret->archive && file_exists(archive))
			ret->archive = mem_strdup(archive);
		if (!ret->include && file_exists(header))
			ret->include = mem_printf("%s/include", folders[i]);
		mem_free(archive);
		mem_free(header);
		mem_free(folders[i]);
	}
	mem_free(self);
}

void support_release(struct support *support)
{
	mem_free(support->include);
	mem_free(support->archive);
	*support = (struct support){0};
}

// True when one of the linker's words, as the command line passes them on, is `word`.
static bool linker_gets(const struct cc_args *args, const char *word)
{
	size_t n = strlen(word);
	for (size_t i = 0; i < args->n; i++) {
		const struct cc_arg *arg = &args->v[i];
		if ((arg->flags & LINKER_WORD) && arg->value && strcmp(arg->value, word) == 0)
			return true;
		for (const char *s = arg->flags & LINKER_LIST ? arg->value : NULL; s;
		     s = strchr(s, ','), s += s != NULL)
			if (strcspn(s, ",") == n && strncmp(s, word, n) == 0)
				return true;
	}
	return false;
}

bool support_is_linked(const struct support *support, const struct cc_args *args)
{
	static const char *const no_executable[] = {"-r",      "-i",       "-Ur",         "--relocatable",
	                                            "-shared", "--shared", "-Bshareable", "-G"};
	if (!support->archive || args->mode != CC_LINK || args->shared || args->bare || args->narrow || args->foreign)
		return false;
	for (size_t i = 0; i < sizeof no_executable / sizeof *no_executable; i++)
		if (linker_gets(args, no_executable[i]))
			return false;
	return true;
}

static bool compiles(const struct cc_args *args)
{
	bool found = false;
	for (size_t i = 0; i < args->n; i++) {
		const struct cc_arg *arg = &args->v[i];
		if (strncmp(arg->text, "-cc1", 4) == 0) // the compiler proper, with options of its own
			return false;
		found |= arg->input && (arg->header || arg->language == LANG_C || arg->language == LANG_OTHER);
	}
	return found;
}

// What follows "--" is the name of a file, so options go before it.
static void add_options(struct strv *native, const struct strv *options)
{
	struct strv all = {0};
	size_t at = 0;
	while (at < native->n && strcmp(native->v[at], "--") != 0)
		strv_push(&all, native->v[at++]);
	strv_push_all(&all, options);
	while (at < native->n)
		strv_push(&all, native->v[at++]);
	strv_release(native);
	*native = all;
}

void support_add(const struct support *support, struct cc_args *args)
{
	struct strv options = {0};
	if (support->include && compiles(args)) {
		// Last in the search order; not a word about sources that need no preprocessor.
		strv_push(&options, "--start-no-unused-arguments");
		strv_push(&options, "-idirafter");
		strv_push(&options, support->include);
		strv_push(&options, "--end-no-unused-arguments");
		add_options(&args->native, &options);
		cc_args_add(args, "-idirafter", support->include, NO_LINK);
	}
	strv_release(&options);
	if (!support_is_linked(support, args))
		return;
	// Through -Xlinker: with -x in force an input would be taken for a source.
	bool whole = linker_gets(args, "--whole-archive") || linker_gets(args, "-whole-archive");
	const char *words[] = {whole ? "--push-state" : NULL, whole ? "--no-whole-archive" : NULL, support->archive,
	                       whole ? "--pop-state" : NULL};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (words[i]) {
			strv_push(&options, "-Xlinker");
			strv_push(&options, words[i]);
		}
	if (args->only_files)
		strv_push(&args->native, support->archive);
	else
		strv_push_all(&args->native, &options);
	strv_release(&options);
}
