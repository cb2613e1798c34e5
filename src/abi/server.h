// What veer and a traced program that serves as fork server tell each other, through
// two FIFOs in RUN. For each byte in RUN/ask the server forks; the child goes on to
// main, and two answers come through RUN/answer: when it started, and when it ended.
#ifndef VEER_ABI_SERVER_H
#define VEER_ABI_SERVER_H

#include <stdint.h>

// RUN/lib, when there is one, holds the libraries that the program needs, with variants in
// place of those that have some. It comes first in LD_LIBRARY_PATH until the runtime starts.
#define SERVER_LIBRARIES "lib"

#define SERVER_ASK "ask"
#define SERVER_ANSWER "answer"

enum server_word {
	SERVER_READY = 1, // once; value: the server's process id
	SERVER_STARTED,   // value: the child's process id, or -errno
	SERVER_ENDED,     // value: its wait status
};

struct server_answer {
	uint32_t word;
	int32_t value;
};

#endif
