#include "session/library.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/confine.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"

static bool is_archive(const struct file_map *m)
{
	static const char magic[] = "!<arch>\n";
	return m->size >= sizeof magic - 1 && memcmp(m->data, magic, sizeof magic - 1) == 0;
}

// A position-independent program is of the same type as a library, but asks for a loader.
static bool is_shared_library(const struct file_map *m)
{
	Elf64_Ehdr e;
	if (m->size < sizeof e)
		return false;
	memcpy(&e, m->data, sizeof e);
	if (memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 || e.e_type != ET_DYN || e.e_phentsize != sizeof(Elf64_Phdr) ||
	    e.e_phoff > m->size || (m->size - e.e_phoff) / sizeof(Elf64_Phdr) < e.e_phnum)
		return false;
	for (unsigned i = 0; i < e.e_phnum; i++) {
		Elf64_Phdr p;
		memcpy(&p, m->data + e.e_phoff + i * sizeof p, sizeof p);
		if (p.p_type == PT_INTERP)
			return false;
	}
	return true;
}

static bool is_file(const char *path, bool (*is)(const struct file_map *m))
{
	struct file_map m;
	struct err err;
	if (file_map(path, &m, &err) < 0)
		return false;
	bool r = is(&m);
	file_unmap(&m);
	return r;
}

static bool is_archive_file(const char *path)
{
	return is_file(path, is_archive);
}

bool library_is(const char *path)
{
	return is_archive_file(path) || library_is_shared(path);
}

bool library_is_shared(const char *path)
{
	return is_file(path, is_shared_library);
}

// --- the host ------------------------------------------------------------------------------------

// Starts veer-cc, which writes in the folder only: a linker reads what a library holds that others made.
static pid_t start_compiler(char *const argv[], const char *folder, int out, struct err *err)
{
	char *clang = compiler_find(false, err), *tools = path_of_self();
	char *home = clang ? confine_home(clang) : NULL;
	const struct confine how = {.writes = {folder}, .runs = {tools, home}};
	pid_t pid = clang ? process_start_confined(argv, folder, -1, out, out, &how, err) : -1;
	mem_free(clang);
	mem_free(tools);
	mem_free(home);
	return pid;
}

static int run_compiler(char *const argv[], const char *library, const char *folder, const char *log, struct err *err)
{
	int out = file_create(log, 0644, err);
	pid_t pid = out < 0 ? -1 : start_compiler(argv, folder, out, err);
	if (out < 0)
		return -1;
	close(out);
	if (pid < 0)
		return -1;
	struct buf said = {0};
	struct err ignored;
	if (process_wait(pid, NULL) == 0)
		return 0;
	file_read(log, &said, &ignored);
	const char *why = said.len ? strstr(said.data, "undefined reference") : NULL;
	why = why ? why : said.len ? said.data : "";
	size_t line = strcspn(why, "\n");
	err_set(err, "cannot link a program with %s: %.*s; cover a program that uses the library instead", library,
	        (int)(line < 300 ? line : 300), why);
	buf_release(&said);
	return -1;
}

// By its name alone, so that a variant can take its place when the host is loaded; an archive with all its members.
static void add_library(struct strv *argv, const char *library)
{
	char *in = path_dirname(library);
	if (is_archive_file(library)) {
		strv_push(argv, "-Wl,--whole-archive");
		strv_push(argv, library);
		strv_push(argv, "-Wl,--no-whole-archive");
		strv_push(argv, "-Wl,--as-needed"); // an archive does not say what it needs of the C library's others
		strv_push(argv, "-lm");
		strv_push(argv, "-lpthread");
		strv_push(argv, "-ldl");
	} else {
		strv_take(argv, mem_printf("-L%s", in));
		strv_take(argv, mem_printf("-Wl,-rpath,%s", in));
		strv_push(argv, "-Wl,--no-as-needed");
		strv_take(argv, mem_printf("-l:%s", path_basename(library)));
	}
	mem_free(in);
}

char *library_host(const char *library, const char *folder, struct err *err)
{
	static const char source[] = "int main(void)\n{\n\treturn 0;\n}\n";
	char *self = path_of_self(), *host = mem_printf("%s/host", folder), *code = mem_printf("%s/host.c", folder),
	     *log = mem_printf("%s/host.log", folder);
	struct strv argv = {0};
	strv_take(&argv, mem_printf("%s/veer-cc", self));
	strv_push(&argv, "-o");
	strv_push(&argv, host);
	strv_push(&argv, code);
	add_library(&argv, library);
	char *campaign = path_dirname(folder);
	int r = file_mkdirs(campaign, 0755, err);
	mem_free(campaign);
	if (r == 0)
		r = file_subfolder(folder, 0755, err);
	if (r == 0 && unlink(host) < 0 && errno != ENOENT) // the linker would follow a link
		r = err_errno(err, "cannot replace %s", host);
	if (r == 0)
		r = file_replace(code, source, sizeof source - 1, 0644, err);
	if (r == 0)
		r = run_compiler(argv.v, library, folder, log, err);
	if (r == 0 && chmod(host, 0755) < 0) // confined linkers cannot
		r = err_errno(err, "cannot make %s executable", host);
	strv_release(&argv);
	mem_free(self);
	mem_free(code);
	mem_free(log);
	if (r == 0)
		return host;
	mem_free(host);
	return NULL;
}
