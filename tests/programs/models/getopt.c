#define _GNU_SOURCE
#include "models.h"

#include <fcntl.h>
#include <getopt.h>
#include <unistd.h>

// A command line, processed to its end by the real function and by the model, which have
// the same variables but each a state of its own.
enum { ARGUMENTS = 8, LENGTH = 16, RESULTS = 64 };

static char words[ARGUMENTS][LENGTH];
static char *arguments[2][ARGUMENTS + 1];
static int argument_count;

static const char *const some_words[] = {
	"-",   "--",     "-a",      "-b",      "-abc",   "-bx",     "-c",  "-cx", "x",       "--al",    "--alpha",
	"--b", "--be=1", "--beta",  "--beta=", "--gam",  "--gamma", "--x", "--=", "-W",      "-Walpha", "-Wbeta=7",
	"-W=", "-alpha", "-beta=1", "-be",     "-gamma", "-?",      "-:",  "-;",  "--gammb", "--delta", "-d",
};

static void some_arguments(void)
{
	argument_count = 1 + (int)below(ARGUMENTS - 1);
	for (int i = 0; i < argument_count; i++) {
		if (below(4)) {
			const char *w = some_words[below(sizeof some_words / sizeof *some_words)];
			for (size_t k = 0; k <= strlen(w); k++)
				words[i][k] = (char)byte((unsigned char)w[k]);
		} else {
			text(words[i], 8, "--abcW=:lx");
		}
		arguments[0][i] = arguments[1][i] = words[i];
	}
	strcpy(words[0], "name");
	arguments[0][argument_count] = arguments[1][argument_count] = NULL;
}

static int flag;

static const struct option options[] = {
	{"alpha", no_argument, NULL, 'A'},        {"beta", required_argument, NULL, 'B'},
	{"gamma", optional_argument, &flag, 'G'}, {"gammb", optional_argument, &flag, 'G'},
	{"delta", required_argument, NULL, 'D'},  {"delete", no_argument, NULL, 'd'},
	{"de=x", no_argument, NULL, 'e'},         {0},
};

struct result {
	int value, error, ind, opt, flag, index;
	long arg;
};

struct results {
	unsigned n;
	struct result of[RESULTS];
	char message[4096];
	ssize_t length;
};

typedef int (*getter)(int, char *const *, const char *, const struct option *, int *);

// The offset of optarg in the words; -1 when there is none.
static long place(const char *p)
{
	return p ? p - words[0] : -1;
}

// Calls it until nothing is left, with standard error in a pipe.
static void collect(getter get, char **argv, const char *letters, bool tell, int first, struct results *r)
{
	int out[2], saved = dup(2);
	memset(r, 0, sizeof *r);
	pipe(out);
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	dup2(out[1], 2);
	optind = first;
	opterr = tell;
	optopt = 'q';
	do {
		struct result *now = &r->of[r->n++];
		flag = 0;
		int index = -7;
		errno = 0;
		int value = get(argument_count, argv, letters, options, &index);
		now->error = errno;
		now->value = value;
		now->ind = optind;
		now->opt = optopt;
		now->flag = flag;
		now->index = index;
		now->arg = place(optarg);
	} while (r->of[r->n - 1].value != -1 && r->n < RESULTS);
	dup2(saved, 2);
	close(saved);
	close(out[1]);
	r->length = read(out[0], r->message, sizeof r->message);
	close(out[0]);
}

static void set_mode(getter real, getter model, const char *letters)
{
	optind = 0;
	real(1, arguments[0], letters, options, NULL);
	optind = 0;
	model(1, arguments[1], letters, options, NULL);
}

static void compare(getter real, getter model)
{
	static const char *const letters[] = {"abc:d::",   "+abc:d::",  "-abc:d::", ":abc:d::", "+:ab:c",
	                                      "abc:d::W;", "-:abW;c::", "",         "W;",       "a:W:b"};
	static struct results expected, got;
	const char *which = letters[below(sizeof letters / sizeof *letters)];
	bool tell = below(4);
	int first = below(8) ? 0 : 1 + (int)below(2); // 0: from the start; else it goes on in the mode it is in
	if (below(6) == 0)
		setenv("POSIXLY_CORRECT", "1", 1);
	else
		unsetenv("POSIXLY_CORRECT");
	some_arguments();
	if (first > argument_count)
		first = 0;
	if (first)
		set_mode(real, model, letters[below(sizeof letters / sizeof *letters)]);
	collect(real, arguments[0], which, tell, first, &expected);
	collect(model, arguments[1], which, tell, first, &got);
	SAME(&expected.n, &got.n, sizeof got.n);
	SAME(expected.of, got.of, expected.n * sizeof *got.of);
	SAME(arguments[0], arguments[1], sizeof arguments[0]);
	SAME(&expected.length, &got.length, sizeof got.length);
	SAME(expected.message, got.message, sizeof got.message);
	labelled += veer_is_symbolic && veer_is_symbolic(words, sizeof words);
}

static int real_short(int argc, char *const *argv, const char *letters, const struct option *long_options, int *index)
{
	return REAL(getopt)(argc, argv, letters);
}

static int model_short(int argc, char *const *argv, const char *letters, const struct option *long_options, int *index)
{
	return getopt(argc, argv, letters);
}

static void test_getopt(void)
{
	compare(real_short, model_short);
}

int __posix_getopt(int argc, char *const *argv, const char *letters);

static int real_posix(int argc, char *const *argv, const char *letters, const struct option *long_options, int *index)
{
	return REAL(__posix_getopt)(argc, argv, letters);
}

static int model_posix(int argc, char *const *argv, const char *letters, const struct option *long_options, int *index)
{
	return __posix_getopt(argc, argv, letters);
}

static void test_posix_getopt(void)
{
	compare(real_posix, model_posix);
}

static void test_getopt_long(void)
{
	compare(REAL(getopt_long), getopt_long);
}

static void test_getopt_long_only(void)
{
	compare(REAL(getopt_long_only), getopt_long_only);
}

int main(int argc, char **argv)
{
	start(argc, argv);
	TEST(getopt);
	TEST(posix_getopt);
	TEST(getopt_long);
	TEST(getopt_long_only);
	return report();
}
