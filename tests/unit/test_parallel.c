#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/parallel.h"
#include "test.h"

enum { ITEMS = 200, LARGE = 300000 };

struct summing {
	unsigned seen[ITEMS];
	uint64_t sum, bytes;
	size_t fails, dies; // at this item; ITEMS: none does
};

static int work(void *opaque, unsigned process, size_t item, struct buf *ret, struct err *err)
{
	const struct summing *s = opaque;
	CHECK(process < 3);
	if (item == s->fails)
		return err_set(err, "item %zu fails", item);
	if (item == s->dies)
		kill(getpid(), SIGKILL);
	buf_u64(ret, item * item);
	for (size_t i = 0; item == 7 && i < LARGE; i++) // more than a pipe holds
		buf_addch(ret, (char)i);
	return 0;
}

static int take(void *opaque, size_t item, struct cursor *came, struct err *err)
{
	struct summing *s = opaque;
	(void)err;
	s->seen[item]++;
	s->sum += cursor_u64(came);
	s->bytes += (uint64_t)(came->end - came->p);
	CHECK(!came->bad);
	return 0;
}

static int run(struct summing *s, unsigned jobs, size_t n, struct err *err)
{
	return parallel_run(&(struct parallel){.jobs = jobs, .n = n, .opaque = s, .work = work, .take = take}, err);
}

// No child is left that nobody waited for.
static bool is_alone(void)
{
	return waitpid(-1, NULL, WNOHANG) < 0;
}

static void all_items_once(void)
{
	for (unsigned jobs = 1; jobs <= 3; jobs++)
		for (size_t n = 0; n <= ITEMS; n = n * 3 + 1) {
			struct summing s = {.fails = ITEMS, .dies = ITEMS};
			struct err err = {""};
			uint64_t sum = 0;
			CHECK_THAT(run(&s, jobs, n, &err) == 0, "%s", err.text);
			for (size_t i = 0; i < n; i++) {
				CHECK_INT(1, s.seen[i]);
				sum += i * i;
			}
			CHECK_INT(sum, s.sum);
			CHECK_INT(n > 7 ? LARGE : 0, s.bytes);
			CHECK(is_alone());
		}
}

static void failure_ends_all(void)
{
	struct summing s = {.fails = 50, .dies = ITEMS};
	struct err err = {""};
	CHECK_INT(-1, run(&s, 2, ITEMS, &err));
	CHECK_STR("item 50 fails", err.text);
	CHECK(is_alone());
}

static void a_lost_process_is_an_error(void)
{
	struct summing s = {.fails = ITEMS, .dies = 50};
	struct err err = {""};
	CHECK_INT(-1, run(&s, 2, ITEMS, &err));
	CHECK_STR("a process that had work to do ended before it was done", err.text);
	CHECK(is_alone());
}

static const struct test tests[] = {TEST(all_items_once), TEST(failure_ends_all), TEST(a_lost_process_is_an_error)};

TEST_MAIN("parallel")
