// args: abcd
// Types of the same width with other names; a flag that was int is bool.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef NEW
typedef uint32_t hash;
typedef size_t count;
typedef bool flag;
#else
typedef unsigned hash;
typedef unsigned long count;
typedef int flag;
#endif

struct bucket {
	hash key;
	count uses;
	flag full;
};

static hash hash_of(char c)
{
	hash h = (hash)(unsigned char)c * 2654435761u;
	return h >> 29;
}

static flag add(struct bucket *buckets, char c)
{
	struct bucket *b = &buckets[hash_of(c)];
	if (b->full)
		return 0;
	b->key = b->key * 31 + (hash)(unsigned char)c;
	b->full = ++b->uses >= 3;
	return 1;
}

int main(int argc, char **argv)
{
	struct bucket buckets[8] = {{0}};
	count refused = 0;
	for (const char *p = argc > 1 ? argv[1] : ""; *p; p++)
		refused += !add(buckets, *p);
	for (int i = 0; i < 8; i++)
		if (buckets[i].uses)
			printf("%d: %lu, %x%s\n", i, (unsigned long)buckets[i].uses, (unsigned)buckets[i].key,
			       buckets[i].full ? ", full" : "");
	return refused > 0;
}
