// Looking up a name in the environment that has labels, and small functions of stdlib.h and
// arpa/inet.h that compute.
#include <inttypes.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "runtime/models/c/model_c.h"

int veer_model_strncmp(const char *a, const char *b, size_t n);

// --- environment ------------------------------------------------------------------------------

// A name may contain '='; the comparison with every variable is one condition.
static char *look_up(const char *name)
{
	for (char **e = environ; e && *e; e++) {
		for (char *end = strchr(*e, '='); end; end = strchr(end + 1, '=')) {
			size_t n = (size_t)(end - *e);
			if (n && veer_model_strncmp(*e, name, n) == 0 && name[n] == 0)
				return end + 1;
		}
	}
	return NULL;
}

MODEL(char *, getenv, const char *name)
{
	return model_variable(model_is_symbolic_string(name) ? look_up(name) : getenv(name));
}

MODEL(char *, secure_getenv, const char *name)
{
	if (!model_is_symbolic_string(name))
		return model_variable(secure_getenv(name));
	return getauxval(AT_SECURE) ? NULL : model_variable(look_up(name));
}

// --- arithmetic -------------------------------------------------------------------------------

#define ABSOLUTE(name, type)                                                                                           \
	MODEL(type, name, type a)                                                                                      \
	{                                                                                                              \
		type sign = a >> (8 * sizeof a - 1); /* no branch */                                                   \
		return (a ^ sign) - sign;                                                                              \
	}

ABSOLUTE(abs, int)
ABSOLUTE(labs, long)

#define DIVIDE(name, result, type)                                                                                     \
	MODEL(result, name, type a, type b)                                                                            \
	{                                                                                                              \
		return (result){a / b, a % b};                                                                         \
	}

DIVIDE(div, div_t, int)
DIVIDE(ldiv, ldiv_t, long)

MODEL(int, ffs, int a)
{
	return __builtin_ffs(a);
}

MODEL(int, ffsl, long a)
{
	return __builtin_ffsl(a);
}

MODEL(uint32_t, htonl, uint32_t a)
{
	return __builtin_bswap32(a);
}

MODEL(uint16_t, htons, uint16_t a)
{
	return __builtin_bswap16(a);
}

// The difference of two times that a double cannot hold is rounded once.
MODEL(double, difftime, time_t a, time_t b)
{
	if (a < b)
		return -(double)((uint64_t)b - (uint64_t)a);
	return (double)((uint64_t)a - (uint64_t)b);
}
