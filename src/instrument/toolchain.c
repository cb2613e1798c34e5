// Finding the parts of veer at run time: beside the running program in a build
// folder, in ../lib/veer once installed.
#include "base/compiler.h"
#include "base/file.h"
#include "base/mem.h"
#include "config.h"
#include "instrument/build.h"

static char *find_part(const char *name, struct err *err)
{
	char *self = path_of_self();
	char *beside = mem_printf("%s/%s", self, name);
	char *installed = mem_printf("%s/../lib/veer/%s", self, name);
	char *found = file_exists(beside) ? mem_strdup(beside) : file_exists(installed) ? mem_strdup(installed) : NULL;
	if (!found)
		err_set(err, "cannot find %s: neither %s nor %s exists; install veer again", name, beside, installed);
	mem_free(self);
	mem_free(beside);
	mem_free(installed);
	return found;
}

static void hash_part(struct buf *all, const char *path)
{
	struct file_map map;
	if (file_map(path, &map, NULL) < 0)
		return;
	struct hash h = hash_bytes(map.data, map.size);
	buf_add(all, &h, sizeof h);
	file_unmap(&map);
}

int toolchain_find(struct toolchain *ret, struct err *err)
{
	struct toolchain t = {0};
	if (!(t.worker = find_part("veer-instrument", err)) || !(t.san_runtime = find_part("libveer-san.so", err)) ||
	    !(t.san_options = find_part("veer-san-options.o", err)) || !(t.clang = compiler_find(false, err))) {
		toolchain_release(&t);
		return -1;
	}
	t.clangxx = compiler_find(true, NULL); // needed for C++ programs only
	struct buf all = {0};
	buf_addstr(&all, CONFIG_VERSION " " CONFIG_LLVM_VERSION);
	hash_part(&all, t.worker);
	hash_part(&all, t.san_options);
	buf_addstr(&all, t.san_runtime);
	t.id = hash_bytes(all.data, all.len);
	buf_release(&all);
	*ret = t;
	return 0;
}

void toolchain_release(struct toolchain *t)
{
	mem_free(t->worker);
	mem_free(t->san_runtime);
	mem_free(t->san_options);
	mem_free(t->clang);
	mem_free(t->clangxx);
	*t = (struct toolchain){0};
}
