// Corpora of libFuzzer: plain files, called anything.
#include "base/hash.h"
#include "formats/format.h"

static bool is_folder(const char *folder)
{
	(void)folder;
	return true;
}

static bool is_file(const char *name, const void *data, size_t size)
{
	(void)name;
	(void)data;
	(void)size;
	return true;
}

static int take(struct foreign *ret, const void *data, size_t size, struct err *err)
{
	(void)err;
	buf_add(&ret->bytes, data, size);
	return 0;
}

static int take_folder(const char *folder, struct foreigns *ret, struct err *err)
{
	return format_each_file(&format_libfuzzer, folder, NULL, FOREIGN_KEPT, ret, err);
}

// As libFuzzer does it, a file is called by the hash of its content; those that crash have that word before it.
static int put(const char *folder, const struct foreigns *all, const struct format_about *about, struct err *err)
{
	static const char *const words[] = {"", "crash-", "timeout-"};
	int r = 0;
	(void)about;
	for (size_t i = 0; r == 0 && i < all->n; i++) {
		const struct foreign *s = &all->v[i];
		char hex[HASH_HEX];
		struct buf name = {0};
		hash_hex(hash_bytes(buf_str(&s->bytes), s->bytes.len), hex);
		buf_printf(&name, "%s%s", words[s->role], hex);
		r = format_put(folder, name.data, &s->bytes, err);
		buf_release(&name);
	}
	return r;
}

const struct format format_libfuzzer = {
	.name = "libfuzzer",
	.summary = "a folder of plain files",
	.is_folder = is_folder,
	.is_file = is_file,
	.read_folder = take_folder,
	.read = take,
	.write = put,
};
