#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/options.h"
#include "test.h"

struct values {
	const char *text, *texts;
	bool flag, other;
	int number;
};

static const struct option_spec specs[] = {
	{"text", 't', OPTION_TEXT, offsetof(struct values, text), "WORD", "a word"},
	{"texts", 0, OPTION_TEXT, offsetof(struct values, texts), "WORDS", "a name that starts like another"},
	{"flag", 'f', OPTION_FLAG, offsetof(struct values, flag), NULL, "a flag"},
	{"other", 0, OPTION_FLAG, offsetof(struct values, other), NULL, "another flag"},
	{"number", 'n', OPTION_NUMBER, offsetof(struct values, number), "N", "a number"},
	{"name-without-end", 0, OPTION_FLAG, offsetof(struct values, other), "ARGUMENT",
         "what takes more than a line, which is a hundred columns wide, stands below itself, as this does"},
};

static const struct command command = {
	.name = "try",
	.usage = "[OPTIONS] WORDS",
	.summary = "A command for the tests",
	.details = "Some more about it.\n",
	.options = specs,
	.n_options = COUNT(specs),
};

struct parsed {
	int result;
	struct values values;
	struct err err;
};

static struct parsed parse(const char *line)
{
	struct parsed p = {.values = {.text = "unset", .number = -7}};
	char *argv[32] = {"try"};
	int argc = 1;
	char *copy = test_printf("%s", line);
	for (char *save, *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
		argv[argc++] = strcmp(word, "EMPTY") == 0 ? "" : word;
	p.result = options_parse(&command, argc, argv, &p.values, &p.err);
	return p;
}

static void accepted(void)
{
	static const struct {
		const char *line;
		int result;
		const char *text;
		bool flag;
		int number;
	} cases[] = {
		{"", 1, "unset", false, -7},
		{"word", 1, "unset", false, -7},
		{"--text x", 3, "x", false, -7},
		{"--text=x", 2, "x", false, -7},
		{"--text=", 2, "", false, -7},
		{"--text=a=b", 2, "a=b", false, -7},
		{"-t x", 3, "x", false, -7},
		{"-tx", 2, "x", false, -7},
		{"-t=x", 2, "=x", false, -7},
		{"-t -f", 3, "-f", false, -7}, // a value may look like an option
		{"--text -- -f", 4, "--", true, -7},
		{"--text EMPTY", 3, "", false, -7},
		{"-t a -t b", 5, "b", false, -7}, // the last one counts
		{"-f", 2, "unset", true, -7},
		{"--flag x", 2, "unset", true, -7},
		{"-n 0", 3, "unset", false, 0},
		{"-n12", 2, "unset", false, 12},
		{"--number=1000000000", 2, "unset", false, 1000000000},
		{"-f -- -n 5", 3, "unset", true, -7},
		{"--", 2, "unset", false, -7},
		{"-- --", 2, "unset", false, -7},
		{"-", 1, "unset", false, -7}, // a word, as for cat
		{"-f - -n 5", 2, "unset", true, -7},
		{"-f cmd -n 5", 2, "unset", true, -7}, // options of the command itself
		{"-f cmd --help", 2, "unset", true, -7},
		{"-f EMPTY -n 5", 2, "unset", true, -7},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct parsed p = parse(cases[i].line);
		CHECK_THAT(p.result == cases[i].result, "'%s' gives %d", cases[i].line, p.result);
		CHECK_STR(cases[i].text, p.values.text);
		CHECK_THAT(p.values.flag == cases[i].flag, "%s", cases[i].line);
		CHECK_INT(cases[i].number, p.values.number);
	}
	struct parsed p = parse("--texts x --other");
	CHECK_STR("unset", p.values.text);
	CHECK_STR("x", p.values.texts);
	CHECK(p.values.other && !p.values.flag);
}

static void refused(void)
{
	static const char *const cases[][2] = {
		{"--unknown", "try has no option --unknown"},
		{"-z", "try has no option -z"},
		{"--tex x", "try has no option --tex"}, // no abbreviations
		{"--textx", "try has no option --textx"},
		{"--flag=yes", "try has no option --flag=yes"},
		{"-fx", "try has no option -fx"},
		{"--=x", "try has no option --=x"},
		{"---text x", "try has no option ---text"},
		{"-text", NULL}, // -t with the value "ext"
		{"--text", "--text wants a value"},
		{"-t", "--text wants a value"},
		{"-f --number", "--number wants a value"},
		{"-n five", "--number wants a number, not 'five'"},
		{"-n 5x", "--number wants a number, not '5x'"},
		{"-n -1", "--number wants a number, not '-1'"},
		{"-n 1000000001", "--number wants a number, not '1000000001'"},
		{"-n 99999999999999999999", "--number wants a number, not '99999999999999999999'"},
		{"--number=", "--number wants a number, not ''"},
		{"--number EMPTY", "--number wants a number, not ''"},
	};
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct parsed p = parse(cases[i][0]);
		if (!cases[i][1]) {
			CHECK_INT(2, p.result);
			continue;
		}
		CHECK_THAT(p.result == -1, "'%s' gives %d", cases[i][0], p.result);
		CHECK_STR(cases[i][1], p.err.text);
	}
	char *name = test_alloc(5000); // longer than the message has room for
	memset(name, 'x', 5000);
	struct parsed p = parse(test_printf("--%s", name));
	CHECK(p.result == -1 && memchr(p.err.text, 0, sizeof p.err.text));
}

// What is printed to a descriptor during a call.
static char *output_of(int fd, int (*function)(void), int *ret)
{
	fflush(stdout);
	int saved = dup(fd), file = open(test_path("output"), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	CHECK(saved >= 0 && file >= 0 && dup2(file, fd) == fd);
	*ret = function();
	fflush(stdout);
	dup2(saved, fd);
	close(saved);
	close(file);
	return (char *)test_read(test_path("output")).data;
}

static int long_help(void)
{
	return parse("-f --help --unknown").result;
}

static int short_help(void)
{
	return parse("-h").result;
}

static int help_as_value(void)
{
	return parse("-t --help").result;
}

static void help(void)
{
	int result;
	char *text = output_of(1, long_help, &result);
	CHECK_INT(-2, result);
	CHECK_STR(
		"usage: veer try [OPTIONS] WORDS\n\n"
		"A command for the tests.\n\n"
		"Some more about it.\n\n"
		"Options:\n"
		"  -t, --text WORD              a word\n"
		"      --texts WORDS            a name that starts like another\n"
		"  -f, --flag                   a flag\n"
		"      --other                  another flag\n"
		"  -n, --number N               a number\n"
		"      --name-without-end ARGUMENT\n"
		"                               what takes more than a line, which is a hundred columns wide, stands\n"
		"                               below itself, as this does\n"
		"  -h, --help                   print this help\n",
		text);
	CHECK_STR(text, output_of(1, short_help, &result));
	CHECK_INT(-2, result);
	CHECK_STR("", output_of(1, help_as_value, &result));
	CHECK_INT(3, result);
}

static int usage_error(void)
{
	return cli_usage_error(&command, "that is wrong");
}

static int fail(void)
{
	return cli_fail("100% broken %s");
}

static void messages(void)
{
	int result;
	CHECK_STR("veer: that is wrong; see veer try --help\n", output_of(2, usage_error, &result));
	CHECK_INT(EXIT_USAGE, result);
	CHECK_STR("veer: 100% broken %s\n", output_of(2, fail, &result)); // no format string
	CHECK_INT(EXIT_FAIL, result);
}

static const struct test tests[] = {
	TEST(accepted),
	TEST(refused),
	TEST(help),
	TEST(messages),
};
TEST_MAIN("options")
