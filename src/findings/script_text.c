// Bytes as text of a POSIX shell: words, and lines that print them.
#include <string.h>

#include "base/mem.h"
#include "findings/script.h"

enum { LINE = 60, LONG_RUN = 24 }; // bytes of content in a line; of filler that is worth a loop

static bool is_printable(const char *data, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (data[i] < ' ' || data[i] > '~')
			return false;
	return true;
}

static void add_quoted(struct buf *word, const char *data, size_t size)
{
	buf_addch(word, '\'');
	for (size_t i = 0; i < size; i++)
		if (data[i] == '\'')
			buf_addstr(word, "'\\''");
		else
			buf_addch(word, data[i]);
	buf_addch(word, '\'');
}

// As the format of printf. The shell cuts newlines off the end of what a command prints, hence the x.
static void add_printed(struct buf *word, struct buf *before, unsigned number, const char *data, size_t size)
{
	buf_printf(before, "v%u=$(printf '", number);
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)data[i];
		if (c == '%')
			buf_addstr(before, "%%");
		else if (c == '\\')
			buf_addstr(before, "\\\\");
		else if (c < ' ' || c > '~' || c == '\'' || (c == '-' && i == 0)) // printf would take it for an option
			buf_printf(before, "\\%03o", c);
		else
			buf_addch(before, (char)c);
	}
	buf_printf(before, "x'); v%u=${v%u%%x}\n", number, number);
	buf_printf(word, "\"$v%u\"", number);
}

void script_word(struct buf *word, struct buf *before, unsigned *counter, const void *data, size_t size)
{
	const char *text = data;
	size = size ? strnlen(text, size) : 0;
	if (is_printable(text, size))
		add_quoted(word, text, size);
	else
		add_printed(word, before, ++*counter, text, size);
}

// How many bytes from here on are the same and do not matter.
static size_t run_length(const struct buf *data, const struct buf *mask, size_t at)
{
	size_t n = 0;
	while (at + n < data->len && !mask->data[at + n] && data->data[at + n] == data->data[at])
		n++;
	return n;
}

static void add_escaped(struct buf *out, unsigned char c)
{
	if (c == '%')
		buf_addstr(out, "%%");
	else if (c == '\\')
		buf_addstr(out, "\\\\");
	else if (c == '\n')
		buf_addstr(out, "\\n");
	else if (c < ' ' || c > '~' || c == '\'')
		buf_printf(out, "\\%03o", c);
	else
		buf_addch(out, (char)c);
}

void script_content(struct buf *out, const struct buf *data, const struct buf *mask)
{
	for (size_t i = 0; i < data->len;) {
		size_t run = run_length(data, mask, i);
		if (run >= LONG_RUN) {
			buf_printf(out, "\tprintf '%%%zus' '' | tr ' ' '", run);
			add_escaped(out, (unsigned char)data->data[i]);
			buf_addstr(out, "'\n");
			i += run;
			continue;
		}
		buf_addstr(out, "\tprintf '");
		if (data->data[i] == '-') { // printf would take it for an option
			buf_addstr(out, "\\055");
			i++;
		}
		for (size_t n = 0; i < data->len && n < LINE && run_length(data, mask, i) < LONG_RUN; n++) {
			add_escaped(out, (unsigned char)data->data[i]);
			if (data->data[i++] == '\n')
				break;
		}
		buf_addstr(out, "'\n");
	}
	if (!data->len)
		buf_addstr(out, "\t:\n");
}

char *script_file(const struct input *in, size_t i)
{
	static const char *const names[] = {"argument", "variable", "stdin", "file",
	                                    "object",   "socket",   "entry", "cell"};
	_Static_assert(sizeof names / sizeof *names == INPUT_KINDS, "a name for each kind");
	size_t number = 0;
	enum input_kind kind = in->v[i].kind;
	for (size_t k = 0; k < i; k++)
		number += in->v[k].kind == kind;
	if (kind == INPUT_STDIN)
		return mem_strdup(names[kind]);
	return mem_printf("%s-%zu", names[kind], number + (kind != INPUT_ARGUMENT)); // 0 is the program's name
}
