// args: (x)
#include <stdio.h>

static int balanced(const char *p)
{
	int depth = 0;
#ifdef NEW
	for (; *p; p++) {
		if (*p == '(')
			depth++;
		if (*p == ')' && --depth < 0)
			return 0;
	}
	return depth == 0;
#else
	int ok = 1;
	for (; *p && ok; p++) {
		if (*p == '(')
			depth++;
		else if (*p == ')')
			depth--;
		if (depth < 0)
			ok = 0;
	}
	return ok && depth == 0;
#endif
}

int main(int argc, char **argv)
{
	puts(balanced(argc > 1 ? argv[1] : "") ? "yes" : "no");
	return 0;
}
