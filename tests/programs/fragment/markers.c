// Entry in the middle of a function, at the head of a loop or a label: what is live there is made up.
#include "brute.h"

struct state {
	int mode;
	char text[4];
};

// Nothing gets past the first condition.
static unsigned hash(unsigned x)
{
	for (int i = 0; i < 50; i++)
		x = x * 2654435761u + (x >> 15);
	return x;
}

// The loop's head: i and sum are live, key is not.
// options loop: -m 1
#ifdef BRUTE
int loop(unsigned i, int sum)
{
#else
int loop(unsigned key)
{
	if (hash(key) != 0x12345678)
		return 0;
	int sum = 3;
	unsigned i = 0;
#endif
	while (D(i < 2)) {
		if (D(sum > 5))
			return 1;
		i += 2;
	}
	return D(sum == 4) ? 2 : 3;
}

// A label, with a structure on the stack.
// options label: -m 1
#ifdef BRUTE
int label(struct state s)
{
#else
int label(unsigned key)
{
	struct state s = {0, "abc"};
	if (hash(key) == 0x12345678)
		goto there;
	return 0;
there:
#endif
	if (D(s.mode == 2))
		return D(s.text[1] == 'x') ? 1 : 2;
	return 3;
}

#ifdef BRUTE
int main(void)
{
	FROM(i, 0, 2) FROM(sum, 3, 6) TRY(loop((unsigned)i, (int)sum));
	end_function("loop");
	FROM(mode, 1, 2) FROM(c, 'w', 'x') TRY(label((struct state){(int)mode, {'a', (char)c}}));
	end_function("label");
	return 0;
}
#else
int main(void)
{
	return loop(0) + label(0);
}
#endif
