#include "packet.h"

#include <string.h>

int packet_total(const struct packet *p)
{
	return p->n_answers + p->n_authorities + p->n_additional;
}

int packet_is_empty(const struct packet *p)
{
	return p->n_questions == 0 && packet_total(p) == 0;
}

int question_matches(const struct question *q, const struct record *r)
{
	return (q->type == TYPE_ANY || q->type == r->type) && (q->class == CLASS_ANY || q->class == r->class) &&
	       name_equal(&q->name, &r->name);
}

// --- reading ---------------------------------------------------------------------------------

static unsigned get_u16(const uint8_t *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static int parse_question(struct question *q, const uint8_t *data, size_t size, size_t *at)
{
	if (name_parse(&q->name, data, size, at) < 0 || size - *at < 4)
		return -1;
	q->type = (uint16_t)get_u16(data + *at);
	q->class = get_u16(data + *at + 2) & 0x7fff;
	q->unicast = data[*at + 2] >> 7;
	*at += 4;
	return 0;
}

int packet_parse(struct packet *p, const uint8_t *data, size_t size)
{
	if (size < 12)
		return -1;
	p->id = (uint16_t)get_u16(data);
	p->flags = (uint16_t)get_u16(data + 2);
	p->n_questions = (int)get_u16(data + 4);
	p->n_answers = (int)get_u16(data + 6);
	p->n_authorities = (int)get_u16(data + 8);
	p->n_additional = (int)get_u16(data + 10);
	if (p->n_questions > MAX_QUESTIONS || packet_total(p) > MAX_RECORDS)
		return -2;
	size_t at = 12;
	for (int i = 0; i < p->n_questions; i++)
		if (parse_question(&p->questions[i], data, size, &at) < 0)
			return -1;
	for (int i = 0; i < packet_total(p); i++)
		if (record_parse(&p->records[i], data, size, &at) < 0)
			return -1;
	return at == size ? 0 : -1;
}

// --- making ----------------------------------------------------------------------------------

void packet_clear(struct packet *p, unsigned flags)
{
	p->id = 0;
	p->flags = (uint16_t)flags;
	p->n_questions = p->n_answers = p->n_authorities = p->n_additional = 0;
}

int packet_ask(struct packet *p, const struct name *name, unsigned type, int unicast)
{
	if (p->n_questions == MAX_QUESTIONS)
		return -1;
	for (int i = 0; i < p->n_questions; i++)
		if (p->questions[i].type == type && name_equal(&p->questions[i].name, name))
			return 0;
	struct question *q = &p->questions[p->n_questions++];
	q->name = *name;
	q->type = (uint16_t)type;
	q->class = CLASS_IN;
	q->unicast = unicast != 0;
	return 0;
}

// Behind the `before` records that are there, and before the rest.
static int insert(struct packet *p, int before, const struct record *r)
{
	int total = packet_total(p);
	if (total == MAX_RECORDS)
		return -1;
	memmove(&p->records[before + 1], &p->records[before], (size_t)(total - before) * sizeof *p->records);
	p->records[before] = *r;
	return 0;
}

int packet_answer(struct packet *p, const struct record *r)
{
	for (int i = 0; i < p->n_answers; i++)
		if (record_same(&p->records[i], r))
			return 0;
	if (insert(p, p->n_answers, r) < 0)
		return -1;
	p->n_answers++;
	return 0;
}

int packet_authority(struct packet *p, const struct record *r)
{
	if (insert(p, p->n_answers + p->n_authorities, r) < 0)
		return -1;
	p->n_authorities++;
	return 0;
}

int packet_additional(struct packet *p, const struct record *r)
{
	for (int i = 0; i < packet_total(p); i++)
		if (record_same(&p->records[i], r))
			return 0;
	if (insert(p, packet_total(p), r) < 0)
		return -1;
	p->n_additional++;
	return 0;
}

// --- writing ---------------------------------------------------------------------------------

size_t packet_write(const struct packet *p, uint8_t *data, size_t size, int legacy)
{
	struct writer w;
	int additional = 0;
	writer_init(&w, data, size);
	write_u16(&w, p->id);
	write_u16(&w, p->flags);
	write_u16(&w, (unsigned)p->n_questions);
	write_u16(&w, (unsigned)p->n_answers);
	write_u16(&w, (unsigned)p->n_authorities);
	write_u16(&w, 0);
	for (int i = 0; i < p->n_questions; i++) {
		const struct question *q = &p->questions[i];
		write_name(&w, &q->name);
		write_u16(&w, q->type);
		write_u16(&w, q->class | (q->unicast ? 0x8000u : 0));
	}
	for (int i = 0; i < p->n_answers + p->n_authorities; i++)
		record_write(&w, &p->records[i], legacy);
	if (w.overflow)
		return 0;
	for (int i = p->n_answers + p->n_authorities; i < packet_total(p); i++) {
		size_t before = w.at;
		record_write(&w, &p->records[i], legacy);
		if (w.overflow) {
			w.at = before;
			w.overflow = 0;
			break;
		}
		additional++;
	}
	writer_patch_u16(&w, 10, (unsigned)additional);
	return w.at;
}
