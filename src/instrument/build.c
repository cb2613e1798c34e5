// The way of a program through this file: frames -> key -> units -> link.
#include "instrument/build.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "config.h"
#include "object/elf.h"
#include "object/linkline.h"

static const struct variant {
	const char *name, *runtime, *flag, *object;
} variants[] = {
#define VARIANT(name, function, runtime, flag, object, text) {name, runtime, flag, object},
#include "instrument/variants.def"
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
#include "instrument/variants.def"
		;
#undef VARIANT
	return names + 2;
}

// A program that is being read. `map` backs the frames.
struct input {
	const char *path;
	struct file_map map;
	struct elf elf;
	struct frame_list frames;
	const struct frame *link; // NULL when it was linked without veer-cc
};

static void input_release(struct input *in)
{
	frame_list_release(&in->frames);
	file_unmap(&in->map);
}

static enum build_result input_open(struct input *in, const char *path, struct err *err)
{
	struct err why;
	*in = (struct input){.path = path};
	if (file_map(path, &in->map, err) < 0)
		return BUILD_FAILED;
	if (!elf_is(in->map.data, in->map.size)) {
		err_set(err, "%s is not a program (no ELF file)", path);
		input_release(in);
		return BUILD_FOREIGN;
	}
	if (elf_parse(in->map.data, in->map.size, &in->elf, &why) < 0) {
		err_set(err, "%s: %s", path, why.text);
		input_release(in);
		return BUILD_FOREIGN; // a program for another processor, say
	}
	if (frame_list_read_elf(in->map.data, in->map.size, &in->frames, &why) < 0) {
		err_set(err, "%s: %s; build it again with CC=veer-cc", path, why.text);
		input_release(in);
		return BUILD_FAILED;
	}
	if (in->frames.n == 0) {
		err_set(err,
		        "%s has no bitcode (no %s section); build it with CC=veer-cc, and do not run llvm-strip on it",
		        path, FRAME_SECTION);
		input_release(in);
		return BUILD_FOREIGN;
	}
	for (size_t i = 0; i < in->frames.n; i++)
		if (in->frames.v[i].kind == FRAME_LINK)
			in->link = &in->frames.v[i];
	return BUILD_OK;
}

// The name of the variant's file: the program's, as far as the symbolizer takes it, which reads lines and quotes.
// Variants are run under the program's own name.
static char *cached_name(const char *path)
{
	char *name = mem_strdup(path_basename(path));
	for (char *c = name; *c; c++)
		if (iscntrl((unsigned char)*c) || *c == '"' || *c == '\\')
			*c = '_';
	return name;
}

// The program's name in the cache: the basename it is run under does not change.
static struct hash program_key(const struct builder *b, const struct input *in)
{
	struct buf all = {0};
	buf_add(&all, &b->tools->link_id, sizeof b->tools->link_id);
	buf_string(&all, b->variant);
	for (size_t i = 0; i < in->frames.n; i++) {
		const struct frame *f = &in->frames.v[i];
		buf_u32(&all, f->kind);
		buf_u32(&all, f->group);
		buf_add(&all, &f->hash, sizeof f->hash);
	}
	bool old = false;
	const char *libraries = elf_library_path(&in->elf, &old);
	buf_string(&all, libraries ? libraries : "");
	buf_u32(&all, old);
	struct hash key = hash_bytes(all.data, all.len);
	buf_release(&all);
	return key;
}

static char *program_path(const struct builder *b, const struct input *in)
{
	char *folder = cache_program_folder(b->cache, program_key(b, in));
	char *name = cached_name(in->path), *path = mem_printf("%s/%s", folder, name);
	mem_free(name);
	mem_free(folder);
	return path;
}

static char *unit_path(const struct builder *b, const struct frame *f)
{
	struct buf all = {0};
	buf_add(&all, &b->tools->id, sizeof b->tools->id);
	buf_string(&all, b->variant);
	buf_add(&all, &f->hash, sizeof f->hash);
	char *path = cache_unit_path(b->cache, hash_bytes(all.data, all.len));
	buf_release(&all);
	return path;
}

static int unpack_to(const struct frame *f, const char *path, struct err *err)
{
	struct buf payload = {0};
	int r = frame_unpack(f, &payload, err);
	if (r == 0)
		r = file_replace(path, payload.data, payload.len, 0644, err);
	buf_release(&payload);
	return r;
}

// Objects of the program, in the order of its frames; NULL for the link line.
struct objects {
	char **paths;
	size_t n;
};

static void objects_release(struct objects *o)
{
	for (size_t i = 0; i < o->n; i++)
		mem_free(o->paths[i]);
	mem_free(o->paths);
}

// Reads the worker's answers; `which` maps its job numbers to frames.
static int follow_worker(const struct builder *b, const struct input *in, int fd, const size_t *which, size_t jobs,
                         struct err *err)
{
	FILE *answers = fdopen(fd, "r");
	char line[2048];
	size_t done = 0;
	int r = 0;
	while (fgets(line, sizeof line, answers)) {
		size_t job = 0;
		char why[1200] = "";
		line[strcspn(line, "\n")] = 0;
		if (sscanf(line, "fail %zu %1199[^\n]", &job, why) >= 1 && job < jobs && r == 0)
			r = err_set(err, "cannot instrument %s: %.600s", in->frames.v[which[job]].source, why);
		done++;
		if (b->progress)
			b->progress(b->opaque, in->path, done, jobs);
	}
	fclose(answers);
	if (r == 0 && done < jobs)
		r = err_set(err, "%s stopped after %zu of %zu units", b->tools->worker, done, jobs);
	return r;
}

// Runs veer-instrument with `input` on its standard input; returns a descriptor to
// read its answers from.
static pid_t start_worker(const struct builder *b, const char *first, const char *second, const struct buf *input,
                          int *ret_answers, struct err *err)
{
	int in = memfd_create("veer-jobs", MFD_CLOEXEC), answers[2];
	if (in < 0 || pipe2(answers, O_CLOEXEC) < 0)
		return err_errno(err, "cannot start %s", b->tools->worker);
	file_write_all(in, input->data, input->len);
	lseek(in, 0, SEEK_SET);
	char *argv[] = {b->tools->worker, (char *)first, (char *)second, NULL};
	pid_t pid = process_start(argv, NULL, in, answers[1], -1, err);
	close(in);
	close(answers[1]);
	if (pid < 0)
		close(answers[0]);
	else
		*ret_answers = answers[0];
	return pid;
}

struct missing {
	size_t frame, size;
};

// The largest first, so that at the end no worker waits long for another.
static int by_size(const void *x, const void *y)
{
	const struct missing *a = x, *b = y;
	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return a->frame < b->frame ? -1 : a->frame > b->frame;
}

// Frames whose units are not in the cache. Returns how many; the caller frees *ret.
static size_t find_missing(const struct input *in, const struct objects *objects, size_t **ret)
{
	struct missing *all = mem_zero((in->frames.n + 1) * sizeof *all);
	size_t n = 0;
	for (size_t i = 0; i < in->frames.n; i++)
		if (in->frames.v[i].kind == FRAME_BITCODE && !file_exists(objects->paths[i]))
			all[n++] = (struct missing){.frame = i, .size = in->frames.v[i].size};
	qsort(all, n, sizeof *all, by_size);
	*ret = mem_zero((n + 1) * sizeof **ret);
	for (size_t i = 0; i < n; i++)
		(*ret)[i] = all[i].frame;
	mem_free(all);
	return n;
}

static int instrument_missing(const struct builder *b, const struct input *in, const struct objects *objects,
                              const char *folder, struct err *err)
{
	struct buf jobs = {0};
	size_t *which, n = find_missing(in, objects, &which);
	int r = 0;
	for (size_t k = 0; r == 0 && k < n; k++) {
		size_t i = which[k];
		const struct frame *f = &in->frames.v[i];
		char *parent = path_dirname(objects->paths[i]);
		char *bitcode = mem_printf("%s/%zu.bc", folder, i);
		r = file_mkdirs(parent, 0777, err);
		if (r == 0)
			r = unpack_to(f, bitcode, err);
		buf_printf(&jobs, "%s\t%s\n", bitcode, objects->paths[i]);
		mem_free(parent);
		mem_free(bitcode);
	}
	if (r == 0 && n) {
		char workers[16];
		snprintf(workers, sizeof workers, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
		int answers;
		if (b->progress)
			b->progress(b->opaque, in->path, 0, n);
		pid_t pid = start_worker(b, b->variant, workers, &jobs, &answers, err);
		r = pid < 0 ? -1 : follow_worker(b, in, answers, which, n, err);
		if (pid > 0)
			process_wait(pid, NULL);
	}
	mem_free(which);
	buf_release(&jobs);
	return r;
}

static int prepare_objects(const struct builder *b, const struct input *in, const char *folder, struct objects *objects,
                           struct err *err)
{
	objects->n = in->frames.n;
	objects->paths = mem_zero(objects->n * sizeof *objects->paths);
	int r = 0;
	for (size_t i = 0; r == 0 && i < in->frames.n; i++) {
		const struct frame *f = &in->frames.v[i];
		if (f->kind == FRAME_BITCODE) {
			objects->paths[i] = unit_path(b, f);
			cache_touch(objects->paths[i]);
		} else if (f->kind == FRAME_NATIVE) {
			objects->paths[i] = mem_printf("%s/%zu.o", folder, i);
			r = unpack_to(f, objects->paths[i], err);
		}
	}
	return r == 0 ? instrument_missing(b, in, objects, folder, err) : r;
}

// Units that natively stood in an archive and were linked when needed.
static int make_archive(const struct input *in, const struct objects *objects, uint32_t group, const char *path,
                        struct err *err)
{
	struct strv argv = {0};
	strv_push(&argv, "ar");
	strv_push(&argv, "crs");
	strv_push(&argv, path);
	for (size_t i = 0; i < in->frames.n; i++)
		if (objects->paths[i] && in->frames.v[i].group == group)
			strv_push(&argv, objects->paths[i]);
	pid_t pid = process_start(argv.v, NULL, -1, -1, -1, err);
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

static int link_arguments(const struct input *in, const struct linkline *line, const struct objects *objects,
                          const char *folder, struct strv *argv, struct err *err)
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
			r = make_archive(in, objects, arg->group, path, err);
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
static int run_linker(const struct strv *argv, const char *cwd, struct buf *output, struct err *err)
{
	int fd = memfd_create("veer-link", MFD_CLOEXEC);
	pid_t pid = process_start(argv->v, cwd, -1, fd, fd, err);
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
static int link_with_help(const struct input *in, const struct strv *base, const struct linkline *line,
                          const char *folder, struct err *err)
{
	if (run_linker(base, line->cwd, NULL, err) == 0)
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
	int r = run_linker(&more, line->cwd, &output, NULL);
	if (r < 0) {
		char *path = mem_printf("%s/missing.s", folder);
		buf_addstr(&source, ".text\n");
		bool unreachable = define_missing(&in->elf, output.data, &source);
		buf_addstr(&source, ".section .note.GNU-stack,\"\",@progbits\n");
		if (unreachable && file_replace(path, source.data, source.len, 0644, NULL) == 0) {
			strv_push(&more, path);
			r = run_linker(&more, line->cwd, NULL, NULL);
		}
		mem_free(path);
	}
	buf_release(&source);
	buf_release(&output);
	strv_release(&more);
	return r;
}

static int link_program(const struct builder *b, const struct input *in, const struct objects *objects,
                        const char *folder, const char *output, struct err *err)
{
	struct buf payload = {0};
	struct linkline line;
	if (frame_unpack(in->link, &payload, err) < 0 || linkline_decode(payload.data, payload.len, &line, err) < 0) {
		buf_release(&payload);
		return -1;
	}
	struct strv argv = {0};
	bool cplusplus = strcmp(line.driver, "c++") == 0;
	int r = 0;
	if (cplusplus && !b->tools->clangxx)
		r = err_set(err, "cannot find clang++; install clang-%s or set VEER_CLANGXX to its path",
		            CONFIG_LLVM_MAJOR);
	if (r == 0) {
		strv_push(&argv, cplusplus ? b->tools->clangxx : b->tools->clang);
		strv_push(&argv, "-w");
		strv_push(&argv, "-Qunused-arguments");
		r = link_arguments(in, &line, objects, folder, &argv, err);
	}
	if (r == 0) {
		const struct variant *variant = find_variant(b->variant);
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
		r = link_with_help(in, &argv, &line, folder, err);
	}
	strv_release(&argv);
	linkline_release(&line);
	buf_release(&payload);
	return r;
}

static int build_in(const struct builder *b, const struct input *in, const char *folder, const char *final,
                    struct err *err)
{
	struct objects objects = {0};
	char *name = cached_name(in->path), *linked = mem_printf("%s/%s", folder, name);
	mem_free(name);
	char *parent = path_dirname(final);
	int r = prepare_objects(b, in, folder, &objects, err);
	if (r == 0)
		r = link_program(b, in, &objects, folder, linked, err);
	if (r == 0)
		r = file_mkdirs(parent, 0777, err);
	if (r == 0 && rename(linked, final) < 0)
		r = err_errno(err, "cannot rename %s to %s", linked, final);
	objects_release(&objects);
	mem_free(parent);
	mem_free(linked);
	return r;
}

// One process at a time works on a program; the others wait and find it done.
static int lock_program(const struct builder *b, const char *final, struct err *err)
{
	char hex[HASH_HEX];
	hash_hex(hash_bytes(final, strlen(final)), hex);
	char *path = mem_printf("%s/tmp/%s.lock", b->cache->root, hex);
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0 || flock(fd, LOCK_EX) < 0)
		err_errno(err, "cannot lock %s", path);
	mem_free(path);
	return fd;
}

enum build_result build_lookup(const struct builder *b, const char *path, char **ret_path, struct err *err)
{
	struct input in;
	*ret_path = NULL;
	enum build_result r = input_open(&in, path, err);
	if (r != BUILD_OK)
		return r;
	if (!in.link) {
		input_release(&in);
		return err_set(
			err, "%s was not linked by veer-cc, so how it was linked is not known; link it with CC=veer-cc",
			path);
	}
	char *final = program_path(b, &in);
	input_release(&in);
	if (file_exists(final)) {
		cache_touch(final);
		*ret_path = final;
	} else {
		mem_free(final);
	}
	return BUILD_OK;
}

enum build_result build_program(const struct builder *b, const char *path, char **ret_path, struct err *err)
{
	enum build_result r = build_lookup(b, path, ret_path, err);
	if (r != BUILD_OK || *ret_path)
		return r;
	struct input in;
	r = input_open(&in, path, err);
	if (r != BUILD_OK)
		return r;
	char *final = program_path(b, &in);
	int lock = lock_program(b, final, err);
	int failed = lock < 0 ? -1 : 0;
	if (!failed && !file_exists(final)) {
		char *folder = cache_folder(b->cache, "tmp", 0755, err);
		failed = folder ? build_in(b, &in, folder, final, err) : -1;
		if (folder)
			file_remove_tree(folder);
		mem_free(folder);
	}
	if (lock >= 0)
		close(lock);
	input_release(&in);
	if (failed) {
		mem_free(final);
		return BUILD_FAILED;
	}
	*ret_path = final;
	return BUILD_OK;
}

enum build_result build_bitcode(const struct builder *b, const char *path, const char *output, struct err *err)
{
	struct input in;
	enum build_result r = input_open(&in, path, err);
	if (r != BUILD_OK)
		return r;
	char *folder = cache_folder(b->cache, "tmp", 0755, err);
	struct buf inputs = {0};
	size_t n = 0;
	int failed = folder ? 0 : -1;
	size_t *which = mem_zero(in.frames.n * sizeof *which);
	for (size_t i = 0; !failed && i < in.frames.n; i++) {
		if (in.frames.v[i].kind != FRAME_BITCODE)
			continue;
		char *bitcode = mem_printf("%s/%zu.bc", folder, i);
		failed = unpack_to(&in.frames.v[i], bitcode, err);
		buf_printf(&inputs, "%s\n", bitcode);
		which[n++] = i;
		mem_free(bitcode);
	}
	if (!failed && !n)
		failed = err_set(err, "%s has no C in it", path);
	int answers;
	pid_t pid = failed ? -1 : start_worker(b, "--link", output, &inputs, &answers, err);
	if (pid > 0) {
		char line[1500] = "", why[1200] = "";
		size_t job = 0;
		FILE *f = fdopen(answers, "r");
		bool got = fgets(line, sizeof line, f) != NULL;
		fclose(f);
		process_wait(pid, NULL);
		if (!got)
			failed = err_set(err, "LLVM crashed on the bitcode of %s", path);
		else if (sscanf(line, "fail %zu %1199[^\n]", &job, why) >= 1)
			failed = err_set(err, "cannot link the bitcode of %s: %s: %.600s", path,
			                 job < n ? in.frames.v[which[job]].source : "?", why);
	} else {
		failed = -1;
	}
	if (folder)
		file_remove_tree(folder);
	mem_free(folder);
	mem_free(which);
	buf_release(&inputs);
	input_release(&in);
	return failed ? BUILD_FAILED : BUILD_OK;
}

void build_sources(const char *path, struct strv *ret)
{
	struct input in;
	struct err ignored;
	if (input_open(&in, path, &ignored) != BUILD_OK)
		return;
	for (size_t i = 0; i < in.frames.n; i++) {
		const struct frame *f = &in.frames.v[i];
		if (f->kind == FRAME_LINK || !f->source || !*f->source || !f->cwd || f->cwd[0] != '/')
			continue;
		char *source = path_absolute(f->cwd, f->source), *folder = path_dirname(source);
		strv_push_once(ret, f->cwd);
		strv_push_once(ret, folder);
		strv_push_once(ret, source);
		mem_free(source);
		mem_free(folder);
	}
	input_release(&in);
}
