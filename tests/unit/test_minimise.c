#include "findings/minimise.h"
#include "test.h"

static unsigned asked;

static void add(struct input *in, enum input_kind kind, const char *name, const char *text)
{
	input_add(in, kind, name, text, strlen(text));
}

static const char *text_of(const struct input_part *p)
{
	return p ? test_printf("%.*s", (int)p->data.len, p->data.data ? p->data.data : "") : "(none)";
}

// Standard input has a '(' and, somewhere behind it, a '['.
static int brackets(void *opaque, const struct input *in)
{
	const struct input_part *p = input_find(in, INPUT_STDIN, NULL);
	const char *open = p && p->data.len ? memchr(p->data.data, '(', p->data.len) : NULL;
	asked++;
	return open && memchr(open, '[', p->data.len - (size_t)(open - p->data.data));
}

static void small(void)
{
	struct input in = {0};
	add(&in, INPUT_ARGUMENT, NULL, "prog");
	add(&in, INPUT_ARGUMENT, NULL, "-x");
	add(&in, INPUT_VARIABLE, "HOME", "/home");
	add(&in, INPUT_FILE, "/tmp/f", "content");
	add(&in, INPUT_STDIN, NULL, "some text (and more \x80\xff of [it], with a [tail]");
	minimise_input(&in, NULL, MINIMISE_ALL, brackets, NULL, 1000);
	CHECK_INT(2, in.n);
	CHECK_STR("prog", text_of(input_argument(&in, 0))); // it has to be called something
	CHECK_STR("([", text_of(input_find(&in, INPUT_STDIN, NULL)));
	input_release(&in);
}

// The third byte is a quote, and there are five of them.
static int third(void *opaque, const struct input *in)
{
	const struct input_part *p = input_argument(in, 1);
	asked++;
	return p && p->data.len >= 5 && p->data.data[2] == '"';
}

static void near_the_seed(void)
{
	struct input in = {0}, seed = {0};
	add(&seed, INPUT_ARGUMENT, NULL, "prog");
	add(&seed, INPUT_ARGUMENT, NULL, "hello");
	add(&in, INPUT_ARGUMENT, NULL, "prog");
	add(&in, INPUT_ARGUMENT, NULL, "XY\"ZW");
	minimise_input(&in, &seed, MINIMISE_ALL, third, NULL, 1000);
	CHECK_STR("he\"lo", text_of(input_argument(&in, 1)));
	input_release(&in);
	add(&in, INPUT_ARGUMENT, NULL, "prog");
	add(&in, INPUT_ARGUMENT, NULL, "XY\"ZW and much more");
	minimise_input(&in, &seed, MINIMISE_ALL, third, NULL, 1000);
	CHECK_STR("he\"lo", text_of(input_argument(&in, 1)));
	input_release(&in);
	input_release(&seed);
}

static void plain_bytes(void)
{
	struct input in = {0};
	add(&in, INPUT_ARGUMENT, NULL, "prog");
	add(&in, INPUT_ARGUMENT, NULL, "\x01\xfe\"\x80q");
	minimise_input(&in, NULL, MINIMISE_ALL, third, NULL, 1000);
	CHECK_STR("aa\"aa", text_of(input_argument(&in, 1)));
	input_release(&in);
}

static void few_tries(void)
{
	for (unsigned tries = 0; tries < 40; tries++) {
		struct input in = {0};
		add(&in, INPUT_ARGUMENT, NULL, "prog");
		add(&in, INPUT_STDIN, NULL, "some text (and more of [it], with a [tail]");
		asked = 0;
		minimise_input(&in, NULL, MINIMISE_ALL, brackets, NULL, tries);
		CHECK_THAT(asked <= tries, "%u of %u", asked, tries);
		CHECK(brackets(NULL, &in));
		input_release(&in);
	}
}

static int breaks(void *opaque, const struct input *in)
{
	asked++;
	return asked == 3 ? -1 : brackets(opaque, in);
}

static void asking_fails(void)
{
	struct input in = {0};
	add(&in, INPUT_ARGUMENT, NULL, "prog");
	add(&in, INPUT_STDIN, NULL, "some text (and more of [it], with a [tail]");
	asked = 0;
	minimise_input(&in, NULL, MINIMISE_ALL, breaks, NULL, 1000);
	CHECK(asked <= 4);
	CHECK(brackets(NULL, &in));
	input_release(&in);
}

static int anything(void *opaque, const struct input *in)
{
	asked++;
	return 1;
}

static void nothing_is_needed(void)
{
	struct input in = {0};
	add(&in, INPUT_ARGUMENT, NULL, "prog");
	add(&in, INPUT_ARGUMENT, NULL, "");
	add(&in, INPUT_STDIN, NULL, "");
	add(&in, INPUT_OBJECT, NULL, "abc");
	minimise_input(&in, NULL, MINIMISE_ALL, anything, NULL, 1000);
	CHECK_INT(1, in.n);
	CHECK_STR("prog", text_of(input_argument(&in, 0)));
	input_release(&in);
	minimise_input(&in, NULL, MINIMISE_ALL, anything, NULL, 10); // no part at all
	input_release(&in);
}

// A large file of which two bytes matter takes hundreds of runs, not thousands.
static void large(void)
{
	struct input in = {0};
	char *data = test_alloc(1 << 20);
	memset(data, 'x', 1 << 20);
	data[700000] = '(';
	data[900000] = '[';
	input_add(&in, INPUT_STDIN, NULL, data, 1 << 20);
	asked = 0;
	minimise_input(&in, NULL, MINIMISE_ALL, brackets, NULL, 1000);
	CHECK_STR("([", text_of(input_find(&in, INPUT_STDIN, NULL)));
	CHECK_THAT(asked < 300, "%u", asked);
	input_release(&in);
}

static const struct test tests[] = {
	TEST(small),        TEST(near_the_seed),     TEST(plain_bytes), TEST(few_tries),
	TEST(asking_fails), TEST(nothing_is_needed), TEST(large),
};
TEST_MAIN("shrink")
