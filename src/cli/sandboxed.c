#include "cli/sandboxed.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "cli/options.h"

int cli_sandboxed(bool unsafe, const char *cwd, int (*work)(void *opaque, struct sandbox *sandbox), void *opaque)
{
	struct err err;
	struct buf why = {0};
	struct sandbox sandbox;
	enum sandbox_mode mode = unsafe ? SANDBOX_NONE : sandbox_best();
	if (mode == SANDBOX_NONE && !unsafe) {
		sandbox_works(SANDBOX_NAMESPACES, &why);
		err_set(&err, "there is no sandbox here (%s); --unsafe-no-sandbox does without",
		        why.data ? why.data : "?");
		buf_release(&why);
		return cli_fail(err.text);
	}
	char *worker_dir = file_temporary("veer-box", &err);
	fflush(NULL);
	pid_t pid = worker_dir ? sandbox_fork(&sandbox, mode, NULL, worker_dir, cwd, &err) : -1;
	if (pid == 0) {
		int status = work(opaque, &sandbox);
		fflush(NULL);
		sandbox_leave(&sandbox);
		_exit(status);
	}
	int result = pid < 0 ? cli_fail(err.text) : process_wait(pid, NULL);
	if (worker_dir)
		file_remove_tree(worker_dir);
	mem_free(worker_dir);
	return result;
}
