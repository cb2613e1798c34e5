// How veer asks a program that serves as fork server: for each byte in the pipe RUN/ask the
// server forks. The child is a child of veer, not of the server, takes over what it is given
// (abi/launch.h) and goes on to main; its wait status is the answer. A server that cannot fork ends.
#ifndef VEER_ABI_SERVER_H
#define VEER_ABI_SERVER_H

#include <stdint.h>

// RUN/lib, when there is one, holds the libraries that the program needs, with variants in
// place of those that have some. It comes first in LD_LIBRARY_PATH until the runtime starts.
#define SERVER_LIBRARIES "lib"

#define SERVER_ASK "ask"

// RUN/state, shared with veer. The server sees to it that programs cannot write there.
#define SERVER_STATE "state"

struct server_state {
	int32_t run;     // pid of the child, there before it runs; veer sets it to 0 before it asks
	int32_t problem; // an errno: the child could not take over what it is given, and has ended
	int32_t ready;   // 1: everything is loaded, and the server waits to be asked; who waits for it is woken by a
	                 // futex
};

// What veer shares with a server it hands down as a descriptor: RUN/NAME is a link to
// /proc/self/fd/NUMBER, and the runtime closes that. Other links and files work, too.
#define SERVER_DESCRIPTOR "/proc/self/fd/"

// In the server's environment, unless the user has set it: symbols are bound when the
// server starts, instead of in every child. The runtime takes it out again.
#define SERVER_BIND_NAME "LD_BIND_NOW"
#define SERVER_BIND_VALUE "veer"

#endif
