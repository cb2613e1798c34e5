#include "explore/work.h"

#include <assert.h>

#include "base/mem.h"

void work_queue_add(struct work_queue *q, const struct work_item *item)
{
	assert(item->input);
	assert((q->n == 0) == (q->first == NULL));
	struct work_item *copy = (struct work_item *)mem_copy(item, sizeof *item);
	if (!q->first)
		q->last = &q->first;
	copy->next = item->first ? q->first : NULL;
	if (!item->first || !q->first) {
		*q->last = copy;
		q->last = &copy->next;
	} else {
		q->first = copy;
	}
	q->n++;
}

bool work_queue_take(struct work_queue *q, struct work_item *ret)
{
	struct work_item *item = q->first;
	assert((q->n == 0) == (item == NULL));
	if (!item)
		return false;
	*ret = *item;
	ret->next = NULL;
	q->first = item->next;
	q->n--;
	mem_free(item);
	return true;
}

void work_queue_clear(struct work_queue *q)
{
	struct work_item item;
	while (work_queue_take(q, &item))
		;
}
