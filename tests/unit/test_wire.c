#include "worker/wire.h"

#include <sys/socket.h>
#include <unistd.h>

#include "messages.h"

static int ends[2];

static void open_pair(void)
{
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	const int room = 1 << 20; // nobody reads while a test writes
	setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
}

static void close_pair(void)
{
	close(ends[0]);
	close(ends[1]);
}

static struct job make_job(void)
{
	struct job j = {
		.id = 77, .flags = JOB_PATH | JOB_MINIMISE, .expect = 1ull << 60, .care_us = 70, .n_alternatives = 2};
	input_add(&j.input, INPUT_ARGUMENT, NULL, "prog", 4);
	input_add(&j.input, INPUT_FILE, "/x", "a\0b", 3);
	input_add(&j.seed, INPUT_STDIN, NULL, "", 0);
	j.scope = 1ull << 61;
	buf_add(&j.windows, "w\0w", 3);
	j.alternatives = mem_zero(2 * sizeof *j.alternatives);
	j.alternatives[0] = (struct job_alternative){
		.event = 4,
		.place = 44,
		.alternative = {.key = 1, .edge = 2, .pair = 9, .value = 3, .op = ALTERNATIVE_CASE}};
	j.alternatives[1] =
		(struct job_alternative){.event = 9, .alternative = {.op = ALTERNATIVE_OTHER}, .n_known = 100};
	j.alternatives[1].known = mem_zero(100 * sizeof *j.alternatives[1].known);
	for (uint64_t i = 0; i < 100; i++)
		j.alternatives[1].known[i] = i * i;
	return j;
}

static struct result make_result(void)
{
	struct result r = {.id = 8, .run = {.end = RUN_SIGNAL, .code = 11, .wall_us = 5}, .as_expected = true};
	r.untraced = r.full = true;
	r.path = 99;
	r.join = 98;
	r.leaf = 97;
	r.n_edges = 2;
	r.edges = (uint8_t *)mem_copy("\5\6", 2);
	r.care = r.care_of = -1;
	r.n_reported = r.n_alternatives = r.n_answers = r.n_cover = r.n_verdicts = r.n_names = r.n_reads = 1;
	r.reported = mem_zero(sizeof *r.reported);
	r.reported[0] = (struct reported){
		.decision = {.event = 3, .first = 0, .alternatives = 1, .key = 5, .point = 1ull << 50, .taken = 3},
		.depth = 2};
	r.alternatives = mem_zero(sizeof *r.alternatives);
	r.alternatives[0] = (struct alternative){.key = 6, .op = ALTERNATIVE_VIOLATE};
	r.answers = mem_zero(sizeof *r.answers);
	r.answers[0].answer = ANSWER_SAT;
	r.answers[0].event = 31;
	input_add(&r.answers[0].input, INPUT_OBJECT, NULL, "xyz", 3);
	r.cover = mem_zero(sizeof *r.cover);
	r.cover[0] = (struct result_cover){.unit = 4, .n = 3, .bytes = (uint8_t *)mem_copy("\1\0\1", 3)};
	r.verdicts = mem_zero(sizeof *r.verdicts);
	r.verdicts[0].verdict = (struct verdict){.level = LEVEL_ERROR,
	                                         .kind = mem_strdup("segv"),
	                                         .file = mem_strdup("a.c"),
	                                         .function = mem_strdup("f"),
	                                         .line = 12,
	                                         .stack = mem_strdup("f a.c:12\n"),
	                                         .report = mem_strdup("")};
	r.verdicts[0].care = 5;
	buf_add(&r.trace, "t\0r", 3);
	r.names = mem_zero(sizeof *r.names);
	r.names[0] = (struct result_name){.name = mem_strdup("foo"), .count = 2};
	r.reads = mem_zero(sizeof *r.reads);
	r.reads[0] = (struct result_read){INPUT_FILE, 3, mem_strdup("/f"), 9};
	input_add(&r.whole, INPUT_OBJECT, "x", "ab", 2);
	input_add(&r.masks, INPUT_OBJECT, "x", "\1\0", 2);
	return r;
}

static void jobs(void)
{
	struct job j = make_job(), got;
	struct err err;
	open_pair();
	CHECK(job_send(ends[0], &j, &err) == 0);
	CHECK(job_receive(ends[1], &got, &err) == 0);
	CHECK(got.id == j.id && got.flags == j.flags && got.expect == j.expect && got.n_alternatives == 2);
	CHECK_INT(70, got.care_us);
	CHECK(got.scope == 1ull << 61 && got.windows.len == 3 && memcmp(got.windows.data, "w\0w", 3) == 0);
	CHECK(input_equal(&got.input, &j.input) && input_equal(&got.seed, &j.seed));
	CHECK(got.alternatives[0].event == 4 && got.alternatives[0].place == 44 &&
	      got.alternatives[0].alternative.value == 3 && got.alternatives[0].alternative.op == ALTERNATIVE_CASE);
	CHECK(got.alternatives[1].n_known == 100 && got.alternatives[1].known[99] == 99 * 99);
	job_release(&got);
	job_release(&j);
	close(ends[0]);
	CHECK(job_receive(ends[1], &got, &err) == 1); // the end
	close(ends[1]);
}

static void results(void)
{
	struct result r = make_result(), got;
	struct err err;
	open_pair();
	CHECK(result_send(ends[0], &r, &err) == 0);
	CHECK(result_receive(ends[1], &got, &err) == 0);
	CHECK(got.id == 8 && got.run.end == RUN_SIGNAL && got.run.code == 11 && got.path == 99 && got.care == -1);
	CHECK(got.as_expected && got.full && got.untraced && !got.cut && !got.damaged && !got.unmodelled);
	CHECK(got.n_reported == 1 && got.reported[0].depth == 2 && got.reported[0].decision.key == 5);
	CHECK(got.reported[0].decision.point == 1ull << 50 && got.reported[0].decision.taken == 3);
	CHECK(got.join == 98 && got.leaf == 97 && got.n_edges == 2 && memcmp(got.edges, "\5\6", 2) == 0);
	CHECK(got.alternatives[0].key == 6 && got.alternatives[0].op == ALTERNATIVE_VIOLATE);
	CHECK(input_equal(&got.answers[0].input, &r.answers[0].input));
	CHECK_INT(31, got.answers[0].event);
	CHECK(got.cover[0].n == 3 && memcmp(got.cover[0].bytes, "\1\0\1", 3) == 0);
	CHECK_STR("segv", got.verdicts[0].verdict.kind);
	CHECK(got.verdicts[0].verdict.line == 12 && *got.verdicts[0].verdict.report == 0);
	CHECK_STR("a.c", got.verdicts[0].verdict.file);
	CHECK_INT(5, got.verdicts[0].care);
	CHECK(got.trace.len == 3 && memcmp(got.trace.data, "t\0r", 3) == 0);
	CHECK_STR("foo", got.names[0].name);
	CHECK(got.reads[0].kind == INPUT_FILE && got.reads[0].ordinal == 3 && got.reads[0].count == 9);
	CHECK_STR("/f", got.reads[0].name);
	CHECK(input_equal(&got.whole, &r.whole) && input_equal(&got.masks, &r.masks));
	result_release(&got);
	result_release(&r);
	close_pair();
}

// The bytes of a message, with its length in front.
static struct bytes message(bool job)
{
	struct err err;
	uint8_t room[65536];
	open_pair();
	if (job) {
		struct job j = make_job();
		CHECK(job_send(ends[0], &j, &err) == 0);
		job_release(&j);
	} else {
		struct result r = make_result();
		CHECK(result_send(ends[0], &r, &err) == 0);
		result_release(&r);
	}
	ssize_t n = recv(ends[1], room, sizeof room, 0);
	CHECK(n > 4);
	close_pair();
	return test_bytes(room, (size_t)n);
}

// Sends the bytes and closes: whatever they are, they are taken or refused, and nothing is kept.
static bool takes(bool job, const uint8_t *bytes, size_t size)
{
	struct job j;
	struct result r;
	struct err err;
	open_pair();
	CHECK(send(ends[0], bytes, size, 0) == (ssize_t)size);
	close(ends[0]);
	bool taken = job ? job_receive(ends[1], &j, &err) == 0 : result_receive(ends[1], &r, &err) == 0;
	if (taken && job)
		job_release(&j);
	else if (taken)
		result_release(&r);
	close(ends[1]);
	return taken;
}

static void cut_short(void)
{
	for (int job = 0; job < 2; job++) {
		struct bytes m = message(job);
		CHECK(takes(job, m.data, m.size));
		for (size_t n = 0; n < m.size; n++) {
			CHECK_THAT(!takes(job, m.data, n), "%d of %d bytes", (int)n, (int)m.size);
			if (n < 4)
				continue;
			uint32_t shorter = (uint32_t)n - 4; // the same, as if it were all
			struct bytes whole = test_bytes(m.data, n);
			memcpy(whole.data, &shorter, 4);
			CHECK_THAT(!takes(job, whole.data, n), "%d of %d bytes", (int)n, (int)m.size);
		}
	}
}

// --- every field, by the tables ---------------------------------------------------------------------

static void fill(bool job, void *ret)
{
	message_fill(job ? &job_table : &result_table, ret);
	struct result *r = ret;
	for (uint32_t i = 0; !job && i < r->n_reported; i++) {
		r->reported[i].decision.first = i % r->n_alternatives;
		r->reported[i].decision.alternatives = r->n_alternatives - i % r->n_alternatives;
	}
}

static void every_field_arrives(void)
{
	struct err err;
	for (int i = 0; i < 100; i++) {
		struct job j = {0}, got_job;
		struct result r = {0}, got;
		fill(true, &j);
		fill(false, &r);
		open_pair();
		CHECK(job_send(ends[0], &j, &err) == 0 && job_receive(ends[1], &got_job, &err) == 0);
		message_check_same(&job_table, &j, &got_job);
		CHECK(result_send(ends[0], &r, &err) == 0 && result_receive(ends[1], &got, &err) == 0);
		message_check_same(&result_table, &r, &got);
		job_release(&j);
		job_release(&got_job);
		result_release(&r);
		result_release(&got);
		close_pair();
	}
}

static bool refuses(bool job, const struct buf *bytes)
{
	struct buf message = {0};
	buf_u32(&message, (uint32_t)bytes->len);
	buf_add(&message, bytes->data, bytes->len);
	bool taken = takes(job, (const uint8_t *)message.data, message.len);
	buf_release(&message);
	return !taken;
}

static bool refuses_job(const struct buf *bytes)
{
	return refuses(true, bytes);
}

static bool refuses_result(const struct buf *bytes)
{
	return refuses(false, bytes);
}

// Whatever a field says about how much follows, and which of several it is.
static void every_field_is_bounded(void)
{
	for (int i = 0; i < 3; i++) {
		struct job j = {0};
		struct result r = {0};
		fill(true, &j);
		fill(false, &r);
		message_try_places(&job_table, &j, refuses_job);
		message_try_places(&result_table, &r, refuses_result);
		r.reported[0].decision.alternatives++; // more than there are
		struct buf b = {0};
		message_encode(&result_table, &r, &b);
		CHECK(refuses_result(&b));
		r.reported[0].decision.alternatives--;
		buf_clear(&b);
		message_encode(&result_table, &r, &b);
		CHECK(!refuses_result(&b));
		buf_addch(&b, 0); // something follows
		CHECK(refuses_result(&b));
		buf_release(&b);
		job_release(&j);
		result_release(&r);
	}
}

static uint64_t random_state = 5;

static uint64_t random_number(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return random_state >> 33;
}

// A worker shares its sandbox with a hostile program.
static void hostile(void)
{
	for (int job = 0; job < 2; job++) {
		struct bytes m = message(job);
		for (int i = 0; i < 4000; i++) {
			struct bytes bad = test_bytes(m.data, m.size);
			for (uint64_t k = 1 + random_number() % 4; k-- > 0;) {
				uint8_t *p = bad.data + 4 + random_number() % (m.size - 4);
				*p = random_number() % 3 ? (uint8_t)random_number() : 0xff;
			}
			takes(job, bad.data, bad.size);
		}
		uint32_t huge = UINT32_MAX;
		CHECK(!takes(job, (uint8_t *)&huge, sizeof huge));
	}
}

static const struct test tests[] = {
	TEST(jobs),   TEST(results), TEST(cut_short), TEST(every_field_arrives), TEST(every_field_is_bounded),
	TEST(hostile)};

TEST_MAIN("wire")
