#include "cc/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "object/archive.h"
#include "object/elf.h"
#include "object/frame.h"
#include "object/linkline.h"
#include "object/side.h"

// Larger files are referred to by path and hash instead of being copied into the program.
#define COPY_MAX ((size_t)64 << 20)

struct recorder {
	struct work *work;
	const struct cc_args *args;
	struct buf *frames; // what will be appended to the output, before the link line
	struct linkline line;
	struct strv folders; // -L, in order
	bool has_units;      // LINK_UNITS stands in the line
	bool any;            // some part of the program has frames
	bool prefer_static;  // -static or -Bstatic is in force
	uint32_t groups;
	const char *lost; // an object made with -flto whose bitcode is gone
};

static void add_text(struct recorder *r, const char *text)
{
	linkline_add(&r->line, LINK_TEXT, text, "");
}

static void add_units(struct recorder *r)
{
	r->any = true;
	if (!r->has_units)
		linkline_add(&r->line, LINK_UNITS, "", "");
	r->has_units = true;
}

// Files of the system stay where they are; they are named, not kept.
static bool of_system(const char *path)
{
	return strncmp(path, "/usr/", 5) == 0 || strncmp(path, "/lib", 4) == 0;
}

// Keeps the file `path`; `before` is what stands in front of its name.
static void add_file(struct recorder *r, const char *before, const char *path, const struct file_map *map)
{
	char *absolute = path_absolute(r->work->cwd, path);
	if (of_system(absolute)) {
		char *text = mem_printf("%s%s", before, absolute);
		add_text(r, text);
		mem_free(text);
	} else if (map->size > COPY_MAX) {
		struct link_arg *arg = linkline_add(&r->line, LINK_LARGE, before, absolute);
		arg->hash = hash_bytes(map->data, map->size);
	} else {
		struct link_arg *arg = linkline_add(&r->line, LINK_FILE, before, path_basename(path));
		arg->data = map->size ? mem_copy(map->data, map->size) : NULL;
		arg->data_size = map->size;
		arg->hash = hash_bytes(map->data, map->size);
	}
	mem_free(absolute);
}

// Appends frames found beside the object; they are marked as members of `group`.
static bool add_side_frames(struct recorder *r, const void *data, size_t size, uint32_t group)
{
	struct buf raw = {0}, payload = {0};
	struct frame_list list = {0};
	bool found = side_load(data, size, &raw, NULL) == 0 &&
	             frame_list_read((uint8_t *)raw.data, raw.len, &list, NULL) == 0 && list.n > 0;
	for (size_t i = 0; found && i < list.n; i++) {
		list.v[i].group = group;
		if (frame_unpack(&list.v[i], &payload, NULL) == 0)
			frame_pack(r->frames, &list.v[i], payload.data, payload.len);
	}
	frame_list_release(&list);
	buf_release(&payload);
	buf_release(&raw);
	return found;
}

static void add_archive(struct recorder *r, const char *path, const struct file_map *map, struct archive *ar)
{
	struct archive_member m;
	bool units = false, foreign = false;
	uint32_t group = 0;
	char *folder = path_dirname(path);
	while (archive_next(ar, &m)) {
		struct file_map member = {m.data, m.size}, opened = {0};
		if (ar->thin) {
			char *file = path_absolute(folder, m.name);
			if (file_map(file, &opened, NULL) == 0)
				member = opened;
			mem_free(file);
		}
		if (!member.data)
			foreign = true;
		else if (frame_in_elf(member.data, member.size))
			units = true;
		else if (side_is_bitcode(member.data, member.size)) {
			if (!group)
				group = ++r->groups;
			if (!add_side_frames(r, member.data, member.size, group)) {
				foreign = true;
				r->lost = path;
			}
		} else
			foreign = true;
		file_unmap(&opened);
	}
	char *absolute = path_absolute(r->work->cwd, path);
	if (units) {
		add_units(r);
		strv_push(&r->line.archives, absolute);
	}
	if (group) {
		r->any = true;
		linkline_add(&r->line, LINK_ARCHIVE, "", path_basename(path))->group = group;
	}
	if (foreign || (!units && !group)) {
		if (ar->thin) // its members are elsewhere; only the name can be kept
			add_text(r, absolute);
		else
			add_file(r, "", path, map);
	}
	mem_free(absolute);
	mem_free(folder);
}

// An input of the linker: an object, an archive, a shared library, a script.
static void add_input(struct recorder *r, const char *path)
{
	struct file_map map;
	if (file_map(path, &map, NULL) < 0) {
		add_text(r, path);
		return;
	}
	struct archive ar;
	struct elf elf;
	if (archive_open(&ar, map.data, map.size)) {
		add_archive(r, path, &map, &ar);
	} else if (side_is_bitcode(map.data, map.size)) {
		if (add_side_frames(r, map.data, map.size, 0)) {
			add_units(r);
		} else {
			r->lost = path;
			add_file(r, "", path, &map);
		}
	} else if (elf_parse(map.data, map.size, &elf, NULL) == 0 && elf.type != ELF_RELOCATABLE) {
		char *absolute = path_absolute(r->work->cwd, path);
		add_text(r, absolute);
		mem_free(absolute);
	} else if (frame_in_elf(map.data, map.size)) {
		add_units(r);
	} else {
		add_file(r, "", path, &map);
	}
	file_unmap(&map);
}

static bool is_shared_library(const char *path)
{
	struct file_map map;
	struct elf elf;
	if (file_map(path, &map, NULL) < 0)
		return false;
	bool is = elf_parse(map.data, map.size, &elf, NULL) == 0 && elf.type == ELF_SHARED;
	file_unmap(&map);
	return is;
}

// -lNAME. Only archives in the folders of the command line matter: they may hold
// units. Shared libraries and the system's own stay as they are named.
static void add_library(struct recorder *r, const char *name)
{
	bool exact = name[0] == ':';
	for (size_t i = 0; i < r->folders.n; i++) {
		char *shared = mem_printf(exact ? "%s/%s" : "%s/lib%s.so", r->folders.v[i], name + exact);
		char *archive = mem_printf(exact ? "%s/%s" : "%s/lib%s.a", r->folders.v[i], name + exact);
		bool is_shared = exact ? is_shared_library(shared) : !r->prefer_static && file_exists(shared);
		bool is_archive = !is_shared && file_exists(archive) && !of_system(archive);
		if (is_archive)
			add_input(r, archive);
		mem_free(shared);
		mem_free(archive);
		if (is_archive)
			return;
		if (is_shared)
			break;
	}
	char *text = mem_printf("-l%s", name);
	add_text(r, text);
	mem_free(text);
}

static void add_read_file(struct recorder *r, const char *before, const char *path)
{
	struct file_map map;
	if (file_map(path, &map, NULL) < 0) {
		char *text = mem_printf("%s%s", before, path);
		add_text(r, text);
		mem_free(text);
		return;
	}
	add_file(r, before, path, &map);
	file_unmap(&map);
}

static bool drops(const struct recorder *r, const struct linker_option *o, const char *value)
{
	if (!o)
		return false;
	if (o->action == DROP)
		return true;
	bool defs = strcmp(o->name, "z") == 0 && value && strcmp(value, "defs") == 0;
	return r->args->shared && (o->action == STRICT_SYMBOLS || defs);
}

// Words that go to the linker as they are; each is passed behind -Xlinker, which
// unlike -Wl, has no trouble with commas.
static void add_linker_words(struct recorder *r, const struct strv *words)
{
	for (size_t i = 0; i < words->n; i++) {
		const char *word = words->v[i], *value;
		const struct linker_option *o = cc_linker_option(word, &value);
		bool separate = o && o->form == VALUE && !value && i + 1 < words->n;
		if (separate)
			value = words->v[++i];
		if (strcmp(word, "-Bstatic") == 0 || strcmp(word, "-Bdynamic") == 0)
			r->prefer_static = word[2] == 's';
		if (drops(r, o, value))
			continue;
		if (o && o->action == READS && value) {
			bool dashes = strlen(o->name) > 2;
			char *before = mem_printf("%s%s%s", dashes ? "--" : "-", o->name, dashes ? "=" : "");
			add_text(r, "-Xlinker");
			add_read_file(r, before, value);
			mem_free(before);
		} else if (word[0] != '-') {
			add_input(r, word);
		} else if (strncmp(word, "-l", 2) == 0 && word[2]) {
			add_library(r, word + 2);
		} else {
			add_text(r, "-Xlinker");
			add_text(r, word);
			if (separate) {
				add_text(r, "-Xlinker");
				add_text(r, value);
			}
		}
	}
}

static void split_commas(const char *s, struct strv *out)
{
	for (;;) {
		size_t n = strcspn(s, ",");
		strv_take(out, mem_copy(s, n));
		if (!s[n])
			return;
		s += n + 1;
	}
}

static void add_option(struct recorder *r, const struct cc_arg *arg)
{
	if ((arg->flags & NO_LINK) || !arg->text)
		return;
	if ((arg->flags & LIBRARY) && arg->value) {
		add_library(r, arg->value);
	} else if ((arg->flags & LIBRARY_FOLDER) && arg->value) {
		char *absolute = path_absolute(r->work->cwd, arg->value);
		char *text = mem_printf("-L%s", absolute);
		add_text(r, text);
		mem_free(text);
		mem_free(absolute);
	} else if ((arg->flags & LINKER_SCRIPT) && arg->value) {
		add_read_file(r, "-T", arg->value);
	} else if ((arg->flags & LINKER_KEYWORD) && arg->value && r->args->shared && strcmp(arg->value, "defs") == 0) {
		return;
	} else {
		add_text(r, arg->text);
		if (arg->separate)
			add_text(r, arg->value);
	}
}

static void build_line(struct recorder *r)
{
	const struct cc_args *args = r->args;
	struct strv words = {0}; // linker words collected from neighbouring arguments
	for (size_t i = 0; i < args->n; i++) {
		const struct cc_arg *arg = &args->v[i];
		if ((arg->flags & LIBRARY_FOLDER) && arg->value)
			strv_push(&r->folders, arg->value);
	}
	for (size_t i = 0; i < args->n; i++) {
		const struct cc_arg *arg = &args->v[i];
		if ((arg->flags & LINKER_LIST) && arg->value) {
			split_commas(arg->value, &words);
			continue;
		}
		if ((arg->flags & LINKER_WORD) && arg->value) {
			strv_push(&words, arg->value);
			continue;
		}
		add_linker_words(r, &words);
		strv_release(&words);
		if (!arg->input)
			add_option(r, arg);
		else if (arg->language != LANG_NONE)
			add_units(r);
		else
			add_input(r, arg->text);
	}
	add_linker_words(r, &words);
	strv_release(&words);
}

// Native programs with libFuzzer have its main(), so none was taken from the support
// archive; a variant is linked without libFuzzer and needs one. Natively libFuzzer also
// brings the C++ library, on which the program's own parts may rely.
static void add_fuzzer(struct recorder *r, const char *support)
{
	struct file_map map;
	struct archive ar;
	struct archive_member m;
	struct buf payload = {0};
	if (file_map(support, &map, NULL) < 0)
		return;
	uint32_t group = ++r->groups;
	bool open = archive_open(&ar, map.data, map.size);
	while (open && archive_next(&ar, &m)) {
		struct frame_list list = {0};
		frame_list_read_elf(m.data, m.size, &list, NULL);
		for (size_t i = 0; i < list.n; i++) {
			list.v[i].group = group;
			if (frame_unpack(&list.v[i], &payload, NULL) == 0)
				frame_pack(r->frames, &list.v[i], payload.data, payload.len);
		}
		frame_list_release(&list);
	}
	linkline_add(&r->line, LINK_ARCHIVE, "", path_basename(support))->group = group;
	add_text(r, "-Wl,--push-state,--as-needed,-lstdc++,--pop-state");
	buf_release(&payload);
	file_unmap(&map);
}

// A relocatable output takes the foreign objects along as native frames; the link
// line of the program it ends up in has no other way to find them.
static void frames_of_foreign(struct recorder *r)
{
	for (size_t i = 0; i < r->line.n; i++) {
		const struct link_arg *arg = &r->line.args[i];
		if (arg->kind != LINK_FILE || arg->text[0] || !elf_is(arg->data, arg->data_size))
			continue;
		struct frame frame = {.kind = FRAME_NATIVE,
		                      .source = arg->name,
		                      .cwd = r->work->cwd,
		                      .note = "not compiled by veer-cc"};
		frame_pack(r->frames, &frame, arg->data, arg->data_size);
	}
}

static bool output_has_frames(const char *output)
{
	struct file_map map;
	if (file_map(output, &map, NULL) < 0)
		return false;
	bool has = frame_in_elf(map.data, map.size);
	file_unmap(&map);
	return has;
}

int record_link(struct work *work, const struct cc_args *args, const char *support, const char *output,
                struct buf *frames, struct err *err)
{
	struct recorder r = {.work = work, .args = args, .frames = frames, .prefer_static = args->is_static};
	r.line.driver = mem_strdup(work->driver);
	r.line.cwd = mem_strdup(work->cwd);
	r.line.output = path_absolute(work->cwd, output);
	r.line.shared = args->shared;
	build_line(&r);
	if (support && !r.any && output_has_frames(output))
		add_units(&r); // of the archive alone: the target of a fuzzer may be all C++
	if (support && r.any && args->fuzzer)
		add_fuzzer(&r, support);
	int result = 0;
	if (r.any && (frames->len || output_has_frames(output))) {
		if (args->mode == CC_PARTIAL) {
			frames_of_foreign(&r);
		} else {
			struct buf line = {0};
			linkline_encode(&r.line, &line);
			struct frame frame = {
				.kind = FRAME_LINK, .source = r.line.output, .cwd = work->cwd, .note = ""};
			frame_pack(frames, &frame, line.data, line.len);
			buf_release(&line);
		}
		if (frames->len)
			result = elf_append(output, FRAME_SECTION, frames->data, frames->len, err);
	}
	if (result == 0 && r.lost)
		result = err_set(err,
		                 "the bitcode of %s is no longer in the cache (veer clean?); compile it again to have "
		                 "it analysed",
		                 r.lost);
	linkline_release(&r.line);
	strv_release(&r.folders);
	return result;
}
