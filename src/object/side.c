#include "object/side.h"

#include <string.h>

#include "base/cachedir.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"

bool side_is_bitcode(const void *data, size_t size)
{
	return size >= 4 && (memcmp(data, "BC\xC0\xDE", 4) == 0 || memcmp(data, "\xDE\xC0\x17\x0B", 4) == 0);
}

static char *side_path(const void *object, size_t size)
{
	char *root = cachedir_root();
	char hex[HASH_HEX];
	hash_hex(hash_bytes(object, size), hex);
	char *path = mem_printf("%s/side/%s", root, hex);
	mem_free(root);
	return path;
}

int side_store(const void *object, size_t size, const struct buf *frames, struct err *err)
{
	char *path = side_path(object, size);
	char *folder = path_dirname(path);
	char *root = cachedir_root();
	int r = cachedir_prepare(root, err);
	mem_free(root);
	if (r == 0)
		r = file_mkdirs(folder, 0755, err);
	if (r == 0)
		r = file_replace(path, frames->data, frames->len, 0644, err);
	mem_free(folder);
	mem_free(path);
	return r;
}

int side_load(const void *object, size_t size, struct buf *frames, struct err *err)
{
	char *path = side_path(object, size);
	int r = file_read(path, frames, err);
	mem_free(path);
	return r;
}
