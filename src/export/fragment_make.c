// The Makefile beside the tests.
#include <string.h>

#include "base/mem.h"
#include "export/fragment_make.h"

// A word for the shell, in a line of a Makefile.
void fragment_make_word(struct buf *out, const char *word)
{
	bool plain = *word != 0;
	for (const char *p = word; *p; p++)
		plain &= !strchr(" \t\n\"'\\$`&|;<>()*?[]#~!{}", *p);
	buf_addch(out, ' ');
	buf_addstr(out, plain ? "" : "'");
	for (const char *p = word; *p; p++) {
		if (*p == '\'')
			buf_addstr(out, "'\\''");
		else if (*p == '$')
			buf_addstr(out, "$$");
		else
			buf_addch(out, *p);
	}
	buf_addstr(out, plain ? "" : "'");
}

static void add_words(struct buf *out, const struct strv *words)
{
	for (size_t i = 0; i < words->n; i++)
		fragment_make_word(out, words->v[i]);
}

// As a prerequisite, where it means nothing else to make (`;` begins a command, `|` another kind, ...).
void fragment_make_prerequisite(struct buf *out, const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,@^";
	if (!path[strspn(path, plain)])
		buf_printf(out, " %s", path);
}

static void add_compile(struct buf *out, const struct fragment_source *s, const char *source, const char *object)
{
	buf_addstr(out, "\t@mkdir -p $(HERE)objects\n\tcd");
	fragment_make_word(out, s->cwd);
	buf_addstr(out, " && $(CC)");
	add_words(out, &s->options);
	buf_addstr(out, " $(CFLAGS) -c");
	if (source)
		buf_printf(out, " $(HERE)%s", source);
	else
		fragment_make_word(out, s->path);
	buf_printf(out, " -o $(HERE)%s\n\n", object);
}

static void add_objects(struct buf *out, const struct fragment_build *b)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct fragment_source *s = &b->sources[i];
		if (s->object)
			continue;
		char *object = mem_printf("objects/%zu.o", s->number);
		buf_printf(out, "%s:", object);
		fragment_make_prerequisite(out, s->path);
		buf_addch(out, '\n');
		add_compile(out, s, NULL, object);
		mem_free(object);
	}
}

// Objects that are linked with a test: all but its own. Members of archives stand in archives.
static void add_link_objects(struct buf *out, const struct fragment_build *b, const struct fragment_source *own,
                             bool here)
{
	const char *where = here ? "$(HERE)" : "";
	uint32_t groups = 0;
	for (size_t i = 0; i < b->n; i++) {
		const struct fragment_source *s = &b->sources[i];
		groups = s->group > groups ? s->group : groups;
		if (s == own || s->group)
			continue;
		if (!s->object)
			buf_printf(out, " %sobjects/%zu.o", where, s->number);
		else if (here)
			fragment_make_word(out, s->object);
	}
	for (uint32_t g = 1; g <= groups; g++)
		buf_printf(out, " %sobjects/%zu-group-%u.a", where, b->first, g);
}

static void add_archives(struct buf *out, const struct fragment_build *b)
{
	uint32_t groups = 0;
	for (size_t i = 0; i < b->n; i++)
		groups = b->sources[i].group > groups ? b->sources[i].group : groups;
	for (uint32_t g = 1; g <= groups; g++) {
		struct buf objects = {0};
		for (size_t i = 0; i < b->n; i++)
			if (b->sources[i].group == g && !b->sources[i].object)
				buf_printf(&objects, " objects/%zu.o", b->sources[i].number);
		buf_printf(out, "objects/%zu-group-%u.a:%s\n\tar crs $@%s\n\n", b->first, g, buf_str(&objects),
		           buf_str(&objects));
		buf_release(&objects);
	}
}

// What tests are linked with, so that they can be built side by side.
static void add_others(struct buf *out, const struct fragment_build *builds, size_t n)
{
	buf_addstr(out, "others:");
	for (size_t i = 0; i < n; i++)
		add_link_objects(out, &builds[i], NULL, false);
	buf_addstr(out, "\n\n");
}

static void add_test(struct buf *out, const struct fragment_make_test *t)
{
	const struct fragment_build *b = t->build;
	char *object = mem_printf("objects/%s.o", t->name), *source = mem_printf("%s.c", t->name);
	buf_printf(out, "%s: %s", object, source);
	fragment_make_prerequisite(out, t->source->path);
	buf_addch(out, '\n');
	add_compile(out, t->source, source, object);
	buf_printf(out, "%s: %s", t->name, object);
	add_link_objects(out, b, t->source, false);
	buf_addstr(out, "\n\tcd");
	fragment_make_word(out, b->link_cwd);
	buf_printf(out, " && $(CC) $(CFLAGS) -o $(HERE)%s $(HERE)%s", t->name, object);
	add_link_objects(out, b, t->source, true);
	add_words(out, &b->link);
	buf_addstr(out, " -Wl,--wrap=main -Wl,--wrap=free -Wl,--wrap=realloc");
	for (size_t i = 0; i < t->wraps->n; i++) {
		char *wrap = mem_printf("-Wl,--wrap=%s", t->wraps->v[i]);
		fragment_make_word(out, wrap);
		mem_free(wrap);
	}
	buf_addstr(out, " $(LIBS)\n\n");
	mem_free(object);
	mem_free(source);
}

void fragment_makefile(const struct fragment_build *builds, size_t n_builds, const struct fragment_make_test *tests,
                       size_t n, const char *compiler, bool cmocka, struct buf *out)
{
	buf_addstr(out,
	           "# Tests of functions, made by veer: make check\n#\n"
	           "# Sources are compiled as the project compiles them, each test with the source that it is about;\n"
	           "# -Wl,--wrap puts the tests' main in the place of the program's, and stubs in that of functions; "
	           "free and\n"
	           "# realloc leave the objects of the tests alone.\n");
	buf_printf(out, "CC = %s\nCFLAGS =\nLIBS =%s\nHERE := $(dir $(abspath $(lastword $(MAKEFILE_LIST))))\n",
	           compiler, cmocka ? " -lcmocka" : "");
	buf_addstr(out, "TESTS =");
	for (size_t i = 0; i < n; i++)
		buf_printf(out, " %s", tests[i].name);
	buf_addstr(out,
	           "\n\nall: $(TESTS)\n\ncheck: all\n\t@failed=0; for t in $(TESTS); do ./$$t || failed=1; done; exit "
	           "$$failed\n\nclean:\n\trm -rf objects $(TESTS)\n\n.PHONY: all check clean others\n\n");
	add_others(out, builds, n_builds);
	for (size_t i = 0; i < n; i++)
		add_test(out, &tests[i]);
	for (size_t i = 0; i < n_builds; i++) {
		add_archives(out, &builds[i]);
		add_objects(out, &builds[i]);
	}
}
