#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "config.h"
#include "explore/scope.h"
#include "session/results.h"
#include "test.h"

static struct err err;
#define OK(call) CHECK_THAT((call) == 0, "%s", err.text)

// A strict reader of JSON (RFC 8259): returns the place behind a value, or NULL.
static const char *value(const char *p);

static const char *blank(const char *p)
{
	return p + strspn(p, " \t\r\n");
}

static const char *string(const char *p)
{
	if (*p++ != '"')
		return NULL;
	for (; *p != '"'; p++) {
		if ((unsigned char)*p < 0x20)
			return NULL;
		if (*p != '\\')
			continue;
		p++;
		if (*p == 'u' && strspn(p + 1, "0123456789abcdefABCDEF") >= 4)
			p += 4;
		else if (!*p || !strchr("\"\\/bfnrt", *p))
			return NULL;
	}
	return p + 1;
}

static const char *number(const char *p)
{
	p += *p == '-';
	size_t digits = strspn(p, "0123456789");
	return digits == 0 || (digits > 1 && *p == '0') ? NULL : p + digits;
}

static const char *members(const char *p, char end, bool named)
{
	p = blank(p + 1);
	if (*p == end)
		return p + 1;
	for (;; p = blank(p + 1)) {
		if (named) {
			p = string(p);
			if (!p || *(p = blank(p)) != ':')
				return NULL;
			p = blank(p + 1);
		}
		p = value(p);
		if (!p)
			return NULL;
		p = blank(p);
		if (*p == end)
			return p + 1;
		if (*p != ',')
			return NULL;
	}
}

static const char *value(const char *p)
{
	static const char *const words[] = {"true", "false", "null"};
	for (size_t i = 0; i < COUNT(words); i++)
		if (strncmp(p, words[i], strlen(words[i])) == 0)
			return p + strlen(words[i]);
	switch (*p) {
	case '{': return members(p, '}', true);
	case '[': return members(p, ']', false);
	case '"': return string(p);
	default: return number(p);
	}
}

static bool valid(const struct buf *text)
{
	const char *end = strlen(text->data) == text->len ? value(blank(text->data)) : NULL;
	return end && *blank(end) == 0;
}

// Where this machine has Python, it is asked, too.
static void ask_python(const char *path)
{
	const char *probe[] = {"python3", "-c", "import json", NULL};
	if (test_run(probe, NULL) != 0)
		return;
	const char *read[] = {"python3", "-c", "import json, sys; json.loads(open(sys.argv[1], 'rb').read().decode())",
	                      path, NULL};
	CHECK_INT(0, test_run(read, NULL));
}

static void reader(void)
{
	static const char *const bad[] = {"",        "{",      "{}x",   "[1,]",  "{\"a\"}", "{\"a\":}", "01",
	                                  "\"\\x\"", "\"\1\"", "\"abc", "{a:1}", "[1 2]",   "tru",      "\"\\u12\""};
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct buf b = {(char *)bad[i], strlen(bad[i]), 0};
		CHECK_THAT(!valid(&b), "%s", bad[i]);
	}
}

static void empty(void)
{
	struct store *s = store_open(test_path("c"), true, &err);
	CHECK(s);
	OK(results_write(s, test_path("c"), NULL, &err));
	store_close(s);
	struct bytes got = test_read(test_path("c/results.json"));
	CHECK_STR("{\"veer\": \"" CONFIG_VERSION
	          "\", \"command\": \"explore\", \"programs\": 1, \"seeds\": 0, \"runs\": 0, "
	          "\"queries\": 0, \"unknown\": 0,\n"
	          " \"checks\": {\"total\": 0, \"unique\": 0}, \"coverage\": {\"branches\": 0, \"before\": 0, "
	          "\"after\": 0},\n"
	          " \"not_modelled\": {},\n"
	          " \"inputs\": [],\n"
	          " \"findings\": [], \"suppressed\": 0}\n",
	          (char *)got.data);
	ask_python(test_path("c/results.json"));
}

static bool is_second(void *opaque, const struct stored_finding *f)
{
	(void)opaque;
	return f->id == 2;
}

// Two tests with three inputs and one that they do not read; a window of the first has been analysed, another has not.
static void add_scopes(struct store *s)
{
	struct scope_part parts[] = {
		{.of = input_source(INPUT_STDIN, INPUT_BYTES, 0, ""), .size = 9},
		{.of = input_source(INPUT_FILE, INPUT_BYTES, 0, "/unread"), .size = 7, .unread = true},
		{.of = input_source(INPUT_FILE, INPUT_BYTES, 0, "/big"), .size = 90},
		{.of = input_source(INPUT_FILE, INPUT_BYTES, 0, "/data"), .size = 5, .group = SCOPE_ALIKE, .tests = 4}};
	const struct scope_parts all = {.v = parts, .n = 4};
	for (uint64_t i = 1; i <= 2; i++) {
		struct stored_snapshot snapshot = {
			.hash = {i, i}, .level = 0, .times = 1, .present = true, .data = {"x", 1, 0}};
		OK(store_add_snapshot(s, &snapshot, NULL, &err));
		struct stored_scope t = {.snapshot = snapshot.id, .to = 18};
		scope_parts_encode(&all, &t.parts);
		OK(store_set_scope(s, &t, &err));
		buf_release(&t.parts);
		t = (struct stored_scope){
			.snapshot = snapshot.id, .number = 1, .from = 18, .to = 40, .level = (int32_t)i - 2};
		OK(store_set_scope(s, &t, &err));
	}
}

static void full(void)
{
	struct store *s = store_open(test_path("c"), true, &err);
	CHECK(s);
	OK(store_begin(s, &err));
	OK(store_set(s, "command", "te\"st", 5, &err));
	OK(store_set_number(s, "programs", 2, &err));
	OK(store_set_number(s, "coverage.branches", 30, &err));
	OK(store_set_number(s, "coverage.before", 10, &err));
	OK(store_set_number(s, "coverage.after", 20, &err));
	struct stored_input in = {.data = {"seed", 4, 0}};
	OK(store_add_input(s, &in, NULL, &err));
	OK(store_count(s, "runs", 5, &err));
	OK(store_count(s, "queries", 6, &err));
	OK(store_count(s, "unknown", 7, &err));
	OK(store_count(s, "checks.total", 8, &err));
	OK(store_count(s, "checks.unique", 9, &err));
	OK(store_count(s, "not modelled:crypt", 3, &err));
	OK(store_count(s, "not modelled:a\"\\\n", 1, &err));
	struct stored_finding f = {.kind = "abort",
	                           .level = LEVEL_ERROR,
	                           .program = "p",
	                           .file = "a\xff\xc3\xa9\n.c",
	                           .line = 3,
	                           .function = "f",
	                           .distance = 1,
	                           .depth = 2,
	                           .seed = 1,
	                           .changed = -1,
	                           .care = 4,
	                           .key = 1};
	OK(store_add_finding(s, &f, NULL, &err));
	f.key = 2; // by another call path
	OK(store_add_finding(s, &f, NULL, &err));
	f.key = 3;
	f.line = 4;
	OK(store_add_finding(s, &f, NULL, &err));
	add_scopes(s);
	OK(store_commit(s, &err));
	OK(results_write(s, test_path("c"), NULL, &err));
	store_close(s);
	struct bytes got = test_read(test_path("c/results.json"));
	static const char start[] =
		"{\"veer\": \"" CONFIG_VERSION
		"\", \"command\": \"te\\\"st\", \"programs\": 2, \"seeds\": 1, \"runs\": 5, "
		"\"queries\": 6, \"unknown\": 7,\n"
		" \"tests\": {\"recorded\": 2, \"analysed\": 0, \"part_time\": 0, \"part_trace\": 0, \"part_size\": 0, "
		"\"cut_time\": 0, \"cut_trace\": 0, \"cut_size\": 0, "
		"\"differs\": 0, \"no_input\": 0, \"not_reproduced\": 0, \"not_replayable\": 0, \"not_built\": 0, "
		"\"failed\": 0, \"not_reached\": 2, \"not_chosen\": 0,\n"
		"  \"differing\": []},\n"
		" \"checks\": {\"total\": 8, \"unique\": 9}, \"coverage\": {\"branches\": 30, \"before\": 10, "
		"\"after\": 20},\n"
		" \"not_modelled\": {\"a\\\"\\\\\\u000a\": 1, \"crypt\": 3},\n"
		" \"inputs\": [\n"
		"  {\"name\": \"/big\", \"treatment\": \"windows\", \"group\": \"own\", \"bytes\": 90, \"tests\": 2, "
		"\"whole\": 0, \"windows\": 1, \"concrete\": 1},\n"
		"  {\"name\": \"/data\", \"treatment\": \"concrete\", \"group\": \"alike\", \"bytes\": 5, \"tests\": "
		"2, "
		"\"whole\": 0, \"windows\": 0, \"concrete\": 2},\n"
		"  {\"name\": \"stdin\", \"treatment\": \"whole\", \"group\": \"own\", \"bytes\": 9, \"tests\": 2, "
		"\"whole\": 2, \"windows\": 0, \"concrete\": 0}],\n"
		" \"findings\": [\n"
		"  {\"id\": \"F1\", \"kind\": \"abort\", \"level\": \"error\", \"program\": \"p\", \"file\": "
		"\"a\\ufffd\xc3\xa9\\u000a.c\", \"line\": 3, \"function\": \"f\", "
		"\"distance\": 1, \"depth\": 2, \"seed\": \"S1\", \"confirmed\": true, \"changed_bytes\": null, "
		"\"care_bytes\": 4, \"test_code\": false, \"also\": [\"F2\"], \"reproduce\": "
		"\"findings/F1/reproduce.sh\"},\n"
		"  {\"id\": \"F3\"";
	got.data[strlen(start)] = 0;
	CHECK_STR(start, (char *)got.data);
	struct buf text = {0};
	s = store_open(test_path("c"), true, &err);
	OK(results_text(s, NULL, &text, &err));
	CHECK(valid(&text) && strstr(text.data, "], \"suppressed\": 0}\n"));
	buf_clear(&text);
	const struct results_choice second = {.reports = is_second};
	OK(results_text(s, &second, &text, &err));
	CHECK(valid(&text) && !strstr(text.data, "\"F1\"") && strstr(text.data, "\"findings\": [\n  {\"id\": \"F2\""));
	CHECK(strstr(text.data, "], \"suppressed\": 2}\n"));
	buf_release(&text);
	store_close(s);
	ask_python(test_path("c/results.json"));
}

// What the search did; a finding of it is at no distance until amplification comes to it, too.
static void searched(void)
{
	struct store *s = store_open(test_path("c"), true, &err);
	struct buf text = {0};
	struct stored_finding f = {.kind = "abort",
	                           .level = LEVEL_ERROR,
	                           .program = "p",
	                           .file = "a.c",
	                           .function = "f",
	                           .distance = FINDING_SEARCHED,
	                           .depth = 7,
	                           .key = 1};
	OK(store_begin(s, &err));
	OK(store_set_number(s, "search.seconds", 12, &err));
	OK(store_set_number(s, "search.left", 34, &err));
	OK(store_count(s, "searched", 56, &err));
	OK(store_add_finding(s, &f, NULL, &err));
	OK(store_commit(s, &err));
	OK(results_text(s, NULL, &text, &err));
	CHECK(valid(&text) &&
	      strstr(text.data, "\"search\": {\"runs\": 56, \"seconds\": 12, \"candidates_left\": 34},\n"));
	CHECK(strstr(text.data, "\"distance\": -1, \"depth\": 7"));
	buf_clear(&text);
	OK(store_nearer_finding(s, 1, FINDING_SEARCHED, 9, &err));
	OK(store_nearer_finding(s, 1, 3, 8, &err));
	OK(results_text(s, NULL, &text, &err));
	CHECK(strstr(text.data, "\"distance\": 3, \"depth\": 8"));
	buf_release(&text);
	store_close(s);
}

static void any_bytes(void)
{
	struct buf text = {0};
	for (int round = 0; round < 20000; round++) {
		char bytes[8];
		size_t n = test_below(sizeof bytes + 1);
		for (size_t i = 0; i < n; i++)
			bytes[i] = (char)(test_below(2) ? test_random() : 0xed + test_below(8));
		buf_addstr(&text, round ? ",\n" : "[");
		json_string(&text, (char *)bytes, n);
	}
	buf_addch(&text, ']');
	CHECK(valid(&text));
	test_write(test_path("json"), text.data, text.len);
	buf_release(&text);
	ask_python(test_path("json"));
}

static void nowhere(void)
{
	struct store *s = store_open(test_path("c"), true, &err);
	CHECK(s);
	CHECK_INT(-1, results_write(s, test_path("no/folder"), NULL, &err));
	CHECK(strstr(err.text, "results.json"));
	store_close(s);
}

static const struct test tests[] = {TEST(reader),   TEST(empty),     TEST(full),
                                    TEST(searched), TEST(any_bytes), TEST(nowhere)};

TEST_MAIN("results")
