// The end of an empty buffer, as parsers compute it.
#include "benign.h"

struct view {
	const char *data, *end;
};
static void view_set(struct view *v, const char *data, size_t length)
{
	v->data = data;
	v->end = data + length;
}
int null_plus_length(void)
{
	struct view v;
	view_set(&v, null(), (size_t)input(0));
	size_t n = 0;
	for (const char *p = v.data; p != v.end; p++)
		n++;
	printf("%zu %s\n", n, v.data ? "data" : "none");
	return 0;
}
