// strptime of text that has labels, in the C locale. The real function decides: when what is
// computed here is something else (names of another locale, eras, fields that only libc
// knows), the text is concretised and libc's result is taken.
#include <string.h>
#include <time.h>

#include "runtime/models/c/number.h"

int veer_model_strncasecmp(const char *a, const char *b, size_t n);

struct parser {
	const char *at; // NULL: does not match
	struct tm *tm;
	int century;
	bool has_wday, has_yday, has_mon, has_mday, has_12, is_pm, wants_days, wants_century;
};

// --- parts -------------------------------------------------------------------------------------

static void skip_space(struct parser *p)
{
	while (DECIDE(number_is_space(*p->at)))
		p->at++;
}

static void take_char(struct parser *p, char c)
{
	p->at = DECIDE(*p->at == c) ? p->at + 1 : NULL;
}

static bool is_digit(char c)
{
	return (unsigned)c - '0' < 10;
}

// At most `digits` of them; ends where another would be too much.
static int take_number(struct parser *p, int from, int to, int digits)
{
	int value = 0;
	while (DECIDE(*p->at == ' '))
		p->at++;
	bool goes_on = DECIDE(is_digit(*p->at));
	if (!goes_on) {
		p->at = NULL;
		return from;
	}
	while (goes_on) {
		value = value * 10 + (*p->at++ - '0');
		goes_on = --digits > 0 && DECIDE(value * 10 <= to) && DECIDE(is_digit(*p->at));
	}
	if (!DECIDE((value >= from) & (value <= to)))
		p->at = NULL;
	return value;
}

// The longest of the names that is there: its number, or -1. Of each, the first three letters
// are a name, too.
static int take_name(struct parser *p, const char *const *names, int n)
{
	const char *from = p->at;
	int found = -1;
	p->at = NULL;
	for (int i = 0; i < n && found < 0; i++) {
		if (!DECIDE(veer_model_strncasecmp(names[i], from, 3) == 0))
			continue;
		size_t length = strlen(names[i]);
		bool whole = length == 3 || DECIDE(veer_model_strncasecmp(names[i], from, length) == 0);
		p->at = from + (whole ? length : 3);
		found = i;
	}
	return found;
}

static void take_half(struct parser *p)
{
	if (DECIDE(veer_model_strncasecmp("AM", p->at, 2) == 0))
		p->is_pm = false;
	else if (DECIDE(veer_model_strncasecmp("PM", p->at, 2) == 0))
		p->is_pm = true;
	else
		p->at = NULL;
	if (p->at)
		p->at += 2;
}

// --- directives --------------------------------------------------------------------------------

static const char *const days[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
static const char *const months[] = {"January", "February", "March",     "April",   "May",      "June",
                                     "July",    "August",   "September", "October", "November", "December"};

static void take_date(struct parser *p, char directive)
{
	struct tm *tm = p->tm;
	int value;
	p->wants_days = true;
	switch (directive) {
	case 'b':
	case 'B':
	case 'h':
		tm->tm_mon = take_name(p, months, 12);
		p->has_mon = true;
		break;
	case 'm':
		tm->tm_mon = take_number(p, 1, 12, 2) - 1;
		p->has_mon = true;
		break;
	case 'd':
	case 'e':
		tm->tm_mday = take_number(p, 1, 31, 2);
		p->has_mday = true;
		break;
	case 'C': p->century = take_number(p, 0, 99, 2); break;
	case 'y':
		value = take_number(p, 0, 99, 2);
		tm->tm_year = DECIDE(value >= 69) ? value : value + 100;
		p->wants_century = true;
		break;
	default: // 'Y'
		tm->tm_year = take_number(p, 0, 9999, 4) - 1900;
		p->wants_century = false;
	}
}

static void take_day(struct parser *p, char directive)
{
	struct tm *tm = p->tm;
	switch (directive) {
	case 'a':
	case 'A': tm->tm_wday = take_name(p, days, 7); break;
	case 'u': tm->tm_wday = take_number(p, 1, 7, 1) % 7; break;
	case 'w': tm->tm_wday = take_number(p, 0, 6, 1); break;
	default: // 'j'
		tm->tm_yday = take_number(p, 1, 366, 3) - 1;
		p->has_yday = true;
		return;
	}
	p->has_wday = true;
}

static void take_time(struct parser *p, char directive)
{
	struct tm *tm = p->tm;
	switch (directive) {
	case 'H':
	case 'k':
		tm->tm_hour = take_number(p, 0, 23, 2);
		p->has_12 = false;
		break;
	case 'I':
	case 'l':
		tm->tm_hour = take_number(p, 1, 12, 2) % 12;
		p->has_12 = true;
		break;
	case 'M': tm->tm_min = take_number(p, 0, 59, 2); break;
	case 'S': tm->tm_sec = take_number(p, 0, 61, 2); break;
	default: take_half(p); // 'p'
	}
}

static const char *short_for(char directive)
{
	switch (directive) {
	case 'c': return "%a %b %e %H:%M:%S %Y";
	case 'D':
	case 'x': return "%m/%d/%y";
	case 'F': return "%Y-%m-%d";
	case 'r': return "%I:%M:%S %p";
	case 'R': return "%H:%M";
	case 'T':
	case 'X': return "%H:%M:%S";
	default: return NULL;
	}
}

static void take_directive(struct parser *p, char directive)
{
	if (strchr("bBhmdeCyY", directive))
		take_date(p, directive);
	else if (strchr("aAuwj", directive))
		take_day(p, directive);
	else if (strchr("HkIlMSp", directive))
		take_time(p, directive);
	else if (directive == 'n' || directive == 't')
		skip_space(p);
	else if (directive == '%')
		take_char(p, '%');
	else
		p->at = NULL; // or only libc knows it
}

static void take_all(struct parser *p, const char *format)
{
	while (p->at && *format) {
		char c = *format++;
		if (number_is_space(c)) {
			skip_space(p);
			continue;
		}
		if (c != '%') {
			take_char(p, c);
			continue;
		}
		format += strspn(format, "-_0^#");
		const char *rest = *format ? short_for(*format) : NULL;
		if (rest)
			for (; p->at && *rest; rest++) // directives, spaces and single characters
				*rest == '%'   ? take_directive(p, *++rest)
				: *rest == ' ' ? skip_space(p)
					       : take_char(p, *rest);
		else if (*format)
			take_directive(p, *format);
		else
			p->at = NULL;
		if (*format)
			format++;
	}
}

// --- what follows from the fields ------------------------------------------------------------------

static const unsigned short before_month[13] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};

static int leap_days(int year) // in the years before it
{
	return (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400;
}

static bool is_leap(int year)
{
	return (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0));
}

static void complete(struct parser *p)
{
	struct tm *tm = p->tm;
	if (p->has_12 && p->is_pm)
		tm->tm_hour += 12;
	if (p->century >= 0)
		tm->tm_year = (p->wants_century ? tm->tm_year % 100 : 0) + (p->century - 19) * 100;
	if (!p->wants_days || !(p->has_mon || DECIDE((unsigned)tm->tm_mon <= 11)))
		return;
	int year = tm->tm_year + 1900;
	int yday = before_month[tm->tm_mon] + tm->tm_mday - 1 + (is_leap(year) & (tm->tm_mon > 1));
	if (!p->has_wday) // the first of January of year 1 was a Monday
		tm->tm_wday = (((year - 1) * 365 + leap_days(year) + yday + 1) % 7 + 7) % 7;
	if (!p->has_yday)
		tm->tm_yday = yday;
}

// --- the function ------------------------------------------------------------------------------------

static void take_concretely(const char *text)
{
	for (; model_concretise((unsigned char)*text); text++)
		;
}

// Fields that libc changed have no labels; the others keep theirs.
static void copy_changed(struct tm *to, const struct tm *from, const struct tm *was)
{
	static const size_t fields[] = {
		offsetof(struct tm, tm_sec),  offsetof(struct tm, tm_min),  offsetof(struct tm, tm_hour),
		offsetof(struct tm, tm_mday), offsetof(struct tm, tm_mon),  offsetof(struct tm, tm_year),
		offsetof(struct tm, tm_wday), offsetof(struct tm, tm_yday), offsetof(struct tm, tm_isdst)};
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		int now = *(const int *)((const char *)from + fields[i]);
		if (now != *(const int *)((const char *)was + fields[i]))
			*(int *)((char *)to + fields[i]) = now;
	}
	if (from->tm_gmtoff != was->tm_gmtoff)
		to->tm_gmtoff = from->tm_gmtoff;
	if (from->tm_zone != was->tm_zone)
		to->tm_zone = from->tm_zone;
}

MODEL(char *, strptime, const char *text, const char *format, struct tm *tm)
{
	struct tm was = *tm, real, mine = *tm;
	if (model_is_symbolic_string(format))
		take_concretely(format);
	veer_make_concrete(&was, sizeof was);
	real = was;
	char *r = strptime(text, format, &real);
	veer_make_concrete(&real, sizeof real);
	if (model_is_symbolic_string(text)) {
		struct parser p = {.at = text, .tm = &mine, .century = -1};
		take_all(&p, format);
		if (p.at)
			complete(&p);
		struct tm got = mine;
		veer_make_concrete(&got, sizeof got);
		if (p.at == r && memcmp(&got, &real, sizeof got) == 0) {
			*tm = mine;
			return r;
		}
		take_concretely(text);
	}
	copy_changed(tm, &real, &was);
	return r;
}
