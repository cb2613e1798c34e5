#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "export/fragment_internal.h"
#include "object/frame.h"
#include "object/linkline.h"

static char *put_file(const char *folder, size_t first, size_t number, const char *name, const void *data, size_t size,
                      struct err *err)
{
	char *path = mem_printf("%s/kept-%zu-%zu-%s", folder, first, number, path_basename(name));
	if (file_replace(path, data, size, 0644, err) < 0) {
		mem_free(path);
		return NULL;
	}
	return path;
}

// --- units ----------------------------------------------------------------------------------------

static int add_unit(struct fragment_build *b, const struct frame *f, const char *folder, struct err *err)
{
	struct fragment_source s = {.unit = f->hash.low, .group = f->group, .number = b->first + b->n};
	if (!f->has_options)
		return err_set(err,
		               "%s was compiled by a veer-cc that did not store its options; build the program anew",
		               f->source);
	s.cwd = mem_strdup(f->cwd);
	s.path = path_absolute(f->cwd, f->source);
	strv_push_all(&s.options, &f->options);
	if (f->kind == FRAME_NATIVE) {
		struct buf object = {0};
		s.unit = 0;
		if (frame_unpack(f, &object, err) == 0)
			s.object = put_file(folder, b->first, s.number, "unit.o", object.data, object.len, err);
		buf_release(&object);
	}
	b->sources = mem_resize(b->sources, (b->n + 1) * sizeof s);
	b->sources[b->n++] = s;
	return f->kind == FRAME_NATIVE && !s.object ? -1 : 0;
}

// --- the link line --------------------------------------------------------------------------------

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

// Makes no sense for a test program: options of shared libraries, maps, names.
static bool is_dropped(const struct linkline *line, const struct link_arg *arg)
{
	static const char *const library[] = {
		"-shared",     "-Wl,-soname",        "-Wl,-h,",        "-Wl,--version-script",
		"-Wl,-z,defs", "-Wl,--no-undefined", "-Wl,-Bsymbolic", "-nostartfiles"};
	if (starts(arg->text, "-Wl,-Map") || starts(arg->text, "-Wl,--version-script"))
		return true;
	for (size_t i = 0; line->shared && i < sizeof library / sizeof *library; i++)
		if (starts(arg->text, library[i]))
			return true;
	return false;
}

static int add_link(struct fragment_build *b, const struct linkline *line, const char *folder, struct err *err)
{
	int r = 0;
	b->link_cwd = mem_strdup(line->cwd);
	for (size_t i = 0; r == 0 && i < line->n; i++) {
		const struct link_arg *arg = &line->args[i];
		if (is_dropped(line, arg))
			continue;
		if (arg->kind == LINK_TEXT) {
			strv_push(&b->link, arg->text);
		} else if (arg->kind == LINK_LARGE) {
			strv_pushf(&b->link, "%s%s", arg->text, arg->name);
		} else if (arg->kind == LINK_FILE) {
			char *path = put_file(folder, b->first, b->first + b->n + i, arg->name, arg->data,
			                      arg->data_size, err);
			r = path ? 0 : -1;
			if (path)
				strv_pushf(&b->link, "%s%s", arg->text, path);
			mem_free(path);
		}
	}
	return r;
}

static int read_frames(struct fragment_build *b, const struct frame_list *frames, const char *folder, struct err *err)
{
	bool linked = false;
	for (size_t i = 0; i < frames->n; i++) {
		const struct frame *f = &frames->v[i];
		if (f->kind != FRAME_LINK) {
			if (add_unit(b, f, folder, err) < 0)
				return -1;
			continue;
		}
		struct buf payload = {0};
		struct linkline line = {0};
		int r = frame_unpack(f, &payload, err);
		if (r == 0)
			r = linkline_decode(payload.data, payload.len, &line, err);
		if (r == 0) {
			r = add_link(b, &line, folder, err);
			linkline_release(&line);
		}
		buf_release(&payload);
		if (r < 0)
			return -1;
		linked = true;
	}
	return linked ? 0 : err_set(err, "it was not linked by veer-cc");
}

static bool breaks_line(const struct strv *words)
{
	bool breaks = false;
	for (size_t i = 0; i < words->n; i++)
		breaks |= strpbrk(words->v[i], "\n\r") != NULL;
	return breaks;
}

// Words of commands are what somebody wrote into the program's file: a line break would begin a line of the Makefile.
static int check_words(const struct fragment_build *b, struct err *err)
{
	bool breaks = breaks_line(&b->link) || strpbrk(b->link_cwd, "\n\r");
	for (size_t i = 0; i < b->n; i++) {
		const struct fragment_source *s = &b->sources[i];
		breaks |= breaks_line(&s->options) || strpbrk(s->cwd, "\n\r") || strpbrk(s->path, "\n\r");
	}
	return breaks ? err_set(err, "a command that built it has a line break in a word, which no Makefile can have")
	              : 0;
}

int fragment_build_read(struct fragment_build *ret, const char *program, const char *folder, size_t first,
                        struct err *err)
{
	struct fragment_build b = {.first = first};
	struct frame_list frames = {0};
	struct file_map map;
	struct err why;
	if (file_map(program, &map, err) < 0)
		return -1;
	int r = frame_list_read_elf(map.data, map.size, &frames, &why);
	if (r == 0)
		r = read_frames(&b, &frames, folder, &why);
	if (r == 0)
		r = check_words(&b, &why);
	frame_list_release(&frames);
	file_unmap(&map);
	if (r < 0) {
		fragment_build_release(&b);
		return err_set(err, "%s: %.900s", program, why.text);
	}
	*ret = b;
	return 0;
}

void fragment_build_release(struct fragment_build *b)
{
	for (size_t i = 0; i < b->n; i++) {
		mem_free(b->sources[i].path);
		mem_free(b->sources[i].cwd);
		mem_free(b->sources[i].object);
		strv_release(&b->sources[i].options);
	}
	mem_free(b->sources);
	mem_free(b->link_cwd);
	strv_release(&b->link);
	*b = (struct fragment_build){0};
}

const struct fragment_source *fragment_build_find(const struct fragment_build *b, uint64_t unit)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->sources[i].unit && b->sources[i].unit == unit)
			return &b->sources[i];
	return NULL;
}
