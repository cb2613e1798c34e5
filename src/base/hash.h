// 128-bit content hashes (XXH3). They name things in the cache; they are not
// meant to resist somebody who forges collisions in his own build.
#ifndef VEER_BASE_HASH_H
#define VEER_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct hash {
	uint64_t low, high;
};

#define HASH_HEX 33 // 32 digits and a NUL

struct hash hash_bytes(const void *data, size_t size);
void hash_hex(struct hash h, char out[HASH_HEX]);

static inline uint64_t hash_text(const char *text)
{
	return hash_bytes(text, strlen(text)).low;
}

// A number of two, which depends on their order. Stored: keys of decisions are made of it.
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	uint64_t h = (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdu;
	h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53u;
	return h ^ h >> 29;
}

#endif
