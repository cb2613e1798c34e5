// Resource records: what they say, read from and written to messages.
#ifndef RECORD_H
#define RECORD_H

#include "name.h"

enum {
	TYPE_A = 1,
	TYPE_PTR = 12,
	TYPE_HINFO = 13,
	TYPE_TXT = 16,
	TYPE_AAAA = 28,
	TYPE_SRV = 33,
	TYPE_NSEC = 47,
	TYPE_ANY = 255
};
enum { CLASS_IN = 1, CLASS_ANY = 255 };
enum { RDATA_MAX = 256 };

struct record {
	struct name name;
	uint16_t type, class;
	uint8_t flush; // the sender has all records of this name and type
	uint32_t ttl;
	// What it says, by type.
	uint8_t address[16];
	struct name target; // PTR, SRV, NSEC
	uint16_t priority, weight, port;
	uint8_t raw[RDATA_MAX]; // TXT, HINFO, NSEC's bitmap, and all others
	uint16_t raw_size;
};

// -1: damaged. A record of another type is kept as raw bytes.
int record_parse(struct record *r, const uint8_t *data, size_t size, size_t *at);
void record_write(struct writer *w, const struct record *r, int legacy); // legacy: names in it are not compressed
int record_same_data(const struct record *a, const struct record *b);
int record_same(const struct record *a, const struct record *b); // name, type, class and data
// The order by which two hosts decide who gives way: class, type, bytes of the data.
int record_compare(const struct record *a, const struct record *b);
void record_print(const struct record *r, char *text, size_t size);
const char *type_word(unsigned type);
int type_from_word(const char *word); // -1: none
// key=value of a TXT record's data; -1: too long.
int txt_add(struct record *r, const char *text);

#endif
