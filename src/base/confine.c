#include "base/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/calls.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/privileges.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const char *const system_folders[] = {"/usr",   "/bin", "/sbin",      "/lib",      "/lib32",
                                             "/lib64", "/opt", "/nix/store", "/gnu/store"};

// --- files ----------------------------------------------------------------------------------------

// As of version 6, which not all systems' headers have yet.
struct ruleset {
	uint64_t files, network, scope;
};

enum { REFER = 1 << 13, TRUNCATE = 1 << 14, DEVICE_CONTROL = 1 << 15 };
enum { CONNECT_OR_BIND = 3, SOCKETS_OR_SIGNALS = 3 };

#define WRITE                                                                                                          \
	(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |              \
	 LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SYM)
#define NEVER                                                                                                          \
	(LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_CHAR |                  \
	 LANDLOCK_ACCESS_FS_MAKE_BLOCK)

static int version(void)
{
	return (int)syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

bool confine_works(void)
{
	return version() > 0;
}

// What is not there needs no rule.
static int allow(int rules, const char *path, uint64_t what)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == EACCES ? 0 : -1;
	const struct landlock_path_beneath_attr rule = {.allowed_access = what, .parent_fd = fd};
	int r = (int)syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
	close(fd);
	return r;
}

static int restrict_files(const struct confine *c, int v)
{
	const uint64_t changes = (v >= 2 ? REFER : 0) | (v >= 3 ? TRUNCATE : 0);
	const struct ruleset all = {WRITE | NEVER | changes | LANDLOCK_ACCESS_FS_EXECUTE |
	                                    (v >= 5 ? DEVICE_CONTROL : 0),
	                            v >= 4 ? CONNECT_OR_BIND : 0, v >= 6 ? SOCKETS_OR_SIGNALS : 0};
	size_t size = v >= 6 ? sizeof all : v >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
	int rules = (int)syscall(SYS_landlock_create_ruleset, &all, size, 0), r = rules < 0 ? -1 : 0;
	for (size_t i = 0; r == 0 && i < COUNT(system_folders); i++)
		r = allow(rules, system_folders[i], LANDLOCK_ACCESS_FS_EXECUTE);
	for (size_t i = 0; r == 0 && i < COUNT(c->runs) && c->runs[i]; i++)
		r = allow(rules, c->runs[i], LANDLOCK_ACCESS_FS_EXECUTE);
	for (size_t i = 0; r == 0 && i < COUNT(c->writes) && c->writes[i]; i++)
		r = allow(rules, c->writes[i], WRITE | changes);
	if (r == 0)
		r = allow(rules, "/dev/null", LANDLOCK_ACCESS_FS_WRITE_FILE | (changes & TRUNCATE));
	if (r == 0)
		r = (int)syscall(SYS_landlock_restrict_self, rules, 0);
	if (rules >= 0)
		close(rules);
	return r;
}

// --- system calls -----------------------------------------------------------------------------------

// Linkers make what they wrote executable; whoever started them does that. Sockets that are a pair can send to any
// path.
static int restrict_calls(void)
{
	static const uint32_t ignored[] = {SYS_chmod, SYS_fchmod, SYS_fchmodat, CALLS_FCHMODAT2},
			      refused[] = {SYS_connect, SYS_bind, SYS_socketpair, SYS_pidfd_send_signal},
			      needed[] = {SYS_flock, SYS_memfd_create}; // by veer's own
	struct calls *c = calls_start();
	for (size_t i = 0; i < COUNT(ignored); i++)
		calls_ignore(c, ignored[i]);
	for (size_t i = 0; i < COUNT(refused); i++)
		calls_refuse(c, refused[i], EPERM);
	for (size_t i = 0; i < COUNT(needed); i++)
		calls_allow(c, needed[i]);
	calls_refuse_machine(c);
	calls_refuse_unseen(c);
	calls_answer(c, 0);
	return calls_install(c, 0);
}

int confine_self(const struct confine *c)
{
	const struct rlimit core = {0, 0}, written = {(rlim_t)16 << 30, (rlim_t)16 << 30};
	int v = version();
	if (c->writes[0])
		setenv("TMPDIR", c->writes[0], 1);
	setenv("CCACHE_DISABLE", "1", 1); // a compiler may be ccache, which writes in the home directory
	setrlimit(RLIMIT_CORE, &core);
	setrlimit(RLIMIT_FSIZE, &written); // fails where there is a lower one
	if (v <= 0)
		return 0;
	if (privileges_drop(0) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || restrict_files(c, v) < 0)
		return -1;
	return restrict_calls();
}

// --- the system's files -------------------------------------------------------------------------------

bool confine_is_system(const char *path)
{
	char room[PATH_MAX], *real = realpath(path, room);
	bool is = false;
	for (size_t i = 0; real && i < COUNT(system_folders); i++)
		is |= path_below(real, system_folders[i]) != NULL;
	for (struct stat st; is; *strrchr(real, '/') = 0) { // it, and each folder around it
		const char *at = *real ? real : "/";
		is = stat(at, &st) == 0 && st.st_uid == 0 && !(st.st_mode & 022);
		if (!*real)
			break;
	}
	return is;
}

// --- tools that are not the system's --------------------------------------------------------------------

// A compiler in a folder of its own has the programs that it starts, and its linker, beside it or in a folder beside
// that.
char *confine_home(const char *tool)
{
	char *word = mem_copy(tool, strcspn(tool, " \t")), *found = path_find_program(word);
	char room[PATH_MAX], *real = found ? realpath(found, room) : NULL;
	char *folder = real ? path_dirname(real) : NULL, *home = folder ? path_dirname(folder) : NULL;
	bool own =
		home && !confine_is_system(real) && strcmp(path_basename(folder), "bin") == 0 && strcmp(home, "/") != 0;
	mem_free(word);
	mem_free(found);
	mem_free(own ? folder : home);
	return own ? home : folder;
}
