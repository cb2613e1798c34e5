// Messages by table: a struct is described by its fields, and encoded, decoded and released by that description alone.
// Decoding trusts nothing: a size that the bytes do not hold, a number that its type does not have and a missing text
// make the cursor bad, and memory is taken only in proportion to the bytes that there are.
//
// A .def file has the fields: FIELD(KIND, ...), in these kinds.
//
//   U32, name  U64, name  I32, name  I64, name   numbers: uint32_t ...
//   FLAG, name                                   bool
//   CHOICE, type, name, from, to                 an enum, or a number, in [from, to)
//   TEXT, name                                   char *, a string, never NULL
//   OPTIONAL, name                               char *, a string or NULL
//   BYTES, name                                  struct buf
//   INPUT, name                                  struct input
//   PART, type, name                             struct type, which has a table of its own
//   LIST, type, name                             struct type *name, uint32_t n_name
//   KEYS, name                                   uint64_t *name, uint32_t n_name
//   OCTETS, name, count                          uint8_t *name, uint32_t count
//
// With FIELD defined as MESSAGE_MEMBER they are the members of the struct, with FIELD as MESSAGE_ROW the rows of its
// table; MESSAGE names the struct then.
#ifndef VEER_WORKER_MESSAGE_H
#define VEER_WORKER_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum message_kind {
	MESSAGE_U32,
	MESSAGE_U64,
	MESSAGE_FLAG,
	MESSAGE_CHOICE,
	MESSAGE_TEXT,
	MESSAGE_OPTIONAL,
	MESSAGE_BYTES,
	MESSAGE_INPUT,
	MESSAGE_PART,
	MESSAGE_LIST,
	MESSAGE_KEYS,
	MESSAGE_OCTETS,
	MESSAGE_KINDS
};

struct message_table;

struct message_field {
	const char *name;
	enum message_kind kind;
	uint32_t offset;                // of the member in the struct
	uint32_t size;                  // of the member
	uint32_t count;                 // LIST, KEYS, OCTETS: offset of the member that says how many there are
	uint32_t from, to;              // CHOICE
	const struct message_table *of; // PART, LIST
};

struct message_table {
	size_t size; // of the struct
	const struct message_field *v;
	size_t n;
};

// Appends the struct's bytes.
void message_encode(const struct message_table *t, const void *from, struct buf *out);
// *ret, zeroed by the caller, is filled with what the cursor has. When that is bad then, *ret is still good for
// message_release.
void message_decode(const struct message_table *t, void *ret, struct cursor *c);
// Frees what the struct points to, and zeroes it.
void message_release(const struct message_table *t, void *of);
// How many bytes a struct takes at least.
size_t message_least(const struct message_table *t);

#define MESSAGE_MEMBER(kind, ...) MESSAGE_MEMBER_##kind(__VA_ARGS__)
#define MESSAGE_MEMBER_U32(name) uint32_t name;
#define MESSAGE_MEMBER_U64(name) uint64_t name;
#define MESSAGE_MEMBER_I32(name) int32_t name;
#define MESSAGE_MEMBER_I64(name) int64_t name;
#define MESSAGE_MEMBER_FLAG(name) bool name;
#define MESSAGE_MEMBER_CHOICE(type, name, least, end) type name;
#define MESSAGE_MEMBER_TEXT(name) char *name;
#define MESSAGE_MEMBER_OPTIONAL(name) char *name;
#define MESSAGE_MEMBER_BYTES(name) struct buf name;
#define MESSAGE_MEMBER_INPUT(name) struct input name;
#define MESSAGE_MEMBER_PART(type, name) struct type name;
#define MESSAGE_MEMBER_LIST(type, name)                                                                                \
	struct type *name;                                                                                             \
	uint32_t n_##name;
#define MESSAGE_MEMBER_KEYS(name)                                                                                      \
	uint64_t *name;                                                                                                \
	uint32_t n_##name;
#define MESSAGE_MEMBER_OCTETS(name, number)                                                                            \
	uint8_t *name;                                                                                                 \
	uint32_t number;

#define MESSAGE_AT(member) (uint32_t)offsetof(struct MESSAGE, member)
#define MESSAGE_ONE(KIND, member, ...)                                                                                 \
	{.name = #member,                                                                                              \
	 .kind = MESSAGE_##KIND,                                                                                       \
	 .offset = MESSAGE_AT(member),                                                                                 \
	 .size = sizeof((struct MESSAGE){0}.member),                                                                   \
	 __VA_ARGS__},
#define MESSAGE_ROW(kind, ...) MESSAGE_ROW_##kind(__VA_ARGS__)
#define MESSAGE_ROW_U32(member) MESSAGE_ONE(U32, member)
#define MESSAGE_ROW_U64(member) MESSAGE_ONE(U64, member)
#define MESSAGE_ROW_I32(member) MESSAGE_ONE(U32, member)
#define MESSAGE_ROW_I64(member) MESSAGE_ONE(U64, member)
#define MESSAGE_ROW_FLAG(member) MESSAGE_ONE(FLAG, member)
#define MESSAGE_ROW_CHOICE(type, member, least, end) MESSAGE_ONE(CHOICE, member, .from = least, .to = end)
#define MESSAGE_ROW_TEXT(member) MESSAGE_ONE(TEXT, member)
#define MESSAGE_ROW_OPTIONAL(member) MESSAGE_ONE(OPTIONAL, member)
#define MESSAGE_ROW_BYTES(member) MESSAGE_ONE(BYTES, member)
#define MESSAGE_ROW_INPUT(member) MESSAGE_ONE(INPUT, member)
#define MESSAGE_ROW_PART(type, member) MESSAGE_ONE(PART, member, .of = &type##_table)
#define MESSAGE_ROW_LIST(type, member) MESSAGE_ONE(LIST, member, .of = &type##_table, .count = MESSAGE_AT(n_##member))
#define MESSAGE_ROW_KEYS(member) MESSAGE_ONE(KEYS, member, .count = MESSAGE_AT(n_##member))
#define MESSAGE_ROW_OCTETS(member, number) MESSAGE_ONE(OCTETS, member, .count = MESSAGE_AT(number))
#define MESSAGE_TABLE(type, fields) {.size = sizeof(struct type), .v = fields, .n = sizeof fields / sizeof *fields}

#endif
