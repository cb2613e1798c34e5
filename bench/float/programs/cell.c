// A cell of a spreadsheet: a number, a percentage, or =A+B and the like.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double operand(const char **at, int *bad)
{
	char *end;
	double x = strtod(*at, &end);
	*bad |= end == *at;
	*at = end;
	if (**at == '%') {
		++*at;
		x /= 100;
	}
	return x;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 3;
	const char *at = argv[1];
	int bad = 0, formula = *at == '=';
	at += formula;
	double x = operand(&at, &bad);
	while (formula && *at && !bad) {
		char op = *at++;
		double y = operand(&at, &bad);
		switch (op) {
		case '+': x += y; break;
		case '-': x -= y; break;
		case '*': x *= y; break;
		case '/':
			if (y == 0) {
				puts("#DIV/0!");
				return 1;
			}
			x /= y;
			break;
		case '^': x = pow(x, y); break;
		default: bad = 1;
		}
	}
	if (bad || *at) {
		puts("#VALUE!");
		return 2;
	}
	if (!isfinite(x))
		puts("#NUM!");
	else if (x == floor(x) && fabs(x) >= 1000)
		puts("with separators");
	else if (fabs(x) < 0.01 && x != 0)
		puts("scientific");
	else if (x == 0.125)
		puts("one eighth");
	return 0;
}
