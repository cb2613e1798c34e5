// What reports show of the differences between two versions, all of it as text: what was known when the campaign ended.
// The trees that versions were built in are gone by then, so the sources of changed functions are part of it.
#ifndef VEER_SESSION_DIFFERENCE_VIEWS_H
#define VEER_SESSION_DIFFERENCE_VIEWS_H

#include "session/differences.h"

// A version, as a difference shows it.
struct view_side {
	char *end;       // how the run of the example ended; "": not known
	char *output;    // what it printed, its beginning
	uint32_t size;   // of all that it printed
	char *file;      // that has the function, relative; "": the version does not have it
	uint32_t line;   // of the source's first line
	char *source;    // of the function; "": it could not be read
	uint32_t *lines; // that the other version does not have, in order
	uint32_t n_lines;
};

struct difference_view {
	char *id, *kind, *kind_text; // "D1", "output", "they print something else"
	char *level;                 // "error", "warning", "note": how serious that kind is
	char *class, *identifier, *why;
	char *function, *file, *change; // "?", "?", "": not known
	char *input;                    // a line for each of its parts
	char *reproduce;                // its script, below the campaign's folder
	uint32_t line, inputs;          // line: of the change, in the newer version that has it; 0: not known
	bool accepted;
	int64_t example; // its input in the store
	struct view_side side[CHANGE_SIDES];
};

struct function_view {
	char *name, *file, *verdict, *reason;
	uint32_t line;
};

struct difference_views {
	char *names[CHANGE_SIDES], *programs[CHANGE_SIDES]; // names: as the user calls the versions
	struct difference_view *v;
	struct function_view *functions; // that have a verdict
	uint32_t n, n_functions, n_inputs, n_noise;
};

// Of the differences; what is in view_side is not known yet, but for file, line and lines. `store`: NULL when nothing
// was run.
int difference_views_make(struct difference_views *ret, const struct differences *d, struct store *store,
                          const char *const names[CHANGE_SIDES], const char *const programs[CHANGE_SIDES],
                          struct err *err);
void difference_views_release(struct difference_views *v);

// As bytes of the setting `shown`. Decoding fails on damaged ones, and *ret needs no release then.
void difference_views_encode(const struct difference_views *v, struct buf *out);
int difference_views_decode(struct difference_views *ret, const struct buf *data, struct err *err);

// Of a campaign. 1: it has them; 0: it is none of veer diff, or has none.
int difference_views_read(struct difference_views *ret, struct store *s, struct err *err);

bool difference_view_is_whole(const struct difference_view *v);       // runs of the programs themselves show it
uint32_t difference_views_reported(const struct difference_views *v); // those that are not accepted
uint32_t difference_views_count(const struct difference_views *v, const char *verdict);

#endif
