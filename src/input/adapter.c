#include "input/adapter.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"

void adapter_release(struct adapter *m)
{
	input_release(&m->base);
	mem_free(m->cwd);
	mem_free(m->places);
	*m = (struct adapter){0};
}

void adapter_content(struct input *in, bool file, const void *data, size_t size)
{
	enum input_kind kind = file ? INPUT_FILE : INPUT_STDIN;
	const char *name = file ? ADAPTER_FILE : NULL;
	struct input_part *p = input_find(in, kind, name);
	if (!p)
		p = input_add(in, kind, name, "", 0);
	buf_clear(&p->data);
	buf_add(&p->data, data ? data : "", size);
}

// --- objects of KLEE ------------------------------------------------------------------------------

// "arg0", "arg12".
static bool is_argument(const char *name)
{
	return strncmp(name, "arg", 3) == 0 && isdigit((unsigned char)name[3]) &&
	       name[3 + strspn(name + 3, "0123456789")] == 0;
}

// "A-data".
static bool is_file(const char *name)
{
	return isupper((unsigned char)name[0]) && strcmp(name + 1, "-data") == 0;
}

static bool is_description(const char *name)
{
	static const char *const known[] = {"model_version", "n_args",      "stdout",         "read_fail", "write_fail",
	                                    "close_fail",    "getcwd_fail", "ftruncate_fail", NULL};
	for (size_t i = 0; known[i]; i++)
		if (strcmp(known[i], name) == 0)
			return true;
	size_t n = strlen(name);
	return n > 5 && strcmp(name + n - 5, "-stat") == 0;
}

static uint32_t number_in(const struct foreign_object *o)
{
	uint32_t n = 0;
	if (o->data.len >= 4)
		memcpy(&n, o->data.data, 4);
	return n;
}

// The next object that is an argument (or the number of some), from *at on; NULL when there is none.
static const struct foreign_object *next_object(const struct foreign *s, size_t *at, bool number)
{
	while (*at < s->n) {
		const struct foreign_object *o = &s->v[(*at)++];
		if (number ? strcmp(o->name, "n_args") == 0 : is_argument(o->name))
			return o;
	}
	return NULL;
}

static void set_string(struct buf *to, const struct foreign_object *from)
{
	buf_clear(to);
	buf_add(to, from->data.data, strnlen(from->data.data, from->data.len));
}

static void add_argument(struct input *in, const struct foreign_object *o)
{
	set_string(&input_add(in, INPUT_ARGUMENT, NULL, "", 0)->data, o);
}

// How many words an option of KLEE takes, itself included; 0: it is none.
static size_t option_words(const char *word)
{
	static const struct {
		const char *name;
		size_t words;
	} known[] = {{"sym-arg", 2},  {"sym-args", 4}, {"sym-files", 3},       {"sym-stdin", 2}, {"sym-stdout", 1},
	             {"max-fail", 2}, {"fd-fail", 1},  {"save-all-writes", 1}, {"bout-file", 2}, {"sym-env", 2}};
	size_t dashes = strspn(word, "-");
	for (size_t i = 0; (dashes == 1 || dashes == 2) && i < sizeof known / sizeof *known; i++)
		if (strcmp(known[i].name, word + dashes) == 0)
			return known[i].words;
	return 0;
}

// The command line that KLEE was given, with its objects in place of its options. The program's name is ours.
static void add_its_command(struct input *in, const struct foreign *s)
{
	enum { ARGUMENTS_MAX = 1024 };
	size_t argument = 0, number = 0;
	for (size_t i = 1; i < s->args.n;) {
		size_t words = option_words(s->args.v[i]);
		uint32_t count = words == 2 && strstr(s->args.v[i], "sym-arg") ? 1 : 0;
		const struct foreign_object *o;
		if (words == 4 && (o = next_object(s, &number, true)))
			count = number_in(o);
		if (!words)
			input_add(in, INPUT_ARGUMENT, NULL, s->args.v[i], strlen(s->args.v[i]));
		for (; count && count <= ARGUMENTS_MAX && (o = next_object(s, &argument, false)); count--)
			add_argument(in, o);
		i += words ? words : 1;
	}
}

static void set_arguments(const struct adapter *m, struct input *in, const struct foreign *s)
{
	size_t at = 0, place = 0;
	if (!m->n_places && !m->marked && !input_argument(in, 1) && s->args.n) {
		add_its_command(in, s);
		return;
	}
	for (const struct foreign_object *o; (o = next_object(s, &at, false)); place++)
		if (place < m->n_places)
			set_string(&in->v[m->places[place]].data, o);
		else
			add_argument(in, o);
}

static void set_file(const struct adapter *m, struct input *in, const struct foreign_object *o)
{
	if (m->has_file && o->name[0] == 'A') {
		adapter_content(in, true, o->data.data, o->data.len);
		return;
	}
	char *path = mem_printf("%s/%c", strcmp(m->cwd, "/") == 0 ? "" : m->cwd, o->name[0]);
	struct input_part *p = input_find(in, INPUT_FILE, path);
	if (!p)
		p = input_add(in, INPUT_FILE, path, "", 0);
	buf_clear(&p->data);
	buf_add(&p->data, o->data.data, o->data.len);
	mem_free(path);
}

static void add_object(struct input *in, const struct foreign_object *o)
{
	struct input_part *p = input_find(in, INPUT_OBJECT, NULL);
	if (!p)
		p = input_add(in, INPUT_OBJECT, NULL, "", 0);
	buf_add(&p->data, o->data.data, o->data.len);
}

static void set_objects(const struct adapter *m, struct input *in, const struct foreign *s)
{
	bool posix = foreign_find(s, "model_version");
	if (m->has_file)
		adapter_content(in, true, "", 0);
	if (posix)
		set_arguments(m, in, s);
	for (size_t i = 0; i < s->n; i++) {
		const struct foreign_object *o = &s->v[i];
		if (posix && strcmp(o->name, "stdin") == 0)
			adapter_content(in, false, o->data.data, o->data.len);
		else if (posix && is_file(o->name))
			set_file(m, in, o);
		else if (!posix || (!is_argument(o->name) && !is_description(o->name)))
			add_object(in, o);
	}
}

void adapter_input(const struct adapter *m, const struct foreign *s, struct input *ret)
{
	input_copy(ret, &m->base);
	if (s->has_objects)
		set_objects(m, ret, s);
	else
		adapter_content(ret, m->has_file, s->bytes.data, s->bytes.len);
}

// --- and back -------------------------------------------------------------------------------------

// The letter of the file that an argument names; 0: it names none.
static char letter_of(const struct input *in, const struct buf *argument)
{
	char letter = 'A';
	for (size_t i = 0; i < in->n; i++) {
		if (in->v[i].kind != INPUT_FILE || !in->v[i].data.len)
			continue;
		const char *path = in->v[i].name, *base = path_basename(path);
		if (argument->len && (strcmp(argument->data, path) == 0 || strcmp(argument->data, base) == 0))
			return letter;
		letter++;
	}
	return 0;
}

static void add_words(struct foreign *s, const char *option, size_t number)
{
	strv_push(&s->args, option);
	strv_pushf(&s->args, "%zu", number);
}

static void add_file(struct foreign *s, const char *name, const struct buf *content)
{
	char *described = mem_printf("%s-stat", name);
	struct stat st = {.st_ino = 1, .st_nlink = 1, .st_mode = S_IFREG | 0644, .st_blksize = 4096, .st_blocks = 8};
	st.st_size = (off_t)content->len;
	foreign_add(s, name, NULL, content->data, content->len);
	foreign_add(s, described, NULL, &st, sizeof st);
	mem_free(described);
}

static void add_its_arguments(struct foreign *s, const struct input *in)
{
	const struct input_part *p;
	for (size_t i = 1; (p = input_argument(in, i)); i++) {
		char letter = letter_of(in, &p->data), name[16];
		if (letter) {
			strv_pushf(&s->args, "%c", letter);
			continue;
		}
		struct buf text = {0};
		buf_add(&text, p->data.data, p->data.len);
		buf_addch(&text, 0);
		unsigned number = 0;
		for (size_t k = 0; k < s->n; k++)
			number += is_argument(s->v[k].name);
		memcpy(name, "arg", 3);
		name[3] = (char)('0' + number / 10 % 10);
		name[4] = (char)('0' + number % 10);
		name[5] = 0;
		add_words(s, "--sym-arg", p->data.len);
		foreign_add(s, name, NULL, text.data, text.len);
		buf_release(&text);
	}
}

// Files A, B ...; returns how many parts have no place.
static size_t add_its_files(struct foreign *s, const struct input *in)
{
	size_t left_out = 0, most = 0;
	char name[] = "A-data";
	for (size_t i = 0; i < in->n; i++) {
		const struct input_part *p = &in->v[i];
		bool fits = p->data.len && name[0] <= 'Z';
		left_out += p->kind == INPUT_VARIABLE || (p->kind == INPUT_FILE && !fits);
		if (p->kind != INPUT_FILE || !fits)
			continue;
		add_file(s, name, &p->data);
		most = p->data.len > most ? p->data.len : most;
		name[0]++;
	}
	if (most) {
		add_words(s, "--sym-files", (size_t)(name[0] - 'A'));
		strv_pushf(&s->args, "%zu", most);
	}
	return left_out;
}

static bool has_objects(const struct input *in)
{
	for (size_t i = 0; i < in->n; i++)
		if (in->v[i].kind == INPUT_OBJECT)
			return true;
	return false;
}

// As the program calls them, in their order.
static void add_its_objects(struct foreign *s, const struct input *in)
{
	for (size_t i = 0; i < in->n; i++) {
		const struct input_part *p = &in->v[i];
		if (p->kind == INPUT_OBJECT)
			foreign_add(s, p->name ? p->name : "objects", NULL, buf_str(&p->data), p->data.len);
	}
}

// Only what there is: a program that takes nothing from outside has its objects alone, as KLEE without its POSIX model.
static bool needs_posix(const struct input *in)
{
	size_t arguments = 0;
	for (size_t i = 0; i < in->n; i++) {
		arguments += in->v[i].kind == INPUT_ARGUMENT;
		if (in->v[i].kind == INPUT_FILE || (in->v[i].kind == INPUT_STDIN && in->v[i].data.len))
			return true;
	}
	return arguments > 1 || !has_objects(in);
}

size_t adapter_objects(const struct input *in, struct foreign *ret)
{
	const struct input_part *name = input_argument(in, 0), *input = input_find(in, INPUT_STDIN, NULL);
	const uint32_t version = 1;
	size_t left_out = 0;
	ret->has_objects = true;
	strv_push(&ret->args, name && name->data.len ? name->data.data : "program");
	if (needs_posix(in)) {
		add_its_arguments(ret, in);
		left_out = add_its_files(ret, in);
		if (input && input->data.len) {
			add_words(ret, "--sym-stdin", input->data.len);
			add_file(ret, "stdin", &input->data);
		}
		foreign_add(ret, "model_version", NULL, &version, sizeof version);
	}
	add_its_objects(ret, in);
	return left_out;
}

void adapter_bytes(const struct input *in, struct foreign *ret)
{
	const struct input_part *found = NULL;
	for (size_t i = 0; i < in->n; i++)
		if (in->v[i].kind == INPUT_FILE && (!found || strcmp(in->v[i].name, ADAPTER_FILE) == 0))
			found = &in->v[i];
	if (!found)
		found = input_find(in, INPUT_STDIN, NULL);
	if (found)
		buf_add(&ret->bytes, found->data.data, found->data.len);
}
