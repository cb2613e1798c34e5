#include "confined.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

void confined_complain(const char *path, const char *why)
{
	fprintf(stderr, "%s: %s\n", path, why);
}

int confined_run(enum sandbox_mode mode, const struct sandbox_limits *limits,
                 int (*work)(struct sandbox *sandbox, void *opaque), void *opaque, struct err *err)
{
	char worker_dir[] = "/tmp/veer-box-XXXXXX", *cwd = path_cwd();
	struct sandbox sandbox;
	int status = 0;
	if (!mkdtemp(worker_dir)) {
		mem_free(cwd);
		return err_errno(err, "cannot create %s", worker_dir);
	}
	fflush(stdout);
	pid_t pid = sandbox_fork(&sandbox, mode, limits, worker_dir, cwd, err);
	if (pid == 0) {
		int r = work(&sandbox, opaque);
		fflush(stdout);
		sandbox_leave(&sandbox);
		_exit(r);
	}
	if (pid > 0)
		waitpid(pid, &status, 0);
	file_remove_tree(worker_dir);
	mem_free(cwd);
	return pid < 0 ? -1 : WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
