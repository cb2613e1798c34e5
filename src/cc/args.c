#include "cc/args.h"

#include <ctype.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "config.h"

enum form { EXACT, PREFIX, SEPARATE, EITHER, SEPARATE_AFTER };

static const struct option {
	const char *spelling;
	enum form form;
	unsigned flags;
} options[] = {
#define OPTION(spelling, form, flags) {spelling, form, flags},
#include "cc/options.def"
#undef OPTION
};

enum gcc_form { BOTH, POSITIVE, NEGATIVE, WITH_VALUE };

static const struct gcc_only {
	const char *prefix, *name;
	enum gcc_form form;
} gcc_only[] = {
#define VALUE WITH_VALUE
#define GCC_ONLY(prefix, name, form) {prefix, name, form},
#include "cc/gcc_only.def"
#undef GCC_ONLY
#undef VALUE
};

static const struct linker_option linker_options[] = {
#define LINKER_OPTION(name, form, action) {name, form, action},
#include "cc/linker_options.def"
#undef LINKER_OPTION
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

bool cc_gcc_only(const char *option)
{
	for (size_t i = 0; i < COUNT(gcc_only); i++) {
		const struct gcc_only *g = &gcc_only[i];
		size_t n = strlen(g->prefix), m = strlen(g->name);
		if (strncmp(option, g->prefix, n) != 0)
			continue;
		const char *rest = option + n;
		if (g->form == WITH_VALUE) {
			if (strncmp(rest, g->name, m) == 0 && rest[m] == '=')
				return true;
			continue;
		}
		if (g->form != NEGATIVE && strcmp(rest, g->name) == 0)
			return true;
		if (g->form != POSITIVE && strncmp(rest, "no-", 3) == 0 && strcmp(rest + 3, g->name) == 0)
			return true;
	}
	return false;
}

const struct linker_option *cc_linker_option(const char *word, const char **ret_value)
{
	*ret_value = NULL;
	if (word[0] != '-')
		return NULL;
	const char *name = word + (word[1] == '-' ? 2 : 1);
	for (size_t i = 0; i < COUNT(linker_options); i++) {
		const struct linker_option *o = &linker_options[i];
		size_t n = strlen(o->name);
		if (strncmp(name, o->name, n) != 0)
			continue;
		if (o->form == STARTS || name[n] == 0)
			return o;
		if (o->form == VALUE && name[n] == '=') {
			*ret_value = name + n + 1;
			return o;
		}
	}
	return NULL;
}

static const struct option *find_option(const char *text)
{
	for (size_t i = 0; i < COUNT(options); i++) {
		const struct option *o = &options[i];
		size_t n = strlen(o->spelling);
		if (strncmp(text, o->spelling, n) != 0)
			continue;
		if (text[n] == 0 || o->form == PREFIX || o->form == EITHER || o->form == SEPARATE_AFTER)
			return o;
	}
	return NULL;
}

static enum language language_of_name(const char *name)
{
	static const struct {
		const char *suffix;
		enum language language;
	} known[] = {
		{".c", LANG_C},           {".i", LANG_C},       {".s", LANG_ASSEMBLER}, {".S", LANG_ASSEMBLER},
		{".asm", LANG_ASSEMBLER}, {".cc", LANG_OTHER},  {".CC", LANG_OTHER},    {".cpp", LANG_OTHER},
		{".CPP", LANG_OTHER},     {".cxx", LANG_OTHER}, {".CXX", LANG_OTHER},   {".c++", LANG_OTHER},
		{".C++", LANG_OTHER},     {".C", LANG_OTHER},   {".cp", LANG_OTHER},    {".ii", LANG_OTHER},
		{".m", LANG_OTHER},       {".M", LANG_OTHER},   {".mm", LANG_OTHER},    {".mi", LANG_OTHER},
		{".mii", LANG_OTHER},     {".ll", LANG_C},      {".bc", LANG_C},
	};
	const char *dot = strrchr(path_basename(name), '.');
	for (size_t i = 0; dot && i < COUNT(known); i++)
		if (strcmp(dot, known[i].suffix) == 0)
			return known[i].language;
	return LANG_NONE;
}

static enum language language_of_x(const char *x)
{
	if (strcmp(x, "c") == 0 || strcmp(x, "cpp-output") == 0 || strcmp(x, "ir") == 0)
		return LANG_C;
	if (strncmp(x, "assembler", 9) == 0)
		return LANG_ASSEMBLER;
	return LANG_OTHER;
}

static bool is_header(const char *name, const char *forced)
{
	if (forced)
		return strstr(forced, "-header") != NULL;
	const char *dot = strrchr(path_basename(name), '.');
	return dot && (strcmp(dot, ".h") == 0 || strcmp(dot, ".hh") == 0 || strcmp(dot, ".hpp") == 0 ||
	               strcmp(dot, ".hxx") == 0 || strcmp(dot, ".H") == 0);
}

// Splits the content of a response file as gcc and clang do: blanks separate,
// quotes group, a backslash takes the next character as it is.
static void split_words(const char *s, struct strv *out)
{
	struct buf word = {0};
	bool started = false;
	char quote = 0;
	for (; *s; s++) {
		if (*s == '\\' && s[1]) {
			buf_addch(&word, *++s);
			started = true;
		} else if (quote) {
			if (*s == quote)
				quote = 0;
			else
				buf_addch(&word, *s);
		} else if (*s == '\'' || *s == '"') {
			quote = *s;
			started = true;
		} else if (isspace((unsigned char)*s)) {
			if (started)
				strv_take(out, buf_steal(&word));
			started = false;
		} else {
			buf_addch(&word, *s);
			started = true;
		}
	}
	if (started)
		strv_take(out, buf_steal(&word));
	buf_release(&word);
}

// A response file that cannot be read is an ordinary argument, as for gcc; so is one
// that is being expanded already.
static void expand(const char *arg, struct strv *out, struct strv *open, bool *ret_pipe)
{
	struct buf content = {0};
	bool again = false;
	for (size_t i = 0; i < open->n; i++)
		again |= strcmp(open->v[i], arg) == 0;
	if (arg[0] != '@' || again || file_read(arg + 1, &content, NULL) < 0) {
		buf_release(&content);
		strv_push(out, arg);
		return;
	}
	struct strv words = {0};
	split_words(content.len ? content.data : "", &words);
	strv_push(open, arg);
	for (size_t i = 0; i < words.n; i++)
		expand(words.v[i], out, open, ret_pipe);
	struct stat st;
	*ret_pipe |= stat(arg + 1, &st) == 0 && !S_ISREG(st.st_mode);
	mem_free(open->v[--open->n]);
	strv_release(&words);
	buf_release(&content);
}

static struct cc_arg *add_arg(struct cc_args *args, const char *text)
{
	vec_room(args->v, args->n + 1, args->cap);
	struct cc_arg *arg = &args->v[args->n++];
	*arg = (struct cc_arg){.text = mem_strdup(text)};
	return arg;
}

// Signed overflow is defined. To clang 19 -f[no-]wrapv decides, else -f[no-]strict-overflow; to later ones, the last.
static bool wraps(const struct cc_args *args)
{
	unsigned wrap = 0, strict = 0;
	for (size_t i = 0; i < args->n; i++) {
		unsigned flags = args->v[i].flags;
		if (flags & (WRAP_ON | WRAP_OFF))
			wrap = flags;
		if (flags & (STRICT_ON | STRICT_OFF))
			strict = flags;
		if (CONFIG_LLVM_NUMBER > 19 && flags & (STRICT_ON | STRICT_OFF))
			wrap = 0;
	}
	return wrap ? (wrap & WRAP_ON) != 0 : (strict & STRICT_OFF) != 0;
}

// Sanitizers in force, in the order of the options; -fsanitize=fuzzer links libFuzzer.
static void note_sanitizers(struct cc_args *args, const struct cc_arg *arg)
{
	bool on = (arg->flags & SANITIZE) != 0;
	for (const char *s = arg->value; s; s = *s ? s + 1 : NULL) {
		size_t n = strcspn(s, ",");
		bool all = n == 3 && strncmp(s, "all", n) == 0;
		if (on)
			args->sanitized = true;
		if (all || (n == 6 && strncmp(s, "fuzzer", n) == 0))
			args->fuzzer = on;
		s += n;
	}
}

static void note_flags(struct cc_args *args, const struct cc_arg *arg, bool *other, bool *object, bool *partial)
{
	unsigned flags = arg->flags;
	*other |= (flags & MODE_OTHER) != 0;
	*object |= (flags & MODE_OBJECT) != 0;
	*partial |= (flags & MODE_PARTIAL) != 0;
	args->shared |= (flags & MODE_SHARED) != 0;
	args->is_static |= (flags & STATIC) != 0;
	if (flags & (NARROW | NARROW_NOT))
		args->narrow = (flags & NARROW) != 0;
	args->strict |= (flags & STRICT) != 0;
	if (flags & (OPTIMIZE | OPTIMIZE_NOT))
		args->optimize = (flags & OPTIMIZE) != 0;
	if (flags & OUTPUT)
		args->output = arg->value;
	args->only_files |= (flags & FILES_FOLLOW) != 0;
	args->bare |= (flags & BARE) != 0;
	if ((flags & TARGET) && arg->value)
		args->foreign = strncmp(arg->value, "x86_64", 6) != 0 || !strstr(arg->value, "linux");
	if (flags & (SANITIZE | SANITIZE_NOT))
		note_sanitizers(args, arg);
}

static void parse_words(struct cc_args *args, const struct strv *words)
{
	bool other = false, object = false, partial = false, inputs = false;
	const char *forced = NULL; // operand of the -x in force
	for (size_t i = 0; i < words->n; i++) {
		const char *text = words->v[i];
		if (!args->only_files && cc_gcc_only(text)) {
			strv_push(&args->dropped, text);
			continue;
		}
		strv_push(&args->native, text);
		struct cc_arg *arg = add_arg(args, text);
		if (args->only_files || text[0] != '-' || text[1] == 0) {
			inputs = true;
			arg->input = true;
			arg->forced = forced ? mem_strdup(forced) : NULL;
			arg->language = forced ? language_of_x(forced) : language_of_name(text);
			arg->header = is_header(text, forced);
			other |= arg->header; // a precompiled header
			if (arg->language != LANG_NONE)
				args->sources++;
			continue;
		}
		const struct option *o = find_option(text);
		if (!o)
			continue;
		arg->flags = o->flags;
		size_t n = strlen(o->spelling);
		if (o->form != EXACT && o->form != SEPARATE_AFTER && text[n]) {
			arg->value = mem_strdup(text + n);
		} else if (o->form != EXACT && o->form != PREFIX && i + 1 < words->n) {
			arg->value = mem_strdup(words->v[++i]);
			arg->separate = true;
			strv_push(&args->native, arg->value);
		}
		if (arg->flags & LANGUAGE)
			forced = arg->value && strcmp(arg->value, "none") != 0 ? arg->value : NULL;
		note_flags(args, arg, &other, &object, &partial);
	}
	args->wraps = wraps(args);
	if (other || !inputs)
		args->mode = CC_OTHER;
	else
		args->mode = object ? CC_OBJECT : partial ? CC_PARTIAL : CC_LINK;
}

int cc_args_parse(struct cc_args *ret, int argc, char **argv, struct err *err)
{
	struct cc_args args = {0};
	struct strv words = {0}, open = {0};
	bool pipe = false; // a response file that cannot be read again
	for (int i = 1; i < argc; i++)
		expand(argv[i], &words, &open, &pipe);
	strv_release(&open);
	parse_words(&args, &words);
	strv_release(&words);
	if (!args.dropped.n && !pipe) { // as it was given: an expanded response file may be too long
		strv_release(&args.native);
		for (int i = 1; i < argc; i++)
			strv_push(&args.native, argv[i]);
	}
	for (size_t i = 0; i < args.n; i++)
		if ((args.v[i].flags & OUTPUT) && !args.v[i].value) {
			cc_args_release(&args);
			return err_set(err, "argument to -o is missing");
		}
	*ret = args;
	return 0;
}

void cc_args_add(struct cc_args *args, const char *option, const char *value, unsigned flags)
{
	struct cc_arg *arg = add_arg(args, option);
	arg->value = mem_strdup(value);
	arg->separate = true;
	arg->added = true;
	arg->flags = flags;
}

void cc_args_release(struct cc_args *args)
{
	for (size_t i = 0; i < args->n; i++) {
		mem_free(args->v[i].text);
		mem_free(args->v[i].value);
		mem_free(args->v[i].forced);
	}
	mem_free(args->v);
	strv_release(&args->native);
	strv_release(&args->dropped);
	*args = (struct cc_args){0};
}
