/* What a program may tell veer. Only the traced variant has these functions; they are
 * weak, so in every other build their address is null:
 *
 *     if (veer_make_symbolic)
 *             veer_make_symbolic(&x, sizeof x, "x");
 */
#ifndef VEER_H
#define VEER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes at `data` are input: veer looks for other values of them. They keep the
 * value they have; `name` is how results call them. */
void veer_make_symbolic(void *data, size_t size, const char *name) __attribute__((weak));

/* The bytes keep their value, but it no longer counts as computed from the input. */
void veer_make_concrete(void *data, size_t size) __attribute__((weak));

/* 1 when one of the bytes depends on the input. */
int veer_is_symbolic(const void *data, size_t size) __attribute__((weak));

/* Only runs with condition != 0 are of interest: any other run ends here, with status 0. */
void veer_assume(uintptr_t condition) __attribute__((weak));

/* Of the inputs that take a path, those with condition != 0 are preferred. */
void veer_prefer(uintptr_t condition) __attribute__((weak));

/* Size of the variable, heap block or mapping that starts there; 0 when none does. In runs
 * that are not recorded only variables are known. */
#define VEER_UNKNOWN ((size_t)-1)
size_t veer_object_size(const void *start) __attribute__((weak));

#ifdef __cplusplus
}
#endif

#endif
