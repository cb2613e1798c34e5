// The snapshot of a finding, for people and scripts that have no veer: which of its files and variables come along.
//
// Files: those below the working folder of the test, and below folders for temporary files. Others (/etc/passwd, say)
// are those of the machine. They stand in the finding's folder as they did: files/PATH.
//
// Variables: those that the test had and veer has not, or otherwise, without what only says how the suite was run
// (PWD, MAKEFLAGS ...); and all that say which language, time zone, width and variant of POSIX, which are unset when
// the test had none. Always those that --sym names.
#ifndef VEER_FINDINGS_FIXTURE_H
#define VEER_FINDINGS_FIXTURE_H

#include "base/buf.h"
#include "base/err.h"
#include "findings/folder.h"

#define FIXTURE_FOLDER "files"

bool fixture_has(const struct snapshot *s, const char *path);
bool fixture_has_variable(const struct finding_text *f, const char *variable); // NAME=VALUE
// Names of variables to unset, behind a space each.
void fixture_unset(const struct snapshot *s, struct buf *ret);

// A link in the snapshot that leads to a file that comes along, by its whole path: the script has to make it.
bool fixture_is_moved_link(const struct snapshot *s, const struct snapshot_entry *e);

// Permissions that what is copied has to have until the script has finished with it.
unsigned fixture_needs(const struct finding_text *f, const struct snapshot_entry *e);

// Writes all files below `folder`/files. Those of the input have its content, or none when the script spells it out.
int fixture_write(const char *folder, const struct finding_text *f, struct err *err);

// How many files come along, and how many do not.
void fixture_count(const struct snapshot *s, size_t *ret_with, size_t *ret_without);

#endif
