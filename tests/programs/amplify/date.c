/* distance: 0 */
// Prints dates as people write them: date YYYY-MM-DD...
#include <stdio.h>
#include <string.h>

static const char names[12][10] = {"January", "February", "March",     "April",   "May",      "June",
                                   "July",    "August",   "September", "October", "November", "December"};
static const unsigned char days[12] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

// -1 when these are not n digits
static int digits(const char *s, int n)
{
	int v = 0;
	for (int i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9')
			return -1;
		v = 10 * v + (s[i] - '0');
	}
	return v;
}

static int is_leap(int year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int print(const char *s)
{
	if (strlen(s) != 10 || s[4] != '-' || s[7] != '-')
		return 0;
	int year = digits(s, 4), month = digits(s + 5, 2), day = digits(s + 8, 2);
	if (year < 0 || month < 0 || day < 1)
		return 0;
	if (day > days[month - 1] || month > 12) /* bug: global-buffer-overflow */
		return 0;
	if (month == 2 && day == 29 && !is_leap(year))
		return 0;
	printf("%d %s %d\n", day, names[month - 1], year);
	return 1;
}

int main(int argc, char **argv)
{
	int status = 0;
	for (int i = 1; i < argc; i++)
		if (!print(argv[i])) {
			fprintf(stderr, "date: %s is no date\n", argv[i]);
			status = 1;
		}
	return status;
}
