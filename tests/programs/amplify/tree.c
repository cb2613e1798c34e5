/* distance: 1 */
// Prints a tree that is kept in a file: nodes of four bytes (a letter, the numbers of the two subtrees, 255 for none, a
// weight). Node 0 is the root.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { NONE = 255, NODES = 64 };

struct node {
	uint8_t letter, left, right, weight;
};

static struct node nodes[NODES];
static size_t n_nodes;

static void fail(const char *what)
{
	fprintf(stderr, "tree: %s\n", what);
	exit(1);
}

// The heaviest way down from a node.
static unsigned weigh(unsigned at)
{
	if (at == NONE)
		return 0;
	if (at >= n_nodes)
		fail("no such node");
	unsigned left = weigh(nodes[at].left), right = weigh(nodes[at].right); /* bug: stack-overflow in weigh */
	return nodes[at].weight + (left > right ? left : right);
}

static void print(unsigned at, int depth)
{
	if (at == NONE)
		return;
	printf("%*s%c %u\n", depth, "", nodes[at].letter, weigh(at));
	print(nodes[at].left, depth + 2);
	print(nodes[at].right, depth + 2);
}

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	if (!f)
		fail("usage: tree FILE");
	n_nodes = fread(nodes, sizeof *nodes, NODES, f);
	if (!feof(f) && getc(f) != EOF)
		fail("too many nodes");
	fclose(f);
	if (n_nodes == 0)
		fail("no root");
	print(0, 0);
	return 0;
}
