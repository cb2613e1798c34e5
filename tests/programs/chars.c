// Conditions on classes of characters, narrow and wide; tests/e2e/trace.sh solves the other
// side of each branch and runs it.
#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
#include <wctype.h>

#include "veer.h"

static char in[12] = "ab1 \xc3\xa4xyz";

int main(void)
{
	int score = 0, (*volatile as_function)(int) = (isxdigit);
	wchar_t wide[12];
	if (veer_make_symbolic)
		veer_make_symbolic(in, sizeof in, "in");
	setlocale(LC_ALL, "C.UTF-8");
	if (isupper((unsigned char)in[0])) // macros read libc's table
		score += 1;
	if (toupper((unsigned char)in[1]) == 'Q')
		score += 2;
	if (ispunct(in[2]))
		score += 4;
	if (as_function((unsigned char)in[3]))
		score += 8;
	if (mbstowcs(wide, in + 4, 12) == (size_t)-1)
		return 1;
	if (iswupper((wint_t)wide[0]))
		score += 16;
	if (towupper((wint_t)wide[1]) == L'W')
		score += 32;
	if (wcschr(L"+-*/", wide[2]))
		score += 64;
	if (wcscmp(wide + 3, L"u") == 0)
		score += 128;
	printf("%d\n", score);
	return 0;
}
