// The records that this host publishes: its addresses, and those of its services.
#ifndef REGISTRY_H
#define REGISTRY_H

#include "packet.h"

enum { MAX_SERVICES = 8, MAX_ADDRESSES = 4, HOST_TTL = 120, OTHER_TTL = 4500 };

// Names that nobody else may have are probed for before they are used.
enum claim_state { CLAIM_WAIT, CLAIM_PROBE, CLAIM_ANNOUNCE, CLAIM_READY };

struct claim {
	enum claim_state state;
	int sent;      // probes, or announcements
	long at;       // when the next one is due
	int conflicts; // since it was configured
};

struct service {
	struct name instance, type; // "Printer._ipp._tcp.local", "_ipp._tcp.local"
	char label[LABEL_MAX + 1];  // what the instance was to be called
	uint16_t port, priority, weight;
	struct record txt;
	struct claim claim;
	uint8_t used;
};

struct registry {
	char label[LABEL_MAX + 1]; // what the host was to be called
	struct name host;
	struct record addresses[MAX_ADDRESSES];
	int n_addresses;
	struct claim claim; // of the host's name
	struct service services[MAX_SERVICES];
};

void registry_init(struct registry *g);
int registry_set_host(struct registry *g, const char *label);
int registry_add_address(struct registry *g, const char *text); // dotted, or with colons
struct service *registry_add_service(struct registry *g, const char *label, const char *type, unsigned port);
// Takes the next name: "host-2", "Printer (3)".
int registry_rename_host(struct registry *g);
int registry_rename_service(struct registry *g, struct service *s);

// Calls `each` for all records of what is claimed; service NULL: the host's.
typedef void registry_each(void *opaque, const struct record *r);
void registry_host_records(const struct registry *g, registry_each *each, void *opaque);
void registry_service_records(const struct registry *g, const struct service *s, registry_each *each, void *opaque);
// The same for all that is in use.
void registry_records(const struct registry *g, registry_each *each, void *opaque);
int registry_owns(const struct registry *g, const struct name *n);                      // a unique name that is in use
void registry_nsec(const struct registry *g, const struct name *n, struct record *ret); // which types a name has

#endif
