// Types of every kind that C has, for the tests of shapes: sample.c is compiled to bitcode for the block, and both
// are part of the tests themselves.
#ifndef VEER_TESTS_SHAPES_SAMPLE_H
#define VEER_TESTS_SHAPES_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

enum color { RED, GREEN = -5, BLUE = 7 };
enum wide { NARROW, WIDE = 0xffffffffffffffffu };
typedef enum { LOW = 1, HIGH } level;
typedef struct {
	int x, y;
} point;
typedef int (*operation)(int, const char *);
typedef unsigned char byte;

struct bits {
	unsigned a : 3;
	int b : 7;
	long long c : 40;
	_Bool d : 1;
	unsigned : 0;
	byte e : 4;
};

struct __attribute__((packed)) packed {
	char tag;
	int value;
	short tail;
};

union any {
	int i;
	double d;
	char text[12];
	struct list *l;
};

struct list {
	struct list *next, **link;
	char name[16];
	enum color color;
	level level;
	point at;
	struct bits bits;
	union any any;
	union {
		int small;
		float fraction;
	};
	struct {
		short left, right;
	};
	const char *text;
	const char *const *words;
	operation run;
	volatile int grid[2][3];
	struct hidden *hidden;
	int (*rows)[4];
	void *raw;
	size_t length;
	int tail[];
};

struct numbers {
	_Bool flag;
	char c;
	signed char sc;
	unsigned char uc;
	short s;
	unsigned short us;
	int i;
	unsigned u;
	long l;
	unsigned long ul;
	long long ll;
	unsigned long long ull;
	__int128 huge;
	float f;
	double d;
	long double ld;
	_Complex double z;
	wchar_t w;
	_Float16 half;
	int64_t exact;
};

struct tree { // of two structures that know each other
	struct forest *of;
	struct tree *left, *right;
};

struct forest {
	struct tree roots[2];
	struct __attribute__((aligned(32))) {
		char c;
	} apart;
};

struct big {
	long v[5];
};

int values(struct numbers n, struct list *l, const char *text, struct bits b, union any u, struct packed *p,
           char letter);
extern struct list *first;
extern int limit;
extern const operation operations[3];

int walk(struct list *l, const uint8_t *bytes, size_t n, ...);
struct big make_big(struct big from, point p, int);
struct numbers sum_numbers(const struct numbers *n, union any u, struct packed p);
int drop(int v);
int apply(int which, const char *text);
int renamed(int v) __asm__("other_name");
int jumps(int n);
int variable(size_t n);
_Noreturn void give_up(const char *why);
int with_label(int n);
int plant(struct tree *t, struct forest *f);

#endif
