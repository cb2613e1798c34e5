// What hostile programs share. An attack is a function ATTACK(class_name) that tries to reach something outside of the
// sandbox: its canaries lie in the folder `at`, made by warden.c. It says what it got by through(), which decides the
// exit status; what it may do (in the view, to itself) it need not say. attacks.def lists all.
#ifndef HOSTILE_H
#define HOSTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { HELD = 0, THROUGH = 1, OUTSIDE = 3, UNCLEAN = 4 }; // exit status

#define ATTACK(name) void name(const char *at)

// Prints and remembers that an attack got somewhere, when `it_did`. Returns that.
bool through(bool it_did, const char *what);

// at/leaf, in one of a few buffers.
const char *in(const char *at, const char *leaf);

// The number in at/leaf: a process, an address, a port. 0: there is none.
uint64_t number(const char *at, const char *leaf);

bool namespaces(void); // the kind of sandbox this is

// Whether attacking is allowed: the marker in the environment, the canaries' magic file, and a filter of system calls
// that refuses what it has to. Code that runs before main asks it, too.
bool inside(void);

// The folder that runs share with veer, BOX/open; "" when it cannot be told.
const char *open_folder(void);

// What can be written to a descriptor, or to the file of that name, is; whether it could.
bool scrawl(int fd);
bool scrawl_on(const char *path);

void say(const char *text); // to standard output, at once

#endif
