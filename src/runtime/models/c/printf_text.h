// The text that printf makes, while it is made: characters with their labels, and how long it may be for other input.
#ifndef VEER_RUNTIME_MODELS_C_PRINTF_TEXT_H
#define VEER_RUNTIME_MODELS_C_PRINTF_TEXT_H

#include "runtime/models/c/printf_format.h"

struct out {
	char *to;
	size_t n, room;
	size_t open; // with its label: what n lacks, by the last string and by widths and precisions
	bool closed; // the last string brought its terminator
	int kept;    // the argument that is its precision: it need not be concrete; NONE
};

static void put(struct out *o, char c)
{
	if (o->n < o->room)
		o->to[o->n] = c;
	o->n++;
}

static void fill(struct out *o, char c, int n)
{
	for (; n > 0; n--)
		put(o, c);
}

static void put_all(struct out *o, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put(o, s[i]);
}

static int wide(const struct spec *s, size_t n)
{
	return s->width > 0 && (size_t)s->width > n ? s->width - (int)n : 0;
}

// The larger one, without a branch.
static int64_t larger(int64_t a, int64_t b)
{
	return a ^ ((a ^ b) & (0 - (int64_t)(a < b)));
}

// What was put is `n` bytes, with their label, and padded; their number without it is in o->n.
static void note_length(struct out *o, const struct spec *s, int64_t n)
{
	uint64_t all = (uint64_t)larger(s->open_width, n);
	o->open += all - model_plain(all);
}

static const uint64_t tens[] = {1u,
                                10u,
                                100u,
                                1000u,
                                10000u,
                                100000u,
                                1000000u,
                                10000000u,
                                100000000u,
                                1000000000u,
                                10000000000u,
                                100000000000u,
                                1000000000000u,
                                10000000000000u,
                                100000000000000u,
                                1000000000000000u,
                                10000000000000000u,
                                100000000000000000u,
                                1000000000000000000u,
                                10000000000000000000u};

#endif
