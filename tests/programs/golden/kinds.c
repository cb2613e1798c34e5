// other types: truth values, enums, pointers to members, null
#include <stddef.h>

#include "golden.h"

enum colour { RED, GREEN = 5, BLUE };
struct node {
	int value;
	struct node *next;
};

int main(void)
{
	INPUT(unsigned char, c, 5);
	_Bool flag = c;
	enum colour e = (enum colour)c;
	IF(flag);
	IF(!flag);
	IF(flag + flag == 2);
	IF(e == GREEN);
	flag ^= 1;
	IF(flag);
	struct node list[2] = {{c, &list[1]}, {2, NULL}};
	IF(list->value == 5);
	IF(list->next->value == 2);
	struct node *chosen = c == 5 ? &list[1] : NULL;
	IF(chosen != NULL);
	IF(chosen->value == 2);
	IF(offsetof(struct node, next) + c == 13);
	return 0;
}
