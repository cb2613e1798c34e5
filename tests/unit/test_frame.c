#include <stdio.h>

#include "base/mem.h"
#include "object/elf.h"
#include "object/frame.h"
#include "test.h"

// Offsets in a packed frame, as object/frame.h shows them.
enum { KIND = 8, TEXT_SIZE = 16, PACKED_SIZE = 24, SIZE = 32, CHECK_SUM = 56, TEXT = 64 };

static const struct frame unit = {.kind = FRAME_BITCODE, .source = "src/a.c", .cwd = "/home/me", .note = ""};

static void check_frame(const struct frame *expected, const void *payload, size_t size, const struct frame *f)
{
	CHECK_INT(expected->kind, f->kind);
	CHECK_INT(expected->group, f->group);
	CHECK_STR(expected->source, f->source);
	CHECK_STR(expected->cwd, f->cwd);
	CHECK_STR(expected->note, f->note);
	CHECK_INT(expected->has_options, f->has_options);
	CHECK_INT(expected->options.n, f->options.n);
	for (size_t i = 0; i < f->options.n; i++)
		CHECK_STR(expected->options.v[i], f->options.v[i]);
	CHECK_INT(size, f->size);
	struct hash hash = hash_bytes(payload, size);
	CHECK(f->hash.low == hash.low && f->hash.high == hash.high);
	struct buf out = {0};
	struct err err;
	buf_addstr(&out, "what was there is gone");
	CHECK_THAT(frame_unpack(f, &out, &err) == 0, "%s", err.text);
	CHECK(out.len == size && (size == 0 || memcmp(out.data, payload, size) == 0) && out.data[size] == 0);
	buf_release(&out);
}

static void round_trip(void)
{
	static char *options[] = {"-O2", "-I", "dir with blank", ""};
	static const struct frame frames[] = {
		{.kind = FRAME_BITCODE, .source = "a.c", .cwd = "/", .note = ""},
		{.kind = FRAME_BITCODE, .source = "a.c", .cwd = "/", .note = "", .has_options = true},
		{.kind = FRAME_BITCODE,
	         .source = "a.c",
	         .cwd = "/",
	         .note = "",
	         .has_options = true,
	         .options = {.v = options, .n = COUNT(options)}},
		{.kind = FRAME_BITCODE,
	         .group = 7,
	         .source = "../dir with blank/\xc3\xa4.c",
	         .cwd = "/home/me",
	         .note = ""},
		{.kind = FRAME_NATIVE, .group = UINT32_MAX, .source = "asm.S", .cwd = "/x", .note = "assembler"},
		{.kind = FRAME_LINK, .source = "", .cwd = "", .note = ""},
	};
	static const size_t sizes[] = {0, 1, 7, 8, 4096, 300001};
	for (size_t i = 0; i < COUNT(frames); i++)
		for (size_t k = 0; k < 2 * COUNT(sizes); k++) {
			size_t size = sizes[k / 2];
			uint8_t *payload = test_alloc(size);
			for (size_t n = 0; n < size; n++)
				payload[n] = k % 2 ? (uint8_t)test_random() : 'x'; // packs badly, packs well
			struct buf out = {0};
			frame_pack(&out, &frames[i], payload, size);
			CHECK_INT(0, out.len % 8);
			struct frame_list list = {0};
			CHECK_INT(0, frame_list_read(test_guarded(out.data, out.len), out.len, &list, NULL));
			CHECK_INT(1, list.n);
			check_frame(&frames[i], payload, size, &list.v[0]);
			frame_list_release(&list);
			CHECK(!list.v && !list.n);
			buf_release(&out);
		}
}

static void several_with_zeros_between(void)
{
	enum { N = 40 };
	struct buf out = {0};
	struct frame frames[N];
	for (uint32_t i = 0; i < N; i++) {
		for (uint64_t zeros = test_below(40); zeros; zeros--)
			buf_addch(&out, 0); // also where frames are not aligned any more
		frames[i] = unit;
		frames[i].kind = (enum frame_kind)(1 + i % 3);
		frames[i].group = i;
		frames[i].source = test_printf("%u.c", i);
		frame_pack(&out, &frames[i], frames[i].source, i % 4);
	}
	buf_add(&out, "\0\0\0\0\0", 5);
	struct frame_list list = {0};
	CHECK_INT(0, frame_list_read(test_guarded(out.data, out.len), out.len, &list, NULL));
	CHECK_INT(N, list.n);
	for (uint32_t i = 0; i < N; i++)
		check_frame(&frames[i], frames[i].source, i % 4, &list.v[i]);
	CHECK_INT(0, frame_list_read(test_guarded(out.data, out.len), out.len, &list, NULL)); // appends
	CHECK_INT(2 * N, list.n);
	frame_list_release(&list);
	buf_release(&out);
}

static void nothing_but_zeros(void)
{
	struct frame_list list = {0};
	uint8_t zeros[100] = {0};
	for (size_t size = 0; size < sizeof zeros; size++)
		CHECK_INT(0, frame_list_read(test_guarded(zeros, size), size, &list, NULL));
	CHECK_INT(0, list.n);
	struct err err = {""};
	CHECK_INT(-1, frame_list_read((const uint8_t *)"\0\0\0VEERBC2\n", 11, &list, &err));
	CHECK_THAT(strstr(err.text, FRAME_SECTION) && strstr(err.text, "byte 3"), "%s", err.text);
	frame_list_release(&list);
}

static const char payload_text[] = "the payload, the payload, the payload of a frame";

static struct bytes packed_unit(void)
{
	struct buf out = {0};
	static char *options[] = {"-O2"};
	struct frame noted = unit;
	noted.note = "note";
	noted.has_options = true;
	noted.options = (struct strv){.v = options, .n = 1};
	frame_pack(&out, &noted, payload_text, sizeof payload_text);
	struct bytes copy = test_bytes(out.data, out.len);
	buf_release(&out);
	return copy;
}

// 0: refused when read; 1: when unpacked; 2: nothing that is read has changed.
static int read_damaged(struct bytes frame)
{
	struct frame_list list = {0};
	int result = 0;
	struct err err = {""};
	if (frame_list_read(frame.data, frame.size, &list, &err) < 0) {
		CHECK(err.text[0]);
	} else {
		CHECK_INT(1, list.n);
		struct frame *f = &list.v[0];
		struct buf out = {0};
		CHECK_INT(FRAME_BITCODE, f->kind);
		CHECK_INT(0, f->group);
		CHECK_STR(unit.source, f->source);
		CHECK_STR(unit.cwd, f->cwd);
		CHECK_STR("note", f->note);
		CHECK(f->packed >= frame.data && f->packed + f->packed_size <= frame.data + frame.size);
		if (frame_unpack(f, &out, &err) < 0) {
			CHECK(strstr(err.text, unit.source));
			result = 1;
		} else {
			CHECK(out.len == sizeof payload_text && memcmp(out.data, payload_text, out.len) == 0);
			result = 2;
		}
		buf_release(&out);
	}
	frame_list_release(&list);
	return result;
}

static void every_change_of_a_byte_is_noticed(void)
{
	struct bytes frame = packed_unit();
	CHECK_INT(2, read_damaged(frame));
	size_t text = frame.data[TEXT_SIZE], payload_at = TEXT + text,
	       payload_end = payload_at + frame.data[PACKED_SIZE];
	int unnoticed = 0;
	for (size_t at = 0; at < frame.size; at++)
		for (unsigned change = 1; change < 256; change++) {
			struct bytes damaged = {test_guarded(frame.data, frame.size), frame.size};
			damaged.data[at] ^= (uint8_t)change;
			int result = read_damaged(damaged);
			if (at < payload_at || at >= payload_end)
				CHECK_THAT(result == 0, "byte %zu ^ 0x%x", at, change);
			else
				unnoticed += result == 2;
		}
	// A few bits of zstd's own header mean nothing.
	CHECK_THAT(unnoticed < 255, "%d", unnoticed);
}

static void truncated_at_every_length(void)
{
	struct bytes frame = packed_unit();
	size_t end = (size_t)TEXT + frame.data[TEXT_SIZE] + frame.data[PACKED_SIZE];
	CHECK(end < frame.size && frame.size < end + 8);
	for (size_t size = 0; size <= frame.size; size++) {
		struct frame_list list = {0};
		int r = frame_list_read(test_guarded(frame.data, size), size, &list, NULL);
		CHECK_INT(size == 0 || size >= end ? 0 : -1, r);
		CHECK_INT(size >= end, list.n);
		frame_list_release(&list);
	}
}

static void put(struct bytes frame, size_t at, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		frame.data[at + (size_t)i] = (uint8_t)(value >> 8 * i);
}

// Makes the header's own check sum right again: damage by somebody who knows the format.
static void sign(struct bytes frame, size_t text_size)
{
	struct bytes all = {test_alloc(CHECK_SUM + text_size), CHECK_SUM + text_size};
	memcpy(all.data, frame.data, CHECK_SUM);
	memcpy(all.data + CHECK_SUM, frame.data + TEXT, text_size);
	put(frame, CHECK_SUM, hash_bytes(all.data, all.size).low, 8);
}

static void signed_frames_are_read(void) // or the tests below would prove nothing
{
	struct bytes frame = packed_unit();
	put(frame, CHECK_SUM, 0, 8);
	CHECK_INT(0, read_damaged(frame));
	sign(frame, frame.data[TEXT_SIZE]);
	CHECK_INT(2, read_damaged(frame));
}

static void hostile_sizes(void)
{
	static const uint64_t sizes[] = {0x80000001, UINT32_MAX, 1ull << 32, 1ull << 63, UINT64_MAX - 7, UINT64_MAX};
	struct bytes frame = packed_unit();
	size_t text = frame.data[TEXT_SIZE];
	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct bytes damaged = {test_guarded(frame.data, frame.size), frame.size};
		put(damaged, PACKED_SIZE, sizes[i], 8);
		sign(damaged, text);
		CHECK_INT(0, read_damaged(damaged));
		damaged.data = test_guarded(frame.data, frame.size);
		put(damaged, SIZE, sizes[i], 8);
		sign(damaged, text);
		CHECK_INT(0, read_damaged(damaged));
		damaged.data = test_guarded(frame.data, frame.size);
		put(damaged, TEXT_SIZE, sizes[i], 4);
		sign(damaged, text);
		CHECK_INT(0, read_damaged(damaged));
	}
	// Sizes that are possible but wrong.
	for (uint64_t size = 0; size < 200; size++) {
		if (size == sizeof payload_text)
			continue;
		struct bytes damaged = {test_guarded(frame.data, frame.size), frame.size};
		put(damaged, SIZE, size, 8);
		sign(damaged, text);
		CHECK_INT(1, read_damaged(damaged));
	}
	struct bytes damaged = {test_guarded(frame.data, frame.size), frame.size};
	put(damaged, SIZE, 0x80000000, 8);
	sign(damaged, text);
	CHECK_INT(1, read_damaged(damaged));
	for (uint64_t size = 0; size < frame.data[PACKED_SIZE]; size++) { // what is behind is no frame then
		damaged.data = test_guarded(frame.data, frame.size);
		put(damaged, PACKED_SIZE, size, 8);
		sign(damaged, text);
		struct frame_list list = {0};
		CHECK_INT(-1, frame_list_read(damaged.data, damaged.size, &list, NULL));
		frame_list_release(&list);
	}
}

static void hostile_kinds_and_texts(void)
{
	static const uint32_t kinds[] = {0, 4, 255, 0x80000001, UINT32_MAX};
	struct bytes frame = packed_unit();
	size_t text = frame.data[TEXT_SIZE];
	for (size_t i = 0; i < COUNT(kinds); i++) {
		struct bytes damaged = {test_guarded(frame.data, frame.size), frame.size};
		put(damaged, KIND, kinds[i], 4);
		sign(damaged, text);
		CHECK_INT(0, read_damaged(damaged));
	}
	// The three strings reach beyond the text, or hold a NUL.
	size_t lengths[] = {TEXT, TEXT + 4 + strlen(unit.source), TEXT + 8 + strlen(unit.source) + strlen(unit.cwd)};
	for (size_t i = 0; i < COUNT(lengths); i++) {
		struct bytes damaged = {test_guarded(frame.data, frame.size), frame.size};
		put(damaged, lengths[i], UINT32_MAX, 4);
		sign(damaged, text);
		CHECK_INT(0, read_damaged(damaged));
		damaged.data = test_guarded(frame.data, frame.size);
		damaged.data[lengths[i] + 5] = 0;
		sign(damaged, text);
		CHECK_INT(0, read_damaged(damaged));
	}
}

static void random_mutations(void)
{
	struct buf out = {0};
	struct bytes one = packed_unit();
	for (int i = 0; i < 3; i++)
		buf_add(&out, one.data, one.size);
	int kept = 0;
	for (int i = 0; i < 10000; i++) {
		size_t size = i % 3 ? out.len : test_below(out.len + 1);
		uint8_t *data = test_guarded(out.data, size);
		if (size)
			test_mutate(data, 0, size);
		if (i % 2 && size > TEXT + one.data[TEXT_SIZE])
			sign((struct bytes){data, size}, one.data[TEXT_SIZE]);
		struct frame_list list = {0};
		struct buf payload = {0};
		frame_list_read(data, size, &list, NULL);
		for (size_t k = 0; k < list.n; k++) {
			struct frame *f = &list.v[k];
			CHECK(f->packed >= data && f->packed_size <= size && f->packed + f->packed_size <= data + size);
			if (f->size < 1 << 20)
				kept += frame_unpack(f, &payload, NULL) == 0;
		}
		buf_release(&payload);
		frame_list_release(&list);
	}
	CHECK(kept > 5000);
	buf_release(&out);
}

static void in_elf_files(void)
{
	char *object = test_compile("f.c", "int f(void) { return 1; }", "-O0");
	struct bytes file = test_read(object), frame = packed_unit();
	struct frame_list list = {0};
	struct err err = {""};
	CHECK(!frame_in_elf(file.data, file.size));
	CHECK_INT(0, frame_list_read_elf(file.data, file.size, &list, &err)); // nothing there is no error
	CHECK_INT(0, list.n);

	CHECK_INT(0, elf_append(object, FRAME_SECTION, frame.data, frame.size, &err));
	file = test_read(object);
	CHECK(frame_in_elf(test_guarded(file.data, file.size), file.size));
	CHECK_INT(0, frame_list_read_elf(file.data, file.size, &list, &err));
	CHECK_INT(1, list.n);
	CHECK_INT(0, elf_append(object, FRAME_SECTION, frame.data, frame.size, &err));
	CHECK_INT(0, elf_append(object, FRAME_SECTION, NULL, 0, &err));
	file = test_read(object);
	CHECK_INT(0, frame_list_read_elf(file.data, file.size, &list, &err)); // of all sections, and appended
	CHECK_INT(3, list.n);
	CHECK_STR(unit.source, list.v[2].source);

	CHECK_INT(0, elf_append(object, FRAME_SECTION, "garbage", 7, &err));
	file = test_read(object);
	CHECK(frame_in_elf(file.data, file.size));
	CHECK_INT(-1, frame_list_read_elf(file.data, file.size, &list, &err));
	CHECK(strstr(err.text, FRAME_SECTION));
	frame_list_release(&list);
}

static void in_damaged_elf_files(void)
{
	char *object = test_compile("f.c", "int f(void) { return 1; }", "-O0");
	struct bytes frame = packed_unit();
	struct frame_list list = {0};
	struct err err = {""};
	CHECK_INT(0, elf_append(object, FRAME_SECTION, frame.data, frame.size, NULL));
	struct bytes file = test_read(object);
	put(file, file.size - 64 + 32, UINT64_MAX, 8); // sh_size of the last section header
	CHECK(frame_in_elf(file.data, file.size));
	CHECK_INT(-1, frame_list_read_elf(file.data, file.size, &list, &err));
	CHECK_THAT(strstr(err.text, FRAME_SECTION), "%s", err.text);
	for (size_t size = 0; size < file.size; size++) {
		CHECK(!frame_in_elf(test_guarded(file.data, size), size));
		CHECK_INT(-1, frame_list_read_elf(test_guarded(file.data, size), size, &list, NULL));
	}
	CHECK(!frame_in_elf(NULL, 0) && !frame_in_elf("!<arch>\n", 8));
	CHECK_INT(-1, frame_list_read_elf("!<arch>\n", 8, &list, &err));
	CHECK_INT(0, list.n);
	frame_list_release(&list);
}

static const struct test tests[] = {
	TEST(round_trip),
	TEST(several_with_zeros_between),
	TEST(nothing_but_zeros),
	TEST(every_change_of_a_byte_is_noticed),
	TEST(truncated_at_every_length),
	TEST(signed_frames_are_read),
	TEST(hostile_sizes),
	TEST(hostile_kinds_and_texts),
	TEST(random_mutations),
	TEST(in_elf_files),
	TEST(in_damaged_elf_files),
};
TEST_MAIN("frame")
