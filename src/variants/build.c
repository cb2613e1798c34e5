// The way of a program: frames -> key -> units (build_units.c) -> link (build_link.c).
#include "variants/build.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "variants/build_internal.h"

void build_input_release(struct build_input *in)
{
	frame_list_release(&in->frames);
	file_unmap(&in->map);
}

enum build_result build_input_open(struct build_input *in, const char *path, struct err *err)
{
	struct err why;
	*in = (struct build_input){.path = path};
	if (file_map(path, &in->map, err) < 0)
		return BUILD_FAILED;
	if (!elf_is(in->map.data, in->map.size)) {
		err_set(err, "%s is not a program (no ELF file)", path);
		build_input_release(in);
		return BUILD_FOREIGN;
	}
	if (elf_parse(in->map.data, in->map.size, &in->elf, &why) < 0) {
		err_set(err, "%s: %s", path, why.text);
		build_input_release(in);
		return BUILD_FOREIGN; // a program for another processor, say
	}
	if (frame_list_read_elf(in->map.data, in->map.size, &in->frames, &why) < 0) {
		err_set(err, "%s: %s; build it again with CC=veer-cc", path, why.text);
		build_input_release(in);
		return BUILD_FAILED;
	}
	if (in->frames.n == 0) {
		err_set(err,
		        "%s has no bitcode (no %s section); build it with CC=veer-cc, and do not run llvm-strip on it",
		        path, FRAME_SECTION);
		build_input_release(in);
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
static struct hash program_key(const struct builder *b, const struct build_input *in)
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

static char *program_path(const struct builder *b, const struct build_input *in)
{
	char *folder = cache_program_folder(b->cache, program_key(b, in));
	char *name = cached_name(in->path), *path = mem_printf("%s/%s", folder, name);
	mem_free(name);
	mem_free(folder);
	return path;
}

static int build_in(const struct builder *b, const struct build_input *in, const char *folder, const char *final,
                    struct err *err)
{
	struct build_objects objects = {0};
	char *name = cached_name(in->path), *linked = mem_printf("%s/%s", folder, name);
	mem_free(name);
	char *parent = path_dirname(final);
	int r = build_objects_make(b, in, folder, &objects, err);
	if (r == 0)
		r = build_link(b, in, &objects, folder, linked, err);
	if (r == 0)
		r = file_mkdirs(parent, 0777, err);
	if (r == 0 && rename(linked, final) < 0)
		r = err_errno(err, "cannot rename %s to %s", linked, final);
	build_objects_release(&objects);
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
	struct build_input in;
	*ret_path = NULL;
	enum build_result r = build_input_open(&in, path, err);
	if (r != BUILD_OK)
		return r;
	if (!in.link) {
		build_input_release(&in);
		return err_set(
			err, "%s was not linked by veer-cc, so how it was linked is not known; link it with CC=veer-cc",
			path);
	}
	char *final = program_path(b, &in);
	build_input_release(&in);
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
	struct build_input in;
	r = build_input_open(&in, path, err);
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
	build_input_release(&in);
	if (failed) {
		mem_free(final);
		return BUILD_FAILED;
	}
	*ret_path = final;
	return BUILD_OK;
}

enum build_result build_bitcode(const struct builder *b, const char *path, const char *output, struct err *err)
{
	struct build_input in;
	enum build_result r = build_input_open(&in, path, err);
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
		failed = build_unpack(&in.frames.v[i], bitcode, err);
		buf_printf(&inputs, "%s\n", bitcode);
		which[n++] = i;
		mem_free(bitcode);
	}
	if (!failed && !n)
		failed = err_set(err, "%s has no C in it", path);
	char *whole = mem_printf("%s/whole.bc", folder ? folder : "");
	size_t input;
	struct err why;
	if (!failed && build_ask(b, "--link", whole, &inputs, folder, &input, &why) < 0)
		failed = err_set(err, "cannot link the bitcode of %s: %s: %.600s; compile that again with veer-cc",
		                 path, input < n ? in.frames.v[which[input]].source : "?", why.text);
	struct buf bytes = {0};
	if (!failed && file_read(whole, &bytes, err) == 0)
		failed = file_output(output, bytes.data, bytes.len, 0666, err);
	else
		failed = -1;
	buf_release(&bytes);
	mem_free(whole);
	if (folder)
		file_remove_tree(folder);
	mem_free(folder);
	mem_free(which);
	buf_release(&inputs);
	build_input_release(&in);
	return failed ? BUILD_FAILED : BUILD_OK;
}

void build_sources(const char *path, struct strv *ret)
{
	struct build_input in;
	struct err ignored;
	if (build_input_open(&in, path, &ignored) != BUILD_OK)
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
	build_input_release(&in);
}
