#ifndef BOARD_STRING_H
#define BOARD_STRING_H
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);
size_t strlen(const char *s);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t n);
char *strcpy(char *to, const char *from);
char *strchr(const char *s, int c);
size_t strcspn(const char *s, const char *any);
size_t strspn(const char *s, const char *any);
char *strtok(char *s, const char *between);
#endif
