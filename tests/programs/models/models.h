// Models against the real functions, on random arguments.
//
//	static void test_strcmp(void)
//	{
//		char a[40], b[40];
//		text(a, sizeof a, "ab");          // random string over these bytes, partly symbolic
//		text(b, sizeof b, "ab");
//		COMPARE(int, strcmp, a, b);       // result and errno must be those of the real one
//	}
//
//	int main(int argc, char **argv) { TEST(strcmp); return report(); }
//
// The program runs traced with the self-check on, so labels are compared with values, too.
// COMPARE calls libc's function, then the model, on the same arguments; what they write is
// compared with SAME. usage: PROGRAM [CALLS [SEED]]
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <veer.h>

static unsigned long calls = 200, differences, labelled, seed = 1;
static const char *testing;

// --- random arguments ---------------------------------------------------------------------

static uint64_t state = 88172645463325252u;

static unsigned below(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 20) % n;
}

// Every byte value a few times, all of them symbolic: what is copied from here has a label.
static unsigned char pool[2048];

static void start(int argc, char **argv)
{
	if (argc > 1)
		calls = strtoul(argv[1], NULL, 10);
	if (argc > 2)
		seed = strtoul(argv[2], NULL, 10);
	for (unsigned i = 0; i < seed % 1000; i++)
		below(2);
	state += seed * 0x9e3779b97f4a7c15u;
	for (unsigned i = 0; i < sizeof pool; i++)
		pool[i] = (unsigned char)i;
	if (veer_make_symbolic)
		veer_make_symbolic(pool, sizeof pool, "pool");
}

// The byte with a label, or, one time in five, without.
static unsigned char byte(unsigned char c)
{
	return below(5) ? pool[256 * below(sizeof pool / 256) + c] : c;
}

static void bytes(void *to, size_t n, const char *from)
{
	size_t kinds = strlen(from);
	for (size_t i = 0; i < n; i++)
		((unsigned char *)to)[i] =
			kinds ? byte((unsigned char)from[below((unsigned)kinds)]) : byte((unsigned char)below(256));
}

// A string of less than n bytes; its terminator, too, may be symbolic. Returns its length.
static size_t text(char *to, size_t n, const char *from)
{
	size_t length = below((unsigned)n);
	bytes(to, n, from);
	for (size_t i = 0; i < length; i++) // "": any byte but the terminator
		if (!to[i])
			to[i] = (char)byte('x');
	to[length] = (char)byte(0);
	return length;
}

// A number up to `most`, with a label.
static uint64_t number(uint64_t most)
{
	uint64_t n = below(5) ? below(40) : (uint64_t)below(1u << 30) << 30 | below(1u << 30);
	unsigned char b[8];
	n = most == UINT64_MAX ? n : n % (most + 1);
	for (int i = 0; i < 8; i++)
		b[i] = byte((unsigned char)(n >> 8 * i));
	memcpy(&n, b, 8);
	return n;
}

// --- comparing ------------------------------------------------------------------------------

static void differs(const char *what, unsigned long call)
{
	if (differences++ < 20)
		printf("%s: %s differs in call %lu of seed %lu\n", testing, what, call, seed);
}

static unsigned long call_number;

static bool same_bytes(const void *a, const void *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		volatile unsigned char x = ((const unsigned char *)a)[i], y = ((const unsigned char *)b)[i];
		if (x != y)
			return false;
	}
	return true;
}

// Computes with every byte, so the self-check compares its label: an old one is found.
static void use(const void *p, size_t n)
{
	static volatile int result;
	for (size_t i = 0; i < n; i++)
		result = ((const unsigned char *)p)[i] ^ 1;
}

// Two pieces of memory, of the real function and of the model.
#define SAME(a, b, n)                                                                                                  \
	do {                                                                                                           \
		labelled += veer_is_symbolic && veer_is_symbolic(b, n);                                                \
		use(b, n);                                                                                             \
		if (veer_make_concrete && !same_copies(a, b, n))                                                       \
			differs(#b, call_number);                                                                      \
	} while (0)

// Compared without leaving branches in the path.
static bool same_copies(const void *a, const void *b, size_t n)
{
	unsigned char *x = malloc(n + 1), *y = malloc(n + 1);
	memcpy(x, a, n);
	memcpy(y, b, n);
	veer_make_concrete(x, n);
	veer_make_concrete(y, n);
	bool r = same_bytes(x, y, n);
	free(x);
	free(y);
	return r;
}

// How often each function was compared: report() tells.
static struct compared {
	const char *name;
	unsigned long calls;
} compared[256];

static struct compared *comparing(const char *name)
{
	unsigned i = 0;
	while (compared[i].name && compared[i].name != name && i < sizeof compared / sizeof *compared - 1)
		i++;
	compared[i].name = name;
	return &compared[i];
}

// alias_NAME: see aliases.awk.
static const char *name_in_libc(const char *name)
{
	return name + (strncmp(name, "alias_", 6) == 0 ? 6 : 0);
}

// libc's own, whatever the program calls: LIBC to get something done, REAL to compare the
// model with it.
#define LIBC(name) ((__typeof__(&name))dlsym(RTLD_DEFAULT, name_in_libc(#name)))
#define REAL(name) ((__typeof__(&name))real_function(#name))

// NULL when libc does not have it: the test then says what the function should do.
static void *real_function(const char *name)
{
	comparing(name)->calls++;
	return dlsym(RTLD_DEFAULT, name_in_libc(name));
}

// A function and its model, each with arguments of its own: BOTH(int, close, (a), (b)).
#define BOTH(type, name, real_args, model_args) BOTH_CALLS(type, REAL(name) real_args, name model_args)
#define BOTH_CALLS(type, real_call, model_call)                                                                        \
	do {                                                                                                           \
		errno = 0;                                                                                             \
		type expected_ = real_call;                                                                            \
		int error_ = errno;                                                                                    \
		errno = 0;                                                                                             \
		type got_ = model_call;                                                                                \
		int got_error_ = errno;                                                                                \
		SAME(&expected_, &got_, sizeof got_);                                                                  \
		SAME(&error_, &got_error_, sizeof error_);                                                             \
	} while (0)

#define COMPARE(type, name, ...)                                                                                       \
	do {                                                                                                           \
		static __typeof__(&name) real_;                                                                        \
		static struct compared *now_;                                                                          \
		if (!real_) {                                                                                          \
			real_ = LIBC(name);                                                                            \
			now_ = comparing(#name);                                                                       \
		}                                                                                                      \
		now_->calls++;                                                                                         \
		errno = 0;                                                                                             \
		type expected_ = real_(__VA_ARGS__);                                                                   \
		int error_ = errno;                                                                                    \
		errno = 0;                                                                                             \
		type got_ = name(__VA_ARGS__);                                                                         \
		int got_error_ = errno;                                                                                \
		SAME(&expected_, &got_, sizeof got_);                                                                  \
		SAME(&error_, &got_error_, sizeof error_);                                                             \
	} while (0)

// --- running ----------------------------------------------------------------------------------

static unsigned long total;

static void run(const char *name, void (*test)(void), bool must_label)
{
	unsigned long had = differences;
	testing = name;
	labelled = 0;
	for (call_number = 0; call_number < calls; call_number++, total++)
		test();
	if (must_label && veer_is_symbolic && !labelled) {
		printf("%s: no result has a label\n", name);
		differences++;
	}
	printf("%-14s %lu calls, %lu differences, %lu results with labels\n", name, calls, differences - had, labelled);
}

#define TEST(name) run(#name, test_##name, true)
#define TEST_CONCRETE(name) run(#name, test_##name, false) // nothing of it depends on the input

static int report(void)
{
	for (unsigned i = 0; i < sizeof compared / sizeof *compared && compared[i].name; i++)
		printf("compared %s %lu%s\n", name_in_libc(compared[i].name), compared[i].calls,
		       dlsym(RTLD_DEFAULT, name_in_libc(compared[i].name)) ? "" : " not in libc");
	printf("%lu calls, %lu differences\n", total, differences);
	return differences != 0;
}
