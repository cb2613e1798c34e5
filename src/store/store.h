// A campaign on disk: DIR/veer.db (SQLite) with seeds, inputs, answers, coverage and findings. It can be killed at
// any instant and opened again. One process writes; others may read. `each` functions must not write to the store.
#ifndef VEER_STORE_STORE_H
#define VEER_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/level.h"

struct store;

enum input_state { INPUT_NEW, INPUT_DONE }; // DONE: it was run, and what it led to is in the store

struct stored_input {
	int64_t id, parent; // parent 0: a seed
	enum input_state state;
	uint32_t event;        // of the parent's path whose branch was flipped
	int32_t changed, care; // bytes: changed from the parent; relevant; -1: not known
	bool in_corpus;        // it covered something new when it ran
	uint64_t hash;         // of data; kept as it is given
	int64_t snapshot;      // it belongs to; 0: none. Inputs of different snapshots are different
	struct buf data;       // input_encode; empty: evicted, see store_set_limit
};

// A recorded test (input/snapshot.h), without its input, which is the one input of the snapshot that has no parent.
struct stored_snapshot {
	int64_t id;
	uint64_t hash[2];  // snapshot_hash: no two are the same
	int32_t level;     // distance up to which it was analysed, all of it; -1: not at all
	uint32_t times;    // executions that were the same
	bool present;      // part of the last recording
	char *why;         // not analysed, and why; NULL: it is. Owned
	char *outcome;     // a word of store/outcomes.def; NULL: not known. Owned
	int64_t native_us; // what its native run takes by the clock; 0: not known
	struct buf data;   // snapshot_encode
};

enum flip_answer { FLIP_NONE, FLIP_SAT, FLIP_UNSAT, FLIP_UNKNOWN };

struct stored_flip {
	uint64_t path; // names the path up to it and the branch edge that the query asks for
	enum flip_answer answer;
	int64_t input; // that goes there, when sat
};

// In place of a finding's distance: the search from all tests found it. Larger than all distances.
enum { FINDING_SEARCHED = INT32_MAX };

struct stored_finding {
	int64_t id; // F<id>
	enum finding_level level;
	char *kind, *program, *file, *function, *stack, *report;
	uint32_t line, distance, depth; // distance: or FINDING_SEARCHED
	int32_t changed, care;
	int64_t input, seed;
	uint64_t key; // kind and stack: no two are the same
};

// Opens the campaign in `folder`, creating both. Another process that has it open for writing is an error that says
// so; a damaged database too.
//
// The lock belongs to this process: a child made by fork neither has it nor may use the store, not even close it.
struct store *store_open(const char *folder, bool create, struct err *err);
// For reading only, whether somebody writes it or not: what is committed. Changes nothing. Counters are those of now.
struct store *store_open_read(const char *folder, struct err *err);
void store_close(struct store *s);
// Closes it, and removes its database; the folder and everything else in it stay. Nobody else has it meanwhile.
int store_remove(struct store *s, struct err *err);

// Beyond that many bytes (1 GB unless set; 0: no limit) a commit evicts the data of inputs that are DONE, not in
// the corpus, no seeds and belong to no finding: a finding is to be added before or with the DONE of its input.
// Everything else about them stays. The counter STORE_EVICTED says how many they were.
void store_set_limit(struct store *s, uint64_t bytes);
#define STORE_EVICTED "inputs_evicted"

// Reads every page: 0 when the database is sound, -1 with *err filled.
int store_check(struct store *s, struct err *err);

// What is written between begin and commit is there all or not at all. Commit returns -1 with *err filled when the
// disk is full, say; what was committed before stays. A write that fails takes the whole transaction with it: those
// after it, and the commit, fail with the same words. Outside, each write is a transaction.
int store_begin(struct store *s, struct err *err);
int store_commit(struct store *s, struct err *err);

// Settings of the command line, by name: "program", "argv", "sym" ... False when not there; *ret is added to.
int store_set(struct store *s, const char *name, const void *value, size_t size, struct err *err);
bool store_get(struct store *s, const char *name, struct buf *ret);
int store_set_number(struct store *s, const char *name, int64_t value, struct err *err); // as decimal digits
int64_t store_get_number(struct store *s, const char *name, int64_t otherwise);

// Counters by name, accumulated over all of a campaign: "runs", "queries", "unknown" ... They are kept in memory and
// written by the commit, so counting is cheap. What merged campaigns had counted is part of the value.
int store_count(struct store *s, const char *name, int64_t more, struct err *err);
int64_t store_counter(struct store *s, const char *name);
int store_each_counter(struct store *s, void (*each)(void *opaque, const char *name, int64_t value), void *opaque,
                       struct err *err);

// Fills in in->id; an input of the same snapshot with the same bytes is not stored again: its id, and *ret_known true.
int store_add_input(struct store *s, struct stored_input *in, bool *ret_known, struct err *err);
int store_update_input(struct store *s, const struct stored_input *in,
                       struct err *err); // all but data, hash and snapshot; in_corpus stays when set
int store_get_input(struct store *s, int64_t id, struct stored_input *ret, struct err *err);
int store_each_input(struct store *s, int (*each)(void *opaque, const struct stored_input *in), void *opaque,
                     struct err *err); // in order of id; ends when `each` returns other than 0, with that
void stored_input_release(struct stored_input *in);
int64_t store_count_inputs(struct store *s, bool seeds_only);
// The input of each snapshot, in the order of snapshots.
int store_each_seed(struct store *s, int (*each)(void *opaque, int64_t snapshot, int64_t input), void *opaque,
                    struct err *err);

// Fills in c->id; one with the same hash is not stored again: its id, level, why, outcome and native_us, and *ret_known
// true; times and present are the new ones.
int store_add_snapshot(struct store *s, struct stored_snapshot *c, bool *ret_known, struct err *err);
int store_update_snapshot(struct store *s, const struct stored_snapshot *c, struct err *err); // all but hash and data
int store_each_snapshot(struct store *s, int (*each)(void *opaque, const struct stored_snapshot *c), void *opaque,
                        struct err *err);                                              // in order of id
int store_get_snapshot(struct store *s, int64_t id, struct buf *ret, struct err *err); // what snapshot_encode made
// Each snapshot's data becomes what `change` makes of it, and what it was is overwritten on disk; all of them or none.
int store_change_snapshots(struct store *s, void (*change)(struct buf *data), struct err *err);
void stored_snapshot_release(struct stored_snapshot *c);
// An analysis scope of a recorded test (explore/scope.h): which positions of its input are symbolic, and how far it
// is.
struct stored_scope {
	int64_t snapshot;
	uint32_t number;   // 0: the first of the test, whose level is the snapshot's
	uint64_t from, to; // positions
	bool slow;         // it waits until there is time
	int32_t level;
	struct buf parts; // of the first: scope_parts_encode
};
int store_set_scope(struct store *s, const struct stored_scope *t, struct err *err); // by snapshot and number
int store_each_scope(struct store *s, int (*each)(void *opaque, const struct stored_scope *t), void *opaque,
                     struct err *err); // of snapshots that are present, in order of snapshot and number
// An input that was run by two versions of a program (explore/differ.h).
struct stored_comparison {
	int64_t input;
	const char *kind; // what differs: a word of findings/difference_kinds.def; "": nothing
	const char *why;  // in a line
	struct buf goals; // a bit for each change that it executes
};
int store_set_comparison(struct store *s, const struct stored_comparison *c, struct err *err); // by input
int store_each_comparison(struct store *s, int (*each)(void *opaque, const struct stored_comparison *c), void *opaque,
                          struct err *err); // in order of input
// Before a new recording is added: no snapshot is present any more.
int store_forget_snapshots(struct store *s, struct err *err);
// How snapshots are analysed from now on. When that differs from before, none counts as analysed.
int store_set_way(struct store *s, const char *way, struct err *err);

// All of them are in memory, 32 bytes each at most, once one was asked for; each_flip has no order.
// An answer that is there already gives way to a better one only: NONE < UNKNOWN < UNSAT, SAT.
int store_add_flip(struct store *s, const struct stored_flip *f, struct err *err);
bool store_get_flip(struct store *s, uint64_t path, struct stored_flip *ret);
int store_each_flip(struct store *s, int (*each)(void *opaque, const struct stored_flip *f), void *opaque,
                    struct err *err);

// Coverage: the bytes of each unit, 0 or 1 (abi/cover.h); what was there before is kept. And over time.
int store_add_cover(struct store *s, uint64_t unit, const uint8_t *bytes, size_t n, struct err *err);
int store_each_cover(struct store *s, int (*each)(void *opaque, uint64_t unit, const uint8_t *bytes, size_t n),
                     void *opaque, struct err *err);
int store_add_progress(struct store *s, double seconds, int64_t runs, int64_t branches, int64_t lines, struct err *err);
// In order; of a campaign of several sessions, seconds and runs begin anew with each.
int store_each_progress(struct store *s,
                        int (*each)(void *opaque, double seconds, int64_t runs, int64_t branches, int64_t lines),
                        void *opaque, struct err *err);

// Fills in f->id; one with the same key is not stored again: its id, and *ret_known true.
int store_add_finding(struct store *s, struct stored_finding *f, bool *ret_known, struct err *err);
// It was seen again: its distance, and for that its depth, are the smallest there were.
int store_nearer_finding(struct store *s, uint64_t key, uint32_t distance, uint32_t depth, struct err *err);
// It is not there any more: it is not reported, until it is again. One that is added again has the number that it
// had.
int store_set_gone(struct store *s, uint64_t key, bool gone, struct err *err);
int store_each_gone(struct store *s, int (*each)(void *opaque, const struct stored_finding *f), void *opaque,
                    struct err *err);
int store_each_finding(struct store *s, int (*each)(void *opaque, const struct stored_finding *f), void *opaque,
                       struct err *err);
void stored_finding_release(struct stored_finding *f); // of one whose strings are owned

// Adds what another campaign of the same program has, all of it or nothing. Inputs that are new here come as INPUT_NEW
// (those whose data was evicted there as DONE). It may be merged again later: nothing is counted twice. The other may
// be written meanwhile; nothing in it is changed. Not between begin and commit.
int store_merge(struct store *s, const char *other, struct err *err);
// The same, and says for each finding of the other which number it has here.
int store_merge_findings(struct store *s, const char *other, void (*each)(void *opaque, int64_t there, int64_t here),
                         void *opaque, struct err *err);

#endif
