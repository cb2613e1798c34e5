#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "config.h"
#include "report/sarif.h"
#include "session/results.h"

void sarif_text(struct buf *out, const char *s)
{
	json_string(out, s, strlen(s));
}

void sarif_message(struct buf *out, const char *name, const char *s)
{
	buf_printf(out, "\"%s\": {\"text\": ", name);
	sarif_text(out, s);
	buf_addch(out, '}');
}

void sarif_uri(struct buf *out, const char *path)
{
	buf_addch(out, '"');
	if (*path == '/')
		buf_addstr(out, "file://");
	for (const unsigned char *p = (const unsigned char *)path; *p; p++) {
		// A colon in the first part of a relative path would make that a scheme.
		bool plain = isalnum(*p) || strchr("/-._~", *p);
		buf_printf(out, plain ? "%c" : "%%%02X", *p);
	}
	buf_addch(out, '"');
}

void sarif_begin(struct buf *out)
{
	buf_addstr(out, "{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\", \"version\": \"2.1.0\", "
	                "\"runs\": [{\n  \"tool\": {\"driver\": {\"name\": \"veer\", \"semanticVersion\": "
	                "\"" CONFIG_VERSION "\", \"rules\": [");
}

void sarif_root(struct buf *out, const char *root)
{
	char *uri = mem_printf("%s/", strcmp(root, "/") == 0 ? "" : root);
	buf_addstr(
		out,
		"]}},\n  \"columnKind\": \"unicodeCodePoints\",\n  \"originalUriBaseIds\": {\"SRCROOT\": {\"uri\": ");
	sarif_uri(out, uri);
	buf_addstr(out, "}},\n  \"invocations\": [{\"executionSuccessful\": true, \"toolExecutionNotifications\": [");
	mem_free(uri);
}
