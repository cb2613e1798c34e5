// Looks a number up in a sorted array.
#include <stdio.h>
#include <veer.h>

int main(void)
{
	float v[5], key;
	veer_make_symbolic(v, sizeof v, "v");
	veer_make_symbolic(&key, sizeof key, "key");
	for (int i = 1; i < 5; i++)
		if (!(v[i - 1] < v[i]))
			return 1;
	int low = 0, high = 4;
	while (low <= high) {
		int middle = (low + high) / 2;
		if (v[middle] == key) {
			puts("found");
			return 0;
		}
		if (v[middle] < key)
			low = middle + 1;
		else
			high = middle - 1;
	}
	if (key != key)
		puts("no number");
	return 2;
}
