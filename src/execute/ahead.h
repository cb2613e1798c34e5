// Fresh memory of a trace, made before the program comes to it: a page that is there already costs the program a
// fraction of one that is not. A thread keeps ahead of what the program has written, by as much again.
#ifndef VEER_EXECUTE_AHEAD_H
#define VEER_EXECUTE_AHEAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "abi/trace.h"

enum { AHEAD_PARTS = 2 }; // nodes and events

struct ahead {
	bool runs;
	pthread_t thread;
	const volatile struct trace_header *header; // what the program writes: counts only are read, and trusted for
	                                            // nothing but how much to do
	struct ahead_part {
		char *start;
		uint64_t size, done;
		uint32_t each;
	} parts[AHEAD_PARTS];
	int stop;
};

// `trace` is mapped here, with the header as it is before the program has it. When there can be no thread, nothing is
// made ahead.
void ahead_start(struct ahead *a, void *trace);
void ahead_stop(struct ahead *a); // also of one that was never started

#endif
