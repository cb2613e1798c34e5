#ifndef BOARD_STDLIB_H
#define BOARD_STDLIB_H
#include <stddef.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
_Noreturn void exit(int status);
long strtol(const char *s, char **end, int base);
unsigned long strtoul(const char *s, char **end, int base);
int atoi(const char *s);
void *bsearch(const void *key, const void *base, size_t n, size_t size, int (*compare)(const void *, const void *));
#endif
