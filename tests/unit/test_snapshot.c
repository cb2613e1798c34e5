#include "input/snapshot.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "input/variables.h"
#include "sandbox/snapshot_put.h"
#include "test.h"

enum { SOMEBODY = 12345 };

static void set_variables(struct snapshot *s, const char *a, const char *b)
{
	s->variables = mem_alloc(2 * sizeof *s->variables);
	s->variables[0] = mem_strdup(a);
	s->variables[1] = mem_strdup(b);
	s->n_variables = 2;
}

static void fill(struct snapshot *s)
{
	*s = (struct snapshot){.program = mem_strdup("/usr/bin/prog"),
	                       .id = {1, 2},
	                       .cwd = mem_strdup("/tmp/gone.d"),
	                       .umask = 077,
	                       .clock = -5,
	                       .streams = {STREAM_NULL, STREAM_FULL, STREAM_CLOSED},
	                       .status = 0x8b,
	                       .output_known = true,
	                       .output_size = 1,
	                       .output = {3, 4},
	                       .why = mem_strdup("a device")};
	set_variables(s, "LC_ALL=C", "odd");
	struct snapshot_entry *e = snapshot_add(s, SNAPSHOT_FOLDER, "/tmp/gone.d");
	e->mode = 01777;
	e = snapshot_add(s, SNAPSHOT_FILE, "/tmp/gone.d/a\nb");
	e->mode = 0644;
	e->size = 7;
	e->known = true;
	e->content = (struct hash){5, 6};
	e->seconds = -1;
	e->nanoseconds = 999999999;
	e = snapshot_add(s, SNAPSHOT_LINK, "/tmp/gone.d/l");
	e->text = mem_strdup("../x");
	snapshot_add(s, SNAPSHOT_PIPE, "/tmp/gone.d/p");
	snapshot_add(s, SNAPSHOT_ABSENT, "/tmp/gone.d/no");
}

static void entries(void)
{
	struct snapshot s;
	fill(&s);
	CHECK_INT(5, s.n);
	CHECK_INT(SNAPSHOT_LINK, snapshot_find(&s, "/tmp/gone.d/l")->kind);
	CHECK(!snapshot_find(&s, "/tmp"));
	snapshot_release(&s);
	CHECK_INT(0, s.n);
	CHECK(!s.program && !s.variables);
}

static void round_trip(void)
{
	struct snapshot a = {.program = mem_strdup("/p"), .cwd = mem_strdup("/")}, b;
	struct buf bytes = {0}, again = {0};
	struct err err;
	for (int i = 0; i < 2; i++) {
		buf_clear(&bytes);
		buf_clear(&again);
		snapshot_encode(&a, &bytes);
		CHECK_INT(0, snapshot_decode(&b, bytes.data, bytes.len, &err));
		snapshot_encode(&b, &again);
		CHECK(bytes.len == again.len && memcmp(bytes.data, again.data, bytes.len) == 0);
		CHECK_INT(a.n, b.n);
		CHECK_INT(a.clock, b.clock);
		CHECK_INT(a.status, b.status);
		CHECK_STR(a.cwd, b.cwd);
		snapshot_release(&a);
		if (i == 0)
			snapshot_release(&b);
		fill(&a);
	}
	CHECK_STR("odd", b.variables[1]);
	CHECK_STR("../x", snapshot_find(&b, "/tmp/gone.d/l")->text);
	CHECK_INT(-1, snapshot_find(&b, "/tmp/gone.d/a\nb")->seconds);
	CHECK(snapshot_find(&b, "/tmp/gone.d/a\nb")->known);
	CHECK_STR("a device", b.why);
	snapshot_release(&a);
	snapshot_release(&b);
	buf_release(&bytes);
	buf_release(&again);
}

// What a snapshot must not have, wherever it came from.
static void check_sound(const struct snapshot *s)
{
	CHECK(s->program[0] == '/' && s->cwd[0] == '/');
	CHECK(s->umask <= 07777);
	for (int i = 0; i < 3; i++)
		CHECK(s->streams[i] <= STREAM_NULL);
	for (size_t i = 0; i < s->n; i++) {
		const struct snapshot_entry *e = &s->v[i];
		CHECK(e->kind < SNAPSHOT_KINDS && e->path[0] == '/');
		CHECK((e->kind == SNAPSHOT_LINK) == (e->text != NULL));
		CHECK(e->mode <= 07777 && e->nanoseconds < 1000000000);
		CHECK(!strstr(e->path, "/../") && !strstr(e->path, "//"));
	}
}

// Damaged bytes are refused, or are another snapshot that is good in itself.
static void hostile(void)
{
	struct snapshot a, b;
	struct buf bytes = {0};
	struct err err;
	fill(&a);
	snapshot_encode(&a, &bytes);
	for (size_t n = 0; n < bytes.len; n++)
		CHECK_INT(-1, snapshot_decode(&b, test_guarded(bytes.data, n), n, &err));
	buf_addch(&bytes, 0);
	CHECK_INT(-1, snapshot_decode(&b, bytes.data, bytes.len, &err));
	bytes.len--;
	for (int i = 0; i < 20000; i++) {
		struct bytes copy = test_bytes(bytes.data, bytes.len);
		test_mutate(copy.data, 0, copy.size);
		if (snapshot_decode(&b, test_guarded(copy.data, copy.size), copy.size, &err) < 0)
			continue;
		struct buf again = {0};
		snapshot_encode(&b, &again);
		CHECK(again.len == copy.size && memcmp(again.data, copy.data, copy.size) == 0);
		check_sound(&b);
		buf_release(&again);
		snapshot_release(&b);
	}
	snapshot_release(&a);
	buf_release(&bytes);
}

static int decode_with(const char *path, const char *cwd)
{
	struct snapshot a = {.program = mem_strdup("/p"), .cwd = mem_strdup(cwd)}, b;
	struct buf bytes = {0};
	struct err err;
	snapshot_add(&a, SNAPSHOT_FILE, path);
	snapshot_encode(&a, &bytes);
	int r = snapshot_decode(&b, bytes.data, bytes.len, &err);
	if (r == 0)
		snapshot_release(&b);
	snapshot_release(&a);
	buf_release(&bytes);
	return r;
}

static void paths(void)
{
	static const char *const bad[] = {"", "a", "//", "/a//b", "/a/", "/.", "/..", "/a/./b", "/a/../b", "/a/.."};
	static const char *const good[] = {"/", "/a", "/a/...", "/.a/..b", "/a b/ "};
	for (size_t i = 0; i < COUNT(bad); i++) {
		CHECK_THAT(decode_with(bad[i], "/") < 0, "%s", bad[i]);
		CHECK_THAT(decode_with("/", bad[i]) < 0, "%s", bad[i]);
	}
	for (size_t i = 0; i < COUNT(good); i++)
		CHECK_THAT(decode_with(good[i], good[i]) == 0, "%s", good[i]);
}

static bool same_hash(const struct snapshot *a, const struct input *x, const struct snapshot *b, const struct input *y)
{
	struct hash g = snapshot_hash(a, x, NULL), h = snapshot_hash(b, y, NULL);
	return g.low == h.low && g.high == h.high;
}

static void hashes(void)
{
	struct snapshot a, b;
	struct input x = {0}, y = {0};
	input_add(&x, INPUT_ARGUMENT, NULL, "prog", 4);
	input_add(&y, INPUT_ARGUMENT, NULL, "prog", 4);
	fill(&a);
	fill(&b);
	b.clock++;
	b.v[1].seconds++;
	b.v[1].nanoseconds = 0;
	b.v[0].size = 4096;
	b.status = 0;
	b.output.low++;
	b.output_known = false;
	mem_free(b.why);
	b.why = NULL;
	CHECK(same_hash(&a, &x, &b, &y));
	b.v[1].content.high++;
	CHECK(!same_hash(&a, &x, &b, &y));
	b.v[1].content.high--;
	b.id.high++;
	CHECK(!same_hash(&a, &x, &b, &y));
	b.id.high--;
	b.v[1].mode = 0600;
	CHECK(!same_hash(&a, &x, &b, &y));
	b.v[1].mode = 0644;
	CHECK(same_hash(&a, &x, &b, &y));
	input_add(&y, INPUT_STDIN, NULL, "", 0);
	CHECK(!same_hash(&a, &x, &b, &y));
	snapshot_release(&a);
	snapshot_release(&b);
	input_release(&x);
	input_release(&y);
}

// Variables that were not asked for make no other test, unless all may have been seen: then their effect does.
static void hashes_of_variables(void)
{
	struct snapshot a, b;
	struct input in = {0};
	fill(&a);
	fill(&b);
	mem_free(b.variables[1]);
	b.variables[1] = mem_strdup("odd=2");
	CHECK(!same_hash(&a, &in, &b, &in));
	a.marks = (uint8_t *)mem_copy("\1\0", 2);
	b.marks = (uint8_t *)mem_copy("\3\2", 2);
	CHECK(same_hash(&a, &in, &b, &in));
	a.status++;
	CHECK(same_hash(&a, &in, &b, &in));
	a.whole = b.whole = true;
	CHECK(!same_hash(&a, &in, &b, &in));
	a.status--;
	CHECK(same_hash(&a, &in, &b, &in));
	snapshot_release(&a);
	snapshot_release(&b);
}

static void masks(void)
{
	struct snapshot s;
	fill(&s);
	CHECK(!snapshot_mask(&s));
	mem_free(s.variables[1]);
	s.variables[1] = mem_strdup("Github_Token=sesame");
	s.marks = (uint8_t *)mem_copy("\1\3", 2);
	CHECK(snapshot_mask(&s));
	CHECK_STR("LC_ALL=C", s.variables[0]);
	CHECK_STR("Github_Token=" VARIABLE_MASK, s.variables[1]);
	CHECK_INT(VARIABLE_READ | VARIABLE_SET | VARIABLE_MASKED, snapshot_mark(&s, 1));
	CHECK(!snapshot_mask(&s));
	snapshot_release(&s);
}

static void names_of_variables(void)
{
	CHECK(variable_is_secret("AWS_ACCESS_KEY_ID") && variable_is_secret("X_PRIVATE_KEY=TOKEN"));
	CHECK(!variable_is_secret("PATH=TOKEN") && !variable_is_secret("COMPASS=1"));
	CHECK(variable_is_machinery("srcdir") && variable_is_machinery("LD_PRELOAD=x") && variable_is_machinery("_=x"));
	CHECK(!variable_is_machinery("M4PATH") && !variable_is_machinery("TZ=UTC") && !variable_is_machinery("LC_ALL"));
	CHECK(variable_is_joined("LC_TIME=C") && !variable_is_joined("TZ"));
}

// As an older veer wrote it: variables have no marks.
static void older(void)
{
	struct snapshot a, b;
	struct buf bytes = {0};
	struct err err;
	fill(&a);
	mem_free(a.variables[0]);
	mem_free(a.variables[1]);
	a.n_variables = 0;
	snapshot_encode(&a, &bytes);
	size_t at = 8 + 4 + strlen(a.program) + 16 + 4 + strlen(a.cwd) + 8, input = at + 4 + 4 + 3 * 4;
	memmove(bytes.data + input, bytes.data + input + 16, bytes.len - input - 16); // what standard input was
	bytes.len -= 16;
	CHECK_INT(-1, snapshot_decode(&b, bytes.data, bytes.len, &err));
	bytes.data[7] = '2';
	CHECK_THAT(snapshot_decode(&b, bytes.data, bytes.len, &err) == 0, "%s", err.text);
	CHECK(!b.whole && b.marks && b.umask == a.umask && b.n == a.n);
	snapshot_release(&b);
	memmove(bytes.data + at, bytes.data + at + 4, bytes.len - at - 4); // `whole`
	bytes.len -= 4;
	CHECK_INT(-1, snapshot_decode(&b, bytes.data, bytes.len, &err));
	bytes.data[7] = '1';
	CHECK_THAT(snapshot_decode(&b, bytes.data, bytes.len, &err) == 0, "%s", err.text);
	CHECK(b.whole && !b.marks && b.umask == a.umask && b.n == a.n);
	bytes.data[7] = '4';
	CHECK_INT(-1, snapshot_decode(&b, bytes.data, bytes.len, &err));
	bytes.data[7] = '0';
	CHECK_INT(-1, snapshot_decode(&b, bytes.data, bytes.len, &err));
	snapshot_release(&a);
	snapshot_release(&b);
	buf_release(&bytes);
}

static struct snapshot_entry entry_of(struct hash h, size_t size)
{
	return (struct snapshot_entry){.kind = SNAPSHOT_FILE, .path = "/x", .content = h, .size = size, .known = true};
}

static void contents(void)
{
	char *files = test_path("new/files");
	struct hash h, again;
	struct buf back = {0};
	struct err err;
	CHECK_INT(0, snapshot_keep(files, "abc", 3, &h, &err));
	CHECK_INT(0, snapshot_keep(files, "abc", 3, &again, &err));
	CHECK(h.low == again.low && h.high == again.high);
	struct snapshot_entry e = entry_of(h, 3);
	buf_addstr(&back, "x");
	CHECK_INT(0, snapshot_content(files, &e, &back, &err));
	CHECK_STR("xabc", back.data);
	CHECK_INT(0, snapshot_keep(files, NULL, 0, &h, &err));
	struct snapshot_entry empty = entry_of(h, 0), zeros = {.path = "/z", .size = 3};
	CHECK_INT(0, snapshot_content(files, &empty, &back, &err));
	CHECK_INT(4, back.len);
	CHECK_INT(0, snapshot_content(files, &zeros, &back, &err));
	CHECK(back.len == 7 && memcmp(back.data + 3, "c\0\0\0", 5) == 0);
	zeros.size = UINT64_MAX;
	CHECK_INT(-1, snapshot_content(files, &zeros, &back, &err));
	buf_release(&back);
}

static void damaged_contents(void)
{
	char *files = test_path("files");
	struct hash h;
	struct buf back = {0};
	struct err err;
	char hex[HASH_HEX];
	CHECK_INT(0, snapshot_keep(files, "abc", 3, &h, &err));
	hash_hex(h, hex);
	struct snapshot_entry e = entry_of(h, 3), other = entry_of(h, 4);
	char *path = test_printf("%s/%s", files, hex);
	CHECK_INT(-1, snapshot_content(files, &other, &back, &err));
	test_write(path, "abd", 3);
	CHECK_INT(-1, snapshot_content(files, &e, &back, &err));
	test_write(path, "ab", 2);
	CHECK_INT(-1, snapshot_content(files, &e, &back, &err));
	CHECK(strstr(err.text, "/x"));
	CHECK_INT(0, snapshot_keep(files, "abc", 3, &h, &err));
	CHECK_INT(0, snapshot_content(files, &e, &back, &err));
	CHECK_INT(0, unlink(path));
	CHECK_INT(-1, snapshot_content(files, &e, &back, &err));
	CHECK_STR("abc", back.data);
	buf_release(&back);
	test_write(test_path("file"), "", 0);
	CHECK_INT(-1, snapshot_keep(test_path("file/below"), "abc", 3, &h, &err));
}

static void check_libraries(struct snapshot *s, const char *variable, const char *expected)
{
	mem_free(s->variables[1]);
	s->variables[1] = mem_strdup(variable);
	char *got = snapshot_libraries(s);
	CHECK_STR(expected, got);
	mem_free(got);
}

static void libraries(void)
{
	struct snapshot s;
	fill(&s);
	check_libraries(&s, "LD_LIBRARY_PATHS=/x", "");
	check_libraries(&s, "LD_LIBRARY_PATH=", "");
	check_libraries(&s, "LD_LIBRARY_PATH=/x", "/x");
	check_libraries(&s, "LD_LIBRARY_PATH=.libs:/y::", "/tmp/gone.d/.libs:/y:/tmp/gone.d:/tmp/gone.d");
	snapshot_release(&s);
}

static void complete_input(void)
{
	char *files = test_path("files");
	struct snapshot s;
	struct input in = {0}, seed = {0};
	struct err err;
	fill(&s);
	CHECK_INT(0, snapshot_keep(files, "content", 7, &s.v[1].content, &err));
	input_add(&in, INPUT_ARGUMENT, NULL, "x", 1);
	input_add(&in, INPUT_FILE, "/tmp/gone.d/a\nb", "changed", 7);
	input_add(&in, INPUT_FILE, "/tmp/gone.d/no", "new", 3);
	input_add(&in, INPUT_VARIABLE, "LC_ALL", "", 0);
	input_add(&in, INPUT_VARIABLE, "LC", "", 0);
	input_add(&seed, INPUT_ARGUMENT, NULL, "y", 1);
	for (int i = 0; i < 2; i++)
		CHECK_INT(0, snapshot_complete(&s, files, &in, &seed, &err));
	CHECK_INT(3, seed.n);
	CHECK_STR("content", input_find(&seed, INPUT_FILE, "/tmp/gone.d/a\nb")->data.data);
	CHECK_STR("C", input_find(&seed, INPUT_VARIABLE, "LC_ALL")->data.data);
	input_release(&seed);
	CHECK_INT(-1, snapshot_complete(&s, test_path("no"), &in, &seed, &err));
	input_release(&seed);
	input_release(&in);
	snapshot_release(&s);
}

// --- in the sandbox -----------------------------------------------------------------------------

static char *seen(const struct sandbox *s, const char *path)
{
	return test_printf("%s%s", s->root, path);
}

static void add(struct snapshot *s, enum snapshot_kind kind, char *path, const char *text)
{
	struct snapshot_entry *e = snapshot_add(s, kind, path);
	e->mode = kind == SNAPSHOT_FOLDER ? 0755 : 0644;
	e->text = kind == SNAPSHOT_LINK ? mem_strdup(text) : NULL;
}

static void start_snapshot(struct snapshot *s, const char *cwd)
{
	*s = (struct snapshot){.program = mem_strdup("/p"), .cwd = mem_strdup(cwd)};
}

static void put(const struct snapshot *s, struct sandbox *worker_dir)
{
	struct input none = {0};
	struct err err = {""};
	CHECK_THAT(snapshot_put(s, &none, test_path("files"), worker_dir, &err) == 0, "%s", err.text);
	CHECK_INT(0, sandbox_reset(worker_dir, &err));
}

// Entries that contradict each other, or lead elsewhere: the first one counts, and nothing is put outside of the view.
static void put_contradictions(struct sandbox *worker_dir)
{
	struct snapshot s;
	start_snapshot(&s, test_path("cwd/new"));
	char long_name[300] = "/";
	memset(long_name + 1, 'x', sizeof long_name - 2);
	add(&s, SNAPSHOT_LINK, test_path("cwd/out"), worker_dir->worker_dir);
	add(&s, SNAPSHOT_FILE, test_path("cwd/out/evil"), NULL);
	add(&s, SNAPSHOT_FOLDER, test_path("cwd/out/evil-folder"), NULL);
	add(&s, SNAPSHOT_FILE, test_path("cwd/file"), NULL);
	add(&s, SNAPSHOT_FILE, test_path("cwd/file/below"), NULL);
	add(&s, SNAPSHOT_FOLDER, test_path("cwd/file"), NULL);
	add(&s, SNAPSHOT_ABSENT, test_path("cwd/gone"), NULL);
	add(&s, SNAPSHOT_FILE, test_path("cwd/gone/below"), NULL);
	add(&s, SNAPSHOT_PIPE, test_path("cwd/pipe"), NULL);
	add(&s, SNAPSHOT_FILE, test_path("cwd/pipe"), NULL);
	add(&s, SNAPSHOT_ABSENT, "/", NULL);
	add(&s, SNAPSHOT_FILE, "/tmp", NULL);
	add(&s, SNAPSHOT_ABSENT, "/dev/null", NULL);
	add(&s, SNAPSHOT_FILE, "/proc/1/x", NULL);
	add(&s, SNAPSHOT_FILE, worker_dir->worker_dir, NULL);
	add(&s, SNAPSHOT_ABSENT, worker_dir->open, NULL);
	add(&s, SNAPSHOT_FILE, test_printf("%s/store/x", worker_dir->worker_dir), NULL);
	add(&s, SNAPSHOT_FILE, test_printf("%s%s", test_path("cwd"), long_name), NULL);
	put(&s, worker_dir);
	CHECK(!file_exists(test_printf("%s/evil", worker_dir->worker_dir)));
	CHECK(!file_exists(test_printf("%s/evil-folder", worker_dir->worker_dir)));
	CHECK(!file_exists(test_printf("%s/store/x", worker_dir->worker_dir)));
	struct stat st;
	CHECK(lstat(seen(worker_dir, test_path("cwd/out")), &st) == 0 && S_ISLNK(st.st_mode));
	CHECK(lstat(seen(worker_dir, test_path("cwd/file")), &st) == 0 && S_ISREG(st.st_mode));
	CHECK(lstat(seen(worker_dir, test_path("cwd/gone")), &st) < 0);
	CHECK(lstat(seen(worker_dir, test_path("cwd/pipe")), &st) == 0 && S_ISFIFO(st.st_mode));
	CHECK(stat(seen(worker_dir, test_path("cwd/new")), &st) == 0 && S_ISDIR(st.st_mode));
	CHECK(stat(seen(worker_dir, "/dev/null"), &st) == 0 && S_ISCHR(st.st_mode));
	CHECK(stat(seen(worker_dir, worker_dir->open), &st) == 0 && S_ISDIR(st.st_mode));
	snapshot_release(&s);
}

// What one snapshot had, the next has not.
static void put_in_alternative(struct sandbox *worker_dir)
{
	struct snapshot s;
	struct stat st;
	start_snapshot(&s, test_path("cwd"));
	put(&s, worker_dir);
	CHECK(lstat(seen(worker_dir, test_path("cwd/out")), &st) < 0);
	CHECK(stat(seen(worker_dir, test_path("cwd/gone/inner")), &st) == 0);
	snapshot_release(&s);
}

// Layers of snapshots that are gone hold what was read of them for a while: together they are more than there is room
// for.
static void put_large(struct sandbox *worker_dir)
{
	enum { SIZE = 30 << 20, TIMES = 10 };
	char *data = test_alloc(SIZE), *files = test_printf("%s/files", worker_dir->worker_dir);
	struct hash content;
	struct err err = {""};
	memset(data, 'x', SIZE);
	CHECK_INT(0, snapshot_keep(files, data, SIZE, &content, &err));
	for (int i = 0; i < TIMES; i++) {
		struct snapshot s;
		struct input none = {0};
		start_snapshot(&s, test_path("cwd"));
		add(&s, SNAPSHOT_FILE, test_path("cwd/large"), NULL);
		s.v[0].known = true;
		s.v[0].content = content;
		s.v[0].size = SIZE;
		s.clock = i;
		CHECK_THAT(snapshot_put(&s, &none, files, worker_dir, &err) == 0, "%s, %d", err.text, i);
		int fd = open(seen(worker_dir, test_path("cwd/large")), O_RDONLY | O_CLOEXEC);
		CHECK(fd >= 0 && read(fd, data, 1) == 1 && data[0] == 'x');
		close(fd);
		CHECK_INT(0, sandbox_reset(worker_dir, &err));
		snapshot_release(&s);
	}
	file_remove_tree(files);
}

// Any paths, in any order, in a small world so that they meet.
static char *random_path(void)
{
	static const char *const names[] = {"a", "b", "gone", "inner", "out"};
	char *path = test_path("cwd");
	for (uint64_t n = test_below(4); n-- > 0;)
		path = test_printf("%s/%s", path, names[test_below(COUNT(names))]);
	return path;
}

static void put_anything(struct sandbox *worker_dir)
{
	for (int i = 0; i < 150; i++) {
		struct snapshot s;
		start_snapshot(&s, random_path());
		for (uint64_t n = test_below(12); n-- > 0;) {
			enum snapshot_kind kind = (enum snapshot_kind)test_below(SNAPSHOT_KINDS);
			add(&s, kind, random_path(), test_below(2) ? random_path() : worker_dir->worker_dir);
			s.v[s.n - 1].mode = (uint32_t)test_below(010000);
			s.v[s.n - 1].known = kind == SNAPSHOT_FOLDER && test_below(2);
		}
		put(&s, worker_dir);
		snapshot_release(&s);
	}
	CHECK(!file_exists(test_printf("%s/a", worker_dir->worker_dir)) &&
	      !file_exists(test_printf("%s/b", worker_dir->worker_dir)));
}

static int play(void *opaque)
{
	const char *const folders[] = {"box", "cwd", "cwd/gone", "files"};
	struct sandbox worker_dir;
	struct err err = {""};
	if (*(int *)opaque)
		CHECK(setgid(SOMEBODY) == 0 && setuid(SOMEBODY) == 0 && prctl(PR_SET_DUMPABLE, 1) == 0);
	for (size_t i = 0; i < COUNT(folders); i++)
		CHECK(mkdir(test_path(folders[i]), 0755) == 0);
	test_write_text(test_path("cwd/gone/inner"), "x");
	pid_t pid = sandbox_fork(&worker_dir, SANDBOX_NAMESPACES, NULL, test_path("box"), test_path("cwd"), &err);
	CHECK_THAT(pid >= 0, "%s", err.text);
	if (pid == 0) {
		put_contradictions(&worker_dir);
		put_in_alternative(&worker_dir);
		put_large(&worker_dir);
		put_anything(&worker_dir);
		sandbox_leave(&worker_dir);
		_exit(0);
	}
	int status;
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_INT(0, status);
	CHECK_STR("x", (char *)test_read(test_path("cwd/gone/inner")).data);
	CHECK(!file_exists(test_path("cwd/new")) && !file_exists(test_path("cwd/out")));
	for (size_t i = 0; i < COUNT(folders); i++)
		file_remove_tree(test_path(folders[i]));
	return 0;
}

static void in_sandbox(void)
{
	if (!sandbox_works(SANDBOX_NAMESPACES, NULL)) {
		printf("skip scene: there are no namespaces here\n");
		return;
	}
	CHECK(chmod(test_folder(), 0777) == 0);
	for (int as_user = 0; as_user <= (geteuid() == 0); as_user++)
		test_child(play, &as_user, 0);
}

static const struct test tests[] = {
	TEST(entries),
	TEST(round_trip),
	TEST(hostile),
	TEST(paths),
	TEST(hashes),
	TEST(hashes_of_variables),
	TEST(masks),
	TEST(names_of_variables),
	TEST(older),
	TEST(contents),
	TEST(damaged_contents),
	TEST(complete_input),
	TEST(libraries),
	TEST(in_sandbox),
};
TEST_MAIN("scene")
