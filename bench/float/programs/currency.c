// Rounds amounts to cents.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	double amount = atof(argv[1]), rate = 1.19;
	if (!(amount >= 0 && amount < 1e6))
		return 1;
	long cents = lround(amount * rate * 100);
	double back = round(cents / rate) / 100;
	if (cents == 1190)
		puts("ten");
	if (back != amount && cents % 100 == 0)
		puts("does not come back");
	if (rint(amount * 100) != round(amount * 100))
		puts("half a cent");
	if (cents > 100000 && fmod(amount, 0.25) == 0)
		puts("in quarters");
	return 0;
}
