#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "test.h"

static bool is_folder(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

// Number of entries in a folder: a failed operation leaves nothing lying about.
static int entries(const char *folder)
{
	struct bytes out;
	const char *argv[] = {"ls", "-A", folder, NULL};
	CHECK_INT(0, test_run(argv, &out));
	int n = 0;
	for (size_t i = 0; i < out.size; i++)
		n += out.data[i] == '\n';
	return n;
}

static unsigned mode_of(const char *path)
{
	struct stat st;
	CHECK(stat(path, &st) == 0);
	return st.st_mode & 07777;
}

static void map(void)
{
	static const size_t sizes[] = {1, 4095, 4096, 4097, 300000};
	struct err err;
	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct bytes content = {test_alloc(sizes[i]), sizes[i]};
		for (size_t k = 0; k < content.size; k++)
			content.data[k] = (uint8_t)test_random();
		test_write(test_path("f"), content.data, content.size);
		struct file_map map;
		CHECK_INT(0, file_map(test_path("f"), &map, &err));
		CHECK(map.size == content.size && memcmp(map.data, content.data, map.size) == 0);
		file_unmap(&map);
		CHECK(!map.data && !map.size);
		file_unmap(&map);
	}
	test_write_text(test_path("empty"), "");
	struct file_map map = {(const uint8_t *)"x", 1};
	CHECK_INT(0, file_map(test_path("empty"), &map, &err));
	CHECK(map.data == NULL && map.size == 0);
	file_unmap(&map);
}

static void map_of_what_is_no_file(void)
{
	struct err err = {""};
	struct file_map map = {(const uint8_t *)"x", 1};
	CHECK_INT(-1, file_map(test_path("missing"), &map, &err));
	CHECK(strstr(err.text, test_path("missing")) && strstr(err.text, "No such file"));
	CHECK_INT(-1, file_map(test_folder(), &map, &err));
	CHECK(strstr(err.text, "not a regular file"));
	CHECK(mkfifo(test_path("fifo"), 0666) == 0);
	CHECK_INT(-1, file_map(test_path("fifo"), &map, &err)); // and does not wait for a writer
	CHECK_INT(-1, file_map("/dev/zero", &map, &err));
	CHECK_INT(-1, file_map(test_path("missing"), &map, NULL));
	CHECK(map.size == 1); // written on success only
}

static void read_whole(void)
{
	struct buf b = {0};
	struct err err = {""};
	CHECK_INT(-1, file_read(test_path("missing"), &b, &err));
	CHECK(strstr(err.text, "No such file"));
	CHECK_INT(-1, file_read(test_folder(), &b, &err));
	CHECK(strstr(err.text, "Is a directory"));
	CHECK_INT(0, b.len);
	struct bytes big = {test_alloc(200000), 200000};
	memset(big.data, 'y', big.size);
	test_write(test_path("big"), big.data, big.size);
	buf_addstr(&b, "before");
	CHECK_INT(0, file_read(test_path("big"), &b, &err)); // appends
	CHECK(b.len == 200006 && memcmp(b.data, "beforeyyy", 9) == 0 && b.data[b.len] == 0);
	buf_clear(&b);
	CHECK_INT(0, file_read("/proc/self/comm", &b, &err)); // whose size says 0
	CHECK_STR("test_file\n", b.data);
	buf_release(&b);
}

enum { PIPED = 1000000 };

static uint8_t piped_byte(size_t at)
{
	return (uint8_t)(at * 7 >> 3);
}

static int write_to_pipe(void *opaque)
{
	int *pipes = opaque;
	close(pipes[0]);
	uint8_t *data = test_alloc(PIPED);
	for (size_t i = 0; i < PIPED; i++)
		data[i] = piped_byte(i);
	CHECK_INT(0, file_write_all(pipes[1], data, PIPED));
	return 0;
}

static void write_all(void)
{
	int pipes[2], status;
	CHECK(pipe(pipes) == 0);
	pid_t pid = test_start(write_to_pipe, pipes);
	close(pipes[1]);
	uint8_t chunk[7001];
	size_t total = 0;
	for (ssize_t n; (n = read(pipes[0], chunk, sizeof chunk)) > 0; total += (size_t)n)
		for (ssize_t i = 0; i < n; i++)
			CHECK(chunk[i] == piped_byte(total + (size_t)i));
	close(pipes[0]);
	CHECK(waitpid(pid, &status, 0) == pid);
	test_check_child(status, 0);
	CHECK_INT(PIPED, total);
	CHECK_INT(0, file_write_all(-1, "", 0));
	errno = 0;
	CHECK_INT(-1, file_write_all(-1, "x", 1));
	CHECK_INT(EBADF, errno);
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	CHECK_INT(-1, file_write_all(full, "x", 1));
	CHECK_INT(ENOSPC, errno);
	close(full);
	CHECK(pipe(pipes) == 0);
	close(pipes[0]);
	CHECK_INT(-1, file_write_all(pipes[1], "x", 1));
	CHECK_INT(EPIPE, errno);
	close(pipes[1]);
}

static void replace(void)
{
	struct err err;
	CHECK_INT(0, file_replace(test_path("f"), "new", 3, 0640, &err));
	CHECK_STR("new", (char *)test_read(test_path("f")).data);
	CHECK_INT(0640, mode_of(test_path("f")));
	struct stat before, after;
	CHECK(stat(test_path("f"), &before) == 0);
	int open_before = open(test_path("f"), O_RDONLY | O_CLOEXEC);
	CHECK_INT(0, file_replace(test_path("f"), "other and longer", 16, 0755, &err));
	CHECK_STR("other and longer", (char *)test_read(test_path("f")).data);
	CHECK_INT(0755, mode_of(test_path("f")));
	CHECK(stat(test_path("f"), &after) == 0 && after.st_ino != before.st_ino);
	char old[8] = "";
	CHECK(read(open_before, old, sizeof old) == 3 && memcmp(old, "new", 3) == 0);
	close(open_before);
	CHECK_INT(0, file_replace(test_path("f"), NULL, 0, 0644, &err));
	CHECK_INT(0, test_read(test_path("f")).size);
	CHECK_INT(1, entries(test_folder()));
}

static int keep_replacing(void *opaque)
{
	size_t n = 0;
	char *text = test_alloc(20000);
	for (int i = 0; i < 150; i++) {
		n = 1000 + (size_t)(i * 97 % 19) * 1000;
		memset(text, 'a' + i % 26, n);
		CHECK_INT(0, file_replace(opaque, text, n, 0644, NULL));
	}
	return 0;
}

// While one process replaces the file, another sees one whole content after the other.
static void replace_is_atomic(void)
{
	char *path = test_path("f");
	test_write_text(path, "aaa");
	pid_t pid = test_start(keep_replacing, path);
	int reads = 0, status;
	for (; waitpid(pid, &status, WNOHANG) == 0; reads++) {
		struct buf b = {0};
		CHECK_INT(0, file_read(path, &b, NULL));
		CHECK_THAT(b.len == 3 || b.len % 1000 == 0, "%zu bytes", b.len);
		for (size_t i = 1; i < b.len; i++)
			CHECK(b.data[i] == b.data[0]);
		buf_release(&b);
	}
	test_check_child(status, 0);
	CHECK(reads > 0);
	CHECK_INT(1, entries(test_folder()));
}

static void failed_replace_keeps_the_old(void)
{
	struct err err = {""};
	char *text = test_alloc(100000);
	memset(text, 'n', 100000);
	test_write_text(test_path("f"), "old");
	chmod(test_path("f"), 0604);
	struct rlimit limit, small;
	CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
	small = (struct rlimit){50000, limit.rlim_max};
	setrlimit(RLIMIT_FSIZE, &small);
	int r = file_replace(test_path("f"), text, 100000, 0644, &err);
	setrlimit(RLIMIT_FSIZE, &limit);
	CHECK_INT(-1, r);
	CHECK_THAT(strstr(err.text, "File too large") && strstr(err.text, test_path("f")), "%s", err.text);
	CHECK_STR("old", (char *)test_read(test_path("f")).data);
	CHECK_INT(0604, mode_of(test_path("f")));
	CHECK_INT(1, entries(test_folder()));

	CHECK(mkdir(test_path("folder"), 0777) == 0);
	test_write_text(test_path("folder/inside"), "x");
	CHECK_INT(-1, file_replace(test_path("folder"), "n", 1, 0644, &err));
	CHECK_STR("x", (char *)test_read(test_path("folder/inside")).data);
	CHECK_INT(2, entries(test_folder()));
	CHECK_INT(-1, file_replace(test_path("no/folder"), "n", 1, 0644, &err));
	CHECK(strstr(err.text, "No such file"));
	CHECK_INT(-1, file_replace(test_path("no/folder"), "n", 1, 0644, NULL));
}

// What a user named may be a device.
static void output(void)
{
	struct err err;
	struct stat st;
	CHECK_INT(0, file_output(test_path("f"), "new", 3, 0640, &err));
	CHECK_INT(0, file_output(test_path("f"), "other", 5, 0640, &err));
	CHECK_STR("other", (char *)test_read(test_path("f")).data);
	CHECK_INT(0, mkfifo(test_path("pipe"), 0600));
	int fd = open(test_path("pipe"), O_RDWR);
	char text[8] = "";
	CHECK_INT(0, file_output(test_path("pipe"), "through", 7, 0600, &err));
	CHECK_INT(7, read(fd, text, 7));
	CHECK_STR("through", text);
	close(fd);
	CHECK(stat(test_path("pipe"), &st) == 0 && S_ISFIFO(st.st_mode));
	CHECK(symlink("/dev/full", test_path("full")) == 0); // if it were replaced, it would be the link
	CHECK_INT(-1, file_output(test_path("full"), "new", 3, 0600, &err));
	CHECK_THAT(strstr(err.text, "No space left"), "%s", err.text);
	CHECK(lstat(test_path("full"), &st) == 0 && S_ISLNK(st.st_mode));
	CHECK_INT(0, file_can_output(test_path("f"), &err));
	CHECK_INT(0, file_can_output(test_path("not there"), &err));
	CHECK(!file_exists(test_path("not there")));
	CHECK_INT(0, file_can_output("/dev/null", &err));
	CHECK_INT(-1, file_can_output("/", &err));
	CHECK_INT(-1, file_can_output(test_path("no/folder"), &err));
	CHECK_INT(-1, file_output(test_path("no/folder"), "n", 1, 0644, &err));
}

static int replace_without_rights(void *folder)
{
	struct err err = {""};
	test_drop_root();
	char *path = test_printf("%s/f", (char *)folder);
	CHECK_INT(-1, file_replace(path, "new", 3, 0644, &err));
	CHECK(strstr(err.text, "Permission denied"));
	CHECK_STR("old", (char *)test_read(path).data);
	CHECK_INT(-1, file_mkdirs(test_printf("%s/a/b", (char *)folder), 0777, &err));
	CHECK_THAT(strstr(err.text, "/a: Permission denied"), "%s", err.text); // names the one that failed
	return 0;
}

static void without_rights(void)
{
	char *folder = test_path("closed");
	CHECK(mkdir(folder, 0777) == 0);
	test_write_text(test_path("closed/f"), "old");
	chmod(folder, 0555);
	test_child(replace_without_rights, folder, 0);
	CHECK_INT(1, entries(folder));
}

static void mkdirs(void)
{
	struct err err = {""};
	CHECK_INT(0, file_mkdirs(test_path("a/b/c"), 0755, &err));
	CHECK(is_folder(test_path("a/b/c")));
	CHECK_INT(0755, mode_of(test_path("a/b")));
	CHECK_INT(0, file_mkdirs(test_path("a/b/c"), 0700, &err)); // there already
	CHECK_INT(0755, mode_of(test_path("a/b/c")));
	CHECK_INT(0, file_mkdirs(test_path("a//b///d/"), 0777, &err));
	CHECK(is_folder(test_path("a/b/d")));
	CHECK_INT(0, file_mkdirs("/", 0777, &err));
	CHECK(symlink("a", test_path("link")) == 0);
	CHECK_INT(0, file_mkdirs(test_path("link/e"), 0777, &err)); // through a link, as mkdir -p does
	CHECK(is_folder(test_path("a/e")));
	test_write_text(test_path("file"), "x");
	CHECK_INT(-1, file_mkdirs(test_path("file"), 0777, &err));
	CHECK(strstr(err.text, "file"));
	CHECK_INT(-1, file_mkdirs(test_path("file/x"), 0777, &err));
	CHECK(strstr(err.text, "Not a directory"));
	CHECK_INT(-1, file_mkdirs(test_path("file/x"), 0777, NULL));
	CHECK(symlink("nowhere", test_path("dangling")) == 0);
	CHECK_INT(-1, file_mkdirs(test_path("dangling"), 0777, &err));
}

static void mkdirs_of_relative_names(void)
{
	char cwd[PATH_MAX];
	CHECK(getcwd(cwd, sizeof cwd) && chdir(test_folder()) == 0);
	int plain = file_mkdirs("r/s", 0777, NULL), one = file_mkdirs("x", 0777, NULL),
	    dot = file_mkdirs(".", 0777, NULL);
	CHECK(chdir(cwd) == 0);
	CHECK(plain == 0 && one == 0 && dot == 0 && is_folder(test_path("r/s")) && is_folder(test_path("x")));
}

static void mkdirs_of_nothing(void)
{
	struct err err = {""};
	CHECK_INT(-1, file_mkdirs("", 0777, &err));
	CHECK(err.text[0]);
}

static int mkdirs_many_times(void *opaque)
{
	for (int i = 0; i < 50; i++)
		CHECK_INT(0, file_mkdirs(test_printf("%s/%d/x/y/z", (char *)opaque, i), 0777, NULL));
	return 0;
}

static void mkdirs_by_two_at_once(void)
{
	char *folder = test_path("race");
	int status;
	pid_t pid = test_start(mkdirs_many_times, folder);
	mkdirs_many_times(folder);
	CHECK(waitpid(pid, &status, 0) == pid);
	test_check_child(status, 0);
}

static void remove_tree(void)
{
	CHECK_INT(0, file_remove_tree(test_path("missing")));
	CHECK_INT(0, file_mkdirs(test_path("t/a/b/c"), 0777, NULL));
	test_write_text(test_path("t/a/.hidden"), "x");
	test_write_text(test_path("t/a/b/file"), "x");
	CHECK(mkfifo(test_path("t/a/fifo"), 0666) == 0); // is not opened
	for (int i = 0; i < 300; i++)
		test_write_text(test_path(test_printf("t/a/b/c/%d", i)), "");
	CHECK_INT(0, file_remove_tree(test_path("t")));
	CHECK(!file_exists(test_path("t")));
	test_write_text(test_path("plain"), "x");
	CHECK_INT(0, file_remove_tree(test_path("plain")));
	CHECK_INT(0, entries(test_folder()));
}

static void remove_tree_does_not_follow_links(void)
{
	CHECK_INT(0, file_mkdirs(test_path("keep/inner"), 0777, NULL));
	test_write_text(test_path("keep/file"), "kept");
	test_write_text(test_path("keep/inner/file"), "kept");
	CHECK_INT(0, file_mkdirs(test_path("t/sub"), 0777, NULL));
	CHECK(symlink("../keep", test_path("t/relative")) == 0);
	CHECK(symlink(test_path("keep"), test_path("t/sub/absolute")) == 0);
	CHECK(symlink(test_path("keep/file"), test_path("t/to-file")) == 0);
	CHECK(symlink("..", test_path("t/sub/up")) == 0);
	CHECK(symlink("nowhere", test_path("t/dangling")) == 0);
	CHECK_INT(0, file_remove_tree(test_path("t")));
	CHECK(!is_folder(test_path("t")));
	CHECK_STR("kept", (char *)test_read(test_path("keep/file")).data);
	CHECK_STR("kept", (char *)test_read(test_path("keep/inner/file")).data);
	CHECK(symlink("keep", test_path("top")) == 0); // the link itself is what is asked for
	CHECK_INT(0, file_remove_tree(test_path("top")));
	CHECK_STR("kept", (char *)test_read(test_path("keep/file")).data);
	CHECK_INT(1, entries(test_folder()));
}

static int remove_without_rights(void *opaque)
{
	test_drop_root();
	CHECK_INT(-1, file_remove_tree(test_path("t")));
	return 0;
}

static void remove_tree_tells_what_it_left(void)
{
	CHECK_INT(0, file_mkdirs(test_path("t/closed"), 0777, NULL));
	test_write_text(test_path("t/closed/file"), "x");
	chmod(test_path("t/closed"), 0555);
	chmod(test_path("t"), 0777);
	test_child(remove_without_rights, NULL, 0);
	CHECK(file_exists(test_path("t/closed/file")));
}

static void exists(void)
{
	CHECK(!file_exists(test_path("f")) && file_exists(test_folder()) && !file_exists(""));
	test_write_text(test_path("f"), "");
	CHECK(file_exists(test_path("f")));
	CHECK(symlink("nowhere", test_path("dangling")) == 0);
	CHECK(!file_exists(test_path("dangling")));
}

static void path_parts(void)
{
	static const struct {
		const char *path, *folder, *name;
	} cases[] = {
		{"a", ".", "a"}, {"a/b", "a", "b"},   {"/a", "/", "a"}, {"/a/b.c", "/a", "b.c"}, {"a/", "a", ""},
		{"/", "/", ""},  {"../x", "..", "x"}, {"", ".", ""},    {"./a", ".", "a"},       {"a/b/c", "a/b", "c"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *folder = path_dirname(cases[i].path);
		CHECK_STR(cases[i].folder, folder);
		CHECK_STR(cases[i].name, path_basename(cases[i].path));
		mem_free(folder);
	}
}

static void absolute(void)
{
	char *a = path_absolute("/cwd", "x/y"), *b = path_absolute("/cwd", "/x"), *c = path_absolute("/cwd", "../x");
	CHECK_STR("/cwd/x/y", a);
	CHECK_STR("/x", b);
	CHECK_STR("/cwd/../x", c);
	mem_free(a);
	mem_free(b);
	mem_free(c);
}

static int in_a_removed_folder(void *opaque)
{
	CHECK(mkdir(test_path("gone"), 0777) == 0 && chdir(test_path("gone")) == 0 && rmdir(test_path("gone")) == 0);
	char *cwd = path_cwd();
	CHECK_STR("/", cwd);
	mem_free(cwd);
	return 0;
}

static void cwd_and_self(void)
{
	char expected[PATH_MAX];
	CHECK(getcwd(expected, sizeof expected));
	char *cwd = path_cwd();
	CHECK_STR(expected, cwd);
	mem_free(cwd);
	test_child(in_a_removed_folder, NULL, 0);
	char *self = path_of_self(), *program = test_printf("%s/test_file", self);
	struct stat a, b;
	CHECK(self[0] == '/' && stat(program, &a) == 0 && stat("/proc/self/exe", &b) == 0 && a.st_ino == b.st_ino);
	mem_free(self);
}

static void check_found(const char *expected, const char *name)
{
	char *found = path_find_program(name);
	CHECK_STR(expected, found);
	mem_free(found);
}

static void find_program(void)
{
	char *old = test_printf("%s", getenv("PATH"));
	CHECK_INT(0, file_mkdirs(test_path("a/tool"), 0777, NULL)); // a folder is no program
	CHECK_INT(0, file_mkdirs(test_path("b"), 0777, NULL));
	CHECK_INT(0, file_mkdirs(test_path("c"), 0777, NULL));
	test_write_text(test_path("b/tool"), ""); // nor is a file that cannot be executed
	test_write_text(test_path("c/tool"), "");
	test_write_text(test_path("tool"), "");
	chmod(test_path("b/tool"), 0644);
	chmod(test_path("c/tool"), 0755);
	chmod(test_path("tool"), 0755);
	setenv("PATH", test_printf("%s:%s:%s", test_path("a"), test_path("b"), test_path("c")), 1);
	check_found(test_path("c/tool"), "tool");
	check_found(NULL, "other-tool");
	check_found(NULL, "");
	check_found(test_path("c/tool"), test_path("c/tool")); // a slash: PATH does not matter
	check_found(NULL, test_path("b/tool"));
	check_found(NULL, test_path("a"));
	check_found(NULL, test_path("missing"));
	char cwd[PATH_MAX];
	CHECK(getcwd(cwd, sizeof cwd) && chdir(test_folder()) == 0);
	check_found("c/tool", "c/tool");
	setenv("PATH", test_printf("%s:", test_path("a")), 1); // an empty entry is the current folder
	check_found("tool", "tool");
	setenv("PATH", test_printf(":%s", test_path("c")), 1);
	check_found("tool", "tool");
	setenv("PATH", test_printf("%s::%s", test_path("a"), test_path("c")), 1);
	check_found("tool", "tool");
	CHECK(chdir(cwd) == 0);
	setenv("PATH", test_path("a"), 1);
	check_found(NULL, "tool");
	unsetenv("PATH");
	char *shell = path_find_program("sh");
	CHECK(shell && shell[0] == '/');
	mem_free(shell);
	setenv("PATH", old, 1);
}

static const struct test tests[] = {
	TEST(map),
	TEST(map_of_what_is_no_file),
	TEST(read_whole),
	TEST(write_all),
	TEST(replace),
	TEST(replace_is_atomic),
	TEST(failed_replace_keeps_the_old),
	TEST(output),
	TEST(without_rights),
	TEST(mkdirs),
	TEST(mkdirs_of_relative_names),
	TEST(mkdirs_of_nothing),
	TEST(mkdirs_by_two_at_once),
	TEST(remove_tree),
	TEST(remove_tree_does_not_follow_links),
	TEST(remove_tree_tells_what_it_left),
	TEST(exists),
	TEST(path_parts),
	TEST(absolute),
	TEST(cwd_and_self),
	TEST(find_program),
};
TEST_MAIN("file")
