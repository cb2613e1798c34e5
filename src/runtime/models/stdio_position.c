// Where a stream is, whether that is its end; opening and closing.
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/models/stdio.h"

// --- positions ------------------------------------------------------------------------------------------

// After a seek. `before`: the position it started from.
static void moved(struct stream *s, struct site *site, int64_t offset, int whence, uint64_t before)
{
	s->last = 0;
	if (!s->source->seekable)
		return;
	stream_refilled(s, NULL, 0);
	reading_moved(s->source);
	if (whence == SEEK_END)
		reading_from_end(s->source, offset, stream_position(s));
	else if (whence == SEEK_CUR && offset)
		reading_at(site, s->source, before);
	else if (whence != SEEK_CUR)
		s->source->end_label = 0;
}

static int seek(FILE *f, struct site *site, const label *arg, int64_t offset, int whence)
{
	stream_lock(f);
	struct stream *s = stream_of(f, site);
	uint64_t before = s ? stream_position(s) : 0;
	int r = fseeko(f, offset, whence);
	rt_concrete(site, arg[1], (uint64_t)offset, REASON_POSITION);
	rt_concrete(site, arg[2], (uint32_t)whence, REASON_ARGUMENT);
	if (s && r == 0)
		moved(s, site, offset, whence, before);
	stream_unlock(f);
	return r;
}

MODEL(int, fseek, FILE *f, long offset, int whence)
{
	ENTER(fseek, 3);
	return seek(f, site, arg, offset, whence);
}

MODEL(int, fseeko, FILE *f, off_t offset, int whence)
{
	ENTER(fseeko, 3);
	return seek(f, site, arg, offset, whence);
}

MODEL(void, rewind, FILE *f)
{
	ENTER(rewind, 1);
	struct stream *s = stream_of(f, site);
	rewind(f);
	if (s)
		moved(s, site, 0, SEEK_SET, 0);
}

MODEL(int, fsetpos, FILE *f, const fpos_t *to)
{
	ENTER(fsetpos, 2);
	struct stream *s = stream_of(f, site);
	int r = fsetpos(f, to);
	if (s && r == 0)
		moved(s, site, 0, SEEK_SET, 0);
	return r;
}

MODEL(int, fgetpos, FILE *f, fpos_t *ret)
{
	ENTER(fgetpos, 2);
	int r = fgetpos(f, ret);
	if (r == 0)
		rt_clear((uint64_t)ret, sizeof *ret);
	return r;
}

MODEL(long, ftell, FILE *f)
{
	ENTER(ftell, 1);
	long r = ftell(f);
	struct stream *s = r >= 0 ? stream_of(f, site) : NULL;
	return GIVE(ftell, r, s && s->source->seekable ? reading_position(s->source, (uint64_t)r) : 0);
}

// --- the end of a file ------------------------------------------------------------------------------------

// Whether the last attempt to read met the end: that is where the length is.
static label end_label(struct stream *s, bool is)
{
	if ((!is && !s->last) || s->tried == UINT64_MAX)
		return 0;
	uint64_t at = is ? stream_position(s) : s->last - 1;
	struct sym exists = reading_exists(s->source, s->tried ? s->tried - 1 : at);
	return exists.value == is ? 0 : sym_extend(sym_not(exists), 32).l;
}

MODEL(int, feof, FILE *f)
{
	ENTER(feof, 1);
	int r = feof(f);
	struct stream *s = stream_of(f, site);
	return GIVE(feof, r, s ? end_label(s, r != 0) : 0);
}

MODEL(void, clearerr, FILE *f)
{
	ENTER(clearerr, 1);
	clearerr(f);
	struct stream *s = stream_of(f, site);
	if (s)
		s->last = 0;
}

// --- opening and closing --------------------------------------------------------------------------------------

static int flags_of(const char *mode)
{
	bool both = strchr(mode, '+');
	return mode[0] == 'w' ? O_WRONLY | O_TRUNC : both ? O_RDWR : mode[0] == 'a' ? O_WRONLY : O_RDONLY;
}

// A FILE can be where another was.
MODEL(FILE *, fopen, const char *path, const char *mode)
{
	ENTER(fopen, 2);
	struct stat was;
	bool old = rt_source_opening(AT_FDCWD, path, flags_of(mode), &was);
	FILE *f = fopen(path, mode);
	stream_forget(f);
	if (f && old)
		rt_source_opened(fileno(f), &was);
	if (f)
		model_keep_name(site, path);
	else
		model_miss_name(site, path);
	return f;
}

MODEL(FILE *, fdopen, int fd, const char *mode)
{
	ENTER(fdopen, 2);
	FILE *f = fdopen(fd, mode);
	stream_forget(f);
	return f;
}

MODEL(FILE *, freopen, const char *path, const char *mode, FILE *old)
{
	ENTER(freopen, 3);
	stream_forget(old);
	struct stat was;
	bool is_old = rt_source_opening(AT_FDCWD, path, flags_of(mode), &was);
	FILE *f = freopen(path, mode, old);
	if (f && is_old)
		rt_source_opened(fileno(f), &was);
	if (f && path)
		model_keep_name(site, path);
	else if (!f)
		model_miss_name(site, path);
	return f;
}

MODEL(int, fclose, FILE *f)
{
	ENTER(fclose, 1);
	stream_forget(f);
	struct memory_stream *m = memory_stream_of(f);
	int r = fclose(f);
	if (m)
		memory_stream_closed(m);
	return r;
}

MODEL(FILE *, popen, const char *command, const char *mode)
{
	ENTER(popen, 2);
	FILE *f = popen(command, mode);
	stream_forget(f);
	return f;
}

MODEL(int, pclose, FILE *f)
{
	ENTER(pclose, 1);
	stream_forget(f);
	return pclose(f);
}

MODEL(FILE *, tmpfile, void)
{
	ENTER(tmpfile, 0);
	FILE *f = tmpfile();
	stream_forget(f);
	return f;
}
