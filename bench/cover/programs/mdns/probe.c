// Probing for names, announcing what was won, and what happens when somebody else has a name.
#include <string.h>

#include "host.h"

enum {
	PROBES = 3,
	ANNOUNCEMENTS = 2,
	PROBE_WAIT = 250,
	ANNOUNCE_WAIT = 1000,
	CONFLICT_WAIT = 1000,
	MANY_CONFLICTS = 15,
	LONG_WAIT = 5000
};

void probe_start(struct host *h, struct claim *c)
{
	c->state = CLAIM_PROBE;
	c->sent = 0;
	c->at = h->now + (long)host_random(h, PROBE_WAIT);
}

// The service whose claim it is; NULL: the host's own.
static struct service *service_of(struct host *h, const struct claim *c)
{
	for (int i = 0; i < MAX_SERVICES; i++)
		if (&h->registry.services[i].claim == c)
			return &h->registry.services[i];
	return NULL;
}

static const struct name *name_of(struct host *h, const struct claim *c)
{
	const struct service *s = service_of(h, c);
	return s ? &s->instance : &h->registry.host;
}

static void each_record(struct host *h, const struct claim *c, registry_each *each, void *opaque)
{
	const struct service *s = service_of(h, c);
	if (s)
		registry_service_records(&h->registry, s, each, opaque);
	else
		registry_host_records(&h->registry, each, opaque);
}

// All claims, one after the other; NULL at the end.
static struct claim *next_claim(struct host *h, const struct claim *c)
{
	int i = 0;
	if (!c)
		return h->registry.host.length > 1 ? &h->registry.claim : next_claim(h, &h->registry.claim);
	if (c != &h->registry.claim)
		i = (int)(service_of(h, c) - h->registry.services) + 1;
	for (; i < MAX_SERVICES; i++)
		if (h->registry.services[i].used)
			return &h->registry.services[i].claim;
	return NULL;
}

// --- sending ---------------------------------------------------------------------------------

struct filler {
	struct packet packet;
	const struct name *only; // records of this name; NULL: all
	int full;
};

static void add_authority(void *opaque, const struct record *r)
{
	struct filler *f = opaque;
	if (r->flush && name_equal(&r->name, f->only) && packet_authority(&f->packet, r) < 0)
		f->full = 1;
}

static void add_answer(void *opaque, const struct record *r)
{
	struct filler *f = opaque;
	if (packet_answer(&f->packet, r) < 0)
		f->full = 1;
}

static void send_probe(struct host *h, struct claim *c)
{
	static struct filler f;
	packet_clear(&f.packet, 0);
	f.only = name_of(h, c);
	f.full = 0;
	packet_ask(&f.packet, f.only, TYPE_ANY, 1);
	each_record(h, c, add_authority, &f);
	host_send(h, &f.packet, NULL, 0);
}

static void send_announcement(struct host *h, struct claim *c)
{
	static struct filler f;
	packet_clear(&f.packet, FLAG_RESPONSE | FLAG_AUTHORITY);
	f.full = 0;
	each_record(h, c, add_answer, &f);
	host_send(h, &f.packet, NULL, 0);
}

static void advance(struct host *h, struct claim *c)
{
	switch (c->state) {
	case CLAIM_PROBE:
		if (c->sent < PROBES) {
			send_probe(h, c);
			c->sent++;
			c->at = h->now + PROBE_WAIT;
			break;
		}
		c->state = CLAIM_ANNOUNCE;
		c->sent = 0;
		// fall through
	case CLAIM_ANNOUNCE:
		send_announcement(h, c);
		if (++c->sent < ANNOUNCEMENTS) {
			c->at = h->now + ANNOUNCE_WAIT;
			break;
		}
		c->state = CLAIM_READY;
		c->at = -1;
		h->tell(h, "ready", NULL);
		break;
	case CLAIM_WAIT: probe_start(h, c); break;
	case CLAIM_READY: c->at = -1; break;
	}
}

long probe_next(const struct host *h)
{
	long best = -1;
	struct host *host = (struct host *)h;
	for (const struct claim *c = next_claim(host, NULL); c; c = next_claim(host, c))
		if (c->state != CLAIM_READY && c->at >= 0 && (best < 0 || c->at < best))
			best = c->at;
	return best;
}

void probe_work(struct host *h)
{
	for (struct claim *c = next_claim(h, NULL); c; c = next_claim(h, c))
		if (c->state != CLAIM_READY && c->at >= 0 && c->at <= h->now)
			advance(h, c);
}

// --- conflicts -------------------------------------------------------------------------------

static void lose(struct host *h, struct claim *c)
{
	struct service *s = service_of(h, c);
	int r = s ? registry_rename_service(&h->registry, s) : registry_rename_host(&h->registry);
	h->tell(h, r < 0 ? "no name is left" : "renamed", NULL);
	if (r < 0) {
		c->state = CLAIM_READY;
		c->at = -1;
		return;
	}
	probe_start(h, c);
	if (c->conflicts >= MANY_CONFLICTS)
		c->at = h->now + LONG_WAIT;
}

// Records of a name in an order that both sides know; returns how many.
struct sorted {
	struct record v[MAX_RECORDS];
	int n;
	const struct name *name;
};

static void insert_sorted(void *opaque, const struct record *r)
{
	struct sorted *s = opaque;
	int at = s->n;
	if (!name_equal(&r->name, s->name) || s->n == MAX_RECORDS)
		return;
	while (at > 0 && record_compare(&s->v[at - 1], r) > 0) {
		s->v[at] = s->v[at - 1];
		at--;
	}
	s->v[at] = *r;
	s->n++;
}

static int compare_sets(const struct sorted *a, const struct sorted *b)
{
	for (int i = 0; i < a->n && i < b->n; i++) {
		int r = record_compare(&a->v[i], &b->v[i]);
		if (r)
			return r;
	}
	return a->n - b->n;
}

void probe_hear_query(struct host *h, const struct packet *p)
{
	static struct sorted ours, theirs;
	for (struct claim *c = next_claim(h, NULL); c; c = next_claim(h, c)) {
		if (c->state != CLAIM_PROBE || c->sent == 0)
			continue;
		ours.n = theirs.n = 0;
		ours.name = theirs.name = name_of(h, c);
		for (int i = 0; i < p->n_authorities; i++)
			insert_sorted(&theirs, &p->records[p->n_answers + i]);
		if (theirs.n == 0)
			continue;
		each_record(h, c, insert_sorted, &ours);
		int r = compare_sets(&ours, &theirs);
		if (r >= 0) // ours are later, or it is our own probe
			continue;
		h->tell(h, "gives way", NULL);
		c->state = CLAIM_WAIT;
		c->at = h->now + CONFLICT_WAIT;
	}
}

struct checker {
	const struct record *heard;
	int ours, same;
};

static void check_record(void *opaque, const struct record *r)
{
	struct checker *k = opaque;
	if (!r->flush || r->type != k->heard->type || r->class != k->heard->class ||
	    !name_equal(&r->name, &k->heard->name))
		return;
	k->ours = 1;
	k->same |= record_same_data(r, k->heard);
}

static int conflicts_with(struct host *h, struct claim *c, const struct record *r)
{
	struct checker k = {r, 0, 0};
	if (r->ttl == 0)
		return 0;
	if (c->state == CLAIM_PROBE && c->sent > 0 && name_equal(&r->name, name_of(h, c))) {
		each_record(h, c, check_record, &k);
		return !k.same;
	}
	if (c->state != CLAIM_ANNOUNCE && c->state != CLAIM_READY)
		return 0;
	each_record(h, c, check_record, &k);
	return k.ours && !k.same;
}

void probe_hear_response(struct host *h, const struct packet *p)
{
	for (struct claim *c = next_claim(h, NULL); c; c = next_claim(h, c))
		for (int i = 0; i < packet_total(p); i++) {
			if (!conflicts_with(h, c, &p->records[i]))
				continue;
			h->tell(h, "conflict", &p->records[i]);
			if (c->state == CLAIM_PROBE)
				lose(h, c);
			else
				probe_start(h, c); // the name was ours: it is fought for again
			break;
		}
}
