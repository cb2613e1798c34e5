#include "host.h"

#include <string.h>

void host_init(struct host *h)
{
	memset(h, 0, sizeof *h);
	registry_init(&h->registry);
	cache_init(&h->cache);
	h->random = 12345;
}

unsigned host_random(struct host *h, unsigned below)
{
	h->random = h->random * 1103515245u + 12345u;
	return (h->random >> 16) % below;
}

void host_send(struct host *h, struct packet *p, const struct peer *to, int legacy)
{
	uint8_t data[PACKET_MAX];
	size_t n = packet_write(p, data, sizeof data, legacy);
	while (n == 0 && p->n_answers > 1 && !(p->flags & FLAG_RESPONSE)) { // known answers: the rest is left out
		memmove(&p->records[p->n_answers - 1], &p->records[p->n_answers],
		        (size_t)(packet_total(p) - p->n_answers) * sizeof *p->records);
		p->n_answers--;
		p->flags |= FLAG_TRUNCATED;
		n = packet_write(p, data, sizeof data, legacy);
	}
	if (n == 0)
		return;
	h->sent++;
	h->send(h, data, n, to);
}

void host_start(struct host *h)
{
	if (h->registry.host.length > 1)
		probe_start(h, &h->registry.claim);
	for (int i = 0; i < MAX_SERVICES; i++)
		if (h->registry.services[i].used)
			probe_start(h, &h->registry.services[i].claim);
}

static void add_goodbye(void *opaque, const struct record *r)
{
	struct record last = *r;
	last.ttl = 0;
	packet_answer(opaque, &last);
}

void host_stop(struct host *h)
{
	static struct packet p;
	packet_clear(&p, FLAG_RESPONSE | FLAG_AUTHORITY);
	registry_records(&h->registry, add_goodbye, &p);
	if (p.n_answers)
		host_send(h, &p, NULL, 0);
}

// --- hearing ---------------------------------------------------------------------------------

static void hear_response(struct host *h, const struct packet *p, const struct peer *from)
{
	if (from->port != MDNS_PORT)
		return; // not from the link
	probe_hear_response(h, p);
	respond_heard(h, p);
	for (int i = 0; i < packet_total(p); i++) {
		const struct record *r = &p->records[i];
		if (r->class != CLASS_IN || (i >= p->n_answers && i < p->n_answers + p->n_authorities))
			continue;
		query_heard(h, r, cache_add(&h->cache, r, h->now));
	}
}

void host_receive(struct host *h, const uint8_t *data, size_t size, const struct peer *from)
{
	static struct packet p;
	h->received++;
	if (packet_parse(&p, data, size) < 0 || p.flags & (FLAG_OPCODE | FLAG_RCODE)) {
		h->damaged++;
		return;
	}
	if (p.flags & FLAG_RESPONSE) {
		hear_response(h, &p, from);
		return;
	}
	probe_hear_query(h, &p);
	respond(h, &p, from);
}

// --- the clock -------------------------------------------------------------------------------

long host_next(const struct host *h)
{
	const long all[] = {probe_next(h), respond_next(h), query_next(h), cache_next(&h->cache)};
	long best = -1;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i] >= 0 && (best < 0 || all[i] < best))
			best = all[i];
	return best;
}

static void gone(void *opaque, const struct record *r)
{
	struct host *h = opaque;
	for (int i = 0; i < MAX_QUERIES; i++)
		if (h->queries[i].used && name_equal(&h->queries[i].name, &r->name))
			h->tell(h, "lost", r);
}

void host_work(struct host *h)
{
	cache_expire(&h->cache, h->now, gone, h);
	probe_work(h);
	respond_work(h);
	query_work(h);
}
