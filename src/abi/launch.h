// What a run of a fork server is given (RUN/given, shared with veer, which writes it between runs): arguments,
// environment, where standard input is, the working folder. The runtime maps it when the
// server starts; each child takes it over before main. Without RUN/given a run has what the server was started with.
//
//   header | strings, NUL-terminated, each at a multiple of LAUNCH_SLOT: arguments, then NAME=VALUE of the environment
//          | symbolic windows (struct launch_window), each at a multiple of 8 | what is entered in place of main
//
// So where a string is does not change with the length of another one, as long as that is short: an address that a
// run concretised is the same in the next.
#ifndef VEER_ABI_LAUNCH_H
#define VEER_ABI_LAUNCH_H

#include <stdint.h>

#include "abi/input.h"

#define LAUNCH_FILE "given"
#define LAUNCH_MAGIC 0x354e455649475645u // "EVGIVEN5"

enum launch_flags {
	LAUNCH_ON_HEAP = 1, // each string in a heap block of exactly its size, where AddressSanitizer sees its end
	LAUNCH_STEADY = 2,  // clock, random numbers, order of folders are the same in every run
	LAUNCH_UMASK = 8,
	LAUNCH_PIPE = 16,  // standard input is a pipe that holds what `input` does (abi/pipe.h)
	LAUNCH_FLOATS = 4, // operations on floats are checked (FLOAT_CHECK in abi/checks.def)
	LAUNCH_WHERE = 32, // traced variants: a run that a signal ends writes where to RUN/reports/LAUNCH_WHERE_FILE
	// Traced variants, of a run that enters a fragment: nothing is symbolic, and what the run leaves is written to
	// RUN/reports/LAUNCH_LEFT_FILE (abi/left.h).
	LAUNCH_LEFT = 64,
	LAUNCH_OTHER = 128, // with LAUNCH_LEFT: objects lie elsewhere, and fresh memory has other bytes
	// Traced variants, of a run that enters a fragment: it is symbolic as any, and it writes what it leaves as with
	// LAUNCH_LEFT; events (EVENT_LEFT) say what the values are made of.
	LAUNCH_LABELS = 512,
	LAUNCH_CONCRETE = 256, // traced variants: nothing is symbolic
};

enum { LAUNCH_PATH = 4096, LAUNCH_SLOT = 64, LAUNCH_NAMES = 2048 };

#define LAUNCH_WHERE_FILE "where"
#define LAUNCH_LEFT_FILE "left"

#define LAUNCH_CLOSED "closed" // in place of a stream's path: there is none

struct launch {
	uint64_t magic;
	uint64_t size; // of the whole mapping
	uint32_t flags;
	uint32_t arguments, variables; // how many strings of each
	uint32_t umask;                // with LAUNCH_UMASK
	int32_t unused[2];             // descriptors that were handed down and are none of its streams; 0: none
	uint64_t strings;              // bytes of strings behind the header, with what is between them
	int64_t clock;                 // seconds since 1970, with LAUNCH_STEADY
	int64_t since;                 // files that changed at this time, or later, are the run's own; 0: not known
	int64_t since_nano;            // nanoseconds of that
	uint64_t windows;              // bytes of symbolic windows behind the strings
	uint64_t window_limit;         // of inputs without a window, the first so many bytes are symbolic; 0: all
	uint64_t fragment;             // bytes behind the windows: a struct fragment_entry (abi/fragment.h) and what
	                               // follows it; 0: the run enters main
	char set[LAUNCH_NAMES];        // names of variables that the test itself set, a comma behind each
	char cwd[LAUNCH_PATH];         // after the streams; "": stay
	char input[LAUNCH_PATH];       // opened as standard input; "": stay; may be a descriptor, see
	                               // abi/server.h
	char output[LAUNCH_PATH];      // opened as standard output and error, likewise
	char error[LAUNCH_PATH];       // opened as standard error, likewise; "": as output
};

// The bytes of an input that are symbolic; all others are concrete. Kind, ordinal and name are those that the input has
// in the trace (struct input_source). With from == to nothing is, not even the length; the length of a file is symbolic
// when `to` is LAUNCH_OPEN.
struct launch_window {
	uint64_t from, to;
	uint32_t size; // of this window with its name, a multiple of 8
	uint32_t ordinal;
	uint32_t kind; // enum input_kind
	uint32_t zero;
	char name[];
};

#define LAUNCH_OPEN UINT64_MAX

// The bytes that a string of that length takes.
static inline uint64_t launch_room(uint64_t length)
{
	return (length + LAUNCH_SLOT) / LAUNCH_SLOT * LAUNCH_SLOT;
}

#endif
