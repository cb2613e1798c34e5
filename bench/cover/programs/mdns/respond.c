// Answers to what others ask.
#include <string.h>

#include "host.h"

enum { SHARED_DELAY = 20, SHARED_SPREAD = 100, TRUNCATED_DELAY = 400 };

struct answerer {
	struct host *host;
	const struct packet *asked;
	const struct question *question;
	struct packet *reply;
	int found;  // records that match
	int shared; // some that others may have, too
	int full;
};

// The asker knows the record, and for at least half of its time.
static int is_known(const struct packet *asked, const struct record *r)
{
	for (int i = 0; i < asked->n_answers; i++)
		if (record_same(&asked->records[i], r) && asked->records[i].ttl >= r->ttl / 2)
			return 1;
	return 0;
}

static void answer_with(void *opaque, const struct record *r)
{
	struct answerer *a = opaque;
	if (!question_matches(a->question, r))
		return;
	a->found++;
	if (is_known(a->asked, r))
		return;
	a->shared |= !r->flush;
	if (packet_answer(a->reply, r) < 0)
		a->full = 1;
}

struct helper {
	struct packet *reply;
	const struct name *name;
	unsigned type; // 0: addresses
};

static void add_if_named(void *opaque, const struct record *r)
{
	struct helper *k = opaque;
	int wanted = k->type ? r->type == k->type : r->type == TYPE_A || r->type == TYPE_AAAA;
	if (wanted && name_equal(&r->name, k->name))
		packet_additional(k->reply, r);
}

static void add_helper(struct host *h, struct packet *reply, const struct name *name, unsigned type)
{
	struct helper k = {reply, name, type};
	registry_records(&h->registry, add_if_named, &k);
}

// What who asked for a service will ask for next.
static void add_helpers(struct host *h, struct packet *reply)
{
	for (int i = 0; i < reply->n_answers; i++) {
		struct name target = reply->records[i].target, name = reply->records[i].name;
		switch (reply->records[i].type) {
		case TYPE_PTR:
			add_helper(h, reply, &target, TYPE_SRV);
			add_helper(h, reply, &target, TYPE_TXT);
			break;
		case TYPE_SRV: add_helper(h, reply, &target, 0); break;
		case TYPE_A:
		case TYPE_AAAA: add_helper(h, reply, &name, 0); break;
		default: break;
		}
	}
	for (int i = reply->n_answers; i < packet_total(reply); i++)
		if (reply->records[i].type == TYPE_SRV) {
			struct name target = reply->records[i].target;
			add_helper(h, reply, &target, 0);
		}
}

static void answer_question(struct host *h, struct answerer *a, const struct question *q)
{
	a->question = q;
	a->found = 0;
	registry_records(&h->registry, answer_with, a);
	if (a->found || q->type == TYPE_NSEC || !registry_owns(&h->registry, &q->name))
		return;
	// The name is ours and has no such record: that is known, too.
	struct record none;
	registry_nsec(&h->registry, &q->name, &none);
	if (!is_known(a->asked, &none) && packet_answer(a->reply, &none) < 0)
		a->full = 1;
}

// --- when --------------------------------------------------------------------------------------

static struct pending *find_pending(struct host *h)
{
	struct pending *best = NULL;
	for (int i = 0; i < MAX_PENDING; i++)
		if (!h->pending[i].used)
			return &h->pending[i];
		else if (!best || h->pending[i].at < best->at)
			best = &h->pending[i];
	host_send(h, &best->packet, NULL, 0); // no room: the oldest goes at once
	best->used = 0;
	return best;
}

// Joins the answers to a response that waits already, if they fit.
static int join(struct host *h, const struct packet *reply)
{
	for (int i = 0; i < MAX_PENDING; i++) {
		struct pending *p = &h->pending[i];
		if (!p->used || packet_total(&p->packet) + packet_total(reply) > MAX_RECORDS)
			continue;
		for (int k = 0; k < reply->n_answers; k++)
			packet_answer(&p->packet, &reply->records[k]);
		for (int k = reply->n_answers; k < packet_total(reply); k++)
			packet_additional(&p->packet, &reply->records[k]);
		return 1;
	}
	return 0;
}

static void send_later(struct host *h, const struct packet *reply, long delay)
{
	if (join(h, reply))
		return;
	struct pending *p = find_pending(h);
	p->packet = *reply;
	p->at = h->now + delay;
	p->used = 1;
}

static int wants_unicast(const struct packet *p)
{
	for (int i = 0; i < p->n_questions; i++)
		if (!p->questions[i].unicast)
			return 0;
	return p->n_questions > 0;
}

// Somebody that is no part of the link's conversation: gets an answer as any server gives.
static void respond_legacy(struct host *h, const struct packet *p, struct packet *reply, const struct peer *from)
{
	reply->id = p->id;
	for (int i = 0; i < p->n_questions && reply->n_questions < MAX_QUESTIONS; i++)
		packet_ask(reply, &p->questions[i].name, p->questions[i].type, 0);
	host_send(h, reply, from, 1);
}

void respond(struct host *h, const struct packet *p, const struct peer *from)
{
	static struct packet reply;
	struct answerer a = {.host = h, .asked = p, .reply = &reply};
	packet_clear(&reply, FLAG_RESPONSE | FLAG_AUTHORITY);
	for (int i = 0; i < p->n_questions; i++)
		answer_question(h, &a, &p->questions[i]);
	if (reply.n_answers == 0)
		return;
	add_helpers(h, &reply);
	if (from->port != MDNS_PORT)
		respond_legacy(h, p, &reply, from);
	else if (p->n_authorities > 0) // who probes is told at once
		host_send(h, &reply, wants_unicast(p) ? from : NULL, 0);
	else if (p->flags & FLAG_TRUNCATED) // more that is known follows
		send_later(h, &reply, TRUNCATED_DELAY + (long)host_random(h, SHARED_SPREAD));
	else if (wants_unicast(p) && !a.shared)
		host_send(h, &reply, from, 0);
	else if (a.shared)
		send_later(h, &reply, SHARED_DELAY + (long)host_random(h, SHARED_SPREAD));
	else
		host_send(h, &reply, NULL, 0);
}

long respond_next(const struct host *h)
{
	long best = -1;
	for (int i = 0; i < MAX_PENDING; i++)
		if (h->pending[i].used && (best < 0 || h->pending[i].at < best))
			best = h->pending[i].at;
	return best;
}

void respond_work(struct host *h)
{
	for (int i = 0; i < MAX_PENDING; i++) {
		struct pending *p = &h->pending[i];
		if (!p->used || p->at > h->now)
			continue;
		p->used = 0;
		if (p->packet.n_answers)
			host_send(h, &p->packet, NULL, 0);
	}
}

// An answer that waits need not be sent when another host has just given the same one.
void respond_heard(struct host *h, const struct packet *heard)
{
	for (int i = 0; i < MAX_PENDING; i++) {
		struct packet *p = &h->pending[i].packet;
		if (!h->pending[i].used)
			continue;
		for (int k = 0; k < p->n_answers;) {
			int given = 0;
			for (int n = 0; n < heard->n_answers && !given; n++)
				given = record_same(&heard->records[n], &p->records[k]) &&
				        heard->records[n].ttl >= p->records[k].ttl;
			if (!given) {
				k++;
				continue;
			}
			memmove(&p->records[k], &p->records[k + 1],
			        (size_t)(packet_total(p) - k - 1) * sizeof *p->records);
			p->n_answers--;
		}
	}
}
