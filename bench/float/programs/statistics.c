// Mean and deviation of a column of comma-separated values.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	char line[64];
	double sum = 0, squares = 0;
	int n = 0, bad = 0;
	while (n < 4 && fgets(line, sizeof line, stdin)) {
		char *end, *at = line;
		while (*at && *at != ',')
			at++;
		double x = strtod(*at ? at + 1 : line, &end);
		if (end == line || end == at + 1 || !isfinite(x)) {
			bad++;
			continue;
		}
		n++;
		sum += x;
		squares += x * x;
	}
	if (!n)
		return 1;
	double mean = sum / n, variance = squares / n - mean * mean;
	if (bad)
		puts("some were bad");
	if (variance < 0)
		puts("cancelled");
	else if (n > 1 && variance == 0)
		puts("all the same");
	else if (sqrt(variance) > 10)
		puts("scattered");
	if (mean > 2.5 && mean < 2.75)
		puts("about two and a half");
	return 0;
}
