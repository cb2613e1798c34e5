// What the files of the sandbox share; sandbox.h is for everybody else.
#ifndef VEER_SANDBOX_SANDBOX_INTERNAL_H
#define VEER_SANDBOX_SANDBOX_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "base/hash.h"
#include "sandbox/sandbox.h"

struct view;    // sandbox_view.c: the copy-on-write file system of SANDBOX_NAMESPACES
struct scratch; // sandbox_scratch.h: the copy of the working folder of SANDBOX_LANDLOCK

// Of all processes of a run. Each can be a socket with content, which is the kernel's memory: 208 KB with the kernel's
// default, which a run cannot raise (sandbox_filter.c). Of pipes a user has 64 MB.
enum { SANDBOX_DESCRIPTORS = 4096 };

struct put_like {
	unsigned mode;
	struct timespec changed;
};

struct sandbox_more {
	struct view *view;
	struct scratch *scratch;
	int children;       // /proc/self/task/TID/children
	int open;           // the folder `open`
	uint64_t processes; // for RLIMIT_NPROC; 0: limited in another way, or not at all
	uint64_t shared;    // shared memory of the whole machine, the least that was seen during this run; 0: not yet
	pid_t self;
	bool has_snapshot;    // the view's layers are those of a recorded test
	struct hash snapshot; // of which
};

static inline struct sandbox_more *sandbox_more(const struct sandbox *s)
{
	return s->more;
}

// --- sandbox_namespaces.c -------------------------------------------------------------------

// Forks into new namespaces; 0 in the child, where only `box` and what is in it can be written to from now on.
pid_t namespaces_fork(struct sandbox *s, struct err *err);

// --- sandbox_view.c -------------------------------------------------------------------------

// Makes the view below s->box, which is a tmpfs; sets s->root.
int view_make(struct sandbox *s, struct err *err);
int view_put(struct sandbox *s, const char *path, const void *data, size_t size, const struct put_like *like,
             struct err *err);
int view_reset(struct sandbox *s, struct err *err);
int view_show(struct sandbox *s, const char *folder, struct err *err); // see sandbox_show
void view_free(struct view *v);

// Where in the view's layers a path belongs. Layers lie between what is really there and what runs write, so what is in
// them need not be put again for each run. Only we write there, so there are no links but our own.
struct view_place {
	int lower, layer; // folders: what is really there (-1: nothing), what is to lie on it
	const char *at;   // the path of both in the view
	const char *path; // relative to both; "": they themselves
	bool fresh;       // nothing is in the layer yet
	bool mounts;      // something is mounted there or below: it must stay a folder
};

// 0, or -1 where nothing can be put. What is put in new layers is seen after view_use_layers.
int view_place(struct sandbox *s, const char *path, struct view_place *ret);
void view_forget_layers(struct sandbox *s); // those that are not in use yet
int view_use_layers(struct sandbox *s, struct err *err);
// Takes time, and makes room.
int view_unmount_old(struct sandbox *s, struct err *err);
// Gives a folder the owner, permissions and times of another.
void view_make_like(int fd, int like);

// Folders that have what the run wrote since the last reset, and where they lie.
void view_each_changed(const struct sandbox *s, void (*each)(void *opaque, const char *at, int upper), void *opaque);

// A new tmpfs, not yet mounted anywhere; a descriptor, or -1 with errno.
int view_tmpfs(uint64_t size, unsigned files, const char *mode);
uint64_t view_room(const struct sandbox *s, bool open); // bytes that runs may write to `open`, or elsewhere
int view_attach(int mount, const char *path);           // 0, or -1 with errno

// --- sandbox_clean.c ------------------------------------------------------------------------

enum { KEPT_MAX = 16 };

// An overlay, or a folder that runs start with empty.
struct layer {
	int mount; // its root, as runs see it
	int lower; // what is below; -1: nothing
	int upper; // where writes go
	struct kept {
		char *path;       // in it; "" for itself, which is the first
		struct stat mark; // of what is there in `upper`, when no run had written
		char *content;    // of a file; NULL: it is a folder
		int file;         // in `upper`
	} kept[KEPT_MAX];         // what there is in `upper` between runs; shows what is below
	size_t n;
};

// Nobody has written yet.
int layer_mark(struct layer *l); // 0, or -1 with errno
bool layer_is_changed(const struct layer *l);

// Makes an overlay that nobody uses as it was. `used`: paths in it that something is mounted at, NULL after the last.
// False when only another overlay will do.
bool layer_clean(struct layer *l, char *const *used);
void layer_release(struct layer *l); // closes

// --- sandbox_landlock.c, sandbox_scratch.c --------------------------------------------------

pid_t landlock_fork(struct sandbox *s, struct err *err);
bool landlock_works(struct err *err);
int landlock_confine(const struct sandbox *s); // with its filter; 0, or -1 with errno
int landlock_put(struct sandbox *s, const char *path, const void *data, size_t size, struct err *err);
int landlock_reset(struct sandbox *s, struct err *err);
char *landlock_path(const struct sandbox *s, const char *path);
void landlock_free(struct scratch *s);

// --- sandbox_watch.c ------------------------------------------------------------------------

struct watch;

struct changes {
	struct change {
		const char *folder; // in the tree; the watch's own
		char *name;
		bool gone; // at some time: deleted or renamed, or something else was renamed to it
	} *v;
	size_t n;
	bool unclear; // there is more
	bool lost;    // and the watch does not see all folders any more
};

// Watches all folders below `root`. NULL when the machine does not allow that.
struct watch *watch_new(const char *root);
void watch_free(struct watch *w);

// What has changed since the last call. changes_release() gives it back.
void watch_read(struct watch *w, struct changes *ret);
void changes_release(struct changes *c);

// --- sandbox_filter.c -----------------------------------------------------------------------

// 0, or -1 with errno. `ret_listener`: NULL with namespaces; without, what tells of each open() that only reads, and
// is waited for from now on. Closed on exec.
int filter_install(int *ret_listener);
int filter_install_reader(void); // see sandbox_confine_reader

// --- sandbox_opener.c -----------------------------------------------------------------------

struct opener; // in a process that is an ancestor of all runs

// `requests`: a socket that listeners come from. `box`: the sandbox's folder.
struct opener *opener_new(int requests, const char *worker_dir);
// Opens files for runs until something can be read from `until`.
void opener_serve(struct opener *o, int until);
// In a process that is to be a run: asks the other end to serve `listener`. 0, or -1 with errno.
int opener_send(int requests, int listener);

// --- sandbox_remove.c -----------------------------------------------------------------------

int remove_content(int folder);                 // 0, or -1 with errno
int remove_entry(int parent, const char *name); // with all that is in it; fine when it is not there

// --- sandbox_put.c --------------------------------------------------------------------------

// Writes a file below the folder `root`, which no link leads out of; makes folders as needed. `like`: NULL, or what
// else it is to have.
int put_file(int root, const char *path, const void *data, size_t size, const struct put_like *like, struct err *err);

// --- sandbox_processes.c --------------------------------------------------------------------

bool processes_left(const struct sandbox *s); // is there any but us and those to keep?
int processes_kill(struct sandbox *s);        // 0, or -1 when some are still there after a while
uint64_t processes_of_user(void);             // how many, with their threads

#endif
