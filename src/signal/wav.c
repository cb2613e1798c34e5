// WAV: one channel, or two that are the parts of a complex signal, as software radios write them.
#include <string.h>

#include "signal/recording_internal.h"

enum { PCM = 1, FLOATS = 3, EXTENSIBLE = 0xfffe };

static uint32_t u32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static int read_format(struct recording *r, const char *path, const uint8_t *p, uint32_t size, struct err *err)
{
	unsigned format = p[0] | p[1] << 8u, channels = p[2] | p[3] << 8u, bits = p[14] | p[15] << 8u;
	if (format == EXTENSIBLE && size >= 26)
		format = p[24] | p[25] << 8u;
	r->rate = u32(p + 4);
	r->complex = channels == 2;
	if (channels != 1 && channels != 2)
		return err_set(err, "%s: it has %u channels; veer reads one, or two as a complex signal", path,
		               channels);
	if (format == PCM && bits == 8)
		r->type = SAMPLE_U8;
	else if (format == PCM && bits == 16)
		r->type = SAMPLE_I16;
	else if (format == PCM && bits == 32)
		r->type = SAMPLE_I32;
	else if (format == FLOATS && bits == 32)
		r->type = SAMPLE_F32;
	else
		return err_set(err, "%s: format %u with %u bits is none that veer reads; convert it to 16 bits", path,
		               format, bits);
	return 0;
}

int wav_open(struct recording *r, const char *path, struct err *err)
{
	bool known = false;
	if (file_map(path, &r->map, err) < 0)
		return -1;
	const uint8_t *p = r->map.data;
	if (r->map.size < 12 || memcmp(p, "RIFF", 4) != 0 || memcmp(p + 8, "WAVE", 4) != 0)
		return err_set(err, "%s: not a WAV file", path);
	for (uint64_t at = 12; r->map.size - at >= 8;) {
		uint32_t size = u32(p + at + 4);
		const uint8_t *chunk = p + at;
		at += 8;
		bool data = memcmp(chunk, "data", 4) == 0;
		if (size > r->map.size - at)
			return err_set(err, "%s: a chunk is larger than the file; copy it again", path);
		if (memcmp(chunk, "fmt ", 4) == 0 && size >= 16) {
			if (read_format(r, path, p + at, size, err) < 0)
				return -1;
			known = true;
		} else if (data && known) {
			return recording_set(r, at, size / sample_sizes[r->type] / (r->complex ? 2 : 1), err);
		}
		at += size + (size & 1);
		if (at > r->map.size)
			break;
	}
	return err_set(err, "%s: it has no %s", path, known ? "samples" : "format");
}
