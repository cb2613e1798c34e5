#include "signal/recording.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "signal/json.h"
#include "test.h"

static void write_text(const char *name, const char *text)
{
	test_write(test_path(name), text, strlen(text));
}

static void sigmf(const char *type, const char *more, const void *data, size_t size)
{
	char *meta = test_printf(
		"{\"global\": {\"core:datatype\": \"%s\", \"core:sample_rate\": 4e6%s}, \"captures\": [],"
		" \"annotations\": [{\"core:sample_start\": 1, \"core:sample_count\": 2, \"core:label\": \"b\"},"
		" {\"core:sample_start\": 0, \"core:sample_count\": 1, \"core:label\": \"a\\u00e4\"}]}",
		type, more);
	write_text("r.sigmf-meta", meta);
	test_write(test_path("r.sigmf-data"), data, size);
}

static void check_sigmf(const char *type, const void *data, size_t size, float a, float b, float c)
{
	struct recording r;
	struct err err;
	float v[8];
	sigmf(type, "", data, size);
	CHECK_THAT(recording_open(&r, test_path("r.sigmf-meta"), &err) == 0, "%s", err.text);
	size_t n = recording_read(&r, 0, 8, v);
	bool ok = n == 3 && v[0] == a && v[1] == b && v[2] == c && r.rate == 4e6 && r.n_labels == 2 &&
	          strcmp(r.labels[0].text, "a\xc3\xa4") == 0 && r.labels[1].start == 1 &&
	          recording_read(&r, 3, 8, v) == 0;
	recording_close(&r);
	CHECK_THAT(ok, "%s", type);
}

static void types(void)
{
	check_sigmf("ri8", "\x01\xff\x7f", 3, 1, -1, 127);
	check_sigmf("ru8", "\x80\x00\xff", 3, 0, -128, 127);
	check_sigmf("ri16_le", "\x01\x00\xff\xff\x00\x80", 6, 1, -1, -32768);
	check_sigmf("ri16_be", "\x00\x01\xff\xff\x80\x00", 6, 1, -1, -32768);
	check_sigmf("ru16_le", "\x00\x80\x00\x00\x01\x80", 6, 0, -32768, 1);
	check_sigmf("ri32_le", (int32_t[]){7, -7, 70000}, 12, 7, -7, 70000);
	check_sigmf("rf32_le", (float[]){0.5f, NAN, -INFINITY}, 12, 0.5f, 0, 0);
	check_sigmf("rf64_le", (double[]){0.5, -2, 1e300}, 24, 0.5f, -2, 0);
	check_sigmf("ci8", "\x03\x04\x00\x05\xfa\x08", 6, 5, 5, 10);
	check_sigmf("cf32_le", (float[]){3, 4, 0, 1, -6, 8}, 24, 5, 1, 10);
	check_sigmf("ci16_be", "\x00\x03\x00\x04\x00\x00\x00\x05\xff\xfa\x00\x08", 12, 5, 5, 10);
}

static void fails(const char *name, const char *why)
{
	struct recording r;
	struct err err = {""};
	CHECK_INT(-1, recording_open(&r, test_path(name), &err));
	CHECK_THAT(strstr(err.text, why), "'%s' has no '%s'", err.text, why);
}

static void lies(void)
{
	sigmf("ri16_xx", "", "abcdef", 6);
	fails("r.sigmf-meta", "core:datatype");
	sigmf("ri16_le", ", \"core:num_channels\": 2", "abcdef", 6);
	fails("r.sigmf-meta", "channels");
	sigmf("ri16_le", "", "ab", 2);
	fails("r.sigmf-meta", "annotation");
	sigmf("ri16_le", "", "", 0);
	fails("r.sigmf-meta", "no samples");
	write_text("r.sigmf-meta", "{\"global\":\n [1, 2");
	fails("r.sigmf-meta", ":2: not JSON");
	write_text("r.sigmf-meta", "[]");
	fails("r.sigmf-meta", "global");
	write_text("x.npy", "\x93NUMPY\x01");
	fails("x.npy", "numpy.save");
	write_text("x.wav", "RIFF1234WAVEdata\xff\xff\xff\xff");
	fails("x.wav", "larger than the file");
	write_text("x.raw", "1234");
	fails("x.raw", "end of its name");
	fails("none.npy", "none.npy");
}

static size_t make_npy(uint8_t *out, const char *header, const void *data, size_t size)
{
	size_t n = strlen(header);
	memcpy(out, "\x93NUMPY\x01\x00", 8);
	out[8] = (uint8_t)n;
	out[9] = (uint8_t)(n >> 8);
	memcpy(out + 10, header, n);
	memcpy(out + 10 + n, data, size);
	return 10 + n + size;
}

static void npy(void)
{
	uint8_t file[512];
	struct recording r;
	struct err err;
	float v[4];
	size_t n = make_npy(file, "{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }\n",
	                    "\x01\x00\x02\x00\x03\x00", 6);
	test_write(test_path("x.npy"), file, n);
	CHECK_INT(0, recording_open(&r, test_path("x.npy"), &err));
	CHECK_INT(3, recording_read(&r, 0, 4, v));
	CHECK_INT(3, v[2]);
	recording_close(&r);
	n = make_npy(file, "{'descr': '>f4', 'fortran_order': False, 'shape': (1, 2), }\n",
	             "\x3f\x80\x00\x00\xc0\x00\x00\x00", 8);
	test_write(test_path("x.npy"), file, n);
	CHECK_INT(0, recording_open(&r, test_path("x.npy"), &err));
	CHECK_INT(2, recording_read(&r, 0, 4, v));
	CHECK_INT(-2, v[1]);
	recording_close(&r);
	n = make_npy(file, "{'descr': '<i2', 'shape': (9,), }\n", "\x01\x00\x02\x00", 4);
	test_write(test_path("x.npy"), file, n);
	fails("x.npy", "says 9 samples and has 2");
	n = make_npy(file, "{'descr': '<i2', 'shape': (2, 2), }\n", "\x01\x00\x02\x00\x01\x00\x02\x00", 8);
	test_write(test_path("x.npy"), file, n);
	fails("x.npy", "one dimension");
	n = make_npy(file, "{'descr': '<U4', 'shape': (2,), }\n", "\x01\x00\x02\x00", 4);
	test_write(test_path("x.npy"), file, n);
	fails("x.npy", "neither integers");
}

static const uint8_t wave[] = {'R', 'I', 'F', 'F', 40,  0,   0,   0,   'W',  'A',  'V', 'E', 'f',  'm',  't',  ' ',
                               16,  0,   0,   0,   1,   0,   1,   0,   0x44, 0xac, 0,   0,   0x88, 0x58, 1,    0,
                               2,   0,   16,  0,   'd', 'a', 't', 'a', 4,    0,    0,   0,   5,    0,    0xfb, 0xff};

static void wav(void)
{
	struct recording r;
	struct err err;
	float v[4];
	test_write(test_path("x.wav"), wave, sizeof wave);
	CHECK_INT(0, recording_open(&r, test_path("x.wav"), &err));
	CHECK_INT(2, recording_read(&r, 0, 4, v));
	CHECK_INT(-5, v[1]);
	CHECK_INT(44100, r.rate);
	recording_close(&r);
}

static void paths(void)
{
	struct recording r;
	struct err err;
	test_write(test_path("x.wav"), wave, sizeof wave);
	CHECK_INT(0, recording_open(&r, test_path("x.wav"), &err));
	CHECK_INT(0, recording_read_path(&r, &err)); // there is none
	write_text("x.path", "1 1 two words\n0 1 f/12345678:0\n");
	CHECK_INT(0, recording_read_path(&r, &err));
	CHECK_INT(2, r.n_labels);
	CHECK_STR("two words", r.labels[1].text);
	write_text("x.path", "0 1 a\n1 2 b\n");
	CHECK_INT(-1, recording_read_path(&r, &err));
	CHECK_THAT(strstr(err.text, "x.path:2:"), "%s", err.text);
	recording_close(&r);
}

// What is written is what is read.
static void written(void)
{
	float v[1000], back[1000];
	struct recording r;
	struct err err;
	for (int i = 0; i < 1000; i++)
		v[i] = sinf((float)i);
	const char *name = test_path("w");
	for (int floats = 0; floats < 2; floats++) {
		CHECK_INT(0, recording_write(&(struct recording_output){name, 1e6, floats, "x"}, v, 1000, &err));
		CHECK_INT(0, recording_open(&r, name, &err));
		size_t n = recording_read(&r, 0, 1000, back);
		float scale = floats ? 1 : v[1] / back[1], worst = 0;
		for (int i = 0; i < 1000; i++)
			worst = fmaxf(worst, fabsf(back[i] * scale - v[i]));
		recording_close(&r);
		CHECK_INT(1000, n);
		CHECK_THAT(worst < 1e-4f, "%g", (double)worst);
	}
}

// Whatever the bytes are: opened and read, or one line.
static void damaged(void)
{
	uint8_t file[512],
		meta[] = "{\"global\": {\"core:datatype\": \"ri16_le\", \"core:sample_rate\": 1e6}, \"captures\":"
			 "[{\"core:header_bytes\": 2}], \"annotations\": [{\"core:sample_start\": 0, \"core:label\": "
			 "\"a\"}]}";
	size_t n = make_npy(file, "{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }\n",
	                    "\x01\x00\x02\x00\x03\x00", 6);
	uint64_t state = 1;
	test_write(test_path("m.sigmf-data"), "0123456789", 10);
	for (int i = 0; i < 3000; i++) {
		static const char *const names[] = {"m.npy", "m.wav", "m.sigmf-meta"};
		const uint8_t *from[] = {file, wave, meta};
		const size_t sizes[] = {n, sizeof wave, sizeof meta - 1};
		int k = i % 3;
		uint8_t bytes[512];
		memcpy(bytes, from[k], sizes[k]);
		for (uint64_t c = random_next(&state) % 4 + 1; c--;)
			bytes[random_next(&state) % sizes[k]] = (uint8_t)random_next(&state);
		size_t size = random_next(&state) % 3 ? sizes[k] : random_next(&state) % sizes[k];
		char *path = test_path(names[k]);
		FILE *f = fopen(path, "wb");
		fwrite(bytes, 1, size, f);
		fclose(f);
		struct recording r;
		struct err err = {""};
		float v[64];
		if (recording_open(&r, path, &err) == 0) {
			recording_read(&r, 0, 64, v);
			recording_close(&r);
		} else {
			CHECK_THAT(err.text[0] && !strchr(err.text, '\n'), "%d", i);
		}
	}
}

static void json(void)
{
	unsigned line;
	char deep[200];
	memset(deep, '[', sizeof deep);
	CHECK(!json_parse(deep, sizeof deep, &line));
	CHECK(!json_parse("{\"a\": 1,}", 9, &line));
	CHECK(!json_parse("\"\\u00\"", 6, &line));
	CHECK(!json_parse("1 2", 3, &line));
	CHECK(!json_parse("", 0, &line));
	struct json *j = json_parse("{\"a\": [true, null, -1.5e2], \"b\": \"\\\"\\n\"}", 40, &line);
	CHECK(j);
	CHECK_INT(-150, json_member(j, "a")->first->next->next->number);
	CHECK_STR("\"\n", json_text(j, "b"));
	CHECK_INT(7, json_number(j, "b", 7));
	json_free(j);
}

static const struct test tests[] = {TEST(types), TEST(lies),    TEST(npy),     TEST(wav),
                                    TEST(paths), TEST(written), TEST(damaged), TEST(json)};
TEST_MAIN("recording")
