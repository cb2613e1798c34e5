// Folders of AFL++: what afl-fuzz -o writes (DIR/INSTANCE/queue/id:000012,src:... with crashes/ and hangs/ beside
// it), one instance of these, or one of its folders.
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "formats/format.h"

static const struct {
	const char *name;
	enum foreign_role role;
} parts[] = {{"queue", FOREIGN_KEPT}, {"crashes", FOREIGN_CRASH}, {"hangs", FOREIGN_HANG}};

enum { PARTS = sizeof parts / sizeof *parts };

// "id:000012", and "id_000012" where file systems have no colons.
static bool is_case(const char *name)
{
	return strncmp(name, "id:", 3) == 0 || strncmp(name, "id_", 3) == 0;
}

static bool has_queue(const char *folder)
{
	char *queue = mem_printf("%s/queue", folder);
	bool has = format_is_folder(queue);
	mem_free(queue);
	return has;
}

// One of the instance's folders, by itself.
static int part_of(const char *folder)
{
	char *copy = mem_strdup(folder);
	size_t n = strlen(copy);
	while (n > 1 && copy[n - 1] == '/')
		copy[--n] = 0;
	int found = -1;
	for (int i = 0; i < PARTS; i++)
		if (strcmp(path_basename(copy), parts[i].name) == 0)
			found = i;
	mem_free(copy);
	return found;
}

// Calls `each` for the instances: the folder itself, or those in it. Returns how many there are.
static size_t each_instance(const char *folder, void (*each)(void *opaque, const char *instance), void *opaque)
{
	struct strv names = {0};
	struct err err;
	size_t n = 0;
	if (has_queue(folder)) {
		if (each)
			each(opaque, folder);
		return 1;
	}
	if (format_list(folder, &names, &err) < 0)
		return 0;
	for (size_t i = 0; i < names.n; i++) {
		char *instance = mem_printf("%s/%s", folder, names.v[i]);
		if (format_is_folder(instance) && has_queue(instance)) {
			if (each)
				each(opaque, instance);
			n++;
		}
		mem_free(instance);
	}
	strv_release(&names);
	return n;
}

static bool is_folder(const char *folder)
{
	return each_instance(folder, NULL, NULL) || (part_of(folder) >= 0 && format_has(folder, is_case));
}

// A single file has no mark of AFL++.
static bool is_file(const char *name, const void *data, size_t size)
{
	(void)name;
	(void)data;
	(void)size;
	return false;
}

static int take(struct foreign *ret, const void *data, size_t size, struct err *err)
{
	return format_libfuzzer.read(ret, data, size, err);
}

static void take_instance(void *opaque, const char *instance)
{
	struct foreigns *ret = opaque;
	struct err err;
	for (int i = 0; i < PARTS; i++) {
		char *folder = mem_printf("%s/%s", instance, parts[i].name);
		if (format_is_folder(folder) &&
		    format_each_file(&format_afl, folder, is_case, parts[i].role, ret, &err) < 0)
			foreigns_leave_out(ret, err.text);
		mem_free(folder);
	}
}

static int take_folder(const char *folder, struct foreigns *ret, struct err *err)
{
	if (each_instance(folder, take_instance, ret))
		return 0;
	int part = part_of(folder);
	return format_each_file(&format_afl, folder, is_case, parts[part >= 0 ? part : 0].role, ret, err);
}

static int put(const char *folder, const struct foreigns *all, const struct format_about *about, struct err *err)
{
	unsigned numbers[PARTS] = {0};
	int r = 0;
	(void)about;
	for (int i = 0; r == 0 && i < PARTS; i++) {
		char *part = mem_printf("%s/%s", folder, parts[i].name);
		r = file_mkdirs(part, 0777, err);
		mem_free(part);
	}
	for (size_t i = 0; r == 0 && i < all->n; i++) {
		const struct foreign *s = &all->v[i];
		char *name = mem_printf("%s/id:%06u,orig:%s", parts[s->role].name, numbers[s->role]++,
		                        s->name ? path_basename(s->name) : "veer");
		r = format_put(folder, name, &s->bytes, err);
		mem_free(name);
	}
	return r;
}

const struct format format_afl = {
	.name = "afl",
	.summary = "folders of AFL++: queue/, crashes/, hangs/ with files id:NNNNNN",
	.is_folder = is_folder,
	.is_file = is_file,
	.read_folder = take_folder,
	.read = take,
	.write = put,
};
