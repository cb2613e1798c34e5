#include "findings/address.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "findings/hostile.h"

enum { FRAMES_MAX = 512, LINES_MAX = 32, KEPT_LINE = 400, NAME_LINES = 8 };

// "    #1 0x55d0 [in NAME ] (MODULE+0xOFFSET)[ (BuildId: ...)]"
static bool parse_frame(const char *line, size_t size, struct address_frame *ret)
{
	const char *end = line + size, *open = memmem(line, size, " (/", 3);
	if (!open)
		return false;
	const char *close = memmem(open, (size_t)(end - open), ") (BuildId", 10);
	if (!close)
		close = memrchr(open, ')', (size_t)(end - open));
	if (!close)
		return false;
	const char *plus = close;
	while (plus > open && *plus != '+')
		plus--;
	if (plus == open || close - plus > 20)
		return false;
	ret->module = mem_copy(open + 2, (size_t)(plus - open - 2));
	ret->offset = strtoull(plus + 1, NULL, 16);
	return true;
}

// The number of a frame at the start of a line, -1 when it is none.
static long frame_number(const char *line)
{
	const char *p = line + strspn(line, " ");
	if (p == line || *p != '#' || !isdigit((unsigned char)p[1]))
		return -1;
	return strtol(p + 1, NULL, 10);
}

// The name of a program may have more than one line.
static bool goes_on(const char *line, size_t size)
{
	return memmem(line, size, " (/", 3) && line[size] == '\n' && line[size + 1] && line[size + 1] != '\n' &&
	       frame_number(line + size + 1) < 0;
}

static char *find_kind(const char *text)
{
	static const char mark[] = "ERROR: AddressSanitizer: ", summary[] = "SUMMARY: AddressSanitizer: ";
	const char *p = strstr(text, mark);
	if (!p)
		return NULL; // warnings, such as a failed huge malloc
	p += sizeof mark - 1;
	// The summary at the end has the kind in one word, where the report has a sentence.
	const char *word = strstr(p, summary);
	word = word ? word + sizeof summary - 1 : p;
	char *kind = hostile_clean(word, strcspn(word, " :\n"));
	bool good = *kind;
	for (char *c = kind; *c; c++) {
		*c = (char)tolower((unsigned char)*c);
		good &= isalnum((unsigned char)*c) || *c == '-' || *c == '_';
	}
	if (good)
		return kind;
	mem_free(kind); // the sanitizer has no such words
	return NULL;
}

void address_parse(struct address_report *ret, const char *text)
{
	*ret = (struct address_report){.kind = find_kind(text)};
	ret->v = mem_alloc(FRAMES_MAX * sizeof *ret->v);
	unsigned stacks = 0;
	for (const char *line = text; *line && ret->n < FRAMES_MAX;) {
		size_t size = strcspn(line, "\n");
		long number = frame_number(line);
		stacks += number == 0;
		struct address_frame f = {.at = (size_t)(line - text), .stack = stacks - 1};
		bool parsed = number >= 0 && stacks && parse_frame(line, size, &f);
		for (int i = 0; i < NAME_LINES && number >= 0 && stacks && !parsed && goes_on(line, size); i++) {
			size += 1 + strcspn(line + size + 1, "\n");
			parsed = parse_frame(line, size, &f);
		}
		f.size = size;
		if (parsed)
			ret->v[ret->n++] = f;
		line += size + (line[size] == '\n');
	}
}

void address_release(struct address_report *r)
{
	for (size_t i = 0; i < r->n; i++)
		mem_free(r->v[i].module);
	mem_free(r->v);
	mem_free(r->kind);
	*r = (struct address_report){0};
}

static bool starts_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

// Where a user looks for the bug: neither in the system's headers nor in what veer links to a program.
static bool is_users(const char *line)
{
	const char *place = strchr(line, ' ');
	return place && !starts_with(place + 1, "/usr/") && !starts_with(line, "klee_") &&
	       !starts_with(line, "veer_") && !starts_with(line, "__VERIFIER_");
}

static size_t add_lines(const struct address_report *r, unsigned stack, bool all, struct buf *ret)
{
	size_t n = 0;
	for (size_t i = 0; i < r->n; i++)
		for (const char *line = r->v[i].stack == stack ? r->v[i].lines : NULL;
		     line && *line && n < LINES_MAX;) {
			size_t size = strcspn(line, "\n");
			bool place = memchr(line, ' ', size);
			if (place && (all || is_users(line))) {
				char *kept = hostile_clean(line, size);
				buf_printf(ret, "%s\n", kept);
				mem_free(kept);
				n++;
			}
			line += size + (line[size] == '\n');
		}
	return n;
}

void address_stack(const struct address_report *r, unsigned stack, struct buf *ret)
{
	if (add_lines(r, stack, false, ret) == 0)
		add_lines(r, stack, true, ret);
}

// A line of the report; long ones are cut, which those of the sanitizer never are.
static void explain_plain(const char *line, size_t size, struct buf *ret)
{
	char *kept = hostile_clean(line, size < KEPT_LINE ? size : KEPT_LINE);
	buf_printf(ret, "%s\n", kept);
	mem_free(kept);
}

// A frame may stand for several when functions were inlined; they share its number.
static void explain_frame(const struct address_frame *f, const char *text, struct buf *ret)
{
	long number = frame_number(text + f->at);
	for (const char *line = f->lines; *line;) {
		size_t size = strcspn(line, "\n");
		const char *space = memchr(line, ' ', size);
		int name = (int)(space ? space - line : (long)size);
		buf_printf(ret, "    #%ld in %.*s%.*s\n", number, name, line, (int)(size - (size_t)name), line + name);
		line += size + (line[size] == '\n');
	}
}

void address_explain(const struct address_report *r, const char *text, struct buf *ret)
{
	size_t frame = 0;
	for (const char *line = text; *line;) {
		size_t size = strcspn(line, "\n"), at = (size_t)(line - text);
		if (starts_with(line, "Shadow bytes around")) // of use to nobody without the process
			break;
		while (frame < r->n && r->v[frame].at < at)
			frame++;
		if (frame < r->n && r->v[frame].at == at && r->v[frame].lines && *r->v[frame].lines)
			explain_frame(&r->v[frame], text, ret);
		else
			explain_plain(line, size, ret);
		line += size + (line[size] == '\n');
	}
}
