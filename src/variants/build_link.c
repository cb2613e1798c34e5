// The recorded link line, run on the instrumented objects.
#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/process.h"
#include "config.h"
#include "object/linkline.h"
#include "variants/build_internal.h"

static const struct variant {
	const char *name, *runtime, *flag, *object;
} variants[] = {
#define VARIANT(name, function, runtime, flag, object, text) {name, runtime, flag, object},
#include "abi/variants.def"
#undef VARIANT
};

static const struct variant *find_variant(const char *name)
{
	for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
		if (strcmp(variants[i].name, name) == 0)
			return &variants[i];
	return NULL;
}

bool variant_exists(const char *name)
{
	return find_variant(name) != NULL;
}

const char *variant_names(void)
{
#define VARIANT(name, function, runtime, flag, object, text) ", " name
	static const char names[] =
#include "abi/variants.def"
		;
#undef VARIANT
	return names + 2;
}

// Units that natively stood in an archive and were linked when needed.
static int make_archive(const struct build_input *in, const struct build_objects *objects, uint32_t group,
                        const char *path, const struct confine *confine, struct err *err)
{
	struct strv argv = {0};
	strv_push(&argv, "ar");
	strv_push(&argv, "crs");
	strv_push(&argv, path);
	for (size_t i = 0; i < in->frames.n; i++)
		if (objects->paths[i] && in->frames.v[i].group == group)
			strv_push(&argv, objects->paths[i]);
	pid_t pid = process_start_confined(argv.v, NULL, -1, -1, -1, confine, err);
	int status = pid < 0 ? 127 : process_wait(pid, NULL);
	strv_release(&argv);
	return pid < 0 ? -1 : status ? err_set(err, "ar failed on %s", path) : 0;
}

// Puts a kept file back on disk and names it on the line.
static int restore_file(const struct linkline *line, const struct link_arg *arg, size_t number, const char *folder,
                        struct strv *argv, struct err *err)
{
	if (arg->kind == LINK_LARGE) {
		struct file_map map;
		if (file_map(arg->name, &map, err) < 0)
			return -1;
		struct hash h = hash_bytes(map.data, map.size);
		file_unmap(&map);
		if (h.low != arg->hash.low || h.high != arg->hash.high)
			return err_set(err, "%s has changed since the program was linked; link it again", arg->name);
		strv_pushf(argv, "%s%s", arg->text, arg->name);
		return 0;
	}
	char *path = mem_printf("%s/kept-%zu-%s", folder, number, path_basename(arg->name));
	// A version script of an executable hides what the sanitizer replaces (malloc, say) from
	// the libraries, or gives it a version they do not ask for.
	static const char hide_nothing[] = "{ global: *; };\n";
	bool opened = !line->shared && strstr(arg->text, "version-script");
	const char *content = opened ? hide_nothing : arg->data ? arg->data : "";
	int r = file_replace(path, content, opened ? sizeof hide_nothing - 1 : arg->data_size, 0644, err);
	strv_pushf(argv, "%s%s", arg->text, path);
	mem_free(path);
	return r;
}

static int link_arguments(const struct build_input *in, const struct linkline *line,
                          const struct build_objects *objects, const char *folder, const struct confine *confine,
                          struct strv *argv, struct err *err)
{
	int r = 0;
	for (size_t i = 0; r == 0 && i < line->n; i++) {
		const struct link_arg *arg = &line->args[i];
		if (arg->kind == LINK_TEXT) {
			strv_push(argv, arg->text);
		} else if (arg->kind == LINK_UNITS) {
			for (size_t k = 0; k < in->frames.n; k++)
				if (objects->paths[k] && in->frames.v[k].group == 0)
					strv_push(argv, objects->paths[k]);
		} else if (arg->kind == LINK_ARCHIVE) {
			char *path = mem_printf("%s/group-%u.a", folder, arg->group);
			r = make_archive(in, objects, arg->group, path, confine, err);
			strv_push(argv, path);
			mem_free(path);
		} else {
			r = restore_file(line, arg, i, folder, argv, err);
		}
	}
	return r;
}

// The line of a linker's output that says most about its failure.
static void linker_complaint(char *text, struct err *err)
{
	static const char *const telling[] = {"No space left", "undefined reference", "undefined symbol",
	                                      "ld: ", "error"};
	const char *line = NULL;
	for (size_t i = 0; !line && i < sizeof telling / sizeof *telling; i++)
		line = strstr(text, telling[i]);
	while (line && line > text && line[-1] != '\n')
		line--;
	if (!line)
		line = text;
	err_set(err, "the linker says: %.*s", (int)strcspn(line, "\n"), line);
}

// Runs the linker; on failure *err has its complaint and *output, when not NULL, all it printed.
static int run_linker(const struct strv *argv, const char *cwd, const struct confine *confine, struct buf *output,
                      struct err *err)
{
	int fd = memfd_create("veer-link", MFD_CLOEXEC);
	pid_t pid = process_start_confined(argv->v, cwd, -1, fd, fd, confine, err);
	int status = pid < 0 ? 127 : process_wait(pid, NULL);
	if (pid > 0 && status != 0) {
		struct buf text = {0};
		char chunk[4096];
		ssize_t n;
		while ((n = pread(fd, chunk, sizeof chunk, (off_t)text.len)) > 0)
			buf_add(&text, chunk, (size_t)n);
		buf_addch(&text, '\n');
		linker_complaint(text.data, err);
		if (output)
			buf_add(output, text.data, text.len);
		buf_release(&text);
	}
	if (fd >= 0)
		close(fd);
	return status == 0 ? 0 : -1;
}

// Writes assembler that defines, weakly, what the linker called undefined. Returns
// false when one of the names is known to the native program's loader: that one can be
// reached, and must come from somewhere.
static bool define_missing(const struct elf *native, const char *output, struct buf *source)
{
	static const char *const marks[] = {"undefined reference to `", "undefined symbol: "};
	for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
		for (const char *p = output; (p = strstr(p, marks[k]));) {
			p += strlen(marks[k]);
			size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$");
			char *name = mem_copy(p, n);
			char *line = mem_printf(".weak %s\n%s: ud2\n", name, name);
			bool reachable = n && elf_names_dynamic(native, name);
			if (n && !strstr(source->data, line))
				buf_addstr(source, line);
			mem_free(line);
			mem_free(name);
			if (reachable)
				return false;
		}
	return true;
}

// Links, if need be again with more help. Bitcode is compiled with less
// optimisation than the native program, so it may call functions that natively
// were proven unreachable: first their archives are tried, then they are defined
// as a trap, which nothing can reach.
static int link_with_help(const struct build_input *in, const struct strv *base, const struct linkline *line,
                          const char *folder, const struct confine *confine, struct err *err)
{
	if (run_linker(base, line->cwd, confine, NULL, err) == 0)
		return 0;
	if (!strstr(err->text, "undefined"))
		return -1;
	struct strv more = {0};
	struct buf output = {0}, source = {0};
	strv_push_all(&more, base);
	strv_push(&more, "-Wl,--start-group");
	for (size_t i = 0; i < line->archives.n; i++)
		if (file_exists(line->archives.v[i]))
			strv_push(&more, line->archives.v[i]);
	strv_push(&more, "-Wl,--end-group");
	int r = run_linker(&more, line->cwd, confine, &output, NULL);
	if (r < 0) {
		char *path = mem_printf("%s/missing.s", folder);
		buf_addstr(&source, ".text\n");
		bool unreachable = define_missing(&in->elf, output.data, &source);
		buf_addstr(&source, ".section .note.GNU-stack,\"\",@progbits\n");
		if (unreachable && file_replace(path, source.data, source.len, 0644, NULL) == 0) {
			strv_push(&more, path);
			r = run_linker(&more, line->cwd, confine, NULL, NULL);
		}
		mem_free(path);
	}
	buf_release(&source);
	buf_release(&output);
	strv_release(&more);
	return r;
}

int build_link(const struct builder *b, const struct build_input *in, const struct build_objects *objects,
               const char *folder, const char *output, struct err *err)
{
	struct buf payload = {0};
	struct linkline line;
	assert(in->link && objects->n == in->frames.n);
	if (frame_unpack(in->link, &payload, err) < 0 || linkline_decode(payload.data, payload.len, &line, err) < 0) {
		buf_release(&payload);
		return -1;
	}
	struct strv argv = {0};
	bool cplusplus = strcmp(line.driver, "c++") == 0;
	struct build_confine confine;
	build_confine_init(&confine, b, folder);
	int r = build_link_check(&line, in->path, err);
	if (r == 0 && cplusplus && !b->tools->clangxx)
		r = err_set(err, "cannot find clang++; install clang-%s or set VEER_CLANGXX to its path",
		            CONFIG_LLVM_MAJOR);
	if (r == 0) {
		strv_push(&argv, cplusplus ? b->tools->clangxx : b->tools->clang);
		strv_push(&argv, "-w");
		strv_push(&argv, "-Qunused-arguments");
		r = link_arguments(in, &line, objects, folder, &confine.how, &argv, err);
	}
	if (r == 0) {
		const struct variant *variant = find_variant(b->variant);
		assert(variant);
		strv_push(&argv, variant->flag);
		strv_pushf(&argv, "%s/%s", b->tools->folder, variant->runtime);
		if (!line.shared && variant->object[0])
			strv_pushf(&argv, "%s/%s", b->tools->folder, variant->object);
		bool old = false;
		const char *libraries = elf_library_path(&in->elf, &old);
		if (libraries) {
			strv_push(&argv, old ? "-Wl,--disable-new-dtags" : "-Wl,--enable-new-dtags");
			strv_push(&argv, "-Xlinker");
			strv_push(&argv, "-rpath");
			strv_push(&argv, "-Xlinker");
			strv_push(&argv, libraries);
		}
		strv_push(&argv, CONFIG_BUILTINS); // checked arithmetic on __int128 is not in libgcc
		strv_push(&argv, "-o");
		strv_push(&argv, output);
		r = link_with_help(in, &argv, &line, folder, &confine.how, err);
	}
	if (r == 0 && confine_works()) { // the linker could not
		mode_t mask = umask(0);
		umask(mask);
		chmod(output, 0777 & ~mask);
	}
	build_confine_release(&confine);
	strv_release(&argv);
	linkline_release(&line);
	buf_release(&payload);
	return r;
}
