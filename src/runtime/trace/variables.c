// Variables of the environment as input. Those that --sym names are input from the start on; others when the program
// asks for them by their names, so that what nobody reads costs nothing.
#include <stdbool.h>
#include <string.h>

#include "runtime/serve/serve.h"
#include "runtime/trace/rt.h"

enum { VARIABLES = 512, NAME_ROOM = 256 };

static struct {
	bool asked; // "env": all that the program asks for
	bool set;   // "test-env": of these, what the test set itself
	bool named; // "env:NAME", some
} wanted;
static const char *list;                  // the words, a comma behind each
static char *strings[VARIABLES] RT_LARGE; // NAME=VALUE as the program found them; NULL: is input already
static unsigned n_strings;

// Is it among the words, each with that before it?
static bool is_word(const char *words, const char *before, const char *name, size_t n)
{
	size_t skip = strlen(before);
	for (const char *p = words; p && *p;) {
		size_t length = strcspn(p, ",\n");
		if (length == skip + n && memcmp(p, before, skip) == 0 && memcmp(p + skip, name, n) == 0)
			return true;
		p += length + (p[length] != 0);
	}
	return false;
}

void rt_variables_prepare(const char *words)
{
	list = words;
	wanted.asked = is_word(words, "", "env", 3);
	wanted.set = is_word(words, "", "test-env", 8);
	wanted.named = strstr(words, "env:") != NULL;
}

static void make_input(char *string, size_t n)
{
	char name[NAME_ROOM];
	if (n >= sizeof name)
		return;
	memcpy(name, string, n);
	name[n] = 0;
	rt_input_string(INPUT_VARIABLE, 0, name, string + n + 1);
}

void rt_variables_start(char **env)
{
	if (!wanted.asked && !wanted.set && !wanted.named)
		return;
	for (char **e = env; e && *e; e++) {
		size_t n = strcspn(*e, "=");
		if (!n || !(*e)[n])
			continue;
		if (wanted.named && is_word(list, "env:", *e, n))
			make_input(*e, n);
		else if (n_strings < VARIABLES)
			strings[n_strings++] = *e;
	}
}

// What the program has put into its environment itself is none of these strings.
void rt_variable_asked(char *value)
{
	if (!rt_on || !value || (!wanted.asked && !wanted.set))
		return;
	for (unsigned i = 0; i < n_strings; i++) {
		char *s = strings[i];
		size_t n = s && s < value ? strcspn(s, "=") : 0;
		if (!n || value != s + n + 1)
			continue;
		strings[i] = NULL;
		if (wanted.asked || is_word(launch_set, "", s, n))
			make_input(s, n);
		return;
	}
}
