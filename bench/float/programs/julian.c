// The date of a Julian day.
#include <math.h>
#include <stdio.h>
#include <veer.h>

int main(void)
{
	double day;
	veer_make_symbolic(&day, sizeof day, "day");
	if (!(day >= 0 && day < 5e6))
		return 1;
	double whole = floor(day + 0.5), fraction = day + 0.5 - whole;
	long a = (long)whole;
	if (a >= 2299161) {
		long alpha = (long)((whole - 1867216.25) / 36524.25);
		a += 1 + alpha - alpha / 4;
	}
	long b = a + 1524, c = (long)((b - 122.1) / 365.25), d = (long)(365.25 * c), e = (long)((b - d) / 30.6001);
	long month = e < 14 ? e - 1 : e - 13, year = month > 2 ? c - 4716 : c - 4715;
	double dom = b - d - (long)(30.6001 * e) + fraction;
	if (year == 2000 && month == 2 && dom >= 29)
		puts("a leap day");
	else if (year == 1969 && month == 7 && (int)dom == 20)
		puts("on the moon");
	else if (year < -4000)
		puts("long ago");
	if (fraction == 0.75 && month == 12)
		puts("an evening in December");
	return 0;
}
