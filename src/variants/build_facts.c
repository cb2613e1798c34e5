// Facts of a program's units, for comparing versions of it. They are kept like instrumented objects.
#include "base/mem.h"
#include "variants/build_internal.h"

// The program with the units only that are wanted: their frames are shared with `all`.
static void choose_units(const struct build_input *all, const struct build_facts *how, struct build_input *ret)
{
	*ret = *all;
	ret->frames = (struct frame_list){.v = mem_zero((all->frames.n + 1) * sizeof *ret->frames.v)};
	for (size_t i = 0; i < all->frames.n; i++) {
		const struct frame *f = &all->frames.v[i];
		if (f->kind == FRAME_BITCODE && (!how->wants || how->wants(how->opaque, f)))
			ret->frames.v[ret->frames.n++] = *f;
	}
}

static int take_all(const struct build_input *in, const struct build_objects *objects, const struct build_facts *how,
                    struct err *err)
{
	for (size_t i = 0; i < in->frames.n; i++)
		if (how->take(how->opaque, &in->frames.v[i], objects->paths[i], err) < 0)
			return -1;
	return 0;
}

static int take_native(const struct build_input *in, const struct build_facts *how, struct err *err)
{
	for (size_t i = 0; i < in->frames.n; i++)
		if (in->frames.v[i].kind == FRAME_NATIVE && how->take(how->opaque, &in->frames.v[i], NULL, err) < 0)
			return -1;
	return 0;
}

enum build_result build_facts(const struct builder *b, const char *path, const struct build_facts *how, struct err *err)
{
	struct builder facts = *b;
	struct build_input in, chosen;
	struct build_objects objects = {0};
	facts.variant = how->reduced ? "reduced" : "facts";
	enum build_result opened = build_input_open(&in, path, err);
	if (opened != BUILD_OK)
		return opened;
	char *folder = cache_folder(b->cache, "tmp", 0755, err);
	choose_units(&in, how, &chosen);
	int r = folder ? build_objects_make(&facts, &chosen, folder, &objects, err) : -1;
	if (r == 0)
		r = take_all(&chosen, &objects, how, err);
	if (r == 0 && !how->reduced)
		r = take_native(&in, how, err);
	build_objects_release(&objects);
	mem_free(chosen.frames.v);
	build_input_release(&in);
	if (folder)
		file_remove_tree(folder);
	mem_free(folder);
	return r < 0 ? BUILD_FAILED : BUILD_OK;
}
