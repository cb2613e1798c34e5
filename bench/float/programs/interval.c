// Interval arithmetic: sums, products and widths.
#include <stdio.h>
#include <veer.h>

struct interval {
	double low, high;
};

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double most(double a, double b)
{
	return a > b ? a : b;
}

static struct interval times(struct interval a, struct interval b)
{
	double p = a.low * b.low, q = a.low * b.high, r = a.high * b.low, s = a.high * b.high;
	return (struct interval){least(least(p, q), least(r, s)), most(most(p, q), most(r, s))};
}

int main(void)
{
	struct interval a, b;
	veer_make_symbolic(&a, sizeof a, "a");
	veer_make_symbolic(&b, sizeof b, "b");
	if (!(a.low <= a.high) || !(b.low <= b.high))
		return 1;
	struct interval c = times(a, b);
	if (c.low > 0 && a.high < 0)
		puts("both negative");
	if (c.low < 0 && c.high > 0)
		puts("around zero");
	if (c.high - c.low > 100 && a.high - a.low < 1)
		puts("widened");
	if (c.low == 6 && c.high == 12)
		puts("six to twelve");
	return 0;
}
