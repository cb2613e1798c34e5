// No sandbox: for programs that are trusted.
#include "run/sandbox.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

const char *const sandbox_names[SANDBOX_MODES] = {"none", "namespaces", "landlock"};

bool sandbox_works(enum sandbox_mode mode, struct buf *why)
{
	(void)why;
	return mode == SANDBOX_NONE;
}

enum sandbox_mode sandbox_best(void)
{
	return SANDBOX_NONE;
}

pid_t sandbox_fork(struct sandbox *ret, enum sandbox_mode mode, const struct sandbox_limits *limits, const char *box,
                   const char *cwd, struct err *err)
{
	if (mode != SANDBOX_NONE)
		return err_set(err, "there is no sandbox");
	pid_t pid = fork();
	if (pid != 0)
		return pid < 0 ? err_errno(err, "cannot start a process") : pid;
	*ret = (struct sandbox){.mode = mode, .box = mem_strdup(box), .cwd = mem_strdup(cwd)};
	if (limits)
		ret->limits = *limits;
	ret->open = mem_printf("%s/open", box);
	mkdir(ret->open, 0777);
	return 0;
}

int sandbox_confine(const struct sandbox *s)
{
	rlim_t most = s->limits.disk ? s->limits.disk : 64 << 20;
	const struct rlimit size = {most, most}, core = {0, 0};
	return setrlimit(RLIMIT_FSIZE, &size) < 0 || setrlimit(RLIMIT_CORE, &core) < 0 ? -1 : 0;
}

int sandbox_put(struct sandbox *s, const char *path, const void *data, size_t size, struct err *err)
{
	(void)s;
	return file_replace(path, data, size, 0644, err);
}

void sandbox_kill(struct sandbox *s)
{
	(void)s;
}

int sandbox_reset(struct sandbox *s, struct err *err)
{
	(void)s;
	(void)err;
	return 0;
}

uint64_t sandbox_memory(const struct sandbox *s)
{
	(void)s;
	return 0;
}

void sandbox_leave(struct sandbox *s)
{
	mem_free(s->box);
	mem_free(s->open);
	mem_free(s->root);
	mem_free(s->cwd);
	*s = (struct sandbox){0};
}
