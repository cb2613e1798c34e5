// The command line of a compiler, understood as far as veer-cc needs it.
// Options are single-sourced in options.def, gcc_only.def, linker_options.def.
#ifndef VEER_CC_ARGS_H
#define VEER_CC_ARGS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

enum option_flags {
	NO_BITCODE = 1 << 0,
	NO_LINK = 1 << 1,
	MODE_OBJECT = 1 << 2,
	MODE_OTHER = 1 << 3,
	MODE_SHARED = 1 << 4,
	MODE_PARTIAL = 1 << 5,
	OUTPUT = 1 << 6,
	LANGUAGE = 1 << 7,
	NARROW_NOT = 1 << 8,
	OPTIMIZE = 1 << 10,
	OPTIMIZE_NOT = 1 << 11,
	STATIC = 1 << 12,
	NARROW = 1 << 13,
	LIBRARY = 1 << 14,
	LIBRARY_FOLDER = 1 << 15,
	LINKER_LIST = 1 << 16,
	LINKER_WORD = 1 << 17,
	LINKER_SCRIPT = 1 << 18,
	LINKER_KEYWORD = 1 << 19,
	STRICT = 1 << 20,
	WRAP_ON = 1 << 21,
	WRAP_OFF = 1 << 22,
	STRICT_ON = 1 << 23, // -fstrict-overflow; counts only when there is no -f[no-]wrapv
	STRICT_OFF = 1 << 24,
	BARE = 1 << 25, // no libc is linked
	SANITIZE = 1 << 26,
	SANITIZE_NOT = 1 << 27,
	TARGET = 1 << 28,
	FILES_FOLLOW = 1 << 29,
};

enum language { LANG_NONE, LANG_C, LANG_ASSEMBLER, LANG_OTHER }; // C: also LLVM's IR; OTHER: C++, Objective-C ...

struct cc_arg {
	char *text;             // as it stands
	char *value;            // the option's value, joined or not; NULL when it has none
	bool separate;          // the value was an argument of its own
	unsigned flags;         // enum option_flags
	bool input;             // a file name, or "-" for standard input
	bool header;            // an input that is a header, to be precompiled
	bool added;             // by veer-cc, not by the user
	enum language language; // of an input; LANG_NONE for what goes to the linker
	char *forced;           // of an input: the operand of the -x in force, or NULL
};

enum cc_mode {
	CC_OTHER,   // preprocess, assemble, print information: nothing for veer-cc to do
	CC_OBJECT,  // -c
	CC_LINK,    // an executable or a shared library
	CC_PARTIAL, // -r
};

struct cc_args {
	struct cc_arg *v;
	size_t n, cap;
	struct strv native;  // the arguments for the native compiler
	struct strv dropped; // gcc-only options that were left out of it
	enum cc_mode mode;
	const char *output; // NULL: the compiler's default
	size_t sources;     // inputs that are compiled or assembled
	bool shared, is_static, optimize, narrow, strict, wraps;
	bool only_files; // what follows "--" on the native command line
	bool bare;       // an executable that gets no libc
	bool foreign;    // for another processor or system
	bool sanitized;  // native objects have a sanitizer's or a fuzzer's instrumentation
	bool fuzzer;     // the native program is linked with libFuzzer, which has a main()
};

// Parses argv[1..]; response files are expanded. The native arguments stay as
// they were given, but for gcc-only options.
int cc_args_parse(struct cc_args *ret, int argc, char **argv, struct err *err);
// Appends an option whose value is an argument of its own, but not to the native arguments.
void cc_args_add(struct cc_args *args, const char *option, const char *value, unsigned flags);
void cc_args_release(struct cc_args *args);

// True when clang rejects an option that gcc knows.
bool cc_gcc_only(const char *option);

enum linker_form { ALONE, VALUE, STARTS };
enum linker_action { KEEP, READS, DROP, STRICT_SYMBOLS };

struct linker_option {
	const char *name;
	enum linker_form form;
	enum linker_action action;
};

// The entry for a linker word such as "--version-script=x" or "-Map"; NULL when
// there is none. *ret_value gets what follows "=", or NULL.
const struct linker_option *cc_linker_option(const char *word, const char **ret_value);

#endif
