// veer doctor: what is installed, what is missing, how to get it.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/confine.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "cli/options.h"
#include "config.h"
#include "record/interpose.h"
#include "sandbox/hidden.h"
#include "sandbox/sandbox.h"
#include "variants/build.h"

static int problems;

static void good(const char *what, const char *detail)
{
	cli_line(stdout, "  ok       %-22s %s", what, detail);
}

static void bad(const char *what, const char *detail, const char *remedy)
{
	cli_line(stdout, "  missing  %-22s %s", what, detail);
	cli_line(stdout, "           %-22s -> %s", "", remedy);
	problems++;
}

static void check_program(const char *what, const char *name, const char *remedy)
{
	char *path = path_find_program(name);
	if (path)
		good(what, path);
	else
		bad(what, name, remedy);
	mem_free(path);
}

// Compiles, links and runs a one-line program with AddressSanitizer: the only
// way to know that headers, linker and sanitizer runtime are all there.
static void check_sanitizer(const char *clang)
{
	char folder[] = "/tmp/veer-doctor-XXXXXX";
	if (!mkdtemp(folder)) {
		bad("temporary folder", "/tmp", "make /tmp writable");
		return;
	}
	char *source = mem_printf("%s/a.c", folder), *program = mem_printf("%s/a", folder);
	static const char text[] = "#include <stdio.h>\nint main(void) { return puts(\"\") < 0; }\n";
	struct err err;
	int status = 127;
	if (file_replace(source, text, sizeof text - 1, 0644, &err) == 0) {
		char *compile[] = {(char *)clang, "-fsanitize=address", source, "-o", program, NULL};
		char *start[] = {program, NULL};
		FILE *null = fopen("/dev/null", "w");
		int sink = null ? fileno(null) : -1;
		pid_t pid = process_start(compile, NULL, -1, sink, sink, &err);
		status = pid < 0 ? 127 : process_wait(pid, NULL);
		if (status == 0) {
			pid = process_start(start, NULL, -1, sink, sink, &err);
			status = pid < 0 ? 127 : process_wait(pid, NULL);
		}
		if (null)
			fclose(null);
	}
	if (status == 0)
		good("sanitizer runtime", "a program with AddressSanitizer compiles and runs");
	else
		bad("sanitizer runtime", "a program with AddressSanitizer does not compile or run",
		    "apt-get install libclang-rt-" CONFIG_LLVM_MAJOR "-dev libc6-dev binutils");
	file_remove_tree(folder);
	mem_free(source);
	mem_free(program);
}

// Exploring needs one of the two; the second is worth knowing of only when the first does not work.
static void say_hidden(void)
{
	struct buf paths = {0}, variables = {0};
	hidden_describe(&paths, &variables);
	good("hidden from runs: files", paths.data);
	good("hidden from runs: variables", variables.data);
	buf_release(&paths);
	buf_release(&variables);
}

// What of its promises the sandbox does not keep on this machine.
static char *find_less(void)
{
	char folder[] = "/tmp/veer-doctor-XXXXXX", *ret = NULL, text[4096];
	struct sandbox s;
	struct err err;
	int told[2];
	if (!mkdtemp(folder) || pipe2(told, O_CLOEXEC) < 0)
		return NULL;
	pid_t pid = sandbox_fork(&s, SANDBOX_NAMESPACES, NULL, folder, "/", &err);
	if (pid == 0) {
		ssize_t n = s.less ? write(told[1], s.less, strlen(s.less)) : 0;
		sandbox_leave(&s);
		_exit(n < 0);
	}
	close(told[1]);
	ssize_t n = pid > 0 ? read(told[0], text, sizeof text) : 0;
	close(told[0]);
	if (pid > 0)
		process_wait(pid, NULL);
	if (n > 0)
		ret = mem_copy(text, (size_t)n);
	file_remove_tree(folder);
	return ret;
}

static void check_sandbox(void)
{
	struct buf why = {0}, other = {0};
	if (sandbox_works(SANDBOX_NAMESPACES, &why)) {
		char *less = find_less(), *text = mem_printf("namespaces%s%s", less ? "; " : "", less ? less : "");
		good("sandbox", text);
		mem_free(less);
		mem_free(text);
	} else if (sandbox_works(SANDBOX_LANDLOCK, &other))
		bad("sandbox: namespaces", "Landlock is used instead: runs can write to a copy of their folder only",
		    why.data);
	else
		bad("sandbox", other.data, why.data);
	buf_release(&why);
	buf_release(&other);
}

// Not missing: veer works without.
static void check_confinement(void)
{
	if (confine_works())
		good("compilers, LLVM", "confined by Landlock when they read what others built");
	else
		cli_line(stdout, "  note     %-22s %s", "compilers, LLVM",
		         "not confined: the kernel has no Landlock; use a container for programs that others built");
}

static int run(int argc, char **argv)
{
	struct err err;
	int first = options_parse(&command_doctor, argc, argv, NULL, &err);
	if (first == -2)
		return 0;
	if (first < 0)
		return cli_usage_error(&command_doctor, err.text);
	if (first < argc)
		return cli_usage_error(&command_doctor, "unexpected argument");
	printf("veer %s, built with LLVM %s\n", CONFIG_VERSION, CONFIG_LLVM_VERSION);
	char *clang = compiler_find(false, &err);
	if (clang) {
		good("C compiler", clang);
		check_sanitizer(clang);
	} else {
		bad("C compiler", err.text, "apt-get install clang-" CONFIG_LLVM_MAJOR);
	}
	mem_free(clang);
	check_program("linker", "ld", "apt-get install binutils");
	check_program("archiver", "ar", "apt-get install binutils");
	check_program("symbolizer", CONFIG_SYMBOLIZER,
	              "apt-get install llvm-" CONFIG_LLVM_MAJOR " (reports lack source lines without it)");
	struct toolchain tools;
	if (toolchain_find(&tools, &err) < 0) {
		bad("parts of veer", err.text, "install veer again");
	} else {
		good("parts of veer", tools.worker);
		toolchain_release(&tools);
	}
	struct cache cache;
	if (cache_open(&cache, &err) < 0) {
		bad("cache", err.text, "set VEER_CACHE_DIR to a folder you can write to");
	} else {
		char *text = mem_printf("%s, %.1f MiB", cache.root, (double)cache_size(&cache) / (1 << 20));
		good("cache", text);
		mem_free(text);
		cache_close(&cache);
	}
	if (interpose_possible(&err) < 0)
		bad("tracing", err.text,
		    "in a container: docker run --cap-add=SYS_PTRACE --security-opt seccomp=unconfined");
	else
		good("tracing", "ptrace and seccomp filters are allowed");
	check_sandbox();
	check_confinement();
	say_hidden();
	printf(problems ? "%d missing\n" : "everything is there\n", problems);
	return problems ? EXIT_FAIL : 0;
}

const struct command command_doctor = {
	.name = "doctor",
	.usage = "",
	.summary = "check the installation; name what is missing and how to get it",
	.details = "Exits with 1 when something is missing.\n",
	.run = run,
};
