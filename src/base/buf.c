#include "base/buf.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"

void buf_reserve(struct buf *b, size_t more)
{
	assert(b->len < b->cap || (!b->len && !b->cap && !b->data));
	if (more > SIZE_MAX / 2 - b->len)
		mem_exhausted();
	size_t need = b->len + more + 1;
	if (need <= b->cap)
		return;
	size_t cap = b->cap ? b->cap : 64;
	while (cap < need)
		cap *= 2;
	b->data = mem_resize(b->data, cap);
	b->cap = cap;
	b->data[b->len] = 0;
}

void buf_add(struct buf *b, const void *data, size_t len)
{
	buf_reserve(b, len);
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = 0;
}

void buf_addstr(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_addch(struct buf *b, char c)
{
	buf_add(b, &c, 1);
}

void buf_printf(struct buf *b, const char *format, ...)
{
	va_list ap, again;
	va_start(ap, format);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	if (n > 0) {
		buf_reserve(b, (size_t)n);
		vsnprintf(b->data + b->len, (size_t)n + 1, format, again);
		b->len += (size_t)n;
	}
	va_end(again);
}

void buf_u32(struct buf *b, uint32_t v)
{
	uint8_t bytes[4];
	for (int i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(v >> 8 * i);
	buf_add(b, bytes, 4);
}

void buf_u64(struct buf *b, uint64_t v)
{
	buf_u32(b, (uint32_t)v);
	buf_u32(b, (uint32_t)(v >> 32));
}

void buf_string(struct buf *b, const char *s)
{
	size_t n = strlen(s);
	buf_u32(b, (uint32_t)n);
	buf_add(b, s, n);
}

void buf_number(struct buf *b, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		buf_addch(b, (char)(0x80 | (v & 0x7f)));
	buf_addch(b, (char)v);
}

void buf_text(struct buf *b, const char *s)
{
	size_t n = strlen(s);
	buf_number(b, n);
	buf_add(b, s, n);
}

void buf_cut(struct buf *b, size_t len)
{
	assert(len <= b->len);
	b->len = len;
	if (b->data)
		b->data[len] = 0;
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	if (b->data)
		b->data[0] = 0;
}

void buf_release(struct buf *b)
{
	mem_free(b->data);
	*b = (struct buf){0};
}

char *buf_steal(struct buf *b)
{
	buf_reserve(b, 0);
	char *data = b->data;
	*b = (struct buf){0};
	return data;
}

const uint8_t *cursor_bytes(struct cursor *c, size_t n)
{
	if (c->bad || (size_t)(c->end - c->p) < n) {
		c->bad = true;
		return NULL;
	}
	const uint8_t *at = c->p;
	c->p += n;
	return at;
}

uint32_t cursor_u32(struct cursor *c)
{
	const uint8_t *p = cursor_bytes(c, 4);
	return p ? (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24 : 0;
}

uint64_t cursor_u64(struct cursor *c)
{
	uint64_t low = cursor_u32(c), high = cursor_u32(c);
	return c->bad ? 0 : low | high << 32;
}

char *cursor_string(struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	const uint8_t *p = cursor_bytes(c, n);
	if (!p || memchr(p, 0, n)) {
		c->bad = true;
		return NULL;
	}
	return mem_copy(p, n);
}

void strv_push_once(struct strv *s, const char *text)
{
	size_t i = 0;
	while (i < s->n && strcmp(s->v[i], text) != 0)
		i++;
	if (i == s->n)
		strv_push(s, text);
}

uint32_t cursor_number(struct cursor *c)
{
	uint64_t v = 0;
	for (unsigned shift = 0; shift < 35; shift += 7) {
		const uint8_t *byte = cursor_bytes(c, 1);
		if (!byte)
			return 0;
		v |= (uint64_t)(*byte & 0x7f) << shift;
		if (!(*byte & 0x80)) {
			c->bad |= v >= UINT32_MAX;
			return c->bad ? 0 : (uint32_t)v;
		}
	}
	c->bad = true;
	return 0;
}

uint32_t cursor_fits(struct cursor *c, uint32_t n, size_t least)
{
	assert(least > 0);
	c->bad |= n > (size_t)(c->end - c->p) / least;
	return c->bad ? 0 : n;
}

char *cursor_text(struct cursor *c)
{
	uint32_t n = cursor_number(c);
	const uint8_t *bytes = c->bad ? NULL : cursor_bytes(c, n);
	if (bytes && memchr(bytes, 0, n))
		c->bad = true;
	return bytes && !c->bad ? mem_copy(bytes, n) : NULL;
}

void strv_take(struct strv *s, char *text)
{
	vec_room(s->v, s->n + 2, s->cap); // it, and the NULL
	s->v[s->n++] = text;
	s->v[s->n] = NULL;
}

void strv_push(struct strv *s, const char *text)
{
	strv_take(s, mem_strdup(text));
}

void strv_pushf(struct strv *s, const char *format, ...)
{
	struct buf b = {0};
	va_list ap, again;
	va_start(ap, format);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	buf_reserve(&b, n > 0 ? (size_t)n : 0);
	vsnprintf(b.data, b.cap, format, again);
	va_end(again);
	strv_take(s, buf_steal(&b));
}

void strv_push_all(struct strv *s, const struct strv *other)
{
	for (size_t i = 0; i < other->n; i++)
		strv_push(s, other->v[i]);
}

void strv_release(struct strv *s)
{
	for (size_t i = 0; i < s->n; i++)
		mem_free(s->v[i]);
	mem_free(s->v);
	*s = (struct strv){0};
}
