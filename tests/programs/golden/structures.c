// structures by value: in registers, in memory, returned either way
#include "golden.h"

struct small {
	int x;
	short y;
	char z;
};
struct large {
	int v[12];
};
struct floats {
	float x, y, z;
};
struct empty {
};

__attribute__((noinline)) static struct small small(struct small s, int add)
{
	s.x += add;
	return s;
}

__attribute__((noinline)) static struct large large(struct large l, int at)
{
	l.v[1] = l.v[0] + at;
	return l;
}

__attribute__((noinline)) static float floats(struct floats f)
{
	return f.y + f.z;
}

__attribute__((noinline)) static int many(int a, int b, int c, int d, int e, int f, int g, struct empty h, int i)
{
	return g * i;
}

int main(void)
{
	INPUT(int, a, 4);
	INPUT(float, f, 0.5f);
	struct small s = small((struct small){a, (short)a, 'c'}, 1);
	IF(s.x == 5);
	IF(s.y == 4);
	IF(s.z == 'c');
	struct large l = {{a}}, m = large(l, a);
	IF(m.v[0] == 4);
	IF(m.v[1] == 8);
	IF(l.v[1] == 0); // the caller's is another one
	IF(floats((struct floats){1, f, f}) == 1);
	IF(many(1, 2, 3, 4, 5, 6, a, (struct empty){}, a) == 16);
	return 0;
}
