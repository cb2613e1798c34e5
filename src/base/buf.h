// Growable byte buffer, reader of bytes, growable vector of strings.
//
// A zero-initialised struct is a valid empty one. Invariants of a buffer: len < cap, or both are 0; `data` is NULL as
// long as cap is 0, and `data[len]` is a NUL otherwise, so that a text can be used as such; bytes in between may be
// anything, NULs too. Of a vector: `v[n]` is NULL once anything was pushed. Whoever owns the struct owns the memory,
// until buf_steal(); pointers into it are valid until the next call that adds.
//
// This is the lowest level: nothing here knows files, formats or errors. Running out of memory is mem.h's business.
#ifndef VEER_BASE_BUF_H
#define VEER_BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
	char *data;
	size_t len, cap;
};

// What it has as a text; "" when nothing was ever added. Never NULL.
static inline const char *buf_str(const struct buf *b)
{
	return b->data ? b->data : "";
}

// Room for `more` bytes behind those that are there, and the NUL: data + len may then be written to directly, and len
// set, up to that.
void buf_reserve(struct buf *b, size_t more);
// `data` must not point into the buffer; NULL is fine when len is 0.
void buf_add(struct buf *b, const void *data, size_t len);
void buf_addstr(struct buf *b, const char *s);
void buf_addch(struct buf *b, char c);
void buf_printf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_u32(struct buf *b, uint32_t v); // little endian, as everything veer writes
void buf_u64(struct buf *b, uint64_t v);
void buf_string(struct buf *b, const char *s); // u32 length, bytes
void buf_number(struct buf *b, uint64_t v);    // as in LEB128
void buf_text(struct buf *b, const char *s);   // its length as such a number, bytes
void buf_cut(struct buf *b, size_t len);       // at most what it has
void buf_clear(struct buf *b);                 // keeps the memory
void buf_release(struct buf *b);               // gives it back; *b is empty, and may be used again
char *buf_steal(struct buf *b);                // caller owns the result; *b is empty again. Never NULL

// Bounded reader over bytes that somebody else wrote. After the first read past
// the end `bad` is set, and every later read yields zero or NULL.
struct cursor {
	const uint8_t *p, *end;
	bool bad;
};

uint32_t cursor_u32(struct cursor *c);
uint64_t cursor_u64(struct cursor *c);
const uint8_t *cursor_bytes(struct cursor *c, size_t n);
char *cursor_string(struct cursor *c);    // caller frees; NULL when bad
uint32_t cursor_number(struct cursor *c); // bad when it is UINT32_MAX or more
char *cursor_text(struct cursor *c);      // caller frees; NULL when bad
// n, when as many records of `least` bytes or more can follow; otherwise 0, and bad. To be asked before room is made.
uint32_t cursor_fits(struct cursor *c, uint32_t n, size_t least);

struct strv {
	char **v;
	size_t n, cap;
};

void strv_push(struct strv *s, const char *text);      // copies
void strv_push_once(struct strv *s, const char *text); // unless it is there
void strv_take(struct strv *s, char *text);            // takes ownership
void strv_pushf(struct strv *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void strv_push_all(struct strv *s, const struct strv *other);
void strv_release(struct strv *s);

#endif
