// What others on the link have said, until it expires.
#ifndef CACHE_H
#define CACHE_H

#include "packet.h"

enum { CACHE_SIZE = 128, CACHE_BUCKETS = 32 };

struct entry {
	struct record record;
	long since, expires; // milliseconds
	uint8_t used;        // somebody asked for it: it is refreshed
	uint8_t refreshes;   // how many times it was asked for again
	struct entry *next;  // in its bucket, or free
};

struct cache {
	struct entry entries[CACHE_SIZE];
	struct entry *buckets[CACHE_BUCKETS], *free;
	int n;
	long evicted;
};

enum cache_change { CACHE_SAME, CACHE_NEW, CACHE_UPDATED, CACHE_GONE };

void cache_init(struct cache *c);
enum cache_change cache_add(struct cache *c, const struct record *r, long now);
// The next entry of a name and type behind `from` (NULL: the first).
struct entry *cache_find(struct cache *c, const struct name *n, unsigned type, const struct entry *from, long now);
// Calls `gone` for each entry that has expired, and forgets it.
void cache_expire(struct cache *c, long now, void (*gone)(void *opaque, const struct record *r), void *opaque);
// When something has to be done next: an entry expires, or has to be refreshed; -1: never.
long cache_next(const struct cache *c);
// An entry that is to be asked for again now; NULL: none. It is marked as asked.
struct entry *cache_refresh(struct cache *c, long now);
uint32_t entry_ttl(const struct entry *e, long now); // that is left, in seconds

#endif
