#include "formats/foreign.h"

#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

struct foreign_object *foreign_add(struct foreign *s, const char *name, const char *type, const void *data, size_t size)
{
	vec_room(s->v, s->n + 1, s->cap);
	struct foreign_object *o = &s->v[s->n++];
	*o = (struct foreign_object){.name = mem_strdup(name), .type = type ? mem_strdup(type) : NULL};
	buf_reserve(&o->data, size);
	buf_add(&o->data, data ? data : "", size);
	s->has_objects = true;
	return o;
}

const struct foreign_object *foreign_find(const struct foreign *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->v[i].name, name) == 0)
			return &s->v[i];
	return NULL;
}

void foreign_release(struct foreign *s)
{
	for (size_t i = 0; i < s->n; i++) {
		mem_free(s->v[i].name);
		mem_free(s->v[i].type);
		buf_release(&s->v[i].data);
	}
	mem_free(s->v);
	mem_free(s->name);
	buf_release(&s->bytes);
	strv_release(&s->args);
	*s = (struct foreign){0};
}

void foreigns_take(struct foreigns *all, struct foreign *s)
{
	vec_push(all, *s);
	*s = (struct foreign){0};
}

void foreigns_leave_out(struct foreigns *all, const char *why)
{
	all->left_out++;
	if (!all->why)
		all->why = mem_strdup(why);
}

void foreigns_release(struct foreigns *all)
{
	for (size_t i = 0; i < all->n; i++)
		foreign_release(&all->v[i]);
	mem_free(all->v);
	mem_free(all->why);
	*all = (struct foreigns){0};
}
