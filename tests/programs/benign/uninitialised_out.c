// An output that is not written when there is an error, and copied all the same.
#include "benign.h"

static int parse(int what, int *out)
{
	if (what)
		*out = what;
	return what != 0;
}
struct result {
	int ok, value;
};
static struct result wrapped(int what)
{
	int value;
	struct result r;
	r.ok = parse(what, &value);
	r.value = value;
	return r;
}
int uninitialised_out(void)
{
	struct result a = wrapped(input(3)), b = wrapped(input(0));
	printf("%d %d %d\n", a.ok, a.value, b.ok);
	return b.ok ? b.value : 0;
}
