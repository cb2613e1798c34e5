#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "object/elf.h"
#include "object/frame.h"
#include "object/linkline.h"
#include "record/executables.h"
#include "test.h"

static int complaints;
static char last_path[PATH_MAX], last_why[2048];

static void complain(const char *path, const char *why)
{
	complaints++;
	snprintf(last_path, sizeof last_path, "%s", path);
	snprintf(last_why, sizeof last_why, "%s", why);
}

// A builder with a cache of its own and without tools that could build anything.
static struct cache cache;
static struct toolchain tools;
static struct builder builder = {.cache = &cache, .tools = &tools, .variant = "sanitized"};

static void open_builder(void)
{
	struct err err = {""};
	complaints = 0;
	setenv("VEER_CACHE_DIR", test_path("cache"), 1);
	CHECK_THAT(cache_open(&cache, &err) == 0, "%s", err.text);
	tools = (struct toolchain){.worker = test_path("no-worker"), .clang = test_path("no-clang")};
}

static struct executable *find(struct executables *t, const char *path)
{
	return executables_find(t, &builder, path, complain);
}

static void write_program(const char *path, const char *text)
{
	test_write_text(path, text);
	CHECK(chmod(path, 0755) == 0);
}

static char *copy_of_self(const char *name)
{
	struct bytes self = test_read("/proc/self/exe");
	char *path = test_path(name);
	test_write(path, self.data, self.size);
	CHECK(chmod(path, 0755) == 0);
	return path;
}

static void what_is_no_file(void)
{
	struct executables t = {0};
	CHECK(mkfifo(test_path("fifo"), 0777) == 0 && symlink("nowhere", test_path("dangling")) == 0);
	CHECK(!find(&t, test_path("missing")));
	CHECK(!find(&t, test_folder()));
	CHECK(!find(&t, test_path("fifo"))); // and does not wait for a writer
	CHECK(!find(&t, test_path("dangling")));
	CHECK(!find(&t, "/dev/null"));
	CHECK(!find(&t, ""));
	CHECK(!find(&t, "/proc/999999999/root/bin/sh"));
	executables_release(&t);
	executables_release(&t);
}

static void foreign_files(void)
{
	struct executables t = {0};
	open_builder();
	static const char *const texts[] = {"", "#", "#!", "# !", "text", "\177EL", "\177ELF", " #!/bin/sh\n"};
	for (size_t i = 0; i < COUNT(texts); i++) {
		char *path = test_path(test_printf("%zu", i));
		write_program(path, texts[i]);
		struct executable *x = find(&t, path);
		CHECK_THAT(x && !x->variant && !x->interpreter && !x->argument, "'%s'", texts[i]);
		if (strcmp(texts[i], "\177ELF") != 0) // a program cut off: that one may be complained about
			CHECK_THAT(x->state == EXECUTABLE_FOREIGN && !x->path, "'%s'", texts[i]);
	}
	complaints = 0;
	struct executable *self = find(&t, "/proc/self/exe"); // a program that veer-cc did not build
	CHECK(self && self->state == EXECUTABLE_FOREIGN);
	CHECK_INT(0, complaints);
	executables_release(&t);
	cache_close(&cache);
}

static void foreign_files_have_no_path(void)
{
	struct executables t = {0};
	open_builder();
	struct executable *self = find(&t, "/proc/self/exe");
	CHECK(self->state == EXECUTABLE_FOREIGN && !self->path);
	executables_release(&t);
	cache_close(&cache);
}

static void scripts(void)
{
	static const struct {
		const char *text, *interpreter, *argument;
	} cases[] = {
		{"#!/bin/sh\n", "/bin/sh", NULL},
		{"#!/bin/sh", "/bin/sh", NULL},
		{"#! /bin/sh\necho\n", "/bin/sh", NULL},
		{"#! \t /bin/sh \t \n", "/bin/sh", NULL},
		{"#!/bin/sh -e\n", "/bin/sh", "-e"},
		{"#!/bin/sh\t-e\n", "/bin/sh", "-e"},
		{"#!/usr/bin/env -S perl -w\n", "/usr/bin/env", "-S perl -w"}, // one argument
		{"#!/bin/sh  a  b  \n", "/bin/sh", "a  b"},
		{"#!sh -e\n", "sh", "-e"}, // relative to where it is run
		{"#!/bin/sh -e", "/bin/sh", "-e"},
		{"#!\n", NULL, NULL},
		{"#!  \t \n/bin/sh\n", NULL, NULL},
	};
	struct executables t = {0};
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *path = test_path(test_printf("%zu", i));
		write_program(path, cases[i].text);
		struct executable *x = find(&t, path);
		CHECK(x);
		CHECK_THAT((x->state == EXECUTABLE_SCRIPT) == !!cases[i].interpreter, "%s", cases[i].text);
		CHECK_STR(cases[i].interpreter, x->interpreter);
		CHECK_STR(cases[i].argument, x->argument);
	}
	executables_release(&t);
}

// What the kernel does with a script, told by this program as its interpreter.
enum { NOT_A_PROGRAM = 101, NO_INTERPRETER = 102 };
static const char teller[] = "tell"; // its name then

static int tell(int argc, char **argv) // interpreter [argument] script
{
	printf("%s\n%s%s\n", argv[0], argc > 2 ? "with " : "without", argc > 2 ? argv[1] : "");
	fflush(stdout);
	_exit(0);
}

static int run_script(const char *path, struct bytes *ret_said)
{
	int pipes[2], status;
	char text[2048];
	size_t n = 0;
	CHECK(pipe(pipes) == 0);
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(pipes[1], 1);
		char *const argv[] = {(char *)path, NULL};
		execve(path, argv, environ);
		_exit(errno == ENOEXEC                                         ? NOT_A_PROGRAM
		      : errno == ENOENT || errno == EACCES || errno == ENOTDIR ? NO_INTERPRETER
		                                                               : 103);
	}
	close(pipes[1]);
	for (ssize_t got; n < sizeof text && (got = read(pipes[0], text + n, sizeof text - n)) > 0;)
		n += (size_t)got;
	close(pipes[0]);
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	*ret_said = test_bytes(text, n);
	return WEXITSTATUS(status);
}

static void check_like_kernel(const void *text, size_t size, const char *what)
{
	struct executables t = {0};
	struct bytes said;
	char *path = test_path("script");
	test_write(path, text, size);
	CHECK(chmod(path, 0755) == 0);
	struct executable *x = find(&t, path);
	int result = run_script(path, &said);
	if (result == 0) {
		CHECK_THAT(x->state == EXECUTABLE_SCRIPT, "%s", what);
		char *ours = test_printf("%s\n%s%s\n", x->interpreter, x->argument ? "with " : "without",
		                         x->argument ? x->argument : "");
		CHECK_THAT(strcmp(ours, (char *)said.data) == 0, "%s: '%s', not '%s'", what, ours, (char *)said.data);
	} else if (result == NOT_A_PROGRAM) {
		CHECK_THAT(x->state == EXECUTABLE_FOREIGN, "%s: no script for the kernel", what);
	} else {
		CHECK_THAT(result == NO_INTERPRETER, "%s: %d", what, result);
		CHECK_THAT(x->state != EXECUTABLE_SCRIPT || access(x->interpreter, X_OK) < 0,
		           "%s: '%s' is not what the kernel looks for", what, x->interpreter);
	}
	executables_release(&t);
}

static char *make_teller(void)
{
	char self[PATH_MAX] = "";
	CHECK(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
	CHECK(symlink(self, test_path(teller)) == 0);
	return test_path(teller);
}

static void scripts_as_the_kernel_sees_them(void)
{
	char *interpreter = make_teller();
	static const char *const lines[] = {
		"#!%s\n",     "#!%s",     "#! %s\n",    "#!\t%s x\n",   "#!%s x y \t\n", "#!%s  x\n\n",
		"#!%s\n-x\n", "#!%s x",   "#!%s ",      "#! %s\t",      "#!%s \n",       "#!%sx\n",
		"#!%s\vx\n",  "#!%s\f\n", "#!%s x\v\n", "#!%s x\xff\n",
	};
	check_like_kernel("#! ", 3, "no interpreter at all");
	for (size_t i = 0; i < COUNT(lines); i++) {
		const char *place = strstr(lines[i], "%s"); // stands for the interpreter
		char *text = test_printf("%.*s%s%s", (int)(place - lines[i]), lines[i], interpreter, place + 2);
		check_like_kernel(text, strlen(text), lines[i]);
	}
}

static void scripts_with_carriage_returns(void)
{
	char *interpreter = make_teller();
	static const char *const ends[] = {"\r\n", " \r\n", " x\r\n", "\r", " x \r\n"};
	for (size_t i = 0; i < COUNT(ends); i++) {
		char *text = test_printf("#!%s%s", interpreter, ends[i]);
		check_like_kernel(text, strlen(text), test_printf("end %zu", i));
	}
}

// The kernel looks at 256 bytes.
static void scripts_with_long_lines(void)
{
	char *interpreter = make_teller();
	size_t start = strlen(interpreter) + 2;
	char *wrong = "";
	for (size_t length = 250; length < 262; length++)
		for (int newline = 0; newline < 2; newline++) {
			char *text = test_alloc(length + 1);
			sprintf(text, "#!%s ", interpreter);
			memset(text + start + 1, 'x', length - start - 1);
			if (newline)
				text[length - 1] = '\n';
			struct executables t = {0};
			struct bytes said;
			test_write(test_path("script"), text, length);
			CHECK(chmod(test_path("script"), 0755) == 0);
			struct executable *x = find(&t, test_path("script"));
			CHECK_INT(0, run_script(test_path("script"), &said));
			char *theirs = strchr((char *)said.data, '\n') + 1;
			if (!x->argument || strlen(theirs) != strlen(x->argument) + 6)
				wrong = test_printf("%s %zu%s", wrong, length, newline ? " with newline" : "");
			executables_release(&t);
		}
	CHECK_STR("", wrong);
	// An interpreter that is cut off is none.
	char *text = test_alloc(400);
	memset(text, 'y', 400);
	memcpy(text, "#!/", 3);
	check_like_kernel(text, 400, "cut off");
}

static void scripts_with_zero_bytes(void)
{
	char *interpreter = make_teller(), *text = test_alloc(200);
	static const char *const ends[] = {"\0x\n", "\0 x\n", " x\0y\n", " \0\n", "\0\n"};
	static const size_t sizes[] = {3, 4, 5, 3, 2};
	for (size_t i = 0; i < COUNT(ends); i++) {
		int n = sprintf(text, "#!%s", interpreter);
		memcpy(text + n, ends[i], sizes[i]);
		check_like_kernel(text, (size_t)n + sizes[i], test_printf("end %zu", i));
	}
}

static void random_scripts(void)
{
	char *interpreter = make_teller(), text[300];
	static const char alphabet[] = "ab \t\n-/";
	for (int i = 0; i < 100; i++) {
		int n = sprintf(text, "#!");
		for (uint64_t k = test_below(3); k; k--)
			text[n++] = " \t"[test_below(2)];
		n += sprintf(text + n, "%s", interpreter);
		for (uint64_t k = test_below(12); k; k--)
			text[n++] = alphabet[test_below(sizeof alphabet - 1)];
		text[n] = 0;
		check_like_kernel(text, (size_t)n, text);
	}
}

// In place: the inode stays.
static void overwrite(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && close(fd) == 0);
}

static void changed_files_are_looked_at_again(void)
{
	struct executables t = {0};
	char *path = test_path("script");
	write_program(path, "#!/bin/one\n");
	struct executable *x = find(&t, path);
	CHECK_STR("/bin/one", x->interpreter);
	CHECK(find(&t, path) == x);
	overwrite(path, "#!/bin/other arg\n"); // another size
	CHECK(find(&t, path) == x);
	CHECK_STR("/bin/other", x->interpreter);
	CHECK_STR("arg", x->argument);
	overwrite(path, "#!/bin/OTHER arg\n"); // the same size, a nanosecond later
	struct timespec later[2] = {x->modified, x->modified};
	later[1].tv_nsec = (later[1].tv_nsec + 1) % 1000000000;
	CHECK(utimensat(AT_FDCWD, path, later, 0) == 0);
	CHECK_STR("/bin/OTHER", find(&t, path)->interpreter);
	overwrite(path, "text");
	CHECK(find(&t, path)->state == EXECUTABLE_FOREIGN && !x->interpreter && !x->argument);
	write_program(test_path("new"), "#!/bin/new\n");
	CHECK(rename(test_path("new"), path) == 0); // as installers do
	struct executable *y = find(&t, path);
	CHECK(y != x);
	CHECK_STR("/bin/new", y->interpreter);
	CHECK(unlink(path) == 0 && !find(&t, path));
	write_program(path, "#!/bin/again\n"); // perhaps with an inode that was known
	CHECK_STR("/bin/again", find(&t, path)->interpreter);
	executables_release(&t);
}

static void one_file_under_many_names(void)
{
	struct executables t = {0};
	write_program(test_path("script"), "#!/bin/sh\n");
	CHECK(link(test_path("script"), test_path("hard")) == 0 && symlink("hard", test_path("soft")) == 0);
	struct executable *x = find(&t, test_path("script"));
	CHECK(x && find(&t, test_path("hard")) == x && find(&t, test_path("soft")) == x);
	CHECK(find(&t, test_printf("/proc/%d/root%s", (int)getpid(), test_path("soft"))) == x);
	CHECK_INT(1, t.n);
	executables_release(&t);
}

static void very_many_files(void)
{
	enum { N = 700 };
	struct executables t = {0};
	struct executable *all[N];
	for (int i = 0; i < N; i++) {
		char *path = test_path(test_printf("%d", i));
		test_write_text(path, test_printf("#!/bin/%d\n", i));
		all[i] = find(&t, path);
		CHECK(all[i]);
	}
	CHECK_INT(N, t.n);
	CHECK(t.cap > N); // there is always a free slot to end a search
	for (int i = 0; i < N; i++) {
		CHECK(find(&t, test_path(test_printf("%d", i))) == all[i]); // they have not moved
		CHECK_STR(test_printf("/bin/%d", i), all[i]->interpreter);
	}
	executables_release(&t);
}

static void add_frame(struct buf *out, enum frame_kind kind, const void *payload, size_t size)
{
	struct frame frame = {.kind = kind, .source = "a.c", .cwd = "/", .note = ""};
	frame_pack(out, &frame, payload, size);
}

// A copy of this program with frames that say it was built by veer-cc.
static char *built_program(const char *name, bool with_link)
{
	char *path = copy_of_self(name);
	struct buf frames = {0}, encoded = {0};
	add_frame(&frames, FRAME_BITCODE, "BC\xC0\xDE no real bitcode", 21);
	if (with_link) {
		struct linkline line = {
			.driver = mem_strdup("c"), .cwd = mem_strdup("/"), .output = mem_strdup("prog")};
		linkline_add(&line, LINK_UNITS, "", "");
		linkline_encode(&line, &encoded);
		add_frame(&frames, FRAME_LINK, encoded.data, encoded.len);
		linkline_release(&line);
	}
	struct err err = {""};
	int r = elf_append(path, FRAME_SECTION, frames.data, frames.len, &err);
	buf_release(&frames);
	buf_release(&encoded);
	CHECK_THAT(r == 0, "%s", err.text);
	return path;
}

static void built_programs(void)
{
	struct executables t = {0};
	open_builder();
	char *path = built_program("prog", true);
	CHECK(symlink("prog", test_path("link")) == 0);
	struct executable *x = find(&t, test_path("link"));
	CHECK(x && x->state == EXECUTABLE_MISSING && !x->variant);
	CHECK_STR(path, x->path); // resolved
	CHECK_INT(0, complaints);
	executables_release(&t);
	cache_close(&cache);
}

static void damage_is_told_once(void)
{
	struct executables t = {0};
	open_builder();
	char *damaged = copy_of_self("damaged"), *unlinked = built_program("unlinked", false);
	CHECK_INT(0, elf_append(damaged, FRAME_SECTION, "garbage", 7, NULL));
	for (int i = 0; i < 3; i++) {
		struct executable *x = find(&t, damaged);
		CHECK(x && x->state == EXECUTABLE_FOREIGN);
		CHECK_INT(1, complaints);
	}
	CHECK_STR(damaged, last_path);
	CHECK(strstr(last_why, FRAME_SECTION));
	for (int i = 0; i < 3; i++) {
		CHECK(find(&t, unlinked)->state == EXECUTABLE_FOREIGN);
		CHECK_INT(2, complaints);
	}
	CHECK_THAT(strstr(last_why, "not linked by veer-cc"), "%s", last_why);
	executables_release(&t);
	cache_close(&cache);
}

static void failed_builds(void)
{
	struct executables t = {0};
	open_builder();
	char *path = built_program("prog", true);
	struct executable *x = find(&t, path);
	struct err err = {""};
	CHECK_THAT(executables_start_build(x, &builder, &err) == 0, "%s", err.text);
	CHECK(x->state == EXECUTABLE_BUILDING && x->builder > 0);
	pid_t pid = x->builder;
	CHECK(find(&t, path) == x && x->state == EXECUTABLE_BUILDING);
	CHECK(!executables_finish_build(&t, &builder, pid + 1, complain)); // another child
	CHECK(x->state == EXECUTABLE_BUILDING);
	CHECK(waitpid(pid, NULL, 0) == pid);
	CHECK(executables_finish_build(&t, &builder, pid, complain) == x);
	CHECK_INT(EXECUTABLE_FOREIGN, x->state);
	CHECK_INT(1, complaints);
	CHECK_THAT(strstr(last_why, "no-worker"), "%s", last_why); // the reason came over from the child
	CHECK(!executables_finish_build(&t, &builder, pid, complain));
	CHECK(find(&t, path) == x && x->state == EXECUTABLE_FOREIGN); // it is not tried again
	CHECK_INT(1, complaints);
	executables_release(&t);
	cache_close(&cache);
}

static const struct test tests[] = {
	TEST(what_is_no_file),
	TEST(foreign_files),
	TEST(foreign_files_have_no_path),
	TEST(scripts),
	TEST(scripts_as_the_kernel_sees_them),
	TEST(scripts_with_carriage_returns),
	TEST(scripts_with_long_lines),
	TEST(scripts_with_zero_bytes),
	TEST(random_scripts),
	TEST(changed_files_are_looked_at_again),
	TEST(one_file_under_many_names),
	TEST(very_many_files),
	TEST(built_programs),
	TEST(damage_is_told_once),
	TEST(failed_builds),
};

int main(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	if (strncmp(slash ? slash + 1 : argv[0], teller, strlen(teller)) == 0)
		return tell(argc, argv);
	return test_main("executables", tests, COUNT(tests));
}
