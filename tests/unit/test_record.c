// Tables, filters and files of recording. What it records of processes is tested by tests/e2e/record.sh.
#include "record/record.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "record/record_internal.h"
#include "test.h"

static void known_paths(void)
{
	struct known_paths t = {0};
	enum { MANY = 3000 };
	CHECK(!known_paths_find(&t, "/a"));
	for (int i = 0; i < MANY; i++) {
		struct known_path *p = known_paths_add(&t, test_printf("/folder/%d", i), PATH_ENTRY);
		p->index = (uint32_t)i;
	}
	known_paths_add(&t, "", PATH_OWN);
	for (int i = 0; i < MANY; i++) {
		struct known_path *p = known_paths_find(&t, test_printf("/folder/%d", i));
		CHECK(p && p->index == (uint32_t)i);
	}
	CHECK(!known_paths_find(&t, "/folder"));
	CHECK_INT(PATH_OWN, known_paths_find(&t, "")->kind);
	known_paths_release(&t);
}

static void find_names(const char *data, size_t size, const char *expected)
{
	static const char *const all[] = {"PATH", "TZ", "_", "A_B", "LC_ALL"};
	struct names t = {0};
	for (size_t i = 0; i < 5; i++)
		strv_push(&t.list, all[i]);
	for (size_t from = 0; from < 5; from += 4) { // many names are looked for in another way than few
		bool found[5] = {0};
		char text[6] = "";
		names_find(&t, from, data, size, found);
		for (size_t i = 0; i < 5; i++)
			text[i] = found[i] ? 'x' : '.';
		CHECK_STR(from ? (expected[4] == 'x' ? "....x" : ".....") : expected, text);
	}
	names_release(&t);
}

static void names(void)
{
	find_names("", 0, ".....");
	find_names("PATH", 4, "x....");
	find_names("PATHS TZX", 9, ".....");
	find_names("\0LD_PATH\0TZ\0", 13, "xx..."); // the end of another string
	find_names("$TZ=${A_B}_", 11, ".xxx.");
	find_names("LC_ALLS LC_ALL", 14, "....x");
	find_names("LC_ALLLC_ALL", 12, "....x");
}

static struct hash keep(struct contents *c, const char *path)
{
	struct hash h = {0};
	struct stat st;
	struct err err;
	uint64_t size;
	CHECK_INT(0, lstat(path, &st));
	CHECK_INT(0, contents_keep(c, path, &st, &h, &size, &err));
	CHECK_INT(st.st_size, size);
	return h;
}

static void contents(void)
{
	struct contents c;
	uint64_t bytes = 0;
	char *files = test_path("files"), *a = test_path("a"), *b = test_path("b");
	contents_init(&c, files, &bytes);
	test_write_text(a, "hello");
	test_write_text(b, "hello");
	struct hash x = keep(&c, a), y = keep(&c, b);
	CHECK(x.low == y.low && x.high == y.high);
	CHECK_INT(5, bytes); // once
	// Changed at once, same size: the clock of the file system may not have ticked.
	for (int i = 0; i < 20; i++) {
		test_write_text(a, i % 2 ? "hell1" : "hell2");
		y = keep(&c, a);
		struct hash now = hash_bytes(i % 2 ? "hell1" : "hell2", 5);
		CHECK_THAT(y.low == now.low, "in round %d", i);
	}
	CHECK_INT(15, bytes);
	test_write_text(a, "");
	keep(&c, a);
	// A file that has settled is not read again.
	struct timespec old[2] = {{1, 0}, {1, 0}};
	test_write_text(b, "other");
	CHECK_INT(0, utimensat(AT_FDCWD, b, old, 0));
	usleep(80000);
	keep(&c, b);
	CHECK_INT(0, file_remove_tree(files));
	keep(&c, b);
	CHECK(!file_exists(files));
	contents_release(&c);
}

static void contents_that_fail(void)
{
	struct contents c;
	uint64_t bytes = 0, size;
	struct hash h;
	struct stat st;
	struct err err = {""};
	char *a = test_path("a"), *pipe = test_path("pipe");
	test_write_text(test_path("nofolder"), "");
	contents_init(&c, test_path("nofolder"), &bytes);
	test_write_text(a, "hello");
	CHECK_INT(0, lstat(a, &st));
	CHECK_INT(-2, contents_keep(&c, a, &st, &h, &size, &err));
	CHECK(err.text[0]);
	CHECK_INT(-1, contents_keep(&c, test_path("nothing"), &st, &h, &size, &err));
	// A pipe has taken its place: not waited for.
	CHECK_INT(0, mkfifo(pipe, 0644));
	CHECK_INT(-1, contents_keep(&c, pipe, &st, &h, &size, &err));
	contents_release(&c);
}

// What the kernel does with a filter.
static bool stops(const struct sock_filter *code, size_t n, long number, uint32_t arch, const uint64_t args[6])
{
	struct seccomp_data data = {.nr = (int)number, .arch = arch};
	memcpy(data.args, args, sizeof data.args);
	uint32_t a = 0;
	for (size_t i = 0; i < n; i++) {
		const struct sock_filter *x = &code[i];
		switch (x->code) {
		case BPF_LD | BPF_W | BPF_ABS: memcpy(&a, (char *)&data + x->k, 4); break;
		case BPF_JMP | BPF_JEQ | BPF_K: i += a == x->k ? x->jt : x->jf; break;
		case BPF_RET | BPF_K: return x->k == SECCOMP_RET_TRACE;
		default: CHECK_THAT(false, "instruction %zu", i);
		}
	}
	test_fail(__FILE__, __LINE__, "no end");
}

static bool stops_at(bool paths, uint64_t descriptors, long number, uint64_t first, uint64_t fourth)
{
	struct sock_filter code[FILTER_MAX];
	size_t n = filter_make(code, paths, descriptors);
	const uint64_t args[6] = {first, 0, 0, fourth, 0, 0};
	CHECK(!stops(code, n, number, AUDIT_ARCH_I386, args));
	return stops(code, n, number, AUDIT_ARCH_X86_64, args);
}

static void filters(void)
{
	enum { STREAMS = 7 };
	const uint64_t none[6] = {0};
	CHECK(stops_at(true, STREAMS, SYS_openat, 0, 0));
	CHECK(stops_at(true, STREAMS, SYS_rename, 0, 0));
	CHECK(stops_at(true, 0, SYS_getdents64, 5, 0));
	CHECK(stops_at(true, STREAMS, SYS_newfstatat, 0, AT_SYMLINK_NOFOLLOW));
	CHECK(!stops_at(true, STREAMS, SYS_newfstatat, 0, AT_EMPTY_PATH));
	CHECK(!stops_at(true, STREAMS, SYS_mmap, 0, 0));
	CHECK(!stops_at(true, STREAMS, SYS_close, 0, 0));
	for (uint64_t fd = 0; fd < 64; fd++) {
		CHECK_THAT(stops_at(true, STREAMS, SYS_read, fd, 0) == (fd < 3), "descriptor %d", (int)fd);
		CHECK_THAT(stops_at(false, 1 << 9, SYS_write, fd, 0) == (fd == 9), "descriptor %d", (int)fd);
	}
	CHECK(stops_at(true, STREAMS, SYS_dup, 2, 0));
	CHECK(!stops_at(false, STREAMS, SYS_openat, 0, 0));
	CHECK(!stops_at(true, 0, SYS_read, 0, 0));
	CHECK(stops_at(true, UINT64_C(0x8000000001ffff), SYS_write, 55, 0)); // as many as there may be, and more
	struct sock_filter code[FILTER_MAX];
	size_t n = filter_base(code);
	CHECK(stops(code, n, SYS_execve, AUDIT_ARCH_X86_64, none));
	CHECK(stops(code, n, SYS_ptrace, AUDIT_ARCH_X86_64, none));
	CHECK(!stops(code, n, SYS_openat, AUDIT_ARCH_X86_64, none));
	CHECK(!stops(code, n, SYS_read, AUDIT_ARCH_X86_64, none));
}

static void processes(void)
{
	struct recorder *r = mem_zero(sizeof *r);
	struct execution *e = mem_zero(sizeof *e);
	enum { FIRST = 100, LAST = 20000 };
	struct process *p = process_add(r, FIRST, NULL);
	e->references = 1;
	p->execution = e;
	p->watched = 5;
	for (pid_t pid = FIRST + 1; pid <= LAST; pid++)
		process_add(r, pid, p);
	CHECK_INT(LAST - FIRST + 1, e->references);
	CHECK_INT(5, process_find(r, LAST)->watched);
	process_rename(r, LAST, FIRST); // a thread that executes
	CHECK(!process_find(r, LAST) && process_find(r, FIRST)->execution == e);
	CHECK_INT(LAST - FIRST, e->references);
	process_rename(r, LAST, 7); // not known
	process_remove(r, LAST);
	for (pid_t pid = FIRST; pid < LAST; pid++)
		process_remove(r, pid);
	CHECK_INT(0, r->n_processes);
	mem_free(r);
}

static void reasons(void)
{
	struct execution *e = mem_zero(sizeof *e);
	e->references = 1;
	execution_cannot(e, "a %s", "b\nc");
	execution_cannot(e, "later");
	CHECK_STR("a b?c", e->snapshot.why);
	execution_drop(e);
}

// --- seeds on disk ----------------------------------------------------------------------------

static void write_seed(const char *name, const char *program)
{
	struct snapshot s = {.program = mem_strdup(program), .cwd = mem_strdup("/")};
	struct input in = {0};
	struct buf all = {0}, snapshot = {0}, input = {0};
	input_add(&in, INPUT_ARGUMENT, NULL, "x", 1);
	snapshot_encode(&s, &snapshot);
	input_encode(&in, &input);
	buf_u64(&all, snapshot.len);
	buf_add(&all, snapshot.data, snapshot.len);
	buf_u64(&all, input.len);
	buf_add(&all, input.data, input.len);
	test_write(test_path(test_printf("d/recorded/%s", name)), all.data, all.len);
	buf_release(&all);
	buf_release(&snapshot);
	buf_release(&input);
	snapshot_release(&s);
	input_release(&in);
}

struct seen {
	char programs[64];
	int stop_after;
};

static int see(void *opaque, struct snapshot *snapshot, struct input *in)
{
	struct seen *s = opaque;
	CHECK_INT(1, in->n);
	strcat(s->programs, snapshot->program);
	return --s->stop_after == 0 ? 5 : 0;
}

static void seeds(void)
{
	struct err err;
	struct seen all = {"", 0}, some = {"", 2};
	size_t damaged = 9;
	CHECK_INT(-1, record_each(test_path("d"), see, &all, &damaged, &err));
	CHECK_INT(0, file_mkdirs(test_path("d/recorded"), 0777, &err));
	write_seed("10", "/c");
	write_seed("2", "/b");
	write_seed("1", "/a");
	write_seed(".11", "/half");
	write_seed("x", "/other");
	test_write_text(test_path("d/recorded/3"), "damaged");
	test_write_text(test_path("d/recorded/4"), "");
	write_seed("5", "not absolute");
	CHECK_INT(0, record_each(test_path("d"), see, &all, &damaged, &err));
	CHECK_STR("/a/b/c", all.programs);
	CHECK_INT(3, damaged);
	CHECK_INT(5, record_each(test_path("d"), see, &some, NULL, &err));
	CHECK_STR("/a/b", some.programs);
	record_clear(test_path("d"));
	CHECK(!file_exists(test_path("d/recorded")));
}

// Whatever is in the files: a result, and nothing read beyond them.
static void hostile_seeds(void)
{
	struct err err;
	CHECK_INT(0, file_mkdirs(test_path("d/recorded"), 0777, &err));
	write_seed("1", "/a");
	struct bytes good = test_read(test_path("d/recorded/1"));
	for (int i = 0; i < 300; i++) {
		struct bytes x = test_bytes(good.data, good.size);
		struct seen all = {"", 0};
		size_t damaged = 0;
		if (i % 2)
			x.size = test_below(x.size);
		else
			test_mutate(x.data, 0, 16);
		test_write(test_path("d/recorded/1"), x.data, x.size);
		CHECK_INT(0, record_each(test_path("d"), see, &all, &damaged, &err));
		CHECK(damaged == 1 || test_same(x, good));
	}
}

static const struct test tests[] = {
	TEST(known_paths), TEST(names),   TEST(contents), TEST(contents_that_fail), TEST(filters),
	TEST(processes),   TEST(reasons), TEST(seeds),    TEST(hostile_seeds),
};
TEST_MAIN("record")
