#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "findings/folder.h"
#include "findings/script.h"
#include "test.h"

static struct verdict verdict = {.level = LEVEL_ERROR,
                                 .kind = "heap-buffer-overflow",
                                 .file = "/src/a.c",
                                 .function = "f",
                                 .line = 7,
                                 .stack = "f /src/a.c:7\nmain /src/a.c:9\n",
                                 .report = "==1==ERROR: AddressSanitizer\n"};

static void write_finding(const char *program, const char *cwd, const struct input *in, const struct input *seed)
{
	struct finding_text f = {
		.id = "F1", .program = program, .cwd = cwd, .verdict = &verdict, .input = in, .seed = seed};
	struct err err = {""};
	CHECK_THAT(finding_write(test_folder(), &f, &err) == 0, "%s", err.text);
}

static const char *const shells[][4] = {
	{"dash"},
	{"bash"},
	{"bash", "--posix"},
	{"busybox", "sh"},
};

// Runs reproduce.sh in every shell there is, in several locales: the output must be this.
static void check_output(const void *expected, size_t size)
{
	static const char *const locales[] = {"C", "C.UTF-8"};
	unsigned ran = 0;
	for (size_t i = 0; i < COUNT(shells); i++)
		for (size_t k = 0; k < COUNT(locales); k++) {
			char *found = path_find_program(shells[i][0]);
			if (!found)
				continue;
			mem_free(found);
			setenv("LC_ALL", locales[k], 1);
			const char *argv[6] = {shells[i][0], shells[i][1]};
			argv[shells[i][1] ? 2 : 1] = test_path("findings/F1/reproduce.sh");
			struct bytes out;
			int status = test_run(argv, &out);
			unsetenv("LC_ALL");
			CHECK_THAT(status == 0, "%d of %s: %.*s", status, argv[0], (int)out.size, (char *)out.data);
			CHECK_THAT(out.size == size && memcmp(out.data, expected, size) == 0, "%s %s: %.*s", argv[0],
			           locales[k], (int)out.size, (char *)out.data);
			ran++;
		}
	CHECK(ran > 0);
}

static void arguments(void)
{
	char all[256], high[130];
	for (int i = 0; i < 255; i++)
		all[i] = (char)(i + 1);
	all[255] = 0;
	for (int i = 0; i < 128; i++)
		high[i] = (char)(i + 128);
	high[128] = '\n';
	high[129] = 0;
	const char *const nasty[] = {
		"-\n",      "--\t%",      "",         "-n",
		"--",       "\n",         "a\nb\n\n", "it's \"q\" $HOME `id` $(id) \\ %s %",
		"'",        "\\",         "\\n\\c",   "*",
		"~",        all,          high,       "\xff",
		"\x81\x82", "\xc3\xbc\n", "\x1b[2J",  "x",
		" a  b ",   "!!",         "\x7f",     "#",
		"a'b\nc'",  "-e",
	};
	struct input in = {0};
	struct buf expected = {0};
	input_add(&in, INPUT_ARGUMENT, NULL, "printf", 6);
	input_add(&in, INPUT_ARGUMENT, NULL, "[%s]", 4);
	for (size_t i = 0; i < COUNT(nasty); i++) {
		input_add(&in, INPUT_ARGUMENT, NULL, nasty[i], strlen(nasty[i]));
		buf_printf(&expected, "[%s]", nasty[i]);
	}
	write_finding("/usr/bin/printf", "/tmp", &in, NULL);
	struct bytes script = test_read(test_path("findings/F1/reproduce.sh"));
	for (size_t i = 0; i < script.size; i++) // whoever reads it has a terminal
		CHECK(script.data[i] == '\n' || (script.data[i] >= ' ' && script.data[i] <= '~'));
	check_output(expected.data, expected.len);
	input_release(&in);
	buf_release(&expected);
}

static void standard_input(void)
{
	char all[512];
	for (int i = 0; i < 512; i++)
		all[i] = (char)i;
	struct input in = {0};
	input_add(&in, INPUT_ARGUMENT, NULL, "cat", 3);
	input_add(&in, INPUT_STDIN, NULL, all, sizeof all);
	write_finding("/bin/cat", "/", &in, NULL);
	check_output(all, sizeof all);
	input_release(&in);
	input_add(&in, INPUT_ARGUMENT, NULL, "cat", 3); // without one it is empty
	write_finding("/bin/cat", "/", &in, NULL);
	check_output("", 0);
	input_release(&in);
}

// Files are where the program looks for them, by whatever name, and nowhere else.
static void files(void)
{
	static const char names[][24] = {"/home/me/dir/in put", "/home/me/ne\nw'", "/home/me/dir/sub/x"};
	static const char *const words[] = {"in put", "../ne\nw'", "/home/me/dir/sub/x", "sub/../sub//x"};
	struct input in = {0};
	input_add(&in, INPUT_ARGUMENT, NULL, "cat", 3);
	for (size_t i = 0; i < COUNT(words); i++)
		input_add(&in, INPUT_ARGUMENT, NULL, words[i], strlen(words[i]));
	for (size_t i = 0; i < COUNT(names); i++)
		input_add(&in, INPUT_FILE, names[i], names[i] + 8, 3);
	write_finding("/bin/cat", "/home/me/dir", &in, NULL);
	check_output("/di/ne/di/di", 12);
	input_release(&in);
}

static void paths_in_arguments(void)
{
	struct input in = {0};
	input_add(&in, INPUT_ARGUMENT, NULL, "sh", 2);
	input_add(&in, INPUT_ARGUMENT, NULL, "-c", 2);
	static const char other[] = "cat </nowhere/a /nowhere/b; cat /nowhere/a; echo /nowhere/abc";
	input_add(&in, INPUT_ARGUMENT, NULL, other, strlen(other));
	input_add(&in, INPUT_FILE, "/nowhere/a", "one", 3);
	input_add(&in, INPUT_FILE, "/nowhere/b", "two", 3);
	write_finding("/bin/sh", "/nowhere/else", &in, NULL);
	check_output("twoone/nowhere/abc\n", 19);
	input_release(&in);
}

static void variables(void)
{
	struct input in = {0};
	input_add(&in, INPUT_ARGUMENT, NULL, "sh", 2);
	input_add(&in, INPUT_ARGUMENT, NULL, "-c", 2);
	static const char words[] = "env | grep -a ODD; printf %s \"$VEER_A\"";
	input_add(&in, INPUT_ARGUMENT, NULL, words, strlen(words));
	input_add(&in, INPUT_VARIABLE, "VEER_A", "a\n\xff'b\n", 6);
	input_add(&in, INPUT_VARIABLE, "ODD name", "x", 1);
	input_add(&in, INPUT_VARIABLE, "-bad", "x", 1);
	input_add(&in, INPUT_VARIABLE, "bad=bad", "x", 1);
	write_finding("/bin/sh", "/", &in, NULL);
	// dash passes on no variables that it could not name itself.
	const char *argv[] = {"bash", test_path("findings/F1/reproduce.sh"), NULL};
	struct bytes out;
	CHECK_INT(0, test_run(argv, &out));
	CHECK(out.size >= 6 && memcmp(out.data + out.size - 6, "a\n\xff'b\n", 6) == 0);
	input_release(&in);
}

static void another_program(void)
{
	struct input in = {0};
	input_add(&in, INPUT_ARGUMENT, NULL, "x", 1);
	input_add(&in, INPUT_ARGUMENT, NULL, "hello", 5);
	write_finding("/nowhere/x y'z", "/", &in, NULL);
	const char *argv[] = {"sh", test_path("findings/F1/reproduce.sh"), "/bin/echo", NULL};
	struct bytes out;
	CHECK_INT(0, test_run(argv, &out));
	CHECK_STR("hello\n", (char *)out.data);
	argv[2] = NULL;
	setenv("PROGRAM", "/bin/echo", 1);
	CHECK_INT(0, test_run(argv, &out));
	unsetenv("PROGRAM");
	CHECK_STR("hello\n", (char *)out.data);
	CHECK_INT(127, test_run(argv, &out)); // its status is the program's
	input_release(&in);
}

static void clean_paths(void)
{
	static const char *const paths[][2] = {
		{"/a/b", "/a/b"},   {"/a//./b/", "/a/b"},
		{"/../../a", "/a"}, {"/a/../../../b/c/..", "/b"},
		{"a/b", "/a/b"},    {"/..", NULL},
		{"", NULL},         {"/", NULL},
		{"/...", "/..."},   {"/a/..b/.c", "/a/..b/.c"},
		{"../../x", "/x"},
	};
	for (size_t i = 0; i < COUNT(paths); i++) {
		char *clean = path_clean(paths[i][0]);
		CHECK_THAT(clean == NULL ? !paths[i][1] : paths[i][1] && strcmp(clean, paths[i][1]) == 0, "%s: %s",
		           paths[i][0], clean ? clean : "none");
		mem_free(clean);
	}
}

// As compilers name files; relative ones stay relative.
static void tidy_paths(void)
{
	static const char *const paths[][2] = {
		{"/a/b", "/a/b"},         {"/a//./b", "/a/b"}, {"/a/build/../src/./b", "/a/src/b"},
		{"a/../b.c", "a/../b.c"}, {"./b.c", "b.c"},    {"../x/../b.c", "../b.c"},
	};
	for (size_t i = 0; i < COUNT(paths); i++) {
		char *tidy = path_tidy(paths[i][0]);
		CHECK_THAT(strcmp(tidy, paths[i][1]) == 0, "%s: %s", paths[i][0], tidy);
		mem_free(tidy);
	}
}

static void report(void)
{
	struct input in = {0}, seed = {0};
	input_add(&seed, INPUT_ARGUMENT, NULL, "prog", 4);
	input_add(&seed, INPUT_STDIN, NULL, "hello world", 11);
	input_add(&in, INPUT_ARGUMENT, NULL, "prog", 4);
	input_add(&in, INPUT_STDIN, NULL,
	          "heLLo worl\xff"
	          "dd",
	          13);
	input_add(&in, INPUT_FILE, "/etc/\x1b[2Jx", "a", 1);
	write_finding("/src/prog", "/src", &in, &seed);
	char *text = (char *)test_read(test_path("findings/F1/report.txt")).data;
	CHECK(strstr(text, "F1: heap-buffer-overflow (error)"));
	CHECK(strstr(text, "main /src/a.c:9"));
	CHECK(strstr(text, "standard input: 13 bytes; bytes 2-3, 10-12 changed (5); 11 bytes before; input/stdin"));
	CHECK(strstr(text, "name of the program: 4 bytes; as before"));
	CHECK(strstr(text, "; new; input/file-1"));
	CHECK(strstr(text, "worl\\377dd"));
	CHECK(strstr(text, "veer replay F1"));
	CHECK(!strchr(text, 0x1b));
	input_release(&in);
	input_release(&seed);
}

// A folder that is there is complete, also when it takes the place of another.
// A snapshot in a folder that is gone, with all kinds of files.
static void fill_snapshot(struct snapshot *s, const char *files)
{
	static const struct {
		enum snapshot_kind kind;
		const char *path, *text;
		uint32_t mode;
	} entries[] = {
		{SNAPSHOT_FOLDER, "/tmp/gone dir", NULL, 0755},
		{SNAPSHOT_FILE, "/tmp/gone dir/a", "aa\n", 0640},
		{SNAPSHOT_FILE, "/tmp/gone dir/b", "bb\n", 0444},
		{SNAPSHOT_FOLDER, "/tmp/gone dir/closed", NULL, 0500},
		{SNAPSHOT_FILE, "/tmp/gone dir/closed/c", "cc\n", 0},
		{SNAPSHOT_LINK, "/tmp/gone dir/near", "a", 0777},
		{SNAPSHOT_LINK, "/tmp/gone dir/far", "/tmp/gone dir/a", 0777},
		{SNAPSHOT_LINK, "/tmp/gone dir/away", "/etc/passwd", 0777},
		{SNAPSHOT_PIPE, "/tmp/gone dir/pipe", NULL, 0600},
		{SNAPSHOT_ABSENT, "/tmp/gone dir/no", NULL, 0},
		{SNAPSHOT_FILE, "/etc/not here", "x", 0644},
		{SNAPSHOT_LINK, "/tmp/out", "/etc",
	         0777}, // a damaged snapshot: what is in there must not come to lie there
		{SNAPSHOT_FILE, "/tmp/out/veer-test-must-not-be", "x", 0644},
	};
	static const char *const variables[] = {"LC_ALL=C", "SUITE=/tmp/gone dir/a:x", "PWD=/", "odd", "QUOTE=it's"};
	struct err err;
	*s = (struct snapshot){.program = mem_strdup("/bin/sh"), .cwd = mem_strdup("/tmp/gone dir"), .umask = 027};
	for (size_t i = 0; i < COUNT(entries); i++) {
		struct snapshot_entry *e = snapshot_add(s, entries[i].kind, entries[i].path);
		e->mode = entries[i].mode;
		e->seconds = 1000000000 + (int64_t)i;
		if (e->kind == SNAPSHOT_LINK)
			e->text = mem_strdup(entries[i].text);
		if (e->kind != SNAPSHOT_FILE)
			continue;
		e->known = true;
		e->size = strlen(entries[i].text);
		CHECK_INT(0, snapshot_keep(files, entries[i].text, strlen(entries[i].text), &e->content, &err));
	}
	s->variables = mem_alloc(COUNT(variables) * sizeof *s->variables);
	for (size_t i = 0; i < COUNT(variables); i++)
		s->variables[s->n_variables++] = mem_strdup(variables[i]);
}

static void write_in_snapshot(const struct snapshot *s, const char *files, const struct input *in,
                              const struct input *seed)
{
	struct finding_text f = {.id = "F1",
	                         .program = "/bin/sh",
	                         .cwd = "/nowhere",
	                         .verdict = &verdict,
	                         .input = in,
	                         .seed = seed,
	                         .snapshot = s,
	                         .files = files};
	struct err err = {""};
	CHECK_THAT(finding_write(test_folder(), &f, &err) == 0, "%s", err.text);
}

static void snapshots(void)
{
	static const char script[] =
		"basename \"$PWD\"; umask; echo $LC_ALL ${TZ-unset} $QUOTE ${SUITE##*/}; cat a b near far \"$0\" "
		"\"${SUITE%:x}\";"
		"ls -ld a b closed closed/c | cut -c 1-10; readlink away; [ -p pipe ] && [ ! -e no ] && cat; ls";
	char *files = test_path("contents");
	struct snapshot s;
	struct input in = {0}, seed = {0};
	fill_snapshot(&s, files);
	input_add(&seed, INPUT_ARGUMENT, NULL, "sh", 2);
	input_copy(&in, &seed);
	input_add(&in, INPUT_ARGUMENT, NULL, "-c", 2);
	input_add(&in, INPUT_ARGUMENT, NULL, script, sizeof script - 1);
	input_add(&in, INPUT_ARGUMENT, NULL, "/tmp/gone dir/b", 15);
	input_add(&in, INPUT_FILE, "/tmp/gone dir/b", "changed\n", 8);
	input_add(&in, INPUT_STDIN, NULL, "stdin\n", 6);
	setenv("TZ", "UTC", 1);
	write_in_snapshot(&s, files, &in, &seed);
	static const char expected[] = "gone dir\n0027\nC unset it's a:x\naa\nchanged\naa\naa\nchanged\naa\n"
				       "-rw-r-----\n-r--r--r--\ndr-x------\n----------\n/etc/passwd\nstdin\n"
				       "a\naway\nb\nclosed\nfar\nnear\npipe\n";
	check_output(expected, sizeof expected - 1);
	unsetenv("TZ");
	struct bytes report = test_read(test_path("findings/F1/report.txt"));
	CHECK(strstr((char *)report.data, "umask 027"));
	CHECK(strstr((char *)report.data, "4 files of it in files/, 1 in other folders"));
	CHECK(strstr((char *)report.data, "file /tmp/gone dir/b: 8 bytes; bytes 0-7 changed (8); 3 bytes before"));
	CHECK(access("/etc/veer-test-must-not-be", F_OK) < 0);
	input_release(&in);
	input_release(&seed);
	snapshot_release(&s);
}

static void snapshot_streams(void)
{
	struct snapshot s = {.program = mem_strdup("/bin/sh"),
	                     .cwd = mem_strdup("/"),
	                     .streams = {STREAM_CLOSED, STREAM_CLOSED, STREAM_ORDINARY}};
	struct input in = {0};
	input_add(&in, INPUT_ARGUMENT, NULL, "sh", 2);
	input_add(&in, INPUT_ARGUMENT, NULL, "-c", 2);
	static const char script[] = "[ -e /dev/fd/0 ] || [ -e /dev/fd/1 ] || echo closed >&2";
	input_add(&in, INPUT_ARGUMENT, NULL, script, sizeof script - 1);
	write_in_snapshot(&s, test_path("none"), &in, NULL);
	check_output("closed\n", 7);
	input_release(&in);
	snapshot_release(&s);
}

static void replaced(void)
{
	struct input in = {0};
	input_add(&in, INPUT_ARGUMENT, NULL, "echo", 4);
	input_add(&in, INPUT_ARGUMENT, NULL, "\xff", 1);
	mkdir(test_path("findings"), 0777);
	mkdir(test_path("findings/.F1.new"), 0777); // killed while it wrote
	test_write_text(test_path("findings/.F1.new/report.txt"), "half");
	write_finding("/bin/echo", "/", &in, NULL);
	CHECK(access(test_path("findings/F1/input/argument-1"), F_OK) == 0);
	input_release(&in);
	input_add(&in, INPUT_ARGUMENT, NULL, "echo", 4);
	write_finding("/bin/echo", "/", &in, NULL);
	CHECK(access(test_path("findings/F1/input/argument-1"), F_OK) < 0);
	CHECK(access(test_path("findings/.F1.new"), F_OK) < 0);
	CHECK(access(test_path("findings/F1/reproduce.sh"), X_OK) == 0);
	input_release(&in);
	// Where it cannot be written, it says so, and leaves nothing behind.
	test_write_text(test_path("file"), "x");
	struct finding_text f = {.id = "F1", .program = "/bin/echo", .cwd = "/", .verdict = &verdict, .input = &in};
	struct err err = {""};
	CHECK_INT(-1, finding_write(test_path("file"), &f, &err));
	CHECK(err.text[0]);
}

static const struct test tests[] = {
	TEST(arguments),          TEST(standard_input),   TEST(files),
	TEST(paths_in_arguments), TEST(variables),        TEST(another_program),
	TEST(clean_paths),        TEST(tidy_paths),       TEST(report),
	TEST(snapshots),          TEST(snapshot_streams), TEST(replaced),
};
TEST_MAIN("folder")
