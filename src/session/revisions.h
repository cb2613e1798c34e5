// Versions of a program that are built from git: trees of their own, away from the user's, which is only read.
#ifndef VEER_SESSION_REVISIONS_H
#define VEER_SESSION_REVISIONS_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

// The repository around the working folder.
struct repository {
	char *git;    // its folder of git, absolute
	char *top;    // of the working tree; NULL: it is bare
	char *prefix; // of the working folder below it, with a slash behind it; ""
};

int repository_find(struct repository *ret, struct err *err);
void repository_release(struct repository *r);

// The name of the commit that the user calls `name`; NULL: there is none.
char *revision_commit(const struct repository *r, const char *name);

// Makes a tree of the commit in a new folder, or, with NULL, of the working tree as it is: what git ignores is left
// out.
int revision_make_tree(const struct repository *r, const char *commit, const char *folder, struct err *err);

// Runs the shell's `command` in the tree, at the same place below its top as the working folder. What it prints goes to
// the file `log`. -1 with *err filled when it fails: `name`, its status, and the last line that it printed.
int revision_build(const struct repository *r, const char *name, const char *tree, const char *command, const char *log,
                   struct err *err);

// The programs below a folder that veer-cc built, by their path there, sorted.
void revision_programs(const char *tree, struct strv *ret);

#endif
