// The environment, times, and what models/c/getopt.c and environment.c need of labels.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

#include "runtime/models/model.h"

// --- names ---------------------------------------------------------------------------------

// What a text up to '=' is to the name of an option: 2 the same, 1 an abbreviation, 0
// something else. One expression, from the name's end to its beginning.
MODEL(int, option, const char *name, const char *text)
{
	ENTER(option, 2);
	uint64_t n = strlen(name);
	struct model_string s = model_string(text, n + 1);
	struct sym r = sym_constant(32, 0);
	for (uint64_t i = s.bytes; i-- > 0;) {
		struct sym c = model_string_byte(&s, i), ends = sym_or(sym_is(c, 0), sym_is(c, '='));
		struct sym more = i == n ? sym_constant(32, 0)
		                         : sym_choose(sym_equal(c, sym_byte(name + i)), r, sym_constant(32, 0));
		r = sym_choose(ends, sym_constant(32, i == n ? 2 : 1), more);
	}
	return GIVE(option, (int)r.value, r.l);
}

// --- what is taken as it is -------------------------------------------------------------------

// `n` values of `size` bytes each, where they have labels.
static void concrete_values(struct site *site, const void *values, unsigned size, uint64_t n, enum trace_reason reason)
{
	if (!rt_on || !rt_any((uint64_t)values, size * n))
		return;
	for (uint64_t i = 0; i < n; i++) {
		struct sym v = sym_load((const char *)values + size * i, size);
		if (v.l)
			rt_concrete(site, v.l, v.value, reason);
	}
}

static void concrete_string(struct site *site, const char *s, enum trace_reason reason)
{
	concrete_values(site, s, 1, strlen(s) + 1, reason);
}

// --- environment ------------------------------------------------------------------------------

// The new entry is a copy.
MODEL(int, setenv, const char *name, const char *value, int overwrite)
{
	ENTER(setenv, 3);
	bool kept = !overwrite && name && getenv(name);
	int r = setenv(name, value, overwrite), error = errno;
	rt_concrete(site, arg[2], (uint64_t)overwrite, REASON_ARGUMENT);
	char *to = r == 0 && !kept && rt_on ? getenv(name) : NULL;
	if (to) {
		size_t n = strlen(name);
		concrete_string(site, name, REASON_ARGUMENT);
		rt_clear((uint64_t)to - n - 1, n + 1);
		rt_copy((uint64_t)to, (uint64_t)value, strlen(value) + 1);
	}
	errno = error;
	return r;
}

// --- times --------------------------------------------------------------------------------------

// tm_sec ... tm_isdst are nine integers in a row.
static void concrete_fields(struct site *site, const struct tm *tm)
{
	concrete_values(site, &tm->tm_sec, sizeof tm->tm_sec, 9, REASON_TIME);
	concrete_values(site, &tm->tm_gmtoff, sizeof tm->tm_gmtoff, 1, REASON_TIME);
}

#define FROM_TIME(name)                                                                                                \
	MODEL(struct tm *, name, const time_t *t)                                                                      \
	{                                                                                                              \
		ENTER(name, 1);                                                                                        \
		struct tm *r = name(t);                                                                                \
		concrete_values(site, t, sizeof *t, 1, REASON_TIME);                                                   \
		if (r)                                                                                                 \
			rt_clear((uint64_t)r, sizeof *r);                                                              \
		return r;                                                                                              \
	}

#define FROM_TIME_R(name)                                                                                              \
	MODEL(struct tm *, name, const time_t *t, struct tm *to)                                                       \
	{                                                                                                              \
		ENTER(name, 2);                                                                                        \
		concrete_values(site, t, sizeof *t, 1, REASON_TIME);                                                   \
		struct tm *r = name(t, to);                                                                            \
		rt_clear((uint64_t)to, sizeof *to);                                                                    \
		return r;                                                                                              \
	}

// The fields are brought into their ranges.
#define TO_TIME(name)                                                                                                  \
	MODEL(time_t, name, struct tm *tm)                                                                             \
	{                                                                                                              \
		ENTER(name, 1);                                                                                        \
		concrete_values(site, &tm->tm_sec, sizeof tm->tm_sec, 9, REASON_TIME);                                 \
		time_t r = name(tm);                                                                                   \
		rt_clear((uint64_t)tm, sizeof *tm);                                                                    \
		return r;                                                                                              \
	}

FROM_TIME(localtime)
FROM_TIME(gmtime)
FROM_TIME_R(localtime_r)
FROM_TIME_R(gmtime_r)
TO_TIME(mktime)
TO_TIME(timegm)

MODEL(char *, asctime, const struct tm *tm)
{
	ENTER(asctime, 1);
	char *r = asctime(tm);
	if (tm)
		concrete_fields(site, tm);
	if (r)
		rt_clear((uint64_t)r, strlen(r) + 1);
	return r;
}

MODEL(char *, asctime_r, const struct tm *tm, char *to)
{
	ENTER(asctime_r, 2);
	char *r = asctime_r(tm, to);
	if (tm)
		concrete_fields(site, tm);
	if (r)
		rt_clear((uint64_t)to, strlen(to) + 1);
	return r;
}

MODEL(char *, ctime, const time_t *t)
{
	ENTER(ctime, 1);
	char *r = ctime(t);
	concrete_values(site, t, sizeof *t, 1, REASON_TIME);
	if (r)
		rt_clear((uint64_t)r, strlen(r) + 1);
	return r;
}

MODEL(char *, ctime_r, const time_t *t, char *to)
{
	ENTER(ctime_r, 2);
	char *r = ctime_r(t, to);
	concrete_values(site, t, sizeof *t, 1, REASON_TIME);
	if (r)
		rt_clear((uint64_t)to, strlen(to) + 1);
	return r;
}

// What is in the buffer is not defined when it is too small; then it is cleared, too.
static void time_written(struct site *site, label size_l, const char *to, size_t size, const char *format,
                         const struct tm *tm, size_t result)
{
	rt_concrete(site, size_l, size, REASON_LENGTH);
	concrete_string(site, format, REASON_FORMAT);
	concrete_fields(site, tm);
	rt_accessed(site, (uint64_t)to, result ? result + 1 : 0);
	rt_clear((uint64_t)to, result ? result + 1 : size);
}

MODEL(size_t, strftime, char *to, size_t size, const char *format, const struct tm *tm)
{
	ENTER(strftime, 4);
	size_t r = strftime(to, size, format, tm);
	time_written(site, arg[1], to, size, format, tm, r);
	return r;
}

MODEL(size_t, strftime_l, char *to, size_t size, const char *format, const struct tm *tm, locale_t locale)
{
	ENTER(strftime_l, 5);
	size_t r = strftime_l(to, size, format, tm, locale);
	time_written(site, arg[1], to, size, format, tm, r);
	return r;
}

MODEL(size_t, wcsftime, wchar_t *to, size_t size, const wchar_t *format, const struct tm *tm)
{
	ENTER(wcsftime, 4);
	size_t r = wcsftime(to, size, format, tm);
	rt_concrete(site, arg[1], size, REASON_LENGTH);
	concrete_values(site, format, sizeof *format, wcslen(format) + 1, REASON_FORMAT);
	concrete_fields(site, tm);
	rt_clear((uint64_t)to, sizeof *to * (r ? r + 1 : size));
	return r;
}
