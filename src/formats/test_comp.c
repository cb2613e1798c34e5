// Test suites of Test-Comp: a folder with metadata.xml and a file for each test,
//
//   <testcase><input variable="x" type="int">5</input>...</testcase>
//
// with the values that calls of __VERIFIER_nondet_TYPE return, one after the other.
#include <string.h>

#include "base/mem.h"
#include "formats/ctype.h"
#include "formats/format.h"
#include "formats/xml.h"

// --- reading --------------------------------------------------------------------------------------

// What has no type is an int, or a long when it is too large for that.
static bool take_value(struct foreign *ret, const char *variable, const char *type, const char *text)
{
	static const char *const guesses[] = {"int", "unsigned int", "long", "unsigned long", "double"};
	unsigned char bytes[16];
	struct ctype t;
	bool known = type && ctype_parse(type, &t);
	for (size_t i = 0; !known && !type && i < sizeof guesses / sizeof *guesses; i++) {
		ctype_parse(guesses[i], &t);
		type = ctype_read(&t, text, bytes) ? guesses[i] : NULL;
		known = type != NULL;
	}
	if (!known || !ctype_read(&t, text, bytes))
		return false;
	foreign_add(ret, variable ? variable : "", type, bytes, t.size);
	return true;
}

struct taking {
	struct foreign *ret;
	unsigned depth;
	bool in_case;            // inside <testcase>
	struct buf value;        // of the <input> that is open
	char *variable, *type;   // likewise
	bool is_input, has_case; // has_case: there was one
};

static const char *open_element(struct taking *t, const struct xml *x)
{
	if (++t->depth > 16)
		return "its elements are nested too deeply";
	if (t->depth == 1) {
		if (strcmp(x->name.data, "testcase") != 0)
			return "it has no <testcase>";
		t->has_case = t->in_case = true;
		return NULL;
	}
	if (!t->in_case || t->depth != 2 || strcmp(x->name.data, "input") != 0)
		return NULL;
	const char *variable = xml_attribute(x, "variable"), *type = xml_attribute(x, "type");
	t->variable = variable ? mem_strdup(variable) : NULL;
	t->type = type && *type ? mem_strdup(type) : NULL;
	t->is_input = true;
	buf_clear(&t->value);
	return NULL;
}

static const char *close_element(struct taking *t)
{
	const char *wrong = t->depth == 0 ? "an element ends that has not begun" : NULL;
	if (t->depth == 2 && t->is_input) {
		if (!take_value(t->ret, t->variable, t->type, buf_str(&t->value)))
			wrong = "an <input> is no value of a known type";
		mem_free(t->variable);
		mem_free(t->type);
		t->variable = t->type = NULL;
		t->is_input = false;
	}
	t->depth -= t->depth > 0;
	return wrong;
}

static int read_case(struct foreign *ret, const void *data, size_t size, struct err *err)
{
	struct taking t = {.ret = ret};
	struct xml x;
	const char *wrong = NULL;
	enum xml_token token = XML_TEXT;
	ret->has_objects = true;
	xml_init(&x, data, size);
	while (!wrong && token != XML_END) {
		token = xml_next(&x);
		if (token == XML_OPEN)
			wrong = open_element(&t, &x);
		else if (token == XML_CLOSE)
			wrong = close_element(&t);
		else if (token == XML_TEXT && t.is_input && t.depth == 2)
			buf_add(&t.value, x.text.data, x.text.len);
		else if (token == XML_BAD)
			wrong = "this is no XML that can be read";
	}
	if (!wrong && (t.depth || !t.has_case))
		wrong = t.has_case ? "the XML ends too early" : "it has no <testcase>";
	xml_release(&x);
	buf_release(&t.value);
	mem_free(t.variable);
	mem_free(t.type);
	return wrong ? err_set(err, "%s", wrong) : 0;
}

// --- writing --------------------------------------------------------------------------------------

static const char head[] = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n";

static int write_case(const struct foreign *s, struct buf *out, struct err *err)
{
	buf_addstr(out, head);
	buf_addstr(out, "<!DOCTYPE testcase PUBLIC \"+//IDN sosy-lab.org//DTD test-format testcase 1.0//EN\""
	                " \"https://sosy-lab.org/test-format/testcase-1.0.dtd\">\n<testcase");
	buf_addstr(out, s->role == FOREIGN_KEPT ? ">\n" : " coversError=\"true\">\n");
	for (size_t i = 0; i < s->n; i++) {
		const struct foreign_object *o = &s->v[i];
		struct ctype t;
		if (!o->type || !ctype_parse(o->type, &t) || t.size != o->data.len)
			return err_set(err,
			               "%s cannot be written for Test-Comp, which has values of "
			               "__VERIFIER_nondet_TYPE() only: object %s is none",
			               s->name ? s->name : "a test", o->name);
		buf_addstr(out, "  <input variable=\"");
		xml_escape(out, o->name);
		buf_addstr(out, "\" type=\"");
		xml_escape(out, o->type);
		buf_addstr(out, "\">");
		ctype_write(&t, o->data.data, out);
		buf_addstr(out, "</input>\n");
	}
	buf_addstr(out, "</testcase>\n");
	return 0;
}

static void write_metadata(const struct format_about *about, struct buf *out)
{
	buf_addstr(out, head);
	buf_addstr(out, "<!DOCTYPE test-metadata PUBLIC \"+//IDN sosy-lab.org//DTD test-format test-metadata 1.0//EN\""
	                " \"https://sosy-lab.org/test-format/test-metadata-1.0.dtd\">\n<test-metadata>\n"
	                "  <sourcecodelang>C</sourcecodelang>\n  <producer>veer</producer>\n"
	                "  <specification>COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )</specification>\n"
	                "  <programfile>");
	xml_escape(out, about->program);
	buf_addstr(out, "</programfile>\n  <entryfunction>main</entryfunction>\n"
	                "  <architecture>64bit</architecture>\n  <creationtime>");
	xml_escape(out, about->time);
	buf_addstr(out, "</creationtime>\n</test-metadata>\n");
}

static int put(const char *folder, const struct foreigns *all, const struct format_about *about, struct err *err)
{
	struct buf text = {0};
	int r = 0;
	for (size_t i = 0; r == 0 && i < all->n; i++) // all or none
		r = write_case(&all->v[i], &text, err);
	buf_clear(&text);
	write_metadata(about, &text);
	if (r == 0)
		r = format_put(folder, "metadata.xml", &text, err);
	for (size_t i = 0; r == 0 && i < all->n; i++) {
		char *name = mem_printf("testcase-%zu.xml", i + 1);
		buf_clear(&text);
		r = write_case(&all->v[i], &text, err);
		if (r == 0)
			r = format_put(folder, name, &text, err);
		mem_free(name);
	}
	buf_release(&text);
	return r;
}

// --- which they are -------------------------------------------------------------------------------

static bool is_case(const char *name)
{
	return format_ends(name, ".xml") && strcmp(name, "metadata.xml") != 0;
}

static bool is_metadata(const char *name)
{
	return strcmp(name, "metadata.xml") == 0;
}

static bool is_folder(const char *folder)
{
	return format_has(folder, is_metadata);
}

static bool is_file(const char *name, const void *data, size_t size)
{
	static const char mark[] = "<testcase";
	return format_ends(name, ".xml") && size && memmem(data, size, mark, strlen(mark));
}

static int take_folder(const char *folder, struct foreigns *ret, struct err *err)
{
	return format_each_file(&format_test_comp, folder, is_case, FOREIGN_KEPT, ret, err);
}

const struct format format_test_comp = {
	.name = "test-comp",
	.summary = "suites of Test-Comp: metadata.xml and a file <testcase> for each test",
	.is_folder = is_folder,
	.is_file = is_file,
	.read_folder = take_folder,
	.read = read_case,
	.write = put,
	.writes_objects = true,
};
