// Messages by table, on one that has a field of every kind. Its fields stand in message_dummy.def, and nowhere else.
#include "messages.h"

enum dummy_choice { DUMMY_NONE, DUMMY_ONE, DUMMY_TWO, DUMMY_END };

#define FIELD MESSAGE_MEMBER
struct dummy_item {
#define DUMMY_ITEM
#include "message_dummy.def"
#undef DUMMY_ITEM
};

struct dummy {
#define DUMMY
#include "message_dummy.def"
#undef DUMMY
};
#undef FIELD

#define FIELD MESSAGE_ROW
#define MESSAGE dummy_item
#define DUMMY_ITEM
static const struct message_field item_fields[] = {
#include "message_dummy.def"
};
#undef DUMMY_ITEM
#undef MESSAGE
static const struct message_table dummy_item_table = MESSAGE_TABLE(dummy_item, item_fields);

#define MESSAGE dummy
#define DUMMY
static const struct message_field fields[] = {
#include "message_dummy.def"
};
#undef DUMMY
#undef MESSAGE
static const struct message_table table = MESSAGE_TABLE(dummy, fields);

static bool decode(const struct buf *bytes, struct dummy *ret)
{
	struct cursor c = {.p = (const uint8_t *)bytes->data, .end = (const uint8_t *)bytes->data + bytes->len};
	*ret = (struct dummy){0};
	message_decode(&table, ret, &c);
	return !c.bad && c.p == c.end;
}

static void every_kind_is_there(void)
{
	unsigned seen = 0;
	for (size_t i = 0; i < table.n; i++)
		seen |= 1u << table.v[i].kind;
	CHECK_INT((1 << MESSAGE_KINDS) - 1, seen);
}

static void round_trip(void)
{
	for (int i = 0; i < 200; i++) {
		struct dummy a = {0}, b;
		struct buf bytes = {0};
		message_fill(&table, &a);
		message_encode(&table, &a, &bytes);
		CHECK(bytes.len >= message_least(&table));
		CHECK(decode(&bytes, &b));
		message_check_same(&table, &a, &b);
		message_release(&table, &a);
		message_release(&table, &b);
		CHECK(!b.list && !b.n_list && !b.text);
		buf_release(&bytes);
	}
}

static void the_least(void)
{
	struct dummy a = {.choice = DUMMY_TWO, .narrow = 8, .text = "", .part = {.name = ""}}, b;
	struct buf bytes = {0};
	message_encode(&table, &a, &bytes);
	CHECK(decode(&bytes, &b));
	CHECK(b.choice == DUMMY_TWO && b.narrow == 8 && !b.perhaps && strcmp(b.text, "") == 0 && b.n_keys == 0);
	message_release(&table, &b);
	// An input has a count of its own.
	struct buf input = {0};
	input_encode(&a.input, &input);
	CHECK_INT(message_least(&table) + input.len, bytes.len);
	buf_release(&input);
	buf_release(&bytes);
}

static bool refuses(const struct buf *bytes)
{
	struct dummy b;
	long live = mem_live();
	bool refused = !decode(bytes, &b);
	message_release(&table, &b);
	CHECK_INT(live, mem_live());
	return refused;
}

static void hostile_sizes(void)
{
	for (int i = 0; i < 20; i++) {
		struct dummy a = {0};
		message_fill(&table, &a);
		message_try_places(&table, &a, refuses);
		message_release(&table, &a);
	}
}

static void cut_short(void)
{
	struct dummy a = {0};
	struct buf bytes = {0};
	message_fill(&table, &a);
	message_encode(&table, &a, &bytes);
	for (size_t n = bytes.len; n-- > 0;) {
		bytes.len = n;
		CHECK_THAT(refuses(&bytes), "%zu bytes", n);
	}
	message_release(&table, &a);
	buf_release(&bytes);
}

static const struct test tests[] = {
	TEST(every_kind_is_there), TEST(round_trip), TEST(the_least), TEST(hostile_sizes), TEST(cut_short),
};
TEST_MAIN("message")
