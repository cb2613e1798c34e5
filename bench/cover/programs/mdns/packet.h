// Messages: a header, questions, answers, what is probed for, additional records.
#ifndef PACKET_H
#define PACKET_H

#include "record.h"

enum { MDNS_PORT = 5353, PACKET_MAX = 1460, MAX_QUESTIONS = 16, MAX_RECORDS = 48 };
enum {
	FLAG_RESPONSE = 0x8000,
	FLAG_OPCODE = 0x7800,
	FLAG_AUTHORITY = 0x0400,
	FLAG_TRUNCATED = 0x0200,
	FLAG_RCODE = 0x000f
};

struct question {
	struct name name;
	uint16_t type, class;
	uint8_t unicast; // the answer may be sent to the asker alone
};

struct packet {
	uint16_t id, flags;
	struct question questions[MAX_QUESTIONS];
	int n_questions;
	struct record records[MAX_RECORDS]; // answers, then authorities, then additional ones
	int n_answers, n_authorities, n_additional;
};

// 0; -1: damaged, nothing of it counts; -2: too large for these tables.
int packet_parse(struct packet *p, const uint8_t *data, size_t size);
// Returns the size; 0: it does not fit. Additional records that do not fit are left out.
size_t packet_write(const struct packet *p, uint8_t *data, size_t size, int legacy);

void packet_clear(struct packet *p, unsigned flags);
int packet_ask(struct packet *p, const struct name *name, unsigned type, int unicast);
int packet_answer(struct packet *p, const struct record *r);
int packet_authority(struct packet *p, const struct record *r);
int packet_additional(struct packet *p, const struct record *r); // unless it is there already
int packet_is_empty(const struct packet *p);
int packet_total(const struct packet *p); // of records
int question_matches(const struct question *q, const struct record *r);

#endif
