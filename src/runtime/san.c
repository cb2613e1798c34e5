// The runtime of the sanitized variant: one shared object per process. Takes the
// reports of undefined behaviour, and tells AddressSanitizer where to write its own.
//
// `veer run` starts a variant as RUN/x/N/NAME, and the kernel tells a program
// the path it was started as. When RUN/reports exists, reports go there: the
// program's own output stays as it was, and no variable, no descriptor and no
// argument has to pass through the harness. Otherwise they go to standard error.
//
// Depends on libc and abi only. Called from anywhere in a program, so it
// allocates nothing and keeps errno.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/site.h"
#include "runtime/fragment/fragment.h"
#include "runtime/san_run.h"
#include "runtime/serve/serve.h"

char san_reports[PATH_MAX];
static bool is_oracle;

__attribute__((visibility("default"))) int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
                                                             void (*init)(void), void (*fini)(void),
                                                             void (*rtld_fini)(void), void *stack_end);
extern void __sanitizer_set_report_path(const char *path) __attribute__((weak));
extern void __sanitizer_symbolize_pc(void *pc, const char *format, char *out, size_t size) __attribute__((weak));

static const struct {
	uint32_t kind;
	const char *id, *text;
} kinds[] = {
#define UBSAN_TRAP(number, NAME, id, text) {number, id, text},
#include "abi/ubsan.def"
#define FLOAT_CHECK(number, NAME, id, text) {number, id, text},
#include "abi/checks.def"
};

static const char *kind_id(uint32_t kind)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].kind == kind)
			return kinds[i].id;
	return "undefined-behaviour";
}

static const char *kind_text(uint32_t kind)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].kind == kind)
			return kinds[i].text;
	return "undefined behaviour";
}

// Where reports go. The folder may be a link: a run that changes its view of the file system finds the same path there.
static void find_reports(const char *run)
{
	char path[PATH_MAX + 16], real[PATH_MAX];
	struct stat st;
	snprintf(path, sizeof path, "%s/reports", run);
	if (!realpath(path, real) || strlen(real) > sizeof san_reports - 32 || stat(real, &st) < 0 ||
	    !S_ISDIR(st.st_mode) || access(real, W_OK) < 0)
		return;
	strcpy(san_reports, real);
	if (!__sanitizer_set_report_path)
		return;
	snprintf(path, sizeof path, "%s/address", san_reports);
	__sanitizer_set_report_path(path); // it adds the process id
}

// What the sanitizer makes before its first report (megabytes of memory of its own, the list of modules) is made once,
// by the server. Each run that fails would make it anew.
static void warm_up(void)
{
	char place[256];
	if (__sanitizer_symbolize_pc)
		__sanitizer_symbolize_pc(__builtin_return_address(0), "%p %m", place, sizeof place);
}

__attribute__((constructor(102))) static void start(void)
{
	char run[PATH_MAX];
	int saved = errno;
	if (serve_find_run(run)) {
		find_reports(run);
		is_oracle = san_is_oracle();
		if (is_oracle)
			san_take_signals();
		int ask = serve_open(run);
		if (is_oracle && ask >= 0)
			warm_up();
		errno = saved;
		if (ask >= 0)
			serve(ask);
	}
	if (errno != saved)
		errno = saved;
}

static int enter_fragment(int argc, char **argv, char **env)
{
	(void)argc, (void)argv, (void)env;
	fragment_run();
}

// The program's main gets what the run was given.
__attribute__((visibility("default"))) int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
                                                             void (*init)(void), void (*fini)(void),
                                                             void (*rtld_fini)(void), void *stack_end)
{
	typeof(__libc_start_main) *libc_start;
	*(void **)&libc_start = dlsym(RTLD_NEXT, "__libc_start_main");
	return libc_start(launch_fragment() ? enter_fragment : main, launch_argv ? launch_argc : argc,
	                  launch_argv ? launch_argv : argv, init, fini, rtld_fini, stack_end);
}

static void report(struct site *site)
{
	int saved = errno;
	char line[2 * PATH_MAX];
	int n, fd = 2;
	if (fragment && site->kind == UBSAN_NULL_POINTER) // that a made-up pointer is not null is assumed
		return;
	if (san_reports[0]) {
		snprintf(line, sizeof line, "%s/undefined", san_reports);
		fd = open(line, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
		n = snprintf(line, sizeof line, "%s\t%s\t%u\t%u\t%s\n", kind_id(site->kind), site->file, site->line,
		             site->column, site->function);
	} else {
		n = snprintf(line, sizeof line, "%s:%u:%u: runtime error: %s (in %s)\n", site->file, site->line,
		             site->column, kind_text(site->kind), site->function);
	}
	if (fd >= 0 && n > 0) {
		ssize_t ignored = write(fd, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1);
		(void)ignored;
	}
	if (fd > 2)
		close(fd);
	errno = saved;
}

__attribute__((visibility("default"))) SAN_CALL void __veer_san_report(struct site *site)
{
	if (check_is_of_floats(site->kind) && !launch_floats)
		return;
	if (__atomic_exchange_n(&site->seen, 1, __ATOMIC_RELAXED) == 0)
		report(site);
}

__attribute__((visibility("default"))) SAN_CALL _Noreturn void __veer_san_fatal(struct site *site)
{
	report(site);
	if (is_oracle)
		signal(SIGABRT, SIG_DFL); // it is reported already
	abort();
}
