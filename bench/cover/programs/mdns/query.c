// What this host wants to know: asked at growing intervals, with what is known already.
#include <string.h>

#include "host.h"

enum { FIRST_INTERVAL = 1000, LAST_INTERVAL = 3600000 };

int host_query(struct host *h, const char *name, unsigned type, int resolve)
{
	for (int i = 0; i < MAX_QUERIES; i++) {
		struct query *q = &h->queries[i];
		if (q->used)
			continue;
		memset(q, 0, sizeof *q);
		if (name_from_text(&q->name, name) < 0)
			return -1;
		q->type = (uint16_t)type;
		q->resolve = resolve != 0;
		q->at = h->now + 20 + (long)host_random(h, 100);
		q->interval = FIRST_INTERVAL;
		q->used = 1;
		return 0;
	}
	return -1;
}

// Answers that need not be given: those that are good for more than half of their time.
static int add_known(struct host *h, struct packet *p, const struct query *q)
{
	for (struct entry *e = NULL; (e = cache_find(&h->cache, &q->name, q->type, e, h->now));) {
		struct record r = e->record;
		r.ttl = entry_ttl(e, h->now);
		r.flush = 0;
		if (r.ttl > e->record.ttl / 2 && packet_answer(p, &r) < 0)
			return -1;
	}
	return 0;
}

static void ask_refresh(struct host *h, struct packet *p)
{
	for (struct entry *e; (e = cache_refresh(&h->cache, h->now));)
		packet_ask(p, &e->record.name, e->record.type, 0);
}

long query_next(const struct host *h)
{
	long best = -1;
	for (int i = 0; i < MAX_QUERIES; i++)
		if (h->queries[i].used && (best < 0 || h->queries[i].at < best))
			best = h->queries[i].at;
	return best;
}

void query_work(struct host *h)
{
	static struct packet p;
	packet_clear(&p, 0);
	for (int i = 0; i < MAX_QUERIES; i++) {
		struct query *q = &h->queries[i];
		if (!q->used || q->at > h->now)
			continue;
		packet_ask(&p, &q->name, q->type, q->interval == FIRST_INTERVAL);
		if (add_known(h, &p, q) < 0)
			p.flags |= FLAG_TRUNCATED;
		q->at = h->now + q->interval;
		q->interval = q->interval * 2 > LAST_INTERVAL ? LAST_INTERVAL : q->interval * 2;
	}
	ask_refresh(h, &p);
	if (p.n_questions)
		host_send(h, &p, NULL, 0);
}

static const struct query *interested(const struct host *h, const struct record *r)
{
	for (int i = 0; i < MAX_QUERIES; i++) {
		const struct query *q = &h->queries[i];
		if (q->used && (q->type == TYPE_ANY || q->type == r->type) && name_equal(&q->name, &r->name))
			return q;
	}
	return NULL;
}

// An instance of a service that was found: what it offers is asked for unless it is known.
static void resolve(struct host *h, const struct record *r)
{
	static struct packet p;
	packet_clear(&p, 0);
	struct entry *srv = cache_find(&h->cache, &r->target, TYPE_SRV, NULL, h->now);
	if (!srv)
		packet_ask(&p, &r->target, TYPE_SRV, 0);
	if (!cache_find(&h->cache, &r->target, TYPE_TXT, NULL, h->now))
		packet_ask(&p, &r->target, TYPE_TXT, 0);
	if (srv && !cache_find(&h->cache, &srv->record.target, TYPE_A, NULL, h->now) &&
	    !cache_find(&h->cache, &srv->record.target, TYPE_AAAA, NULL, h->now)) {
		packet_ask(&p, &srv->record.target, TYPE_A, 0);
		packet_ask(&p, &srv->record.target, TYPE_AAAA, 0);
	}
	if (p.n_questions)
		host_send(h, &p, NULL, 0);
	else
		h->tell(h, "resolved", &srv->record);
}

// Instances that are known by a record that is their target's or their own.
static void resolve_again(struct host *h, const struct record *r)
{
	for (int i = 0; i < MAX_QUERIES; i++) {
		const struct query *q = &h->queries[i];
		if (!q->used || !q->resolve)
			continue;
		for (struct entry *e = NULL; (e = cache_find(&h->cache, &q->name, TYPE_PTR, e, h->now));) {
			struct entry *srv = cache_find(&h->cache, &e->record.target, TYPE_SRV, NULL, h->now);
			if (name_equal(&e->record.target, &r->name) ||
			    (srv && name_equal(&srv->record.target, &r->name)))
				resolve(h, &e->record);
		}
	}
}

void query_heard(struct host *h, const struct record *r, enum cache_change change)
{
	const struct query *q = interested(h, r);
	static const char *const words[] = {
		[CACHE_SAME] = "", [CACHE_NEW] = "found", [CACHE_UPDATED] = "changed", [CACHE_GONE] = "leaves"};
	if (change == CACHE_SAME)
		return;
	if (q)
		h->tell(h, words[change], r);
	if (change == CACHE_GONE)
		return;
	if (q && q->resolve && r->type == TYPE_PTR)
		resolve(h, r);
	else if (r->type == TYPE_SRV || r->type == TYPE_TXT || r->type == TYPE_A || r->type == TYPE_AAAA)
		resolve_again(h, r);
}
