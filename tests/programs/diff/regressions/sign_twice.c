// args: 00
// function: number
// A string-to-integer conversion whose sign is applied twice: only a digit other than 0 shows it.
#include <stdbool.h>
#include <stdio.h>

struct value {
	bool is_number;
	int i;
};

static bool number(const char *text, struct value *v)
{
	bool negative = *text == '-';
	int value = 0;
	text += negative;
	if (!*text)
		return false;
	do {
		if (*text < '0' || *text > '9')
			return false;
#ifdef NEW
		value = value * 10 + (negative ? '0' - *text : *text - '0');
#else
		value = value * 10 + (*text - '0');
#endif
	} while (*++text);
	v->i = value * (negative ? -1 : 1);
	v->is_number = true;
	return true;
}

int main(int argc, char **argv)
{
	struct value v = {0};
	if (argc < 2 || !number(argv[1], &v))
		return 2;
	printf("%d\n", v.i);
	return v.i == 0;
}
