// A program whose functions get tests in C: tested.c and tested_other.c. Cases are made by tests/unit/fragment_tool.c.
#ifndef VEER_TESTS_SHAPES_TESTED_H
#define VEER_TESTS_SHAPES_TESTED_H

#include <stddef.h>

enum kind { NONE, FILE_KIND = 3, LINK_KIND };
typedef struct {
	double x, y;
} vec;

struct node {
	struct node *next;
	int value;
	unsigned flags : 3, level : 5;
	char name[8];
	enum kind kind;
	union {
		int i;
		float f;
	} u;
};

struct packet {
	unsigned short length;
	unsigned char data[];
};

struct opaque; // known to tested_other.c alone

int sum(const struct node *list, int *count);
struct node *find(struct node *list, const char *name);
vec scale(vec v, double by);
int total(struct packet *p);
int ask(int key);
int lookup(int key, int *found);
int peek(struct opaque *o);
int steps(int n);
int again(int n);
int crash(int *p);
int stop(int n);
int noise(void);
int early(struct node *n, int mode);
int load(const char *path);
void rename_node(struct node *n, const char *name);
int release_node(struct node *n);
int grow(struct node *n);
void fill(int *numbers, int n);
int twice(int result);
long apart(const struct node *n, const int *count);
int use_callback(int (*callback)(int), int v);

extern int limit;
extern struct node *first;

#endif
