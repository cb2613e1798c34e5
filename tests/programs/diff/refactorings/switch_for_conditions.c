// args: 4*2
// A chain of conditions became a switch, and results that were assigned are returned.
#include <limits.h>
#include <stdio.h>

static int compute(char operator, int a, int b, int *ret)
{
#ifdef NEW
	switch (operator) {
	case '+': *ret = a + b; return 0;
	case '-': *ret = a - b; return 0;
	case '*': *ret = a * b; return 0;
	case '/':
	case '%':
		if (b == 0)
			return 1;
		*ret = operator== '/' ? a / b : a % b;
		return 0;
	default: return 2;
	}
#else
	int result = 0;
	if (operator== '+')
		*ret = a + b;
	else if (operator== '-')
		*ret = a - b;
	else if (operator== '*')
		*ret = a * b;
	else if ((operator== '/' || operator== '%') && b == 0)
		result = 1;
	else if (operator== '/')
		*ret = a / b;
	else if (operator== '%')
		*ret = a % b;
	else
		result = 2;
	return result;
#endif
}

static const char *const messages[] = {"", "division by zero", "unknown operator", "usage: DIGIT OPERATOR DIGIT"};

int main(int argc, char **argv)
{
	const char *p = argc > 1 ? argv[1] : "";
	int value = 0, error = 3;
	if (p[0] >= '0' && p[0] <= '9' && p[1] && p[2] >= '0' && p[2] <= '9' && !p[3])
		error = compute(p[1], p[0] - '0', p[2] - '0', &value);
	if (error)
		puts(messages[error]);
	else
		printf("%d\n", value);
	return error;
}
