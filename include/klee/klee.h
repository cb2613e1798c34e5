/* KLEE's interface for programs, as veer understands it. A program that was written for
 * KLEE compiles with veer-cc as it is; no -I and no library are needed. Natively the
 * program runs with the values it has; its traced variant records where they go.
 *
 * Differences to KLEE: a run has one path and concrete values, so the functions that steer
 * how KLEE explores (klee_set_forking, klee_open_merge ...) change nothing.
 */
#ifndef KLEE_H
#define KLEE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/cdefs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes at `addr` are input. They keep the value they have. */
void klee_make_symbolic(void *addr, size_t nbytes, const char *name);

/* Input values: any int; one in [begin, end), natively `begin`; one in [0, n), natively 0. */
int klee_int(const char *name);
int klee_range(int begin, int end, const char *name);
uintptr_t klee_choose(uintptr_t n);

/* Runs for which the condition does not hold are of no interest: the program ends there,
 * silently, with status 0. Write (a & b), not (a && b): that would be two branches. */
void klee_assume(uintptr_t condition);

/* Inputs for which the condition holds are to be preferred; nothing is required. */
void klee_prefer_cex(void *object, uintptr_t condition);
void klee_posix_prefer_cex(void *object, uintptr_t condition);

/* As assert(), whatever NDEBUG says. */
#define klee_assert(expr) ((expr) ? (void)0 : __assert_fail(#expr, __FILE__, __LINE__, __PRETTY_FUNCTION__))
extern void __assert_fail(const char *assertion, const char *file, unsigned int line, const char *function) __THROW
	__attribute__((__noreturn__));

/* 1 when the value depends on the input; 0 in every run but a traced one. */
unsigned klee_is_symbolic(uintptr_t n);
/* 1 when this is not a traced run: all values are concrete then. */
unsigned klee_is_replay(void);

/* The value as a constant; what is computed from it no longer depends on the input. */
float klee_get_valuef(float expr);
double klee_get_valued(double expr);
long klee_get_valuel(long expr);
long long klee_get_valuell(long long expr);
int32_t klee_get_value_i32(int32_t expr);
int64_t klee_get_value_i64(int64_t expr);

/* Ending the run. */
void klee_silent_exit(int status) __attribute__((__noreturn__));
void klee_abort(void) __attribute__((__noreturn__));
void klee_report_error(const char *file, int line, const char *message, const char *suffix)
	__attribute__((__noreturn__));

/* Messages, on standard error. klee_print_expr takes one integer or pointer
 * and prints 64 bits. */
void klee_warning(const char *message);
void klee_warning_once(const char *message);
void klee_print_expr(const char *msg, ...);
void klee_print_range(const char *name, int arg);
void klee_stack_trace(void);

/* Memory. The size is known for blocks of the heap only: what was asked for in the sanitized
 * variant, what is usable elsewhere. An access that is not allowed ends the program. */
size_t klee_get_obj_size(void *ptr);
void klee_check_memory_access(const void *address, size_t size);
void klee_define_fixed_object(void *addr, size_t nbytes);

int klee_get_errno(void);

/* These tell KLEE how to explore; here they change nothing. */
void klee_set_forking(unsigned enable);
void klee_mark_global(void *object);
void klee_open_merge(void);
void klee_close_merge(void);

/* Not possible in a compiled program: ends it with a message. */
void klee_alias_function(const char *fn_name, const char *new_fn_name);

#ifdef __cplusplus
}
#endif

#endif
