// Opening files for runs of SANDBOX_LANDLOCK, from within: sandbox_opener.c decides and answers, sandbox_walk.c finds
// the file that a run's path leads to.
#ifndef VEER_SANDBOX_SANDBOX_OPENER_H
#define VEER_SANDBOX_SANDBOX_OPENER_H

#include <limits.h>
#include <linux/seccomp.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "sandbox/sandbox_internal.h"

enum { OPENER_LISTENERS = 64, OPENER_WAITERS = 16, OPENER_DEVICES = 6 };

struct opener {
	int requests;                    // listeners come from there
	int listeners[OPENER_LISTENERS]; // -1: none
	struct {
		pid_t pid; // 0: none
		uint64_t id;
		int listener;
	} waiters[OPENER_WAITERS]; // processes that wait in open() of a FIFO
	char *cwd, *open;          // what runs may write to
	struct strv hidden;
	dev_t proc;
	struct stat devices[OPENER_DEVICES];
};

// One call of a run.
struct opener_request {
	const struct opener *o;
	int listener;
	struct seccomp_notif call;
	int folder; // as the call has it
	int flags;
	mode_t mode, umask;
	pid_t process; // of the thread that called
	char path[PATH_MAX];
};

// Fills in the number of the process and its mask, which only the slower ways need.
void walk_know(struct opener_request *r);

// Where the descriptor leads, by name; false when that is unknown.
bool walk_path(int fd, char *ret, size_t size);
// Whether it lies in a /proc, wherever that is mounted: links there lead to what the process has that follows them.
bool walk_is_proc(const struct opener *o, int fd, const struct stat *st);
// Whose folder of /proc it lies in; 0: nobody's, -1: unknown, or it is another /proc. *ret_leaf, in `path`:
// its last name.
pid_t walk_owner(int fd, const char **ret_leaf, char *path, size_t size);

struct walk {
	struct opener_request *r;
	int at;                  // the folder it has come to
	char rest[2 * PATH_MAX]; // of the path
	char last[NAME_MAX + 1]; // the name that was looked up last
	bool at_end;
	int links;
};

// Finds the file of the request, name by name, as the kernel would for the run itself. 0: it is w->at, which the caller
// closes; -1 with errno, and w->last filled in where only the last name is missing.
int walk_to(struct walk *w, struct opener_request *r);

// The fast way: the kernel walks, with no link that is another one for this process than for the run. Returns a
// descriptor, or -1 where the other way is to be tried.
int walk_at_once(const struct opener_request *r, struct stat *ret);

#endif
