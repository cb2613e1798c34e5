// Counting allocator. Everything veer allocates goes through here, so that a
// unit test can end with "nothing is still allocated" and so that running out
// of memory is handled in one place: a line on stderr and exit status 70.
#ifndef VEER_BASE_MEM_H
#define VEER_BASE_MEM_H

#include <stddef.h>

// All of these return memory that the caller owns and gives back to mem_free;
// none of them ever returns NULL.
void *mem_alloc(size_t size);
void *mem_zero(size_t size);
void *mem_resize(void *p, size_t size);
char *mem_copy(const void *data, size_t size); // adds a terminating NUL
char *mem_strdup(const char *s);
char *mem_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
void mem_free(void *p); // NULL is fine

// For libraries that report exhaustion in their own way.
_Noreturn void mem_exhausted(void);

// Number of blocks handed out and not yet given back.
long mem_live(void);

#endif
