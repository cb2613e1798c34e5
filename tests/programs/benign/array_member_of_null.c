#include "benign.h"

struct packet {
	long size;
	char data[16];
};
static const char *text(struct packet *p)
{
	const char *data = p->data;
	return p ? data : "none";
}
int array_member_of_null(void)
{
	printf("%s\n", text(null()));
	return 0;
}
