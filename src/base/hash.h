// 128-bit content hashes (XXH3). They name things in the cache; they are not
// meant to resist somebody who forges collisions in his own build.
#ifndef VEER_BASE_HASH_H
#define VEER_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash {
	uint64_t low, high;
};

#define HASH_HEX 33 // 32 digits and a NUL

struct hash hash_bytes(const void *data, size_t size);
void hash_hex(struct hash h, char out[HASH_HEX]);

#endif
