// Tells what it sees of the world around it; for tests/e2e/snapshot.sh. Each argument is a question.
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static void print_stat(const char *path)
{
	static const char *const kinds[] = {[1] = "pipe", [4] = "folder", [8] = "file", [10] = "link"};
	struct stat st;
	char text[100] = "";
	if (lstat(path, &st) < 0) {
		printf("%s: %s\n", path, strerror(errno));
		return;
	}
	if (S_ISLNK(st.st_mode))
		readlink(path, text, sizeof text - 1);
	printf("%s: %s %o %lld.%ld%s%s\n", path, kinds[st.st_mode >> 12], S_ISLNK(st.st_mode) ? 0 : st.st_mode & 07777,
	       (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, *text ? " -> " : "", text);
}

static void print_content(const char *path)
{
	FILE *f = fopen(path, "r");
	if (!f) {
		printf("%s: %s\n", path, strerror(errno));
		return;
	}
	printf("%s <", path);
	for (int c; (c = getc(f)) != EOF;)
		if (c == '!')
			printf("(mark)");
		else
			printf(c ? "%c" : "0", c);
	printf(">\n");
	fclose(f);
}

static void print_folder(const char *path)
{
	struct dirent **list;
	int n = scandir(path, &list, NULL, alphasort);
	printf("%s:", path);
	for (int i = 0; i < n; i++)
		printf(" %s", list[i]->d_name);
	printf("%s\n", n < 0 ? strerror(errno) : "");
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		printf("%s: cannot write: %s\n", path, strerror(errno));
}

static void print_streams(void)
{
	struct stat st;
	for (int i = 0; i < 10; i++)
		if (fstat(i, &st) == 0)
			fprintf(stderr, "%d %s\n", i,
			        S_ISCHR(st.st_mode)   ? "device"
			        : S_ISREG(st.st_mode) ? "file"
			                              : "other");
	int r = puts("to output") < 0 || fflush(stdout) != 0;
	fprintf(stderr, "output: %s\n", r ? strerror(errno) : "fine");
}

int main(int argc, char **argv)
{
	char cwd[4096];
	int mask, seen = 0;
	for (int i = 1; i < argc; i++) {
		char *what = argv[i] + 1;
		switch (argv[i][0]) {
		case 's': print_stat(what); break;
		case 'c': print_content(what); break;
		case 'l': print_folder(what); break;
		case 'w': write_file(what, "own!"); break;
		case 'd': printf("%s\n", getcwd(cwd, sizeof cwd) ? cwd : strerror(errno)); break;
		case 'u':
			mask = (int)umask(0);
			printf("umask %o\n", mask);
			break;
		case 'e':
			for (char **e = environ; *e; e++)
				seen += printf("%s\n", *e);
			break;
		case 't': printf("%lld\n", (long long)time(NULL)); break;
		case 'o': print_streams(); break;
		case 'r': remove(what); break;
		case 'x': return atoi(what);
		case 'k': raise(atoi(what)); break;
		}
	}
	return 0;
}
