#include "explain/diff.h"

#include <string.h>

#include "test.h"

static struct input_part now, was;
static struct explained_part part;

static void set(struct input_part *p, const void *data, size_t size)
{
	*p = (struct input_part){.kind = INPUT_STDIN};
	buf_add(&p->data, data, size);
}

static void make(struct diff *d, const char *before, const char *after)
{
	set(&was, before, strlen(before));
	set(&now, after, strlen(after));
	part = (struct explained_part){.now = &now, .was = &was};
	diff_make(d, &part, true, 100);
}

static void clear(struct diff *d)
{
	diff_release(d);
	buf_release(&now.data);
	buf_release(&was.data);
}

// The rows as text: sign, bytes, and a caret for each that changed.
static void draw(const struct diff *d, struct buf *out)
{
	buf_clear(out);
	for (size_t i = 0; i < d->n; i++) {
		const struct diff_row *r = &d->v[i];
		if (r->sign == DIFF_GAP) {
			buf_printf(out, "~%zu;", r->skipped);
			continue;
		}
		buf_addch(out, " -+"[r->sign]);
		for (size_t k = 0; k < r->n; k++) {
			if (r->changed && r->changed[k])
				buf_addch(out, '^');
			if (r->bytes[k] != '\n')
				buf_addch(out, (char)r->bytes[k]);
		}
		buf_addch(out, ';');
	}
}

static void lines(void)
{
	struct diff d;
	struct buf out = {0};
	make(&d, "one\ntwo\nthree\n", "one\ntoo\nthree\n");
	CHECK(d.text);
	draw(&d, &out);
	CHECK_STR(" one;-t^wo;+t^oo; three;", out.data);
	clear(&d);
	make(&d, "a=1\nb=2\n", "b=2\n"); // a line that is gone
	draw(&d, &out);
	CHECK_STR("-^a^=^1^; b=2;", out.data);
	clear(&d);
	make(&d, "x1?a9 hello", "x:"); // shorter: what they have in common stays
	draw(&d, &out);
	CHECK_STR("-x^1^?^a^9^ ^h^e^l^l^o;+x^:;", out.data);
	clear(&d);
	buf_release(&out);
}

static void nothing(void)
{
	struct diff d;
	struct buf out = {0};
	make(&d, "", "");
	CHECK_INT(0, d.n);
	clear(&d);
	make(&d, "", "a");
	draw(&d, &out);
	CHECK_STR("+^a;", out.data);
	clear(&d);
	set(&now, "abc", 3);
	part = (struct explained_part){.now = &now};
	diff_make(&d, &part, false, 100); // no test to compare with
	draw(&d, &out);
	CHECK_STR(" abc;", out.data);
	clear(&d);
	diff_make(&d, &(struct explained_part){0}, true, 100);
	CHECK_INT(0, d.n);
	diff_release(&d);
	buf_release(&out);
}

static void bytes(void)
{
	struct diff d;
	uint8_t before[40] = {0}, after[40] = {0};
	after[20] = 0xff;
	set(&was, before, sizeof before);
	set(&now, after, sizeof after);
	part = (struct explained_part){.now = &now, .was = &was};
	diff_make(&d, &part, true, 100);
	CHECK(!d.text);
	CHECK_INT(4, d.n); // before, was, now, behind
	CHECK(d.v[1].sign == DIFF_WAS && d.v[2].sign == DIFF_NOW);
	CHECK_INT(16, d.v[2].offset);
	CHECK(d.v[2].changed[4] && !d.v[2].changed[3]);
	CHECK_INT(8, d.v[3].n);
	clear(&d);
}

static bool is_text(const char *before, const void *after, size_t size)
{
	struct diff d;
	set(&was, before, strlen(before));
	set(&now, after, size);
	part = (struct explained_part){.now = &now, .was = &was};
	diff_make(&d, &part, true, 100);
	bool text = d.text;
	clear(&d);
	return text;
}

// A text with some bytes that no text has is still one.
static void odd_bytes(void)
{
	struct buf out = {0};
	CHECK(is_text("a comment", "\0 comment", 9));
	CHECK(is_text("3", "\x80", 1));
	CHECK(is_text("Gr\xc3\xbcn ist das Meer am Morgen", "Gr", 2));
	CHECK(!is_text("text", "\1\2\3\4\5", 5));
	CHECK(!is_text("\177ELF", "ELF", 3));
	for (const char *p = "a\n\t\\\1\xff"; *p; p++)
		diff_spell(&out, (uint8_t)*p);
	CHECK_STR("a\\n\\t\\\\\\x01\\xff", out.data);
	buf_release(&out);
}

// Where nothing is changed, the first that matters is shown, and not all of it.
static void as_it_is(void)
{
	struct diff d;
	struct buf text = {0};
	for (int i = 0; i < 200; i++)
		buf_printf(&text, "line %d\n", i);
	set(&was, text.data, text.len);
	set(&now, text.data, text.len);
	uint8_t *marks = test_alloc(text.len);
	memset(marks, BYTE_RELEVANT, text.len);
	part = (struct explained_part){.now = &now, .was = &was, .marks = marks};
	diff_make(&d, &part, true, 30);
	CHECK_INT(9, d.n); // the last is a gap
	CHECK(d.v[8].sign == DIFF_GAP && d.v[8].relevant == d.v[8].skipped);
	clear(&d);
	buf_release(&text);
}

// What is as it was is left out, unless it matters.
static void gaps(void)
{
	struct diff d;
	struct buf text = {0}, out = {0};
	for (int i = 0; i < 100; i++)
		buf_printf(&text, "%02d\n", i);
	set(&was, text.data, text.len);
	text.data[3 * 50] = 'X';
	set(&now, text.data, text.len);
	uint8_t marks[300] = {0};
	marks[3 * 90] = BYTE_RELEVANT;
	part = (struct explained_part){.now = &now, .was = &was, .marks = marks};
	diff_make(&d, &part, true, 100);
	draw(&d, &out);
	CHECK_STR("~147; 49;-^50;+^X0; 51;~111; 89; 90; 91;~24;", out.data);
	diff_release(&d);
	diff_make(&d, &part, true, 2); // no more than that
	draw(&d, &out);
	CHECK_STR("~147; 49;-^50;~150;", out.data);
	clear(&d);
	buf_release(&text);
	buf_release(&out);
}

// Where all of a long input matters, what is changed is still shown, and what is near it.
static void what_is_far(void)
{
	struct diff d;
	struct buf before = {0}, after = {0};
	for (int i = 0; i < 1000; i++) {
		buf_printf(&before, "line %d\n", i);
		buf_printf(&after, i == 700 ? "lane %d\n" : "line %d\n", i);
	}
	set(&was, before.data, before.len);
	set(&now, after.data, after.len);
	uint8_t *marks = test_alloc(after.len);
	memset(marks, BYTE_RELEVANT, after.len);
	part = (struct explained_part){.now = &now, .was = &was, .marks = marks};
	diff_make(&d, &part, true, 30);
	bool changed = false;
	size_t skipped = 0, rows = 0;
	for (size_t i = 0; i < d.n; i++) {
		changed |= d.v[i].sign == DIFF_NOW;
		skipped += d.v[i].relevant;
		rows += d.v[i].sign != DIFF_GAP;
		CHECK_INT(d.v[i].skipped, d.v[i].relevant);
	}
	CHECK(changed && rows >= 10 && rows <= 30);
	CHECK(skipped > after.len / 2);
	CHECK(d.v[0].sign == DIFF_GAP && d.v[d.n - 1].sign == DIFF_GAP);
	clear(&d);
	buf_release(&before);
	buf_release(&after);
}

static const struct test tests[] = {TEST(lines),    TEST(nothing), TEST(bytes),      TEST(odd_bytes),
                                    TEST(as_it_is), TEST(gaps),    TEST(what_is_far)};

TEST_MAIN("diff")
