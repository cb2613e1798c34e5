// No sandbox, for programs that the user trusts: a process with a folder of its own.
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "run/sandbox_parts.h"

pid_t none_fork(struct sandbox *s, struct err *err)
{
	if (mkdir(s->open, 0755) < 0 && errno != EEXIST)
		return err_errno(err, "cannot create folder %s", s->open);
	pid_t parent = getpid(), pid = fork();
	if (pid < 0)
		return err_errno(err, "cannot start a process");
	if (pid > 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	mem_free(s->more);
	s->more = NULL;
	return 0;
}

int none_put(const char *path, const void *data, size_t size, struct err *err)
{
	char *folder = path_dirname(path);
	int r = file_mkdirs(folder, 0755, err);
	mem_free(folder);
	return r < 0 ? -1 : file_replace(path, data, size, 0644, err);
}
