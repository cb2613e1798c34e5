// What AddressSanitizer's report says of the access that failed: how many bytes, by which library function, and the
// object whose bounds it exceeds. The text may be anybody's.
#ifndef VEER_FINDINGS_ACCESSED_H
#define VEER_FINDINGS_ACCESSED_H

#include <stdbool.h>

enum object_kind {
	OBJECT_NONE, // the report names none
	OBJECT_HEAP,
	OBJECT_GLOBAL,
	OBJECT_STATIC,  // a static variable of a function
	OBJECT_LITERAL, // a string literal
	OBJECT_LOCAL
};

enum object_side {
	SIDE_INSIDE,
	SIDE_BEFORE, // `distance` bytes before its start
	SIDE_BEHIND, // `distance` bytes behind its end
	SIDE_ACROSS  // a range that goes past its end; where it starts is not reported
};

struct accessed {
	bool reads, writes;  // neither: not known
	unsigned long bytes; // 0: not known
	char *by;            // library function that made the access, "memcpy"; NULL: the program itself
	enum object_kind kind;
	enum object_side side;
	unsigned long distance, size;
	bool freed;
	char *name;   // of a variable; of a literal its text, NULL when it is none
	char *origin; // "FUNCTION FILE:LINE": where a heap block was allocated, whose frame a local is in; or NULL
};

void accessed_read(struct accessed *ret, const char *report);
void accessed_release(struct accessed *a);

// The function of the C library at which the report's stack begins, without the sanitizer's prefix; NULL: none. The
// caller frees.
char *accessed_function(const char *report);

#endif
