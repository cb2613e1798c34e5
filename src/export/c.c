// Unit tests in C, for targets of libFuzzer and for programs that make objects symbolic themselves. One file: each test
// runs in a process of its own, so that one that crashes fails alone.
#include <ctype.h>
#include <string.h>

#include "base/decimal.h"
#include "base/file.h"
#include "base/mem.h"
#include "export/export.h"
#include "formats/ctype.h"

struct writer {
	const struct export_suite *suite;
	struct buf *out;
};

// --- values ---------------------------------------------------------------------------------------

static bool is_text(unsigned char c)
{
	return (c >= ' ' && c <= '~') || c == '\n' || c == '\t';
}

// Relevant bytes of an array: runs of text as strings, others one by one.
static void add_bytes(struct buf *out, const char *array, const char *data, const char *mask, size_t size)
{
	enum { LINE = 60 };
	for (size_t i = 0; i < size;) {
		size_t n = 0;
		while (i + n < size && n < LINE && mask[i + n] && is_text((unsigned char)data[i + n]))
			n++;
		if (n >= 3) {
			buf_printf(out, "\tmemcpy(%s + %zu, ", array, i);
			export_string(out, data + i, n);
			buf_printf(out, ", %zu);\n", n);
			i += n;
			continue;
		}
		unsigned char c = (unsigned char)data[i];
		if (mask[i] && isalnum(c))
			buf_printf(out, "\t%s[%zu] = '%c';\n", array, i, c);
		else if (mask[i])
			buf_printf(out, "\t%s[%zu] = 0x%02x;\n", array, i, c);
		i++;
	}
}

// What such tests are like for a comment, which it must not end.
static void add_comment(struct writer *w, const struct export_test *t)
{
	struct buf text = {0};
	export_comment(&text, "", t);
	buf_addstr(w->out, "/* ");
	for (size_t i = 0; i + 1 < text.len; i++)
		if (text.data[i] == '\n')
			buf_addstr(w->out, "\n * ");
		else
			buf_addch(w->out, text.data[i] == '/' && i && text.data[i - 1] == '*' ? '|' : text.data[i]);
	buf_addstr(w->out, " */\n");
	buf_release(&text);
}

// --- targets of libFuzzer -------------------------------------------------------------------------

static const struct input_part *content_of(const struct export_test *t, const struct input_part **ret_mask)
{
	static const enum input_kind kinds[] = {INPUT_FILE, INPUT_STDIN, INPUT_OBJECT};
	for (size_t k = 0; k < 3; k++)
		for (size_t i = 0; i < t->input->n; i++)
			if (t->input->v[i].kind == kinds[k]) {
				*ret_mask = &t->masks->v[i];
				return &t->input->v[i];
			}
	return NULL;
}

// The byte that most don't-care bytes are.
static unsigned char filler_of(const struct input_part *p, const struct input_part *mask)
{
	for (size_t i = 0; i < p->data.len; i++)
		if (!mask->data.data[i])
			return (unsigned char)p->data.data[i];
	return 0;
}

static void add_target_test(struct writer *w, const struct export_test *t)
{
	const struct input_part *mask = NULL, *p = content_of(t, &mask);
	size_t size = p ? p->data.len : 0;
	unsigned char filler = p ? filler_of(p, mask) : 0;
	add_comment(w, t);
	buf_printf(w->out, "static int %s(void)\n{\n\tuint8_t *data = block(%zu);\n", t->id, size);
	if (isalnum(filler))
		buf_printf(w->out, "\tmemset(data, '%c', %zu);\n", filler, size);
	else if (size)
		buf_printf(w->out, "\tmemset(data, %u, %zu);\n", filler, size);
	if (size)
		add_bytes(w->out, "data", p->data.data, mask->data.data, size);
	buf_printf(w->out, "\tLLVMFuzzerTestOneInput(data, %zu);\n\tfree(data);\n\treturn 0;\n}\n\n", size);
}

// --- programs with objects ------------------------------------------------------------------------

// The type of the field of an object at `offset`, or of the whole object; false: none that is known and fits.
static bool type_at(const struct writer *w, const struct input_part *object, size_t offset, const char **ret_field,
                    struct ctype *ret)
{
	static const char nondet[] = "nondet_";
	const char *name = object->name ? object->name : "";
	const struct export_field *f = export_find(w->suite, name, offset);
	bool whole = !f && offset == 0 && strncmp(name, nondet, strlen(nondet)) == 0, good = false;
	if (f || whole)
		good = ctype_parse(f ? f->type : name + strlen(nondet), ret);
	*ret_field = f ? f->name : "";
	return good && ret->size <= 8 && offset + ret->size <= object->data.len &&
	       (!whole || ret->size == object->data.len);
}

// A name of C for a number of that kind.
static const char *name_of(const struct ctype *c)
{
	static const char *const whole[2][5] = {{"int8_t", "int16_t", "int32_t", "int64_t", "__int128"},
	                                        {"uint8_t", "uint16_t", "uint32_t", "uint64_t", "unsigned __int128"}};
	if (c->kind == CTYPE_FLOAT)
		return c->size == 4 ? "float" : "double";
	int log = c->size == 1 ? 0 : c->size == 2 ? 1 : c->size == 4 ? 2 : c->size == 8 ? 3 : 4;
	return whole[c->kind != CTYPE_SIGNED][log];
}

static bool any(const char *mask, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (mask[i])
			return true;
	return false;
}

static void add_typed(struct writer *w, const struct ctype *c, const char *field, size_t at, const char *data)
{
	struct buf value = {0};
	ctype_write(c, data, &value);
	bool is_least = c->kind == CTYPE_SIGNED && c->size == 8 && strcmp(value.data, "-9223372036854775808") == 0;
	const char *end = c->kind == CTYPE_FLOAT ? "" : c->kind == CTYPE_UNSIGNED && c->size == 8 ? "u" : "";
	buf_printf(w->out, "\t*(%s *)(at + %zu) = %s%s;", name_of(c), at, is_least ? "INT64_MIN" : value.data,
	           is_least ? "" : end);
	struct buf beside = {0};
	buf_addstr(&beside, field);
	if (c->kind == CTYPE_FLOAT && strpbrk(value.data, "px")) { // a hexadecimal constant: what it is in decimal
		buf_addstr(&beside, *field ? ": " : "");
		decimal_float(&beside, data, c->size);
	}
	if (beside.len) {
		buf_addstr(w->out, " /* ");
		export_commented(w->out, beside.data, beside.len);
		buf_addstr(w->out, " */");
	}
	buf_release(&beside);
	buf_addch(w->out, '\n');
	buf_release(&value);
}

// One object: the relevant fields, and what has no type, or more than 64 bits, byte by byte.
static void add_setter(struct writer *w, const char *id, size_t number, const struct input_part *object,
                       const char *mask)
{
	const char *data = object->data.data;
	size_t size = object->data.len;
	buf_printf(w->out, "static void %s_%zu(unsigned char *at)\n{\n", id, number);
	if (!any(mask, size))
		buf_addstr(w->out, "\t(void)at; /* nothing of it is relevant */\n");
	size_t bytes = 0; // without a type, before i
	for (size_t i = 0; i <= size;) {
		struct ctype c;
		const char *field = "";
		if (i < size && !type_at(w, object, i, &field, &c)) {
			i++;
			bytes++;
			continue;
		}
		if (bytes) {
			char *array = i == bytes ? mem_strdup("at") : mem_printf("(at + %zu)", i - bytes);
			add_bytes(w->out, array, data + i - bytes, mask + i - bytes, bytes);
			mem_free(array);
		}
		bytes = 0;
		if (i == size)
			break;
		if (any(mask + i, c.size))
			add_typed(w, &c, field, i, data + i);
		i += c.size;
	}
	buf_addstr(w->out, "}\n\n");
}

static void add_objects(struct writer *w, const struct export_test *t)
{
	const struct input *in = t->input;
	size_t n = 0;
	for (size_t i = 0; i < in->n; i++)
		if (in->v[i].kind == INPUT_OBJECT)
			add_setter(w, t->id, n++, &in->v[i], t->masks->v[i].data.data);
	buf_printf(w->out, "static const struct object %s_objects[] = {\n", t->id);
	n = 0;
	for (size_t i = 0; i < in->n; i++) {
		const char *name = in->v[i].name ? in->v[i].name : "";
		if (in->v[i].kind != INPUT_OBJECT)
			continue;
		buf_addstr(w->out, "\t{");
		export_string(w->out, name, strlen(name));
		buf_printf(w->out, ", %zu, %s_%zu},\n", in->v[i].data.len, t->id, n++);
	}
	buf_addstr(w->out, "\t{0}\n};\n\n");
}

static void add_program_test(struct writer *w, const struct export_test *t)
{
	const struct input *in = t->input;
	const struct input_part *input = input_find(in, INPUT_STDIN, NULL);
	size_t arguments = 0;
	add_objects(w, t);
	add_comment(w, t);
	buf_printf(w->out, "static int %s(void)\n{\n\tchar *argv[] = {", t->id);
	for (size_t i = 0; i < in->n; i++)
		if (in->v[i].kind == INPUT_ARGUMENT) {
			buf_addstr(w->out, arguments++ ? ", (char[]){" : "(char[]){");
			export_string(w->out, in->v[i].data.data, in->v[i].data.len);
			buf_addch(w->out, '}');
		}
	buf_addstr(w->out, ", 0};\n");
	for (size_t i = 0; i < in->n; i++)
		if (in->v[i].kind == INPUT_VARIABLE) {
			buf_addstr(w->out, "\tsetenv(");
			export_string(w->out, in->v[i].name, strlen(in->v[i].name));
			buf_addstr(w->out, ", ");
			export_string(w->out, in->v[i].data.data, in->v[i].data.len);
			buf_addstr(w->out, ", 1);\n");
		}
	if (input && input->data.len) {
		buf_addstr(w->out, "\tgive_input(");
		export_string(w->out, input->data.data, input->data.len);
		buf_printf(w->out, ", %zu);\n", input->data.len);
	}
	buf_printf(w->out, "\tnext = %s_objects;\n\treturn program_main(%zu, argv);\n}\n\n", t->id, arguments);
}

// --- the file -------------------------------------------------------------------------------------

static const char head_target[] = " *   cc -g -fsanitize=address,undefined tests.c TARGET.c -o tests && ./tests\n";
static const char head_program[] = " *   cc -g -fsanitize=address,undefined -Dmain=program_main -c PROGRAM.c\n"
				   " *   cc -g -fsanitize=address,undefined tests.c PROGRAM.o -o tests && ./tests\n";

static const char common[] =
	"#include <assert.h>\n#include <math.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
	"#include <string.h>\n#include <sys/wait.h>\n#include <unistd.h>\n\n"
	"/* So that what the sanitizers find has an exit status of its own. */\n"
	"const char *__asan_default_options(void);\nconst char *__asan_default_options(void)\n{\n"
	"\treturn \"exitcode=99:detect_leaks=0\";\n}\n"
	"const char *__ubsan_default_options(void);\nconst char *__ubsan_default_options(void)\n{\n"
	"\treturn \"halt_on_error=1:exitcode=99\";\n}\n\n";

static const char for_target[] =
	"int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);\n\n"
	"/* Of exactly that size, so that what reads behind it is found. */\n"
	"static uint8_t *block(size_t size)\n{\n\tuint8_t *data = NULL;\n"
	"\tassert(posix_memalign((void **)&data, sizeof(void *), size) == 0);\n\treturn data;\n}\n\n";

static const char for_program[] =
	"int program_main(int argc, char **argv);\n\n"
	"struct object {\n\tconst char *name;\n\tsize_t size;\n\tvoid (*set)(unsigned char *at);\n};\n\n"
	"static const struct object *next; /* that the program will ask for */\n\n"
	"/* What is not set here does not matter, and is 0. Objects that the test has no value for stay as they are. "
	"*/\n"
	"void veer_make_symbolic(void *data, size_t size, const char *name);\n"
	"void veer_make_symbolic(void *data, size_t size, const char *name)\n{\n"
	"\tif (!next || !next->set || !size)\n\t\treturn;\n"
	"\tassert(size == next->size); /* otherwise the program has changed */\n"
	"\tmemset(data, 0, size);\n\tnext->set(data);\n\tnext++;\n\t(void)name;\n}\n\n"
	"__attribute__((weak)) void klee_make_symbolic(void *data, size_t size, const char *name);\n"
	"void klee_make_symbolic(void *data, size_t size, const char *name)\n{\n"
	"\tveer_make_symbolic(data, size, name);\n}\n\n"
	"__attribute__((weak)) void klee_assume(uintptr_t condition);\n"
	"void klee_assume(uintptr_t condition)\n{\n\tif (!condition)\n\t\texit(0);\n}\n\n"
	"__attribute__((weak)) void veer_assume(uintptr_t condition);\n"
	"void veer_assume(uintptr_t condition)\n{\n\tklee_assume(condition);\n}\n\n"
	"__attribute__((unused)) static void give_input(const char *data, size_t size)\n{\n"
	"\tFILE *f = tmpfile();\n\tassert(f && fwrite(data, 1, size, f) == size && fflush(f) == 0);\n"
	"\trewind(f);\n\tassert(dup2(fileno(f), 0) == 0);\n}\n\n";

static const char nondet_head[] = "/* Values of the verification competitions. */\n"
				  "#define NONDET(name, type) \\\n"
				  "\t__attribute__((weak)) type __VERIFIER_nondet_##name(void); \\\n"
				  "\ttype __VERIFIER_nondet_##name(void) \\\n"
				  "\t{ \\\n\t\ttype x = 0; \\\n"
				  "\t\tveer_make_symbolic(&x, sizeof x, #name); \\\n\t\treturn x; \\\n\t}\n";

static const char run_head[] =
	"struct test {\n\tconst char *name;\n\tint (*run)(void);\n\tint status; /* that it exits with; -1: any "
	"*/\n};\n\n"
	"static int passes(const struct test *t)\n{\n\tint status;\n\tpid_t pid = fork();\n\tassert(pid >= 0);\n"
	"\tif (pid == 0) {\n\t\tif (!freopen(\"/dev/null\", \"w\", stdout))\n\t\t\t_exit(125);\n"
	"\t\talarm(20);\n\t\texit(t->run());\n\t}\n"
	"\tassert(waitpid(pid, &status, 0) == pid);\n"
	"\tif (!WIFEXITED(status) || WEXITSTATUS(status) == 99)\n\t\treturn 0;\n"
	"\treturn t->status < 0 || WEXITSTATUS(status) == t->status;\n}\n\n";

static const char run_plain[] =
	"int main(void)\n{\n\tint failed = 0;\n\tfor (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {\n"
	"\t\tint good = passes(&tests[i]);\n"
	"\t\tprintf(\"%s %s\\n\", good ? \"ok\" : \"not ok\", tests[i].name);\n\t\tfflush(stdout);\n"
	"\t\tfailed += !good;\n\t}\n\treturn failed != 0;\n}\n";

// Types of C for the words of SV-COMP that the tests' objects have.
static void add_one_nondet(struct writer *w, const char *name, struct buf *done)
{
	struct ctype c;
	if (!name || strncmp(name, "nondet_", 7) != 0 || !ctype_parse(name + 7, &c))
		return;
	char *line = mem_printf("NONDET(%s, %s)\n", name + 7,
	                        strcmp(name + 7, "int") == 0    ? "int"
	                        : strcmp(name + 7, "char") == 0 ? "char"
	                        : c.kind == CTYPE_BOOL          ? "_Bool"
	                                                        : name_of(&c));
	if (!done->data)
		buf_addstr(w->out, nondet_head);
	if (!done->data || !strstr(done->data, line)) {
		buf_addstr(done, line);
		buf_addstr(w->out, line);
	}
	mem_free(line);
}

static void add_nondet(struct writer *w)
{
	struct buf done = {0};
	for (size_t i = 0; i < w->suite->n; i++) {
		const struct input *in = w->suite->tests[i].input;
		for (size_t k = 0; k < in->n; k++)
			if (in->v[k].kind == INPUT_OBJECT)
				add_one_nondet(w, in->v[k].name, &done);
	}
	if (done.len)
		buf_addch(w->out, '\n');
	buf_release(&done);
}

static void add_main(struct writer *w, const bool *written)
{
	const struct export_suite *s = w->suite;
	buf_addstr(w->out, run_head);
	buf_addstr(w->out, "static const struct test tests[] = {\n");
	for (size_t i = 0; i < s->n; i++)
		if (written[i])
			buf_printf(w->out, "\t{\"%s\", %s, %d},\n", s->tests[i].id, s->tests[i].id,
			           s->tests[i].bug ? -1 : s->tests[i].status);
	buf_addstr(w->out, "};\n\n");
	if (!s->cmocka) {
		buf_addstr(w->out, run_plain);
		return;
	}
	size_t number = 0;
	for (size_t i = 0; i < s->n; i++)
		if (written[i])
			buf_printf(w->out,
			           "static void test_%s(void **state)\n{\n\t(void)state;\n"
			           "\tassert_true(passes(&tests[%zu]));\n}\n\n",
			           s->tests[i].id, number++);
	buf_addstr(w->out, "int main(void)\n{\n\tconst struct CMUnitTest all[] = {\n");
	for (size_t i = 0; i < s->n; i++)
		if (written[i])
			buf_printf(w->out, "\t\tcmocka_unit_test(test_%s),\n", s->tests[i].id);
	buf_addstr(w->out, "\t};\n\treturn cmocka_run_group_tests(all, NULL, NULL);\n}\n");
}

static bool can_write(const struct export_suite *s, const struct export_test *t)
{
	if (s->is_target)
		return true;
	for (size_t i = 0; i < t->input->n; i++)
		if (t->input->v[i].kind == INPUT_FILE)
			return false;
	return true;
}

static bool has_objects(const struct export_suite *s)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->tests[i].input->n; k++)
			if (s->tests[i].input->v[k].kind == INPUT_OBJECT)
				return true;
	return false;
}

static void add_head(struct writer *w)
{
	const struct export_suite *s = w->suite;
	buf_addstr(w->out, "/* Tests made by veer, which run without it:\n");
	buf_addstr(w->out, s->is_target ? head_target : head_program);
	buf_printf(w->out, "%s */\n", s->cmocka ? " * with -lcmocka.\n" : "");
	if (s->cmocka)
		buf_addstr(w->out, "#include <setjmp.h>\n#include <stdarg.h>\n#include <stddef.h>\n");
	buf_addstr(w->out, common);
	if (s->cmocka)
		buf_addstr(w->out,
		           "#undef assert\n#define assert(x) ((x) ? (void)0 : abort())\n#include <cmocka.h>\n\n");
	buf_addstr(w->out, s->is_target ? for_target : for_program);
	if (!s->is_target)
		add_nondet(w);
}

static int write_all(const char *folder, const struct export_suite *s, struct err *err)
{
	struct buf text = {0};
	struct writer w = {s, &text};
	int left_out = 0;
	if (!s->is_target && !has_objects(s))
		return err_set(err,
		               "C tests are for programs with LLVMFuzzerTestOneInput, veer_make_symbolic and their "
		               "like, and %s has none; --as sh is for all programs",
		               s->program);
	bool *written = mem_zero(s->n + 1);
	add_head(&w);
	for (size_t i = 0; i < s->n; i++) {
		written[i] = can_write(s, &s->tests[i]);
		left_out += !written[i];
		if (written[i])
			(s->is_target ? add_target_test : add_program_test)(&w, &s->tests[i]);
	}
	add_main(&w, written);
	char *path = mem_printf("%s/tests.c", folder);
	int r = file_replace(path, text.data, text.len, 0666, err);
	mem_free(path);
	mem_free(written);
	buf_release(&text);
	return r < 0 ? -1 : left_out;
}

const struct exporter export_c = {
	.name = "c",
	.summary = "unit tests in C, tests.c",
	.write = write_all,
};
