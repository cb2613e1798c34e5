// What a tool may do that we start on files of others: a compiler, a linker, which code of theirs can get into. It
// writes below some folders only, executes programs of the system only, has no network and changes no permissions,
// owners, times or attributes. Not for explored programs: src/sandbox is for those.
#ifndef VEER_BASE_CONFINE_H
#define VEER_BASE_CONFINE_H

#include <stdbool.h>
#include <stddef.h>

struct confine {
	const char *writes[4]; // folders, which exist; NULL: no more. The first one is TMPDIR
	const char *runs[4];   // folders that programs are executed from beside those of the system
};

// Whether this machine has Landlock, without which nothing is confined.
bool confine_works(void);

// Between fork and exec. 0, or -1 with errno; 0 where it does not work.
int confine_self(const struct confine *c);

// Whether a file lies below the system's folders, and nobody but root can put another in its place.
bool confine_is_system(const char *path);

// The folder of a tool (a path, or a name in PATH; of a command with arguments the first word) that is to be among
// `runs`, with the programs that the tool starts. The caller frees; NULL: there is no such tool.
char *confine_home(const char *tool);

#endif
