// Verdicts, and an oracle of this test's own: two versions of a program, which must do the same. It needs nothing but
// struct oracle and the set of executors.
#include "execute/observation.h"
#include "findings/oracle.h"
#include "worker_dirs.h"

// --- verdicts ---------------------------------------------------------------------------------------

static void each_bug_once(void)
{
	struct verdicts v = {0};
	verdicts_add(&v, LEVEL_WARNING, "shift", mem_strdup("f /src/a.c:3\nmain /src/a.c:9\n"), NULL);
	verdicts_add(&v, LEVEL_ERROR, "segv", mem_strdup("g b.c:7\n"), mem_strdup("all of it"));
	verdicts_add(&v, LEVEL_WARNING, "shift", mem_strdup("f /other/a.c:3\nmain /other/a.c:9\n"), NULL);
	verdicts_add(&v, LEVEL_RESOURCE, "hang", NULL, NULL);
	CHECK_INT(3, v.n);
	verdicts_sort(&v);
	CHECK_STR("segv", v.v[0].kind);
	CHECK_STR("hang", v.v[1].kind);
	CHECK_STR("shift", v.v[2].kind);
	CHECK(strcmp(v.v[0].file, "b.c") == 0 && v.v[0].line == 7 && strcmp(v.v[0].function, "g") == 0);
	CHECK(strcmp(v.v[1].file, "?") == 0 && v.v[1].line == 0 && *v.v[1].report == 0);
	CHECK(verdicts_find(&v, v.v[2].key) == &v.v[2]);
	uint64_t gone = v.v[1].key;
	verdicts_remove(&v, 1);
	CHECK(v.n == 2 && !verdicts_find(&v, gone) && strcmp(v.v[1].kind, "shift") == 0);
	verdicts_release(&v);
}

static void names(void)
{
	CHECK(stack_names_program("f a.c:1\nmain a.c:2\n"));
	CHECK(!stack_names_program("f a.c:1\nmaintain a.c:2\n"));
	CHECK(!stack_names_program("a a.c:1\nb a.c:2\nc a.c:3\nmain a.c:4\n")); // further out than keys look
	CHECK(!stack_names_program(""));
}

// --- an oracle ----------------------------------------------------------------------------------------

static unsigned runs;

static int compare_versions(const struct oracle_case *c, const struct input *in, struct verdicts *ret, struct err *err)
{
	struct target other = *c->target;
	struct observation before = {.words = "before"}, now = {0};
	struct buf why = {0};
	*ret = (struct verdicts){0};
	other.version = 1;
	other.program = test_printf("%s.1", c->target->program);
	struct executor *old = executors_get(c->executors, c->target, "native", err);
	struct executor *new = executors_get(c->executors, &other, "native", err);
	CHECK(old && new && old != new);
	CHECK(old == executors_get(c->executors, c->target, "native", err));
	CHECK_THAT(observe(old, in, c->milliseconds, &before, err) == 0, "%s", err->text);
	CHECK_THAT(observe(new, in, c->milliseconds, &now, err) == 0, "%s", err->text);
	runs++;
	if (!observation_same(&before, &now, NULL, &why))
		verdicts_add(ret, LEVEL_WARNING, "version-difference", NULL, buf_steal(&why));
	observation_release(&before);
	observation_release(&now);
	buf_release(&why);
	return 0;
}

static const struct oracle oracle_pair = {.name = "versions", .run = compare_versions};

static void add(struct input *in, enum input_kind kind, const char *text)
{
	input_add(in, kind, NULL, text, strlen(text));
}

static void differs(struct setting *t)
{
	const struct builder builder = {0};
	const struct target target = {.program = test_path("prog")};
	struct executors set;
	struct verdicts v;
	struct input in = {0};
	struct err err = {0};
	executors_init(&set, &(struct executors_setup){.builder = &builder, .sandbox = &t->s});
	struct oracle_case c = {.executors = &set, .target = &target, .milliseconds = 20000};
	add(&in, INPUT_ARGUMENT, "prog");
	add(&in, INPUT_STDIN, "nothing");
	CHECK_INT(0, oracle_pair.run(&c, &in, &v, &err));
	CHECK_INT(0, v.n);
	input_release(&in);
	add(&in, INPUT_ARGUMENT, "prog");
	add(&in, INPUT_STDIN, "nothing but an x here");
	CHECK_INT(0, oracle_pair.run(&c, &in, &v, &err));
	CHECK_INT(1, v.n);
	CHECK_STR("exit status 1, before exit status 0", v.v[0].report);
	CHECK_INT(0, oracle_minimise(&oracle_pair, &c, &in, NULL, false, v.v[0].key, 40, &err));
	const struct input_part *p = input_find(&in, INPUT_STDIN, NULL);
	CHECK(p && p->data.len == 1 && *p->data.data == 'x');
	CHECK(runs > 4 && runs <= 42);
	verdicts_release(&v);
	input_release(&in);
	executors_stop(&set);
	CHECK_INT(0, set.n);
}

static void another_oracle(void)
{
	static const char *const versions[][2] = {{"prog", "#!/bin/sh\ncat >/dev/null\n"},
	                                          {"prog.1", "#!/bin/sh\ncase $(cat) in *x*) exit 1;; esac\n"}};
	for (size_t i = 0; i < COUNT(versions); i++) {
		test_write_text(test_path(versions[i][0]), versions[i][1]);
		CHECK(chmod(test_path(versions[i][0]), 0755) == 0);
	}
	everywhere(differs, NULL);
}

// --- more reports than are read ------------------------------------------------------------------------

static const char report[] = "==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000014 at pc 0x1\n"
			     "WRITE of size 1 at 0x602000000014 thread T0\n    #0 0x1 in forged /forged.c:1:1\n"
			     "SUMMARY: AddressSanitizer: heap-buffer-overflow /forged.c:1:1 in forged\n";

// A folder of that many files as a run leaves them; what the oracle makes of it.
static struct verdicts read_reports(const char *name, unsigned files)
{
	static unsigned folders;
	char *folder = test_path(test_printf("reports%u", folders++));
	const struct executor e = {.reports = folder};
	struct verdicts v = {0};
	CHECK(mkdir(folder, 0700) == 0);
	for (unsigned i = 0; i < files; i++)
		test_write_text(test_printf("%s/%s.%u", folder, name, i), report);
	oracle_take_reports(&e, &v);
	return v;
}

static void crowds(void)
{
	static const struct {
		const char *name;
		unsigned files;
		size_t verdicts;
		bool crowded;
	} cases[] = {
		{"address", 0, 0, false},  {"address", 16, 1, false}, {"address", 17, 1, true},
		{"address", 300, 1, true}, {"other", 300, 0, false},  {"other", 5000, 0, true},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct verdicts v = read_reports(cases[i].name, cases[i].files);
		CHECK_INT(cases[i].verdicts, v.n);
		CHECK_THAT(v.crowded == cases[i].crowded, "%u %s", cases[i].files, cases[i].name);
		verdicts_release(&v);
	}
}

static unsigned crowd_from; // the run that begins to leave too many

static int crowd(const struct oracle_case *c, const struct input *in, struct verdicts *ret, struct err *err)
{
	(void)c, (void)in, (void)err;
	*ret = (struct verdicts){.crowded = runs++ >= crowd_from};
	verdicts_add(ret, LEVEL_ERROR, "segv", mem_strdup("f a.c:1\n"), NULL);
	return 0;
}

static const struct oracle oracle_crowd = {.name = "crowd", .run = crowd};

// Each run that minimises makes the files again: the first one that left too many is the last.
static void crowds_are_not_minimised(void)
{
	struct executors set = {0};
	const struct target target = {.program = "prog"};
	const struct oracle_case c = {.executors = &set, .target = &target};
	static const unsigned expected[][2] = {{0, 1}, {1, 2}, {5, 6}, {1000, 31}}; // crowded from, runs
	for (size_t i = 0; i < COUNT(expected); i++) {
		struct input in = {0};
		struct err err;
		struct verdicts v;
		crowd_from = 1000;
		crowd(&c, &in, &v, &err);
		add(&in, INPUT_ARGUMENT, "prog");
		for (int k = 0; k < 30; k++)
			add(&in, INPUT_ARGUMENT, "an argument of many bytes");
		runs = 0;
		crowd_from = expected[i][0];
		CHECK_INT(0, oracle_minimise(&oracle_crowd, &c, &in, NULL, false, v.v[0].key, 40, &err));
		CHECK_INT(expected[i][1], runs);
		verdicts_release(&v);
		input_release(&in);
	}
}

// --- the set --------------------------------------------------------------------------------------------

static void cannot_start(struct setting *t)
{
	const struct builder builder = {0};
	const struct target inside = {.program = "/bin/true", .entry = "parse"}, missing = {.program = "/no/such"};
	struct executors set;
	struct run_result r;
	struct input in = {0};
	struct err err = {0};
	executors_init(&set, &(struct executors_setup){.builder = &builder, .sandbox = &t->s});
	CHECK(!executors_get(&set, &inside, "native", &err));
	CHECK_STR("cannot run /bin/true from parse on: its native variant begins with main", err.text);
	CHECK_INT(0, set.n);
	struct executor *e = executors_get(&set, &missing, "native", &err);
	CHECK(e && executor_run(e, &in, 1000, &r, &err) < 0);
	CHECK(strstr(err.text, "cannot run /no/such"));
	executors_stop(&set);
}

static void refused(void)
{
	everywhere(cannot_start, NULL);
}

static const struct test tests[] = {
	TEST(each_bug_once), TEST(names), TEST(another_oracle), TEST(crowds), TEST(crowds_are_not_minimised),
	TEST(refused),
};
TEST_MAIN("oracle")
