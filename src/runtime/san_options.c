// Options of AddressSanitizer in the sanitized variant. Linked into every
// executable, since the sanitizer asks for them before any shared object runs.
#include "config.h"
#include "runtime/san_run.h"

const char *__asan_default_options(void);

#define ALWAYS                                                                                                         \
	"abort_on_error=1:"                                                                                            \
	"detect_leaks=0:"              /* leaks are not looked for */                                                  \
	"allocator_may_return_null=1:" /* a huge malloc is for the program to handle */                                \
	"redzone=128:"                 /* accesses that miss their object by more are still seen */                    \
	"detect_odr_violation=0:"      /* the same unit may be in a program and in its library */

// The oracle reads the lines of the source from addresses itself: it does so once for thousands of runs, and outside
// of the program. Signals: see san_signal.c.
#define FOR_ORACLE "symbolize=0:color=never:handle_abort=1:handle_sigill=1:handle_sigtrap=1"

__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
	return san_is_oracle() ? ALWAYS FOR_ORACLE : ALWAYS "external_symbolizer_path=" CONFIG_SYMBOLIZER;
}

#ifdef ENTERED // of fragment_sanitized: before a report is written (runtime/fragment/blocks.c)
void __veer_f_error(void);
void __asan_on_error(void);

__attribute__((visibility("default"))) void __asan_on_error(void)
{
	__veer_f_error();
}
#endif
