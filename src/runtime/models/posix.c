// Files and sockets: what is read is input, as far as --sym says so. No state is kept for
// a descriptor: its file tells what it is, the kernel where it is.
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/models/reading.h"

// --- reading ------------------------------------------------------------------------------

struct reading {                  // of a descriptor
	struct rt_source *source; // NULL: no input
	struct site *site;
	uint64_t offset; // of the first byte that was read
	struct sym wanted;
	bool peeks;   // what was read will be read again
	bool placed;  // from an offset that was asked for
	bool changed; // the file is not what it was
	bool parts;   // to more than one place
	struct reading_before before;
};

// Before the call, since the content is taken as it was.
static struct reading begin(struct site *site, int fd, struct sym wanted)
{
	return (struct reading){.source = rt_source_of(fd), .site = site, .wanted = wanted};
}

// After it. Finds the offset; `given` >= 0: as it was asked for.
static void locate(struct reading *g, int fd, int64_t given, ssize_t r)
{
	if (!g->source || r < 0)
		return;
	bool seekable = g->source->seekable;
	g->placed = given >= 0;
	if (given >= 0)
		g->offset = (uint64_t)given;
	else
		g->offset = seekable ? (uint64_t)(reading_offset(fd) - r) : g->source->position;
	if (given < 0)
		reading_at(g->site, g->source, g->offset);
	if (seekable ? (int64_t)g->offset < 0 : given >= 0)
		g->source = NULL;
}

// Arguments that are used as they are, after a call that gave `r`, with that label.
static label used(struct reading *g, const label *arg, int fd, void *to, ssize_t r, label l)
{
	struct sym got = sym_of(l, 64, (uint64_t)r);
	rt_concrete(g->site, arg[0], (uint64_t)fd, REASON_ARGUMENT);
	if (r >= 0)
		reading_to(g->site, arg[1], to, got);
	if (r > 0) {
		rt_check_room(g->site, got.l, got.value, (uint64_t)to);
		reading_into(&g->before, g->wanted, got, to);
	}
	return l;
}

// Labels for the bytes, in the order in which they came.
static void fill(struct reading *g, uint64_t done, void *to, uint64_t n)
{
	if (g->source)
		g->changed |= !reading_data(g->source, g->offset + done, to, n);
	else
		rt_clear((uint64_t)to, n);
	if (!g->source || g->parts)
		rt_accessed(g->site, (uint64_t)to, n);
}

static void fill_all(struct reading *g, const struct iovec *iov, int n, ssize_t r)
{
	uint64_t done = 0, all = r > 0 ? (uint64_t)r : 0;
	g->parts = true;
	for (int i = 0; i < n && done < all; i++) {
		uint64_t part = iov[i].iov_len < all - done ? iov[i].iov_len : all - done;
		fill(g, done, iov[i].iov_base, part);
		done += part;
	}
}

// The label of the result.
static label finish(struct reading *g, ssize_t r)
{
	if (!g->source || r < 0)
		return 0;
	if (!g->source->seekable && !g->peeks)
		g->source->position += (uint64_t)r;
	if (!g->source->seekable && r == 0 && g->wanted.value > 0)
		reading_ended(g->site, g->source);
	if (g->changed)
		return 0;
	return (g->placed || g->peeks ? reading_count : reading_on)(g->source, g->offset, g->wanted, (uint64_t)r).l;
}

static struct sym sum(const struct iovec *iov, int n)
{
	struct sym all = sym_constant(64, 0);
	for (int i = 0; i < n; i++)
		all = sym_binary(OP_ADD, all, sym_load(&iov[i].iov_len, 8));
	return all;
}

static struct sym constant_sum(const struct iovec *iov, int n)
{
	return sym_constant(64, sum(iov, n).value);
}

MODEL(ssize_t, read, int fd, void *to, size_t n)
{
	ENTER(read, 3);
	struct reading g = begin(site, fd, sym_of(arg[2], 64, n));
	uint8_t kept[READING_ROOM(arg[2])];
	g.before = reading_before(kept, arg[2], n, to);
	ssize_t r = read(fd, to, n);
	locate(&g, fd, -1, r);
	fill(&g, 0, to, r > 0 ? (uint64_t)r : 0);
	return GIVE(read, r, used(&g, arg, fd, to, r, finish(&g, r)));
}

MODEL(ssize_t, __read_chk, int fd, void *to, size_t n, size_t room)
{
	ENTER(__read_chk, 4);
	if (n > room)
		rt_concrete(site, arg[2], n, REASON_LENGTH);
	struct reading g = begin(site, fd, sym_of(arg[2], 64, n));
	uint8_t kept[READING_ROOM(arg[2])];
	g.before = reading_before(kept, arg[2], n, to);
	extern ssize_t __read_chk(int, void *, size_t, size_t);
	ssize_t r = __read_chk(fd, to, n, room);
	locate(&g, fd, -1, r);
	fill(&g, 0, to, r > 0 ? (uint64_t)r : 0);
	return GIVE(__read_chk, r, used(&g, arg, fd, to, r, finish(&g, r)));
}

MODEL(ssize_t, pread, int fd, void *to, size_t n, off_t at)
{
	ENTER(pread, 4);
	struct reading g = begin(site, fd, sym_of(arg[2], 64, n));
	uint8_t kept[READING_ROOM(arg[2])];
	g.before = reading_before(kept, arg[2], n, to);
	ssize_t r = pread(fd, to, n, at);
	rt_concrete(site, arg[3], (uint64_t)at, REASON_POSITION);
	locate(&g, fd, at, r);
	fill(&g, 0, to, r > 0 ? (uint64_t)r : 0);
	return GIVE(pread, r, used(&g, arg, fd, to, r, finish(&g, r)));
}

MODEL(ssize_t, __pread_chk, int fd, void *to, size_t n, off_t at, size_t room)
{
	ENTER(__pread_chk, 5);
	if (n > room)
		rt_concrete(site, arg[2], n, REASON_LENGTH);
	struct reading g = begin(site, fd, sym_of(arg[2], 64, n));
	uint8_t kept[READING_ROOM(arg[2])];
	g.before = reading_before(kept, arg[2], n, to);
	extern ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
	ssize_t r = __pread_chk(fd, to, n, at, room);
	rt_concrete(site, arg[3], (uint64_t)at, REASON_POSITION);
	locate(&g, fd, at, r);
	fill(&g, 0, to, r > 0 ? (uint64_t)r : 0);
	return GIVE(__pread_chk, r, used(&g, arg, fd, to, r, finish(&g, r)));
}

MODEL(ssize_t, readv, int fd, const struct iovec *iov, int n)
{
	ENTER(readv, 3);
	struct reading g = begin(site, fd, sym_constant(64, 0));
	ssize_t r = readv(fd, iov, n);
	rt_concrete(site, arg[2], (uint64_t)n, REASON_ARGUMENT);
	g.wanted = r >= 0 ? sum(iov, n) : g.wanted;
	locate(&g, fd, -1, r);
	fill_all(&g, iov, n, r);
	return GIVE(readv, r, finish(&g, r));
}

static label scattered(struct site *site, struct reading *g, int fd, const struct iovec *iov, int n, off_t at,
                       ssize_t r, const label *arg)
{
	rt_concrete(site, arg[2], (uint64_t)n, REASON_ARGUMENT);
	rt_concrete(site, arg[3], (uint64_t)at, REASON_POSITION);
	g->wanted = r >= 0 ? sum(iov, n) : g->wanted;
	locate(g, fd, at, r);
	fill_all(g, iov, n, r);
	return finish(g, r);
}

MODEL(ssize_t, preadv, int fd, const struct iovec *iov, int n, off_t at)
{
	ENTER(preadv, 4);
	struct reading g = begin(site, fd, sym_constant(64, 0));
	ssize_t r = preadv(fd, iov, n, at);
	return GIVE(preadv, r, scattered(site, &g, fd, iov, n, at, r, arg));
}

MODEL(ssize_t, preadv2, int fd, const struct iovec *iov, int n, off_t at, int flags)
{
	ENTER(preadv2, 5);
	struct reading g = begin(site, fd, sym_constant(64, 0));
	ssize_t r = preadv2(fd, iov, n, at, flags);
	return GIVE(preadv2, r, scattered(site, &g, fd, iov, n, at, r, arg));
}

// --- sockets --------------------------------------------------------------------------------

// With MSG_TRUNC the result can be more than what was stored.
static ssize_t stored(ssize_t r, size_t room)
{
	return r > 0 && (size_t)r > room ? (ssize_t)room : r;
}

static label received(struct reading *g, int fd, void *to, size_t n, int flags, ssize_t r)
{
	g->peeks = flags & MSG_PEEK;
	locate(g, fd, -1, r);
	ssize_t kept = stored(r, n);
	fill(g, 0, to, kept > 0 ? (uint64_t)kept : 0);
	label l = finish(g, kept);
	return kept == r ? l : 0;
}

static void clear_address(const struct sockaddr *address, const socklen_t *size, ssize_t r)
{
	if (r < 0 || !address || !size)
		return;
	rt_clear((uint64_t)address, *size < sizeof(struct sockaddr_storage) ? *size : sizeof(struct sockaddr_storage));
	rt_clear((uint64_t)size, sizeof *size);
}

MODEL(ssize_t, recv, int fd, void *to, size_t n, int flags)
{
	ENTER(recv, 4);
	struct reading g = begin(site, fd, sym_of(arg[2], 64, n));
	ssize_t r = recv(fd, to, n, flags);
	return GIVE(recv, r, used(&g, arg, fd, to, r, received(&g, fd, to, n, flags, r)));
}

MODEL(ssize_t, __recv_chk, int fd, void *to, size_t n, size_t room, int flags)
{
	ENTER(__recv_chk, 5);
	struct reading g = begin(site, fd, sym_of(arg[2], 64, n));
	extern ssize_t __recv_chk(int, void *, size_t, size_t, int);
	ssize_t r = __recv_chk(fd, to, n, room, flags);
	return GIVE(__recv_chk, r, used(&g, arg, fd, to, r, received(&g, fd, to, n, flags, r)));
}

MODEL(ssize_t, recvfrom, int fd, void *to, size_t n, int flags, struct sockaddr *from, socklen_t *size)
{
	ENTER(recvfrom, 6);
	struct reading g = begin(site, fd, sym_of(arg[2], 64, n));
	ssize_t r = recvfrom(fd, to, n, flags, from, size);
	clear_address(from, size, r);
	return GIVE(recvfrom, r, used(&g, arg, fd, to, r, received(&g, fd, to, n, flags, r)));
}

MODEL(ssize_t, recvmsg, int fd, struct msghdr *m, int flags)
{
	ENTER(recvmsg, 3);
	struct reading g = begin(site, fd, sym_constant(64, 0));
	ssize_t r = recvmsg(fd, m, flags);
	if (r < 0)
		return r;
	g.peeks = flags & MSG_PEEK;
	g.wanted = constant_sum(m->msg_iov, (int)m->msg_iovlen);
	locate(&g, fd, -1, r);
	ssize_t kept = stored(r, g.wanted.value);
	fill_all(&g, m->msg_iov, (int)m->msg_iovlen, kept);
	label l = finish(&g, kept);
	if (m->msg_name)
		rt_clear((uint64_t)m->msg_name, m->msg_namelen);
	if (m->msg_control)
		rt_clear((uint64_t)m->msg_control, m->msg_controllen);
	rt_clear((uint64_t)m, sizeof *m);
	return GIVE(recvmsg, r, kept == r ? l : 0);
}

MODEL(int, recvmmsg, int fd, struct mmsghdr *m, unsigned n, int flags, struct timespec *timeout)
{
	ENTER(recvmmsg, 5);
	struct reading g = begin(site, fd, sym_constant(64, 0));
	int r = recvmmsg(fd, m, n, flags, timeout);
	for (int i = 0; i < r; i++) {
		struct msghdr *h = &m[i].msg_hdr;
		g.wanted = constant_sum(h->msg_iov, (int)h->msg_iovlen);
		locate(&g, fd, -1, m[i].msg_len);
		fill_all(&g, h->msg_iov, (int)h->msg_iovlen, stored(m[i].msg_len, g.wanted.value));
		finish(&g, stored(m[i].msg_len, g.wanted.value));
		if (h->msg_name)
			rt_clear((uint64_t)h->msg_name, h->msg_namelen);
		rt_clear((uint64_t)&m[i], sizeof m[i]);
	}
	return r;
}

// --- positions --------------------------------------------------------------------------------

MODEL(off_t, lseek, int fd, off_t offset, int whence)
{
	ENTER(lseek, 3);
	struct rt_source *s = rt_source_of(fd);
	int64_t before = s && s->seekable ? reading_offset(fd) : -1;
	off_t r = lseek(fd, offset, whence);
	rt_concrete(site, arg[0], (uint64_t)fd, REASON_ARGUMENT);
	rt_concrete(site, arg[1], (uint64_t)offset, REASON_POSITION);
	rt_concrete(site, arg[2], (uint64_t)whence, REASON_ARGUMENT);
	if (!s || r < 0 || !s->seekable)
		return r;
	reading_moved(s);
	if (whence == SEEK_END)
		reading_from_end(s, offset, (uint64_t)r);
	else if (whence == SEEK_CUR && offset && before >= 0)
		reading_at(site, s, (uint64_t)before);
	else if (whence != SEEK_CUR)
		s->end_label = 0;
	return GIVE(lseek, r, reading_position(s, (uint64_t)r));
}

// --- what is known of a file ---------------------------------------------------------------------

static void label_size(struct stat *st, struct rt_source *s)
{
	rt_clear((uint64_t)st, sizeof *st);
	if (s && s->seekable && s->length != RT_NO_INPUT && (uint64_t)st->st_size == s->now)
		rt_store((uint64_t)&st->st_size, sizeof st->st_size, rt_source_length(s));
}

MODEL(int, fstat, int fd, struct stat *st)
{
	ENTER(fstat, 2);
	int r = fstat(fd, st);
	if (r == 0)
		label_size(st, S_ISREG(st->st_mode) ? rt_source_of(fd) : NULL);
	return r;
}

// What stat() of a name returned.
static int stated(struct site *site, const char *path, struct stat *st, int r)
{
	if (r == 0) {
		model_keep_name(site, path);
		label_size(st, rt_source_with(st));
	} else {
		model_miss_name(site, path);
	}
	return r;
}

MODEL(int, stat, const char *path, struct stat *st)
{
	ENTER(stat, 2);
	return stated(site, path, st, stat(path, st));
}

MODEL(int, lstat, const char *path, struct stat *st)
{
	ENTER(lstat, 2);
	return stated(site, path, st, lstat(path, st));
}

MODEL(int, fstatat, int dir, const char *path, struct stat *st, int flags)
{
	ENTER(fstatat, 4);
	int r = fstatat(dir, path, st, flags);
	if (r == 0)
		label_size(st, rt_source_with(st));
	return r;
}

MODEL(int, __fxstat, int version, int fd, struct stat *st)
{
	ENTER(__fxstat, 3);
	extern int __fxstat(int, int, struct stat *);
	int r = __fxstat(version, fd, st);
	if (r == 0)
		label_size(st, S_ISREG(st->st_mode) ? rt_source_of(fd) : NULL);
	return r;
}

MODEL(int, __xstat, int version, const char *path, struct stat *st)
{
	ENTER(__xstat, 3);
	extern int __xstat(int, const char *, struct stat *);
	return stated(site, path, st, __xstat(version, path, st));
}

MODEL(int, __lxstat, int version, const char *path, struct stat *st)
{
	ENTER(__lxstat, 3);
	extern int __lxstat(int, const char *, struct stat *);
	return stated(site, path, st, __lxstat(version, path, st));
}

MODEL(int, statx, int dir, const char *path, int flags, unsigned mask, struct statx *x)
{
	ENTER(statx, 5);
	int r = statx(dir, path, flags, mask, x);
	struct stat st = {0};
	int saved = errno;
	if (r < 0)
		return r;
	rt_clear((uint64_t)x, sizeof *x);
	if (fstatat(dir, path ? path : "", &st, flags & (AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT)) < 0 ||
	    !S_ISREG(st.st_mode))
		st.st_mode = 0;
	struct rt_source *s = NULL;
	if (st.st_mode)
		s = (flags & AT_EMPTY_PATH) && (!path || !*path) ? rt_source_of(dir) : rt_source_with(&st);
	errno = saved;
	if (s && s->seekable && s->length != RT_NO_INPUT && (x->stx_mask & STATX_SIZE) && x->stx_size == s->now)
		rt_store((uint64_t)&x->stx_size, sizeof x->stx_size, rt_source_length(s));
	return r;
}

// --- mappings -------------------------------------------------------------------------------------

// The file's bytes as they are now: not read through the mapping, which may not be readable.
static void label_mapping(struct rt_source *s, int fd, char *at, uint64_t n, uint64_t offset)
{
	uint8_t piece[4096];
	int saved = errno;
	for (uint64_t done = 0; done < n && offset + done < s->size;) {
		uint64_t want = n - done < sizeof piece ? n - done : sizeof piece;
		ssize_t r = pread(fd, piece, want, (off_t)(offset + done));
		if (r <= 0)
			break;
		for (ssize_t i = 0; i < r; i++, done++)
			rt_store((uint64_t)at + done, 1, rt_source_byte(s, offset + done, piece[i]));
	}
	errno = saved;
}

MODEL(void *, mmap, void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
	ENTER(mmap, 6);
	model_pass((const void *)mmap, site, 6, arg); // which keeps the registry of mappings
	void *p = mmap(at, n, protection, flags, fd, offset);
	rt_concrete(site, arg[0], (uint64_t)at, REASON_ARGUMENT);
	rt_concrete(site, arg[5], (uint64_t)offset, REASON_POSITION);
	reading_branch(site, sym_is(sym_of(arg[1], 64, n), 0)); // an empty mapping is none
	if (p == MAP_FAILED)
		return p;
	rt_clear((uint64_t)p, n);
	struct rt_source *s = flags & MAP_ANONYMOUS ? NULL : rt_source_of(fd);
	if (s && s->seekable)
		label_mapping(s, fd, p, n, (uint64_t)offset);
	return p;
}

// --- addresses of sockets --------------------------------------------------------------------------

MODEL(int, accept, int fd, struct sockaddr *from, socklen_t *size)
{
	ENTER(accept, 3);
	int r = accept(fd, from, size);
	clear_address(from, size, r);
	return r;
}

MODEL(int, accept4, int fd, struct sockaddr *from, socklen_t *size, int flags)
{
	ENTER(accept4, 4);
	int r = accept4(fd, from, size, flags);
	clear_address(from, size, r);
	return r;
}

MODEL(int, getsockname, int fd, struct sockaddr *address, socklen_t *size)
{
	ENTER(getsockname, 3);
	int r = getsockname(fd, address, size);
	clear_address(address, size, r);
	return r;
}

MODEL(int, getpeername, int fd, struct sockaddr *address, socklen_t *size)
{
	ENTER(getpeername, 3);
	int r = getpeername(fd, address, size);
	clear_address(address, size, r);
	return r;
}
