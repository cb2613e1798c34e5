#include "coverage/cover.h"

#include <assert.h>
#include <string.h>

#include "abi/cover.h"
#include "base/bug.h"
#include "base/mem.h"
#include "coverage/cover_internal.h"

enum { PAGE = 4096, NONE = UINT32_MAX };

struct cover *cover_new(void)
{
	return mem_zero(sizeof(struct cover));
}

void cover_free(struct cover *c)
{
	if (!c)
		return;
	arena_release(&c->names);
	for (uint32_t i = 0; i < c->units.n; i++) {
		mem_free(c->units.v[i].links);
		mem_free(c->units.v[i].seen);
	}
	for (uint32_t i = 0; i < c->functions.n; i++)
		segments_free(c->functions.v[i].segments);
	mem_free(c->files.v);
	mem_free(c->texts.v);
	mem_free(c->functions.v);
	mem_free(c->lines.v);
	mem_free(c->edges.v);
	mem_free(c->segments.v);
	mem_free(c->links.v);
	mem_free(c->units.v);
	mem_free(c->by_file.slots);
	mem_free(c->by_function.slots);
	mem_free(c->by_line.slots);
	mem_free(c->by_edge.slots);
	mem_free(c->by_segment.slots);
	mem_free(c->by_unit.slots);
	mem_free(c);
}

struct cover_item *cover_unit_of(const struct cover *c, uint64_t id)
{
	const struct cover_index_entry *s = cover_index_get(&c->by_unit, id);
	return s ? &c->units.v[s->index - 1] : NULL;
}

struct cover_mark *cover_mark_of(struct cover *c, uint32_t link, struct cover_count **ret)
{
	uint32_t index = link >> KIND_BITS;
	switch (link & KIND_MASK) {
	case LINE: *ret = &c->totals.lines; return &c->lines.v[index].mark;
	case EDGE: *ret = &c->totals.edges; return &c->edges.v[index].mark;
	case SEGMENT: *ret = &c->totals.segments; return &c->segments.v[index].mark;
	case FUNCTION: *ret = &c->totals.functions; return &c->functions.v[index].mark;
	}
	BUG("the end of links has no mark");
}

// --- merging -------------------------------------------------------------------------------------

static void cover_link(struct cover *c, uint32_t link)
{
	struct cover_count *count;
	struct cover_mark *m = cover_mark_of(c, link, &count);
	count->covered += m->real && !m->covered;
	m->covered = true;
}

// False for what is behind the last byte, where only a program that writes anywhere can have set something.
static bool cover_byte(struct cover *c, struct cover_item *u, size_t k)
{
	if (k >= u->count)
		return false;
	assert(!u->seen[k] && u->links[k] < c->links.n);
	u->seen[k] = 1;
	u->changed = true;
	for (uint32_t at = u->links[k]; c->links.v[at] != END; at++)
		cover_link(c, c->links.v[at]);
	return true;
}

// The unit's bytes, eight at a time; most are as they were. There is room for whole words.
static uint32_t merge_unit(struct cover *c, struct cover_item *u, uint8_t *image)
{
	uint32_t fresh = 0;
	for (size_t at = 0, n = cover_words(u->count); at < n; at += 8) {
		uint64_t word, seen;
		memcpy(&word, image + at, 8);
		if (!word)
			continue;
		memset(image + at, 0, 8);
		memcpy(&seen, u->seen + at, 8);
		word = (word & 0x0101010101010101u) & ~seen;
		for (; word; word &= word - 1)
			fresh += cover_byte(c, u, at + (size_t)__builtin_ctzll(word) / 8);
	}
	return fresh;
}

// The counters of the next unit of an image, and its header; NULL at the end. *at: where it is looked for.
static uint8_t *next_unit(uint8_t *image, size_t size, size_t *at, struct cover_unit *ret)
{
	if (size - *at < PAGE)
		return NULL;
	uint8_t *start = image + *at;
	memcpy(ret, start, sizeof *ret);
	size_t header = ret->magic == COVER_MAGIC_SEGMENTS ? sizeof(struct cover_segments) : sizeof *ret;
	size_t whole = (header + (size_t)ret->count + PAGE - 1) / PAGE * PAGE;
	if ((ret->magic != COVER_MAGIC && ret->magic != COVER_MAGIC_SEGMENTS) || whole > size - *at)
		return NULL;
	*at += whole;
	return start + header;
}

static struct cover_segments *segments_of(const struct cover_unit *head, uint8_t *bytes)
{
	return head->magic == COVER_MAGIC_SEGMENTS ? (struct cover_segments *)(bytes - sizeof(struct cover_segments))
	                                           : NULL;
}

static void clear_length(const struct cover_unit *head, uint8_t *bytes)
{
	struct cover_segments *s = segments_of(head, bytes);
	if (s)
		s->passed = s->none = 0;
}

uint32_t cover_merge(struct cover *c, void *image, size_t size)
{
	struct cover_unit head;
	uint32_t fresh = 0;
	size_t at = 0;
	for (uint8_t *bytes; (bytes = next_unit(image, size, &at, &head));) {
		struct cover_item *u = cover_unit_of(c, head.unit);
		clear_length(&head, bytes);
		if (u && u->count == head.count)
			fresh += merge_unit(c, u, bytes);
	}
	return fresh;
}

uint64_t cover_news(const struct cover *c, const void *image, size_t size)
{
	struct cover_unit head;
	uint64_t news = 0;
	size_t at = 0;
	for (uint8_t *bytes; (bytes = next_unit((uint8_t *)image, size, &at, &head));) {
		const struct cover_item *u = cover_unit_of(c, head.unit);
		for (size_t k = 0; u && u->count == head.count && k < u->count; k += 8) {
			uint64_t word, seen;
			memcpy(&word, bytes + k, 8);
			memcpy(&seen, u->seen + k, 8);
			word = (word & 0x0101010101010101u) & ~seen;
			news = word ? hash_mix(hash_mix(news, head.unit + k), word) | 1 : news;
		}
	}
	return news;
}

uint64_t cover_length(const void *image, size_t size)
{
	struct cover_unit head;
	uint64_t length = 0;
	size_t at = 0;
	for (uint8_t *bytes; (bytes = next_unit((uint8_t *)image, size, &at, &head));) {
		const struct cover_segments *s = segments_of(&head, bytes);
		length += s ? s->passed : 0;
	}
	return length;
}

uint32_t cover_edges(const struct cover *c)
{
	return c->edges.n;
}

bool cover_has_edge(const struct cover *c, uint32_t edge)
{
	assert(edge < c->edges.n);
	return c->edges.v[edge].mark.real && c->edges.v[edge].mark.covered;
}

// What of this kind a byte stands for.
static uint32_t link_of(const struct cover *c, const struct cover_item *u, size_t k, unsigned kind)
{
	uint32_t link = u && k < u->count ? c->links.v[u->links[k]] : END;
	return (link & KIND_MASK) == kind ? link >> KIND_BITS : NONE;
}

uint32_t cover_edge_at(const struct cover *c, uint64_t unit, uint32_t byte)
{
	return link_of(c, cover_unit_of(c, unit), byte, EDGE);
}

uint32_t cover_segment_at(const struct cover *c, uint64_t unit, uint32_t byte)
{
	return link_of(c, cover_unit_of(c, unit), byte, SEGMENT);
}

static void hit_unit(const struct cover *c, const struct cover_item *u, const uint8_t *image, unsigned kind,
                     uint8_t *bits)
{
	for (size_t at = 0, n = cover_words(u->count); at < n; at += 8) {
		uint64_t word;
		memcpy(&word, image + at, 8);
		for (word &= 0x0101010101010101u; word; word &= word - 1) {
			uint32_t what = link_of(c, u, at + (size_t)__builtin_ctzll(word) / 8, kind);
			if (what != NONE)
				bits[what / 8] |= (uint8_t)(1u << what % 8);
		}
	}
}

static void hit_all(const struct cover *c, const void *image, size_t size, unsigned kind, uint8_t *bits)
{
	struct cover_unit head;
	size_t at = 0;
	for (uint8_t *bytes; (bytes = next_unit((uint8_t *)image, size, &at, &head));) {
		const struct cover_item *u = cover_unit_of(c, head.unit);
		if (u && u->count == head.count)
			hit_unit(c, u, bytes, kind, bits);
	}
}

void cover_hits(const struct cover *c, const void *image, size_t size, uint8_t *bits)
{
	hit_all(c, image, size, EDGE, bits);
}

void cover_hit_segments(const struct cover *c, const void *image, size_t size, uint8_t *bits)
{
	hit_all(c, image, size, SEGMENT, bits);
}

void cover_each_link(const struct cover *c, const void *image, size_t size,
                     void (*each)(void *opaque, uint32_t link, uint8_t *bits), void *opaque, uint8_t *bits)
{
	struct cover_unit head;
	size_t at = 0;
	for (uint8_t *bytes; (bytes = next_unit((uint8_t *)image, size, &at, &head));) {
		const struct cover_item *u = cover_unit_of(c, head.unit);
		for (size_t k = 0; u && u->count == head.count && k < u->count; k++)
			for (uint32_t link = u->links[k]; bytes[k] && c->links.v[link] != END; link++)
				each(opaque, c->links.v[link], bits);
	}
}

void cover_clear(void *image, size_t size)
{
	struct cover_unit head;
	size_t at = 0;
	for (uint8_t *bytes; (bytes = next_unit(image, size, &at, &head));) {
		clear_length(&head, bytes);
		for (size_t k = 0, n = cover_words(head.count); k < n; k += 8) {
			uint64_t word;
			memcpy(&word, bytes + k, 8);
			if (word)
				memset(bytes + k, 0, 8);
		}
	}
}

int cover_each_changed(struct cover *c, int (*each)(void *opaque, uint64_t unit, const uint8_t *bytes, size_t n),
                       void *opaque)
{
	int r = 0;
	for (uint32_t i = 0; i < c->units.n && r == 0; i++) {
		struct cover_item *u = &c->units.v[i];
		if (!u->changed)
			continue;
		r = each(opaque, u->id, u->seen, u->count);
		u->changed = r != 0;
	}
	return r;
}

uint32_t cover_restore(struct cover *c, uint64_t unit, const uint8_t *bytes, size_t n)
{
	struct cover_item *u = cover_unit_of(c, unit);
	uint32_t more = 0;
	if (!u || u->count != n)
		return 0;
	bool changed = u->changed;
	for (size_t k = 0; k < n; k++)
		if ((bytes[k] & 1) && !u->seen[k]) {
			cover_byte(c, u, k);
			more++;
		}
	u->changed = changed;
	return more;
}

void cover_restore_all(struct cover *c, const struct cover *other)
{
	for (uint32_t i = 0; i < other->units.n; i++) {
		const struct cover_item *u = &other->units.v[i];
		cover_restore(c, u->id, u->seen, u->count);
	}
}
