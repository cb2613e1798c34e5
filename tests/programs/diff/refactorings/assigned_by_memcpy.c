// args: qrs
#include <stdio.h>
#include <string.h>

struct pair {
	char first, second;
};

static struct pair swap(const struct pair *p)
{
	struct pair result;
#ifdef NEW
	memcpy(&result, p, sizeof result);
#else
	result = *p;
#endif
	char c = result.first;
	result.first = result.second;
	result.second = c;
	return result;
}

int main(int argc, char **argv)
{
	struct pair p = {'a', 'b'};
	if (argc > 1 && argv[1][0])
		p = (struct pair){argv[1][0], argv[1][1]};
	p = swap(&p);
	printf("%d %d\n", p.first, p.second);
	return 0;
}
