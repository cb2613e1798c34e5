// Waiting for a run. Among our children that end may be others: fork servers, and, for process 1 of a namespace,
// whatever runs left behind. Whoever waits here has no other children to wait for at the time.
#ifndef VEER_EXECUTE_WAITING_H
#define VEER_EXECUTE_WAITING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct waiting {
	const volatile int32_t *run; // its pid; 0 while the server has not forked
	pid_t server;                // 0: the run is our own child
	unsigned milliseconds;       // 0: no limit
	// When a run takes longer than most, asked every 10 ms whether it may go on; NULL: it may. Other than 0 says
	// why not.
	int (*watch)(void *opaque);
	void *opaque;
};

enum { WAIT_TIMEOUT = -1 };

struct ending {
	int status; // as from wait()
	int cause;  // 0, or why the run was killed: WAIT_TIMEOUT, or what watch() said
	struct rusage usage;
	uint64_t wall_us;
};

// Waits until the run has ended. -1: the server ended before there was one, or there is nothing to
// wait for.
int wait_for_run(const struct waiting *w, struct ending *ret);

// Servers, which may end while something else is waited for, and leave their process ids to others: the ticket that
// wait_register() returns says which server is meant. A registered server replaces one of the same pid.
uint64_t wait_register(pid_t server);
bool wait_is_alive(pid_t server, uint64_t ticket);
bool wait_is_server(pid_t pid);                  // whether a registered server that has not ended has this pid
void wait_forget(pid_t server, uint64_t ticket); // kills it, if it is alive

#endif
