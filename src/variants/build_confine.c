// What a program's file cannot make the tools do that build its variants: its recorded link line is whatever somebody
// wrote into it.
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "variants/build_internal.h"

// --- where they write -----------------------------------------------------------------------------

void build_confine_init(struct build_confine *ret, const struct builder *b, const char *scratch)
{
	*ret = (struct build_confine){.units = mem_printf("%s/units", b->cache->root),
	                              .home = confine_home(b->tools->clang)};
	ret->how = (struct confine){.writes = {scratch, ret->units}, .runs = {b->tools->folder, ret->home}};
}

void build_confine_release(struct build_confine *c)
{
	mem_free(c->units);
	mem_free(c->home);
	*c = (struct build_confine){0};
}

// --- what a link line may say ------------------------------------------------------------------------

// Options that make clang load code, or read more options. What they load is confined where that works; a link line
// that veer-cc recorded has none of them.
static const char *const loading[] = {
	"@",        "-fplugin",        "-fpass-plugin", "-Xclang",      "-Xarch",      "-Xoffload", "-Xopenmp-target",
	"--config", "--driver-mode",   "-specs",        "--specs",      "-cc1",        "-wrapper",  "-ccc-",
	"-load",    "--load",          "-resource-dir", "--ptxas-path", "--cuda-path", "--hip-",    "--rocm-path",
	"--gpu-",   "-fembed-offload",
};

// The same of the linker.
static const char *const loading_linker[] = {"@",        "-load",        "--load",       "-plugin",
                                             "--plugin", "-mllvm=-load", "--mllvm=-load"};

static bool is_one(const char *word, const char *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strncmp(word, v[i], strlen(v[i])) == 0)
			return true;
	return false;
}

// Words behind -Wl, and -Xlinker.
static bool linker_loads(const char *words)
{
	char *all = mem_strdup(words), *rest = all;
	bool loads = false;
	for (char *word; (word = strsep(&rest, ","));)
		loads |= is_one(word, loading_linker, sizeof loading_linker / sizeof *loading_linker);
	mem_free(all);
	return loads;
}

// Whether clang starts a program of that name: ld, ld.lld, x86_64-linux-gnu-as.
static bool is_tool(const char *name)
{
	static const char *const tools[] = {"ld", "as", "objcopy"};
	const char *dash = strrchr(name, '-');
	const char *last = dash ? dash + 1 : name;
	for (size_t i = 0; i < sizeof tools / sizeof *tools; i++) {
		size_t n = strlen(tools[i]);
		if (strncmp(last, tools[i], n) == 0 && (!last[n] || (last[n] == '.' && !strstr(last, ".so"))))
			return true;
	}
	return strncmp(name, "ld.", 3) == 0 && !strstr(name, ".so");
}

static bool has_tools(const char *folder, const char *prefix)
{
	DIR *dir = opendir(folder);
	bool has = false;
	for (struct dirent *e; dir && !has && (e = readdir(dir));) {
		if (strncmp(e->d_name, prefix, strlen(prefix)) != 0 || !is_tool(e->d_name + strlen(prefix)))
			continue;
		char *path = mem_printf("%s/%s", folder, e->d_name);
		has = access(path, X_OK) == 0 && !confine_is_system(path);
		mem_free(path);
	}
	if (dir)
		closedir(dir);
	return has;
}

// A folder, or beginning of names, where clang looks for the programs that it starts.
static bool has_programs(const char *prefix, const char *cwd)
{
	char *whole = path_absolute(cwd, prefix), *folder = path_dirname(whole), *bin = mem_printf("%s/bin", whole);
	bool has = has_tools(whole, "") || has_tools(bin, "") || has_tools(folder, path_basename(whole));
	mem_free(whole);
	mem_free(folder);
	mem_free(bin);
	return has;
}

static const char *value_of(const char *word, const char *next, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t size = strlen(names[i]);
		if (strncmp(word, names[i], size) == 0)
			return word[size] == '=' ? word + size + 1 : word[size] ? word + size : next;
	}
	return NULL;
}

static bool is_refused(const char *word, const char *next, const char *cwd)
{
	static const char *const linkers[] = {"-fuse-ld", "--ld-path"}, *const folders[] = {
										"-B", "--prefix", "--gcc-toolchain",
										"-gcc-toolchain", "--gcc-install-dir"};
	const char *linker = value_of(word, NULL, linkers, sizeof linkers / sizeof *linkers);
	const char *folder = value_of(word, next, folders, sizeof folders / sizeof *folders);
	if (is_one(word, loading, sizeof loading / sizeof *loading))
		return true;
	if (strncmp(word, "-Wl,", 4) == 0)
		return linker_loads(word + 4);
	if (strcmp(word, "-Xlinker") == 0)
		return next && linker_loads(next);
	if (strcmp(word, "-mllvm") == 0)
		return next && (strstr(next, "load") || strstr(next, "plugin"));
	if (linker && strchr(linker, '/'))
		return !confine_is_system(linker);
	return folder && has_programs(folder, cwd);
}

int build_link_check(const struct linkline *line, const char *program, struct err *err)
{
	for (size_t i = 0; i < line->n; i++) {
		const char *word = line->args[i].text;
		const char *next = i + 1 < line->n ? line->args[i + 1].text : NULL;
		if (is_refused(word, next, line->cwd))
			return err_set(
				err,
				"the recorded link line of %s has %s, by which a compiler runs code of its choice; "
				"link it again without",
				program, word);
	}
	return 0;
}
