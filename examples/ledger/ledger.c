// Adds up amounts by account. Input: lines "account amount", as in
//   rent 750
//   food 12
// Output: one line an account, sorted by name, and a check number.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct account {
	char *name;
	long total;
};

static struct account *accounts;
static size_t count, room;

static char *copy(const char *s)
{
	char *p = malloc(strlen(s));
	return strcpy(p, s);
}

static struct account *find(const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(accounts[i].name, name) == 0)
			return &accounts[i];
	if (count == room) {
		room = room ? 2 * room : 4;
		accounts = realloc(accounts, room * sizeof *accounts);
	}
	accounts[count] = (struct account){copy(name), 0};
	return &accounts[count++];
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct account *)a)->name, ((const struct account *)b)->name);
}

static int check_number(void)
{
	int h = 17;
	for (size_t i = 0; i < count; i++)
		for (const char *p = accounts[i].name; *p; p++)
			h = h * 31 + *p;
	return h & 0xffff;
}

int main(void)
{
	char name[64];
	long amount;
	while (scanf("%63s %ld", name, &amount) == 2)
		find(name)->total += amount;
	if (count)
		qsort(accounts, count, sizeof *accounts, by_name);
	for (size_t i = 0; i < count; i++)
		printf("%s %ld\n", accounts[i].name, accounts[i].total);
	printf("check %d\n", check_number());
	return 0;
}
