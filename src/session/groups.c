#include "session/groups.h"

#include <assert.h>
#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "findings/accessed.h"
#include "findings/hostile.h"

// --- macros ---------------------------------------------------------------------------------------

// The column of undefined behaviour, from the report's first line: "FILE:LINE:COLUMN: KIND in FUNCTION". 0: unknown.
static unsigned long column_of(const struct stored_finding *f)
{
	size_t n = strlen(f->file);
	char *end;
	if (strncmp(f->report, f->file, n) != 0 || f->report[n] != ':' ||
	    strtoul(f->report + n + 1, &end, 10) != f->line || *end != ':')
		return 0;
	unsigned long column = strtoul(end + 1, &end, 10);
	return *end == ':' ? column : 0;
}

static const char *line_of(const struct buf *text, uint32_t line)
{
	const char *p = text->data;
	while (p && --line && (p = strchr(p, '\n')))
		p++;
	return p;
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

// Clang places what a macro expands to at the macro's name. An operator stands between its operands, and an access at
// its array or pointer; so an expression that begins with NAME( is the expansion of a function-like macro. Checks of
// arguments stand at the call itself, and are none.
static char *macro_of(const struct stored_finding *f)
{
	enum { SOURCE_MAX = 4 << 20 };
	unsigned long column = column_of(f);
	struct buf text = {0};
	char *name = NULL;
	int fd = column && f->line && !strstr(f->kind, "nonnull") ? hostile_open(AT_FDCWD, f->file) : -1;
	if (fd < 0)
		return NULL;
	hostile_read(fd, SOURCE_MAX, &text);
	close(fd);
	const char *line = line_of(&text, f->line);
	if (line && strcspn(line, "\n") >= column) {
		const char *p = line + column - 1, *from = p;
		while (is_name(*p))
			p++;
		size_t size = (size_t)(p - from);
		p += strspn(p, " \t");
		if (size && !isdigit((unsigned char)*from) && *p == '(')
			name = mem_copy(from, size);
	}
	buf_release(&text);
	return name;
}

// --- groups ---------------------------------------------------------------------------------------

static void add_object(struct buf *out, const struct stored_finding *f)
{
	struct accessed a;
	accessed_read(&a, f->report);
	if (a.kind)
		buf_printf(out, "\nobject %d %s %s", (int)a.kind, a.name ? a.name : "", a.origin ? a.origin : "");
	accessed_release(&a);
}

void group_cause(const struct stored_finding *f, struct buf *ret)
{
	buf_printf(ret, "%s\n%s\n", level_name(f->level), f->kind);
	char *macro = f->level == LEVEL_WARNING ? macro_of(f) : NULL;
	if (macro) {
		buf_printf(ret, "macro %s", macro);
	} else if (!f->line || strcmp(f->kind, "stack-overflow") == 0 || strcmp(f->kind, "hang") == 0) {
		buf_printf(ret, "key %016" PRIx64, f->key); // it is in no one line
	} else {
		buf_printf(ret, "line %s:%" PRIu32, f->file, f->line);
		add_object(ret, f);
	}
	mem_free(macro);
}

int64_t groups_add(struct groups *g, const struct stored_finding *f)
{
	struct buf cause = {0};
	group_cause(f, &cause);
	struct group_member m = {.key = hash_bytes(cause.data, cause.len).low, .id = f->id, .lead = f->id};
	buf_release(&cause);
	for (size_t i = 0; i < g->n; i++)
		if (g->v[i].key == m.key) {
			m.lead = g->v[i].lead;
			break;
		}
	vec_push(g, m);
	return m.lead;
}

int64_t groups_lead(const struct groups *g, int64_t id)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->v[i].id == id)
			return g->v[i].lead;
	assert(!"a finding that was not added");
	return id;
}

void groups_release(struct groups *g)
{
	mem_free(g->v);
	*g = (struct groups){0};
}

void groups_others(const struct groups *g, int64_t lead, struct strv *ret)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->v[i].lead == lead && g->v[i].id != lead)
			strv_pushf(ret, "F%" PRId64, g->v[i].id);
}
