// What two runs showed, compared: the first difference, in words.
#include <signal.h>

#include "base/mem.h"
#include "execute/observation.h"
#include "test.h"

static struct observation ran(enum run_end end, int code, const char *output)
{
	return (struct observation){.run = {.end = end, .code = code},
	                            .output = {.data = (char *)output, .len = strlen(output)},
	                            .words = "natively"};
}

static void check(const char *expected, const struct observation *a, const struct observation *b,
                  const struct observation *again)
{
	struct buf why = {0};
	bool same = observation_same(a, b, again, &why);
	CHECK_STR(expected, why.data ? why.data : "");
	CHECK_INT(*expected == 0, same);
	buf_release(&why);
}

#define EXITED(code, output) (&(struct observation[]){ran(RUN_EXITED, code, output)}[0])
#define ENDED(end, code) (&(struct observation[]){ran(end, code, "")}[0])

static void ends(void)
{
	check("", EXITED(0, "x"), EXITED(0, "x"), NULL);
	check("exit status 1, natively exit status 0", EXITED(0, "x"), EXITED(1, "x"), NULL);
	check("signal 11, natively exit status 0", EXITED(0, ""), ENDED(RUN_SIGNAL, SIGSEGV), NULL);
	check("exit status 11, natively signal 11", ENDED(RUN_SIGNAL, SIGSEGV), EXITED(11, ""), NULL);
	check("it did not end, natively exit status 0", EXITED(0, ""), ENDED(RUN_TIMEOUT, 0), NULL);
	check("it took too much memory, natively exit status 0", EXITED(0, ""), ENDED(RUN_MEMORY, 0), NULL);
	check("it wrote too much, natively exit status 0", EXITED(0, ""), ENDED(RUN_OUTPUT, 0), NULL);
}

static void outputs(void)
{
	check("output at byte 2: expected \"c\\n\", got \"d\\n\"", EXITED(0, "abc\n"), EXITED(0, "abd\n"), NULL);
	check("output at byte 3: expected \"d\", got the end", EXITED(0, "abcd"), EXITED(0, "abc"), NULL);
	check("output at byte 0: expected the end, got \"\\x1b\\x22\"", EXITED(0, ""), EXITED(0, "\x1b\""), NULL);
	// How it ended says more.
	check("exit status 2, natively exit status 0", EXITED(0, "a"), EXITED(2, "b"), NULL);
}

// What two runs of the same do not agree on is the program's own doing.
static void again(void)
{
	check("", EXITED(0, "12:00"), EXITED(0, "12:01"), EXITED(0, "12:02"));
	check("output at byte 4: expected \"0\", got \"1\"", EXITED(0, "12:00"), EXITED(0, "12:01"),
	      EXITED(0, "12:00"));
	check("", EXITED(0, ""), EXITED(1, ""), EXITED(2, ""));
}

static void files(void)
{
	struct written_entry one = {.path = "/a", .mode = 0100644, .size = 1}, two = one;
	struct observation a = ran(RUN_EXITED, 0, ""), b = a;
	two.size = 2;
	a.written = (struct written){.v = &one, .n = 1, .known = true};
	b.written = (struct written){.v = &two, .n = 1, .known = true};
	check("file /a: 2 bytes instead of 1", &a, &b, NULL);
	b.written.known = false;
	check("", &a, &b, NULL);
}

static void recorded(void)
{
	struct snapshot s = {.status = 3 << 8, .output_known = true, .output_size = 2, .output = hash_bytes("ab", 2)};
	struct buf why = {0};
	struct observation r = observation_recorded(&s);
	check("", &r, EXITED(3, "ab"), NULL);
	check("exit status 0, recorded was exit status 3", &r, EXITED(0, "ab"), NULL);
	check("it did not end, recorded was exit status 3", &r, ENDED(RUN_TIMEOUT, 0), NULL);
	check("1 bytes of output, recorded were 2", &r, EXITED(3, "a"), NULL);
	check("another output of the same size (2 bytes)", &r, EXITED(3, "ba"), NULL);
	s.output_known = false;
	r = observation_recorded(&s);
	check("", &r, EXITED(3, "anything"), NULL);
	s.status = SIGABRT;
	r = observation_recorded(&s);
	check("", &r, ENDED(RUN_SIGNAL, SIGABRT), NULL);
	check("exit status 0, recorded was signal 6", &r, EXITED(0, ""), NULL);
	CHECK(!observation_as_recorded(EXITED(0, ""), &s, &why));
	CHECK_STR("exit status 0, recorded was signal 6", why.data);
	buf_release(&why);
}

static void cut(void)
{
	CHECK(!observation_is_cut(EXITED(1, "")) && !observation_is_cut(ENDED(RUN_SIGNAL, SIGSEGV)));
	CHECK(observation_is_cut(ENDED(RUN_TIMEOUT, 0)) && observation_is_cut(ENDED(RUN_MEMORY, 0)) &&
	      observation_is_cut(ENDED(RUN_OUTPUT, 0)));
}

static const struct test tests[] = {
	TEST(ends), TEST(outputs), TEST(again), TEST(files), TEST(recorded), TEST(cut),
};
TEST_MAIN("observation")
