#include "input/input_template.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "input/sym.h"

enum { FILE_MAX = 1 << 20, SIZE_MAX_TEMPLATE = 1 << 20, READ_SIZE = 1 << 16 };

struct reader {
	struct input_template *input_template;
	struct input base; // arguments that are always there, with the first content of everything
	const char *cwd;
	int arguments_max, arguments_min; // of --sym-args, at most one group of them varies in number
	size_t argument_size;
	bool has_file, has_args;
	const char *name; // of something that can be opened
	size_t *symbolic; // arguments of the base that are
	size_t n_symbolic;
	struct buf files; // words for --sym
};

static int number(const char *word, const char *option, size_t *ret, struct err *err)
{
	char *end = NULL;
	unsigned long n = word ? strtoul(word, &end, 10) : 0;
	if (!word || !*word || *end || n > SIZE_MAX_TEMPLATE)
		return err_set(err, "%s wants a number up to %d%s%s", option, SIZE_MAX_TEMPLATE, word ? ", not " : "",
		               word ? word : "");
	*ret = n;
	return 0;
}

static void add_filled(struct input *in, enum input_kind kind, const char *name, size_t size)
{
	char *bytes = mem_alloc(size + 1);
	memset(bytes, 'a', size);
	input_add(in, kind, name, bytes, size);
	mem_free(bytes);
}

static int add_arguments(struct reader *r, size_t min, size_t max, size_t size, struct err *err)
{
	if (max < min || max > 64)
		return err_set(err, "--sym-args wants MIN MAX N with MIN <= MAX <= 64");
	if (r->has_args && max != min)
		return err_set(err, "only one --sym-args may vary in number");
	for (size_t i = 0; i < min && max == min; i++) {
		r->symbolic = mem_resize(r->symbolic, (r->n_symbolic + 1) * sizeof *r->symbolic);
		r->symbolic[r->n_symbolic++] = r->base.n;
		add_filled(&r->base, INPUT_ARGUMENT, NULL, size);
	}
	for (size_t i = 0; i < max; i++)
		add_filled(&r->input_template->largest, INPUT_ARGUMENT, NULL, size);
	r->input_template->bounded = true;
	if (max == min)
		return 0;
	r->has_args = true;
	r->arguments_min = (int)min;
	r->arguments_max = (int)max;
	r->argument_size = size;
	return 0;
}

static int add_files(struct reader *r, size_t n, size_t size, struct err *err)
{
	if (n > 26)
		return err_set(err, "--sym-files: at most 26 files");
	for (size_t i = 0; i < n; i++) {
		char *path = mem_printf("%s/%c", r->cwd, (char)('A' + i));
		add_filled(&r->base, INPUT_FILE, path, size);
		add_filled(&r->input_template->largest, INPUT_FILE, path, size);
		buf_printf(&r->files, ",file:%s", path);
		mem_free(path);
	}
	r->name = n ? "A" : r->name;
	r->input_template->bounded = true;
	return 0;
}

// Takes the words of one mark. Returns how many; 0 when it is none; -1 with *err filled.
static int read_mark(struct reader *r, char **words, struct err *err)
{
	size_t a, b, c;
	const char *w = words[0];
	if (strcmp(w, "--sym-arg") == 0 || strcmp(w, "-sym-arg") == 0)
		return number(words[1], w, &a, err) < 0 || add_arguments(r, 1, 1, a, err) < 0 ? -1 : 2;
	if (strcmp(w, "--sym-args") == 0 || strcmp(w, "-sym-args") == 0)
		return number(words[1], w, &a, err) < 0 || number(words[2], w, &b, err) < 0 ||
		                       number(words[3], w, &c, err) < 0 || add_arguments(r, a, b, c, err) < 0
		               ? -1
		               : 4;
	if (strcmp(w, "--sym-files") == 0 || strcmp(w, "-sym-files") == 0)
		return number(words[1], w, &a, err) < 0 || number(words[2], w, &b, err) < 0 ||
		                       add_files(r, a, b, err) < 0
		               ? -1
		               : 3;
	if (strcmp(w, "--sym-stdin") == 0 || strcmp(w, "-sym-stdin") == 0) {
		if (number(words[1], w, &a, err) < 0)
			return -1;
		add_filled(&r->base, INPUT_STDIN, NULL, a);
		add_filled(&r->input_template->largest, INPUT_STDIN, NULL, a);
		r->input_template->bounded = true;
		return 2;
	}
	return 0;
}

static int read_words(struct reader *r, char **argv, struct err *err)
{
	input_add(&r->base, INPUT_ARGUMENT, NULL, argv[0], strlen(argv[0]));
	input_add(&r->input_template->largest, INPUT_ARGUMENT, NULL, argv[0], strlen(argv[0]));
	for (char **w = argv + 1; *w;) {
		int n = read_mark(r, w, err);
		if (n < 0)
			return -1;
		if (n > 0) {
			w += n;
			continue;
		}
		bool file = strcmp(*w, "@@") == 0;
		const char *word = file ? ADAPTER_FILE : *w;
		r->has_file |= file;
		input_add(&r->base, INPUT_ARGUMENT, NULL, word, strlen(word));
		input_add(&r->input_template->largest, INPUT_ARGUMENT, NULL, word, strlen(word));
		w++;
	}
	return 0;
}

static struct input *add_seed(struct input_template *s, const struct input *from)
{
	s->seeds = mem_resize(s->seeds, (s->n_seeds + 1) * sizeof *s->seeds);
	struct input *in = &s->seeds[s->n_seeds++];
	*in = (struct input){0};
	input_copy(in, from);
	return in;
}

static void add_foreign(struct reader *r, const struct foreign *foreign)
{
	struct input_template *s = r->input_template;
	s->seeds = mem_resize(s->seeds, (s->n_seeds + 1) * sizeof *s->seeds);
	adapter_input(&s->adapter, foreign, &s->seeds[s->n_seeds++]);
}

// A pipe that says nothing is one that we happened to be started with.
static bool has_something(int fd)
{
	enum { PATIENCE_MS = 2000 };
	struct stat st;
	struct pollfd p = {.fd = fd, .events = POLLIN};
	if (fd < 0 || fstat(fd, &st) < 0)
		return false;
	return S_ISREG(st.st_mode) || (S_ISFIFO(st.st_mode) && poll(&p, 1, PATIENCE_MS) == 1);
}

// From where it stands to its end.
static int take_stdin(struct reader *r, int fd, struct err *err)
{
	struct buf bytes = {0};
	ssize_t n = 0;
	if (input_find(&r->base, INPUT_STDIN, NULL) || !has_something(fd))
		return 0;
	do {
		buf_reserve(&bytes, READ_SIZE);
		n = read(fd, bytes.data + bytes.len, READ_SIZE);
		bytes.len += n > 0 ? (size_t)n : 0;
	} while (bytes.len <= FILE_MAX && (n > 0 || (n < 0 && errno == EINTR)));
	if (n < 0)
		err_errno(err, "cannot read standard input");
	else if (bytes.len > FILE_MAX)
		n = err_set(err, "standard input is too large to begin with: at most %d bytes", FILE_MAX);
	else if (bytes.len)
		input_add(&r->base, INPUT_STDIN, NULL, bytes.data, bytes.len);
	buf_release(&bytes);
	return n < 0 ? -1 : 0;
}

enum content { EMPTY, NAME, FILLED, CONTENTS };

static void add_argument(struct reader *r, struct input *in, size_t size, enum content content)
{
	if (content == NAME && strlen(r->name) <= size)
		input_add(in, INPUT_ARGUMENT, NULL, r->name, strlen(r->name));
	else
		add_filled(in, INPUT_ARGUMENT, NULL, content == EMPTY ? 0 : size);
}

static void add_plain_seed(struct reader *r, int arguments, enum content content)
{
	struct input *in = add_seed(r->input_template, &r->base);
	for (size_t i = 0; i < r->n_symbolic && content == NAME; i++) {
		struct buf *b = &in->v[r->symbolic[i]].data;
		if (b->len >= strlen(r->name)) {
			buf_clear(b);
			buf_addstr(b, r->name);
		}
	}
	for (int i = 0; i < arguments; i++)
		add_argument(r, in, r->argument_size, content);
	if (r->has_file)
		adapter_content(in, true, "0123456789abcdef", content == FILLED ? 16 : 0);
}

// Without given values: every number of arguments; with content and without; and with the name of something that can
// be opened, which nothing in the program's conditions tells.
static void add_plain(struct reader *r)
{
	for (int n = r->arguments_min; n <= r->arguments_max; n++)
		for (int c = 0; c < CONTENTS; c++) {
			bool wanted = c == EMPTY  ? n || r->has_file || !r->n_symbolic
			              : c == NAME ? n || r->n_symbolic
			                          : n || r->has_file || r->n_symbolic;
			if (wanted)
				add_plain_seed(r, n, (enum content)c);
		}
}

// What a seed is given has to be in it: elsewhere, and tomorrow, the environment is another.
static void take_variables(struct reader *r, const char *sym)
{
	for (char **e = environ; sym && e && *e; e++) {
		size_t n = strcspn(*e, "=");
		if (!(*e)[n] || !sym_names_variable(sym, *e, n))
			continue;
		char *name = mem_copy(*e, n);
		if (!input_find(&r->base, INPUT_VARIABLE, name))
			input_add(&r->base, INPUT_VARIABLE, name, *e + n + 1, strlen(*e + n + 1));
		mem_free(name);
	}
}

int input_template_read(struct input_template *ret, char **argv, const char *sym, const struct foreigns *foreigns,
                        int stdin_fd, const char *cwd, struct err *err)
{
	*ret = (struct input_template){0};
	struct reader r = {.input_template = ret, .cwd = cwd, .name = "."};
	int result = read_words(&r, argv, err);
	if (result == 0)
		result = take_stdin(&r, stdin_fd, err);
	take_variables(&r, sym);
	buf_addstr(&ret->sym, sym ? sym : r.has_file ? "stdin" : "argv,stdin"); // not the name of the file
	if (r.has_file)
		buf_addstr(&ret->sym, ",file:" ADAPTER_FILE);
	buf_add(&ret->sym, r.files.data, r.files.len);
	ret->adapter = (struct adapter){.base = r.base,
	                                .has_file = r.has_file,
	                                .cwd = mem_strdup(cwd),
	                                .places = r.symbolic,
	                                .n_places = r.n_symbolic,
	                                .marked = r.has_args};
	for (size_t i = 0; result == 0 && foreigns && i < foreigns->n; i++)
		add_foreign(&r, &foreigns->v[i]);
	if (result == 0 && !foreigns)
		add_plain(&r);
	buf_release(&r.files);
	if (result < 0)
		input_template_release(ret);
	return result;
}

void input_template_release(struct input_template *s)
{
	for (size_t i = 0; i < s->n_seeds; i++)
		input_release(&s->seeds[i]);
	mem_free(s->seeds);
	input_release(&s->largest);
	adapter_release(&s->adapter);
	buf_release(&s->sym);
	*s = (struct input_template){0};
}
