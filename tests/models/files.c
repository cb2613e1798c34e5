// Functions that take names of files: what they give is concrete, and a name that is there
// is a condition of the path. What they write has no old labels.
#define _GNU_SOURCE
#include "models.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

static int folder; // that the test started in
static char top[PATH_MAX];

static void prepare(void)
{
	char name[] = "veer-files-XXXXXX";
	if (!mkdtemp(name) || chdir(name) < 0 || !getcwd(top, sizeof top))
		exit(3);
	folder = open(".", O_RDONLY | O_DIRECTORY);
	mkdir("d", 0700);
	mkdir("d/e", 0700);
	symlink("d/e", "l");
	symlink("l/none", "broken");
	symlink("loop", "loop");
	for (int i = 0; i < 3; i++)
		close(open((const char *[]){"a", "d/b", "d/e/c"}[i], O_CREAT | O_WRONLY, 0600));
}

static void clean_up(void)
{
	static const char *const names[] = {"a", "d/b", "d/e/c", "l", "broken", "loop", "new"};
	chdir(top);
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		unlink(names[i]);
	rmdir("d/e");
	rmdir("d");
	rmdir(top);
}

static void a_name(char *to)
{
	static const char *const names[] = {"a",      "d",  "d/b",  "d/e",      "l",        "l/c",   "broken",
	                                    "loop/x", "..", "",     "./d//e/.", "d/../d/b", "a/b",   "none",
	                                    ".",      "/",  "l/..", "d/e/",     "a/",       "none/x"};
	const char *name = names[below(sizeof names / sizeof *names)];
	for (size_t i = 0; i <= strlen(name); i++)
		to[i] = (char)byte((unsigned char)name[i]);
}

// Two descriptors of one file, or the same failure.
static void same_file(int x, int error, int y, int model_error)
{
	struct stat a = {0}, b = {0};
	bool bad = x < 0, model_bad = y < 0;
	SAME(&bad, &model_bad, sizeof bad);
	SAME(&error, &model_error, sizeof error);
	fstat(x, &a);
	fstat(y, &b);
	SAME(&a.st_ino, &b.st_ino, sizeof a.st_ino);
	int flags = fcntl(x, F_GETFL), model_flags = fcntl(y, F_GETFL);
	SAME(&flags, &model_flags, sizeof flags);
	close(x);
	close(y);
}

static void test_open(void)
{
	static const int all[] = {O_RDONLY, O_RDWR, O_DIRECTORY, O_NOFOLLOW, O_RDONLY | O_APPEND, O_PATH};
	char name[32];
	a_name(name);
	int flags = all[below(6)];
	errno = 0;
	int x = REAL(open)(name, flags), error = errno;
	errno = 0;
	int y = open(name, flags);
	same_file(x, error, y, errno);
	errno = 0;
	x = REAL(openat)(folder, name, flags), error = errno;
	errno = 0;
	y = openat(folder, name, flags);
	same_file(x, error, y, errno);
}

static void test_create(void) // with a mode
{
	struct stat a = {0}, b = {0};
	mode_t mode = below(01000);
	char name[4];
	for (int i = 0; i < 4; i++)
		name[i] = (char)byte((unsigned char)"new"[i]);
	close(REAL(open)(name, O_CREAT | O_RDWR, mode));
	stat("new", &a);
	unlink("new");
	close(below(2) ? open(name, O_CREAT | O_RDWR, mode) : openat(folder, name, O_CREAT | O_RDWR, mode));
	stat("new", &b);
	unlink("new");
	SAME(&a.st_mode, &b.st_mode, sizeof a.st_mode);
}

static void test_access(void)
{
	char name[32];
	a_name(name);
	int mode = (int)below(8);
	COMPARE(int, access, name, mode);
}

static void test_chdir(void)
{
	char name[32], x[PATH_MAX], y[PATH_MAX];
	a_name(name);
	errno = 0;
	int r = REAL(chdir)(name), error = errno;
	getcwd(x, sizeof x);
	fchdir(folder);
	errno = 0;
	int s = chdir(name), model_error = errno;
	getcwd(y, sizeof y);
	fchdir(folder);
	SAME(&r, &s, sizeof r);
	SAME(&error, &model_error, sizeof error);
	SAME(x, y, strlen(x) + 1);
}

static void test_opendir(void)
{
	char name[32];
	a_name(name);
	errno = 0;
	DIR *x = REAL(opendir)(name);
	int error = errno;
	errno = 0;
	DIR *y = opendir(name);
	int model_error = errno;
	same_file(x ? dup(dirfd(x)) : -1, error, y ? dup(dirfd(y)) : -1, model_error);
	for (struct dirent *a = NULL, *b; x && y && (a = REAL(readdir)(x));) {
		if (!(b = readdir(y))) {
			differs("readdir", call_number);
			break;
		}
		SAME(a->d_name, b->d_name, strlen(a->d_name) + 1);
	}
	if (x)
		closedir(x);
	if (y)
		closedir(y);
}

static int all_of_them(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

static void test_scandir(void)
{
	struct dirent **x = NULL, **y = NULL;
	char name[32];
	a_name(name);
	errno = 0;
	int n = REAL(scandir)(name, &x, all_of_them, alphasort), error = errno;
	errno = 0;
	int m = scandir(name, &y, all_of_them, alphasort), model_error = errno;
	SAME(&n, &m, sizeof n);
	SAME(&error, &model_error, sizeof error);
	for (int i = 0; i < n && i < m; i++) {
		SAME(x[i]->d_name, y[i]->d_name, strlen(x[i]->d_name) + 1);
		free(x[i]);
		free(y[i]);
	}
	free(x);
	free(y);
}

static void test_readlink(void)
{
	char name[32], x[40], y[40];
	a_name(name);
	bytes(x, sizeof x, "z");
	memcpy(y, x, sizeof y);
	size_t n = below(3) ? sizeof x : 1 + below(4);
	BOTH(ssize_t, readlink, (name, x, n), (name, y, n));
	SAME(x, y, sizeof x);
	bytes(x, sizeof x, "z");
	memcpy(y, x, sizeof y);
	BOTH(ssize_t, readlinkat, (folder, name, x, n), (folder, name, y, n));
	SAME(x, y, sizeof x);
}

char *__realpath_chk(const char *, char *, size_t);

static void test_realpath(void)
{
	char name[32], x[PATH_MAX], y[PATH_MAX];
	a_name(name);
	for (unsigned i = 0; i < 200; i++)
		x[i] = (char)byte('z');
	memcpy(y, x, sizeof y);
	errno = 0;
	bool r = below(2) ? REAL(realpath)(name, x) : REAL(__realpath_chk)(name, x, sizeof x);
	int error = errno;
	errno = 0;
	bool s = below(2) ? realpath(name, y) : __realpath_chk(name, y, sizeof y);
	int model_error = errno;
	SAME(&r, &s, sizeof r);
	SAME(&error, &model_error, sizeof error);
	SAME(x, y, 200);
	char *a = REAL(canonicalize_file_name)(name),
	     *b = below(2) ? canonicalize_file_name(name) : realpath(name, NULL);
	r = a, s = b;
	SAME(&r, &s, sizeof r);
	if (a && b)
		SAME(a, b, strlen(a) + 1);
	free(a);
	free(b);
}

int __fxstat(int, int, struct stat *), __xstat(int, const char *, struct stat *),
	__lxstat(int, const char *, struct stat *);

static void test_old_stat(void) // what programs for an older libc call
{
	struct stat x, y;
	char name[32];
	a_name(name);
	bytes(&x, sizeof x, "z");
	memcpy(&y, &x, sizeof y);
	switch (below(3)) {
	case 0: BOTH(int, __xstat, (1, name, &x), (1, name, &y)); break;
	case 1: BOTH(int, __lxstat, (1, name, &x), (1, name, &y)); break;
	default: BOTH(int, __fxstat, (1, folder, &x), (1, folder, &y));
	}
	SAME(&x, &y, sizeof x);
}

static void test_temporary(void) // streams that are no input
{
	FILE *f = below(2) ? tmpfile() : below(2) ? popen("printf line", "r") : freopen("a", "r", fopen("d/b", "r"));
	char line[10];
	bytes(line, sizeof line, "z");
	if (!fgets(line, sizeof line, f))
		line[0] = 0;
	use(line, strlen(line) + 1);
	if (line[0] && strcmp(line, "line") != 0)
		differs("line", call_number);
	fclose(f);
}

int main(int argc, char **argv)
{
	start(argc, argv);
	prepare();
	TEST_CONCRETE(open);
	TEST_CONCRETE(create);
	TEST_CONCRETE(access);
	TEST_CONCRETE(chdir);
	TEST_CONCRETE(opendir);
	TEST_CONCRETE(scandir);
	TEST(readlink);
	TEST(realpath);
	TEST_CONCRETE(old_stat);
	TEST_CONCRETE(temporary);
	clean_up();
	return report();
}
