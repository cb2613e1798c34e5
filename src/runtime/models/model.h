// What models of libc functions are written with; docs/developers/MODELS.md says how.
//
//	MODEL(int, strcmp, const char *a, const char *b)
//	{
//		ENTER(strcmp, 2);               // labels of the arguments: arg[0], arg[1]
//		int r = strcmp(a, b);           // the real one
//		label l = ...;                  // what r is in terms of the input
//		return GIVE(strcmp, r, l);
//	}
//
// The real function does what it does; the model only says what the result and the
// memory it wrote are in terms of the input. Models are not instrumented. Those that
// are easier to write as plain C that is instrumented are in src/runtime/models/c.
#ifndef VEER_RUNTIME_MODELS_MODEL_H
#define VEER_RUNTIME_MODELS_MODEL_H

#include "runtime/trace/calls.h"
#include "runtime/trace/rt.h"

#define MODEL(result, name, ...)                                                                                       \
	__attribute__((visibility("default"))) result veer_model_##name(__VA_ARGS__);                                  \
	result veer_model_##name(__VA_ARGS__)

// First in a model: takes the labels of the first n arguments, and where it is called.
#define ENTER(name, n)                                                                                                 \
	label arg[(n) + 1];                                                                                            \
	struct site *site = model_enter((const void *)veer_model_##name, n, arg);                                      \
	(void)arg;                                                                                                     \
	(void)site

// Last: returns the value with its label.
#define GIVE(name, value, l)                                                                                           \
	__extension__({                                                                                                \
		__typeof__(value) give_ = (value);                                                                     \
		model_give((const void *)veer_model_##name, l, (eval_value)give_, 8 * sizeof give_);                   \
		give_;                                                                                                 \
	})

struct site *model_enter(const void *self, unsigned n, label *arg);
// Before a call of another function of the runtime that takes labels.
void model_pass(const void *callee, struct site *site, unsigned n, const label *arg);
void model_give(const void *self, label l, eval_value value, unsigned width);

// The path goes on with this name of a file, which is there.
void model_keep_name(struct site *site, const char *path);
// It failed with errno set. When nothing has that name: a name that is there is another way to go on.
void model_miss_name(struct site *site, const char *path);

// --- expressions: 0 stands for no label; a constant is made where one is missing -----------

// A value with its label, which is 0 when it does not depend on the input.
struct sym {
	uint64_t value;
	label l;
	unsigned width;
};

struct sym sym_constant(unsigned width, uint64_t value);
struct sym sym_of(label l, unsigned width, uint64_t value);
struct sym sym_byte(const void *address); // what is in memory there
struct sym sym_load(const void *address, unsigned size);

// The result's value is computed, too, so what is built can be checked against libc's.
struct sym sym_binary(unsigned op, struct sym a, struct sym b); // OP_ADD ...
struct sym sym_not(struct sym a);
struct sym sym_and(struct sym a, struct sym b);
struct sym sym_or(struct sym a, struct sym b);
struct sym sym_equal(struct sym a, struct sym b);
struct sym sym_is(struct sym a, uint64_t value); // a == value
struct sym sym_choose(struct sym condition, struct sym yes, struct sym no);
struct sym sym_extend(struct sym a, unsigned width); // with zeros
struct sym sym_extend_signed(struct sym a, unsigned width);
struct sym sym_cut(struct sym a, unsigned width);

// --- strings ------------------------------------------------------------------------------

// The bytes of a string, and those it would have if its terminator, an input byte, were
// another one: what follows in its object; behind the terminator of an argument, bytes
// that are not in memory, inputs with the value 0.
struct model_string {
	const char *at;
	uint64_t length; // in this run
	uint64_t memory; // bytes that are in memory
	uint64_t bytes;  // that can be asked for: up to the terminator, and what may follow
	uint32_t input;  // that continues it, or RT_NO_INPUT
	uint32_t offset; // of the terminator in that input
	bool labelled;   // one of its bytes is
	bool open;       // its object ends before it certainly does
};

struct model_string model_string(const char *s, uint64_t limit); // at most `limit` bytes are looked at
struct model_string model_memory(const void *at, uint64_t size); // bytes without an end
struct sym model_string_byte(const struct model_string *s, uint64_t i);

// The first `n` bytes of a text are read, so its object has them. Nothing is checked when the last of them is input:
// then the text may end before.
void model_reads(struct site *site, const char *text, uint64_t n);

enum { MODEL_CONTINUE = 64 }; // bytes that a string may become longer by
enum { MODEL_OBJECT = 256 };  // that are looked at behind a terminator in memory

// --- searching -------------------------------------------------------------------------------

// A first or last place in a text, as one expression: searched for is the i for which
// hit(search, i) holds.
struct model_search {
	struct site *site;
	const char *name; // of the function
	struct model_string text;
	struct sym (*hit)(const struct model_search *s, uint64_t i);
	bool stops;      // at the terminator
	uint64_t base;   // the result is base + i,
	uint64_t none;   // or this
	uint64_t real;   // what it is in this run
	unsigned effort; // of hit(), in bytes
	// For hit():
	struct sym byte;
	const struct model_set *set;
	struct model_string needle;
	bool fold; // case does not matter
};

// 64 bits wide. When the text is too long for an expression, a constant, and the path says
// so. What depends on the text is marked as a position.
struct sym model_first(const struct model_search *s);
struct sym model_last(const struct model_search *s);

// Lengths of a string, as such a search.
struct sym model_length(struct site *site, const char *name, const struct model_string *s);

// The first byte of a string that is in a set; or is, or is the terminator; or is not.
enum model_in { MODEL_IN, MODEL_IN_OR_END, MODEL_OUT };
struct sym model_in_set(struct site *site, const char *name, const char *s, const char *bytes, uint64_t base,
                        uint64_t real, enum model_in how);

// What a single byte is compared with, in some functions.
struct sym model_fold(struct sym c);                          // lower case, of ASCII
struct sym model_same(struct sym a, struct sym b, bool fold); // are they equal?
bool model_folds_ascii(void);                                 // does case mean that of ASCII in the current locale?
bool model_folds_ascii_in(const void *locale);
bool model_collates_bytes(void); // is the order of strings that of their bytes?

#endif
