// What callees change in objects that they do not get as arguments. With callees as stubs every segment of these
// functions is covered, but for those of `unchanged`.
#include <stdio.h>
#include <string.h>

struct box {
	int open, n;
	char label[8];
};

struct shelf {
	struct box *first;
	int used;
};

static struct box *kept;
static int turns;

__attribute__((noinline)) void shake(const struct shelf *s)
{
	s->first->open = !s->first->open;
}

// Behind a parameter that is const.
int behind(struct shelf *s)
{
	struct box *b = s->first;
	int was = b->open;
	shake(s);
	if (b->open != was)
		return 1;
	return 0;
}

__attribute__((noinline)) static void shake_kept(void)
{
	if (kept)
		kept->open++;
}

// By a pointer that the callee has kept.
int elsewhere(struct box *b)
{
	int was = b->open;
	shake_kept();
	if (b->open != was)
		return 1;
	return 0;
}

__attribute__((noinline)) static void write_all(int *to)
{
	for (int i = 0; i < 3; i++)
		to[i] = i;
}

// More than one number.
int third(void)
{
	int v[3] = {0};
	write_all(v);
	if (v[2] == 2)
		return 1;
	return 0;
}

__attribute__((noinline)) static void write_bytes(void *to)
{
	memset(to, 1, sizeof(struct box));
}

// Memory of a type that the parameter does not say.
int untyped(void)
{
	struct box b = {0};
	write_bytes(&b);
	if (b.n == 0x01010101)
		return 1;
	return 0;
}

__attribute__((noinline)) static void write_text(char *to)
{
	strcpy(to, "abc");
}

// The text in a structure, and behind its first character.
int text(struct box *b)
{
	char was = b->label[2];
	write_text(b->label);
	if (b->label[2] != was)
		return 1;
	return 0;
}

static void turn(void)
{
	turns++;
}

static void (*volatile hook)(void) = turn;

__attribute__((noinline)) static void by_hook(void)
{
	hook();
}

// A global that is written by somebody whom the callee calls through a pointer.
int called_back(void)
{
	int was = turns;
	by_hook();
	if (turns != was)
		return 1;
	return 0;
}

__attribute__((noinline)) static int peek(const struct shelf *s)
{
	printf("%d\n", s->used);
	return s->used;
}

// The callee writes nothing: the second question has the answer of the first.
int unchanged(struct shelf *s)
{
	struct box *b = s->first;
	unsigned char was = (unsigned char)b->n;
	peek(s);
	if ((unsigned char)b->n + 1 != was + 1)
		return 1;
	return 0;
}

struct link {
	struct link *next;
};

// Two pointers to one object, one of which is made before the other is touched.
int removed(struct link **at, struct link *l)
{
	for (; *at; at = &(*at)->next)
		if (*at == l) {
			*at = l->next;
			return 1;
		}
	return 0;
}

int main(int argc, char **argv)
{
	struct box b = {argc, 0, ""};
	struct shelf s = {&b, 0};
	kept = &b;
	struct link l = {0}, *first = &l;
	return removed(&first, &l) + behind(&s) + elsewhere(&b) + third() + untyped() + text(&b) + called_back() +
	       unchanged(&s);
}
