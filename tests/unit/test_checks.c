// A kind of check is a line in abi/checks.def: this program and the filter that it is built with have one line more
// (dummy/abi/checks.def). Its number comes through a trace, and its word selects it.
#include "abi/trace.h"
#include "expr/trace.h"
#include "findings/filter.h"
#include "test.h"

static struct err err;

static struct filter parse(const char *checks)
{
	struct filter f;
	CHECK_THAT(filter_parse(&f, NULL, NULL, checks, &err) == 0, "%s", err.text);
	return f;
}

static void has_a_word(void)
{
	struct filter dummy = parse("dummy"), bounds = parse("bounds"), room = parse("room"),
		      undefined = parse("undefined");
	CHECK(filter_wants_check(&dummy, CHECK_DUMMY) && !filter_wants_check(&dummy, CHECK_ROOM));
	CHECK(!filter_wants_check(&dummy, UBSAN_SHIFT));
	CHECK(filter_wants_check(&bounds, CHECK_DUMMY));
	CHECK(!filter_wants_check(&room, CHECK_DUMMY) && filter_wants_check(&room, CHECK_ROOM));
	CHECK(!filter_wants_check(&undefined, CHECK_DUMMY));
	struct buf text = {0};
	filter_text(&room, &text);
	CHECK(strstr(text.data, "no checks of dummy\n"));
	buf_release(&text);
	CHECK(filter_parse(&dummy, NULL, NULL, "dumy", &err) < 0);
	CHECK(strstr(err.text, ", dummy, "));
}

static void events_carry_it(void)
{
	const struct trace t = {0};
	struct trace_event e = {.kind = EVENT_CHECK, .check_kind = CHECK_DUMMY};
	CHECK_INT(CHECK_DUMMY, trace_check_kind(&t, &e));
	e.check_kind = CHECK_OF_SITE;
	CHECK_INT(CHECK_ACCESS, trace_check_kind(&t, &e)); // of a trace that an older veer saved
	e = (struct trace_event){.kind = EVENT_ACCESS};
	CHECK_INT(CHECK_ACCESS, trace_check_kind(&t, &e));
}

static const struct test tests[] = {
	TEST(has_a_word),
	TEST(events_carry_it),
};
TEST_MAIN("checks")
