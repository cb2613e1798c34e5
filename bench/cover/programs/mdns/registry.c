#include "registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct name local_domain(void)
{
	struct name n;
	name_from_text(&n, "local");
	return n;
}

void registry_init(struct registry *g)
{
	memset(g, 0, sizeof *g);
	name_root(&g->host);
}

// --- the host --------------------------------------------------------------------------------

int registry_set_host(struct registry *g, const char *label)
{
	size_t n = strlen(label);
	g->host = local_domain();
	if (n == 0 || n > LABEL_MAX || strchr(label, '.') || name_prepend(&g->host, label, n) < 0)
		return -1;
	strcpy(g->label, label);
	for (int i = 0; i < g->n_addresses; i++)
		g->addresses[i].name = g->host;
	return 0;
}

static int parse_v4(const char *text, uint8_t *ret)
{
	for (int i = 0; i < 4; i++) {
		char *end;
		if (*text < '0' || *text > '9')
			return -1;
		unsigned long v = strtoul(text, &end, 10);
		if (v > 255 || end - text > 3 || *end != (i < 3 ? '.' : 0))
			return -1;
		ret[i] = (uint8_t)v;
		text = end + 1;
	}
	return 0;
}

static int hex_value(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int parse_v6(const char *text, uint8_t *ret)
{
	uint16_t words[8];
	int n = 0, gap = -1;
	if (text[0] == ':' && text[1] == ':') {
		gap = 0;
		text += 2;
	}
	while (*text) {
		unsigned value = 0;
		int digits = 0;
		for (; hex_value(*text) >= 0; text++, digits++)
			value = value * 16 + (unsigned)hex_value(*text);
		if (digits == 0 || digits > 4 || n == 8)
			return -1;
		words[n++] = (uint16_t)value;
		if (!*text)
			break;
		if (*text++ != ':')
			return -1;
		if (*text == ':') {
			if (gap >= 0)
				return -1;
			gap = n;
			text++;
		} else if (!*text) {
			return -1;
		}
	}
	if (gap < 0 ? n != 8 : n > 7)
		return -1;
	memset(ret, 0, 16);
	for (int i = 0; i < n; i++) {
		int at = gap >= 0 && i >= gap ? 8 - n + i : i;
		ret[2 * at] = (uint8_t)(words[i] >> 8);
		ret[2 * at + 1] = (uint8_t)words[i];
	}
	return 0;
}

int registry_add_address(struct registry *g, const char *text)
{
	if (g->n_addresses == MAX_ADDRESSES)
		return -1;
	struct record *r = &g->addresses[g->n_addresses];
	memset(r, 0, sizeof *r);
	name_root(&r->target);
	r->name = g->host;
	r->class = CLASS_IN;
	r->ttl = HOST_TTL;
	r->flush = 1;
	if (parse_v4(text, r->address) == 0)
		r->type = TYPE_A;
	else if (parse_v6(text, r->address) == 0)
		r->type = TYPE_AAAA;
	else
		return -1;
	g->n_addresses++;
	return 0;
}

// --- services --------------------------------------------------------------------------------

static int set_instance(struct service *s, const char *label)
{
	s->instance = s->type;
	return name_prepend(&s->instance, label, strlen(label));
}

// "_ipp._tcp", "_sleep-proxy._udp"
static int is_service_type(const struct name *n)
{
	unsigned first = n->wire[0];
	const uint8_t *second = n->wire + first + 1;
	if (name_labels(n) != 2 || first < 2 || n->wire[1] != '_')
		return 0;
	return second[0] == 4 && (memcmp(second + 1, "_tcp", 4) == 0 || memcmp(second + 1, "_udp", 4) == 0);
}

struct service *registry_add_service(struct registry *g, const char *label, const char *type, unsigned port)
{
	struct name domain = local_domain();
	size_t n = strlen(label);
	for (int i = 0; i < MAX_SERVICES; i++) {
		struct service *s = &g->services[i];
		if (s->used)
			continue;
		memset(s, 0, sizeof *s);
		if (n == 0 || n > LABEL_MAX || port > 65535 || name_from_text(&s->type, type) < 0 ||
		    !is_service_type(&s->type) || name_append(&s->type, &domain) < 0 || set_instance(s, label) < 0)
			return NULL;
		strcpy(s->label, label);
		s->port = (uint16_t)port;
		s->txt.type = TYPE_TXT;
		s->txt.raw_size = 1;
		s->used = 1;
		return s;
	}
	return NULL;
}

int registry_rename_host(struct registry *g)
{
	char label[LABEL_MAX + 16], original[LABEL_MAX + 1];
	int number = ++g->claim.conflicts + 1;
	strcpy(original, g->label);
	snprintf(label, sizeof label, "%s-%d", original, number);
	if (strlen(label) > LABEL_MAX) {
		size_t over = strlen(label) - LABEL_MAX;
		snprintf(label, sizeof label, "%.*s-%d", (int)(strlen(original) - over), original, number);
	}
	if (registry_set_host(g, label) < 0)
		return -1;
	strcpy(g->label, original);
	return 0;
}

int registry_rename_service(struct registry *g, struct service *s)
{
	char label[LABEL_MAX + 16];
	size_t length = strlen(s->label);
	int number = ++s->claim.conflicts + 1;
	int n = snprintf(label, sizeof label, "%s (%d)", s->label, number);
	(void)g;
	if (n > LABEL_MAX)
		snprintf(label, sizeof label, "%.*s (%d)", (int)(length - (size_t)(n - LABEL_MAX)), s->label, number);
	return set_instance(s, label);
}

// --- records ---------------------------------------------------------------------------------

static struct record make(const struct name *name, unsigned type, uint32_t ttl, int unique)
{
	struct record r;
	memset(&r, 0, sizeof r);
	r.name = *name;
	name_root(&r.target);
	r.type = (uint16_t)type;
	r.class = CLASS_IN;
	r.ttl = ttl;
	r.flush = unique != 0;
	return r;
}

// The name that an address has in reverse: 4.3.2.1.in-addr.arpa, or nibbles below ip6.arpa.
static void reverse_name(const struct record *address, struct name *ret)
{
	char text[4];
	if (address->type == TYPE_A) {
		name_from_text(ret, "in-addr.arpa");
		for (int i = 0; i < 4; i++) {
			int n = snprintf(text, sizeof text, "%u", address->address[i]);
			name_prepend(ret, text, (size_t)n);
		}
		return;
	}
	name_from_text(ret, "ip6.arpa");
	for (int i = 0; i < 32; i++) {
		unsigned nibble = address->address[i / 2] >> (i % 2 ? 0 : 4) & 15;
		text[0] = "0123456789abcdef"[nibble];
		name_prepend(ret, text, 1);
	}
}

void registry_host_records(const struct registry *g, registry_each *each, void *opaque)
{
	for (int i = 0; i < g->n_addresses; i++) {
		struct name reverse;
		each(opaque, &g->addresses[i]);
		reverse_name(&g->addresses[i], &reverse);
		struct record r = make(&reverse, TYPE_PTR, HOST_TTL, 1);
		r.target = g->host;
		each(opaque, &r);
	}
}

void registry_service_records(const struct registry *g, const struct service *s, registry_each *each, void *opaque)
{
	struct name all;
	struct record r = make(&s->instance, TYPE_SRV, HOST_TTL, 1);
	r.priority = s->priority;
	r.weight = s->weight;
	r.port = s->port;
	r.target = g->host;
	each(opaque, &r);
	r = make(&s->instance, TYPE_TXT, OTHER_TTL, 1);
	memcpy(r.raw, s->txt.raw, s->txt.raw_size);
	r.raw_size = s->txt.raw_size;
	each(opaque, &r);
	r = make(&s->type, TYPE_PTR, OTHER_TTL, 0);
	r.target = s->instance;
	each(opaque, &r);
	name_from_text(&all, "_services._dns-sd._udp.local");
	r = make(&all, TYPE_PTR, OTHER_TTL, 0);
	r.target = s->type;
	each(opaque, &r);
}

static int in_use(const struct claim *c)
{
	return c->state == CLAIM_ANNOUNCE || c->state == CLAIM_READY;
}

void registry_records(const struct registry *g, registry_each *each, void *opaque)
{
	if (in_use(&g->claim))
		registry_host_records(g, each, opaque);
	for (int i = 0; i < MAX_SERVICES; i++)
		if (g->services[i].used && in_use(&g->services[i].claim))
			registry_service_records(g, &g->services[i], each, opaque);
}

int registry_owns(const struct registry *g, const struct name *n)
{
	if (in_use(&g->claim) && name_equal(n, &g->host))
		return 1;
	for (int i = 0; i < MAX_SERVICES; i++)
		if (g->services[i].used && in_use(&g->services[i].claim) && name_equal(n, &g->services[i].instance))
			return 1;
	return 0;
}

struct types_of {
	const struct name *name;
	struct record *ret;
};

static void add_type(void *opaque, const struct record *r)
{
	struct types_of *t = opaque;
	if (!name_equal(&r->name, t->name) || r->type > 255)
		return;
	unsigned byte = r->type / 8;
	t->ret->raw[2 + byte] |= (uint8_t)(0x80 >> r->type % 8);
	if (byte + 1 > t->ret->raw[1])
		t->ret->raw[1] = (uint8_t)(byte + 1);
}

void registry_nsec(const struct registry *g, const struct name *n, struct record *ret)
{
	struct types_of t = {n, ret};
	*ret = make(n, TYPE_NSEC, HOST_TTL, 1);
	ret->target = *n;
	registry_records(g, add_type, &t);
	ret->raw_size = (uint16_t)(2 + ret->raw[1]);
}
