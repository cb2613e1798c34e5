#include "execute/server.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/server.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "sandbox/sandbox.h"

// The variant under RUN/x/1/NAME, where its runtime finds RUN.
static char *make_entry(const struct server *s, const char *program, const char *variant, struct err *err)
{
	static const char *const folders[] = {"x", "x/1", "o", "reports"};
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		char *path = mem_printf("%s/%s", s->run, folders[i]);
		int r = mkdir(path, 0755);
		if (r < 0 && errno == EEXIST && i == 3) // who prepared RUN may have put it elsewhere
			r = 0;
		if (r < 0)
			err_errno(err, "cannot create folder %s", path);
		mem_free(path);
		if (r < 0)
			return NULL;
	}
	char *entry = mem_printf("%s/x/1/%s", s->run, path_basename(program));
	char *origin = mem_printf("%s/o/1", s->run);
	// A link of the other kind where RUN is on another file system: the kernel tells the program the same path.
	if ((link(variant, entry) < 0 && symlink(variant, entry) < 0) || symlink(program, origin) < 0) {
		err_errno(err, "cannot create %s", entry);
		mem_free(entry);
		entry = NULL;
	}
	mem_free(origin);
	return entry;
}

// Our end is open both ways: neither process waits for the other, or gets a signal when it ends. The server's has no
// name: a run that could write to it would ask for others.
static int make_pipe(struct server *s, int *ret_read, struct err *err)
{
	int ends[2];
	char path[64];
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_errno(err, "cannot make a pipe");
	snprintf(path, sizeof path, "%s%d", SERVER_DESCRIPTOR, ends[0]);
	s->ask = open(path, O_RDWR | O_CLOEXEC);
	close(ends[1]);
	*ret_read = ends[0];
	if (s->ask < 0)
		return err_errno(err, "cannot open %s", path);
	return server_link(s->run, SERVER_ASK, ends[0], err);
}

int server_share(const char *name, uint64_t size, bool read_only, void **ret, struct err *err)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	*ret = MAP_FAILED;
	int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | (read_only ? F_SEAL_FUTURE_WRITE : 0);
	if (fd >= 0 && ftruncate(fd, (off_t)size) == 0)
		*ret = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (*ret != MAP_FAILED && fcntl(fd, F_ADD_SEALS, seals) == 0)
		return fd;
	err_errno(err, "cannot make room for %s", name);
	if (*ret != MAP_FAILED)
		munmap(*ret, size);
	*ret = MAP_FAILED;
	if (fd >= 0)
		close(fd);
	return -1;
}

int server_link(const char *run, const char *name, int fd, struct err *err)
{
	char *target = mem_printf("%s%d", SERVER_DESCRIPTOR, fd), *path = mem_printf("%s/%s", run, name);
	int r = symlink(target, path) < 0 ? err_errno(err, "cannot create %s", path) : 0;
	mem_free(target);
	mem_free(path);
	return r;
}

// --- libraries ------------------------------------------------------------------------------

// The loader's words about what is missing; NULL: it says nothing of that kind. The caller frees.
static char *loader_problem(const struct buf *said)
{
	static const char mark[] = "error while loading shared libraries: ";
	const char *p = said->data ? strstr(said->data, mark) : NULL;
	return p ? mem_copy(p + sizeof mark - 1, strcspn(p + sizeof mark - 1, "\n")) : NULL;
}

// The loader maps what it lists, and calls auditors that a program names (DT_AUDIT): code of a program that is not yet
// in any sandbox. So it can read, and nothing else.
static pid_t start_loader(char **argv, int nowhere, int out)
{
	pid_t pid = fork();
	if (pid)
		return pid;
	if (dup2(nowhere, 0) == 0 && dup2(out, 1) == 1 && dup2(out, 2) == 2 &&
	    close_range(3, UINT_MAX, CLOSE_RANGE_CLOEXEC) == 0 && sandbox_confine_reader() == 0)
		execv(argv[0], argv);
	_exit(127);
}

// What the dynamic loader says the program needs, searching in `folders` first (or not, when it
// is NULL): lines "\tNAME => PATH (0x...)". Nothing for a program without libraries. -1 when it does not load.
static int list_libraries(const char *program, const char *folders, struct buf *ret, struct err *err)
{
	char *argv[] = {
		"/lib64/ld-linux-x86-64.so.2", "--library-path", (char *)folders, "--list", (char *)program, NULL};
	if (!folders)
		memmove(&argv[1], &argv[3], 3 * sizeof *argv);
	int out[2], nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (nowhere < 0 || pipe2(out, O_CLOEXEC) < 0) {
		if (nowhere >= 0)
			close(nowhere);
		return err_errno(err, "cannot start a process");
	}
	pid_t pid = start_loader(argv, nowhere, out[1]);
	close(out[1]);
	close(nowhere);
	char part[4096];
	for (ssize_t n; pid >= 0 && (n = read(out[0], part, sizeof part)) != 0;)
		if (n > 0)
			buf_add(ret, part, (size_t)n);
		else if (errno != EINTR)
			break;
	close(out[0]);
	if (pid < 0)
		return err_errno(err, "cannot start a process");
	if (process_wait(pid, NULL) == 0)
		return 0;
	char *problem = loader_problem(ret);
	buf_release(ret);
	if (!problem)
		return 0;
	err_set(err, "%s does not load: %s; set LD_LIBRARY_PATH, or link it with -Wl,-rpath", program, problem);
	mem_free(problem);
	return -1;
}

// Cuts a line of the list into the name that the library is needed under and its path. False
// for what is no file, and for the loader itself.
static bool split_line(char *line, char **ret_name, char **ret_path)
{
	char *name = line + strspn(line, " \t"), *arrow = strstr(name, " => "), *path = arrow ? arrow + 4 : name;
	char *end = strstr(path, " (0x");
	if (!end || !strchr(path, '/') || strncmp(path_basename(path), "ld-linux", 8) == 0)
		return false;
	*end = 0;
	if (arrow)
		*arrow = 0;
	*ret_name = name;
	*ret_path = path;
	return true;
}

// Fills RUN/lib with links by those names: to variants, and to libraries that have none, since
// a variant may look for its own in its own folder. Returns how many are variants.
static int link_libraries(const struct builder *b, struct buf *lines, const char *folder,
                          void (*complain)(const char *path, const char *why))
{
	int variants = 0;
	char *name, *path;
	for (char *line = lines->data ? strtok(lines->data, "\n") : NULL; line; line = strtok(NULL, "\n")) {
		if (!split_line(line, &name, &path))
			continue;
		char *variant = NULL, *link = mem_printf("%s/%s", folder, name);
		struct err err;
		enum build_result r = build_program(b, path, &variant, &err);
		if (r == BUILD_FAILED)
			complain(path, err.text);
		else if (r == BUILD_OK && strchr(name, '/'))
			complain(path, "the program names its folder, so it is not exchanged in a fork server");
		else if (!strchr(name, '/') && symlink(variant ? variant : path, link) == 0)
			variants += r == BUILD_OK;
		mem_free(variant);
		mem_free(link);
	}
	return variants;
}

// A program may name folders that come before LD_LIBRARY_PATH.
static void check_exchange(const struct builder *b, struct buf *lines, const char *folder,
                           void (*complain)(const char *path, const char *why))
{
	char *name, *path;
	for (char *line = lines->data ? strtok(lines->data, "\n") : NULL; line; line = strtok(NULL, "\n")) {
		char *variant = NULL;
		struct err err;
		if (!split_line(line, &name, &path) || strchr(name, '/') || strncmp(path, folder, strlen(folder)) == 0)
			continue;
		if (build_lookup(b, path, &variant, &err) == BUILD_OK)
			complain(path, "it is found by DT_RPATH, so it is not exchanged in a fork server");
		mem_free(variant);
	}
}

static int tell_built(const struct server_build *how, char *variant, struct err *err)
{
	int r = how->built && variant ? how->built(how->opaque, variant, err) : 0;
	mem_free(variant);
	return r;
}

int server_build(const struct builder *b, const char *program, const struct server_build *how, struct err *err)
{
	struct buf lines = {0};
	char *name, *path, *variant = NULL, *at = NULL;
	if (build_program(b, program, &variant, err) != BUILD_OK)
		return -1;
	int r = tell_built(how, variant, err);
	if (r == 0)
		r = list_libraries(program, how->libraries, &lines, err) < 0 && how->must_load ? -1 : 0;
	for (char *line = lines.data ? strtok_r(lines.data, "\n", &at) : NULL; line && r == 0;
	     line = strtok_r(NULL, "\n", &at)) {
		struct err why;
		variant = NULL;
		if (split_line(line, &name, &path) && build_program(b, path, &variant, &why) == BUILD_FAILED)
			how->complain(path, why.text);
		r = tell_built(how, variant, err);
	}
	buf_release(&lines);
	return r;
}

// Returns the value of LD_LIBRARY_PATH by which the program finds variants of its libraries;
// NULL when there are none. The caller frees it.
static char *exchange_libraries(const struct server *s, const struct builder *b, const char *program, const char *entry,
                                const char *libraries, void (*complain)(const char *path, const char *why),
                                struct err *err)
{
	struct buf before = {0}, after = {0};
	char *folder = mem_printf("%s/%s", s->run, SERVER_LIBRARIES), *value = NULL;
	const char *old = libraries ? libraries : getenv("LD_LIBRARY_PATH");
	if (list_libraries(program, libraries, &before, err) == 0 && mkdir(folder, 0755) == 0 &&
	    link_libraries(b, &before, folder, complain) > 0) {
		value = mem_printf("%s%s%s", folder, old && *old ? ":" : "", old ? old : "");
		bool loads = list_libraries(entry, value, &after, err) == 0 && after.len &&
		             !strstr(after.data, "=> not found");
		if (loads) {
			check_exchange(b, &after, folder, complain);
		} else { // a library has two names, say
			char *what = mem_printf("what %s loads", program);
			complain(what, "with variants in place of its libraries the program would not start");
			mem_free(what);
			mem_free(value);
			value = NULL;
		}
	}
	mem_free(folder);
	buf_release(&before);
	buf_release(&after);
	return value;
}

// In the new process. Returns when it cannot become the program, with errno.
static void become(const struct server_place *p, const int own[2], const char *entry, char **argv,
                   const char *libraries)
{
	if (p->streams) // what the user's shell has left open, too, is none of the program's business
		close_range(3, UINT_MAX, CLOSE_RANGE_CLOEXEC);
	for (size_t i = 0; i < p->n_hand_down; i++)
		fcntl(p->hand_down[i], F_SETFD, 0);
	for (int i = 0; i < 2; i++)
		fcntl(own[i], F_SETFD, 0);
	for (int i = 0; p->streams && i < 3; i++)
		if (dup2(p->streams[i], i) < 0)
			return;
	setenv(SERVER_BIND_NAME, SERVER_BIND_VALUE, 0);
	if (libraries)
		setenv("LD_LIBRARY_PATH", libraries, 1);
	if (!p->confine || p->confine(p->opaque) == 0)
		execv(entry, argv);
}

// Until the server has loaded everything: the view that it lies in may change from then on. One that ends before, or
// takes too long for that, is somebody else's problem.
static void wait_until_ready(const struct server *s)
{
	enum { TRIES = 10000 };
	const struct timespec moment = {0, 1000000};
	siginfo_t ended = {0};
	for (int i = 0; i < TRIES && !__atomic_load_n(&s->state->ready, __ATOMIC_ACQUIRE); i++) {
		if (waitid(P_PID, (id_t)s->pid, &ended, WEXITED | WNOHANG | WNOWAIT) < 0 || ended.si_pid)
			return;
		syscall(SYS_futex, &s->state->ready, FUTEX_WAIT, 0, &moment, NULL, 0);
	}
}

// `own`: descriptors of its state and of what it is asked through. `libraries`: LD_LIBRARY_PATH until the runtime
// starts, or NULL.
static int launch(struct server *s, const struct server_place *p, const int own[2], const char *entry, char **argv,
                  const char *libraries, struct err *err)
{
	int problem[2], why;
	if (pipe2(problem, O_CLOEXEC) < 0)
		return err_errno(err, "cannot start a process");
	s->pid = fork();
	if (s->pid == 0) {
		become(p, own, entry, argv, libraries);
		why = errno;
		_exit(write(problem[1], &why, sizeof why) == 0);
	}
	close(problem[1]);
	ssize_t n = read(problem[0], &why, sizeof why);
	close(problem[0]);
	if (s->pid < 0)
		return err_errno(err, "cannot start a process");
	s->ticket = wait_register(s->pid);
	if (n == (ssize_t)sizeof why) {
		errno = why;
		return err_errno(err, "cannot run %s", entry);
	}
	wait_until_ready(s);
	return 0;
}

static enum build_result find_variant(const struct builder *b, const struct server_place *p, const char *program,
                                      char **ret, struct err *err)
{
	if (p->may_build)
		return build_program(b, program, ret, err);
	enum build_result r = build_lookup(b, program, ret, err);
	if (r == BUILD_OK && !*ret) {
		err_set(err, "cannot run %s: its variant %s is not in the cache", program, b->variant);
		return BUILD_FAILED;
	}
	return r;
}

int server_start_at(struct server *ret, const struct builder *b, char **argv, const struct server_place *place,
                    void (*complain)(const char *path, const char *why), struct err *err)
{
	struct server s = {.pid = -1, .ask = -1, .processor = -1};
	char *found = path_find_program(argv[0]), *variant = NULL, *entry = NULL, *cwd = path_cwd(), *program = NULL,
	     *libraries = NULL;
	void *shared = NULL;
	int own[2] = {-1, -1};
	if (!found) {
		err_set(err, "cannot run %s: there is no such program", argv[0]);
		goto out;
	}
	program = path_absolute(cwd, found);
	if (find_variant(b, place, program, &variant, err) != BUILD_OK)
		goto out;
	s.run = place->run ? mem_strdup(place->run) : cache_folder(b->cache, "runs", 0755, err);
	if (!s.run || (place->prepare && place->prepare(place->opaque, s.run, err) < 0))
		goto out;
	own[0] = server_share("state", sizeof *s.state, false, &shared, err);
	if (own[0] < 0)
		goto out;
	s.state = shared;
	entry = server_link(s.run, SERVER_STATE, own[0], err) == 0 ? make_entry(&s, program, variant, err) : NULL;
	if (!entry || make_pipe(&s, &own[1], err) < 0)
		goto out;
	libraries = exchange_libraries(&s, b, program, entry, place->libraries, complain, err);
	if (!libraries && place->libraries)
		libraries = mem_strdup(place->libraries);
	if (launch(&s, place, own, entry, argv, libraries, err) < 0)
		goto out;
	*ret = s;
	s.run = NULL;
out:
	if (s.run)
		server_stop(&s);
	for (int i = 0; i < 2; i++)
		if (own[i] >= 0)
			close(own[i]);
	mem_free(found);
	mem_free(program);
	mem_free(variant);
	mem_free(entry);
	mem_free(libraries);
	mem_free(cwd);
	return s.run || s.pid < 0 ? -1 : 0;
}

int server_start(struct server *ret, const struct builder *b, char **argv,
                 int (*prepare)(void *opaque, const char *run, struct err *err), void *opaque,
                 void (*complain)(const char *path, const char *why), struct err *err)
{
	const struct server_place place = {.prepare = prepare, .opaque = opaque, .may_build = true};
	return server_start_at(ret, b, argv, &place, complain, err);
}

// For as long as a run takes, we stay on the processor where we are, and the server comes there: the kernel looks
// for an idle one for each process that it wakes, and to wake that takes longer than a short run. Returns whether
// we may be elsewhere afterwards.
static bool stay_here(struct server *s, cpu_set_t *ret_before)
{
	int here = sched_getcpu();
	cpu_set_t one;
	if (here < 0 || here >= CPU_SETSIZE || sched_getaffinity(0, sizeof *ret_before, ret_before) < 0)
		return false;
	CPU_ZERO(&one);
	CPU_SET(here, &one);
	if (sched_setaffinity(0, sizeof one, &one) < 0)
		return false;
	if (s->processor != here && s->serves && sched_setaffinity(s->pid, sizeof one, &one) == 0)
		s->processor = here;
	return true;
}

int server_ask(struct server *s, const struct waiting *how, struct ending *ret, struct err *err)
{
	cpu_set_t before;
	bool alive = wait_is_alive(s->pid, s->ticket), stays = alive && stay_here(s, &before);
	struct waiting w = *how;
	if (alive) {
		w.run = &s->state->run;
		w.server = s->pid;
		s->state->run = s->state->problem = 0;
	}
	s->serves = alive && write(s->ask, "", 1) == 1 && wait_for_run(&w, ret) == 0;
	if (stays)
		sched_setaffinity(0, sizeof before, &before);
	if (s->serves)
		return 0;
	wait_forget(s->pid, s->ticket); // if it is there, it is stuck
	s->pid = -1;
	return err_set(err, "the fork server is gone");
}

int server_run(struct server *s, unsigned milliseconds, struct err *err)
{
	struct ending end;
	return server_ask(s, &(struct waiting){.milliseconds = milliseconds}, &end, err) < 0 ? -1 : end.status;
}

void server_stop(struct server *s)
{
	if (s->ask >= 0)
		close(s->ask);
	wait_forget(s->pid, s->ticket);
	if (s->state)
		munmap(s->state, sizeof *s->state);
	if (s->run)
		file_remove_tree(s->run);
	mem_free(s->run);
	*s = (struct server){.pid = -1, .ask = -1, .processor = -1};
}
