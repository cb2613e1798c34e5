// A stack machine has to leave a certain state behind.
#include "bomb.h"

int main(int argc, char **argv)
{
	int stack[16] = {0}, top = 0, calls = 0;
	if (argc < 2)
		return 1;
	for (const char *at = argv[1]; *at; at++)
		if (*at >= '0' && *at <= '9' && top < 16)
			stack[top++] = *at - '0';
		else if (*at == '+' && top >= 2)
			top--, stack[top - 1] += stack[top];
		else if (*at == '*' && top >= 2)
			top--, stack[top - 1] *= stack[top];
		else if (*at == '=' && top == 1)
			calls++;
		else
			return 1;
	if (calls && stack[0] == (LEVEL == 1 ? 35 : 8 * 9 + 7))
		bomb();
	return 0;
}
