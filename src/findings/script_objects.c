// What a program makes symbolic itself: a script builds a library that gives it the bytes.
#include "findings/script.h"

// What script_preload reads: $VEER_OBJECTS has a line NUMBER NAME for each object, and $VEER_OBJECTS.NUMBER its bytes.
// A line without a name is the stream.
const char script_preload[] =
	"cat >\"$dir/.objects.c\" <<'END'\n"
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"static void fill(char *at, size_t size, FILE *values)\n"
	"{\n"
	"\tfor (int c; values && size && (c = getc(values)) != EOF; size--)\n"
	"\t\t*at++ = (char)c;\n"
	"}\n"
	"static FILE *values_of(const char *number)\n"
	"{\n"
	"\tchar path[4096];\n"
	"\tsnprintf(path, sizeof path, \"%s.%s\", getenv(\"VEER_OBJECTS\"), number);\n"
	"\treturn fopen(path, \"rb\");\n"
	"}\n"
	"void veer_make_symbolic(void *address, size_t size, const char *name)\n"
	"{\n"
	"\tstatic FILE *list, *stream;\n"
	"\tstatic char taken[1 << 16];\n"
	"\tchar line[4096];\n"
	"\tif (!list)\n"
	"\t\tlist = fopen(getenv(\"VEER_OBJECTS\"), \"r\");\n"
	"\tif (list)\n"
	"\t\trewind(list);\n"
	"\tfor (unsigned i = 0; list && i < sizeof taken && fgets(line, sizeof line, list); i++) {\n"
	"\t\tline[strcspn(line, \"\\n\")] = 0;\n"
	"\t\tchar *own = strchr(line, ' ');\n"
	"\t\tif (own)\n"
	"\t\t\t*own++ = 0;\n"
	"\t\tif (!own || !*own) {\n"
	"\t\t\tstream = stream ? stream : values_of(line);\n"
	"\t\t} else if (!taken[i] && strcmp(own, name && *name ? name : \"input\") == 0) {\n"
	"\t\t\tFILE *values = values_of(line);\n"
	"\t\t\ttaken[i] = 1;\n"
	"\t\t\tfill(address, size, values);\n"
	"\t\t\tif (values)\n"
	"\t\t\t\tfclose(values);\n"
	"\t\t\treturn;\n"
	"\t\t}\n"
	"\t}\n"
	"\tfill(address, size, stream);\n"
	"}\n"
	"END\n"
	"${CC:-cc} -shared -fPIC -o \"$dir/.objects.so\" \"$dir/.objects.c\" || exit 125\n"
	"objects=$dir/.objects.so\n";

bool script_has_objects(const struct input *in)
{
	for (size_t i = 0; i < in->n; i++)
		if (in->v[i].kind == INPUT_OBJECT)
			return true;
	return false;
}

void script_objects(const struct input *in, struct buf *out)
{
	size_t n = 0;
	unsigned counter = 0;
	buf_addstr(out, ": >\"$dir/.objects\"\n");
	for (size_t i = 0; i < in->n; i++) {
		struct buf before = {0}, name = {0}, word = {0};
		if (in->v[i].kind != INPUT_OBJECT)
			continue;
		for (const char *p = in->v[i].name ? in->v[i].name : ""; *p; p++)
			buf_addch(&name, *p == '\n' ? '?' : *p);
		script_word(&word, &before, &counter, buf_str(&name), name.len);
		buf_addstr(out, buf_str(&before));
		buf_printf(out, "printf '%%s %%s\\n' %zu %s >>\"$dir/.objects\"\n", ++n, word.data);
		buf_release(&before);
		buf_release(&name);
		buf_release(&word);
	}
}
