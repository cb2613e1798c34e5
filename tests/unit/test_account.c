// The account of a recorded suite.
#include "base/mem.h"
#include "store/account.h"
#include "store/store.h"
#include "test.h"

static struct err err;

#define OK(call) CHECK_THAT((call) == 0, "%s", err.text)

static char *sentence(const struct account *a)
{
	struct buf text = {0};
	account_sentence(a, &text);
	char *copy = test_printf("%s", text.data);
	buf_release(&text);
	return copy;
}

static void words(void)
{
	for (int i = OUTCOME_NONE + 1; i < OUTCOMES; i++)
		CHECK_INT(i, outcome_parse(outcome_word((enum outcome)i)));
	CHECK_INT(OUTCOME_NONE, outcome_parse("nonsense"));
	CHECK_INT(OUTCOME_NONE, outcome_parse(NULL));
	CHECK(!outcome_word(OUTCOME_NONE));
}

// Each test is counted once, whatever it is; the sums add up.
static void sums(void)
{
	struct account a = {0};
	CHECK(!account_is_whole(&a) && account_share(&a) == 0); // nothing was done
	account_add(&a, OUTCOME_NOT_CHOSEN, NULL);
	CHECK(!account_is_whole(&a) && account_share(&a) == 0);
	account_add(&a, OUTCOME_ANALYSED, NULL);
	CHECK(account_is_whole(&a) && account_share(&a) == 100);
	account_add(&a, OUTCOME_CUT_TIME, NULL);
	account_add(&a, OUTCOME_CUT_TRACE, NULL);
	account_add(&a, OUTCOME_DIFFERS, "exit status 1");
	CHECK(!account_is_whole(&a) && account_share(&a) == 25);
	CHECK_INT(5, a.recorded);
	CHECK_INT(4, account_asked(&a));
	CHECK_INT(2, account_cut(&a));
	CHECK_STR("1 of 5 recorded tests was analysed; 1 cut by time, 1 cut by the size of the trace, 1 ended "
	          "differently "
	          "traced, 1 not chosen by --sample, --include or --exclude",
	          sentence(&a));
	account_release(&a);
}

// A test that was cut and of which checks were solved: analysed, but no part of the share.
static void in_part(void)
{
	struct account a = {0};
	CHECK_INT(OUTCOME_PART_TIME, outcome_in_part(OUTCOME_CUT_TIME));
	CHECK_INT(OUTCOME_PART_TRACE, outcome_in_part(OUTCOME_CUT_TRACE));
	CHECK_INT(OUTCOME_PART_SIZE, outcome_in_part(OUTCOME_CUT_SIZE));
	CHECK_INT(OUTCOME_ANALYSED, outcome_in_part(OUTCOME_ANALYSED));
	CHECK_INT(OUTCOME_DIFFERS, outcome_in_part(OUTCOME_DIFFERS));
	account_add(&a, OUTCOME_PART_TRACE, NULL);
	account_add(&a, OUTCOME_PART_TIME, NULL);
	account_add(&a, OUTCOME_CUT_TIME, NULL);
	CHECK(!account_is_whole(&a) && account_share(&a) == 0);
	CHECK_INT(2, account_part(&a));
	CHECK_INT(1, account_cut(&a));
	CHECK_STR("0 of 3 recorded tests were analysed; 1 analysed in part (cut by time), 1 analysed in part (cut by "
	          "the size of the trace), 1 cut by time",
	          sentence(&a));
	CHECK_INT(3, a.n_reasons);
	account_release(&a);
}

// Numbers in a reason make no other reason of it.
static void reasons(void)
{
	struct account a = {0};
	account_add(&a, OUTCOME_NOT_REPRODUCED, "10 bytes of output, recorded were 9");
	account_add(&a, OUTCOME_NOT_REPRODUCED, "7 bytes of output, recorded were 1234");
	account_add(&a, OUTCOME_DIFFERS, "7 bytes of output, recorded were 1234");
	account_add(&a, OUTCOME_NO_INPUT, NULL);
	account_add(&a, OUTCOME_NO_INPUT, NULL);
	account_add(&a, OUTCOME_NO_INPUT, NULL);
	account_add(&a, OUTCOME_ANALYSED, NULL);
	CHECK_INT(3, a.n_reasons);
	CHECK_INT(2, a.reasons[0].n);
	CHECK_STR("10 bytes of output, recorded were 9", a.reasons[0].why);
	CHECK_INT(1, a.reasons[1].n);
	CHECK(a.reasons[2].n == 3 && !a.reasons[2].why);
	account_release(&a);
}

static void add_test(struct store *s, uint64_t low, const char *outcome, const char *why)
{
	struct stored_snapshot c = {
		.hash = {low, 1}, .level = -1, .times = 1, .present = low < 90, .data = {"x", 1, 0}};
	c.outcome = outcome ? mem_strdup(outcome) : NULL;
	c.why = why ? mem_strdup(why) : NULL;
	OK(store_add_snapshot(s, &c, NULL, &err));
	mem_free(c.outcome);
	mem_free(c.why);
}

// What an older veer stored, and what nobody has come to, has no outcome.
static void stored(void)
{
	struct store *s = store_open(test_path("c"), true, &err);
	CHECK_THAT(s, "%s", err.text);
	struct account a;
	add_test(s, 1, "analysed", NULL);
	add_test(s, 2, NULL, NULL);
	add_test(s, 3, NULL, "it opens a device");
	add_test(s, 4, "of a newer veer", NULL);
	add_test(s, 5, "no_input", NULL);
	add_test(s, 6, "no_input", NULL);
	add_test(s, 90, "analysed", NULL); // of an earlier recording
	OK(account_read(&a, s, &err));
	CHECK_STR("1 of 6 recorded tests was analysed; 2 without input that veer can change, 1 not replayable outside "
	          "of the "
	          "suite, 2 not reached within the budget",
	          sentence(&a));
	CHECK_INT(OUTCOME_NO_INPUT, a.reasons[0].outcome);
	account_release(&a);
	store_close(s);
}

static const struct test tests[] = {TEST(words), TEST(sums), TEST(in_part), TEST(reasons), TEST(stored)};

TEST_MAIN("account")
