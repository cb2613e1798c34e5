#include "explore/rotation.h"

#include "test.h"

// Gives `seconds` in slices of 0.5; who gains how much in each is said. Returns what the first had of it.
static double play(struct rotation *t, double seconds, const double *gains, const bool *can)
{
	double first = 0;
	for (double at = 0; at < seconds; at += 0.5) {
		uint32_t who = rotation_next(t, can);
		CHECK(who < t->n && (!can || can[who]));
		rotation_gain(t, who, gains[who]);
		rotation_spend(t, who, 0.5);
		first += who == 0 ? 0.5 : 0;
	}
	return first;
}

static void even(void)
{
	struct rotation t;
	const double gains[] = {0, 0, 0, 0};
	rotation_init(&t, 4);
	double first = play(&t, 100, gains, NULL);
	CHECK_THAT(first > 24 && first < 26, "%f", first);
	rotation_release(&t);
}

// Who finds more has more; who finds nothing is still tried.
static void gains_count(void)
{
	struct rotation t;
	const double first_gains[] = {4, 0}, second_gains[] = {0, 4};
	rotation_init(&t, 2);
	double first = play(&t, 100, first_gains, NULL);
	CHECK_THAT(first > 70 && first < 98, "%f", first);
	CHECK(rotation_share(&t, 0) + rotation_share(&t, 1) > 0.999 && rotation_share(&t, 1) >= 0.05);
	first = play(&t, 100, second_gains, NULL); // and it turns round
	CHECK_THAT(first < 40, "%f", first);
	rotation_release(&t);
}

// Time that nobody else wanted is not paid back.
static void late(void)
{
	struct rotation t;
	const double gains[] = {0, 0};
	const bool alone[] = {true, false}, none[] = {false, false};
	rotation_init(&t, 2);
	CHECK(play(&t, 60, gains, alone) > 59);
	double first = play(&t, 20, gains, NULL);
	CHECK_THAT(first > 5, "%f", first);
	CHECK(rotation_next(&t, none) == 2);
	rotation_release(&t);
}

static const struct test tests[] = {TEST(even), TEST(gains_count), TEST(late)};

TEST_MAIN("turns")
