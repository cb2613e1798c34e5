// Domain names in wire form: labels of at most 63 bytes, each behind its length, and a zero at the end.
#ifndef NAME_H
#define NAME_H

#include <stddef.h>
#include <stdint.h>

enum { NAME_MAX_WIRE = 255, LABEL_MAX = 63, NAME_TEXT = 1024 };

struct name {
	uint8_t wire[NAME_MAX_WIRE];
	uint8_t length; // of the wire form, with the zero
};

// What is being written: the message, and where names stand in it, for compression.
enum { WRITER_NAMES = 64 };
struct writer {
	uint8_t *data;
	size_t size, at;
	int overflow;
	struct {
		uint16_t at;
		struct name name;
	} names[WRITER_NAMES];
	int n_names;
};

void writer_init(struct writer *w, uint8_t *data, size_t size);
void write_u8(struct writer *w, unsigned v);
void write_u16(struct writer *w, unsigned v);
void write_u32(struct writer *w, uint32_t v);
void write_bytes(struct writer *w, const void *data, size_t n);
void write_name(struct writer *w, const struct name *n);       // compressed
void write_name_plain(struct writer *w, const struct name *n); // not
void writer_patch_u16(struct writer *w, size_t at, unsigned v);

void name_root(struct name *n);
int name_from_text(struct name *n, const char *text); // \. and \DDD escape; -1: not a name
void name_to_text(const struct name *n, char *text, size_t size);
// Reads a name of a message, compressed or not; *at is where it begins, afterwards where it ends. -1: damaged.
int name_parse(struct name *n, const uint8_t *data, size_t size, size_t *at);
int name_equal(const struct name *a, const struct name *b);   // upper and lower case are the same
int name_compare(const struct name *a, const struct name *b); // an order
int name_is_below(const struct name *n, const struct name *domain);
int name_labels(const struct name *n);
int name_parent(struct name *n);                                  // drops the first label; -1: there is none
int name_prepend(struct name *n, const void *label, size_t size); // -1: too long
int name_append(struct name *n, const struct name *rest);
unsigned name_hash(const struct name *n);

#endif
