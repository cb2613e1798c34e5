// What is known of a possible finding, in lines that all reports show.
#ifndef VEER_REPORT_POSSIBLE_H
#define VEER_REPORT_POSSIBLE_H

#include "base/buf.h"
#include "explain/explain.h"

// Nothing for findings of other levels.
struct possible_words {
	struct strv needs;  // of the state that the run begins with; a line that says so when there is nothing
	struct strv chains; // of calls; likewise
	struct strv lifted; // what whole runs show: whether it is promoted, or suppressed
};

void possible_words(const struct explanation *x, struct possible_words *ret);
void possible_words_release(struct possible_words *w);
char *possible_sentence(const struct explanation *x); // all in one; the caller frees

#endif
