// args: 17
// Macros became inline functions.
#include <stdio.h>
#include <stdlib.h>

#ifdef NEW
static inline int least(int a, int b)
{
	return a < b ? a : b;
}

static inline int most(int a, int b)
{
	return a > b ? a : b;
}

static inline int clamp(int x, int low, int high)
{
	return least(most(x, low), high);
}

static inline int is_leap(int year)
{
	return year % 400 == 0 || (year % 4 == 0 && year % 100 != 0);
}
#else
#define least(a, b) ((a) < (b) ? (a) : (b))
#define most(a, b) ((a) > (b) ? (a) : (b))
#define clamp(x, low, high) least(most(x, low), high)
#define is_leap(year) (((year) % 4 == 0 && (year) % 100 != 0) || (year) % 400 == 0)
#endif

static int days(int year, int month)
{
	static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	return lengths[month] + (month == 1 && is_leap(year));
}

int main(int argc, char **argv)
{
	int year = argc > 1 ? atoi(argv[1]) : 2000;
	int month = argc > 2 ? atoi(argv[2]) : 2;
	year = clamp(year, 1583, 9999);
	month = clamp(month, 1, 12);
	printf("%04d-%02d has %d days\n", year, month, days(year, month - 1));
	return 0;
}
