#include "base/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

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

// Linkers make what they wrote executable; whoever started them does that.
static const int ignored[] = {SYS_chmod, SYS_fchmod, SYS_fchmodat, 452 /* fchmodat2 */};

static const int refused[] = {
	SYS_socket,
	SYS_connect,
	SYS_bind,
	SYS_chown,
	SYS_fchown,
	SYS_lchown,
	SYS_fchownat,
	SYS_utime,
	SYS_utimes,
	SYS_utimensat,
	SYS_futimesat,
	SYS_setxattr,
	SYS_lsetxattr,
	SYS_fsetxattr,
	SYS_removexattr,
	SYS_lremovexattr,
	SYS_fremovexattr,
	463 /* setxattrat */,
	466 /* removexattrat */,
	SYS_ptrace,
	SYS_process_vm_writev,
	SYS_process_vm_readv,
	SYS_mount,
	SYS_umount2,
	SYS_unshare,
	SYS_setns,
	SYS_bpf,
	SYS_keyctl,
	SYS_add_key,
	SYS_request_key,
	SYS_perf_event_open,
	SYS_userfaultfd,
	SYS_io_uring_setup,
	SYS_setpriority,
	SYS_pidfd_getfd,
	SYS_pidfd_send_signal,
	SYS_init_module,
	SYS_finit_module,
	SYS_settimeofday,
	SYS_clock_settime,
};

static int restrict_calls(void)
{
	enum { HEAD = 6, MOST = HEAD + 2 * (COUNT(ignored) + COUNT(refused)) + 1 };
	const uint32_t refuse = SECCOMP_RET_ERRNO | EPERM, done = SECCOMP_RET_ERRNO | 0;
	struct sock_filter code[MOST] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, refuse),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1), // x32
		BPF_STMT(BPF_RET | BPF_K, refuse),
	};
	unsigned short n = HEAD;
	for (size_t i = 0; i < COUNT(ignored) + COUNT(refused); i++) {
		bool ignore = i < COUNT(ignored);
		uint32_t call = (uint32_t)(ignore ? ignored[i] : refused[i - COUNT(ignored)]);
		code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, ignore ? done : refuse);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	const struct sock_fprog program = {.len = n, .filter = code};
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
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
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || restrict_files(c, v) < 0 ? -1 : restrict_calls();
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
