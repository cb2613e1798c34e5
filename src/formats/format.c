#include "formats/format.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

static const struct format *const formats[] = {
#define FORMAT(name) &format_##name,
#include "formats/formats.def"
#undef FORMAT
};

enum { FORMATS = sizeof formats / sizeof *formats };

const struct format *format_find(const char *name)
{
	for (int i = 0; i < FORMATS; i++)
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	return NULL;
}

// --- files ----------------------------------------------------------------------------------------

// A pipe is not waited for. A file that grows meanwhile is cut at the limit.
int format_content(const char *path, bool follow, struct buf *ret, struct err *err)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | (follow ? 0 : O_NOFOLLOW)), r = 0;
	if (fd < 0)
		return err_errno(err, "cannot open %s", path);
	if (fstat(fd, &st) < 0)
		r = err_errno(err, "cannot read %s", path);
	else if (!S_ISREG(st.st_mode))
		r = err_set(err, "%s is not a regular file", path);
	else if (st.st_size > FOREIGN_MAX)
		r = err_set(err, "%s is too large: at most %d bytes", path, FOREIGN_MAX);
	for (ssize_t n = 1; r == 0 && n > 0 && ret->len < FOREIGN_MAX; ret->len += n > 0 ? (size_t)n : 0) {
		buf_reserve(ret, 1 << 16);
		size_t room = FOREIGN_MAX - ret->len;
		n = read(fd, ret->data + ret->len, room < 1 << 16 ? room : 1 << 16);
		if (n < 0)
			r = err_errno(err, "cannot read %s", path);
	}
	buf_reserve(ret, 1);
	ret->data[ret->len] = 0;
	close(fd);
	return r;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int format_list(const char *folder, struct strv *ret, struct err *err)
{
	DIR *dir = opendir(folder);
	if (!dir)
		return err_errno(err, "cannot read folder %s", folder);
	for (struct dirent *e; (e = readdir(dir));)
		if (e->d_name[0] != '.')
			strv_push(ret, e->d_name);
	closedir(dir);
	if (ret->n)
		qsort(ret->v, ret->n, sizeof *ret->v, by_name);
	return 0;
}

bool format_is_folder(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool format_has(const char *folder, bool (*wants)(const char *name))
{
	struct strv names = {0};
	struct err err;
	bool has = false;
	if (format_list(folder, &names, &err) == 0)
		for (size_t i = 0; i < names.n; i++)
			has |= wants(names.v[i]);
	strv_release(&names);
	return has;
}

bool format_ends(const char *name, const char *end)
{
	size_t n = strlen(name), k = strlen(end);
	return n > k && strcmp(name + n - k, end) == 0;
}

static bool is_regular(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

int format_each_file(const struct format *f, const char *folder, bool (*wants)(const char *name),
                     enum foreign_role role, struct foreigns *ret, struct err *err)
{
	struct strv names = {0};
	struct err why;
	if (format_list(folder, &names, err) < 0)
		return -1;
	for (size_t i = 0; i < names.n && ret->n < FOREIGNS_MAX; i++) {
		char *path = mem_printf("%s/%s", folder, names.v[i]);
		struct buf content = {0};
		struct foreign s = {.name = mem_strdup(path), .role = role};
		if ((wants && !wants(names.v[i])) || !is_regular(path))
			;
		else if (format_content(path, true, &content, &why) < 0)
			foreigns_leave_out(ret, why.text);
		else if ((ret->bytes += content.len) > FOREIGNS_BYTES)
			foreigns_leave_out(ret, "there is more than can be taken");
		else if (f->read(&s, content.data, content.len, &why) < 0) {
			char *text = mem_printf("%s: %s", path, why.text);
			foreigns_leave_out(ret, text);
			mem_free(text);
		} else
			foreigns_take(ret, &s);
		foreign_release(&s);
		buf_release(&content);
		mem_free(path);
	}
	strv_release(&names);
	return 0;
}

int format_put(const char *folder, const char *name, const struct buf *content, struct err *err)
{
	char *path = mem_printf("%s/%s", folder, name);
	int r = file_replace(path, buf_str(content), content->len, 0666, err);
	mem_free(path);
	return r;
}

// --- whatever it is -------------------------------------------------------------------------------

static int read_file(const char *path, struct foreigns *ret, struct err *err)
{
	struct buf content = {0};
	struct foreign s = {.name = mem_strdup(path)};
	struct err why;
	int r = format_content(path, true, &content, err);
	for (int i = 0; r == 0 && i < FORMATS; i++) {
		if (!formats[i]->is_file(path_basename(path), content.data, content.len))
			continue;
		r = formats[i]->read(&s, content.data, content.len, &why);
		if (r < 0)
			err_set(err, "%s: %s", path, why.text);
		else
			foreigns_take(ret, &s);
		break;
	}
	foreign_release(&s);
	buf_release(&content);
	return r;
}

static int read_folder(const char *folder, struct foreigns *ret, struct err *err)
{
	for (int i = 0; i < FORMATS; i++)
		if (formats[i]->is_folder(folder))
			return formats[i]->read_folder(folder, ret, err);
	return 0;
}

int formats_read(const char *path, struct foreigns *ret, struct err *err)
{
	struct stat st;
	*ret = (struct foreigns){0};
	if (stat(path, &st) < 0)
		return err_errno(err, "cannot read %s", path);
	int r = S_ISDIR(st.st_mode) ? read_folder(path, ret, err) : read_file(path, ret, err);
	if (r == 0 && !ret->n)
		r = ret->why ? err_set(err, "none of the files in %s can be used: %s", path, ret->why)
		             : err_set(err, "there are no files in %s to begin with", path);
	if (r < 0)
		foreigns_release(ret);
	return r;
}
