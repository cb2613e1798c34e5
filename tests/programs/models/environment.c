#define _GNU_SOURCE
#include "models.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <libgen.h>
#include <locale.h>
#include <strings.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#undef basename

char *basename(const char *path); // string.h's

// --- environment ------------------------------------------------------------------------------

static void a_name(char *name)
{
	static const char *const names[] = {"VEER_A", "VEER_B", "VEER_AB", "VEER_A=x", "", "VEER_", "PATH", "VEER_B="};
	const char *n = names[below(sizeof names / sizeof *names)];
	for (size_t i = 0; i <= strlen(n); i++)
		name[i] = (char)byte((unsigned char)n[i]);
}

static void test_getenv(void)
{
	char name[16];
	LIBC(setenv)("VEER_A", "x=1", 1);
	LIBC(setenv)("VEER_B", "=", below(2));
	a_name(name);
	COMPARE(char *, getenv, name);
	COMPARE(char *, secure_getenv, name);
	labelled += veer_is_symbolic && veer_is_symbolic(name, strlen(name) + 1);
}

static void test_setenv(void)
{
	char value[20], name[] = "VEER_C", copy[20] = "";
	size_t n = text(value, sizeof value, "ab=");
	int overwrite = below(2);
	const char *bad = below(8) ? name : below(2) ? "" : "A=B";
	if (below(3) == 0)
		LIBC(unsetenv)(name);
	const char *had = LIBC(getenv)(name);
	if (had)
		strcpy(copy, had);
	COMPARE(int, setenv, bad, value, overwrite);
	char *now = getenv(name);
	if (bad != name || (had && !overwrite)) // as it was
		strcpy(value, copy);
	else
		labelled += veer_is_symbolic && veer_is_symbolic(now, n + 1);
	SAME(value, now ? now : "", strlen(value) + 1);
	if (!overwrite)
		unsetenv(name);
}

// --- arithmetic ---------------------------------------------------------------------------------

static int64_t a_number(void)
{
	static const int64_t edges[] = {0,          1,           -1,        INT64_MAX,      INT64_MIN + 1,
	                                2147483647, -2147483647, 1ll << 53, (1ll << 53) + 1};
	int64_t n = edges[below(sizeof edges / sizeof *edges)];
	if (below(2))
		return (int64_t)(below(2) ? number(UINT64_MAX) : -number(1000));
	for (int i = 0; i < 8; i++)
		((unsigned char *)&n)[i] = byte(((unsigned char *)&n)[i]);
	return n;
}

// The compiler knows these, and would not call them.
int own_abs(int) __asm__("abs");
long own_labs(long) __asm__("labs");
uint32_t own_htonl(uint32_t) __asm__("htonl");
uint16_t own_htons(uint16_t) __asm__("htons");
int own_ffs(int) __asm__("ffs");
int own_ffsl(long) __asm__("ffsl");

#define COMPARE_OWN(type, name, ...) BOTH_CALLS(type, REAL(name)(__VA_ARGS__), own_##name(__VA_ARGS__))

static void test_integers(void)
{
	int64_t a = a_number(), b = a_number();
	int c = (int)a, d = (int)b;
	COMPARE(int, abs, c);
	COMPARE(long, labs, a);
	COMPARE(long long, llabs, a);
	COMPARE(int, ffs, c);
	COMPARE(int, ffsl, a);
	COMPARE_OWN(int, abs, c);
	COMPARE_OWN(long, labs, a);
	COMPARE_OWN(uint32_t, htonl, (uint32_t)a);
	COMPARE_OWN(uint16_t, htons, (uint16_t)a);
	COMPARE_OWN(int, ffs, c);
	COMPARE_OWN(int, ffsl, a);
	COMPARE(uint32_t, htonl, (uint32_t)a);
	COMPARE(uint16_t, ntohs, (uint16_t)a);
	COMPARE(uint16_t, htons, (uint16_t)a);
	if (d && !(c == INT32_MIN && d == -1))
		COMPARE(div_t, div, c, d);
	if (b && b != -1)
		COMPARE(ldiv_t, ldiv, a, b);
}

static void test_difftime(void)
{
	int64_t a = a_number(), b = a_number();
	COMPARE(double, difftime, a, b);
}

// --- paths ------------------------------------------------------------------------------------------

static void cut(char *(*real)(char *), char *(*model)(char *))
{
	char a[10], b[10];
	text(a, sizeof a, "//a.");
	memcpy(b, a, sizeof a);
	if (veer_make_concrete)
		veer_make_concrete(a, sizeof a);
	char *expected = real(a), *got = model(b);
	long x = expected >= a && expected < a + 10 ? expected - a : -1, y = got >= b && got < b + 10 ? got - b : -1;
	SAME(&x, &y, sizeof x);
	SAME(a, b, sizeof a);
	SAME(expected, got, strlen(expected) + 1);
}

static void test_dirname(void)
{
	cut(REAL(dirname), dirname);
}

static void test_xpg_basename(void)
{
	cut(REAL(__xpg_basename), __xpg_basename);
}

static void test_basename(void)
{
	char a[10];
	text(a, sizeof a, "//a.");
	COMPARE(char *, basename, a);
	labelled += veer_is_symbolic && veer_is_symbolic(a, 10);
}

// --- times: what comes out is concrete -------------------------------------------------------------

static void no_labels(const void *p, size_t n)
{
	if (veer_is_symbolic && veer_is_symbolic(p, n))
		differs("labels", call_number);
}

static void a_time(struct tm *tm)
{
	memset(tm, 0, sizeof *tm);
	int *fields[] = {&tm->tm_sec, &tm->tm_min, &tm->tm_hour, &tm->tm_mday, &tm->tm_mon, &tm->tm_year, &tm->tm_wday};
	for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
		*fields[i] = byte((unsigned char)below(i == 5 ? 200 : i == 6 ? 7 : i == 4 ? 12 : 28));
}

static void test_times(void)
{
	time_t t = (time_t)number(UINT64_MAX);
	struct tm a, b;
	char x[80], y[80];
	bytes(&a, sizeof a, "x");
	memcpy(&b, &a, sizeof a);
	bool r = REAL(gmtime_r)(&t, &a), s = gmtime_r(&t, &b);
	SAME(&r, &s, 1);
	if (r)
		SAME(&a, &b, sizeof a);
	no_labels(&b, sizeof b);
	b = a;
	r = REAL(localtime_r)(&t, &a), s = localtime_r(&t, &b);
	SAME(&r, &s, 1);
	no_labels(&b, sizeof b);
	COMPARE(struct tm *, gmtime, &t);
	COMPARE(struct tm *, localtime, &t);
	COMPARE(char *, ctime, &t);
	bytes(y, sizeof y, "z");
	memcpy(x, y, sizeof x);
	bool u_ = REAL(ctime_r)(&t, x), v_ = ctime_r(&t, y);
	SAME(&u_, &v_, 1);
	if (u_)
		SAME(x, y, sizeof x);
	a_time(&a);
	memcpy(&b, &a, sizeof a);
	COMPARE(char *, asctime, &a);
	bytes(y, sizeof y, "z");
	memcpy(x, y, sizeof x);
	u_ = REAL(asctime_r)(&a, x), v_ = asctime_r(&b, y);
	SAME(&u_, &v_, 1);
	SAME(x, y, sizeof x);
	memset(x, 1, sizeof x);
	memset(y, 1, sizeof y);
	size_t size = below(40);
	static const char *const formats[] = {"%Y-%m-%d %H:%M:%S", "%c", "%s %j", "", "%A %B"};
	const char *format = formats[below(5)];
	bytes(y, sizeof y, "z");
	size_t n = REAL(strftime)(x, size, format, &a), m = strftime(y, size, format, &b);
	SAME(&n, &m, sizeof n);
	if (n)
		SAME(x, y, n + 1);
	no_labels(y, n ? n + 1 : size);
	wchar_t wx[40], wy[40];
	static locale_t c_locale;
	if (!c_locale)
		c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	n = REAL(strftime_l)(x, size, format, &a, c_locale), m = strftime_l(y, size, format, &b, c_locale);
	SAME(&n, &m, sizeof n);
	if (n)
		SAME(x, y, n + 1);
	bytes(wy, sizeof wy, "z");
	n = REAL(wcsftime)(wx, size, L"%Y-%m-%d %A", &a), m = wcsftime(wy, size, L"%Y-%m-%d %A", &b);
	SAME(&n, &m, sizeof n);
	if (n)
		SAME(wx, wy, (n + 1) * sizeof *wx);
	struct tm c;
	memcpy(&c, &a, sizeof a);
	if (veer_make_concrete)
		veer_make_concrete(&a, sizeof a);
	time_t u = REAL(mktime)(&a), v = mktime(&b);
	SAME(&u, &v, sizeof u);
	SAME(&a, &b, 9 * sizeof(int)); // padding comes behind
	SAME(&a.tm_gmtoff, &b.tm_gmtoff, sizeof a.tm_gmtoff);
	no_labels(&b, sizeof b);
	memcpy(&a, &c, sizeof a);
	if (veer_make_concrete)
		veer_make_concrete(&a, sizeof a);
	u = REAL(timegm)(&a), v = timegm(&c);
	SAME(&u, &v, sizeof u);
	SAME(&a, &c, 9 * sizeof(int));
	no_labels(&c, sizeof c);
}

// Texts that fit a format, nearly fit, or do not.
static void test_strptime(void)
{
	static const char *const formats[] = {"%Y-%m-%d %H:%M:%S",
	                                      "%d %b %Y",
	                                      "%A, %e %B %y",
	                                      "%I:%M %p",
	                                      "%D %T",
	                                      "%j %Y",
	                                      "%C%y %m",
	                                      "%F%n%R",
	                                      "week %U %a %Y",
	                                      "%s",
	                                      "%%%d/%h",
	                                      "%c",
	                                      "%u %w %k",
	                                      "%l%p",
	                                      "%Y%m%d",
	                                      "%Ey %Od",
	                                      "%Z %z",
	                                      "%r",
	                                      "%x %X",
	                                      "%Q",
	                                      "%G-%g-%V",
	                                      "%-d %_m",
	                                      "%"};
	const char *format = formats[below(sizeof formats / sizeof *formats)];
	struct tm a, b;
	char text[80];
	memset(&a, 0, sizeof a);
	time_t t = (time_t)below(2000000000) * 2;
	LIBC(gmtime_r)(&t, &a);
	a.tm_zone = "UTC";
	memset(text, 0, sizeof text);
	LIBC(strftime)(text, sizeof text, format, &a);
	if (below(2))
		text[below((unsigned)strlen(text) + 1)] = "0129 -:/aJ%"[below(12)];
	for (size_t i = 0; i <= strlen(text); i++)
		text[i] = (char)byte((unsigned char)text[i]);
	memset(&a, 0, sizeof a);
	a_time(&a);
	memcpy(&b, &a, sizeof a);
	BOTH(char *, strptime, (text, format, &a), (text, format, &b));
	SAME(&a, &b, 9 * sizeof(int));
	SAME(&a.tm_gmtoff, &b.tm_gmtoff, sizeof a.tm_gmtoff);
	labelled += veer_is_symbolic && veer_is_symbolic(&b, sizeof b);
}

// --- functions without a model that write ------------------------------------------------------------

// What changes loses its labels; the byte 0xa5 stands in none of the results.
static void test_plain(void)
{
	static struct {
		struct utsname name;
		struct timeval time;
		char path[512];
	} room;
	memset(&room, 0xa5, sizeof room);
	for (size_t i = 0; i < sizeof room; i += 7)
		((unsigned char *)&room)[i] = byte(0xa5);
	uname(&room.name);
	gettimeofday(&room.time, NULL);
	getcwd(room.path, sizeof room.path);
	no_labels(&room.name, strlen(room.name.sysname) + 1);
	no_labels(room.path, strlen(room.path) + 1);
	labelled += veer_is_symbolic && veer_is_symbolic(room.path + strlen(room.path) + 1, 32);
}

int main(int argc, char **argv)
{
	start(argc, argv);
	setenv("TZ", "Europe/Berlin", 1);
	TEST(getenv);
	TEST(setenv);
	TEST(integers);
	TEST(difftime);
	TEST(dirname);
	TEST(xpg_basename);
	TEST(basename);
	TEST_CONCRETE(times);
	TEST(strptime);
	TEST(plain);
	return report();
}
