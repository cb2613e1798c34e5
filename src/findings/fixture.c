#include "findings/fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "findings/script.h"
#include "input/sym.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

// --- variables ---------------------------------------------------------------------------------

// What a program of any kind may behave otherwise for.
static const char *const decisive[] = {
	"LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES",     "LC_MONETARY", "LC_NUMERIC", "LC_TIME",
	"LANG",   "LANGUAGE",   "TZ",       "POSIXLY_CORRECT", "COLUMNS",     "LINES",
};

// How the suite was run.
static const char *const idle[] = {"PATH",    "PWD",       "OLDPWD",       "SHLVL",         "_",           "MAKEFLAGS",
                                   "MFLAGS",  "MAKELEVEL", "MAKE",         "MAKEOVERRIDES", "SHELL",       "HOME",
                                   "LOGNAME", "USER",      "MAKE_TERMERR", "MAKE_TERMOUT",  "GNUMAKEFLAGS"};

static bool is_in(const char *const *names, size_t n, const char *variable)
{
	size_t length = strcspn(variable, "=");
	for (size_t i = 0; i < n; i++)
		if (strncmp(names[i], variable, length) == 0 && !names[i][length])
			return true;
	return false;
}

static bool is_ours(const char *variable)
{
	for (char **e = environ; e && *e; e++)
		if (strcmp(*e, variable) == 0)
			return true;
	return false;
}

bool fixture_has_variable(const struct finding_text *f, const char *variable)
{
	if (!strchr(variable, '=') || variable[0] == '=')
		return false;
	if (sym_names_variable(f->sym, variable, strcspn(variable, "=")))
		return true;
	if (is_in(idle, COUNT(idle), variable))
		return false;
	return is_in(decisive, COUNT(decisive), variable) || !is_ours(variable);
}

void fixture_unset(const struct snapshot *s, struct buf *ret)
{
	for (size_t i = 0; i < COUNT(decisive); i++) {
		bool there = false;
		for (size_t k = 0; k < s->n_variables; k++)
			there |= is_in(&decisive[i], 1, s->variables[k]);
		if (!there)
			buf_printf(ret, " %s", decisive[i]);
	}
}

// --- which files -------------------------------------------------------------------------------

static bool is_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);
	while (n > 1 && folder[n - 1] == '/')
		n--;
	return n > 1 && strncmp(path, folder, n) == 0 && (!path[n] || path[n] == '/');
}

static const char *temporary(const struct snapshot *s)
{
	for (size_t i = 0; i < s->n_variables; i++)
		if (strncmp(s->variables[i], "TMPDIR=/", 8) == 0)
			return s->variables[i] + 7;
	return "/tmp";
}

bool fixture_has(const struct snapshot *s, const char *path)
{
	const char *const folders[] = {s->cwd, "/tmp", "/var/tmp", temporary(s)};
	for (size_t i = 0; i < COUNT(folders); i++)
		if (is_below(path, folders[i]))
			return true;
	return false;
}

bool fixture_is_moved_link(const struct snapshot *s, const struct snapshot_entry *e)
{
	return e->kind == SNAPSHOT_LINK && e->text[0] == '/' && fixture_has(s, e->text);
}

void fixture_count(const struct snapshot *s, size_t *ret_with, size_t *ret_without)
{
	*ret_with = *ret_without = 0;
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].kind == SNAPSHOT_FILE)
			++*(fixture_has(s, s->v[i].path) ? ret_with : ret_without);
}

// --- the files -----------------------------------------------------------------------------------

static void set_time(const char *path, const struct snapshot_entry *e)
{
	const struct timespec t = {e->seconds, e->nanoseconds};
	utimensat(AT_FDCWD, path, (struct timespec[]){t, t}, AT_SYMLINK_NOFOLLOW);
}

static int write_content(int fd, const struct finding_text *f, const struct snapshot_entry *e, struct err *err)
{
	const struct input_part *part = input_find(f->input, INPUT_FILE, e->path);
	if (part && f->masks)
		return 0;
	if (part)
		return file_write_all(fd, part->data.data, part->data.len) < 0
		               ? err_errno(err, "cannot write %s", e->path)
		               : 0;
	if (!e->known) // may be large
		return ftruncate(fd, (off_t)e->size) < 0 ? err_errno(err, "cannot write %s", e->path) : 0;
	struct buf data = {0};
	int r = snapshot_content(f->files, e, &data, err);
	if (r == 0 && file_write_all(fd, data.data, data.len) < 0)
		r = err_errno(err, "cannot write %s", e->path);
	buf_release(&data);
	return r;
}

unsigned fixture_needs(const struct finding_text *f, const struct snapshot_entry *e)
{
	if (e->kind == SNAPSHOT_FOLDER)
		return 0700;
	return f->masks && input_find(f->input, INPUT_FILE, e->path) ? 0600 : 0400;
}

// Who is to copy it must be able to read it, or to fill it; what else it has the script sets.
static int write_one(const char *path, const struct finding_text *f, const struct snapshot_entry *e, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_errno(err, "cannot write %s", path);
	int r = write_content(fd, f, e, err);
	if (fchmod(fd, e->mode | fixture_needs(f, e)) < 0 && r == 0)
		r = err_errno(err, "cannot write %s", path);
	close(fd);
	set_time(path, e);
	return r;
}

static int write_entry(const char *path, const struct finding_text *f, const struct snapshot_entry *e, struct err *err)
{
	char *folder = path_dirname(path);
	int r = file_mkdirs(folder, 0777, err);
	mem_free(folder);
	struct stat st;
	if (r < 0 || (e->kind != SNAPSHOT_FOLDER && lstat(path, &st) == 0)) // the first one counts
		return r;
	switch (e->kind) {
	case SNAPSHOT_FOLDER: return file_mkdirs(path, 0777, err);
	case SNAPSHOT_FILE: return write_one(path, f, e, err);
	case SNAPSHOT_PIPE:
		if (mkfifo(path, e->mode | 0400) < 0)
			return err_errno(err, "cannot write %s", path);
		set_time(path, e);
		return 0;
	default: return 0;
	}
}

// When all folders are there: none of them is reached by a link.
static int write_link(const char *path, const struct finding_text *f, const struct snapshot_entry *e, struct err *err)
{
	(void)f;
	if (e->kind == SNAPSHOT_LINK && symlink(e->text, path) < 0 && errno != EEXIST)
		return err_errno(err, "cannot write %s", path);
	return 0;
}

// When all is in them.
static int finish_entry(const char *path, const struct finding_text *f, const struct snapshot_entry *e, struct err *err)
{
	(void)err;
	if (e->kind == SNAPSHOT_FOLDER)
		chmod(path, e->mode | fixture_needs(f, e));
	if (e->kind == SNAPSHOT_FOLDER || e->kind == SNAPSHOT_LINK)
		set_time(path, e);
	return 0;
}

typedef int step(const char *path, const struct finding_text *f, const struct snapshot_entry *e, struct err *err);

static bool is_written(const struct snapshot *s, const struct snapshot_entry *e)
{
	return e->kind != SNAPSHOT_ABSENT && fixture_has(s, e->path) && !fixture_is_moved_link(s, e);
}

int fixture_write(const char *folder, const struct finding_text *f, struct err *err)
{
	static step *const steps[] = {write_entry, write_link, finish_entry};
	const struct snapshot *s = f->snapshot;
	char *top = mem_printf("%s/" FIXTURE_FOLDER, folder);
	int r = file_mkdirs(top, 0777, err);
	for (size_t k = 0; k < COUNT(steps); k++)
		for (size_t i = 0; i < s->n && r == 0; i++) {
			char *path = is_written(s, &s->v[i]) ? mem_printf("%s%s", top, s->v[i].path) : NULL;
			if (path)
				r = steps[k](path, f, &s->v[i], err);
			mem_free(path);
		}
	mem_free(top);
	return r;
}
