// The view of SANDBOX_NAMESPACES from within: sandbox_view.c keeps its mounts, sandbox_cover.c says what is in it.
#ifndef VEER_SANDBOX_SANDBOX_VIEW_H
#define VEER_SANDBOX_SANDBOX_VIEW_H

#include <pthread.h>

#include "base/file.h"
#include "sandbox/sandbox_internal.h"

enum { MAX_PARTS = 152, RESERVED = 64 }; // for what comes after the folders of the machine

// A mount in the view.
struct part {
	char *at;         // path in the view
	int parent;       // the part that it is mounted in
	struct layer l;   // lower: -1 when it is no overlay; upper: -1 when nobody writes there
	int layer, next;  // what lies on l.lower, and what is to lie there soon; else -1
	unsigned serial;  // of the upper folder
	unsigned cleaned; // times
	unsigned layer_serial, next_serial;
};

struct view {
	char *root, *store;
	int olds; // tmpfs below /dev: its folders are where replaced overlays wait
	int old;  // a tmpfs in the last of them
	int root_fd, store_fd, layers_fd;
	struct part parts[MAX_PARTS];
	int n;
	unsigned serial;
	unsigned n_old;
	int leaving; // what the thread unmounts; -1: nothing
	unsigned old_serial, leaving_serial;
	char leaving_path[32];
	pthread_t thread;
	bool unmounting;
	struct strv mounts; // of the machine: their paths
	struct strv less;   // what is read-only against the rule
	struct strv bare;   // what is shown as it is, since there is no overlay of it
	struct strv seen;   // what was to be hidden
	unsigned shown;     // files that have a mount of their own
};

// --- sandbox_view.c -------------------------------------------------------------------------

// Is `path` the folder `folder`, or below it?
bool view_is_below(const char *path, const char *folder);
int view_part_of(const struct view *v, const char *path); // the part that it is in; 0: none but the root
char *view_path(const struct view *v, const char *at);    // as the worker finds it; the caller frees

// Attaches the mount p.l.mount at a path of the view; -1 with errno, and the caller still has it.
int view_add_part(struct view *v, const char *at, struct part p);
int view_add_layer(struct view *v, const char *at);              // an overlay of the folder
int view_add_empty(struct view *v, const char *at, mode_t mode); // a folder that is empty when a run starts
int view_make_old(struct view *v);                               // where replaced overlays wait; after view->olds

// --- sandbox_mount.c ------------------------------------------------------------------------

// An overlay, not yet attached: `layer` lies on `lower`; either may be -1, not both. -1 with errno.
int view_overlay(int lower, int layer, int upper, int work);
// An overlay that nobody can write to, not yet attached: its FIFOs are other ones than those below. -1 with errno.
int view_read_only_overlay(struct view *v, int lower);

// --- sandbox_cover.c ------------------------------------------------------------------------

// Fills the empty view.
int cover_make(struct view *v, const struct sandbox *s, struct err *err);
// Makes a folder of the root, like the real one; fine when it is there. `path`: without the slash at its start.
void cover_folder(const struct view *v, const char *path);
int cover_show(struct view *v, const char *folder, const char *at); // read-only, as it is; -1 with errno

#endif
