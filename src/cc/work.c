#include "cc/work.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"

enum { CHILDREN = 2 };

// What the signal handler needs; everything else is reached through struct work.
static char temp_folder[512];
static volatile pid_t children[CHILDREN];

static void on_signal(int sig)
{
	for (int i = 0; i < CHILDREN; i++)
		if (children[i] > 0)
			kill(children[i], sig);
	if (temp_folder[0])
		file_remove_tree(temp_folder); // not async-signal-safe in theory; the process ends right here
	signal(sig, SIG_DFL);
	raise(sig);
}

int work_init(struct work *work, bool cplusplus, struct err *err)
{
	struct work w = {.driver = cplusplus ? "c++" : "c"};
	w.clang_c = compiler_find(false, err);
	if (!w.clang_c)
		return -1;
	w.clang = cplusplus ? compiler_find(true, err) : mem_strdup(w.clang_c);
	if (!w.clang) {
		mem_free(w.clang_c);
		return -1;
	}
	w.cwd = path_cwd();
	*work = w;
	signal(SIGINT, on_signal);
	signal(SIGTERM, on_signal);
	signal(SIGHUP, on_signal);
	return 0;
}

void work_release(struct work *work)
{
	if (work->folder)
		file_remove_tree(work->folder);
	temp_folder[0] = 0;
	mem_free(work->clang);
	mem_free(work->clang_c);
	mem_free(work->cwd);
	mem_free(work->folder);
	mem_free(work->stdin_copy);
	*work = (struct work){0};
}

char *work_temp(struct work *work, const char *name)
{
	if (!work->folder) {
		const char *tmp = getenv("TMPDIR");
		char *pattern = mem_printf("%s/veer-cc-XXXXXX", tmp && *tmp ? tmp : "/tmp");
		if (!mkdtemp(pattern)) { // the caller's first use of the path reports it
			mem_free(pattern);
			return mem_printf("%s/veer-cc-cannot-write-here/%s", tmp && *tmp ? tmp : "/tmp", name);
		}
		work->folder = pattern;
		if (strlen(pattern) < sizeof temp_folder)
			strcpy(temp_folder, pattern);
	}
	return mem_printf("%s/%s", work->folder, name);
}

int work_save_stdin(struct work *work, struct err *err)
{
	struct buf content = {0};
	if (file_read("/dev/stdin", &content, err) < 0)
		return -1;
	char *path = work_temp(work, "stdin");
	int r = file_replace(path, buf_str(&content), content.len, 0600, err);
	buf_release(&content);
	work->stdin_copy = path;
	return r;
}

pid_t work_start(struct work *work, const char *clang, const struct strv *args, int errors, struct err *err)
{
	struct strv argv = {0};
	strv_push(&argv, clang);
	strv_push_all(&argv, args);
	int in = work->stdin_copy ? open(work->stdin_copy, O_RDONLY | O_CLOEXEC) : -1;
	pid_t pid = process_start(argv.v, NULL, in, -1, errors, err);
	if (in >= 0)
		close(in);
	strv_release(&argv);
	for (int i = 0; pid > 0 && i < CHILDREN; i++)
		if (!children[i]) {
			children[i] = pid;
			break;
		}
	return pid;
}

int work_wait(pid_t pid)
{
	int status = process_wait(pid, NULL);
	for (int i = 0; i < CHILDREN; i++)
		if (children[i] == pid)
			children[i] = 0;
	return status;
}
