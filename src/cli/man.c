#include "cli/man.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "cli/words.h"
#include "config.h"

static const struct {
	const char *name, *text;
} variables[] = {
#define VARIABLE(name, text) {name, text},
#include "cli/environment.def"
};

// --- characters that mean something ---------------------------------------------------------------

static void put_char(struct buf *out, char c)
{
	static const struct {
		char c;
		const char *text;
	} special[] = {{'\\', "\\e"}, {'-', "\\-"}, {'\'', "\\(aq"}, {'^', "\\(ha"}, {'~', "\\(ti"}};
	for (size_t i = 0; i < OPTIONS_COUNT(special); i++)
		if (special[i].c == c) {
			buf_addstr(out, special[i].text);
			return;
		}
	buf_addch(out, c);
}

// Text between backquotes is bold. No line begins with what would be a request.
static void put_text(struct buf *out, const char *s, size_t n)
{
	bool bold = false;
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '`') {
			bold = !bold;
			buf_addstr(out, bold ? "\\fB" : "\\fR");
			continue;
		}
		if (s[i] == '.' && (out->len == 0 || out->data[out->len - 1] == '\n'))
			buf_addstr(out, "\\&");
		put_char(out, s[i]);
	}
}

static void put_string(struct buf *out, const char *s)
{
	put_text(out, s, strlen(s));
}

// Words in capitals stand for something else: italic.
static void put_usage(struct buf *out, const char *s)
{
	while (*s) {
		size_t n = 0;
		while (isupper((unsigned char)s[n]))
			n++;
		if (n)
			buf_addstr(out, "\\fI");
		put_text(out, s, n ? n : 1);
		if (n)
			buf_addstr(out, "\\fR");
		s += n ? n : 1;
	}
}

// --- parts of a page ------------------------------------------------------------------------------

static void put_section(struct buf *out, const char *name)
{
	buf_printf(out, ".SH %s\n", name);
}

static void put_head(struct buf *out, const char *page, const char *summary)
{
	buf_addstr(out, ".\\\" Written by `veer help --man`.\n.TH ");
	for (const char *p = page; *p; p++)
		buf_addch(out, (char)toupper((unsigned char)*p));
	buf_addstr(out, " 1 \"\" \"veer " CONFIG_VERSION "\" \"veer\"\n");
	put_section(out, "NAME");
	put_string(out, page);
	buf_addstr(out, " \\- ");
	put_string(out, summary);
	buf_addch(out, '\n');
}

// Lines that begin with blanks are examples and stay as they are.
static void put_details(struct buf *out, const char *text)
{
	bool example = false;
	for (const char *line = text; *line;) {
		size_t n = strcspn(line, "\n");
		bool indented = n > 2 && line[0] == ' ';
		if (indented != example)
			buf_addstr(out, indented ? ".RS 4\n.nf\n" : ".fi\n.RE\n");
		example = indented;
		if (n == 0 && line[1]) {
			buf_addstr(out, ".PP\n");
		} else if (n) {
			put_text(out, line + (indented ? 2 : 0), n - (indented ? 2 : 0));
			buf_addch(out, '\n');
		}
		line += n + (line[n] == '\n');
	}
	if (example)
		buf_addstr(out, ".fi\n.RE\n");
}

static void put_item(struct buf *out, const char *name, const char *text)
{
	buf_addstr(out, ".TP\n\\fB");
	put_string(out, name);
	buf_addstr(out, "\\fR\n");
	put_string(out, text);
	buf_addch(out, '\n');
}

static void put_option(struct buf *out, const struct option_spec *o)
{
	buf_addstr(out, ".TP\n");
	if (o->letter)
		buf_printf(out, "\\fB\\-%c\\fR, ", o->letter);
	buf_addstr(out, "\\fB\\-\\-");
	put_string(out, o->name);
	buf_addstr(out, "\\fR");
	if (o->argument) {
		buf_addch(out, ' ');
		put_usage(out, o->argument);
	}
	buf_addch(out, '\n');
	char *help = words_help(o);
	put_string(out, help);
	mem_free(help);
	buf_addch(out, '\n');
}

static void put_environment(struct buf *out)
{
	put_section(out, "ENVIRONMENT");
	for (size_t i = 0; i < OPTIONS_COUNT(variables); i++)
		put_item(out, variables[i].name, variables[i].text);
}

static void put_references(struct buf *out, const char *self)
{
	put_section(out, "SEE ALSO");
	const char *between = "";
	if (strcmp(self, "veer") != 0) {
		buf_addstr(out, "\\fBveer\\fR(1)");
		between = ",\n";
	}
	if (strcmp(self, compiler_command.name) != 0)
		buf_printf(out, "%s\\fBveer\\-cc\\fR(1)", between);
	for (size_t i = 0; strcmp(self, "veer") == 0 && i < n_commands; i++)
		buf_printf(out, ",\n\\fBveer\\-%s\\fR(1)", commands[i]->name);
	buf_addstr(out, "\n.PP\nThe folder \\fIshare/doc/veer\\fR has the whole documentation.\n");
}

// --- pages ----------------------------------------------------------------------------------------

void man_command(const struct command *c, struct buf *out)
{
	struct buf page = {0};
	bool program = command_is_program(c);
	buf_printf(&page, "%s%s", program ? "" : "veer-", c->name);
	put_head(out, page.data, c->summary);
	put_section(out, "SYNOPSIS");
	buf_addstr(out, program ? "\\fB" : "\\fBveer ");
	put_string(out, c->name);
	buf_addstr(out, "\\fR ");
	put_usage(out, c->usage);
	buf_addch(out, '\n');
	put_section(out, "DESCRIPTION");
	put_details(out, c->details);
	if (!program) {
		put_section(out, "OPTIONS");
		for (size_t i = 0; i < c->n_options; i++)
			put_option(out, &c->options[i]);
		put_item(out, "-h`, `--help", "print this help");
	}
	put_environment(out);
	put_references(out, page.data);
	buf_release(&page);
}

void man_veer(struct buf *out)
{
	put_head(out, "veer", "find the bugs that the tests of a C program step over");
	put_section(out, "SYNOPSIS");
	buf_addstr(out, "\\fBveer\\fR ");
	put_usage(out, "COMMAND [OPTION...] [ARGUMENT...]");
	buf_addch(out, '\n');
	put_section(out, "DESCRIPTION");
	put_details(out,
	            "A program that was built with CC=veer-cc carries what veer needs to test it. Its tests run as\n"
	            "always; veer finds what they could have found. Every finding was confirmed by a run with\n"
	            "AddressSanitizer and UndefinedBehaviorSanitizer, and comes with an input.\n\n"
	            "  make CC=veer-cc\n"
	            "  veer test -- make check\n"
	            "  veer explain F1\n");
	put_section(out, "COMMANDS");
	for (size_t i = 0; i < n_commands; i++)
		put_item(out, commands[i]->name, commands[i]->summary);
	put_section(out, "EXIT STATUS");
	put_details(
		out,
		"0 when all went well, 1 when it did not, 2 when the command line makes no sense. Commands that run\n"
		"others end as these end, unless `--error-exitcode` says something else. 130 or 143 when SIGINT or\n"
		"SIGTERM interrupted recording or a campaign: what was recorded and found is written before.\n");
	put_environment(out);
	put_section(out, "FILES");
	put_item(out, "veer-out", "the folder of a campaign or of reports, where the command was started (-o)");
	put_references(out, "veer");
}
