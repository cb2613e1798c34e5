// Writing to the outside: how much was written is reported in terms of how much was to be written. Programs that write
// in a loop until nothing is left would otherwise go on, in terms of the input, with the difference of two lengths.
// Labels are lost in what the program itself may read back, and that counts as not modelled.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/models/memory_stream.h"
#include "runtime/models/model.h"

// The label of a count that is `wanted` when all was written.
static label all_of(struct site *site, label l, uint64_t wanted, uint64_t r)
{
	if (r == wanted)
		return l;
	rt_concrete(site, l, wanted, REASON_LENGTH);
	return 0;
}

// Pipes, sockets and files that the program opened: it may read from there, or another part of it does.
static void note_lost(struct site *site, const char *name, int fd, const void *data, size_t n)
{
	struct stat st;
	int saved = errno;
	if (rt_on && rt_any((uint64_t)data, n) && fstat(fd, &st) == 0 &&
	    (S_ISSOCK(st.st_mode) || S_ISFIFO(st.st_mode) || (S_ISREG(st.st_mode) && fd > STDERR_FILENO)))
		rt_unmodelled(site, name);
	errno = saved;
}

MODEL(ssize_t, write, int fd, const void *data, size_t n)
{
	ENTER(write, 3);
	rt_concrete(site, arg[0], (uint64_t)(unsigned)fd, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)data, REASON_ARGUMENT);
	rt_check_room(site, arg[2], n, (uint64_t)data);
	note_lost(site, "write", fd, data, n);
	ssize_t r = write(fd, data, n);
	return GIVE(write, r, all_of(site, arg[2], n, (uint64_t)r));
}

MODEL(ssize_t, pwrite, int fd, const void *data, size_t n, off_t at)
{
	ENTER(pwrite, 4);
	rt_concrete(site, arg[0], (uint64_t)(unsigned)fd, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)data, REASON_ARGUMENT);
	rt_concrete(site, arg[3], (uint64_t)at, REASON_POSITION);
	rt_check_room(site, arg[2], n, (uint64_t)data);
	note_lost(site, "pwrite", fd, data, n);
	ssize_t r = pwrite(fd, data, n, at);
	return GIVE(pwrite, r, all_of(site, arg[2], n, (uint64_t)r));
}

MODEL(ssize_t, send, int fd, const void *data, size_t n, int flags)
{
	ENTER(send, 4);
	rt_concrete(site, arg[0], (uint64_t)(unsigned)fd, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)data, REASON_ARGUMENT);
	rt_concrete(site, arg[3], (uint64_t)(unsigned)flags, REASON_ARGUMENT);
	rt_check_room(site, arg[2], n, (uint64_t)data);
	note_lost(site, "send", fd, data, n);
	ssize_t r = send(fd, data, n, flags);
	return GIVE(send, r, all_of(site, arg[2], n, (uint64_t)r));
}

static void check_items(struct site *site, label l, size_t size, size_t n, const void *data)
{
	struct sym all = sym_binary(OP_MUL, sym_of(l, 64, n), sym_constant(64, size));
	if (rt_on)
		rt_check_room(site, all.l, all.value, (uint64_t)data);
}

#define FWRITE(name)                                                                                                   \
	MODEL(size_t, name, const void *data, size_t size, size_t n, FILE *f)                                          \
	{                                                                                                              \
		ENTER(name, 4);                                                                                        \
		rt_concrete(site, arg[0], (uint64_t)data, REASON_ARGUMENT);                                            \
		rt_concrete(site, arg[1], size, REASON_LENGTH);                                                        \
		check_items(site, arg[2], size, n, data);                                                              \
		struct memory_stream *m = memory_stream_of(f);                                                         \
		uint64_t at = m ? memory_stream_position(m) : 0;                                                       \
		size_t r = name(data, size, n, f);                                                                     \
		if (m)                                                                                                 \
			memory_stream_written(m, at, data, size *r);                                                   \
		return GIVE(name, r, all_of(site, arg[2], n, r));                                                      \
	}

FWRITE(fwrite)
FWRITE(fwrite_unlocked)

// --- single bytes and strings: only a stream over memory gets labels ------------------------------

#define FPUTC(name)                                                                                                    \
	MODEL(int, name, int c, FILE *f)                                                                               \
	{                                                                                                              \
		ENTER(name, 2);                                                                                        \
		struct memory_stream *m = memory_stream_of(f);                                                         \
		uint64_t at = m ? memory_stream_position(m) : 0;                                                       \
		int r = name(c, f);                                                                                    \
		if (!m || r == EOF)                                                                                    \
			return r;                                                                                      \
		unsigned char byte = (unsigned char)c;                                                                 \
		label l = arg[0] ? rt_extract(arg[0], 0, 8) : 0;                                                       \
		rt_store((uint64_t)&byte, 1, l);                                                                       \
		memory_stream_written(m, at, &byte, 1);                                                                \
		rt_clear((uint64_t)&byte, 1);                                                                          \
		return GIVE(name, r, l ? rt_resize(l, 32) : 0);                                                        \
	}

FPUTC(fputc)
FPUTC(fputc_unlocked)

#define FPUTS(name)                                                                                                    \
	MODEL(int, name, const char *text, FILE *f)                                                                    \
	{                                                                                                              \
		ENTER(name, 2);                                                                                        \
		__veer_t_points(site, arg[0], (uint64_t)text);                                                         \
		model_reads(site, text, rt_sized ? strlen(text) + 1 : 0);                                              \
		struct memory_stream *m = memory_stream_of(f);                                                         \
		uint64_t at = m ? memory_stream_position(m) : 0, n = m ? strlen(text) : 0;                             \
		int r = name(text, f);                                                                                 \
		if (m && r != EOF) {                                                                                   \
			keep_length(site, text);                                                                       \
			memory_stream_written(m, at, text, n);                                                         \
		}                                                                                                      \
		return r;                                                                                              \
	}

// How long it is, in this run.
static void keep_length(struct site *site, const char *text)
{
	struct model_string s = model_string(text, SIZE_MAX);
	if (s.labelled)
		rt_concrete(site, model_length(site, "fputs", &s).l, s.length, REASON_LENGTH);
}

FPUTS(fputs)
FPUTS(fputs_unlocked)

MODEL(int, puts, const char *text)
{
	ENTER(puts, 1);
	__veer_t_points(site, arg[0], (uint64_t)text);
	model_reads(site, text, rt_sized ? strlen(text) + 1 : 0);
	return puts(text);
}

#define FFLUSH(name)                                                                                                   \
	MODEL(int, name, FILE *f)                                                                                      \
	{                                                                                                              \
		ENTER(name, 1);                                                                                        \
		int r = name(f);                                                                                       \
		memory_stream_flushed(f);                                                                              \
		return r;                                                                                              \
	}

FFLUSH(fflush)
FFLUSH(fflush_unlocked)
