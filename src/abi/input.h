// Kinds of input (abi/inputs.def), and what a symbolic byte is of its input.
#ifndef VEER_ABI_INPUT_H
#define VEER_ABI_INPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum input_kind {
#define INPUT(NAME, form, named, words, source) INPUT_##NAME,
#include "abi/inputs.def"
#undef INPUT
};

enum {
	INPUT_KINDS = 0
#define INPUT(NAME, form, named, words, source) +1
#include "abi/inputs.def"
#undef INPUT
};

enum input_form { INPUT_FORM_STRING, INPUT_FORM_CONTENT, INPUT_FORM_FIXED };

// Which of an input's properties some symbolic bytes are.
enum input_role {
	INPUT_BYTES,    // its content
	INPUT_LENGTH,   // 4 bytes: how long it is
	INPUT_COUNT,    // 4 bytes: how many inputs of this kind there are; of arguments with the program's name
	INPUT_CONCRETE, // none: it is read and has no symbolic byte, see abi/launch.h
	INPUT_ROLES
};

struct input_type {
	uint8_t kind; // enum input_kind
	uint8_t role; // enum input_role
};

// Which input some symbolic bytes are of: the same in every run of the program.
struct input_source {
	struct input_type type;
	uint32_t ordinal; // among those of the same type and name, in the order in which a run comes to them
	const char *name; // "" where the kind has none
};

static inline enum input_form input_form(unsigned kind)
{
	static const uint8_t forms[] = {
#define INPUT(NAME, form, named, words, source) INPUT_FORM_##form,
#include "abi/inputs.def"
#undef INPUT
	};
	return (enum input_form)forms[kind];
}

static inline bool input_has_name(unsigned kind)
{
	static const uint8_t names[] = {
#define INPUT(NAME, form, named, words, source) named,
#include "abi/inputs.def"
#undef INPUT
	};
	return names[kind];
}

static inline const char *input_words(unsigned kind)
{
	static const char *const all[] = {
#define INPUT(NAME, form, named, words, source) words,
#include "abi/inputs.def"
#undef INPUT
	};
	return all[kind];
}

// The word after --sym that makes all inputs of the kind symbolic; "": none.
static inline const char *input_source_word(unsigned kind)
{
	static const char *const all[] = {
#define INPUT(NAME, form, named, words, source) source,
#include "abi/inputs.def"
#undef INPUT
	};
	return all[kind];
}

static inline bool input_is_string(struct input_type t)
{
	return t.role == INPUT_BYTES && input_form(t.kind) == INPUT_FORM_STRING;
}

static inline bool input_is_content(struct input_type t)
{
	return t.role == INPUT_BYTES && input_form(t.kind) == INPUT_FORM_CONTENT;
}

static inline bool input_is_object(struct input_type t)
{
	return t.role == INPUT_BYTES && input_form(t.kind) == INPUT_FORM_FIXED;
}

static inline struct input_source input_source(enum input_kind kind, enum input_role role, uint32_t ordinal,
                                               const char *name)
{
	return (struct input_source){{(uint8_t)kind, (uint8_t)role}, ordinal, name};
}

// A length or a count.
static inline bool input_is_number(struct input_type t)
{
	return t.role == INPUT_LENGTH || t.role == INPUT_COUNT;
}

// Whether both are of one input, whichever of its properties they are.
static inline bool input_is_same(struct input_source a, struct input_source b)
{
	return a.type.kind == b.type.kind && a.ordinal == b.ordinal && strcmp(a.name, b.name) == 0;
}

// For people and for SMT-LIB: what kind of bytes these are.
static inline const char *input_type_words(struct input_type t)
{
	static const char *const forms[] = {"string", "content", "object"}, *const roles[] = {"", "length", "count",
	                                                                                      "concrete"};
	return t.role == INPUT_BYTES ? forms[input_form(t.kind)] : roles[t.role];
}

enum { INPUT_LABEL_MORE = 32 }; // how much longer than its name a label is, at most, with the NUL

// What people call it: argv[1], argc, stdin, the name of a file, length(stdin); x and x_1 for two objects x.
static inline void input_label(struct input_source s, char *to, size_t size)
{
	bool length = s.type.role == INPUT_LENGTH;
	const char *name = s.type.kind == INPUT_STDIN                ? "stdin"
	                   : s.type.kind == INPUT_SOCKET             ? "socket"
	                   : s.type.kind == INPUT_CELL && !s.name[0] ? "frame"
	                                                             : s.name;
	const char *before = length ? "length(" : "", *behind = length ? ")" : "";
	if (s.type.role == INPUT_COUNT)
		snprintf(to, size, "argc");
	else if (s.type.kind == INPUT_ARGUMENT)
		snprintf(to, size, "%sargv[%u]%s", before, s.ordinal, behind);
	else if (s.ordinal)
		snprintf(to, size, "%s%s_%u%s", before, name, s.ordinal, behind);
	else
		snprintf(to, size, "%s%s%s", before, name, behind);
}

#endif
