#include "report/source.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "base/vec.h"

enum { SOURCE_MAX = 4 << 20, TAB = 4, LINE_MAX_BYTES = 1000 };

static struct strv allowed; // real paths

static bool is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);
	return strncmp(path, folder, n) == 0 && (path[n] == '/' || !path[n]);
}

void source_allow(const char *path)
{
	char real[PATH_MAX], home[PATH_MAX];
	const char *set = getenv("HOME");
	struct stat st;
	if (!realpath(path, real) || stat(real, &st) < 0)
		return;
	bool broad = strcmp(real, "/") == 0 || (set && realpath(set, home) && is_below(home, real));
	if (S_ISREG(st.st_mode) || !broad)
		strv_push_once(&allowed, real);
}

void source_allow_none(void)
{
	strv_release(&allowed);
}

static bool is_allowed(const char *real)
{
	for (size_t i = 0; i < allowed.n; i++)
		if (is_below(real, allowed.v[i]))
			return true;
	return false;
}

// A pipe or a device must not hold us up.
static void read_regular(const char *name, struct buf *ret)
{
	char path[PATH_MAX];
	int fd = !realpath(name, path) || !is_allowed(path) ? -1
	                                                    : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	char block[65536];
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		for (ssize_t n; ret->len < SOURCE_MAX && (n = read(fd, block, sizeof block)) > 0;)
			buf_add(ret, block, (size_t)n);
	if (fd >= 0)
		close(fd);
}

void source_read(struct source *ret, const char *path)
{
	struct buf text = {0};
	size_t cap = 0;
	*ret = (struct source){0};
	read_regular(path, &text);
	for (size_t at = 0; at < text.len;) {
		const char *end = memchr(text.data + at, '\n', text.len - at);
		size_t n = end ? (size_t)(end - text.data) - at : text.len - at;
		vec_room(ret->v, ret->n + 1, cap);
		struct buf line = {0};
		buf_add(&line, text.data + at, n < LINE_MAX_BYTES ? n : LINE_MAX_BYTES);
		ret->v[ret->n++] = line.data ? buf_steal(&line) : mem_strdup("");
		at += n + 1;
	}
	buf_release(&text);
}

void source_release(struct source *s)
{
	for (size_t i = 0; i < s->n; i++)
		mem_free(s->v[i]);
	mem_free(s->v);
	*s = (struct source){0};
}

void source_line(const struct source *s, uint32_t line, struct buf *out)
{
	size_t from = out->len;
	if (line == 0 || line > s->n)
		return;
	for (const char *p = s->v[line - 1]; *p;) {
		size_t n = strcspn(p, "\t");
		utf8_clean(out, p, n);
		p += n;
		if (*p) {
			do
				buf_addch(out, ' ');
			while ((out->len - from) % TAB);
			p++;
		}
	}
}

size_t source_column(const struct source *s, uint32_t line, uint32_t column)
{
	struct buf before = {0};
	if (line == 0 || line > s->n || column == 0 || column > strlen(s->v[line - 1]))
		return 0;
	char *start = mem_copy(s->v[line - 1], column - 1);
	const struct source one = {.v = &start, .n = 1};
	source_line(&one, 1, &before);
	size_t at = before.len;
	buf_release(&before);
	mem_free(start);
	return at;
}

void source_quote(struct source_at_hand *at_hand, const char *file, const char *finding, uint32_t line, size_t most,
                  struct buf *out)
{
	const char *name = source_is_same(file, finding) ? finding : file;
	struct buf text = {0};
	if (!at_hand->name || strcmp(at_hand->name, name) != 0) {
		source_at_hand_release(at_hand);
		at_hand->name = mem_strdup(name);
		source_read(&at_hand->source, name);
	}
	source_line(&at_hand->source, line, &text);
	const char *p = buf_str(&text);
	p += strspn(p, " ");
	size_t n = strlen(p), cut = n <= most ? n : most;
	while (cut < n && cut && ((unsigned char)p[cut] & 0xc0) == 0x80) // in the middle of a character
		cut--;
	buf_add(out, p, cut);
	if (cut < n)
		buf_addstr(out, "...");
	buf_release(&text);
}

void source_at_hand_release(struct source_at_hand *at_hand)
{
	mem_free(at_hand->name);
	source_release(&at_hand->source);
	*at_hand = (struct source_at_hand){0};
}

bool source_is_same(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	if (n < m)
		return source_is_same(b, a);
	return strcmp(a + n - m, b) == 0 && (n == m || m == 0 || a[n - m - 1] == '/');
}

char *source_relative(const char *root, const char *path)
{
	char *clean = *path == '/' ? path_clean(path) : NULL;
	size_t n = strlen(root);
	while (n > 1 && root[n - 1] == '/')
		n--;
	if (!clean)
		return mem_strdup(path);
	if (strncmp(clean, root, n) != 0 || clean[n] != '/' || !clean[n + 1])
		return clean;
	char *relative = mem_strdup(clean + n + 1);
	mem_free(clean);
	return relative;
}
