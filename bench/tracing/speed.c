// Work without symbolic data, for the ratio of the traced to the native program,
// and a small text parser on symbolic input, for the cost of a node. One argument:
// crc, sort, calls, or parse SIZE. Prints seconds.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "veer.h"

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint32_t table[256];

static uint32_t crc(const uint8_t *p, size_t n)
{
	uint32_t c = ~0u;
	for (size_t i = 0; i < n; i++)
		c = table[(c ^ p[i]) & 255] ^ (c >> 8);
	return ~c;
}

static void sort(int *a, int n)
{
	if (n < 2)
		return;
	int pivot = a[n / 2], i = 0, j = n - 1;
	while (i <= j) {
		while (a[i] < pivot)
			i++;
		while (a[j] > pivot)
			j--;
		if (i <= j) {
			int t = a[i];
			a[i++] = a[j];
			a[j--] = t;
		}
	}
	sort(a, j + 1);
	sort(a + i, n - i);
}

static int calls(int n)
{
	return n < 2 ? n : calls(n - 1) + calls(n - 2);
}

static int parse(const char *p, size_t n)
{
	int keys = 0, sections = 0, sum = 0, value = 0, digits = 0;
	for (size_t i = 0; i < n; i++) {
		char c = p[i];
		if (c == '=')
			keys++;
		else if (c == '[')
			sections++;
		if (c >= '0' && c <= '9') {
			value = digits ? (value * 10 + c - '0') % 100000 : c - '0';
			digits = 1;
		} else {
			if (digits)
				sum = (sum + value) % 1000000;
			digits = 0;
		}
	}
	return keys * 31 + sections * 7 + sum;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	unsigned result = 0;
	double start = 0;
	if (strcmp(what, "crc") == 0) {
		for (uint32_t i = 0; i < 256; i++) {
			uint32_t c = i;
			for (int k = 0; k < 8; k++)
				c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
			table[i] = c;
		}
		size_t n = 16 << 20;
		uint8_t *p = malloc(n);
		for (size_t i = 0; i < n; i++)
			p[i] = (uint8_t)(i * 2654435761u >> 13);
		start = now();
		result = crc(p, n);
	} else if (strcmp(what, "sort") == 0) {
		int n = 1000000, *a = malloc((size_t)n * sizeof *a);
		uint32_t x = 1;
		for (int i = 0; i < n; i++) {
			x = x * 1664525u + 1013904223u;
			a[i] = (int)(x >> 1);
		}
		start = now();
		sort(a, n);
		result = (unsigned)a[n / 3];
	} else if (strcmp(what, "calls") == 0) {
		start = now();
		result = (unsigned)calls(35);
	} else if (strcmp(what, "parse") == 0 && argc > 2) {
		size_t n = (size_t)atol(argv[2]);
		char *p = malloc(n + 1);
		for (size_t i = 0; i < n; i++)
			p[i] = "key = 123\n[sec]\n"[i % 16];
		if (veer_make_symbolic)
			veer_make_symbolic(p, n, "text");
		start = now();
		result = (unsigned)parse(p, n);
	} else {
		return 2;
	}
	fprintf(stderr, "seconds %.6f\n", now() - start);
	printf("%u\n", result);
	return 0;
}
