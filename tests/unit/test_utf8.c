#include "base/utf8.h"

#include <string.h>

#include "base/mem.h"
#include "test.h"

#define BAD "\xef\xbf\xbd"

static void check(const char *text, const char *expected)
{
	char *clean = utf8_cleaned(text);
	CHECK_STR(expected, clean);
	mem_free(clean);
}

static void texts(void)
{
	check("", "");
	check("as it is: \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "as it is: \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
	check("a\033[31mb\r\n\t\x7f", "a" BAD "[31mb" BAD BAD BAD BAD);
	check("\xc2\x9b"
	      "31m",
	      BAD "31m"); // C1
}

static void no_text(void)
{
	check("\xff\xc3", BAD BAD);
	check("\xc0\xaf", BAD BAD);                 // overlong
	check("\xed\xa0\x80", BAD BAD BAD);         // a surrogate
	check("\xf4\x90\x80\x80", BAD BAD BAD BAD); // beyond U+10FFFF
}

// They show something else than there is.
static void turned(void)
{
	check("x\xe2\x80\xaey", "x" BAD "y"); // right to left, an override
	check("x\xe2\x81\xa6y\xe2\x81\xa9", "x" BAD "y" BAD);
	check("x\xe2\x80\xa8y", "x" BAD "y"); // a line separator
	check("x\xe2\x80\x8by\xef\xbb\xbf", "x" BAD "y" BAD);
	check("x\xd8\x9cy", "x" BAD "y");
}

static void code_points(void)
{
	CHECK_INT('a', utf8_code_point("a", 1));
	CHECK_INT(0x202e, utf8_code_point("\xe2\x80\xae", 3));
	CHECK_INT(0x1f600, utf8_code_point("\xf0\x9f\x98\x80", 4));
	CHECK_INT(0, utf8_printable("\xe2\x80\xae", 3));
	CHECK_INT(0, utf8_printable("\xe2\x82\xac", 2)); // cut off
	CHECK_INT(3, utf8_printable("\xe2\x82\xac", 3));
}

static const struct test tests[] = {TEST(texts), TEST(no_text), TEST(turned), TEST(code_points)};
TEST_MAIN("utf8")
