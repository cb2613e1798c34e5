// Models that are plain C, instrumented when veer is built: their branches are branches
// of the path, like those of the program. A call of a libc function in here is one of the
// real function, without labels.
//
//	MODEL(long, strtol, const char *s, char **end, int base)
//	{
//		if (!is_symbolic_string(s) && !IS_SYMBOLIC(base))
//			return strtol(s, end, base); // nothing to carry across: as fast as ever
//		...
//	}
#ifndef VEER_RUNTIME_MODELS_C_MODEL_C_H
#define VEER_RUNTIME_MODELS_C_MODEL_C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL(result, name, ...)                                                                                       \
	__attribute__((visibility("default"))) result veer_model_##name(__VA_ARGS__);                                  \
	result veer_model_##name(__VA_ARGS__)

int veer_is_symbolic(const void *data, size_t size);
void veer_make_concrete(void *data, size_t size); // forgets labels

#define IS_SYMBOLIC(variable) veer_is_symbolic(&(variable), sizeof(variable))

// Is one of its bytes, terminator included?
bool model_is_symbolic_string(const char *s);

// A variable that the program asks for becomes input, if it is to be. Returns `value`, which may be NULL.
char *model_variable(char *value);

// The value without its label; the path keeps the equation, as an event with the reason
// "argument of a library function".
uint64_t model_concretise(uint64_t value);

// The truth of a condition, by a branch of the path: what it gives has no label.
#define DECIDE(condition)                                                                                              \
	__extension__({                                                                                                \
		bool decided_ = false;                                                                                 \
		if (condition)                                                                                         \
			decided_ = true;                                                                               \
		decided_;                                                                                              \
	})

#endif
