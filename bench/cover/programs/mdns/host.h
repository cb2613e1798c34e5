// A host on the link: what it publishes, what it knows, what it asks, and how it hears and speaks.
#ifndef HOST_H
#define HOST_H

#include "cache.h"
#include "registry.h"

enum { MAX_QUERIES = 8, MAX_PENDING = 4 };

// Something the host wants to know all the time.
struct query {
	struct name name;
	uint16_t type;
	uint8_t used;
	long at, interval; // when it is asked next, and how long it waits after that
	uint8_t resolve;   // of services: asks for SRV, TXT and addresses of what it finds
};

struct peer {
	uint8_t address[4];
	uint16_t port;
};

struct pending { // a response that waits a little, so that others can be joined to it
	struct packet packet;
	long at;
	uint8_t used;
};

struct host {
	struct registry registry;
	struct cache cache;
	struct query queries[MAX_QUERIES];
	struct pending pending[MAX_PENDING];
	long now;
	unsigned random; // state of a generator: runs repeat
	long received, damaged, sent;
	// Sends to all (peer NULL) or to one.
	void (*send)(struct host *h, const uint8_t *data, size_t size, const struct peer *to);
	void (*tell)(struct host *h, const char *what, const struct record *r);
	void *opaque;
};

void host_init(struct host *h);
void host_start(struct host *h); // begins to probe
void host_stop(struct host *h);  // says goodbye
void host_receive(struct host *h, const uint8_t *data, size_t size, const struct peer *from);
long host_next(const struct host *h); // when host_work has something to do; -1: never
void host_work(struct host *h);       // what is due now
unsigned host_random(struct host *h, unsigned below);
int host_query(struct host *h, const char *name, unsigned type, int resolve);
void host_send(struct host *h, struct packet *p, const struct peer *to, int legacy);

// probe.c
void probe_start(struct host *h, struct claim *c);
long probe_next(const struct host *h);
void probe_work(struct host *h);
void probe_hear_query(struct host *h, const struct packet *p);    // others probe, too
void probe_hear_response(struct host *h, const struct packet *p); // somebody has the name

// respond.c
void respond(struct host *h, const struct packet *p, const struct peer *from);
long respond_next(const struct host *h);
void respond_work(struct host *h);
void respond_heard(struct host *h, const struct packet *p); // another one gave the answer

// query.c
long query_next(const struct host *h);
void query_work(struct host *h);
void query_heard(struct host *h, const struct record *r, enum cache_change change);

#endif
