#ifndef BOARD_STDIO_H
#define BOARD_STDIO_H
#include <stdarg.h>
#include <stddef.h>
typedef struct board_file FILE;
extern FILE *stdin, *stdout, *stderr;
#define EOF (-1)
FILE *fopen(const char *path, const char *mode);
int fclose(FILE *f);
size_t fread(void *to, size_t size, size_t n, FILE *f);
char *fgets(char *s, int n, FILE *f);
int getc(FILE *f);
int fgetc(FILE *f);
int getchar(void);
int fputs(const char *s, FILE *f);
int fputc(int c, FILE *f);
int putc(int c, FILE *f);
int putchar(int c);
int puts(const char *s);
int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int fprintf(FILE *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
int snprintf(char *to, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));
int vsnprintf(char *to, size_t room, const char *format, va_list a);
int sscanf(const char *text, const char *format, ...) __attribute__((format(scanf, 2, 3)));
#endif
