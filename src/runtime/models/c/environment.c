// Looking up a name in the environment that has labels, small functions of stdlib.h and
// arpa/inet.h that compute, and the parts of a path.
#include <inttypes.h>
#include <libgen.h>
#undef basename
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
	return model_is_symbolic_string(name) ? look_up(name) : getenv(name);
}

MODEL(char *, secure_getenv, const char *name)
{
	if (!model_is_symbolic_string(name))
		return secure_getenv(name);
	return getauxval(AT_SECURE) ? NULL : look_up(name);
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

// --- parts of a path ------------------------------------------------------------------------------

static char *last_slash(const char *path)
{
	const char *last = NULL;
	for (const char *p = path; *p; p++)
		if (*p == '/')
			last = p;
	return (char *)last;
}

// The first of the slashes that stand there together.
static char *first_of(const char *path, char *slash)
{
	while (slash > path && slash[-1] == '/')
		slash--;
	return slash;
}

// GNU's, of string.h
MODEL(char *, basename, const char *path)
{
	if (!model_is_symbolic_string(path))
		return (basename)(path);
	char *slash = last_slash(path);
	return slash ? slash + 1 : (char *)path;
}

// That of libgen.h, which cuts slashes off.
MODEL(char *, __xpg_basename, char *path)
{
	if (!path || !model_is_symbolic_string(path))
		return __xpg_basename(path);
	if (!*path)
		return __xpg_basename(NULL);
	char *slash = last_slash(path);
	if (!slash)
		return path;
	if (slash[1])
		return slash + 1;
	char *p = first_of(path, slash);
	if (p == path)
		return slash;
	*p = 0;
	while (p > path && p[-1] != '/')
		p--;
	return p;
}

MODEL(char *, dirname, char *path)
{
	if (!path || !model_is_symbolic_string(path))
		return dirname(path);
	char *slash = last_slash(path), *end = slash;
	if (slash && slash > path && !slash[1]) { // those at the end do not count
		end = first_of(path, slash);
		if (end > path) {
			slash = NULL;
			for (char *p = end - 1; p >= path && !slash; p--)
				if (*p == '/')
					slash = p;
		}
	}
	if (!slash)
		return dirname(NULL);
	end = first_of(path, slash);
	if (end == path)
		end = slash == path + 1 ? slash + 1 : path + 1; // "//" is kept
	*end = 0;
	return path;
}
