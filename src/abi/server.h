// How veer asks a traced program that serves as fork server: for each byte in the FIFO
// RUN/ask the server forks. The child is a child of veer, not of the server, and goes on
// to main; its wait status is the answer. A server that cannot fork ends.
#ifndef VEER_ABI_SERVER_H
#define VEER_ABI_SERVER_H

// RUN/lib, when there is one, holds the libraries that the program needs, with variants in
// place of those that have some. It comes first in LD_LIBRARY_PATH until the runtime starts.
#define SERVER_LIBRARIES "lib"

#define SERVER_ASK "ask"

// In the server's environment, unless the user has set it: symbols are bound when the
// server starts, instead of in every child. The runtime takes it out again.
#define SERVER_BIND_NAME "LD_BIND_NOW"
#define SERVER_BIND_VALUE "veer"

#endif
