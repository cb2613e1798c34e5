#include "coverage/words.h"

#include <string.h>

#include "abi/cover.h"
#include "abi/words.h"
#include "base/mem.h"
#include "test.h"

static void add_unit(struct buf *out, const char *const *words, uint32_t n, uint32_t count)
{
	struct buf rest = {0};
	for (uint32_t i = 0; i < n; i++)
		buf_text(&rest, words[i]);
	const struct cover_sites head = {.magic = WORDS_MAGIC, .count = count, .size = (uint32_t)rest.len};
	buf_add(out, &head, sizeof head);
	buf_add(out, rest.data, rest.len);
	buf_release(&rest);
}

// Several units; each word once.
static void units(void)
{
	static const char *const first[] = {"get", "7531", "-2"}, *const second[] = {"set", "get"};
	struct buf section = {0};
	struct strv words = {0};
	struct err err;
	add_unit(&section, first, 3, 3);
	add_unit(&section, second, 2, 2);
	CHECK_INT(0, words_add_section(&words, section.data, section.len, &err));
	CHECK_INT(4, (long long)words.n);
	CHECK_STR("get", words.v[0]);
	CHECK_STR("set", words.v[3]);
	strv_release(&words);
	buf_release(&section);
}

// Damaged at every place: an error, or fewer words, and never more than there are bytes.
static void damaged(void)
{
	static const char *const some[] = {"alpha", "beta", "gamma"};
	struct buf section = {0};
	struct err err;
	add_unit(&section, some, 3, 4); // fewer than it says
	struct strv words = {0};
	CHECK_INT(-1, words_add_section(&words, section.data, section.len, &err));
	CHECK(strstr(err.text, "damaged"));
	strv_release(&words);
	buf_clear(&section);
	add_unit(&section, some, 3, 3);
	for (size_t n = 0; n < section.len; n++) {
		char *cut = mem_copy(section.data, section.len);
		cut[n] ^= 0x55;
		words_add_section(&words, cut, section.len, &err);
		CHECK(n == 0 || words_add_section(&words, section.data, n, &err) == -1);
		CHECK(words.n < 1000);
		strv_release(&words);
		mem_free(cut);
	}
	buf_release(&section);
}

static const struct test tests[] = {TEST(units), TEST(damaged)};

TEST_MAIN("words")
