#include "base/delta.h"

#include "base/mem.h"
#include "test.h"

enum { KEPT = 40 };

// What somebody keeps, by number.
struct kept {
	struct buf v[KEPT];
	bool bad; // cannot be fetched
};

static int fetch(void *opaque, uint64_t id, struct buf *ret, struct err *err)
{
	struct kept *k = opaque;
	if (k->bad || id >= KEPT || !k->v[id].len)
		return err_set(err, "it is gone");
	buf_add(ret, k->v[id].data, k->v[id].len);
	return 0;
}

static void release(struct kept *k)
{
	for (size_t i = 0; i < KEPT; i++)
		buf_release(&k->v[i]);
}

static void keep(struct kept *k, struct delta *d, uint64_t id, const struct bytes *x)
{
	if (delta_pack(d, x->data, x->size, &k->v[id]))
		return;
	buf_clear(&k->v[id]);
	buf_add(&k->v[id], x->data, x->size);
	delta_add(d, id, x->data, x->size);
}

static struct bytes noise(size_t size)
{
	struct bytes b = {test_alloc(size + 1), size};
	for (size_t i = 0; i < size; i++)
		b.data[i] = (uint8_t)test_random();
	return b;
}

// Of one family: a long part that is the same, and one that is not.
static struct bytes member(const struct bytes *family, int i)
{
	char *own = test_printf("%d:%d", i, i * i);
	struct bytes b = {test_alloc(family->size + strlen(own)), family->size + strlen(own)};
	memcpy(b.data, own, strlen(own));
	memcpy(b.data + strlen(own), family->data, family->size);
	return b;
}

static void check(struct kept *k, uint64_t id, struct delta *d, struct bytes expected)
{
	struct buf back = {0};
	struct err err;
	CHECK_INT(0, delta_unpack(d, k->v[id].data, k->v[id].len, fetch, k, &back, &err));
	CHECK(back.len == expected.size && memcmp(back.data, expected.data, back.len) == 0);
	buf_release(&back);
}

static void families(void)
{
	struct kept k = {0};
	struct delta written = {0}, read = {0};
	struct bytes family[2], x[KEPT];
	family[0] = noise(30000);
	family[1] = noise(20000);
	for (int i = 0; i < KEPT; i++) {
		x[i] = member(&family[i % 2], i);
		keep(&k, &written, (uint64_t)i, &x[i]);
		CHECK_THAT(i < 2 ? k.v[i].len == x[i].size : k.v[i].len < 200, "%zu bytes of %d", k.v[i].len, i);
	}
	for (int i = KEPT; i-- > 0;)
		check(&k, (uint64_t)i, &read, x[i]);
	delta_release(&written);
	delta_release(&read);
	release(&k);
}

// More kinds than are remembered: all come back.
static void many_bases(void)
{
	struct kept k = {0};
	struct delta written = {0}, read = {0};
	struct bytes x[KEPT];
	for (int i = 0; i < KEPT; i++) {
		struct bytes family = i % 3 && i > 2 ? x[i - 3] : noise(3000 + (size_t)i);
		x[i] = member(&family, i);
		keep(&k, &written, (uint64_t)i, &x[i]);
	}
	for (int i = 0; i < KEPT; i++)
		check(&k, (uint64_t)(i * 7 % KEPT), &read, x[i * 7 % KEPT]);
	delta_release(&written);
	delta_release(&read);
	release(&k);
}

static void small(void)
{
	struct delta d = {0};
	struct buf out = {0};
	struct err err;
	CHECK(!delta_pack(&d, "", 0, &out));
	CHECK(!delta_pack(&d, "abc", 3, &out));
	delta_add(&d, 1, "abc", 3);
	CHECK_INT(0, d.n);
	CHECK_INT(0, delta_unpack(&d, "abc", 3, fetch, NULL, &out, &err));
	CHECK_INT(0, delta_unpack(&d, NULL, 0, fetch, NULL, &out, &err));
	CHECK_STR("abc", out.data);
	buf_release(&out);
	delta_release(&d);
}

static void damaged(void)
{
	struct kept k = {0};
	struct delta written = {0};
	struct bytes family = noise(5000), a = member(&family, 1), b = member(&family, 2);
	keep(&k, &written, 1, &a);
	keep(&k, &written, 2, &b);
	struct bytes good = test_bytes(k.v[2].data, k.v[2].len);
	for (int i = 0; i < 2000; i++) {
		struct bytes x = test_bytes(good.data, good.size);
		struct delta read = {0};
		struct buf back = {0};
		struct err err = {""};
		size_t size = i % 2 ? test_below(x.size) : x.size;
		test_mutate(x.data, 0, x.size);
		if (delta_unpack(&read, test_guarded(x.data, size), size, fetch, &k, &back, &err) < 0)
			CHECK(err.text[0]);
		buf_release(&back);
		delta_release(&read);
	}
	struct delta read = {0};
	struct buf back = {0};
	struct err err;
	k.bad = true;
	CHECK_INT(-1, delta_unpack(&read, good.data, good.size, fetch, &k, &back, &err));
	k.bad = false;
	// A base that is a difference itself.
	buf_release(&k.v[1]);
	buf_add(&k.v[1], good.data, good.size);
	CHECK_INT(-1, delta_unpack(&read, good.data, good.size, fetch, &k, &back, &err));
	buf_release(&back);
	delta_release(&read);
	delta_release(&written);
	release(&k);
}

static const struct test tests[] = {TEST(families), TEST(many_bases), TEST(small), TEST(damaged)};
TEST_MAIN("delta")
