// What models of libc functions are written with; docs/MODELS.md says how.
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
void model_give(const void *self, label l, eval_value value, unsigned width);

// An argument that the model takes as it is in this run.
static inline void model_concrete(struct site *site, label l, uint64_t value, enum trace_reason reason)
{
	rt_concrete(site, l, value, reason);
}

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

// The bytes of a string, and those it would have if it were longer: behind the terminator
// of an argument come bytes that are not in memory, inputs with the value 0.
struct model_string {
	const char *at;
	uint64_t length; // in this run
	uint64_t bytes;  // that can be asked for: up to the terminator, and what may follow
	uint32_t input;  // that continues it, or RT_NO_INPUT
	uint32_t offset; // of the terminator in that input
	bool labelled;   // one of its bytes is
};

struct model_string model_string(const char *s, uint64_t limit); // at most `limit` bytes are looked at
struct sym model_string_byte(const struct model_string *s, uint64_t i);

enum { MODEL_CONTINUE = 64 }; // bytes that a string may become longer by

#endif
