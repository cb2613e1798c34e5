#include "cache.h"

#include <string.h>

static const int refresh_at[] = {80, 85, 90, 95}; // percent of the time to live
enum { REFRESHES = 4 };

void cache_init(struct cache *c)
{
	memset(c, 0, sizeof *c);
	for (int i = 0; i < CACHE_SIZE; i++) {
		c->entries[i].next = c->free;
		c->free = &c->entries[i];
	}
}

static struct entry **bucket_of(struct cache *c, const struct name *n)
{
	return &c->buckets[name_hash(n) % CACHE_BUCKETS];
}

uint32_t entry_ttl(const struct entry *e, long now)
{
	return e->expires <= now ? 0 : (uint32_t)((e->expires - now) / 1000);
}

static void drop(struct cache *c, struct entry *e)
{
	for (struct entry **at = bucket_of(c, &e->record.name); *at; at = &(*at)->next)
		if (*at == e) {
			*at = e->next;
			break;
		}
	e->next = c->free;
	c->free = e;
	c->n--;
}

// Makes room: the entry that expires first, of those that nobody asked for if there is one.
static void evict(struct cache *c)
{
	struct entry *worst = NULL;
	for (int b = 0; b < CACHE_BUCKETS; b++)
		for (struct entry *e = c->buckets[b]; e; e = e->next)
			if (!worst || e->used < worst->used || (e->used == worst->used && e->expires < worst->expires))
				worst = e;
	if (worst) {
		drop(c, worst);
		c->evicted++;
	}
}

// The sender has all records of this name and type: others that are older than a second go.
static int flush(struct cache *c, const struct record *r, long now)
{
	int flushed = 0;
	for (struct entry *e = *bucket_of(c, &r->name); e; e = e->next) {
		if (e->record.type != r->type || e->record.class != r->class ||
		    !name_equal(&e->record.name, &r->name) || record_same_data(&e->record, r))
			continue;
		if (now - e->since > 1000 && e->expires > now + 1000) {
			e->expires = now + 1000;
			e->refreshes = REFRESHES;
			flushed++;
		}
	}
	return flushed;
}

enum cache_change cache_add(struct cache *c, const struct record *r, long now)
{
	int flushed = r->flush ? flush(c, r, now) : 0;
	struct entry *e = *bucket_of(c, &r->name);
	while (e && !record_same(&e->record, r))
		e = e->next;
	if (r->ttl == 0) { // goodbye: it goes in a second
		if (!e)
			return CACHE_SAME;
		e->expires = now + 1000;
		e->refreshes = REFRESHES;
		return CACHE_GONE;
	}
	if (!e) {
		if (!c->free)
			evict(c);
		e = c->free;
		c->free = e->next;
		struct entry **bucket = bucket_of(c, &r->name);
		e->next = *bucket;
		*bucket = e;
		e->used = 0;
		c->n++;
	} else if (e->expires > now + 1000 && e->record.ttl == r->ttl) {
		flushed = -1;
	}
	e->record = *r;
	e->since = now;
	e->expires = now + (long)(r->ttl > 86400 ? 86400 : r->ttl) * 1000;
	e->refreshes = 0;
	return flushed < 0 ? CACHE_SAME : flushed > 0 ? CACHE_UPDATED : CACHE_NEW;
}

struct entry *cache_find(struct cache *c, const struct name *n, unsigned type, const struct entry *from, long now)
{
	for (struct entry *e = from ? from->next : *bucket_of(c, n); e; e = e->next)
		if ((type == TYPE_ANY || e->record.type == type) && e->expires > now &&
		    name_equal(&e->record.name, n)) {
			e->used = 1;
			return e;
		}
	return NULL;
}

void cache_expire(struct cache *c, long now, void (*gone)(void *opaque, const struct record *r), void *opaque)
{
	for (int b = 0; b < CACHE_BUCKETS; b++)
		for (struct entry *e = c->buckets[b], *next; e; e = next) {
			next = e->next;
			if (e->expires > now)
				continue;
			gone(opaque, &e->record);
			drop(c, e);
		}
}

// When an entry is to be asked for again; -1: no more.
static long refresh_time(const struct entry *e)
{
	if (!e->used || e->refreshes == REFRESHES)
		return -1;
	return e->since + (e->expires - e->since) / 100 * refresh_at[e->refreshes];
}

long cache_next(const struct cache *c)
{
	long best = -1;
	for (int b = 0; b < CACHE_BUCKETS; b++)
		for (const struct entry *e = c->buckets[b]; e; e = e->next) {
			long at = refresh_time(e);
			if (at < 0 || e->expires < at)
				at = e->expires;
			if (best < 0 || at < best)
				best = at;
		}
	return best;
}

struct entry *cache_refresh(struct cache *c, long now)
{
	for (int b = 0; b < CACHE_BUCKETS; b++)
		for (struct entry *e = c->buckets[b]; e; e = e->next) {
			long at = refresh_time(e);
			if (at < 0 || at > now || e->expires <= now)
				continue;
			e->refreshes++;
			return e;
		}
	return NULL;
}
