#include "base/decimal.h"

#include <math.h>

#include "base/mem.h"
#include "test.h"

static void check_text(const char *expected, const void *bytes, size_t size)
{
	struct buf out = {0};
	buf_addstr(&out, "= ");
	decimal_float(&out, bytes, size);
	CHECK_STR(expected, out.data + 2);
	buf_release(&out);
}

static void check_float(const char *expected, float f)
{
	check_text(expected, &f, sizeof f);
}

static void check_double(const char *expected, double d)
{
	check_text(expected, &d, sizeof d);
}

static void check_long(const char *expected, long double l)
{
	check_text(expected, &l, 10);
}

static void check_half(const char *expected, uint16_t bits)
{
	check_text(expected, &bits, sizeof bits);
}

static void shortest(void)
{
	check_half("0.1", 0x2e66);
	check_half("6e-08", 1);
	check_half("6.55e+04", 0x7bff);
	check_half("-0", 0x8000);
	check_half("1", 0x3c00);
	check_half("1.001", 0x3c01);
	check_float("0.1", 0.1f);
	check_float("16777216", 16777216.0f);
	check_float("1e-45", 0x1p-149f);
	check_double("0.1", 0.1);
	check_double("0.30000000000000004", 0.1 + 0.2);
	check_double("1e+23", 1e23);
	check_double("5e-324", 0x1p-1074);
	check_double("-0", -0.0);
	check_long("0.1", 0.1L);
	check_long("1e+4000", 1e4000L);
}

static void no_number(void)
{
	check_float("inf", INFINITY);
	check_double("-inf", -INFINITY);
	check_double("nan", NAN);
	check_half("-inf", 0xfc00);
	check_half("nan", 0x7e00);
	check_long("nan", (long double)NAN);
}

static const struct test tests[] = {TEST(shortest), TEST(no_number)};
TEST_MAIN("decimal")
