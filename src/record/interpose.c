#include "record/interpose.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "record/interpose_internal.h"
#include "record/recorder.h"

static const int keyboard_signals[] = {SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU};

// LeakSanitizer, of programs that the user builds with -fsanitize=address, traces its own process when that ends, which
// a traced one cannot do: it would end with an error where there is none.
static void look_for_no_leaks(void)
{
	const char *old = getenv("LSAN_OPTIONS");
	char *value = mem_printf("%s%sdetect_leaks=0", old ? old : "", old && *old ? ":" : "");
	setenv("LSAN_OPTIONS", value, 1);
	mem_free(value);
}

// The process that becomes the command. It waits until it is traced, then puts
// the filter on; exec failures are reported through `problem`.
static _Noreturn void become_command(char **argv, bool recorded, int start, int problem)
{
	for (size_t i = 0; i < sizeof keyboard_signals / sizeof *keyboard_signals; i++)
		signal(keyboard_signals[i], SIG_DFL);
	char go;
	if (read(start, &go, 1) != 1)
		_exit(127);
	close(start);
	int why[2] = {0, 0};
	look_for_no_leaks();
	if ((recorded ? recorder_install_filter() : tracee_install_filter()) == 0) {
		execvp(argv[0], argv);
		why[0] = 1;
	}
	why[1] = errno;
	ssize_t ignored = write(problem, why, sizeof why);
	(void)ignored;
	_exit(127);
}

static pid_t start_command(char **argv, bool recorded, int problem, struct err *err)
{
	int start[2];
	if (pipe2(start, O_CLOEXEC) < 0)
		return err_errno(err, "cannot create a pipe");
	pid_t pid = fork();
	if (pid < 0)
		return err_errno(err, "cannot start a process");
	if (pid == 0) {
		close(start[1]);
		become_command(argv, recorded, start[0], problem);
	}
	long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
	               PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
	close(start[0]);
	if (ptrace(PTRACE_SEIZE, pid, 0, options) < 0) {
		err_errno(err, "this process may not trace its children (is it traced itself, or in a container "
		               "without ptrace?)");
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		close(start[1]);
		return -1;
	}
	ssize_t ignored = write(start[1], "g", 1);
	(void)ignored;
	close(start[1]);
	return pid;
}

// What the tracer tells its parent first.
struct started {
	pid_t command;
	struct err err;
};

static _Noreturn void be_tracer(struct tracer *t, char **argv, int problem)
{
	// The keyboard's signals are for the command; so is being stopped by them.
	for (size_t i = 0; i < sizeof keyboard_signals / sizeof *keyboard_signals; i++)
		signal(keyboard_signals[i], SIG_IGN);
	cache_lock_again(t->options->builder->cache);
	struct started started = {0};
	t->command = started.command = start_command(argv, t->options->recorder != NULL, problem, &started.err);
	close(problem);
	ssize_t ignored = write(t->channel, &started, sizeof started);
	(void)ignored;
	if (t->command > 0)
		tracer_trace(t);
	// The parent reads the reports; the folder goes when it is done.
	char last;
	while (read(t->channel, &last, 1) > 0)
		continue;
	file_remove_tree(t->run);
	cache_close(t->options->builder->cache);
	_exit(0);
}

// --- signals --------------------------------------------------------------------------------------

static const int passed_signals[] = {SIGINT, SIGTERM, SIGHUP};

static volatile sig_atomic_t interrupted, pass_on; // the first one that came; one to be passed on

static void on_signal(int sig, siginfo_t *info, void *context)
{
	(void)context;
	interrupted = interrupted ? interrupted : sig;
	if (info->si_code != SI_KERNEL) // the keyboard's go to all of the terminal's processes
		pass_on = sig;
}

int interpose_interrupted(void)
{
	return interrupted;
}

// From now on they come in wait_for_data only. SIGHUP that is ignored, by nohup, stays so.
static void catch_signals(sigset_t *ret_before)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO}, was;
	sigset_t ours;
	sigemptyset(&ours);
	for (size_t i = 0; i < sizeof passed_signals / sizeof *passed_signals; i++) {
		int sig = passed_signals[i];
		sigaddset(&ours, sig);
		if (sig != SIGHUP || (sigaction(sig, NULL, &was) == 0 && was.sa_handler != SIG_IGN))
			sigaction(sig, &action, NULL);
	}
	sigprocmask(SIG_BLOCK, &ours, ret_before);
}

static pid_t tracer_of(const char *pid)
{
	char path[64], text[4096];
	snprintf(path, sizeof path, "/proc/%.20s/status", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	const char *at = strstr(text, "\nTracerPid:");
	return at ? atoi(at + strlen("\nTracerPid:")) : 0;
}

// All that are traced: also those that have left the command's session, or have another parent by now.
static void signal_traced(pid_t tracer, pid_t command, int sig)
{
	DIR *d = opendir("/proc");
	if (!d)
		kill(command, sig);
	for (struct dirent *x = d ? readdir(d) : NULL; x; x = readdir(d))
		if (x->d_name[0] >= '1' && x->d_name[0] <= '9' && tracer_of(x->d_name) == tracer)
			kill(atoi(x->d_name), sig);
	if (d)
		closedir(d);
}

struct following {
	pid_t tracer, command;
	sigset_t signals; // as they were
};

// Until there is something to read.
static void wait_for_data(const struct following *f, int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	while (ppoll(&p, 1, NULL, &f->signals) < 0 && errno == EINTR)
		if (pass_on && f->command > 0) {
			int sig = pass_on;
			pass_on = 0;
			signal_traced(f->tracer, f->command, sig);
		}
}

static int read_fully(const struct following *f, int fd, void *out, size_t size)
{
	size_t n = 0;
	while (n < size) {
		wait_for_data(f, fd);
		ssize_t r = read(fd, (char *)out + n, size - n);
		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return -1;
		n += (size_t)r;
	}
	return 0;
}

static char *make_run_folder(const struct interpose *options, struct err *err)
{
	char *run = cache_folder(options->builder->cache, "runs", 0755, err);
	static const struct {
		const char *name;
		unsigned mode;
	} parts[] = {{"x", 0755}, {"o", 0755}, {"reports", 01777}};
	for (size_t i = 0; run && i < sizeof parts / sizeof *parts; i++) {
		char path[PATH_MAX];
		snprintf(path, sizeof path, "%s/%s", run, parts[i].name);
		if (mkdir(path, 0755) < 0 || chmod(path, parts[i].mode) < 0) {
			err_errno(err, "cannot create folder %s", path);
			mem_free(run);
			run = NULL;
		}
	}
	return run;
}

static int wait_for_command(const struct interpose *options, struct following *f, int channel, int problem, char **argv,
                            struct err *err)
{
	struct started started;
	struct ended ended;
	int why[2];
	if (read_fully(f, channel, &started, sizeof started) < 0)
		return err_set(err, "the tracer could not be started");
	if (started.command < 0) {
		*err = started.err;
		return -1;
	}
	f->command = started.command;
	bool failed = read_fully(f, problem, why, sizeof why) == 0; // ends at the command's exec
	if (read_fully(f, channel, &ended, sizeof ended) < 0)
		return err_set(err, "the tracer was killed");
	if (options->counts)
		*options->counts = ended.counts;
	if (failed) {
		errno = why[1];
		return why[0] ? err_errno(err, "cannot run %s", argv[0])
		              : err_errno(err, "this system does not allow seccomp filters");
	}
	return ended.status;
}

int interpose_run(const struct interpose *options, char **argv, struct err *err)
{
	struct tracer t = {.options = options};
	int channel[2], problem[2];
	t.run = make_run_folder(options, err);
	if (!t.run)
		return -1;
	if (options->prepare && options->prepare(options->opaque, t.run, err) < 0) {
		file_remove_tree(t.run);
		mem_free(t.run);
		return -1;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, channel) < 0 || pipe2(problem, O_CLOEXEC) < 0) {
		err_errno(err, "cannot start the tracer");
		file_remove_tree(t.run);
		mem_free(t.run);
		return -1;
	}
	t.channel = channel[1];
	struct sigaction term, hup;
	sigaction(SIGTERM, NULL, &term);
	sigaction(SIGHUP, NULL, &hup);
	struct following f = {0};
	catch_signals(&f.signals);
	pid_t tracer = f.tracer = fork();
	if (tracer == 0) {
		sigaction(SIGTERM, &term, NULL);
		sigaction(SIGHUP, &hup, NULL);
		sigprocmask(SIG_SETMASK, &f.signals, NULL);
		close(channel[0]);
		close(problem[0]);
		be_tracer(&t, argv, problem[1]);
	}
	close(channel[1]);
	close(problem[1]);
	signal(SIGQUIT, SIG_IGN); // the command gets it from the keyboard, and decides
	int status = tracer < 0 ? err_errno(err, "cannot start the tracer")
	                        : wait_for_command(options, &f, channel[0], problem[0], argv, err);
	sigprocmask(SIG_SETMASK, &f.signals, NULL);
	if (status >= 0 && options->finish)
		options->finish(options->opaque, t.run);
	close(channel[0]);
	close(problem[0]);
	mem_free(t.run);
	return status;
}

int interpose_possible(struct err *err)
{
	pid_t pid = fork();
	if (pid < 0)
		return err_errno(err, "cannot start a process");
	if (pid == 0) {
		pause();
		_exit(0);
	}
	int r = 0;
	if (ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACESECCOMP) < 0)
		r = err_errno(err, "ptrace is not allowed here");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, __WALL);
	if (r < 0)
		return r;
	pid = fork();
	if (pid == 0)
		_exit(tracee_install_filter() < 0 ? 1 : 0);
	int status;
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || status != 0)
		return err_set(err, "seccomp filters are not allowed here");
	return 0;
}
