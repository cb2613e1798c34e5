#include "explore/efforts.h"

#include "test.h"

// A campaign of which the module sees no more than this.
struct small {
	struct campaign campaign;
	struct campaign_inside inside;
	struct campaign_setup setup;
	struct efforts efforts;
	uint64_t last_key;
};

static void begin(struct small *s, double seconds)
{
	*s = (struct small){.setup.seconds = seconds, .inside.n_slots = 1, .campaign.elapsed = 8};
	s->campaign.inside = &s->inside;
	s->campaign.setup = &s->setup;
	tree_init(&s->inside.tree, 1000);
	tree_init(&s->inside.edges, 1000);
}

static void end(struct small *s)
{
	tree_release(&s->inside.tree);
	tree_release(&s->inside.edges);
	efforts_release(&s->efforts);
}

static struct candidate of_edge(struct small *s, uint64_t edge)
{
	return (struct candidate){.input = (int64_t)++s->last_key, .alternative = {.edge = edge, .key = s->last_key}};
}

// The solver left it in haste, or gave up for good.
static void stays_unknown(struct small *s, const struct candidate *f, enum solver_reason reason)
{
	const struct result_answer a = {.answer = ANSWER_UNKNOWN, .reason = reason};
	tree_set(&s->inside.tree, f->alternative.key, TREE_UNKNOWN);
	efforts_answered(&s->efforts, &s->campaign, f, &a);
}

static void less_for_edges_that_stay_unknown(void)
{
	struct small s;
	begin(&s, 60);
	struct candidate f = of_edge(&s, 5), other = of_edge(&s, 6);
	int first = efforts_usual(&s.efforts, &f);
	CHECK(first < 0 && first > EFFORT_LEAST);
	for (int i = 0; i < 8; i++) {
		f = of_edge(&s, 5);
		stays_unknown(&s, &f, SOLVER_HASTE);
	}
	CHECK(efforts_usual(&s.efforts, &f) < first);
	CHECK_INT(first, efforts_usual(&s.efforts, &other));
	for (int i = 0; i < 100; i++) {
		f = of_edge(&s, 5);
		stays_unknown(&s, &f, SOLVER_HASTE);
	}
	CHECK_INT(EFFORT_LEAST, efforts_usual(&s.efforts, &f));
	end(&s);
}

// All effort is for branch edges that no run took, in turn, and for a share of the time.
static void all_effort_in_turn(void)
{
	struct small s;
	struct candidate got, last;
	begin(&s, 60);
	for (uint64_t edge = 1; edge <= 3; edge++)
		for (int i = 0; i < 2; i++) {
			struct candidate f = of_edge(&s, edge);
			stays_unknown(&s, &f, SOLVER_HASTE);
		}
	tree_set(&s.inside.edges, 2, TREE_TAKEN);
	CHECK(efforts_choose(&s.efforts, &s.campaign, &last));
	CHECK(efforts_choose(&s.efforts, &s.campaign, &got));
	CHECK(got.alternative.edge + last.alternative.edge == 1 + 3);
	CHECK(got.effort == 0 && got.again == 1);
	s.inside.us_all_effort = 5e6; // of 8 seconds
	CHECK(!efforts_choose(&s.efforts, &s.campaign, &got));
	s.inside.us_all_effort = 0;
	CHECK(efforts_choose(&s.efforts, &s.campaign, &got));
	CHECK(efforts_choose(&s.efforts, &s.campaign, &got));
	CHECK(!efforts_choose(&s.efforts, &s.campaign, &got));
	unsigned rest = 0; // of the branch edge that a run took
	for (; efforts_take(&s.efforts, &s.campaign, &got); rest++)
		CHECK_INT(2, got.alternative.edge);
	CHECK_INT(2, rest);
	end(&s);
}

// Again with more effort, up to a point; without a budget, once.
static void more_and_more(void)
{
	for (int budget = 0; budget < 2; budget++) {
		struct small s;
		begin(&s, budget ? 60 : 0);
		struct candidate f = of_edge(&s, 7), got;
		int most = efforts_usual(&s.efforts, &f), times = 0;
		stays_unknown(&s, &f, SOLVER_HASTE);
		for (; times < 100 && efforts_take(&s.efforts, &s.campaign, &got); times++) {
			CHECK(efforts_usual(&s.efforts, &got) > most);
			most = efforts_usual(&s.efforts, &got);
			stays_unknown(&s, &got, SOLVER_HASTE);
		}
		CHECK_INT(budget ? EFFORT_MOST : 0, most);
		CHECK_INT(budget ? 1 + EFFORT_MOST : 1, times);
		end(&s);
	}
}

// What a run took meanwhile, and what has another reason, is not solved again.
static void no_longer_of_interest(void)
{
	struct small s;
	struct candidate got;
	begin(&s, 60);
	struct candidate taken = of_edge(&s, 1), memory = of_edge(&s, 2);
	stays_unknown(&s, &taken, SOLVER_HASTE);
	stays_unknown(&s, &memory, SOLVER_MEMORY);
	tree_set(&s.inside.tree, taken.alternative.key, TREE_TAKEN);
	CHECK(!efforts_choose(&s.efforts, &s.campaign, &got));
	CHECK(!efforts_take(&s.efforts, &s.campaign, &got));
	end(&s);
}

static const struct test tests[] = {
	TEST(less_for_edges_that_stay_unknown),
	TEST(all_effort_in_turn),
	TEST(more_and_more),
	TEST(no_longer_of_interest),
};
TEST_MAIN("efforts")
