// Where scanf's characters come from, a string or a stream, and what becomes of a directive.
#ifndef VEER_RUNTIME_MODELS_C_SCANF_SOURCE_H
#define VEER_RUNTIME_MODELS_C_SCANF_SOURCE_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "runtime/models/c/scanf_format.h"

int veer_model_fgetc(FILE *f);
int veer_model_ungetc(int c, FILE *f);

// What differs between versions of libc.
static struct {
	bool known;
	bool nan_in_parentheses;  // nan(12) is one number
	bool exponent_has_digits; // 1e is none
	bool prefix_has_digits;   // nor is 0x where the width ends there
	bool all_characters;      // %5c fails when there are fewer
} libc;

extern int real_sscanf(const char *s, const char *format, ...) __asm__("__isoc99_sscanf");

static void ask_libc(void)
{
	char text[8];
	float f;
	int n = 0, saved = errno;
	if (libc.known)
		return;
	real_sscanf("nan(1)", "%f%n", &f, &n);
	libc.nan_in_parentheses = n == 6;
	libc.exponent_has_digits = real_sscanf("1e", "%f", &f) != 1;
	libc.prefix_has_digits = real_sscanf("0x", "%2f", &f) != 1;
	libc.all_characters = real_sscanf("ab", "%5c", text) != 1;
	libc.known = true;
	errno = saved;
}

// --- where characters come from --------------------------------------------------------------------

struct scan {
	FILE *file; // NULL: the string
	const char *text;
	size_t read, furthest; // characters so far; of these, before some were put back
	int furthest_errno;    // when the furthest one was read
	bool ended;            // the end was seen: nothing is read any more
	int done;
	bool binary; // %i knows 0b
	va_list args;
};

// In a string the end is the terminator, in a stream EOF. Neither is a digit nor a space, so
// most of the time nobody has to ask.
static bool is_end(const struct scan *s, int c)
{
	return s->file ? c == EOF : c == 0;
}

static int next(struct scan *s)
{
	if (s->ended)
		return s->file ? EOF : 0;
	int c = s->file ? veer_model_fgetc(s->file) : (unsigned char)*s->text++;
	if (++s->read > s->furthest) {
		s->furthest = s->read;
		s->furthest_errno = errno;
	}
	return c;
}

// The character is not taken; the end cannot be put back.
static void put_back(struct scan *s, int c)
{
	if (s->ended)
		return;
	s->read--;
	if (!s->file)
		s->text--;
	else if (c == EOF)
		s->ended = true;
	else
		veer_model_ungetc(c, s->file);
}

static int skip_space(struct scan *s)
{
	int c = next(s);
	while (number_is_space(c))
		c = next(s);
	return c;
}

// --- results ------------------------------------------------------------------------------------------

enum result { OK, MISMATCH, END, FAILED }; // of a directive; FAILED: no memory

// At the end errno is again what it was when the end was found.
static enum result ended(struct scan *s)
{
	s->read -= !s->ended; // it is no character
	s->ended = true;
	errno = s->furthest_errno;
	return END;
}

static void store_number(struct scan *s, const struct directive *d, uint64_t value)
{
	void *to = va_arg(s->args, void *);
	if (d->length == 'H')
		*(uint8_t *)to = (uint8_t)value;
	else if (d->length == 'h')
		*(uint16_t *)to = (uint16_t)value;
	else if (d->length || d->conversion == 'p')
		*(uint64_t *)to = value;
	else
		*(uint32_t *)to = (uint32_t)value;
}

#endif
