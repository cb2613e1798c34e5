// Finding the parts of veer at run time: beside the running program in a build
// folder, in ../lib/veer once installed.
#include <string.h>

#include "base/compiler.h"
#include "base/file.h"
#include "base/mem.h"
#include "config.h"
#include "variants/build.h"

static const char worker_name[] = "veer-instrument";

static char *find_folder(struct err *err)
{
	if (!file_exists("/proc/self/exe")) {
		err_set(err, "/proc is missing, by which veer finds its parts; as root: mount -t proc proc /proc");
		return NULL;
	}
	char *self = path_of_self();
	char *installed = mem_printf("%s/../lib/veer", self);
	char *beside = mem_printf("%s/%s", self, worker_name), *inside = mem_printf("%s/%s", installed, worker_name);
	char *found = file_exists(beside) ? mem_strdup(self) : file_exists(inside) ? mem_strdup(installed) : NULL;
	if (!found)
		err_set(err, "cannot find %s: neither %s nor %s exists; install veer again", worker_name, beside,
		        inside);
	mem_free(self);
	mem_free(installed);
	mem_free(beside);
	mem_free(inside);
	return found;
}

// A part that is missing is noticed here and not when the linker looks for it.
static int hash_part(struct buf *all, const char *folder, const char *name, struct err *err)
{
	char *path = mem_printf("%s/%s", folder, name);
	struct file_map map;
	int r = file_map(path, &map, err);
	if (r == 0) {
		struct hash h = hash_bytes(map.data, map.size);
		buf_add(all, &h, sizeof h);
		file_unmap(&map);
	}
	mem_free(path);
	return r;
}

int toolchain_find(struct toolchain *ret, struct err *err)
{
	static const char *const parts[] = {
		worker_name,
#define VARIANT(name, function, runtime, flag, object, text) runtime, object,
#include "abi/variants.def"
#undef VARIANT
		"veer-trace-inline.bc",
	};
	struct toolchain t = {.folder = find_folder(err)};
	struct buf all = {0};
	int r = t.folder ? 0 : -1;
	buf_addstr(&all, CONFIG_VERSION " " CONFIG_LLVM_VERSION);
	for (size_t i = 0; r == 0 && i < sizeof parts / sizeof *parts; i++)
		if (parts[i][0])
			r = hash_part(&all, t.folder, parts[i], err);
	if (r == 0 && !(t.clang = compiler_find(false, err)))
		r = -1;
	if (r == 0) {
		t.worker = mem_printf("%s/%s", t.folder, worker_name);
		t.clangxx = compiler_find(true, NULL); // needed for C++ programs only
		buf_addstr(&all, t.folder);
		t.id = hash_bytes(all.data, all.len);
		r = hash_part(&all, "/proc/self", "exe", err);
		t.link_id = hash_bytes(all.data, all.len);
	}
	if (r == 0) {
		*ret = t;
	} else {
		toolchain_release(&t);
	}
	buf_release(&all);
	return r;
}

void toolchain_release(struct toolchain *t)
{
	mem_free(t->folder);
	mem_free(t->worker);
	mem_free(t->clang);
	mem_free(t->clangxx);
	*t = (struct toolchain){0};
}
