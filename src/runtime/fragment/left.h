// What a run leaves, for who compares it with another version's (left.c); the sanitized variant has nothing of it.
#ifndef VEER_RUNTIME_FRAGMENT_LEFT_H
#define VEER_RUNTIME_FRAGMENT_LEFT_H

#include "abi/left.h"
#include "runtime/fragment/fragment.h"

void left_cell(struct cell *c); // its content was made
void left_start(void);          // all that is made up before the run is there
void left_returned(const struct fragment_unit *u, uint32_t function, const void *result);
void left_ended(const char *how); // in another way; LEFT_EXITED or LEFT_CUT
void left_call(const char *name, const int64_t *arguments, unsigned n);
void left_leads(const char *place, const char *function);

void left_fresh(void *p, size_t size); // memory that nobody has written to
void left_call_thunk(void (*thunk)(void));
uint64_t left_distance(void); // by which cells lie elsewhere

#endif
