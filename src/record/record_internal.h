// Parts of the recorder, for record_*.c only: what happens in the tracer while a command is recorded.
//
// An execution of a recorded program begins with an exec and ends with its process. Whatever else runs on its behalf,
// its forks and the programs they execute, has to do with the same files; so each process has an execution, each
// execution may have one around it (`env prog`: env's), and what a process does counts for all of them.
#ifndef VEER_RECORD_RECORD_INTERNAL_H
#define VEER_RECORD_RECORD_INTERNAL_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/delta.h"
#include "base/map.h"
#include "input/snapshot.h"
#include "record/executables.h"
#include "record/record.h"
#include "record/tracee.h"

enum {
	CONTENT_MAX = 16 << 20, // of a file, or of standard input, that is kept
	EAGER_MAX = 1 << 20,    // standard input from a file is kept at once up to this size
	OUTPUT_MAX = 1 << 20,   // that is compared
	ENTRIES_MAX = 20000,    // of a snapshot
	NESTED_MAX = 16,        // programs, one executed by the other, that what is done counts for
	LISTED_MAX = 5000,      // of a folder
	PROGRAM_MAX = 256 << 10 // executables that are larger are not kept, only what they are given
};

// --- paths: what is known of a path, for one execution -----------------------------------------

enum known_path_kind {
	PATH_ENTRY, // of the snapshot: `index`
	PATH_OWN,   // made by the execution itself, in a folder that it made
	PATH_LEFT   // there, and not kept: a large program
};

struct known_path {
	const char *path; // owned
	enum known_path_kind kind;
	uint32_t index;
	bool listed;  // a folder whose entries are known
	bool partial; // a folder with something that is left
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec changed;
};

MAP(known_paths, struct known_path);

struct known_path *known_paths_find(const struct known_paths *t, const char *path); // or NULL
// Adds one that is not there; the pointer is good until the next is added.
struct known_path *known_paths_add(struct known_paths *t, const char *path, enum known_path_kind kind);
void known_paths_release(struct known_paths *t);

// --- contents that are copied already -----------------------------------------------------------

struct known_file {
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec modified, changed;
	struct hash content;
};

struct contents {
	char *folder;             // files/
	struct known_file *known; // by device and inode, one each
	uint64_t *bytes;          // that were new
};

void contents_init(struct contents *c, const char *folder, uint64_t *bytes);
void contents_release(struct contents *c);
// Copies a file's content unless that was done; *ret_size is what it came to. -1: it cannot be read; -2: it cannot be
// kept (*err).
int contents_keep(struct contents *c, const char *path, const struct stat *st, struct hash *ret, uint64_t *ret_size,
                  struct err *err);

// --- variables that a program can have asked for ---------------------------------------------------

// A file that was looked through: which of the first `looked` names occur in it.
struct names_source {
	struct hash key; // of its content, or of the path of a library of the system
	bool *found;     // NULL: a free slot
	size_t looked;
	bool program; // ELF
};
MAP(names_sources, struct names_source);

struct names {
	struct strv list; // all that any execution had in its environment
	struct names_sources sources;
};

void names_release(struct names *t);
// Sets found[i] where name i, of those from number `from` on, occurs as a word, or at the end of one.
void names_find(const struct names *t, size_t from, const void *data, size_t size, bool *found);

// --- executions and processes -------------------------------------------------------------------

struct stream {
	dev_t device;
	ino_t inode;
	bool open;
};

// A descriptor beyond the three that the program was started with.
struct given {
	int descriptor;
	dev_t device;
	ino_t inode;
};

enum { GIVEN_MAX = 16 };

// A file that output goes to, and that is read when it has been written (record_output.c).
struct late {
	bool open;
	int descriptor; // ours; -1: it cannot be read
	dev_t device;
	ino_t inode;
	off_t read; // so far
};

struct execution {
	struct execution *around; // a program that executed this one; NULL: none that is recorded
	unsigned references;
	pid_t pid;  // its process
	bool over;  // nothing counts for it any more
	bool lost;  // something could not be kept
	bool late;  // standard input is a large file: kept when it is read
	bool taken; // standard input is complete
	bool deaf;  // SIGPIPE is ignored: only writes tell that nobody reads
	int64_t position;
	struct snapshot snapshot;
	struct input input;
	struct known_paths paths;
	struct stream streams[3];
	struct given given[GIVEN_MAX];
	size_t n_given;
	struct buf typed, output;
	struct late behind;
	struct strv libraries; // of the system, that it loaded
};

enum awaiting { AWAIT_NOTHING, AWAIT_FILTER, AWAIT_TYPED, AWAIT_COPY, AWAIT_MOVED, AWAIT_GIVEN };

struct process {
	pid_t thread;
	struct execution *execution; // NULL: none, but it has a filter
	struct executable *next;     // what its execve will start, when it is recorded
	// What its filters stop at.
	bool paths;
	uint64_t watched; // descriptors, as bits
	// Other descriptors that lead where a stream does. While there are any, each of its system calls is looked at:
	// perror() writes to such a copy of standard error.
	uint64_t copies;
	bool refused; // another filter could not be put on
	enum awaiting awaiting;
	struct syscall_state before;
	int64_t moved_from; // position in the file that bytes are moved from
	struct process *link;
};

enum { PROCESS_BUCKETS = 4096 };

struct recorder {
	const struct interpose *options;
	char *suite;  // folder the command runs in: what is below it is kept even if it looks like the system's
	int recorded; // folder
	uint64_t number;
	struct delta written;         // snapshots of seeds, by number
	struct record_counts *counts; // shared with the parent
	struct executables executables;
	struct contents contents;
	struct names names;
	struct process *processes[PROCESS_BUCKETS];
	size_t n_processes;
	struct strv reported;
	dev_t root_device;
	ino_t root_inode;
};

#define WHY_CLOSED "its output was closed before it had ended"

// One line; the first one counts.
void execution_cannot(struct execution *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
// For all executions that the process belongs to.
#define EACH_EXECUTION(e, p)                                                                                           \
	for (struct execution *e = (p)->execution; e; e = e->around)                                                   \
		if (!e->over)

void execution_begin(struct recorder *r, struct process *p, pid_t pid);
void execution_end(struct recorder *r, struct execution *e, int status); // writes it down
void execution_drop(struct execution *e);                                // one reference less

// Its environment, which it takes over: values of secrets are masked, what the suite set is marked.
void names_begin(struct recorder *r, struct execution *e, struct strv *variables);
// When all that it read is known: what it cannot have asked for is dropped.
void names_end(struct recorder *r, struct execution *e);

struct process *process_find(const struct recorder *r, pid_t thread); // or NULL
struct process *process_add(struct recorder *r, pid_t thread, const struct process *parent);
void process_remove(struct recorder *r, pid_t thread);
void process_rename(struct recorder *r, pid_t from, pid_t to);

// --- what a system call has to do with ----------------------------------------------------------

enum touch_how {
	TOUCH_OPEN,   // the flags say; what it held is not wanted
	TOUCH_READ,   // opened, content is wanted
	TOUCH_FOLLOW, // what a link leads to
	TOUCH_LINK,   // a link itself
	TOUCH_AT,     // AT_SYMLINK_NOFOLLOW says
	TOUCH_LINKED, // AT_SYMLINK_FOLLOW says; content, too
	TOUCH_MOVE,   // itself, with all that is in it
	TOUCH_CHANGE, // content
	TOUCH_EXECUTE
};

// The call of the stopped process, before it happens. False: it names no file. *ret_stream: it opens a stream by its
// name (/dev/stdin).
bool touch_call(struct recorder *r, const struct process *p, pid_t pid, const struct syscall_state *s,
                bool *ret_stream);
// Returns true when it is a stream that is opened.
bool touch_path(struct recorder *r, const struct process *p, pid_t pid, int folder, const char *path, bool follow,
                enum touch_how how);
void touch_folder(struct recorder *r, const struct process *p, pid_t pid, int descriptor); // it is read

enum take_how { TAKE_BUFFER, TAKE_VECTOR, TAKE_MESSAGE, TAKE_UNSEEN, TAKE_COPY };

// A descriptor of the process.
bool streams_stat(pid_t pid, int fd, struct stat *ret);
bool streams_fdinfo(pid_t pid, int fd, int64_t *ret_position, long *ret_flags);
enum snapshot_stream streams_kind(const struct stat *st);
// Counts bytes of output; whether they are to be added.
bool streams_count_output(struct execution *e, uint64_t size);
bool streams_is_given(const struct execution *e, int descriptor, const struct stat *st); // beyond the three
// Streams of a program that has just been executed.
void streams_begin(struct recorder *r, struct execution *e, pid_t pid);
// The call, before it happens, on descriptors of which it is asked. Other than AWAIT_NOTHING: to be looked at again
// when it returns, for that reason.
enum awaiting streams_call(struct recorder *r, struct process *p, pid_t pid, const struct syscall_state *s,
                           bool copies);
void streams_return(struct recorder *r, struct process *p, pid_t pid, const struct syscall_state *s);
// Descriptors that have to be watched in a program that this process executes.
uint64_t streams_to_watch(pid_t pid);
// The process gets SIGPIPE: nobody reads what it writes.
void streams_closed(struct process *p, pid_t pid);
// The process has executed something: copies that it has no more are forgotten.
void streams_executed(struct process *p, pid_t pid);

// --- output that is read when it has been written -------------------------------------------------

// Which of descriptors 1 and 2 have to be watched in a program that this process executes, as bits.
uint64_t output_to_watch(pid_t pid);
void output_begin(struct execution *e, pid_t pid);
bool output_is_late(const struct execution *e, const struct stat *st); // what goes there is read later
// Before anything else is added to its output, and when it has ended: what stands in the file by now.
void output_catch_up(struct execution *e);
void output_end(struct execution *e);
void output_drop(struct execution *e);

// --- filters ------------------------------------------------------------------------------------

enum { FILTER_MAX = 256 };

// A filter that stops at what is asked for. Returns its length.
size_t filter_make(struct sock_filter code[FILTER_MAX], bool paths, uint64_t descriptors);
// For processes of which nothing is recorded: stops at execve, execveat and ptrace.
size_t filter_base(struct sock_filter code[FILTER_MAX]);

#endif
