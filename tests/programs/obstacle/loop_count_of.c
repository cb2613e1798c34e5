// So many of the bytes have to be a certain letter.
#include "bomb.h"
#include <stdio.h>

int main(void)
{
	char text[128];
	size_t size = fread(text, 1, sizeof(text), stdin);
	int letters = 0, others = 0;
	for (size_t i = 0; i < size; i++)
		if (text[i] == 'v')
			letters++;
		else if (LEVEL == 2 && text[i] == 'w')
			others++;
	if (letters == (LEVEL == 1 ? 20 : 30) && others == (LEVEL == 1 ? 0 : 9))
		bomb();
	return 0;
}
