// What is shown of differences: kept as bytes, and in reports, where nothing of it may become markup.
#include "session/difference_views.h"

#include <string.h>

#include "base/mem.h"
#include "report/differences.h"
#include "test.h"

static const char hostile[] = "<script>alert(1)</script> ```` `x` @all | \" ' & \x1b[31m \xff";

static char *copy(const char *text)
{
	return mem_strdup(text);
}

static void make_side(struct view_side *s, const char *end)
{
	*s = (struct view_side){.end = copy(end),
	                        .output = mem_printf("%s\n```\nsecond", hostile),
	                        .size = 70,
	                        .file = copy(hostile),
	                        .line = 7,
	                        .source = mem_printf("int f(void)\n{\n\treturn '<';\n%s\n}\n", hostile),
	                        .n_lines = 2};
	s->lines = mem_zero(2 * sizeof *s->lines);
	s->lines[0] = 9;
	s->lines[1] = 10;
}

static struct difference_views make(void)
{
	struct difference_views v = {.n = 1, .n_functions = 1, .n_inputs = 300, .n_noise = 2};
	for (int side = 0; side < CHANGE_SIDES; side++) {
		v.names[side] = copy(hostile);
		v.programs[side] = copy("/tmp/a b");
	}
	v.v = mem_zero(2 * sizeof *v.v);
	v.v[0] = (struct difference_view){.id = copy("D1"),
	                                  .kind = copy("output"),
	                                  .kind_text = copy("they print something else"),
	                                  .level = copy("warning"),
	                                  .class = copy("confirmed"),
	                                  .identifier = copy("output"),
	                                  .why = copy(hostile),
	                                  .function = copy(hostile),
	                                  .file = copy("src/a.c"),
	                                  .change = copy("the code differs"),
	                                  .input = mem_printf("argument 1: \"%s\"", hostile),
	                                  .reproduce = copy("differences/D1/reproduce.sh"),
	                                  .line = 9,
	                                  .inputs = 3,
	                                  .example = 12345678901};
	make_side(&v.v[0].side[CHANGE_OLD], "exit status 0");
	make_side(&v.v[0].side[CHANGE_NEW], "signal 11");
	v.functions = mem_zero(2 * sizeof *v.functions);
	v.functions[0] = (struct function_view){.name = copy(hostile),
	                                        .file = copy("a.c"),
	                                        .verdict = copy("undecided"),
	                                        .reason = copy(hostile),
	                                        .line = 3};
	return v;
}

static void survives_being_stored(void)
{
	struct difference_views v = make(), again;
	struct buf data = {0}, twice = {0};
	struct err err;
	difference_views_encode(&v, &data);
	CHECK_INT(0, difference_views_decode(&again, &data, &err));
	difference_views_encode(&again, &twice);
	CHECK(data.len == twice.len && memcmp(data.data, twice.data, data.len) == 0);
	CHECK_INT(12345678901, again.v[0].example);
	CHECK_STR(v.v[0].side[CHANGE_NEW].source, again.v[0].side[CHANGE_NEW].source);
	CHECK_INT(1, difference_views_count(&again, "undecided"));
	difference_views_release(&again);
	difference_views_release(&v);
	buf_release(&data);
	buf_release(&twice);
}

static void damage_is_found(void)
{
	struct difference_views v = make(), again;
	struct buf data = {0};
	struct err err;
	difference_views_encode(&v, &data);
	for (size_t n = 0; n < data.len; n++) {
		struct buf part = {0};
		buf_add(&part, data.data, n);
		CHECK_INT(-1, difference_views_decode(&again, &part, &err));
		buf_release(&part);
	}
	for (size_t i = 0; i < data.len; i++) { // any byte: it may still make sense, but nothing is read beyond it
		struct buf other = {0};
		buf_add(&other, data.data, data.len);
		other.data[i] = (char)0xff;
		if (difference_views_decode(&again, &other, &err) == 0)
			difference_views_release(&again);
		buf_release(&other);
	}
	difference_views_release(&v);
	buf_release(&data);
}

static struct buf report(const char *format)
{
	struct difference_views v = make();
	const struct difference_report r = {.views = &v, .folder = "veer-diff", .label = hostile, .root = "/"};
	struct buf out = {0};
	CHECK(difference_format(format));
	difference_format(format)->write(&r, &out);
	difference_views_release(&v);
	return out;
}

static void no_markup_in_pages(void)
{
	struct buf out = report("html");
	CHECK(strstr(out.data, "&lt;script&gt;alert(1)"));
	CHECK(!strstr(out.data, "<script>alert(1)"));
	CHECK(!strchr(out.data, '\x1b') && !strchr(out.data, '\xff'));
	CHECK(strstr(out.data, "default-src 'none'"));
	CHECK(!strstr(out.data, "http:") && !strstr(out.data, "https:"));
	CHECK(strstr(out.data, "<span class=\"row was\"><span class=\"no\">9</span>"));
	CHECK(strstr(out.data, "<span class=\"row now\"><span class=\"no\">10</span>"));
	buf_release(&out);
}

// Of a line: what is left when code is taken away. A run of ticks opens, the same run closes.
static char *without_code(const char *line)
{
	struct buf left = {0};
	for (const char *p = line; *p;) {
		size_t n = strspn(p, "`");
		if (!n) {
			buf_addch(&left, *p++);
			continue;
		}
		for (p += n; *p; p += strspn(p, "`")) {
			p += strcspn(p, "`");
			if (strspn(p, "`") == n)
				break;
		}
		CHECK(*p);
		p += n;
	}
	return buf_steal(&left);
}

// Outside of code there is nothing of the program.
static void no_markup_in_comments(void)
{
	struct buf out = report("markdown");
	size_t fence = 0, lines = 0;
	for (char *line = strtok(out.data, "\n"); line; line = strtok(NULL, "\n"), lines++) {
		size_t ticks = strspn(line, "`");
		bool closes = fence && ticks >= fence && !line[ticks];
		if (fence) {
			fence = closes ? 0 : fence;
			continue;
		}
		if (ticks >= 3 && strcmp(line + ticks, "text") == 0) {
			fence = ticks;
			continue;
		}
		char *left = without_code(line);
		CHECK_THAT(!strstr(left, "<script") && !strchr(left, '@') && !strchr(left, '|'), "in %s", line);
		mem_free(left);
	}
	CHECK_INT(0, fence);
	CHECK(lines > 10);
	buf_release(&out);
}

static void no_controls_in_text(void)
{
	struct buf out = report("text");
	CHECK(strstr(out.data, "  new: signal 11"));
	CHECK(!strchr(out.data, '\x1b') && !strchr(out.data, '\xff'));
	buf_release(&out);
	out = report("sarif");
	CHECK(strstr(out.data, "\"ruleId\": \"output\", \"ruleIndex\": 0, \"level\": \"warning\""));
	CHECK(!strchr(out.data, '\x1b') && !strchr(out.data, '\xff'));
	buf_release(&out);
}

static const struct test tests[] = {
	TEST(survives_being_stored), TEST(damage_is_found),     TEST(no_markup_in_pages),
	TEST(no_markup_in_comments), TEST(no_controls_in_text),
};
TEST_MAIN("difference_views")
