#include "base/hash.h"

#include <stdio.h>
#include <xxhash.h>

struct hash hash_bytes(const void *data, size_t size)
{
	XXH128_hash_t h = XXH3_128bits(data, size);
	return (struct hash){h.low64, h.high64};
}

void hash_hex(struct hash h, char out[HASH_HEX])
{
	snprintf(out, HASH_HEX, "%016llx%016llx", (unsigned long long)h.high, (unsigned long long)h.low);
}
