#include "findings/testcode.h"

#include <fnmatch.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/mem.h"
#include "findings/filter.h"

// --- the root -------------------------------------------------------------------------------------

static bool is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);
	while (n && folder[n - 1] == '/')
		n--;
	return strncmp(path, folder, n) == 0 && (!path[n] || path[n] == '/');
}

static bool is_source(const char *file)
{
	return file[0] == '/' && !is_below(file, "/usr");
}

static bool is_top(const char *folder)
{
	return strcmp(folder, "/") == 0;
}

// What both paths have in common, as a folder; replaces *folder.
static void shorten(char **folder, const char *path)
{
	while (!is_top(*folder) && !is_below(path, *folder)) {
		char *above = path_dirname(*folder);
		mem_free(*folder);
		*folder = above;
	}
}

static bool has_mark(const char *folder)
{
	static const char *const marks[] = {".git",           "configure",   "configure.ac", "configure.in",
	                                    "CMakeLists.txt", "meson.build", "Makefile.am",  "Makefile.in",
	                                    "Makefile",       "GNUmakefile", "makefile"};
	bool found = false;
	for (size_t i = 0; i < sizeof marks / sizeof *marks && !found; i++) {
		char *path = mem_printf("%s/%s", folder, marks[i]);
		found = file_exists(path);
		mem_free(path);
	}
	return found;
}

// The outermost of the marked folders around `from`, without a gap between them; NULL: none.
static char *marked_root(const char *from)
{
	char *folder = mem_strdup(from), *found = NULL;
	while (!is_top(folder)) {
		bool marked = has_mark(folder);
		if (found && !marked)
			break;
		if (marked) {
			mem_free(found);
			found = mem_strdup(folder);
		}
		char *above = path_dirname(folder);
		mem_free(folder);
		folder = above;
	}
	mem_free(folder);
	return found;
}

struct sources {
	size_t below, elsewhere; // the folder that veer runs in
	char *common;            // folder of those that are elsewhere; NULL: none
};

static void add_source(struct sources *s, const char *cwd, const char *file)
{
	char *clean = is_source(file) ? path_clean(file) : NULL;
	if (!clean)
		return;
	bool below = is_below(clean, cwd);
	s->below += below;
	s->elsewhere += !below;
	if (!below && s->common)
		shorten(&s->common, clean);
	else if (!below)
		s->common = path_dirname(clean);
	mem_free(clean);
}

// Where the folders of both meet, unless they have nothing in common.
static char *meeting_root(const char *common, const char *cwd)
{
	char *root = mem_strdup(common);
	shorten(&root, cwd);
	char *above = path_dirname(root);
	if (is_top(root) || is_top(above)) {
		mem_free(root);
		root = mem_strdup(is_top(common) ? cwd : common);
	}
	mem_free(above);
	return root;
}

char *project_root(const char *cwd, const struct strv *files)
{
	struct sources s = {0};
	for (size_t i = 0; i < files->n; i++)
		add_source(&s, cwd, files->v[i]);
	char *root = NULL;
	if (s.elsewhere > s.below)
		root = marked_root(s.common);
	if (s.elsewhere > s.below && !root)
		root = meeting_root(s.common, cwd);
	mem_free(s.common);
	return root ? root : mem_strdup(cwd);
}

// --- test code ------------------------------------------------------------------------------------

// The caller frees.
static char *relative(const char *root, const char *file)
{
	char *clean = *file == '/' ? path_clean(file) : NULL;
	size_t n = strlen(root);
	if (!clean || !is_below(clean, root) || !clean[n])
		return clean ? clean : mem_strdup(file);
	char *rest = mem_strdup(clean + n + (clean[n] == '/'));
	mem_free(clean);
	return rest;
}

static bool is_test_folder(const char *name, size_t size)
{
	static const char *const folders[] = {
#define TEST_FOLDER(name) name,
#define TEST_FILE(glob)
#include "findings/testcode.def"
	};
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (strlen(folders[i]) == size && strncasecmp(folders[i], name, size) == 0)
			return true;
	return false;
}

static bool is_test_file(const char *name)
{
	static const char *const globs[] = {
#define TEST_FOLDER(name)
#define TEST_FILE(glob) glob,
#include "findings/testcode.def"
	};
	for (size_t i = 0; i < sizeof globs / sizeof *globs; i++)
		if (fnmatch(globs[i], name, 0) == 0)
			return true;
	return false;
}

// Folders above the root say where the project lies, not what the file is.
static bool by_convention(const char *root, const char *file)
{
	char *path = relative(root, file);
	const char *p = path;
	bool found = false;
	for (const char *slash; (slash = strchr(p, '/')); p = slash + 1)
		found |= is_test_folder(p, (size_t)(slash - p));
	found = *path != '/' && (found || is_test_file(p));
	mem_free(path);
	return found;
}

void test_code_init(struct test_code *ret, const char *root, const char *list, const struct strv *files)
{
	*ret = (struct test_code){.root = mem_strdup(root), .none = list && strcmp(list, "none") == 0};
	if (list && !ret->none)
		ret->list = mem_strdup(list);
	if (list)
		return;
	bool others = false;
	for (size_t i = 0; i < files->n && !others; i++)
		others = is_source(files->v[i]) && !by_convention(root, files->v[i]);
	ret->none = files->n && !others;
}

void test_code_release(struct test_code *t)
{
	mem_free(t->root);
	mem_free(t->list);
	*t = (struct test_code){0};
}

bool test_code_has(const struct test_code *t, const char *file)
{
	if (t->none || !t->root)
		return false;
	if (!t->list)
		return by_convention(t->root, file);
	bool found = false;
	char *path = relative(t->root, file);
	for (const char *p = t->list; p && !found;) {
		size_t size = strcspn(p, ",");
		char *glob = mem_copy(p, size);
		found = size && glob_path(glob, *glob == '/' ? file : path);
		mem_free(glob);
		p = p[size] ? p + size + 1 : NULL;
	}
	mem_free(path);
	return found;
}
