// Variants of programs, built in the background by processes of their own: what is ready can be used while others are
// still being built. Results are in the cache; nothing else comes back but how far it is, and why it failed.
#ifndef VEER_SESSION_BUILDING_H
#define VEER_SESSION_BUILDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "variants/build.h"

struct building;

struct building_counts {
	unsigned programs, programs_built; // built, or failed
	size_t units, units_built;         // of variants that were begun
};

// Builds up to `jobs` variants at a time. `variants`, n of them, must outlive it.
struct building *building_new(const struct builder *const *variants, size_t n, unsigned jobs);
// Before the first building_look. `libraries`: see struct server_build. The larger `worth`, the sooner.
void building_add(struct building *b, uint32_t program, const char *path, const char *libraries, double worth);
// Begins what can be begun. Calls `built` for each program that has all its variants since the last time, or has not,
// and why. False: none is left.
bool building_look(struct building *b, void (*built)(void *opaque, uint32_t program, const char *why), void *opaque);
struct building_counts building_count(const struct building *b);
// Ends what is under way, with all processes. NULL: nothing.
void building_free(struct building *b);

#endif
