// Functions that take names of files: what they give is concrete, and a name that is there
// is a condition of the path. What they write has no old labels.
#define _GNU_SOURCE
#include "models.h"

#include <arpa/inet.h>
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

static void test_getcwd(void)
{
	char x[200], y[200];
	bytes(x, sizeof x, "z");
	memcpy(y, x, sizeof y);
	size_t n = below(3) ? sizeof x : 1 + below(4);
	errno = 0;
	bool r = REAL(getcwd)(x, n);
	int error = errno;
	errno = 0;
	bool q = getcwd(y, n);
	int model_error = errno;
	SAME(&r, &q, sizeof r);
	SAME(&error, &model_error, sizeof error);
	SAME(x, y, sizeof x);
}

static void test_gethostname(void)
{
	char x[80], y[80];
	bytes(x, sizeof x, "z");
	memcpy(y, x, sizeof y);
	size_t n = below(3) ? sizeof x : 1 + below(4);
	BOTH(int, gethostname, (x, n), (y, n));
	SAME(x, y, sizeof x);
}

static void test_inet_ntop(void)
{
	char x[50], y[50];
	unsigned char from[16];
	for (size_t i = 0; i < sizeof from; i++)
		from[i] = (unsigned char)below(256);
	bytes(x, sizeof x, "z");
	memcpy(y, x, sizeof y);
	int family = (int[]){AF_INET, AF_INET6, AF_UNIX}[below(3)];
	socklen_t n = below(3) ? sizeof x : 1 + below(4);
	errno = 0;
	bool r = REAL(inet_ntop)(family, from, x, n);
	int error = errno;
	errno = 0;
	bool q = inet_ntop(family, from, y, n);
	int model_error = errno;
	SAME(&r, &q, sizeof r);
	SAME(&error, &model_error, sizeof error);
	SAME(x, y, sizeof x);
}

char *__realpath_chk(const char *, char *, size_t);

static void compare_realpath(bool checked)
{
	char name[32], x[PATH_MAX], y[PATH_MAX];
	a_name(name);
	for (unsigned i = 0; i < 200; i++)
		x[i] = (char)byte('z');
	memcpy(y, x, sizeof y);
	errno = 0;
	bool r = checked ? REAL(__realpath_chk)(name, x, sizeof x) : REAL(realpath)(name, x);
	int error = errno;
	errno = 0;
	bool s = checked ? __realpath_chk(name, y, sizeof y) : realpath(name, y);
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

static void test_realpath(void)
{
	compare_realpath(false);
	compare_realpath(true);
}

int __fxstat(int, int, struct stat *), __xstat(int, const char *, struct stat *),
	__lxstat(int, const char *, struct stat *);

static void compare_old_stat(unsigned way) // what programs for an older libc call
{
	struct stat x, y;
	char name[32];
	a_name(name);
	bytes(&x, sizeof x, "z");
	memcpy(&y, &x, sizeof y);
	switch (way) {
	case 0: BOTH(int, __xstat, (1, name, &x), (1, name, &y)); break;
	case 1: BOTH(int, __lxstat, (1, name, &x), (1, name, &y)); break;
	default: BOTH(int, __fxstat, (1, folder, &x), (1, folder, &y));
	}
	SAME(&x, &y, sizeof x);
}

static void test_old_stat(void)
{
	for (unsigned way = 0; way < 3; way++)
		compare_old_stat(way);
}

static void test_getdents64(void)
{
	char x[400], y[400];
	char name[32];
	a_name(name);
	int real = LIBC(open)(name, O_RDONLY), model = LIBC(open)(name, O_RDONLY);
	for (int i = 0; i < 3; i++) { // to the end of the folder, and then once more
		size_t n = below(3) ? sizeof x : below(80);
		memset(x, 'z', sizeof x);
		bytes(y, sizeof y, "z");
		BOTH(ssize_t, getdents64, (real, x, n), (model, y, n));
		SAME(x, y, sizeof x);
	}
	close(real);
	close(model);
}

// --- streams: of the same file, or the same failure ---------------------------------------------

static void same_streams(FILE *x, int error, FILE *y, int model_error)
{
	char a[20] = "", b[20] = "";
	same_file(x ? dup(fileno(x)) : -1, error, y ? dup(fileno(y)) : -1, model_error);
	if (!x || !y)
		return;
	bytes(b, sizeof b, "z");
	memcpy(a, b, sizeof a);
	bool r = LIBC(fgets)(a, sizeof a, x), s = fgets(b, sizeof b, y);
	SAME(&r, &s, sizeof r);
	SAME(a, b, sizeof a);
}

static void close_streams(FILE *x, FILE *y)
{
	if (x)
		LIBC(fclose)(x);
	if (y)
		fclose(y);
}

static const char *a_mode(void)
{
	static const char *const modes[] = {"r", "r+", "re", "rx", "bad", "rb", "a", ""};
	return modes[below(sizeof modes / sizeof *modes)];
}

#define OPEN_BOTH(x, y, real, model)                                                                                   \
	errno = 0;                                                                                                     \
	FILE *x = real;                                                                                                \
	int error = errno;                                                                                             \
	errno = 0;                                                                                                     \
	FILE *y = model;                                                                                               \
	same_streams(x, error, y, errno)

static void test_fopen(void)
{
	char name[32];
	const char *mode = a_mode();
	a_name(name);
	OPEN_BOTH(x, y, REAL(fopen)(name, mode), fopen(name, mode));
	close_streams(x, y);
}

static void test_fdopen(void)
{
	char name[32];
	const char *mode = a_mode();
	a_name(name);
	int real = LIBC(open)(name, O_RDONLY), model = LIBC(open)(name, O_RDONLY);
	OPEN_BOTH(x, y, REAL(fdopen)(real, mode), fdopen(model, mode));
	close_streams(x, y);
	if (!x)
		close(real);
	if (!y)
		close(model);
}

static void test_freopen(void)
{
	char name[32];
	const char *mode = a_mode();
	FILE *old = LIBC(fopen)("a", "r"), *model_old = fopen("a", "r");
	a_name(name);
	OPEN_BOTH(x, y, REAL(freopen)(name, mode, old), freopen(name, mode, model_old));
	if (x && y && (x != old || y != model_old))
		differs("stream", call_number);
	close_streams(x, y);
}

static void test_tmpfile(void)
{
	char a[12], b[12];
	struct stat s;
	FILE *x = REAL(tmpfile)(), *y = tmpfile();
	bytes(a, sizeof a, "ab\n");
	fwrite(a, 1, sizeof a, x);
	fwrite(a, 1, sizeof a, y);
	rewind(x);
	rewind(y);
	bytes(b, sizeof b, "z");
	size_t n = LIBC(fread)(a, 1, sizeof a, x), m = fread(b, 1, sizeof b, y);
	SAME(&n, &m, sizeof n);
	SAME(a, b, sizeof b);
	if (fstat(fileno(y), &s) < 0 || s.st_nlink != 0)
		differs("name", call_number);
	close_streams(x, y);
}

static void test_popen(void)
{
	static const char *const commands[] = {"printf 'some line'", "exit 3", "kill -9 $$", "", "echo a; exit 1"};
	const char *command = commands[below(5)], *mode = below(8) ? "r" : "?";
	errno = 0;
	FILE *x = REAL(popen)(command, mode);
	int error = errno;
	errno = 0;
	FILE *y = popen(command, mode);
	int model_error = errno;
	SAME(&error, &model_error, sizeof error);
	if (!x || !y)
		return;
	char a[20], b[20];
	bytes(b, sizeof b, "z");
	memcpy(a, b, sizeof a);
	bool r = LIBC(fgets)(a, sizeof a, x), s = fgets(b, sizeof b, y);
	SAME(&r, &s, sizeof r);
	SAME(a, b, sizeof a);
	BOTH(int, pclose, (x), (y));
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
	TEST(getcwd);
	TEST(gethostname);
	TEST(inet_ntop);
	TEST(realpath);
	TEST_CONCRETE(old_stat);
	TEST(getdents64); // what it does not write keeps labels
	TEST_CONCRETE(fopen);
	TEST_CONCRETE(fdopen);
	TEST_CONCRETE(freopen);
	TEST_CONCRETE(tmpfile);
	TEST_CONCRETE(popen);
	clean_up();
	return report();
}
