// NumPy's .npy: one dimension, or two of which one is 1. It does not say the sampling rate.
#include <stdio.h>
#include <string.h>

#include "signal/recording_internal.h"

enum { HEADER_MAX = 65536 };

// Behind 'KEY': of the header, which is a literal of Python. NULL: it is not there.
static const char *value_of(const char *header, const char *key)
{
	const char *at = strstr(header, key);
	if (!at)
		return NULL;
	at += strlen(key);
	while (*at == ' ' || *at == ':')
		at++;
	return at;
}

static bool read_type(struct recording *r, const char *descr)
{
	static const struct {
		const char *name;
		enum sample_type type;
		bool complex;
	} types[] = {{"i1", SAMPLE_I8, false},  {"u1", SAMPLE_U8, false},  {"i2", SAMPLE_I16, false},
	             {"u2", SAMPLE_U16, false}, {"i4", SAMPLE_I32, false}, {"f4", SAMPLE_F32, false},
	             {"f8", SAMPLE_F64, false}, {"c8", SAMPLE_F32, true},  {"c16", SAMPLE_F64, true}};
	if (!descr || descr[0] != '\'' || !descr[1] || !strchr("<>|=", descr[1]))
		return false;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		size_t n = strlen(types[i].name);
		if (strncmp(descr + 2, types[i].name, n) != 0 || descr[2 + n] != '\'')
			continue;
		r->type = types[i].type;
		r->complex = types[i].complex;
		r->big = descr[1] == '>';
		return true;
	}
	return false;
}

static bool read_shape(const char *shape, uint64_t *ret)
{
	unsigned long long a = 0, b = 1;
	int end = 0;
	if (!shape || (sscanf(shape, "(%llu ,)%n", &a, &end) != 1 || !end)) {
		end = 0;
		if (!shape || sscanf(shape, "(%llu , %llu )%n", &a, &b, &end) != 2 || !end)
			return false;
	}
	*ret = a == 1 ? b : a;
	return a == 1 || b == 1;
}

int npy_open(struct recording *r, const char *path, struct err *err)
{
	char header[HEADER_MAX + 1];
	if (file_map(path, &r->map, err) < 0)
		return -1;
	const uint8_t *p = r->map.data;
	if (r->map.size < 12 || memcmp(p, "\x93NUMPY", 6) != 0 || p[6] < 1 || p[6] > 3)
		return err_set(err, "%s: not a file that numpy.save writes", path);
	size_t begin = p[6] == 1 ? 10 : 12;
	size_t n = p[8] | (size_t)p[9] << 8 | (p[6] == 1 ? 0 : (size_t)p[10] << 16 | (size_t)p[11] << 24);
	if (n > HEADER_MAX || n > r->map.size - begin)
		return err_set(err, "%s: its header is damaged", path);
	memcpy(header, p + begin, n);
	header[n] = 0;
	uint64_t samples;
	if (!read_type(r, value_of(header, "'descr'")))
		return err_set(err, "%s: its samples are neither integers, floats nor complex numbers", path);
	if (!read_shape(value_of(header, "'shape'"), &samples))
		return err_set(err, "%s: it has not one dimension; save one trace in a file", path);
	return recording_set(r, begin + n, samples, err);
}
