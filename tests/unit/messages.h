// Any message, by its table alone: filled with random content, compared with another one, and every place in its bytes
// that says how much or which of several follows.
#ifndef VEER_TESTS_UNIT_MESSAGES_H
#define VEER_TESTS_UNIT_MESSAGES_H

#include "base/mem.h"
#include "input/input.h"
#include "test.h"
#include "worker/message.h"

static inline void *message_member(const void *of, const struct message_field *f)
{
	return (char *)of + f->offset;
}

static inline uint32_t *message_count(const void *of, const struct message_field *f)
{
	return (uint32_t *)((char *)of + f->count);
}

static inline char *message_text(void)
{
	char text[12];
	size_t n = test_below(sizeof text);
	for (size_t i = 0; i < n; i++)
		text[i] = (char)(1 + test_below(255));
	return mem_copy(text, n);
}

static inline void message_fill_input(struct input *in)
{
	for (uint64_t n = test_below(3); n > 0; n--) {
		char *text = message_text();
		input_add(in, INPUT_ARGUMENT, NULL, text, strlen(text));
		input_add(in, INPUT_FILE, "/f", text, strlen(text));
		mem_free(text);
	}
}

// *ret: zeroed. Lists have one to three elements, so that each of their fields is there.
static inline void message_fill(const struct message_table *t, void *ret)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct message_field *f = &t->v[i];
		void *p = message_member(ret, f);
		uint32_t n = 1 + (uint32_t)test_below(3), v;
		switch (f->kind) {
		case MESSAGE_U32: *(uint32_t *)p = (uint32_t)test_random(); break;
		case MESSAGE_U64: *(uint64_t *)p = test_random(); break;
		case MESSAGE_FLAG: *(bool *)p = test_below(2); break;
		case MESSAGE_CHOICE:
			v = f->from + (uint32_t)test_below(f->to - f->from);
			memcpy(p, &v, f->size);
			break;
		case MESSAGE_OPTIONAL:
			if (test_below(2))
				break;
			// fall through
		case MESSAGE_TEXT: *(char **)p = message_text(); break;
		case MESSAGE_BYTES: buf_add(p, "some\0bytes", test_below(11)); break;
		case MESSAGE_INPUT: message_fill_input(p); break;
		case MESSAGE_PART: message_fill(f->of, p); break;
		case MESSAGE_LIST:
			*message_count(ret, f) = n;
			*(char **)p = mem_zero(n * f->of->size);
			for (uint32_t k = 0; k < n; k++)
				message_fill(f->of, *(char **)p + k * f->of->size);
			break;
		case MESSAGE_KEYS:
			*message_count(ret, f) = n;
			*(uint64_t **)p = mem_zero(n * sizeof(uint64_t));
			for (uint32_t k = 0; k < n; k++)
				(*(uint64_t **)p)[k] = test_random();
			break;
		case MESSAGE_OCTETS:
			*message_count(ret, f) = n;
			*(char **)p = mem_copy("\xff\0\1", n);
			break;
		case MESSAGE_KINDS: CHECK(false);
		}
	}
}

static inline void message_check_same(const struct message_table *t, const void *a, const void *b)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct message_field *f = &t->v[i];
		const void *p = message_member(a, f), *q = message_member(b, f);
		const char *x = f->size == sizeof x ? *(char *const *)p : NULL, *y = x ? *(char *const *)q : NULL;
		uint32_t n = f->count ? *message_count(a, f) : 0;
		bool same = !f->count || n == *message_count(b, f);
		switch (f->kind) {
		case MESSAGE_U32:
		case MESSAGE_U64:
		case MESSAGE_FLAG:
		case MESSAGE_CHOICE: same &= memcmp(p, q, f->size) == 0; break;
		case MESSAGE_TEXT:
		case MESSAGE_OPTIONAL: same &= x && y ? strcmp(x, y) == 0 : !x && !*(char *const *)q; break;
		case MESSAGE_BYTES:
			same &= ((const struct buf *)p)->len == ((const struct buf *)q)->len &&
			        (!((const struct buf *)p)->len ||
			         memcmp(((const struct buf *)p)->data, ((const struct buf *)q)->data,
			                ((const struct buf *)p)->len) == 0);
			break;
		case MESSAGE_INPUT: same &= input_equal(p, q); break;
		case MESSAGE_PART: message_check_same(f->of, p, q); break;
		case MESSAGE_LIST:
			for (uint32_t k = 0; same && k < n; k++)
				message_check_same(f->of, x + k * f->of->size, y + k * f->of->size);
			break;
		case MESSAGE_KEYS: same &= memcmp(x, y, n * sizeof(uint64_t)) == 0; break;
		case MESSAGE_OCTETS: same &= memcmp(x, y, n) == 0; break;
		case MESSAGE_KINDS: CHECK(false);
		}
		CHECK_THAT(same, "%s", f->name);
	}
}

// A place in a message's bytes that decides how the rest is read.
struct message_place {
	size_t at;
	const struct message_field *field;
	bool is_byte; // that says which, not how much
};

struct message_places {
	struct message_place v[4096];
	size_t n;
};

static inline size_t message_size(const struct message_table *t, const void *of)
{
	struct buf b = {0};
	message_encode(t, of, &b);
	size_t n = b.len;
	buf_release(&b);
	return n;
}

// Of a message that begins at `at`.
static inline void message_find_places(struct message_places *ret, const struct message_table *t, const void *of,
                                       size_t at)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct message_field *f = &t->v[i];
		const struct message_table before = {.size = t->size, .v = t->v, .n = i};
		size_t here = at + message_size(&before, of);
		if (f->kind == MESSAGE_PART) {
			message_find_places(ret, f->of, message_member(of, f), here);
			continue;
		}
		if (f->kind == MESSAGE_U32 || f->kind == MESSAGE_U64)
			continue;
		CHECK(ret->n + 1 < COUNT(ret->v));
		bool is_optional = f->kind == MESSAGE_OPTIONAL;
		bool is_byte = is_optional || f->kind == MESSAGE_FLAG || f->kind == MESSAGE_CHOICE;
		ret->v[ret->n++] = (struct message_place){here, f, is_byte};
		if (is_optional && *(char **)message_member(of, f))
			ret->v[ret->n++] = (struct message_place){here + 1, f, false};
		const char *v = f->kind == MESSAGE_LIST ? *(char **)message_member(of, f) : NULL;
		here += 4;
		for (uint32_t k = 0; v && k < *message_count(of, f); k++) {
			message_find_places(ret, f->of, v + k * f->of->size, here);
			here += message_size(f->of, v + k * f->of->size);
		}
	}
}

// Puts hostile values into every such place of the message's bytes, one after the other, and calls `refuses` with the
// bytes and the place: it is to say that they are refused.
static inline void message_try_places(const struct message_table *t, const void *of,
                                      bool (*refuses)(const struct buf *bytes))
{
	struct message_places *places = test_alloc(sizeof *places);
	struct buf b = {0};
	places->n = 0;
	message_find_places(places, t, of, 0);
	message_encode(t, of, &b);
	for (size_t i = 0; i < places->n; i++) {
		const struct message_field *f = places->v[i].field;
		char *p = b.data + places->v[i].at, was[4];
		size_t rest = b.len - places->v[i].at, size = rest < 4 ? rest : 4;
		memcpy(was, p, size);
		if (places->v[i].is_byte) {
			const uint32_t bytes[] = {f->kind == MESSAGE_CHOICE ? f->to : 2,
			                          f->kind == MESSAGE_CHOICE && f->from ? f->from - 1 : 255, 255, 128};
			for (size_t k = 0; k < COUNT(bytes); k++) {
				*p = (char)bytes[k];
				CHECK_THAT(refuses(&b), "%s: %u", f->name, bytes[k]);
			}
		} else {
			const uint32_t sizes[] = {
				UINT32_MAX,    INT32_MAX,      (uint32_t)INT32_MAX + 1, 1 << 24,
				(1 << 24) + 1, (uint32_t)rest, (uint32_t)rest - 3,      UINT32_MAX - 4};
			CHECK(size == 4);
			for (size_t k = 0; k < COUNT(sizes); k++) {
				memcpy(p, &sizes[k], 4);
				CHECK_THAT(refuses(&b), "%s: %u", f->name, sizes[k]);
			}
		}
		memcpy(p, was, size);
	}
	CHECK(places->n > 0 && !refuses(&b));
	buf_release(&b);
}

#endif
