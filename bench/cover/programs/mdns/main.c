// mdns CONFIG: a responder over packets that were written down. Standard input has events, one a line:
//
//   at MILLISECONDS            what is due until then happens
//   from ADDRESS[:PORT] HEX    a packet arrives
//   ask NAME TYPE ...          the same: a query for these, from another host
//   tell NAME TTL TYPE DATA    the same: a response with one record; a ! behind the type sets the flush bit
//   probe NAME ADDRESS         the same: somebody probes for a host's name
//   cache, stop                prints what is known; says goodbye
//
// Standard output has what the host sends and finds, as text.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

static void print_time(const struct host *h)
{
	printf("%ld.%03ld ", h->now / 1000, h->now % 1000);
}

static void print_packet(const struct packet *p)
{
	char text[4 * NAME_TEXT];
	for (int i = 0; i < p->n_questions; i++) {
		name_to_text(&p->questions[i].name, text, sizeof text);
		printf("    ? %s %s%s\n", text, type_word(p->questions[i].type), p->questions[i].unicast ? " QU" : "");
	}
	for (int i = 0; i < packet_total(p); i++) {
		record_print(&p->records[i], text, sizeof text);
		printf("    %c %s\n", i < p->n_answers ? '=' : i < p->n_answers + p->n_authorities ? '@' : '+', text);
	}
}

static void send_packet(struct host *h, const uint8_t *data, size_t size, const struct peer *to)
{
	static struct packet p;
	print_time(h);
	printf("sends %zu bytes", size);
	if (to)
		printf(" to %u.%u.%u.%u:%u", to->address[0], to->address[1], to->address[2], to->address[3], to->port);
	if (packet_parse(&p, data, size) < 0) {
		printf(", damaged\n");
		return;
	}
	printf("%s%s\n", p.flags & FLAG_RESPONSE ? ", response" : ", query",
	       p.flags & FLAG_TRUNCATED ? ", truncated" : "");
	print_packet(&p);
}

static void tell(struct host *h, const char *what, const struct record *r)
{
	char text[4 * NAME_TEXT];
	print_time(h);
	if (r)
		record_print(r, text, sizeof text);
	printf("%s%s%s\n", what, r ? ": " : "", r ? text : "");
}

// --- events ----------------------------------------------------------------------------------

static int run_until(struct host *h, long until)
{
	for (int steps = 0; steps < 10000; steps++) {
		long next = host_next(h);
		if (next < 0 || next > until) {
			h->now = until;
			return 0;
		}
		if (next > h->now)
			h->now = next;
		host_work(h);
	}
	return -1;
}

static int hex_digit(int c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int parse_peer(const char *text, struct peer *ret)
{
	unsigned a, b, c, d, port = MDNS_PORT;
	int n = sscanf(text, "%u.%u.%u.%u:%u", &a, &b, &c, &d, &port);
	if (n < 4 || a > 255 || b > 255 || c > 255 || d > 255 || port > 65535)
		return -1;
	ret->address[0] = (uint8_t)a;
	ret->address[1] = (uint8_t)b;
	ret->address[2] = (uint8_t)c;
	ret->address[3] = (uint8_t)d;
	ret->port = (uint16_t)port;
	return 0;
}

static int do_from(struct host *h, char *rest)
{
	uint8_t data[PACKET_MAX];
	struct peer from;
	size_t n = 0;
	char *hex = strchr(rest, ' ');
	if (!hex || parse_peer(rest, &from) < 0)
		return -1;
	for (hex++; hex_digit(hex[0]) >= 0 && hex_digit(hex[1]) >= 0 && n < sizeof data; hex += 2)
		data[n++] = (uint8_t)(hex_digit(hex[0]) << 4 | hex_digit(hex[1]));
	if (*hex)
		return -1;
	host_receive(h, data, n, &from);
	return 0;
}

static void deliver(struct host *h, struct packet *p)
{
	static const struct peer other = {{10, 0, 0, 9}, MDNS_PORT};
	uint8_t data[PACKET_MAX];
	size_t n = packet_write(p, data, sizeof data, 0);
	if (n)
		host_receive(h, data, n, &other);
}

static int do_ask(struct host *h, char *rest)
{
	static struct packet p;
	packet_clear(&p, 0);
	for (char *name = strtok(rest, " "); name; name = strtok(NULL, " ")) {
		struct name n;
		char *word = strtok(NULL, " ");
		int type = word ? type_from_word(word) : -1;
		if (type < 0 || name_from_text(&n, name) < 0 || packet_ask(&p, &n, (unsigned)type, 0) < 0)
			return -1;
	}
	deliver(h, &p);
	return 0;
}

static int fill_record(struct record *r, const char *data)
{
	unsigned port;
	char name[256];
	switch (r->type) {
	case TYPE_A: {
		struct peer p;
		if (parse_peer(data, &p) < 0)
			return -1;
		memcpy(r->address, p.address, 4);
		return 0;
	}
	case TYPE_PTR: return name_from_text(&r->target, data);
	case TYPE_SRV:
		if (sscanf(data, "%u %255s", &port, name) != 2 || port > 65535)
			return -1;
		r->port = (uint16_t)port;
		return name_from_text(&r->target, name);
	case TYPE_TXT: return txt_add(r, data);
	default: return -1;
	}
}

static int do_tell(struct host *h, char *rest)
{
	static struct packet p;
	struct record r;
	char name[256], word[16];
	unsigned long ttl;
	int used = 0;
	memset(&r, 0, sizeof r);
	name_root(&r.target);
	if (sscanf(rest, "%255s %lu %15s %n", name, &ttl, word, &used) < 3 || !used ||
	    name_from_text(&r.name, name) < 0)
		return -1;
	size_t n = strlen(word);
	if (n && word[n - 1] == '!') {
		r.flush = 1;
		word[n - 1] = 0;
	}
	int type = type_from_word(word);
	if (type < 0 || type == TYPE_ANY)
		return -1;
	r.type = (uint16_t)type;
	r.class = CLASS_IN;
	r.ttl = (uint32_t)ttl;
	if (fill_record(&r, rest + used) < 0)
		return -1;
	packet_clear(&p, FLAG_RESPONSE | FLAG_AUTHORITY);
	packet_answer(&p, &r);
	deliver(h, &p);
	return 0;
}

static int do_probe(struct host *h, char *rest)
{
	static struct packet p;
	struct record r;
	char *address = strchr(rest, ' ');
	struct peer from;
	memset(&r, 0, sizeof r);
	name_root(&r.target);
	if (!address || parse_peer(address + 1, &from) < 0)
		return -1;
	*address = 0;
	if (name_from_text(&r.name, rest) < 0)
		return -1;
	r.type = TYPE_A;
	r.class = CLASS_IN;
	r.ttl = HOST_TTL;
	memcpy(r.address, from.address, 4);
	packet_clear(&p, 0);
	packet_ask(&p, &r.name, TYPE_ANY, 1);
	packet_authority(&p, &r);
	deliver(h, &p);
	return 0;
}

static void print_cache(struct host *h)
{
	char text[4 * NAME_TEXT];
	for (int b = 0; b < CACHE_BUCKETS; b++)
		for (const struct entry *e = h->cache.buckets[b]; e; e = e->next) {
			struct record r = e->record;
			r.ttl = entry_ttl(e, h->now);
			record_print(&r, text, sizeof text);
			printf("    %s\n", text);
		}
}

static int do_event(struct host *h, char *line)
{
	char *rest = strchr(line, ' ');
	if (rest)
		*rest++ = 0;
	if (strcmp(line, "cache") == 0) {
		print_cache(h);
		return 0;
	}
	if (strcmp(line, "stop") == 0) {
		host_stop(h);
		return 0;
	}
	if (!rest)
		return -1;
	if (strcmp(line, "at") == 0) {
		long until = strtol(rest, NULL, 10);
		return until < h->now || until > 100000000 ? -1 : run_until(h, until);
	}
	if (strcmp(line, "from") == 0)
		return do_from(h, rest);
	if (strcmp(line, "ask") == 0)
		return do_ask(h, rest);
	if (strcmp(line, "tell") == 0)
		return do_tell(h, rest);
	return strcmp(line, "probe") == 0 ? do_probe(h, rest) : -1;
}

static int read_file(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "r");
	if (!f)
		return -1;
	size_t n = fread(text, 1, size - 1, f);
	text[n] = 0;
	fclose(f);
	return n == size - 1 ? -1 : 0;
}

int main(int argc, char **argv)
{
	static struct host h;
	static char text[16384], line[4096];
	struct config_error err;
	if (argc != 2 || read_file(argv[1], text, sizeof text) < 0) {
		fprintf(stderr, "usage: mdns CONFIG <EVENTS\n");
		return 2;
	}
	host_init(&h);
	h.send = send_packet;
	h.tell = tell;
	if (config_read(&h, text, &err) < 0) {
		fprintf(stderr, "mdns: %s:%d: %s\n", argv[1], err.line, err.why);
		return 2;
	}
	host_start(&h);
	for (int number = 1; fgets(line, sizeof line, stdin); number++) {
		line[strcspn(line, "\n")] = 0;
		if (!line[0] || line[0] == '#')
			continue;
		if (do_event(&h, line) < 0) {
			fprintf(stderr, "mdns: event %d: not understood\n", number);
			return 1;
		}
	}
	printf("%ld received, %ld damaged, %ld sent, %d cached\n", h.received, h.damaged, h.sent, h.cache.n);
	return 0;
}
