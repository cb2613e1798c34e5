#include "findings/hostile.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/utf8.h"

enum { TEXT_MAX = 400 };

char *hostile_clean(const char *text, size_t size)
{
	if (size > TEXT_MAX)
		size = TEXT_MAX;
	char *s = mem_copy(text, size), *to = s;
	const char *end = s + strlen(s);
	for (const char *from = s; from < end;) {
		size_t n = utf8_printable(from, (size_t)(end - from));
		memmove(to, n ? from : "?", n ? n : 1);
		n += n == 0;
		to += n;
		from += n;
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
