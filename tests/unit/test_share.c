// Two searches share the work of a campaign.
#include "search/share.h"

#include <stdlib.h>

#include "test.h"

// Work is 1 each time; what it leads to is given, by who does it. How often it was the turn of walks.
static int alternatives_of_episodes(struct share *s, int alternatives, double frontier, double episodes)
{
	int n = 0;
	for (int i = 0; i < alternatives; i++) {
		unsigned who = share_next(s);
		n += who == SHARE_EPISODES;
		share_gain(s, who, who == SHARE_EPISODES ? episodes : frontier);
		share_spend(s, who, 1);
	}
	return n;
}

static void fixed(void)
{
	struct share s;
	share_init(&s, 0.3);
	CHECK_THAT(abs(alternatives_of_episodes(&s, 10000, 0, 5) - 3000) < 10, "%f", s.part);
	share_init(&s, 0);
	CHECK_INT(0, alternatives_of_episodes(&s, 5000, 1, 1));
	share_init(&s, 1);
	CHECK_INT(5000, alternatives_of_episodes(&s, 5000, 1, 1));
}

// What leads to more gets more; walks not nothing, and not more than half.
static void follows(void)
{
	struct share s;
	share_init(&s, -1);
	CHECK_THAT(abs(alternatives_of_episodes(&s, 990, 0, 0) - 50) <= 1, "%f", s.part);
	alternatives_of_episodes(&s, 50010, 1, 1);
	CHECK_THAT(abs(alternatives_of_episodes(&s, 5000, 1, 1) - 2500) < 10, "%f", s.part);
	alternatives_of_episodes(&s, 200000, 1, 0);
	CHECK_THAT(abs(alternatives_of_episodes(&s, 10000, 1, 0) - 500) < 10, "%f", s.part);
	alternatives_of_episodes(&s, 1000000, 3, 1); // that changes: two doublings against one, so four parts of five
	int n = alternatives_of_episodes(&s, 10000, 3, 1);
	CHECK_THAT(n > 1950 && n < 2050, "%d", n);
	alternatives_of_episodes(&s, 4000000, 1, 2);
	CHECK_THAT(abs(alternatives_of_episodes(&s, 10000, 0, 1) - 5000) < 10, "%f", s.part);
	CHECK(s.all[0] + s.all[1] == 5286000);
}

// One run that comes to a thousand sides is not worth a thousand that come to one each.
static void bursts(void)
{
	struct share s;
	share_init(&s, -1);
	alternatives_of_episodes(&s, 20000, 1, 0);
	share_gain(&s, SHARE_EPISODES, 1000);
	alternatives_of_episodes(&s, 2500, 1, 0);
	CHECK_THAT(s.part < 0.1, "%f", s.part);
	CHECK_INT(1000, (int)s.found[SHARE_EPISODES]);
}

// Large pieces of work are made up for.
static void by_work(void)
{
	struct share s;
	double done[SHARES] = {0};
	share_init(&s, 0.5);
	for (int i = 0; i < 10000; i++) {
		unsigned who = share_next(&s);
		double work = who == SHARE_EPISODES ? 1 : 17;
		done[who] += work;
		share_spend(&s, who, work);
	}
	CHECK(done[0] - done[1] <= 17 && done[1] - done[0] <= 17);
}

static const struct test tests[] = {TEST(fixed), TEST(follows), TEST(bursts), TEST(by_work)};

TEST_MAIN("share")
