// Reads a sound file (RIFF WAVE) and says what is in it: format, length, loudest sample, texts, cue points, loops.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_MAX_WAV = 1 << 16 };
enum { PCM = 1, FLOAT = 3, ALAW = 6, ULAW = 7, EXTENSIBLE = 0xfffe };

struct wav {
	const uint8_t *p;
	size_t n;
	unsigned format, channels, rate, bits, align;
	int has_format, has_data, texts, cues, loops;
	long peak;
	size_t frames;
};

static int bad(const char *what)
{
	fprintf(stderr, "%s\n", what);
	return -1;
}

static unsigned u16(const uint8_t *p)
{
	return p[0] | (unsigned)p[1] << 8;
}

static uint32_t u32(const uint8_t *p)
{
	return u16(p) | (uint32_t)u16(p + 2) << 16;
}

static int is(const uint8_t *p, const char *tag)
{
	return memcmp(p, tag, 4) == 0;
}

// --- chunks -----------------------------------------------------------------------------------

static int read_format(struct wav *w, const uint8_t *p, size_t n)
{
	if (w->has_format)
		return bad("a second format");
	if (n < 16)
		return bad("a short format");
	w->format = u16(p);
	w->channels = u16(p + 2);
	w->rate = u32(p + 4);
	w->align = u16(p + 12);
	w->bits = u16(p + 14);
	if (w->format == EXTENSIBLE) {
		if (n < 40 || u16(p + 16) < 22)
			return bad("a short extension");
		w->format = u16(p + 24);
		if (u16(p + 18) > w->bits)
			return bad("more valid bits than bits");
	}
	switch (w->format) {
	case PCM:
		if (w->bits != 8 && w->bits != 16 && w->bits != 24 && w->bits != 32)
			return bad("bits of PCM");
		break;
	case FLOAT:
		if (w->bits != 32 && w->bits != 64)
			return bad("bits of floats");
		break;
	case ALAW:
	case ULAW:
		if (w->bits != 8)
			return bad("bits of a law");
		break;
	default: return bad("an unknown format");
	}
	if (w->channels == 0 || w->channels > 8)
		return bad("channels");
	if (w->rate < 8000 || w->rate > 192000)
		return bad("rate");
	if (w->align != w->channels * w->bits / 8)
		return bad("alignment");
	w->has_format = 1;
	return 0;
}

static long sample(const struct wav *w, const uint8_t *p)
{
	if (w->format != PCM)
		return *p & 0x7f;
	if (w->bits == 8)
		return (long)*p - 128;
	if (w->bits == 16)
		return (int16_t)u16(p);
	return (int32_t)((uint32_t)p[w->bits / 8 - 1] << 24) >> 8;
}

static int read_data(struct wav *w, const uint8_t *p, size_t n)
{
	if (!w->has_format)
		return bad("data before the format");
	if (n % w->align)
		return bad("half a frame");
	for (size_t i = 0; i + w->bits / 8 <= n; i += w->bits / 8) {
		long s = sample(w, p + i);
		s = s < 0 ? -s : s;
		if (s > w->peak)
			w->peak = s;
	}
	w->frames += n / w->align;
	w->has_data = 1;
	return 0;
}

static int read_list(struct wav *w, const uint8_t *p, size_t n)
{
	static const char *const known[] = {"INAM", "IART", "ICMT", "ICRD", "IGNR"};
	if (n < 4 || (!is(p, "INFO") && !is(p, "adtl")))
		return bad("a list of what");
	int info = is(p, "INFO");
	for (size_t at = 4; at + 8 <= n;) {
		uint32_t size = u32(p + at + 4);
		if (size > n - at - 8)
			return bad("a text goes beyond its list");
		int found = 0;
		for (size_t i = 0; info && i < sizeof known / sizeof *known; i++)
			found |= is(p + at, known[i]);
		if (info && !found)
			return bad("an unknown text");
		if (!info && (!is(p + at, "labl") || size < 4))
			return bad("no label");
		if (size && p[at + 8 + size - 1] != 0)
			return bad("a text without end");
		w->texts++;
		at += 8 + size + size % 2;
	}
	return 0;
}

static int read_cues(struct wav *w, const uint8_t *p, size_t n)
{
	if (n < 4 || u32(p) > (n - 4) / 24)
		return bad("cue points");
	for (uint32_t i = 0; i < u32(p); i++) {
		const uint8_t *c = p + 4 + 24 * i;
		if (!is(c + 8, "data") || (w->has_data && u32(c + 20) >= w->frames))
			return bad("a cue point beyond the data");
		w->cues++;
	}
	return 0;
}

static int read_sampler(struct wav *w, const uint8_t *p, size_t n)
{
	if (n < 36 || u32(p + 28) > (n - 36) / 24)
		return bad("loops");
	if (u32(p + 12) > 127)
		return bad("a note that there is not");
	for (uint32_t i = 0; i < u32(p + 28); i++) {
		const uint8_t *l = p + 36 + 24 * i;
		if (u32(l + 4) > 2 || u32(l + 8) > u32(l + 12))
			return bad("a loop that runs backwards");
		w->loops++;
	}
	return 0;
}

static int read_chunk(struct wav *w, const uint8_t *tag, const uint8_t *p, size_t n)
{
	if (is(tag, "fmt "))
		return read_format(w, p, n);
	if (is(tag, "data"))
		return read_data(w, p, n);
	if (is(tag, "LIST"))
		return read_list(w, p, n);
	if (is(tag, "cue "))
		return read_cues(w, p, n);
	if (is(tag, "smpl"))
		return read_sampler(w, p, n);
	return 0; // others may be there
}

static int read_wav(struct wav *w)
{
	if (w->n < 12 || !is(w->p, "RIFF") || !is(w->p + 8, "WAVE"))
		return bad("no WAVE");
	if (u32(w->p + 4) > w->n - 8)
		return bad("it ends too early");
	for (size_t at = 12; at + 8 <= w->n;) {
		uint32_t size = u32(w->p + at + 4);
		if (size > w->n - at - 8)
			return bad("a chunk goes beyond the end");
		if (read_chunk(w, w->p + at, w->p + at + 8, size) < 0)
			return -1;
		at += 8 + size + size % 2;
	}
	return w->has_data ? 0 : bad("no data");
}

int main(int argc, char **argv)
{
	static uint8_t bytes[SIZE_MAX_WAV];
	FILE *f = argc > 1 ? fopen(argv[1], "rb") : stdin;
	if (!f) {
		perror(argv[1]);
		return 2;
	}
	struct wav w = {.p = bytes, .n = fread(bytes, 1, sizeof bytes, f)};
	fclose(f);
	if (read_wav(&w) < 0)
		return 1;
	printf("format %u, %u channels, %u Hz, %u bits, %zu frames, peak %ld, %d texts, %d cues, %d loops\n", w.format,
	       w.channels, w.rate, w.bits, w.frames, w.peak, w.texts, w.cues, w.loops);
	return 0;
}
