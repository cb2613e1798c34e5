#include "findings/hostile.h"

#include <ctype.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum { TEXT_MAX = 400 };

// Length of the UTF-8 sequence at p, 0 when it is none or a control character.
static size_t printable(const unsigned char *p)
{
	if (p[0] < 0x80)
		return iscntrl(p[0]) ? 0 : 1;
	size_t n = p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc2 ? 2 : 0;
	if (p[0] >= 0xf5 || (p[0] == 0xc2 && p[1] < 0xa0)) // the latter: C1 controls
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

char *hostile_clean(const char *text, size_t size)
{
	if (size > TEXT_MAX)
		size = TEXT_MAX;
	char *s = mem_copy(text, size);
	for (unsigned char *p = (unsigned char *)s; *p;) {
		size_t n = printable(p);
		if (!n)
			*p = '?';
		p += n ? n : 1;
	}
	return s;
}

DIR *hostile_list(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	if (fd >= 0 && !dir)
		close(fd);
	return dir;
}

int hostile_open(int folder, const char *name)
{
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

void hostile_read(int fd, size_t limit, struct buf *out)
{
	for (ssize_t n = 1; n > 0 && out->len < limit;) {
		size_t want = limit - out->len < 65536 ? limit - out->len : 65536;
		buf_reserve(out, want);
		n = read(fd, out->data + out->len, want);
		if (n > 0)
			out->len += (size_t)n;
	}
	buf_reserve(out, 0);
	while (out->len == limit && out->len && out->data[out->len - 1] != '\n')
		limit = --out->len;
	out->data[out->len] = 0;
}
