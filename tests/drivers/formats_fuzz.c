// A target for libFuzzer: the readers of other tools' inputs. Built and run by bench/interop/fuzz.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "formats/ctype.h"
#include "formats/format.h"
#include "formats/ktest.h"
#include "formats/xml.h"
#include "input/adapter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// What is read can be written, and is the same when it is read again.
static void again(const struct foreign *f)
{
	struct buf bytes = {0};
	struct foreign g = {0};
	struct err err;
	ktest_encode(f, &bytes);
	if (format_ktest.read(&g, bytes.data, bytes.len, &err) < 0)
		abort();
	buf_release(&bytes);
	foreign_release(&g);
}

// To a run and back.
static void fit(const struct foreign *f, bool file)
{
	struct adapter m = {.has_file = file, .cwd = mem_strdup("/tmp")};
	struct input in;
	struct foreign back = {0};
	input_add(&m.base, INPUT_ARGUMENT, NULL, "prog", 4);
	adapter_input(&m, f, &in);
	adapter_objects(&in, &back);
	again(&back);
	foreign_release(&back);
	adapter_bytes(&in, &back);
	foreign_release(&back);
	input_release(&in);
	adapter_release(&m);
}

static void number(const uint8_t *data, size_t size)
{
	char *text = mem_copy(data, size), *value = strchr(text, '\n');
	struct ctype t;
	unsigned char bytes[16], same[16];
	if (value)
		*value++ = 0;
	if (ctype_parse(text, &t) && ctype_read(&t, value ? value : "", bytes)) {
		struct buf out = {0};
		ctype_write(&t, bytes, &out);
		bool is_nan = strstr(out.data, "NAN");
		if (!ctype_read(&t, out.data, same) || (!is_nan && memcmp(bytes, same, t.size) != 0))
			abort();
		buf_release(&out);
	}
	mem_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct foreign f = {0};
	struct err err;
	if (!size)
		return 0;
	const struct format *formats[] = {&format_ktest, &format_test_comp, &format_libfuzzer};
	int which = data[0] % 4;
	uint8_t *exact = mem_alloc(size);
	memcpy(exact, data + 1, size - 1);
	exact = mem_resize(exact, size - 1 ? size - 1 : 1);
	if (which == 3)
		number(exact, size - 1);
	else if (formats[which]->read(&f, exact, size - 1, &err) == 0) {
		again(&f);
		fit(&f, data[0] & 4);
	}
	foreign_release(&f);
	mem_free(exact);
	if (mem_live())
		abort();
	return 0;
}
