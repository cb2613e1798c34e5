#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/hash.h"
#include "object/side.h"
#include "test.h"

static void store(const char *object, const char *frames)
{
	struct buf b = {0};
	struct err err = {""};
	buf_addstr(&b, frames);
	int r = side_store(object, strlen(object), &b, &err);
	buf_release(&b);
	CHECK_THAT(r == 0, "%s", err.text);
}

static void check_loads(const char *expected, const char *object)
{
	struct buf b = {0};
	struct err err = {""};
	buf_addstr(&b, "<");
	int r = side_load(object, strlen(object), &b, &err); // appends
	if (expected) {
		CHECK_THAT(r == 0, "%s", err.text);
		CHECK_STR(test_printf("<%s", expected), b.data);
	} else {
		CHECK(r == -1 && err.text[0]);
		CHECK_STR("<", b.data);
	}
	buf_release(&b);
}

static char *side_path(const char *object)
{
	char hex[HASH_HEX];
	hash_hex(hash_bytes(object, strlen(object)), hex);
	return test_printf("%s/side/%s", getenv("VEER_CACHE_DIR"), hex);
}

static void private_cache(const char *name)
{
	setenv("VEER_CACHE_DIR", test_path(name), 1);
}

static void store_and_load(void)
{
	private_cache("some/cache");
	check_loads(NULL, "BC object");
	store("BC object", "frames");
	store("BC other", "other frames");
	check_loads("frames", "BC object");
	check_loads("other frames", "BC other");
	check_loads(NULL, "BC objec"); // found by the whole content
	check_loads(NULL, "BC object ");
	store("BC object", "newer");
	check_loads("newer", "BC object");
	CHECK_STR("newer", (char *)test_read(side_path("BC object")).data); // where cache.h says it is
	private_cache("another/cache");
	check_loads(NULL, "BC object");
}

static void nothing_to_store(void)
{
	private_cache("cache");
	struct buf none = {0}, b = {0};
	CHECK_INT(0, side_store(NULL, 0, &none, NULL));
	CHECK_INT(0, side_load(NULL, 0, &b, NULL));
	CHECK_INT(0, b.len);
	buf_release(&b);
	store("", "of an empty object");
	check_loads("of an empty object", "");
}

static void binary_content(void)
{
	private_cache("cache");
	struct bytes object = {test_alloc(100000), 100000};
	struct buf frames = {0}, back = {0};
	for (size_t i = 0; i < object.size; i++)
		object.data[i] = (uint8_t)test_random();
	for (int i = 0; i < 100000; i++)
		buf_addch(&frames, (char)test_random());
	CHECK_INT(0, side_store(object.data, object.size, &frames, NULL));
	CHECK_INT(0, side_load(object.data, object.size, &back, NULL));
	CHECK(back.len == frames.len && memcmp(back.data, frames.data, back.len) == 0);
	buf_release(&frames);
	buf_release(&back);
}

static void cannot_store(void)
{
	test_write_text(test_path("file"), "no folder");
	private_cache("file");
	struct buf b = {0};
	struct err err = {""};
	CHECK_INT(-1, side_store("x", 1, &b, &err));
	CHECK_THAT(strstr(err.text, test_path("file")), "%s", err.text);
	CHECK_INT(-1, side_store("x", 1, &b, NULL));
}

// Whoever may change these files decides what is linked into a variant.
static void others_may_not_write(void)
{
	private_cache("cache");
	struct stat st;
	mode_t old = umask(022);
	store("BC object", "frames");
	umask(old);
	CHECK(stat(side_path("BC object"), &st) == 0);
	CHECK_INT(0644, st.st_mode & 07777);
	old = umask(077);
	store("BC private", "frames");
	umask(old);
	CHECK(stat(side_path("BC private"), &st) == 0);
	CHECK_INT(0600, st.st_mode & 07777);
}

static void bitcode_magic(void)
{
	CHECK(side_is_bitcode("BC\xC0\xDE", 4));
	CHECK(side_is_bitcode("BC\xC0\xDE and more", 13));
	CHECK(side_is_bitcode("\xDE\xC0\x17\x0B", 4)); // wrapped
	CHECK(!side_is_bitcode("BC\xC0", 3) && !side_is_bitcode(NULL, 0));
	CHECK(!side_is_bitcode("BC\xC0\xDF", 4) && !side_is_bitcode("\x0B\x17\xC0\xDE", 4));
	CHECK(!side_is_bitcode("\177ELF", 4) && !side_is_bitcode("!<arch>\n", 8));
	for (size_t size = 0; size < 4; size++)
		CHECK(!side_is_bitcode(test_guarded("BC\xC0\xDE", size), size));
	static const char *const options[] = {"-flto", "-flto=thin", "-emit-llvm", "-O0"};
	for (size_t i = 0; i < COUNT(options); i++) {
		struct bytes object = test_read(test_compile("f.c", "int f(void) { return 1; }", options[i]));
		CHECK_INT(i < 3, side_is_bitcode(object.data, object.size));
	}
}

static const struct test tests[] = {
	TEST(store_and_load), TEST(nothing_to_store),     TEST(binary_content),
	TEST(cannot_store),   TEST(others_may_not_write), TEST(bitcode_magic),
};
TEST_MAIN("side")
