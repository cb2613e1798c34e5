// Where all cells are made at once, a pointer may lead to one that is not there yet: it is written when all are.
#include <stdio.h>
#include <string.h>

#include "runtime/fragment/fragment.h"

enum { LATER = 256 };

static struct later {
	struct pointer pointer;
	char place[CELL_NAME];
} later[LATER];
static uint32_t n_later;

bool defer_pointer(const struct pointer *p)
{
	if (p->given < FRAGMENT_CELL || p->given == FRAGMENT_KEEP || n_later == LATER)
		return false;
	struct later *l = &later[n_later++];
	l->pointer = *p;
	snprintf(l->place, sizeof l->place, "%s", p->place);
	return true;
}

void defer_finish(void)
{
	for (uint32_t i = 0; i < n_later; i++) { // a new one may have others behind it
		struct pointer p = later[i].pointer;
		struct cell *to = cell_numbered((uint32_t)p.given - FRAGMENT_CELL);
		p.place = later[i].place;
		if (to && to->type.is->hash == p.to.is->hash) {
			memcpy((void *)(p.in->at + p.offset), &to->at, sizeof to->at);
		} else {
			p.given = FRAGMENT_NEW;
			pointer_make(&p);
		}
	}
	n_later = 0;
}
