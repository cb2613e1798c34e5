// Paths of functions, counted by brute force. Compiled with BRUTE, a program tries all states of a small kind on its
// functions, and prints for each how many different paths there were; without, it is what veer explores
// (test-fragment), which has to find as many. A path is the sequence of what D, Q and A note: decisions, values of a
// switch, and which object a pointer leads to when something is first accessed through it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef BRUTE

static char noted[4096];
static size_t n_noted;
static char *all[65536];
static unsigned n_all;

static inline long note(char kind, long value)
{
	n_noted += (size_t)snprintf(noted + n_noted, sizeof noted - n_noted, "%c%ld", kind, value);
	if (n_noted >= sizeof noted)
		abort();
	return value;
}

// The path of the last call is complete.
static inline void end_path(void)
{
	unsigned i = 0;
	while (i < n_all && strcmp(all[i], noted) != 0)
		i++;
	if (i == n_all)
		all[n_all++] = strdup(noted);
	n_noted = 0;
	noted[0] = 0;
}

static inline void end_function(const char *name)
{
	printf("%s %u\n", name, n_all);
	while (n_all)
		free(all[--n_all]);
}

#define TRY(call) ((void)(call), end_path())
#define FROM(variable, low, high) for (long variable = (low); variable <= (high); variable++)
#define D(condition) note('d', !!(condition))
#define Q(value) note('q', value)
#define A(pointer, number) note('a', number)
#else
#define D(condition) (condition)
#define Q(value) (value)
#define A(pointer, number) ((void)0)
#endif
