#include "input/mutate.h"

#include <string.h>

#include "base/mem.h"
#include "test.h"

static struct input command(const char *argument)
{
	struct input in = {0};
	input_add(&in, INPUT_ARGUMENT, NULL, "./prog", 6);
	input_add(&in, INPUT_ARGUMENT, NULL, argument, strlen(argument));
	input_add(&in, INPUT_STDIN, NULL, "", 0);
	input_add(&in, INPUT_VARIABLE, "HOME", "/root", 5);
	return in;
}

// The n-th mutation of the input.
static struct input nth(struct mutator m, const struct input *in, uint64_t n)
{
	struct input ret = {0};
	m.round = n;
	m.random ^= n * 0x9e3779b97f4a7c15u;
	input_copy(&ret, in);
	CHECK(mutate(&m, &ret));
	return ret;
}

static void single_bytes(void)
{
	const struct mutate_place place = {.part = 1, .offset = 2};
	struct mutator m = {.places = &place, .n_places = 1};
	struct input in = command("abcd");
	bool seen[256] = {false};
	for (unsigned i = 0; i < 256; i++) {
		struct input out = nth(m, &in, i);
		const struct buf *text = &out.v[1].data;
		CHECK_INT(0, memcmp(text->data, "ab", 2));
		if (text->len == 4) { // a zero ends the argument
			seen[(uint8_t)text->data[2]] = true;
			CHECK_INT('d', text->data[3]);
		}
		input_release(&out);
	}
	for (unsigned i = 1; i < 256; i++)
		CHECK_THAT(seen[i], "%u", i);
	input_release(&in);
}

// What is no input stays as it is; arguments have no zeros; nothing grows without a limit.
static void keeps_what_is_no_input(void)
{
	struct input in = command("12");
	struct mutator m = {.random = 5};
	unsigned changed = 0, filled = 0;
	for (uint64_t i = 0; i < 3000; i++) {
		struct input out = nth(m, &in, i);
		CHECK_INT((long long)in.n, (long long)out.n);
		CHECK_STR("./prog", out.v[0].data.data);
		CHECK_STR("/root", out.v[3].data.data);
		CHECK(strlen(buf_str(&out.v[1].data)) == out.v[1].data.len);
		CHECK(out.v[1].data.len <= 1 << 16 && out.v[2].data.len <= 1 << 16);
		changed += !input_equal(&in, &out);
		filled += out.v[2].data.len > 0;
		input_release(&out);
	}
	CHECK_THAT(changed > 2500 && filled > 500, "%u %u", changed, filled);
	input_release(&in);
}

static void words_and_numbers(void)
{
	struct strv words = {0};
	strv_push(&words, "sesame");
	strv_push(&words, "7531");
	struct input in = command("x");
	struct mutator m = {.words = &words, .random = 1};
	unsigned word = 0, number = 0, third = 0, small = 0;
	for (uint64_t i = 0; i < 20000; i++) {
		struct input out = nth(m, &in, i);
		const char *text = buf_str(&out.v[1].data);
		word += strcmp(text, "sesame") == 0;
		number += strcmp(text, "7531") == 0;
		third += strcmp(text, "2510") == 0; // divided by 3
		small += strlen(text) == 2 && text[0] >= '1' && text[0] <= '9' && text[1] >= '0' && text[1] <= '9';
		input_release(&out);
	}
	CHECK_THAT(word > 20 && number > 20 && third > 0 && small > 50, "%u %u %u %u", word, number, third, small);
	strv_release(&words);
	input_release(&in);
}

static void nothing_to_change(void)
{
	struct input in = {0};
	struct mutator m = {0};
	input_add(&in, INPUT_ARGUMENT, NULL, "./prog", 6);
	CHECK(!mutate(&m, &in));
	input_release(&in);
}

static const struct test tests[] = {TEST(single_bytes), TEST(keeps_what_is_no_input), TEST(words_and_numbers),
                                    TEST(nothing_to_change)};

TEST_MAIN("mutate")
