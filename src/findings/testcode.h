// Whose code a finding is in: the project's, or that of its tests (drivers, fixtures), whose errors are true and hardly
// anybody's concern.
#ifndef VEER_FINDINGS_TESTCODE_H
#define VEER_FINDINGS_TESTCODE_H

#include <stdbool.h>

#include "base/buf.h"

struct test_code {
	char *root; // absolute
	char *list; // globs with commas between them; NULL: by convention (testcode.def)
	bool none;  // no file is
};

// The folder that names of sources are relative to: `cwd`, where veer runs, if most of the sources lie below it. If not
// (a build out of tree), the top of the tree they lie in: the outermost of the folders around them that has what build
// systems want there (configure.ac, CMakeLists.txt ...). `files`: absolute; those of the system do not count. The
// caller frees.
char *project_root(const char *cwd, const struct strv *files);

// `list`: NULL: by convention, unless all of `files` would be test code then: a project that lies in tests/ as a whole
// has a root of its own there. "none": no file is. Otherwise globs as of --include, on paths from the root.
void test_code_init(struct test_code *ret, const char *root, const char *list, const struct strv *files);
void test_code_release(struct test_code *t);

bool test_code_has(const struct test_code *t, const char *file);

#endif
