#include "input/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"

enum { CHOSEN_LEAST = 4 }; // gnulib's tests have four, mkdtemp has six or more

enum made { MADE_GONE, MADE_UNKNOWN, MADE_KNOWN };

// GONE: nothing is there. UNKNOWN: it cannot be looked at, or the file system does not tell when it was made.
static enum made made_at(const char *path, struct statx_timestamp *ret)
{
	struct statx x;
	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &x) < 0)
		return errno == ENOENT || errno == ENOTDIR ? MADE_GONE : MADE_UNKNOWN;
	*ret = x.stx_btime;
	return x.stx_mask & STATX_BTIME ? MADE_KNOWN : MADE_UNKNOWN;
}

struct temporary temporary_since(const char *folder)
{
	struct temporary t = {.seconds = INT64_MAX};
	struct statx_timestamp made;
	char *recorded = mem_printf("%s/recorded", folder);
	if (made_at(recorded, &made) == MADE_KNOWN)
		t = (struct temporary){made.tv_sec, made.tv_nsec};
	mem_free(recorded);
	return t;
}

static bool is_new(const struct temporary *t, const char *path)
{
	struct statx_timestamp made;
	enum made m = made_at(path, &made);
	if (m != MADE_KNOWN)
		return m == MADE_GONE;
	return made.tv_sec > t->seconds || (made.tv_sec == t->seconds && made.tv_nsec >= t->nanoseconds);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool can_be_chosen(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Of a name: what is chosen anew each time is overwritten in `to`, a copy of it. Whether there is any.
static bool mask_name(const char *name, size_t n, char *to)
{
	size_t last = n;
	bool any = false;
	while (last > 0 && can_be_chosen(name[last - 1]))
		last--;
	for (size_t i = 0; i < n; i++)
		if (is_digit(name[i]) || (i >= last && n - last >= CHOSEN_LEAST)) {
			to[i] = 'X';
			any = true;
		}
	return any;
}

// The folder that the first `end` bytes of `path` name.
static void mask_folder(const struct temporary *t, const char *path, size_t end, struct buf *bytes)
{
	char *folder = mem_copy(path, end), *masked = mem_copy(path, end);
	size_t from = end;
	while (from > 0 && path[from - 1] != '/')
		from--;
	const size_t n = end - from;
	if (n && mask_name(path + from, n, masked + from) && is_new(t, folder)) {
		char *p = bytes->data, *stop = p + bytes->len;
		while ((p = memmem(p, (size_t)(stop - p), path + from, n))) {
			memcpy(p, masked + from, n);
			p += n;
		}
	}
	mem_free(folder);
	mem_free(masked);
}

static void mask_working_folder(const struct temporary *t, const char *cwd, struct buf *bytes)
{
	for (size_t end = 0; cwd[end];) {
		end += 1 + strcspn(cwd + end + 1, "/");
		mask_folder(t, cwd, end, bytes);
	}
}

// Folders directly in `where`, "" for none; entries are sorted so that those of one folder follow each other.
static void mask_below(const struct temporary *t, const struct snapshot *s, const char *where, struct buf *bytes)
{
	size_t n = strlen(where), last_end = 0;
	const char *last = "";
	while (n > 1 && where[n - 1] == '/')
		n--;
	for (size_t i = 0; n > 0 && i < s->n; i++) {
		const char *path = s->v[i].path;
		if (strncmp(path, where, n) != 0 || path[n] != '/')
			continue;
		size_t end = n + 1 + strcspn(path + n + 1, "/");
		bool folder = path[end] == '/' || s->v[i].kind == SNAPSHOT_FOLDER;
		if (!folder || (end == last_end && memcmp(path, last, end) == 0))
			continue;
		mask_folder(t, path, end, bytes);
		last = path;
		last_end = end;
	}
}

void temporary_mask(const struct temporary *t, const struct snapshot *s, struct buf *bytes)
{
	static const char NAME[] = "TMPDIR=";
	if (s->cwd)
		mask_working_folder(t, s->cwd, bytes);
	mask_below(t, s, "/tmp", bytes);
	mask_below(t, s, "/var/tmp", bytes);
	for (size_t i = 0; i < s->n_variables; i++)
		if (strncmp(s->variables[i], NAME, sizeof NAME - 1) == 0)
			mask_below(t, s, s->variables[i] + sizeof NAME - 1, bytes);
}
