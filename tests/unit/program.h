// A program made by hand, as its tables say it is, and runs of it:
//
//     main:  while (0: c < 10)             12 sides and more in `big`, two in `small`
//                if (1: strlen(p) ...)     behind the true side of 1, and behind case 2 of the switch, `big` is called;
//                switch (2: *p)            behind the loop, `small`
//                3: a call of something outside
//     big:   if (4) ... if (9)             one after the other
//     small: if (10)
#ifndef VEER_TESTS_UNIT_PROGRAM_H
#define VEER_TESTS_UNIT_PROGRAM_H

#include "coverage/graph.h"
#include "search/paths.h"

enum { PROGRAM_UNIT = 77, PROGRAM_EDGES = 21 };
enum { MAIN_LOOP, MAIN_IF, MAIN_SWITCH, MAIN_CALL, BIG, SMALL = BIG + 6 };

struct program {
	struct cover *cover;
	struct graph graph;
	struct tree tree;
	struct paths paths;
	int64_t inputs;
};

struct bytes;
struct bytes program_graph(void); // the section of abi/graph.h
void program_init(struct program *p);
void program_release(struct program *p);

// A run that made these decisions: points and the ways that it went there, in turn. It came by their sides, and by
// `more`, which ends with -1. Returns the number of the run; all ways off it wait.
struct step {
	int point;
	unsigned way;
};
uint32_t program_run(struct program *p, const struct step *steps, unsigned n, const int *more);

#endif
