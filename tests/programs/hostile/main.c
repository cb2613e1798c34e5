// hostile NAME: one attack, on its canaries in each place. Without an argument the name is on standard input, for
// campaigns. hostile.h says what the exit status is.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hostile.h"

static bool got_through;

void say(const char *text)
{
	ssize_t ignored = write(1, text, strlen(text));
	(void)ignored;
}

bool through(bool it_did, const char *what)
{
	if (!it_did)
		return false;
	got_through = true;
	say("through: ");
	say(what);
	say("\n");
	return true;
}

const char *in(const char *at, const char *leaf)
{
	static char paths[8][4096];
	static unsigned next;
	char *path = paths[next++ % 8];
	snprintf(path, sizeof paths[0], "%s/%s", at, leaf);
	return path;
}

uint64_t number(const char *at, const char *leaf)
{
	char text[64] = "";
	int fd = open(in(at, leaf), O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ssize_t n = read(fd, text, sizeof text - 1);
	close(fd);
	return n > 0 ? strtoull(text, NULL, 10) : 0;
}

bool namespaces(void)
{
	const char *mode = getenv("HOSTILE_MODE");
	return mode && strcmp(mode, "namespaces") == 0;
}

bool inside(void)
{
	const char *tree = getenv("HOSTILE_TREE");
	char text[32] = "";
	int fd = tree ? open(in(tree, "magic"), O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, sizeof text - 1);
	close(fd);
	return n > 0 && strcmp(text, "veer's hostile tests\n") == 0 && unshare(0) < 0 && errno == EPERM;
}

// A variant is started as a file somewhere below BOX.
const char *open_folder(void)
{
	static char path[4096];
	const char *started_as = (const char *)getauxval(AT_EXECFN);
	snprintf(path, sizeof path - 8, "%s", started_as ? started_as : "");
	for (char *slash; (slash = strrchr(path, '/'));) {
		strcpy(slash, "/open");
		if (access(path, F_OK) == 0)
			return path;
		*slash = 0;
	}
	return "";
}

bool scrawl(int fd)
{
	return fd >= 0 && write(fd, "harm", 4) == 4;
}

bool scrawl_on(const char *path)
{
	int fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	bool did = scrawl(fd);
	if (fd >= 0)
		close(fd);
	return did;
}

// What an earlier run left in the working folder, which has the file `mine` and the folder `sub`.
static bool is_clean(void)
{
	char text[16] = "";
	int fd = open("mine", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	bool clean = n == 5 && strcmp(text, "mine\n") == 0;
	DIR *dir = opendir(".");
	for (struct dirent *e; dir && (e = readdir(dir));)
		if (e->d_name[0] != '.' && strcmp(e->d_name, "mine") != 0 && strcmp(e->d_name, "sub") != 0)
			clean = false;
	if (dir)
		closedir(dir);
	return clean && access("/dev/shm/veer-hostile", F_OK) < 0;
}

#define LINE(class, name, ends, known) ATTACK(class##_##name);
#include "attacks.def"
#undef LINE

static const struct {
	const char *name;
	void (*attack)(const char *at);
} attacks[] = {
#define LINE(class, name, ends, known) {#class "_" #name, class##_##name},
#include "attacks.def"
#undef LINE
};

static void read_name(char *name, size_t size)
{
	ssize_t n = read(0, name, size - 1);
	name[n > 0 ? n : 0] = 0;
	name[strcspn(name, "\n")] = 0;
}

int main(int argc, char **argv)
{
	char name[32], tried[64];
	if (argc > 1)
		snprintf(name, sizeof name, "%s", argv[1]);
	else
		read_name(name, sizeof name);
	if (!inside())
		return OUTSIDE;
	if (!is_clean()) {
		say("an earlier run is seen\n");
		return UNCLEAN;
	}
	for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++) {
		if (strcmp(attacks[i].name, name) != 0)
			continue;
		prctl(PR_SET_NAME, strchr(name, '_') + 1); // told by what is left of it
		snprintf(tried, sizeof tried, "tried %s\n", name);
		say(tried);
		static const char *const places[][2] = {{"HOSTILE_TREE", "plain"}, {"HOSTILE_WAY", "way"}};
		for (int k = 0; k < 2; k++) {
			char at[2048];
			const char *root = getenv(places[k][0]);
			snprintf(at, sizeof at, "%s/%s/%s", root ? root : "", places[k][1], name);
			if (access(at, F_OK) == 0)
				attacks[i].attack(at);
		}
		return got_through ? THROUGH : HELD;
	}
	return 2;
}
