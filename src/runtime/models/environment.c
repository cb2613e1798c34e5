// The environment, paths, and what is concrete by nature.
#include <stdlib.h>
#include <string.h>

#include "runtime/models/model.h"

// --- for models/c/getopt.c ----------------------------------------------------------------

// What a text up to '=' is to the name of an option: 2 the same, 1 an abbreviation, 0
// something else. One expression, from the name's end to its beginning.
MODEL(int, option, const char *name, const char *text)
{
	ENTER(option, 2);
	uint64_t n = strlen(name);
	struct model_string s = model_string(text, n + 1);
	struct sym r = sym_constant(32, 0);
	for (uint64_t i = s.bytes; i-- > 0;) {
		struct sym c = model_string_byte(&s, i), ends = sym_or(sym_is(c, 0), sym_is(c, '='));
		struct sym more = i == n ? sym_constant(32, 0)
		                         : sym_choose(sym_equal(c, sym_byte(name + i)), r, sym_constant(32, 0));
		r = sym_choose(ends, sym_constant(32, i == n ? 2 : 1), more);
	}
	return GIVE(option, (int)r.value, r.l);
}
